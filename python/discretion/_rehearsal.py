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
    try:
        rows = _invented(X, places, len(classes))
    except Exception:  # Columns of a type that nothing can be cast to.
        return
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
    """Rows from 0 to 10 that tell the classes apart, of the types of the columns of X, of which nothing else is read."""
    draws = np.random.default_rng(0).uniform(0, 1, (len(places), X.shape[1]))
    values = 10 * (places[:, None] + draws) / classes
    if isinstance(X, np.ndarray):
        return _as(values, X.dtype)
    return _MADE[_frames.library(X)](X, values)


def _as(values: np.ndarray, dtype: Any) -> np.ndarray:
    return values > 5 if dtype.kind == "b" else values.astype(dtype)


def _pandas(X: Any, values: np.ndarray) -> Any:
    import pandas

    # By way of numpy's own type, since a nullable column of whole numbers takes no others.
    plain = [np.dtype({"b": bool, "f": float}.get(dtype.kind, int)) for dtype in X.dtypes]
    columns = [pandas.Series(_as(*one)) for one in zip(values.T, plain, strict=True)]
    frame = pandas.concat([column.astype(dtype) for column, dtype in zip(columns, X.dtypes, strict=True)], axis=1)
    frame.columns = X.columns
    return frame


def _polars(X: Any, values: np.ndarray) -> Any:
    import polars

    columns = [polars.Series(name, column) for name, column in zip(X.columns, values.T, strict=True)]
    kinds = zip(columns, X.dtypes, strict=True)
    return polars.DataFrame([column > 5 if kind == polars.Boolean else column.cast(kind) for column, kind in kinds])


def _pyarrow(X: Any, values: np.ndarray) -> Any:
    import pyarrow

    def column(numbers: np.ndarray, kind: Any) -> Any:
        return pyarrow.array(numbers > 5) if str(kind) == "bool" else pyarrow.array(numbers).cast(kind, safe=False)

    return pyarrow.table(list(map(column, values.T, X.schema.types)), schema=X.schema)


_MADE = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}
