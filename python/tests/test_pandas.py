"""Frames as people have them: filtered, sampled, split, with an index of whatever name. The index is no column."""

import inspect

import numpy as np
import pandas
import pytest
from sklearn import model_selection
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, train_test_split

import discretion

rng = np.random.default_rng(0)
ROWS = 2400
FRAME = pandas.DataFrame({"age": rng.uniform(18, 90, ROWS), "site": rng.choice(["north", "south"], ROWS)})
LABELS = pandas.Series(np.where(rng.random(ROWS) < 1 / (1 + np.exp((50 - FRAME["age"]) / 8)), "yes", "no"), name="ill")
SCHEMA = {"age": (18, 90), "site": ["north", "south"]}
GROUPS = np.arange(ROWS) % 6


def linear(**more):
    return discretion.LogisticRegression(
        **{"epsilon": 5.0, "schema": SCHEMA, "classes": ("no", "yes"), "random_state": 0} | more
    )


def density(**more):
    return discretion.HistogramDensity(**{"epsilon": 5.0, "schema": SCHEMA, "bins": 4, "random_state": 0} | more)


ORDINARY = {
    "filtered": FRAME[FRAME["age"] > 40],
    "sampled": FRAME.sample(1200, random_state=0),
    "split": train_test_split(FRAME, random_state=0)[0],
    "sorted": FRAME.sort_values("age"),
    "named index": FRAME.set_index(pandas.Index(np.arange(ROWS)[::-1], name="patient")),
    "texts as index": FRAME.set_index(pandas.Index([f"p{i}" for i in range(ROWS)])),
    "named range": FRAME.set_index(pandas.RangeIndex(ROWS, name="patient")),
    "two levels": FRAME.set_index([pandas.Index(GROUPS, name="ward"), pandas.Index(np.arange(ROWS), name="bed")]),
    "dates": FRAME.set_index(pandas.date_range("2026-01-01", periods=ROWS)),
    "equal labels": pandas.concat([FRAME, FRAME]),
}


@pytest.mark.parametrize("frame", ORDINARY.values(), ids=ORDINARY)
def test_an_index_is_no_column(frame):
    labels = np.where(frame["age"] > 50, "yes", "no")
    plain = frame.reset_index(drop=True)
    model = linear().fit(frame, labels)
    assert list(model.feature_names_in_) == ["age", "site"]
    assert np.array_equal(model.coef_, linear().fit(plain, labels).coef_)
    assert np.array_equal(model.decision_function(frame), model.decision_function(plain))
    counted = density().fit(frame)
    assert np.array_equal(counted.probabilities_, density().fit(plain).probabilities_)
    assert np.array_equal(counted.score_samples(frame), counted.score_samples(plain))
    assert list(frame.columns) == ["age", "site"], "and what was passed is as it was"


def test_an_index_whose_name_is_declared_is_a_column():
    by_age = FRAME.set_index("age")
    assert np.array_equal(linear().fit(by_age, LABELS).coef_, linear().fit(FRAME, LABELS).coef_)
    assert np.array_equal(density().fit(by_age).probabilities_, density().fit(FRAME).probabilities_)


def test_a_study_s_target_may_be_the_index(study, columns):
    frame = pandas.DataFrame(columns)
    model = discretion.LogisticRegression(epsilon=1.0, schema=study, random_state=0)
    assert np.array_equal(model.fit(frame.set_index("ill")).coef_, model.fit(frame).coef_)


def splitters():
    """Every splitter that scikit-learn exports, with what it needs."""
    needs = {
        "PredefinedSplit": {"test_fold": GROUPS % 3},
        "LeavePGroupsOut": {"n_groups": 2},
        "LeavePOut": None,  # As many fits as there are pairs of rows.
        "LeaveOneOut": None,
        "TimeSeriesSplit": {"n_splits": 2},
    }
    few = {"n_splits": 2, "n_repeats": 1, "shuffle": True, "random_state": 0}
    for name in model_selection.__all__:
        kind = vars(model_selection).get(name)
        if isinstance(kind, type) and hasattr(kind, "split") and name not in ("BaseCrossValidator", "BaseShuffleSplit"):
            takes = inspect.signature(kind).parameters
            given = needs.get(name, {word: value for word, value in few.items() if word in takes})
            if given is not None:
                yield pytest.param(kind(**given), id=name)


@pytest.mark.parametrize("splitter", list(splitters()))
def test_every_splitter(splitter):
    by_patient = FRAME.set_index(pandas.Index([f"p{i}" for i in range(ROWS)]))
    groups = GROUPS if "Group" in type(splitter).__name__ else None
    scores = cross_val_score(linear(), by_patient, LABELS, cv=splitter, groups=groups, error_score="raise", scoring="roc_auc")
    assert len(scores) >= 1 and (scores > 0.8).all()


def test_predictions_of_folds_searches_and_calibration():
    shuffled = FRAME.sample(frac=1, random_state=1)
    labels = LABELS[shuffled.index]
    assert set(cross_val_predict(linear(), shuffled, labels, cv=3)) == {"no", "yes"}
    numbers = (labels == "yes").astype(int)
    out_of_fold = cross_val_predict(linear(classes=(0, 1)), shuffled, numbers, cv=3, method="predict_proba")
    assert out_of_fold.shape == (ROWS, 2)
    # It makes numbers of the labels, which are then none of the classes.
    with pytest.raises(discretion.InputError, match=r"cross_val_predict does.*pass \(0, 1\) as classes="):
        cross_val_predict(linear(), shuffled, labels, cv=3, method="predict_proba")
    search = GridSearchCV(linear(), {"lam": [0.001, 0.1]}, cv=2, error_score="raise").fit(shuffled, labels)
    assert search.best_score_ > 0.7
    calibrated = CalibratedClassifierCV(linear(), cv=2).fit(shuffled, labels)
    assert calibrated.score(shuffled, labels) > 0.7
