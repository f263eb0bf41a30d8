"""A learner is tried on invented rows before anything is charged: whatever fails there fails on every chunk."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _ballots, _frames, _points
from ._errors import InputError


def rehearse(estimator: Any, X: Any, classes: np.ndarray, positive: Any) -> None:
    """Trains and asks a model of invented rows with the columns of X. Tables that hold more than numbers are passed over."""
    columns = _points.columns_of(X)
    if not all(columns.numbers) or not (isinstance(X, np.ndarray) or _frames.library(X) in _MADE):
        return
    places = np.arange(max(10 * len(classes), 50)) % len(classes)
    rows = _invented(X, places, len(classes))
    try:
        model = _ballots.train(estimator, rows, classes[places], seed=0)
        _ballots.vote(model, rows[: 2 * len(classes)], classes, positive)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
        raise InputError(
            f"this estimator fails on invented rows: {said}; nothing was charged; rehearse=False skips this"
        ) from error


def _invented(X: Any, places: np.ndarray, classes: int) -> Any:
    """Rows from 0 to 10 that tell the classes apart, in columns named as those of X, of which nothing else is read."""
    draws = np.random.default_rng(0).uniform(0, 1, (len(places), X.shape[1]))
    values = 10 * (places[:, None] + draws) / classes
    return values if isinstance(X, np.ndarray) else _MADE[_frames.library(X)](X, values)


def _pandas(X: Any, values: np.ndarray) -> Any:
    import pandas

    return pandas.DataFrame(values, columns=X.columns)


def _polars(X: Any, values: np.ndarray) -> Any:
    import polars

    return polars.DataFrame(dict(zip(X.columns, values.T, strict=True)))


def _pyarrow(X: Any, values: np.ndarray) -> Any:
    import pyarrow

    return pyarrow.table(dict(zip(X.column_names, values.T, strict=True)))


_MADE = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}
