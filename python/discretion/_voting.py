"""Private answers from any classifier: many models, each trained on its own rows, vote on public points."""

from __future__ import annotations

import hashlib
import os
import secrets
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _ballots, _check, _discretion, _labels, _ledger, _points
from ._errors import InputError, Note, Refused
from ._estimator import PaidFitMixin
from ._frames import rows_of
from ._ledger import Account
from ._rehearsal import rehearse
from ._vote_types import VoteTypes
from ._voting_checks import check_estimator, checked_classes

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._plan import VotePlan
    from ._schema import Schema


_MOST_UNSTABLE = 50


class PrivateVoting(PaidFitMixin, ClassifierMixin, BaseEstimator):
    """Answers about public points from any scikit-learn classifier, under differential privacy.

    `fit` opens a session, which the account pays at once, cuts the rows into chunks and trains one model on each. `predict`
    asks all models: where they agree so clearly that no one row could change it, as far as noise can tell, their answer
    leaves; elsewhere there is none. With ``answer="all"`` every point gets an answer, from noisy counts. All answers of a
    session together cost what was charged.

    Numbers need no bounds, because only votes are counted; the price is that every model sees only its own chunk.

    Parameters
    ----------
    estimator : classifier
        What is trained on each chunk. It is cloned, and its models must not share anything, not even a file. What
        one raises costs its own vote; what ends its process, or never ends, ends the run.
    epsilon, delta, rho : float
        What the session may spend: epsilon and delta, or with ``answer="all"`` rho in their place.
    queries : int
        How many different points may be asked about in all.
    answer : {"sure", "all"}
        Which of them are answered: those whose winner is clear, or all. Take "all" where rows are few.
    confidence : float or None
        With ``answer="all"``: `sure_` says which labels lead clearly. With 0.99, a label that does not have the most votes is
        called sure once in a hundred times at most. It costs nothing more.
    unstable : int or None
        How many may be left without an answer before the session ends; by default 50, or all queries if fewer. Fewer need
        fewer models.
    classes : sequence
        All labels, which are public.
    schema : dict, Schema or path
        What the columns of a frame are: bounds, lists of values, dates. Models then see numbers, clipped to their bounds, and
        categories with exactly these values; what is not declared is missing. It is needed where a column holds anything but
        numbers: what a library says of such a column depends on all rows, and one row would change every model.
    chunks : int or None
        The number of models; by default as many as it takes to answer where `agreement` of them agree.
    agreement, miss : float
        Points on which this share of the models agree, more than half, are all answered, but for a probability of `miss`.
    score_bins : int or None
        Answer with the positive class's probability, to 1/score_bins, in place of a label. For two classes.
    weights : {"equal", "balanced"}
        "balanced" repeats rows of rarer classes within each chunk until all classes have about as many. Scores then rank and
        are no probabilities.
    expected_share : float or None
        What share of the rows you think has the rarer class. Only warnings depend on it.
    account : Account or str
        Who pays, as for `LogisticRegression`. With the same account, table and settings a session goes on where it was:
        nothing is charged again, and what was answered before is answered again for nothing.
    new_session : bool
        Charge a new session although there is one.
    n_jobs : int or None
        Processes of joblib that train and vote. They are processes whatever joblib is configured to.
    rehearse : bool
        Try the estimator on invented rows before anything is charged, if all columns are numbers.
    accept_check : bool
        Go on although all labels are of one class, which looks like a mistake.
    random_state : int, RandomState or None
        Makes results repeatable and therefore **not private**; nothing is charged.

    Attributes
    ----------
    chunks_ : int
        The number of models.
    queries_left_, unstable_left_ : int
        What the session may still do.
    sure_ : list of bool
        Of the points of the last `predict`: which have an answer that is sure.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
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

    # Part of a session's name: who has other rows' digests goes on with other sessions.
    _made_by = "python"
    _of_a_fit = (*PaidFitMixin._of_a_fit, "_session", "_models", "_columns", "_types", "_asked", "_failed")

    def __init__(
        self,
        estimator: Any,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        queries: int = 1000,
        answer: Literal["sure", "all"] = "sure",
        confidence: float | None = None,
        unstable: int | None = None,
        classes: Sequence[Any] = (0, 1),
        schema: Schema | dict[str, Any] | str | os.PathLike[str] | None = None,
        chunks: int | None = None,
        agreement: float | None = None,
        miss: float = 0.05,
        score_bins: int | None = None,
        weights: Literal["equal", "balanced"] = "equal",
        expected_share: float | None = None,
        account: Account | str | None = None,
        new_session: bool = False,
        n_jobs: int | None = None,
        rehearse: bool = True,
        accept_check: bool = False,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.queries = queries
        self.answer = answer
        self.confidence = confidence
        self.unstable = unstable
        self.classes = classes
        self.schema = schema
        self.chunks = chunks
        self.agreement = agreement
        self.miss = miss
        self.score_bins = score_bins
        self.weights = weights
        self.expected_share = expected_share
        self.account = account
        self.new_session = new_session
        self.n_jobs = n_jobs
        self.rehearse = rehearse
        self.accept_check = accept_check
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, person: Any = None) -> Self:
        """Charges the account, or finds the session that was charged, and trains a model on each chunk of the rows.

        With `person`, one identifier for each row or the name of a column of a frame, which models then do not see, chunks are of
        whole persons, and the guarantee is about a person with all rows, however many. Identifiers are not kept.
        """
        with self._anew():
            spend = _check.budget(self.epsilon, self.delta, self.rho, "what the session may spend")
            seed = _check.seed(self.random_state)
            classes = checked_classes(self.classes, self.score_bins)
            check_estimator(self.estimator, self.score_bins)
            covered = self._check_pipeline()
            types = VoteTypes(self.schema)
            whose = None
            if person is not None:
                X, whose = _points.persons_of(_points.table(X), person)
            rows = self._rows(X, y, classes, types)
            if whose is not None and len(whose) != rows.rows:
                raise InputError("X and person have different numbers of rows; pass one identifier for each row")
            payer, self._account = _ledger.payer(self.account, seed, spend)
            if whose is not None:
                rows.group(*_discretion.persons_in_order(payer=payer, persons=whose))
            session = self._session_of(payer, spend, rows, classes, whose is not None, types)
            if session.advice:
                warnings.warn(session.advice, Note, stacklevel=2)
            if self.rehearse:
                rehearse(self.estimator, rows.example, classes, self._positive(classes))
            opened = session.open(bool(self.new_session))
            # Each model has randomness of its own: with one stream for all, a row could change every model after its own.
            seeds = [secrets.randbits(31) if seed is None else (seed + 1_000_003 * j) % 2**31 for j in range(session.chunks)]
            self._models = rows.models(self.estimator, seeds, self.n_jobs, self.weights == "balanced")
            self._failed = sum(model is None for model in self._models)
            self._remember(session, rows.columns, classes, types)
            self.session_, self.private_ = opened, seed is None and covered
        return self

    def plan(self, rows: int) -> VotePlan:
        """Says how many models `fit` would train on so many rows, or persons, and what is left of them for each. Nothing is spent."""
        from ._plan import plan_vote

        return plan_vote(
            epsilon=self.epsilon,
            delta=self.delta,
            rho=self.rho,
            queries=self.queries,
            answer=self.answer,
            confidence=self.confidence,
            unstable=self.unstable,
            miss=self.miss,
            agreement=self.agreement,
            scores=self.score_bins is not None,
            rows=rows,
            chunks=self.chunks,
        )

    def _rows(self, X: Any, y: Any, classes: np.ndarray, types: VoteTypes) -> Any:
        """The rows, checked: how many, their columns, their digest, and their models."""
        X = types.of(_points.table(X))
        _check.ours(lambda: check_consistent_length(X, y))
        found = _labels.places(_labels.one_each(y), classes, "classes=")
        _labels.stop_at_mistakes(_labels.counts(found, classes), classes, self.accept_check)
        return _ballots.TrainingRows(X, classes[found])

    def _session_of(self, payer: Any, spend: tuple, rows: Any, classes: np.ndarray, of_persons: bool, types: VoteTypes) -> Any:
        queries = _check.whole("queries", self.queries, 1)
        unstable = min(_MOST_UNSTABLE, queries) if self.unstable is None else _check.whole("unstable", self.unstable, 1)
        agreement, miss = _check.number("agreement", self.agreement), _check.number("miss", self.miss)
        if agreement is not None and not 0.5 < agreement <= 1:
            raise InputError(f"agreement is the winner's share of the votes, above 0.5 and at most 1, not {agreement}")
        if miss is None or not 0 < miss <= 1:
            raise InputError(f"miss is between 0 and 1, not {miss}")
        _check.one_of("weights", self.weights, ("equal", "balanced"))
        if self.answer == "all" and self.unstable is not None:
            raise InputError('unstable is for answer="sure": where every point is answered none is unstable; leave it out')
        share = _check.number("expected_share", self.expected_share)
        if share is not None and not 0 < share <= 0.5:
            raise InputError(f"expected_share is above 0 and at most 0.5, not {share}")
        numbers = {
            "queries": queries,
            "unstable": unstable,
            "chunks": None if self.chunks is None else _check.whole("chunks", self.chunks, 1),
            "agreement": agreement,
            "miss": miss,
            "score_bins": None if self.score_bins is None else _check.whole("score_bins", self.score_bins, 2),
        }
        # What later versions added is part of the name where it is not as ever, so that old sessions are found again.
        newer = {"answer": self.answer, "confidence": _check.number("confidence", self.confidence)}
        named = numbers | {name: value for name, value in newer.items() if value not in ("sure", None)}
        named |= {"weights": self.weights} if self.weights != "equal" else {}
        named |= {"of_persons": True} if of_persons else {}
        named |= types.written
        return _discretion.Session(
            payer=payer,
            spend=spend,
            classes=len(classes),
            balanced=self.weights == "balanced",
            expected_share=share,
            **newer,
            rows=rows.rows,
            of_persons=of_persons,
            key=self._key(named, rows.columns, classes, spend),
            digest=rows.digest,
            **numbers,
        )

    def _key(self, numbers: dict[str, Any], columns: Any, classes: np.ndarray, spend: tuple) -> str:
        """A name for the session that these settings make. Everything in it is public."""
        kind = f"{type(self.estimator).__module__}.{type(self.estimator).__qualname__}"
        settings = sorted((name, repr(value)) for name, value in self.estimator.get_params().items())
        text = repr((self._made_by, kind, settings, sorted(numbers.items()), columns.names, classes.tolist(), spend))
        return hashlib.sha256(text.encode()).hexdigest()

    def _remember(self, session: Any, columns: Any, classes: np.ndarray, types: VoteTypes) -> None:
        self._session, self._columns, self._types, self._asked = session, columns, types, set()
        self.classes_, self.chunks_, self.n_features_in_ = classes, session.chunks, len(columns.numbers)
        if columns.names is not None:
            self.feature_names_in_ = np.array(columns.names, dtype=object)
        # To ask nothing costs nothing, and tells what is left.
        nothing = np.zeros((self.chunks_, 0), dtype=self._type_of_votes())
        _, _, _, self.queries_left_, self.unstable_left_ = session.answer([], nothing)

    def predict(self, X: Any) -> np.ndarray:
        """The answer about each point: its class, or its score, and None (for scores NaN) where there is none.

        A point counts as one of `queries` when it is asked for the first time; more new points than are left are refused.
        After the last unstable answer, points that are new are not asked any more and have no answer either.
        """
        check_is_fitted(self, "_session")
        X = _points.table(X)
        if self.schema is None:
            self._columns.check(_points.columns_of(X))
        X = self._types.of(X)
        self._columns.check(_points.columns_of(X))
        names = _points.names_of(X, self._columns)
        self._check_queries(set(names))
        told = _ballots.votes(self._models, X, self.classes_, self._positive(self.classes_), self.n_jobs)
        self._failed = sum(votes is None for votes in told)
        # A model that failed votes the first class, or 0.
        votes = np.zeros((self.chunks_, len(names)), dtype=self._type_of_votes())
        for row, said in zip(votes, told, strict=True):
            row[:] = 0 if said is None else said
        answers, self.asked_, self.sure_, self.queries_left_, self.unstable_left_ = self._session.answer(names, votes)
        self._asked.update(name for name, asked in zip(names, self.asked_, strict=True) if asked)
        if self.score_bins is not None:
            return np.array([np.nan if answer is None else answer for answer in answers])
        if None not in answers:
            return self.classes_[np.array(answers, dtype=int)]
        told = np.full(len(answers), None, dtype=object)
        for place, answer in enumerate(answers):
            if answer is not None:
                told[place] = self.classes_[int(answer)]
        return told

    def _check_queries(self, names: set[str]) -> None:
        """Refuses under a seed what the ledger refuses without one."""
        new = len(names - self._asked)
        if self._account is None and new > self.queries_left_:
            raise Refused(
                f"there are {new} new queries, and this session may still answer {self.queries_left_} of its {self.queries}; "
                "ask fewer, or fit with more queries"
            )

    def _positive(self, classes: np.ndarray) -> Any:
        return None if self.score_bins is None else classes[1]

    def _type_of_votes(self) -> Any:
        return np.uint16 if self.score_bins is None else np.float32

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of points whose answer is their label. A point without an answer counts as wrong.

        **It asks**: every point that is new is one of `queries`. X and y are public, as all points are.
        """
        check_is_fitted(self, "_session")
        if self.score_bins is not None:
            raise InputError("scores are no classes; leave score_bins out, or compare what predict says with y")
        y = _labels.one_each(y)
        _check.ours(lambda: check_consistent_length(X, y, sample_weight))
        right = [answer is not None and bool(answer == label) for answer, label in zip(self.predict(X), y, strict=True)]
        return float(np.average(right, weights=sample_weight))

    @property
    def failed_models_not_private(self) -> int:
        """How many models failed, at `fit` or when they were last asked, and vote the first class.

        **For the custodian alone**: it depends on the rows, and no noise covers it. Do not publish it, nor anything that
        was decided by it.
        """
        check_is_fitted(self, "_session")
        return self._failed

    def student(self, estimator: Any, X: Any) -> Any:
        """Trains a classifier on public points and the answers about them. It is private too, and costs nothing more."""
        if self.score_bins is not None:
            raise InputError("a student learns from labels; leave score_bins out")
        answers = self.predict(X)
        known = np.array([answer is not None for answer in answers])
        if len({answer for answer in answers if answer is not None}) < 2:
            raise InputError("the answers are all of one class, or there are none, so there is nothing for a student to learn")
        labels = np.array(answers[known].tolist(), dtype=self.classes_.dtype)
        return clone(estimator).fit(rows_of(X, np.flatnonzero(known)), labels)

    def __getstate__(self):
        if hasattr(self, "_session"):
            raise InputError(
                "the models of a vote are not private and stay where they are; publish the answers, or a student's model"
            )
        return super().__getstate__()
