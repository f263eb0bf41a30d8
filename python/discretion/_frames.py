"""What a frame is, and what to do with things that nearly are one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from sklearn.utils import _safe_indexing

from ._errors import Error, InputError, InputTypeError


def is_frame(X: Any) -> bool:
    """Whether X has named columns that Arrow can read. What is a single column, not there yet, or somewhere else is refused."""
    if type(X).__name__ == "LazyFrame" and hasattr(X, "collect"):
        raise InputTypeError("a LazyFrame holds no rows yet; collect() it first")
    if _is_one_column(X):
        raise InputTypeError("X is a single column, and a table is needed; pass a frame, such as X.to_frame()")
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise InputTypeError("X is a sparse matrix, and rows are encoded whole, zeros and all; pass X.toarray()")
    if isinstance(X, (str, bytes, os.PathLike)):
        raise InputTypeError("X is a table and not the name of a file; read it first, such as with pandas.read_csv")
    elsewhere = _ELSEWHERE.get(library(X))
    if elsewhere is not None and hasattr(X, "columns"):
        raise InputTypeError(f"X is a table of {elsewhere}")
    return hasattr(X, "__arrow_c_stream__") or is_scanned(X)


# Tables whose rows are with others, by the package that they are from.
_ELSEWHERE = {
    "pyspark": "Spark; the estimators of discretion.spark leave its rows where they are, or pass X.toPandas()",
    "dask": "Dask; the estimators of discretion.dask leave its rows where they are, or pass X.compute()",
    "dask_expr": "Dask; the estimators of discretion.dask leave its rows where they are, or pass X.compute()",
}


def is_scanned(X: Any) -> bool:
    """Whether X is a Dataset or a Scanner of pyarrow, which is read from its files as it is needed."""
    return library(X) == "pyarrow" and (hasattr(X, "scanner") or hasattr(X, "to_reader")) and hasattr(X, "to_table")


def pandas_for(what: str) -> Any:
    """pandas, which is optional."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f'{what} needs pandas: pip install "discretion[frames]"') from error
    return pandas


def _is_one_column(X: Any) -> bool:
    # pandas' and polars' Series have a shape of one number, pyarrow's arrays none.
    series = library(X) in ("pandas", "polars") and len(getattr(X, "shape", (0, 0))) == 1
    return series or (hasattr(X, "null_count") and hasattr(X, "to_pylist") and not hasattr(X, "column_names"))


def column(X: Any, name: str) -> Any:
    """The values of one column of a frame, or of a level of its index."""
    if is_scanned(X):
        X = X.to_table(columns=[name]) if hasattr(X, "scanner") else X.to_table()
    frame = X
    if library(X) == "pandas" and name in X.index.names and name not in X.columns:
        frame = X.index.to_frame(index=False)
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    if names is None:
        raise InputTypeError(f"the column {name!r} cannot be read from this table; pass it as y")
    if name not in names:
        raise InputError(f"this frame has no column {name!r}")
    return frame[name].to_numpy()


def read(reading: Callable[[], Any]) -> Any:
    """Reads a frame. What its library says about columns that it cannot hand over becomes an error of this family."""
    try:
        return reading()
    except Error:
        raise
    except Exception as error:
        # Others are not about the frame: what the user's own signal handler raises, for one.
        if type(error) not in _COMMON and type(error).__module__.partition(".")[0] not in _LIBRARIES:
            raise
        why = type(error).__name__
    # Not from what the library said, which quotes rows.
    raise InputTypeError(f"this frame cannot be read ({why}); give every column values of one type, such as with astype(str)")


_COMMON = (TypeError, ValueError, OverflowError, NotImplementedError)
_LIBRARIES = ("pandas", "polars", "pyarrow")


def rows_of(X: Any, rows: Any) -> Any:
    """Those rows of a table of any kind, by their places."""
    # The oldest scikit-learn that is promised does not know tables of pyarrow.
    return X.take(rows) if library(X) == "pyarrow" else _safe_indexing(X, rows)


def library(X: Any) -> str:
    """The package that a frame is from."""
    return type(X).__module__.partition(".")[0]
