"""What a frame is, and what to do with things that nearly are one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ._errors import Error, InputTypeError


def is_frame(X: Any) -> bool:
    """Whether X has named columns that Arrow can read. What is a single column, or not there yet, is refused."""
    if type(X).__name__ == "LazyFrame" and hasattr(X, "collect"):
        raise InputTypeError("a LazyFrame holds no rows yet; collect() it first")
    if _is_one_column(X):
        raise InputTypeError("X is a single column, and a table is needed; pass a frame, such as X.to_frame()")
    return hasattr(X, "__arrow_c_stream__")


def _is_one_column(X: Any) -> bool:
    # pandas' and polars' Series have a shape of one number, pyarrow's arrays none.
    series = library(X) in ("pandas", "polars") and len(getattr(X, "shape", (0, 0))) == 1
    return series or (hasattr(X, "null_count") and hasattr(X, "to_pylist") and not hasattr(X, "column_names"))


def columns(X: Any, declared: Collection[str] = ()) -> Any:
    """A frame of the columns of X alone. The index of a pandas frame is none, unless a name of it is declared.

    Every selection of rows has an index, so pandas would hand it over as a column. Nothing is copied.
    """
    if library(X) != "pandas":
        return X
    import pandas

    frame = X.copy(deep=False)
    for name in X.index.names:
        if name in declared and name not in X.columns:
            frame[name] = X.index.get_level_values(name)
    frame.index = pandas.RangeIndex(len(X))
    return frame


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
        raise InputTypeError(
            f"this frame cannot be read: {error}; give every column values of one type, such as with astype(str)"
        ) from error


_COMMON = (TypeError, ValueError, OverflowError, NotImplementedError)
_LIBRARIES = ("pandas", "polars", "pyarrow")


def library(X: Any) -> str:
    """The package that a frame is from."""
    return type(X).__module__.partition(".")[0]
