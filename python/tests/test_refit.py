"""A fit that fails leaves an estimator that is not fitted: never the rows of one fit with the account of another."""

import numpy as np
import pandas
import pytest
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
def test_after_a_refusal_nothing_of_either_fit_is_left(accounts, estimator, tmp_path):
    rich, poor = accounts
    estimator.set_params(account=rich).fit(X, y)
    assert left_behind(estimator)
    with pytest.raises(discretion.Refused, match="cannot pay"):
        estimator.set_params(account=poor).fit(X[:, :1], y)
    assert left_behind(estimator) == []
    with pytest.raises(NotFittedError):
        estimator.score(X, y)
    if hasattr(estimator, "save"):
        with pytest.raises(NotFittedError):
            estimator.save(tmp_path / "model.json")


def test_an_interrupted_vote_is_not_fitted(accounts):
    rich, _ = accounts
    voting = discretion.PrivateVoting(
        Interrupted(), epsilon=3.0, delta=1e-6, queries=40, unstable=5, account=rich, rehearse=False
    ).fit(X, y)
    Interrupted.now = True
    try:
        with pytest.raises(KeyboardInterrupt):
            voting.set_params(new_session=True).fit(-X, y)
    finally:
        Interrupted.now = False
    assert left_behind(voting) == []
    with pytest.raises(NotFittedError):
        voting.predict(X[:2])


def test_names_of_an_earlier_frame_are_forgotten():
    model = discretion.LogisticRegression(epsilon=1.0, schema={"a": (-1, 1), "b": (-1, 1)}, random_state=0)
    model.fit(pandas.DataFrame(X, columns=["a", "b"]), y)
    assert list(model.feature_names_in_) == ["a", "b"]
    model.set_params(schema=None, bounds=(-1, 1)).fit(X, y)
    assert not hasattr(model, "feature_names_in_") and model.predict(X[:3]).shape == (3,)
