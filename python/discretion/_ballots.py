"""One model for each chunk, and its votes. One row changes one model, and no model changes another one."""

from __future__ import annotations

import contextlib
import random
import threading
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from . import _progress
from ._points import columns_of, digest, own_copy, piece

# Python and numpy have one generator each for the whole process.
_shared_generators = threading.RLock()


class TrainingRows:
    """Rows in memory: how many, or of how many persons, their columns and their digest, and a model for each chunk of them."""

    _of_persons: tuple[np.ndarray, np.ndarray] | None = None

    def __init__(self, X: Any, y: np.ndarray):
        self.example, self._y, self.rows = X, y, len(y)
        self.columns, self.digest = columns_of(X), digest(X, y)

    def group(self, order: list[int], starts: list[int], digest: bytes) -> None:
        """Chunks are of whole persons from here on: their rows one person after the other, and where each one's begin."""
        self._of_persons, self.rows = (np.asarray(order, dtype=int), np.asarray(starts, dtype=int)), len(starts) - 1
        self.digest += digest

    def _chunk(self, units: np.ndarray) -> np.ndarray:
        if self._of_persons is None:
            return units
        order, starts = self._of_persons
        return np.concatenate([order[starts[unit] : starts[unit + 1]] for unit in units])

    def models(self, estimator: Any, seeds: list[int], n_jobs: int | None, balanced: bool) -> list[Any]:
        """A model for each seed, trained on the rows of its chunk; None for one that failed."""
        chunks = (self._chunk(np.arange(chunk, self.rows, len(seeds))) for chunk in range(len(seeds)))
        if balanced:
            chunks = (rows[copies(self._y[rows])] for rows in chunks)
        own = ((piece(self.example, rows), self._y[rows]) for rows in chunks)
        work = (delayed(train_one)(estimator, *rows, seed) for rows, seed in zip(own, seeds, strict=True))
        return _apart(n_jobs, work, len(seeds), "training models")


# A row is repeated so often at most, so that a chunk with a single row of a class stays small.
_MOST_COPIES = 100


def copies(y: np.ndarray) -> np.ndarray:
    """The places of a chunk's rows, those of rarer classes so often that all classes have about as many."""
    _, of, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(counts) == 0:
        return np.arange(0)
    times = np.clip((counts.max() + counts // 2) // counts, 1, _MOST_COPIES)
    return np.repeat(np.arange(len(y)), times[of])


def votes(models: list[Any], X: Any, classes: np.ndarray, positive: Any, n_jobs: int | None) -> list[np.ndarray | None]:
    """What each model says about each point; None for one that failed."""
    return _apart(n_jobs, (delayed(_vote_one)(model, X, classes, positive) for model in models), len(models), "asking models")


def _apart(n_jobs: int | None, work: Iterable[Any], count: int, what: str) -> list[Any]:
    # In processes, whatever is configured outside: threads would share numpy's and Python's generators.
    done = Parallel(n_jobs=n_jobs, backend="loky", return_as="generator")(work)
    return list(_progress.counted(done, count, what))


def train_one(estimator: Any, X: Any, y: np.ndarray, seed: int) -> Any:
    """A model of these rows; None if it failed."""
    try:
        return train(estimator, X, y, seed)
    except KeyboardInterrupt:
        raise
    except BaseException:  # Whatever a learner raises, SystemExit too, costs its own vote and nothing else.
        return None


def _vote_one(model: Any, X: Any, classes: np.ndarray, positive: Any) -> np.ndarray | None:
    if model is None:
        return None
    try:
        return vote(model, X, classes, positive)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None


def train(estimator: Any, X: Any, y: np.ndarray, seed: int) -> Any:
    """A model of these rows, and of this seed wherever it draws. It may write to its rows."""
    X, y = own_copy(X), own_copy(y)
    with _alone(seed):
        model = clone(estimator)
        states = [name for name in model.get_params() if name == "random_state" or name.endswith("__random_state")]
        return model.set_params(**dict.fromkeys(states, seed)).fit(X, y)


def vote(model: Any, X: Any, classes: np.ndarray, positive: Any) -> np.ndarray:
    """A model's vote about each point: the number of the class, or the positive class's score. It may write to its X."""
    count, X = X.shape[0], own_copy(X)
    with _alone(0):
        if positive is not None:
            known = [bool(label == positive) for label in model.classes_]
            scores = _of_shape((count, len(known)), np.asarray(model.predict_proba(X), dtype=np.float32))
            return scores[:, known.index(True)] if any(known) else np.zeros(count, dtype=np.float32)
        said = _of_shape((count,), np.asarray(model.predict(X)))
    given = np.zeros(count, dtype=np.uint16)
    for number, label in enumerate(classes):
        given[np.asarray(said == label, dtype=bool)] = number
    return given


def _of_shape(shape: tuple[int, ...], array: np.ndarray) -> np.ndarray:
    if array.shape != shape:
        raise ValueError(f"it answers with the shape {array.shape} where {shape} is due")
    return array


@contextlib.contextmanager
def _alone(seed: int) -> Iterator[None]:
    """What a learner draws from the shared generators depends on its chunk alone, and is put back.

    Its warnings, which depend on its rows, go nowhere.
    """
    with _shared_generators, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        python, shared = random.getstate(), np.random.get_state()
        random.seed(seed)
        np.random.seed(seed)
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(shared)
