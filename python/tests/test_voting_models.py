"""One row changes one model's votes: whatever a learner does to its tables, its process or the shared generators."""

import os
import random
import threading
import time

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import discretion
from discretion import _ballots

rng = np.random.default_rng(0)
X = rng.normal(0, 1, (8000, 2))
y = (X[:, 0] > 0).astype(int)
POINTS = np.array([[-1.0, 0.0], [1.0, 0.0], [2.0, 0.0]])


def changed(row, values):
    """A neighbouring table."""
    other = X.copy()
    other[row] = values
    return other


def voting(estimator, **settings):
    usual = {"epsilon": 10.0, "delta": 1e-6, "queries": 40, "unstable": 5, "random_state": 0}
    return discretion.PrivateVoting(estimator, **usual | settings)


class Counted:
    """A session that keeps the votes it was handed."""

    def __init__(self, session):
        self.session = session

    def answer(self, names, votes):
        self.votes = votes.copy()
        return self.session.answer(names, votes)


def votes(estimator, rows, points, **settings):
    asked = voting(estimator, **settings).fit(rows, y)
    asked._session = Counted(asked._session)
    asked.predict(points)
    return asked._session.votes, asked


def moved(one, other):
    """The models whose vote on any point is another one."""
    return np.flatnonzero((one != other).any(axis=1)).tolist()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", [np.array, pandas.DataFrame, polars.DataFrame])
def test_a_model_that_writes_to_its_points_does_not_change_those_of_others(kind, n_jobs):
    scaling = make_pipeline(StandardScaler(copy=False), GaussianNB())
    points = kind(POINTS)
    one, _ = votes(scaling, kind(X), points, n_jobs=n_jobs)
    # This row shifts the scale of its own model.
    other, _ = votes(scaling, kind(changed(0, 1e6)), points, n_jobs=n_jobs)
    assert moved(one, other) in ([], [0])
    assert np.array_equal(np.asarray(points), POINTS), "the caller's points are as they were"


class Overwrites(GaussianNB):
    """Writes to everything that it is handed."""

    def fit(self, X, y):
        super().fit(np.array(X), y.copy())
        y[:] = 0
        if hasattr(X, "iloc"):
            X.iloc[:, :] = 0
        else:
            X[:] = 0
        return self

    def predict(self, X):
        said = super().predict(np.array(X))
        if hasattr(X, "iloc"):
            X.iloc[:, :] = 0
        else:
            X[:] = 0
        return said


@pytest.mark.parametrize("kind", [np.array, pandas.DataFrame])
def test_a_learner_does_not_change_the_caller_s_table(kind):
    rows, labels, points = kind(X), y.copy(), kind(POINTS)
    asked = voting(Overwrites()).fit(rows, labels)
    assert np.array_equal(np.asarray(rows), X) and np.array_equal(labels, y)
    assert asked.predict(points).tolist() == [0, 1, 1] and np.array_equal(np.asarray(points), POINTS)


def test_what_joblib_hands_over_may_be_written_to():
    """Large arrays come to its workers as files that cannot be written to: in one process a learner would fail, in another not."""
    rows, labels = X[:200].copy(), y[:200].copy()
    rows.flags.writeable = labels.flags.writeable = False
    model = _ballots.train(Overwrites(), rows, labels, seed=0)
    assert _ballots.vote(model, rows, np.array([0, 1]), None).mean() == pytest.approx(labels.mean(), abs=0.1)


class Leaves(GaussianNB):
    """Ends the process, or answers in the wrong shape, if it has seen the marked row."""

    def __init__(self, where="fit"):
        super().__init__()
        self.where = where

    def fit(self, X, y):
        self.marked_ = bool((X[:, 1] > 1000).any())
        if self.marked_ and self.where == "fit":
            raise SystemExit(3)
        return super().fit(X, y)

    def predict(self, X):
        if self.marked_ and self.where == "predict":
            raise SystemExit(3)
        said = super().predict(X)
        return {"one": said[:1], "scalar": said[0], "column": said[:, None]}[self.where] if self._odd() else said

    def predict_proba(self, X):
        said = super().predict_proba(X)
        shapes = {"one": said[:1], "scalar": said[0, 0], "column": said[:, :1]}
        return shapes[self.where] if self._odd() else said

    def _odd(self):
        return self.marked_ and self.where in ("one", "scalar", "column")


WHERE = [(where, bins) for where in ("fit", "predict", "one", "scalar", "column") for bins in (None, 4)]


# Scores come from predict_proba.
@pytest.mark.parametrize(("where", "score_bins"), [case for case in WHERE if case != ("predict", 4)])
def test_whatever_a_model_does_costs_its_own_vote(where, score_bins):
    one, _ = votes(Leaves(where), X, POINTS, score_bins=score_bins)
    other, asked = votes(Leaves(where), changed(7, 2000.0), POINTS, score_bins=score_bins)
    assert moved(one, other) == [7 % asked.chunks_] and (other[7 % asked.chunks_] == 0).all()
    assert asked.failed_models_not_private == 1


def draws():
    """A learner that draws from the shared generators, more often if it has seen the marked row.

    The class is made here, so that workers get it with their task.
    """

    class Draws(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            for _ in range(3 if (X[:, 1] > 1000).any() else 1):
                np.random.random()
                random.random()
                time.sleep(0.0005)  # Another thread's turn.
            self.side_ = np.random.random() + random.random()
            self.process_ = os.getpid()
            self.classes_ = np.array([0, 1])
            return self

        def predict(self, X):
            return np.where(X[:, 0] > self.side_, 1, 0)

    return Draws()


def sides(rows=X, **settings):
    return [model.side_ for model in voting(draws(), **settings).fit(rows, y)._models]


def test_threads_that_are_configured_are_not_used():
    alone = sides()
    with parallel_config(backend="threading"):
        models = voting(draws(), n_jobs=4).fit(X, y)._models
        assert [model.side_ for model in models] == alone
        assert os.getpid() not in {model.process_ for model in models}
        other = sides(changed(7, 2000.0), n_jobs=4)
    assert [place for place, (a, b) in enumerate(zip(alone, other, strict=True)) if a != b] == [7 % len(alone)]


def test_votes_in_threads_of_the_user_do_not_mix_their_draws():
    alone = sides()
    found = []
    threads = [threading.Thread(target=lambda: found.append(sides())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 3


def test_points_of_arrow_are_asked_as_they_are():
    frame = pandas.DataFrame(POINTS, columns=["a", "b"])
    asked = voting(GaussianNB()).fit(pyarrow.table(pandas.DataFrame(X, columns=["a", "b"])), y)
    assert asked.predict(pyarrow.table(frame)).tolist() == [0, 1, 1]
