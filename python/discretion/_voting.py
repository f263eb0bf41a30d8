"""Private answers from any classifier: many models, each trained on its own rows, vote on public points."""

from __future__ import annotations

import contextlib
import hashlib
import random
import secrets
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from . import _check, _discretion, _ledger
from ._errors import InputError, InputTypeError, Note
from ._ledger import Account


class PrivateVoting(ClassifierMixin, BaseEstimator):
    """Answers about public points from any scikit-learn classifier, under differential privacy.

    `fit` opens a session, which the account pays at once, cuts the rows into chunks and trains one model on each. `predict`
    asks all models: where they agree so clearly that no one row could change it, as far as noise can tell, their answer
    leaves; elsewhere there is none. All answers of a session together cost what was charged.

    Nothing needs bounds, because only votes are counted; the price is that every model sees only its own chunk.

    Parameters
    ----------
    estimator : classifier
        What is trained on each chunk. It is cloned, and its models must not share anything, not even a file.
    epsilon, delta : float
        What the session may spend.
    queries : int
        How many different points may be asked about in all.
    unstable : int
        How many may be left without an answer before the session ends. Fewer need fewer models.
    classes : list
        All labels, which are public.
    chunks : int or None
        The number of models; by default as many as it takes to answer where `agreement` of them agree.
    agreement, miss : float
        Points on which this share of the models agree are all answered, but for a probability of `miss`.
    score_bins : int or None
        Answer with the positive class's probability, to 1/score_bins, in place of a label. For two classes.
    account : Account or str
        Who pays, as for `LogisticRegression`. With the same account, table and settings a session goes on where it was:
        nothing is charged again, and what was answered before is answered again for nothing.
    new_session : bool
        Charge a new session although there is one.
    n_jobs : int or None
        Processes of joblib that train and vote.
    random_state : int, RandomState or None
        Makes results repeatable and therefore **not private**; nothing is charged.

    Attributes
    ----------
    chunks_ : int
        The number of models.
    queries_left_, unstable_left_ : int
        What the session may still do.
    private_ : bool
        Whether anything is promised.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (20_000, 2)); y = (X[:, 0] > 0).astype(int)
    >>> voting = PrivateVoting(DecisionTreeClassifier(max_depth=1), epsilon=2.0, delta=1e-6, queries=50, unstable=2,
    ...                        random_state=0)
    >>> voting.fit(X, y).predict([[-0.9, 0.0], [0.9, 0.0]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        estimator: Any,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        queries: int = 1000,
        unstable: int = 50,
        classes: Sequence[Any] = (0, 1),
        chunks: int | None = None,
        agreement: float | None = None,
        miss: float = 0.05,
        score_bins: int | None = None,
        account: Account | str | None = None,
        new_session: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.epsilon = epsilon
        self.delta = delta
        self.queries = queries
        self.unstable = unstable
        self.classes = classes
        self.chunks = chunks
        self.agreement = agreement
        self.miss = miss
        self.score_bins = score_bins
        self.account = account
        self.new_session = new_session
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> PrivateVoting:
        """Charges the account, or finds the session that was charged, and trains a model on each chunk of the rows."""
        spend = _check.budget(self.epsilon, self.delta, None, "what the session may spend")
        seed = _check.seed(self.random_state)
        classes = self._checked_classes()
        y = self._checked_rows(X, y, classes)
        payer, self._account = _ledger.payer(self.account, seed, spend)
        self._session = _discretion.Session(
            payer=payer,
            spend=spend,
            queries=_check.whole("queries", self.queries, 1),
            unstable=_check.whole("unstable", self.unstable, 1),
            chunks=None if self.chunks is None else _check.whole("chunks", self.chunks, 1),
            agreement=self._share("agreement", self.agreement),
            miss=self._share("miss", self.miss),
            score_bins=None if self.score_bins is None else _check.whole("score_bins", self.score_bins, 2),
            classes=len(classes),
            rows=len(y),
            key=self._key(classes, spend),
            digest=_digest(X, y),
        )
        if self._session.advice:
            warnings.warn(self._session.advice, Note, stacklevel=2)
        self.session_ = self._session.open(bool(self.new_session))
        self.classes_, self.private_, self.chunks_ = classes, seed is None, self._session.chunks
        self._train(X, y, seed)
        return self

    def _train(self, X: Any, y: np.ndarray, seed: int | None) -> None:
        chunks = self.chunks_
        # Each model has randomness of its own: with a stream shared by all, one row could change every model after its own.
        seeds = [secrets.randbits(31) if seed is None else (seed + 1_000_003 * j) % 2**31 for j in range(chunks)]
        own = [slice(chunk, None, chunks) for chunk in range(chunks)]
        with_own = ((_safe_indexing(X, _positions(rows, len(y))), y[rows]) for rows in own)
        work = (delayed(_train_one)(self.estimator, *rows, seed) for rows, seed in zip(with_own, seeds, strict=True))
        self.models_ = Parallel(n_jobs=self.n_jobs)(work)
        self._say_what_failed(sum(model is None for model in self.models_))

    def predict(self, X: Any) -> np.ndarray:
        """The answer about each point: its class, or its score, and None (for scores NaN) where there is none.

        A point counts as one of `queries` when it is asked for the first time. After the last of them, or the last unstable
        one, points that are new are not asked any more and have no answer either.
        """
        check_is_fitted(self, "models_")
        names = _names(X)
        failed = 0
        votes = np.zeros((self.chunks_, len(names)), dtype=np.uint16 if self.score_bins is None else np.float32)
        positive = None if self.score_bins is None else self.classes_[1]
        ask = (delayed(_vote)(model, X, self.classes_, positive) for model in self.models_)
        for row, told in zip(votes, Parallel(n_jobs=self.n_jobs)(ask), strict=True):
            # A model that failed votes the first class, or 0.
            failed += told is None
            row[:] = 0 if told is None else told
        self._say_what_failed(failed)
        answers, self.asked_, self.queries_left_, self.unstable_left_ = self._session.answer(names, votes)
        if self.score_bins is not None:
            return np.array([np.nan if answer is None else answer for answer in answers])
        if None not in answers:
            return self.classes_[np.array(answers, dtype=int)]
        told = np.full(len(answers), None, dtype=object)
        for place, answer in enumerate(answers):
            if answer is not None:
                told[place] = self.classes_[int(answer)]
        return told

    def student(self, estimator: Any, X: Any) -> Any:
        """Trains a classifier on public points and the answers about them. It is private too, and costs nothing more."""
        if self.score_bins is not None:
            raise InputError("a student learns from labels; leave score_bins out")
        answers = self.predict(X)
        known = np.array([answer is not None for answer in answers])
        if len({answer for answer in answers if answer is not None}) < 2:
            raise InputError("the answers are all of one class, or there are none, so there is nothing for a student to learn")
        labels = np.array(answers[known].tolist(), dtype=self.classes_.dtype)
        return clone(estimator).fit(_safe_indexing(X, np.flatnonzero(known)), labels)

    def _checked_classes(self) -> np.ndarray:
        if isinstance(self.classes, str) or not isinstance(self.classes, (Sequence, np.ndarray)):
            raise InputTypeError(f"classes is the list of all labels, not {self.classes!r}")
        classes = np.asarray(self.classes)
        if classes.ndim != 1 or len(classes) < 2 or len(set(classes.tolist())) < len(classes):
            raise InputError(f"classes are two or more different labels, not {self.classes!r}")
        if self.score_bins is not None and len(classes) != 2:
            raise InputError("scores are for two classes; leave score_bins out")
        if not hasattr(self.estimator, "fit") or not hasattr(self.estimator, "get_params"):
            raise InputTypeError(f"estimator is a scikit-learn classifier, not {self.estimator!r}")
        if self.score_bins is not None and not hasattr(self.estimator, "predict_proba"):
            raise InputError("this estimator has no predict_proba, which scores need; leave score_bins out")
        return classes

    def _checked_rows(self, X: Any, y: Any, classes: np.ndarray) -> np.ndarray:
        y = np.asarray(y)
        if y.ndim != 1:
            raise InputError(f"y should be a 1d array, got an array of shape {y.shape} instead")
        _check.ours(lambda: check_consistent_length(X, y))
        if not np.isin(y, classes).all():
            raise InputError(f"y has labels other than the classes {classes.tolist()}; pass classes=, which are public")
        return y

    def _share(self, name: str, value: float | None) -> float | None:
        value = _check.number(name, value)
        if value is not None and not 0 < value <= 1:
            raise InputError(f"{name} is between 0 and 1, not {value}")
        return value

    def _key(self, classes: np.ndarray, spend: tuple) -> str:
        """A name for the session that these settings make. Everything in it is public."""
        kind = f"{type(self.estimator).__module__}.{type(self.estimator).__qualname__}"
        settings = sorted((name, repr(value)) for name, value in self.estimator.get_params().items())
        session = (self.chunks, self.queries, self.unstable, self.agreement, self.miss, self.score_bins)
        text = repr(("python", kind, settings, session, classes.tolist(), spend))
        return hashlib.sha256(text.encode()).hexdigest()

    def _say_what_failed(self, failed: int) -> None:
        if failed:
            warnings.warn(
                f"NOT PRIVATE, for you alone: {failed} of {self.chunks_} models failed and vote the first class",
                Note,
                stacklevel=3,
            )

    def __getstate__(self):
        if hasattr(self, "_session"):
            raise InputError(
                "the models of a vote are not private and stay where they are; publish the answers, or a student's model"
            )
        return super().__getstate__()


def _train_one(estimator: Any, X: Any, y: np.ndarray, seed: int) -> Any:
    """A model, or None if it cannot be trained."""
    with _own_randomness(seed), warnings.catch_warnings():
        # What a learner warns about depends on its rows.
        warnings.simplefilter("ignore")
        try:
            model = clone(estimator)
            states = [name for name in model.get_params() if name == "random_state" or name.endswith("__random_state")]
            return model.set_params(**dict.fromkeys(states, seed)).fit(X, y)
        except Exception:  # Whatever a learner raises costs its own vote and nothing else.
            return None


def _vote(model: Any, X: Any, classes: np.ndarray, positive: Any) -> np.ndarray | None:
    """A model's vote about each point: the number of the class, or the positive class's score."""
    if model is None:
        return None
    with _own_randomness(0), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if positive is not None:
                known = [label == positive for label in model.classes_]
                if not any(known):
                    return np.zeros(_num_samples(X), dtype=np.float32)
                return np.asarray(model.predict_proba(X), dtype=np.float32)[:, known.index(True)]
            said = np.asarray(model.predict(X))
            votes = np.zeros(_num_samples(X), dtype=np.uint16)
            for number, label in enumerate(classes):
                votes[said == label] = number
            return votes
        except Exception:
            return None


@contextlib.contextmanager
def _own_randomness(seed: int) -> Iterator[None]:
    """What a learner draws from the shared generators depends on its chunk alone, and is put back."""
    python, shared = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(shared)


def _positions(rows: slice, count: int) -> np.ndarray:
    return np.arange(*rows.indices(count))


def _names(X: Any) -> list[str]:
    """A name for each point, made of what it holds. A point is one query, however often it is asked."""
    array = _canonical(X)
    texts = (row.tobytes() if array.dtype.kind == "f" else repr(row.tolist()).encode() for row in array)
    return [hashlib.sha256(text).hexdigest() for text in texts]


def _digest(X: Any, y: np.ndarray) -> bytes:
    """Of the rows, for the ledger, which keeps it under its own key."""
    array = _canonical(X)
    digest = hashlib.sha256(array if array.dtype.kind == "f" else repr(array.tolist()).encode())
    digest.update(repr(y.tolist()).encode())
    return digest.digest()


def _canonical(X: Any) -> np.ndarray:
    """The values of a table: numbers as float64, with one zero and one "not a number", or anything as objects."""
    array = np.asarray(X)
    if array.ndim != 2:
        raise InputError(f"points are rows of a table, and this has the shape {array.shape}; one point is [[…]]")
    if array.dtype.kind not in "fiub":
        return array
    array = array.astype(np.float64) + 0.0
    return np.ascontiguousarray(np.where(np.isnan(array), np.nan, array))
