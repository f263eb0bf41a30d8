"""What scikit-learn does around a fit is told: searches by what they spend, steps that see the rows by what they undo."""

import warnings

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler

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
