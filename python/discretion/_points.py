"""Tables that models see: their columns, a model's own copy, and names for points and rows."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _check, _frames, _person
from ._errors import InputError, InputTypeError


@dataclass(frozen=True)
class Columns:
    """What is public about a table's columns: how many there are, their names if they have any, and which are numbers."""

    names: tuple[str, ...] | None
    numbers: tuple[bool, ...]

    def check(self, points: Columns) -> None:
        """Refuses points that are no points of this table, before any model is asked about them."""
        if len(points.numbers) != len(self.numbers):
            raise InputError(f"these points have {len(points.numbers)} columns, and `fit` saw {len(self.numbers)}")
        if points.names != self.names:
            seen, found = _names_text(self.names), _names_text(points.names)
            raise InputError(f"`fit` saw {seen}, and these points have {found}; pass the same")
        for place, (was, now) in enumerate(zip(self.numbers, points.numbers, strict=True)):
            if was != now:
                name = place if self.names is None else repr(self.names[place])
                held, holds = ("numbers", "something else") if was else ("something else", "numbers")
                raise InputError(f"column {name} held {held} at `fit` and holds {holds} in these points")


def _names_text(names: tuple[str, ...] | None) -> str:
    return "columns without names" if names is None else f"the columns {', '.join(names)}"


def table(X: Any) -> Any:
    """A frame as it is, or an array of two dimensions."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise InputTypeError("X is a sparse matrix, and votes need a dense one; pass X.toarray()")
    if not _frames.is_frame(X) and not hasattr(X, "columns"):
        X = _check.ours(lambda: np.asarray(X))
    if not hasattr(X, "shape"):
        raise InputTypeError(f"X is an array, or a frame of pandas, polars or pyarrow, not {type(X).__name__}")
    if len(X.shape) != 2:
        raise InputError(f"a table has rows and columns, and this has the shape {X.shape}; one point is [[…]]")
    return X


def persons_of(X: Any, person: Any) -> tuple[Any, list[str]]:
    """A `table` without the column that says whose its rows are, if there is one, and an identifier for each row."""
    if not isinstance(person, str):
        return X, _person.identifiers(person)
    if not _frames.is_frame(X):
        raise InputError("an array has no column of that name; pass person= as one identifier for each row")
    found = _person.identifiers(_frames.column(X, person))
    if _frames.library(X) == "pandas":
        return (X.drop(columns=[person]) if person in X.columns else X), found
    return (X.drop(person) if _frames.library(X) == "polars" else X.drop_columns([person])), found


def columns_of(X: Any) -> Columns:
    """The columns of a `table`."""
    if isinstance(X, np.ndarray):
        return Columns(None, (X.dtype.kind in "fiub",) * X.shape[1])
    numbers = tuple(map(is_number, dtypes(X)))
    names = tuple(X.column_names if hasattr(X, "column_names") else X.columns)
    # As in scikit-learn, names are texts: 0, 1, 2, … is what pandas calls columns that have none.
    return Columns(names if all(isinstance(name, str) for name in names) else None, numbers)


def dtypes(X: Any) -> list[Any]:
    """The type of each column of a frame, in its library's words."""
    return list(X.schema.types if hasattr(X, "column_names") else X.dtypes)


def is_number(dtype: Any) -> bool:
    """Whether values of a type are numbers, by what its library calls it."""
    if hasattr(dtype, "kind"):
        return dtype.kind in "fiub"
    if hasattr(dtype, "is_numeric"):
        return dtype.is_numeric() or str(dtype) == "Boolean"
    return str(dtype).startswith(("int", "uint", "float", "double", "halffloat", "decimal", "bool"))


def piece(X: Any, rows: Any) -> Any:
    """Those rows of a table. They have no index that tells their places among all of them."""
    found = _frames.rows_of(X, rows)
    return found.reset_index(drop=True) if _frames.library(X) == "pandas" else found


def own_copy(X: Any) -> Any:
    """A copy that a model may write to. One model must not decide what the next one is asked."""
    if isinstance(X, np.ndarray):
        return np.array(X, copy=True)
    if _frames.library(X) == "pandas":
        return X.copy(deep=True)
    if _frames.library(X) == "polars":
        return X.clone()  # Its columns cannot be written to; the frame around them can.
    return X if _frames.library(X) == "pyarrow" else copy.deepcopy(X)


def names_of(X: Any, columns: Columns) -> list[str]:
    """A name for each point, made of what it holds. A point is one query, however often it is asked."""
    array, header = _canonical(X), repr(columns.names).encode()
    texts = (row.tobytes() if array.dtype.kind == "f" else repr(row.tolist()).encode() for row in array)
    return [hashlib.sha256(header + text).hexdigest() for text in texts]


def digest(X: Any, y: np.ndarray) -> bytes:
    """Of the rows, for the ledger, which keeps it under its own key."""
    array = _canonical(X)
    found = hashlib.sha256(array if array.dtype.kind == "f" else repr(array.tolist()).encode())
    found.update(repr(y.tolist()).encode())
    return found.digest()


def _canonical(X: Any) -> np.ndarray:
    """The values of a table: numbers as float64, with one zero and one "not a number", or anything as objects."""
    array = np.asarray(X)
    if array.dtype.kind not in "fiub":
        return array
    array = array.astype(np.float64) + 0.0
    return np.ascontiguousarray(np.where(np.isnan(array), np.nan, array))
