"""Estimators: what they learn, and what they refuse."""

import inspect
import pickle

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import discretion

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (4000, 3))
y = (X[:, 0] - X[:, 1] > 0).astype(int)
ESTIMATORS = [discretion.LogisticRegression, discretion.LinearSVC]


def seeded(kind=discretion.LogisticRegression, **more):
    return kind(**{"epsilon": 2.0, "bounds": (-1, 1), "random_state": 0} | more)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_learns(kind):
    model = seeded(kind).fit(X, y)
    assert model.score(X, y) > 0.9
    assert not model.private_
    # In the columns' own units, margins are the intercept plus the coefficients times the values.
    by_hand = X @ model.coef_[0] + model.intercept_[0]
    assert np.allclose(by_hand, model.decision_function(X), atol=1e-4)


def test_probabilities_follow_from_margins():
    model = seeded().fit(X, y)
    p = model.predict_proba(X)
    assert np.allclose(p.sum(axis=1), 1)
    assert np.allclose(p[:, 1], 1 / (1 + np.exp(-model.decision_function(X))))


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_clone_pickle_and_pipeline(kind):
    model = seeded(kind).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert clone(model).get_params() == model.get_params()
    pipeline = make_pipeline(FunctionTransformer(), seeded(kind)).fit(X, y)
    assert np.array_equal(pipeline.decision_function(X), model.decision_function(X))


def test_intervals_of_named_columns():
    frame = pandas.DataFrame({"age": [20.0, 60.0] * 500, "dose": [1.0, 3.0, 2.0, 4.0] * 250})
    schema = {"age": (18, 90), "dose": (0, 5)}
    model = discretion.LogisticRegression(epsilon=50.0, schema=schema, intervals=["dose"], random_state=0)
    model.fit(frame, np.arange(1000) % 2)
    assert list(model.intervals_["term"]) == ["dose"] and model.intervals_.attrs["level"] == 0.95


def test_the_corner_of_a_hinge():
    settings = {"epsilon": 50.0, "bounds": (-1, 1), "random_state": 0}
    losses = [({}, "hinge"), ({"intervals": True}, "hinge(1)"), ({"smoothing": 2}, "hinge(2)")]
    for more, loss in losses:
        model = discretion.LinearSVC(**settings, **more).fit(X, y)
        assert model.model_["training"]["loss"] == loss
    with pytest.raises(ValueError, match="0.125, 0.25, 0.5, 1 or 2, not 0.3"):
        discretion.LinearSVC(smoothing=0.3, **settings).fit(X, y)


def test_one_lam_of_a_list_and_intervals():
    model = seeded(lam=[0.001, 0.01, 0.1], intervals=0.9).fit(X, y)
    assert model.lam_ in [0.001, 0.01, 0.1]
    assert model.model_["intervals"]["level"] == 0.9
    intervals = [coefficient["interval"] for coefficient in model.model_["coefficients"]]
    assert all(interval["lower"] < interval["upper"] for interval in intervals)
    # An estimate beyond what was declared is an end of its interval.
    assert all(interval["lower"] <= interval["estimate"] <= interval["upper"] for interval in intervals)


def changed(row, value):
    other = X.copy()
    other[row, 0] = value
    return other


def test_labels_from_the_rows_may_be_several():
    model = seeded(classes="from-data").fit(X, np.arange(len(X)) % 3)
    assert list(model.classes_) == [0, 1, 2]
    probabilities = model.predict_proba(X[:5])
    assert probabilities.shape == (5, 3) and np.allclose(probabilities.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("settings", "rows", "labels", "sentence", "also"),
    [
        ({"bounds": None}, X, y, "would reveal it", ValueError),
        ({}, changed(5, np.nan), y, "NaN", ValueError),
        ({}, changed(5, np.inf), y, "infinity", ValueError),
        ({}, X[:, 0], y, "2D", ValueError),
        ({}, np.full((4000, 3), "a", dtype=object), y, "could not convert", ValueError),
        ({}, X, y[:-1], "inconsistent", ValueError),
        ({}, X[:0], y[:0], "0 sample", ValueError),
        ({}, X, np.arange(len(X)) % 3, "other than the classes", ValueError),
        ({"classes": "from-data", "random_state": None}, X, y, "no noise covers that", ValueError),
        ({"classes": (0, 0)}, X, y, "different labels", ValueError),
        ({"method": "magic"}, X, y, "no method", ValueError),
        ({"intervals": 2.0}, X, y, "confidence level", ValueError),
        ({"intervals": ["nobody"]}, X, y, "no column `nobody` is declared", ValueError),
        ({"intervals": []}, X, y, "a list of columns by their names", ValueError),
        ({"account": 3, "random_state": None}, X, y, "discretion.account", TypeError),
        ({"bounds": (1, -1)}, X, y, "x0", ValueError),
        ({"bounds": ([0, 0], [1, 1])}, X, y, "2 columns and X has 3", ValueError),
        ({"bounds": 1}, X, y, "pair", TypeError),
        ({"epsilon": None}, X, y, "missing", ValueError),
        ({"epsilon": -1.0}, X, y, "epsilon", ValueError),
        ({"epsilon": "1"}, X, y, "is a number", TypeError),
        ({"lam": -1.0}, X, y, "positive", ValueError),
        ({"lam": "small"}, X, y, "auto", ValueError),
        ({"random_state": -1}, X, y, "from 0 on", ValueError),
    ],
)
def test_bad_input_is_refused_with_advice(settings, rows, labels, sentence, also):
    with pytest.raises(discretion.Error, match=sentence) as caught:
        seeded(**settings).fit(rows, labels)
    assert isinstance(caught.value, also)


def test_bad_frames_are_refused_with_advice():
    frame = pandas.DataFrame({"a": ["x", "y"] * 50, "b": [0.0, 1.0] * 50})
    labels = np.array([0, 1] * 50)
    model = discretion.LogisticRegression(epsilon=1.0, schema={"a": (0, 1), "b": (0, 1)}, random_state=0)
    with pytest.raises(discretion.InputError, match="`a` has the type"):
        model.fit(frame, labels)
    with pytest.raises(discretion.InputError, match="`?a`?"):
        model.fit(frame[["b"]], labels)
    with pytest.raises(discretion.InputError, match="different numbers of rows"):
        model.set_params(schema={"a": ["x", "y"], "b": (0, 1)}).fit(frame, labels[:-1])
    with pytest.raises(discretion.InputError, match="row"):
        model.fit(frame[:0], labels[:0])


# Its checks come with labels of their own, and with so few rows that only a large epsilon lets anything be learned.
# Some of them are all beyond these bounds.
CHECKED = [
    seeded(kind, epsilon=100.0, bounds=(-10, 10), classes="from-data", accept_check=True, max_weight=10.0)
    for kind in ESTIMATORS
]

# The number of rows is public: a row of weight 2 is not two rows.
WEIGHTS = {f"check_sample_weight_equivalence_on_{kind}_data": "a weight is no number of rows" for kind in ("dense", "sparse")}


@parametrize_with_checks(CHECKED, expected_failed_checks=lambda _: WEIGHTS)
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [discretion.LogisticRegression, discretion.LinearSVC, discretion.HistogramDensity])
def test_parameters_are_shown_by_their_names(estimator):
    assert list(inspect.signature(estimator).parameters) == list(inspect.signature(estimator.__init__).parameters)[1:]


def test_several_classes_are_tuned_and_have_intervals_beside_the_first():
    line = np.linspace(-1, 1, 2400).reshape(-1, 1)
    stage = np.array(["low", "middle", "high"])[np.digitize(line[:, 0], [-0.3, 0.4])]
    common = {"epsilon": 20.0, "bounds": (-1, 1), "classes": ["low", "middle", "high"], "random_state": 1}
    with pytest.warns(discretion.Note):
        chosen = discretion.LogisticRegression(lam=[0.05, 30.0], **common).fit(line, stage)
    assert chosen.lam_ in (0.05, 30.0)
    model = discretion.LogisticRegression(lam=0.01, intervals=0.9, **common).fit(line, stage)
    frame = model.intervals_
    assert frame.attrs["reference"] == "low" and frame.attrs["level"] == 0.9
    assert sorted(set(frame["class"])) == ["high", "middle"]
    high = frame[(frame["class"] == "high") & (frame["term"] == frame["term"].iloc[-1])].iloc[0]
    assert 0 < high["lower"] < high["estimate"] < high["upper"]
    assert np.isclose(high["estimate"], model.coef_[2, 0] - model.coef_[0, 0])
    # The deviation is that of the file, and is not split: nobody knows what of it is noise.
    of_high = [known for known in model.model_["coefficients"] if known["class"] == "high"][-1]
    assert high["deviation"] == of_high["per_unit_interval"]["deviation"] > 0
    assert not {"sampling_deviation", "privacy_deviation", "matrices_deviation"} & set(frame.columns)
    beside = discretion.LogisticRegression(lam=0.01, intervals=True, reference="middle", **common).fit(line, stage)
    assert beside.intervals_.attrs["reference"] == "middle" and sorted(set(beside.intervals_["class"])) == ["high", "low"]
    for settings in [{"intervals": True, "reference": "none"}, {"reference": "low"}]:
        with pytest.raises(discretion.InputError, match="reference is"):
            discretion.LogisticRegression(lam=0.01, **settings, **common).fit(line, stage)
