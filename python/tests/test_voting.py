"""Voting around any classifier: sessions in the ledger, answers that stay, models that fail alone."""

import pickle
import warnings

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import discretion

rng = np.random.default_rng(2)
X = rng.uniform(-1, 1, (8000, 2))
y = np.where(X[:, 0] > 0, "b", "a")
PUBLIC = rng.uniform(-1, 1, (40, 2))
FAR = np.array([[-0.9, 0.1], [0.9, 0.1]])


def voting(**settings):
    usual = {"epsilon": 10.0, "delta": 1e-6, "queries": 40, "unstable": 5, "classes": ("a", "b")}
    return discretion.PrivateVoting(settings.pop("estimator", GaussianNB()), **usual | settings)


@pytest.fixture
def account(tmp_path):
    return discretion.Ledger(tmp_path / "ledger.sqlite").account("a", epsilon=100, delta=1e-4)


def test_answers_where_models_agree_and_nothing_elsewhere():
    asked = voting(random_state=1).fit(X, y)
    assert asked.predict(FAR).tolist() == ["a", "b"] and not asked.private_
    border = np.column_stack([np.zeros(20), np.linspace(-1, 1, 20)])
    answers = asked.predict(border)
    assert None in answers and asked.unstable_left_ < 5
    assert asked.queries_left_ == 40 - 2 - sum(asked.asked_)


def test_every_point_can_be_answered_and_clear_ones_told_apart():
    every = voting(answer="all", confidence=0.9, unstable=None, random_state=1).fit(X, y)
    border = np.column_stack([np.zeros(10), np.linspace(-1, 1, 10)])
    answers = every.predict(np.vstack([FAR, border]))
    assert answers[:2].tolist() == ["a", "b"] and set(answers) <= {"a", "b"}
    assert every.sure_[:2] == [True, True] and not all(every.sure_) and every.queries_left_ == 28
    with pytest.raises(discretion.InputError, match="unstable is for answer"):
        voting(answer="all").fit(X, y)
    with pytest.raises(discretion.Error, match="confidence goes with answer"):
        voting(confidence=0.9).fit(X, y)


def test_rho_pays_where_every_point_is_answered(tmp_path):
    account = discretion.account("rho", rho=2.0, ledger=tmp_path / "ledger.sqlite")
    settings = {"epsilon": None, "delta": None, "rho": 1.0, "unstable": None, "account": account}
    paid = voting(answer="all", **settings).fit(X, y)
    assert paid.predict(FAR).tolist() == ["a", "b"] and account.standing["charges"] == 1
    assert paid.plan(rows=len(X)).designs
    with pytest.raises(discretion.Error, match="an epsilon and a delta"):
        voting(**settings).fit(X, y)


def test_a_rare_class_is_warned_of_and_balanced_scores_rank_it():
    rare = np.where((X[:, 0] > 0.6) & (rng.uniform(size=len(X)) < 0.3), "b", "a")
    with pytest.warns(discretion.Note, match="a majority names the more probable class"):
        voting(expected_share=0.06, random_state=1).fit(X, rare)
    settings = {"answer": "all", "unstable": None, "score_bins": 10, "weights": "balanced"}
    scores = voting(**settings, random_state=1).fit(X, rare).predict([[-0.9, 0.0], [0.9, 0.0]])
    assert scores[0] < 0.3 and scores[1] > 0.5
    with pytest.raises(discretion.InputError, match="weights is"):
        voting(weights="heavy", random_state=1).fit(X, y)


def test_a_session_goes_on_and_an_answer_stays(account):
    first = voting(account=account, estimator=RandomForestClassifier(n_estimators=3)).fit(X, y)
    answers = first.predict(PUBLIC[:10])
    assert first.private_ and account.standing["charges"] == 1
    again = clone(first).fit(X, y)
    assert again.session_.startswith("this goes on") and account.standing["charges"] == 1
    assert again.predict(PUBLIC[:10]).tolist() == answers.tolist() and again.queries_left_ == 30
    with pytest.raises(discretion.Refused, match="new_session=True"):
        clone(first).fit(X[::-1], y[::-1])
    clone(first).set_params(new_session=True).fit(X, y)
    assert account.standing["charges"] == 2
    with pytest.raises(discretion.Refused, match="41 new queries, and this session may still answer 40"):
        clone(first).fit(X, y).predict(rng.uniform(-1, 1, (41, 2)))


def test_the_session_ends_at_its_last_unstable_answer():
    asked = voting(random_state=1, unstable=2).fit(X, y)
    border = np.column_stack([np.zeros(30), np.linspace(-1, 1, 30)])
    asked.predict(border)
    assert asked.unstable_left_ == 0 and not all(asked.asked_)
    assert asked.predict(FAR).tolist() == [None, None], "after the end nothing new is asked"


def test_a_seed_refuses_more_queries_than_are_left_too():
    asked = voting(random_state=1, queries=10).fit(X, y)
    asked.predict(PUBLIC[:8])
    with pytest.raises(discretion.Refused, match="3 new queries, and this session may still answer 2 of its 10"):
        asked.predict(PUBLIC[:11])
    asked.predict(PUBLIC[:10])
    assert asked.queries_left_ == 0


def test_what_is_left_is_known_from_the_start(account):
    asked = voting(account=account).fit(X, y)
    assert (asked.queries_left_, asked.unstable_left_) == (40, 5)
    asked.predict(FAR)
    again = clone(asked).fit(X, y)
    assert (again.queries_left_, again.unstable_left_) == (38, 5)


def test_by_default_fifty_answers_may_be_missing_or_all():
    seen = []
    for settings in ({"unstable": None}, {"unstable": 40}):
        seen.append(voting(**settings, epsilon=20.0, random_state=0).fit(X, y))
    assert seen[0].unstable_left_ == seen[1].unstable_left_ == 40 and seen[0].chunks_ == seen[1].chunks_
    assert voting(unstable=None, queries=500, epsilon=30.0, random_state=0).fit(X, y).unstable_left_ == 50


def test_scoring_asks_and_counts_what_is_not_answered_as_wrong():
    asked = voting(random_state=1).fit(X, y)
    border = np.column_stack([np.zeros(20), np.linspace(-1, 1, 20)])
    points = np.vstack([FAR, border])
    score = asked.score(points, ["a", "b"] + ["a"] * 20)
    answers = asked.predict(points)
    assert None in answers and asked.queries_left_ == 40 - sum(asked.asked_)
    assert score == np.mean([answer == label for answer, label in zip(answers, ["a", "b"] + ["a"] * 20)]) < 1
    with pytest.raises(discretion.InputError, match="scores are no classes"):
        voting(score_bins=4, random_state=0).fit(X, y).score(FAR, ["a", "b"])


@pytest.mark.parametrize("kind", [list, np.array, pandas.Index, pandas.Series, polars.Series])
def test_classes_are_any_sequence(kind):
    asked = voting(classes=kind(["a", "b"]), random_state=0).fit(X, pandas.Series(y, dtype="category"))
    assert asked.predict(FAR).tolist() == ["a", "b"]


def test_frames_with_texts_and_more_classes():
    frame = pandas.DataFrame({"n": X[:, 0], "t": np.where(X[:, 1] > 0, "up", "down")})
    labels = np.select([X[:, 0] > 0.3, X[:, 0] < -0.3], [2, 0], 1)

    class ByNumber(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.inner_ = GaussianNB().fit(X[["n"]], y)
            return self

        def predict(self, X):
            return self.inner_.predict(X[["n"]])

    schema = {"n": (-1, 1), "t": ["up", "down"]}
    asked = voting(estimator=ByNumber(), classes=[0, 1, 2], schema=schema, random_state=0).fit(frame, labels)
    points = pandas.DataFrame({"n": [-0.9, 0.0, 0.9], "t": ["up", "down", "up"]})
    assert asked.predict(points).tolist() == [0, 1, 2]


def test_scores():
    asked = voting(score_bins=4, random_state=0).fit(X, y)
    scores = asked.predict(FAR)
    assert scores[0] < 0.3 and scores[1] > 0.7


def test_a_student_learns_from_the_answers():
    asked = voting(random_state=0).fit(X, y)
    student = asked.student(LogisticRegression(), PUBLIC)
    assert student.score(PUBLIC, np.where(PUBLIC[:, 0] > 0, "b", "a")) > 0.85


class Fails(ClassifierMixin, BaseEstimator):
    """Fails on the chunk that has the marked row, and draws from the shared generator as often as it has such rows."""

    def fit(self, X, y):
        np.random.random(int((X[:, 1] > 10).sum()))
        if (X[:, 1] > 10).any():
            raise ValueError("a row that this learner cannot take")
        self.side_ = np.random.random()
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X[:, 0] > self.side_, "b", "a")


def test_one_row_changes_one_model_and_no_more():
    """Neither a failure nor a draw from numpy's shared generator reaches another chunk's model."""
    other = X.copy()
    other[7, 1] = 11.0
    one = voting(estimator=Fails(), random_state=0).fit(X, y)
    before = np.random.get_state()[1].copy()
    with warnings.catch_warnings():
        # How many failed is for the custodian, who asks for it, and not for whatever collects warnings.
        warnings.simplefilter("error")
        two = voting(estimator=Fails(), random_state=0).fit(other, y)
    assert (one.failed_models_not_private, two.failed_models_not_private) == (0, 1)
    assert not [name for name in vars(two) if "model" in name and not name.startswith("_")]
    assert (np.random.get_state()[1] == before).all(), "the caller's generator is as it was"
    sides = [[getattr(model, "side_", None) for model in vote._models] for vote in (one, two)]
    differ = [place for place, (a, b) in enumerate(zip(*sides, strict=True)) if a != b]
    assert differ == [7 % one.chunks_] and len(set(sides[0])) == one.chunks_


def test_models_stay_where_they_are():
    asked = voting(random_state=0)
    pickle.loads(pickle.dumps(asked))
    with pytest.raises(discretion.InputError, match="not private"):
        pickle.dumps(asked.fit(X, y))


@pytest.mark.parametrize(
    ("settings", "rows", "labels", "sentence", "also"),
    [
        ({"epsilon": None}, X, y, "missing", ValueError),
        ({"delta": None}, X, y, "an epsilon and a delta", ValueError),
        ({"classes": "ab"}, X, y, "list of all labels", TypeError),
        ({"classes": ["a"]}, X, y, "two or more", ValueError),
        ({"classes": ["a", "c"]}, X, y, "other than the classes", ValueError),
        ({"queries": 1.5}, X, y, "whole number", TypeError),
        ({"queries": 0}, X, y, "from 1 on", ValueError),
        ({"miss": 2.0}, X, y, "between 0 and 1", ValueError),
        ({"miss": None}, X, y, "between 0 and 1", ValueError),
        ({"agreement": 0.5}, X, y, "above 0.5 and at most 1", ValueError),
        ({"agreement": 1.1}, X, y, "above 0.5 and at most 1", ValueError),
        ({"classes": {"a", "b"}}, X, y, "list of all labels", TypeError),
        ({"estimator": GaussianNB}, X, y, r"pass an instance of it: GaussianNB\(\)", TypeError),
        ({"estimator": LinearRegression()}, X, y, "a scikit-learn classifier", TypeError),
        ({"estimator": FrozenEstimator(GaussianNB())}, X, y, "share one model", ValueError),
        ({}, scipy.sparse.csr_matrix(X), y, r"X.toarray\(\)", TypeError),
        ({}, polars.LazyFrame({"a": X[:, 0]}), y, r"collect\(\)", TypeError),
        ({}, pandas.Series(X[:, 0]), y, "single column", TypeError),
        ({}, X, [None, *y[1:]], "other than the classes", ValueError),
        ({}, X, pandas.array([None, *y[1:]], dtype="string"), "missing", ValueError),
        ({"classes": (0, 1)}, X, np.where(X[:, 0] > 0, 1, -1), r"classes=\(-1, 1\)", ValueError),
        ({"chunks": 10}, X, y, "too few for this budget", RuntimeError),
        ({}, X[:30], y[:30], "too few", RuntimeError),
        ({}, X, y[:-1], "inconsistent", ValueError),
        ({}, X, y[:, None], "1d", ValueError),
        ({"estimator": "tree"}, X, y, "classifier", TypeError),
        ({"score_bins": 4, "classes": ["a", "b", "c"]}, X, y, "two classes", ValueError),
    ],
)
def test_bad_input_is_refused_with_advice(account, settings, rows, labels, sentence, also):
    with pytest.raises(discretion.Error, match=sentence) as caught, warnings.catch_warnings():
        warnings.simplefilter("error")
        voting(account=account, **settings).fit(rows, labels)
    assert isinstance(caught.value, also) and account.history() == []
