"""What scikit-learn does around a fit is told: searches by what they spend, steps that see the rows by what they undo."""

import json
import os
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFE, RFECV
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsOneClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

import discretion

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (900, 2))
y = (X[:, 0] > 0).astype(int)
GRID = {"lam": [0.01, 0.1]}


@pytest.fixture
def account():
    return discretion.Ledger.in_memory().account("tests", epsilon=100)


def linear(account=None, **more):
    return discretion.LogisticRegression(**{"epsilon": 1.0, "bounds": (-1, 1), "account": account} | more)


def told(work, words="copies"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    assert all(one.filename == __file__ for one in caught if words in str(one.message)), "it points to the cell"
    return [str(one.message) for one in caught if words in str(one.message)]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_search_says_once_what_it_spends(tmp_path, n_jobs):
    account = discretion.account("tests", epsilon=100, ledger=tmp_path / "ledger.sqlite")
    search = GridSearchCV(linear(account), GRID, cv=2, n_jobs=n_jobs)
    (note,) = told(lambda: search.fit(X, y))
    assert note.startswith("GridSearchCV fits 5 copies") and "5 times epsilon = 1, which is 5" in note
    assert account.spent == pytest.approx(5.0)
    pipeline = make_pipeline(FunctionTransformer(), linear(account, epsilon=0.5))
    search = GridSearchCV(pipeline, {"logisticregression__lam": [0.01, 0.1]}, cv=3, refit=False)
    (note,) = told(lambda: search.fit(X, y))
    assert "6 times epsilon = 0.5, which is 3" in note


@pytest.mark.parametrize(
    ("work", "name", "fits"),
    [
        (lambda model: cross_val_score(model, X, y, cv=3), "cross_validate", 3),
        (lambda model: cross_val_predict(model, X, y, cv=KFold(4)), "cross_val_predict", 4),
        (lambda model: CalibratedClassifierCV(model, cv=2).fit(X, y), "CalibratedClassifierCV", 2),
    ],
)
def test_folds_say_it_too(account, work, name, fits):
    model = linear(account)
    (note,) = told(lambda: work(model))
    assert note.startswith(f"{name} fits {fits} copies") and account.spent == pytest.approx(fits)
    assert len(told(lambda: work(model))) == 1, "and again the next time"


def test_who_makes_errors_of_warnings_is_not_charged(account):
    with warnings.catch_warnings(), pytest.raises(discretion.Note, match="3 copies"):
        warnings.simplefilter("error", discretion.Note)
        cross_val_score(linear(account), X, y, cv=3, error_score="raise")
    assert account.spent == 0


def test_nothing_is_said_where_nothing_is_spent(account):
    assert told(lambda: cross_val_score(linear(random_state=0), X, y, cv=3)) == []
    assert told(lambda: linear(account).fit(X, y)) == []


STEPS = {
    "scaler": (StandardScaler(), ["standardscaler"]),
    "imputer": (SimpleImputer(), ["simpleimputer"]),
    "within": (ColumnTransformer([("a", Normalizer(), [0]), ("b", StandardScaler(), [1])]), ["columntransformer"]),
    "stateless": (ColumnTransformer([("a", Normalizer(), [0]), ("b", "passthrough", [1])]), []),
    "function": (FunctionTransformer(np.tanh), []),
    "nothing": ("passthrough", []),
}


@pytest.mark.parametrize(("step", "names"), STEPS.values(), ids=STEPS)
def test_steps_that_learn_from_the_rows_are_noticed(account, step, names, tmp_path):
    pipeline = make_pipeline(step, linear(account))
    notes = told(lambda: pipeline.fit(X, y), "fitted on the rows")
    model = pipeline[-1]
    assert len(notes) == len(names) and all(name in note for name, note in zip(names, notes))
    assert model.private_ == (not names)
    assert len(told(lambda: model.save(tmp_path / "model.json"), "guarantee is for what they made")) == len(names)


def test_they_are_noticed_before_densities_and_votes_too(account):
    density = discretion.HistogramDensity(epsilon=1.0, bounds=(-3, 3), bins=2, account=account)
    assert told(lambda: make_pipeline(StandardScaler(), density).fit(X), "fitted on the rows") and not density.private_
    voting = discretion.PrivateVoting(GaussianNB(), epsilon=3.0, delta=1e-6, queries=5, unstable=1, chunks=30, random_state=0)
    assert told(lambda: make_pipeline(StandardScaler(), voting).fit(X, y), "fitted on the rows")
    # A learner's own pipeline sees the rows of its chunk alone.
    learner = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=2))
    voting = voting.set_params(estimator=learner, rehearse=False)
    assert told(lambda: voting.fit(X, y), "fitted on the rows") == []


def test_classes_that_scorers_would_take_the_other_way_round_are_told():
    labels = np.where(y == 1, "dead", "healthy")
    model = linear(random_state=0, classes=("healthy", "dead"))
    (note,) = told(lambda: model.fit(X, labels), "upside down")
    assert "'dead' is the positive class here" in note and get_scorer("roc_auc")(model, X, labels) < 0.2
    model = linear(random_state=0, classes=("alive", "dead"))
    labels = np.where(y == 1, "dead", "alive")
    assert told(lambda: model.fit(X, labels), "upside down") == [] and get_scorer("roc_auc")(model, X, labels) > 0.8


def chosen(work):
    """What is told of choices that nothing paid for."""
    return told(work, "not covered") + told(work, "not cover it")


def searched(model):
    return GridSearchCV(model, GRID, cv=2).fit(X, y).best_estimator_


SEARCHES = {
    "grid": searched,
    "random": lambda model: RandomizedSearchCV(model, GRID, n_iter=2, cv=2).fit(X, y).best_estimator_,
    "halving": lambda model: HalvingGridSearchCV(model, GRID, cv=2, min_resources=400).fit(X, y).best_estimator_,
    "in workers": lambda model: GridSearchCV(model, GRID, cv=2, n_jobs=2).fit(X, y).best_estimator_,
    "a pipeline": lambda model: GridSearchCV(
        make_pipeline("passthrough", model), {"logisticregression__lam": [0.01, 0.1]}, cv=2
    ).fit(X, y).best_estimator_[-1],
    "within": lambda model: GridSearchCV(
        MultiOutputClassifier(model), {"estimator__lam": [0.01, 0.1]}, cv=2, scoring=lambda *_: 1.0
    ).fit(X, np.column_stack([y, y])).best_estimator_.estimators_[0],
    "threshold": lambda model: TunedThresholdClassifierCV(model, cv=2).fit(X, y).estimator_,
    "calibrated": lambda model: CalibratedClassifierCV(model, cv=2).fit(X, y).calibrated_classifiers_[0].estimator,
    "calibrated together": lambda model: CalibratedClassifierCV(model, cv=2, ensemble=False).fit(X, y).calibrated_classifiers_[0].estimator,
    "validated": lambda model: cross_validate(model, X, y, cv=2, return_estimator=True)["estimator"][0],
    "features": lambda model: RFECV(model, cv=2).fit(X, y).estimator_,
    "pairs": lambda model: OneVsOneClassifier(model).fit(X, y).estimators_[0],
    "stacking": lambda model: StackingClassifier([("a", model)], cv=2).fit(X, y).estimators_[0],
    "labels": lambda model: SelfTrainingClassifier(model).fit(X, np.where(np.arange(len(y)) % 2, -1, y)).estimator_,
    "a copy of the best": lambda model: clone(searched(model)).fit(X, y),
    "the best again": lambda model: searched(model).fit(X, y),
    "of others": lambda model: MadeElsewhereCV(model).fit(X, y).best_,
}


class MadeElsewhereCV(BaseEstimator):
    """A search of another package."""

    def __init__(self, estimator=None):
        self.estimator = estimator

    def fit(self, X, y):
        self.best_ = clone(self.estimator).set_params(lam=0.1).fit(X, y)
        return self


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_what_is_chosen_by_rows_is_not_covered(search, tmp_path):
    account = discretion.account("tests", epsilon=1000, ledger=tmp_path / "ledger.sqlite")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = search(linear(account))
    assert any("not cover" in str(one.message) for one in caught), "it is told"
    assert not model.private_
    with pytest.warns(discretion.Note, match="was not paid for"):
        model.save(tmp_path / "model.json")
    with pytest.warns(discretion.Note, match="was not paid for"):
        model.report(tmp_path / "report.html")
    for text in ((tmp_path / "model.json").read_text(), model._released.to_json()):
        assert text.startswith('{ "NOT PRIVATE": "') and "was not paid for" in text.splitlines()[0]
        privacy = json.loads(text)["privacy"]
        assert (privacy["private"], privacy["guarantee"]) == (False, None)
        assert privacy["statement"].startswith("NOT PRIVATE: ")
    page = (tmp_path / "report.html").read_text()
    assert "NOT PRIVATE" in page and "was not paid for" in page
    if os.name == "posix":
        assert (tmp_path / "model.json").stat().st_mode & 0o077 == 0
    assert not discretion.load(tmp_path / "model.json").private_
    assert model.summary().startswith("NOT COVERED BY ITS GUARANTEE")
    assert not pickle.loads(pickle.dumps(model)).private_


HARMLESS = {
    "alone": lambda model: model.fit(X, y),
    "a clone": lambda model: clone(model).fit(X, y),
    "a pipeline": lambda model: make_pipeline(FunctionTransformer(), model).fit(X, y)[-1],
    "outcomes": lambda model: MultiOutputClassifier(model).fit(X, np.column_stack([y, y])).estimators_[0],
    "fixed": lambda model: FixedThresholdClassifier(model, threshold=0.3).fit(X, y).estimator_,
    "features by coefficients": lambda model: RFE(model, n_features_to_select=1).fit(X, y).estimator_,
    "a class of the user": lambda model: OfTheUser(model).fit(X, y).model_,
}


class OfTheUser(BaseEstimator):
    """What a user writes around a fit."""

    def __init__(self, model=None):
        self.model = model

    def fit(self, X, y):
        self.model_ = clone(self.model).fit(X, y)
        return self


@pytest.mark.parametrize("work", HARMLESS.values(), ids=HARMLESS)
def test_what_only_hands_rows_on_is_covered(account, work, tmp_path):
    assert chosen(lambda: work(linear(account))) == []
    model = work(linear(account))
    assert model.private_ and told(lambda: model.save(tmp_path / "model.json"), "") == []


def test_scores_before_a_fit_are_remembered_once(account):
    model = linear(account)
    (note,) = told(lambda: cross_val_score(model, X, y, cv=3), "copies")
    assert "comes from the rows without noise, so it is not covered" in note
    best = linear(account, lam=0.1)
    (note,) = told(lambda: best.fit(X, y), "does not cover that choice")
    assert "cross_validate scored copies that this account paid for" in note and best.private_
    assert told(lambda: best.fit(X, y), "does not cover that choice") == []
    told(lambda: searched(linear(account)))
    assert len(told(lambda: linear(account, lam=0.1).fit(X, y), "GridSearchCV scored copies")) == 1


def test_what_learns_beside_a_private_model_is_told(account):
    model = linear(account).fit(X, y)
    for work in (
        lambda: TunedThresholdClassifierCV(model, cv="prefit", refit=False).fit(X, y),
        lambda: CalibratedClassifierCV(FrozenEstimator(model)).fit(X, y),
    ):
        (note,) = told(work, "learns from these rows without noise")
        assert "a threshold or a calibration, is not covered" in note
    assert told(lambda: model.predict(X), "") == [] and told(lambda: FrozenEstimator(model).fit(X, y).predict(X), "") == []


def test_a_search_under_a_seed_says_nothing_more():
    assert chosen(lambda: searched(linear(random_state=0))) == []
    assert not searched(linear(random_state=0)).private_


def test_other_estimators_are_told_of_it_too(account):
    number = discretion.LinearRegression(epsilon=1.0, bounds=(-1, 1), y_bounds=(-1, 1), account=account)
    with pytest.warns(discretion.Note, match="not covered"):
        assert not GridSearchCV(number, {"lam": [0.1, 1.0]}, cv=2).fit(X, y).best_estimator_.private_
    density = discretion.HistogramDensity(epsilon=1.0, bounds=(-1, 1), account=account)
    with pytest.warns(discretion.Note, match="not covered"):
        assert not GridSearchCV(density, {"bins": [2, 4]}, cv=2).fit(X).best_estimator_.private_
    with pytest.warns(discretion.Note, match="does not cover it"):
        transformed = TransformedTargetRegressor(number, transformer=StandardScaler()).fit(X, y)
    assert not transformed.regressor_.private_
