"""A fit that fails leaves what an earlier one released, whole: never the rows of one fit with the account of another."""

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

import discretion

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (8000, 2))
y = (X[:, 0] > 0).astype(int)


@pytest.fixture
def accounts(tmp_path):
    ledger = discretion.Ledger(tmp_path / "ledger.sqlite")
    return ledger.account("rich", epsilon=100, delta=1e-4), ledger.account("poor", epsilon=0.01, delta=1e-4)


class Interrupted(GaussianNB):
    """What Ctrl-C does during training."""

    now = False

    def fit(self, X, y):
        if Interrupted.now:
            raise KeyboardInterrupt
        return super().fit(X, y)


ESTIMATORS = [
    discretion.LogisticRegression(epsilon=1.0, bounds=(-1, 1)),
    discretion.HistogramDensity(epsilon=1.0, bounds=(-1, 1), bins=2),
    discretion.PrivateVoting(GaussianNB(), epsilon=3.0, delta=1e-6, queries=40, unstable=5),
]


def left_behind(estimator):
    return [name for name in vars(estimator) if name not in estimator.get_params()]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_a_first_fit_that_is_refused_leaves_nothing(accounts, estimator, tmp_path):
    _, poor = accounts
    fresh = clone(estimator).set_params(account=poor)
    with pytest.raises(discretion.Refused, match="cannot pay"):
        fresh.fit(X, y)
    assert left_behind(fresh) == []
    with pytest.raises(NotFittedError):
        fresh.score(X, y)
    if hasattr(fresh, "save"):
        with pytest.raises(NotFittedError):
            fresh.save(tmp_path / "model.json")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_after_a_refusal_the_paid_model_is_still_there(accounts, estimator, tmp_path):
    rich, poor = accounts
    estimator.set_params(account=rich).fit(X, y)
    said = answers(estimator)
    before = {name: vars(estimator)[name] for name in left_behind(estimator)}
    for refused in (
        lambda: estimator.set_params(account=poor).fit(X[:, :1], y),
        lambda: estimator.set_params(account=rich, epsilon=None).fit(X, y),
        lambda: estimator.set_params(account=rich, epsilon=3.0).fit(np.full((8000, 2), "a", dtype=object), y + 5),
    ):
        with pytest.raises(discretion.Error):
            refused()
        assert set(left_behind(estimator)) == set(before)
        assert all(vars(estimator)[name] is value for name, value in before.items())
    assert answers(estimator) == said
    if hasattr(estimator, "save"):
        estimator.save(tmp_path / "model.json")
        assert rich.history()[-1]["files"].endswith(str(tmp_path / "model.json"))


def answers(estimator):
    asked = estimator.score_samples if hasattr(estimator, "score_samples") else estimator.predict
    return asked(np.array([[-0.9, 0.1], [0.9, 0.1]])).tolist()


def test_an_interrupted_vote_is_the_vote_before(accounts):
    rich, _ = accounts
    voting = discretion.PrivateVoting(
        Interrupted(), epsilon=3.0, delta=1e-6, queries=40, unstable=5, account=rich, rehearse=False
    ).fit(X, y)
    said = answers(voting)
    Interrupted.now = True
    try:
        with pytest.raises(KeyboardInterrupt):
            voting.set_params(unstable=6).fit(-X, y)
    finally:
        Interrupted.now = False
    assert answers(voting) == said and voting.queries_left_ == 38


def test_names_of_an_earlier_frame_are_forgotten():
    model = discretion.LogisticRegression(epsilon=1.0, schema={"a": (-1, 1), "b": (-1, 1)}, random_state=0)
    model.fit(pandas.DataFrame(X, columns=["a", "b"]), y)
    assert list(model.feature_names_in_) == ["a", "b"]
    model.set_params(schema=None, bounds=(-1, 1)).fit(X, y)
    assert not hasattr(model, "feature_names_in_") and model.predict(X[:3]).shape == (3,)
