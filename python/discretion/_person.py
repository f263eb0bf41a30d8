"""Whose rows they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _by_value, _frames
from ._errors import InputError


def identifiers(person: Any) -> list[str]:
    """One text for each row. Spellings of one identifier are the same person to Rust: 7, 7.0 and "007"."""
    given = np.asarray(person, dtype=object)
    if given.ndim != 1:
        raise InputError("person is one identifier for each row, or the name of a column of X")
    # Numbers of fewer bits are inexact earlier, and as Python's own they would not show it.
    dtype = getattr(person, "dtype", None)
    numbers = np.asarray(person) if isinstance(dtype, np.dtype) and dtype.kind == "f" else given
    for place, each in enumerate(numbers):
        if _by_value.is_inexact(each):
            raise InputError(f"row {place + 1} of person holds {_by_value.INEXACT}")
    texts = ["" if _is_missing(each) else str(each).strip() for each in given]
    if "" in texts:
        raise InputError(f"row {texts.index('') + 1} has no identifier in person: every row must say whose it is")
    return texts


def of_rows(X: Any, persons: list[str] | None, column: str | None) -> list[str] | None:
    """The same of rows that may have it in a column; nothing if nobody says whose they are."""
    if column is None:
        return persons
    if _frames.is_scanned(X):
        raise InputError('curve="auto" counts persons, and X is read once; give a number of knots, such as curve=8')
    return identifiers(_frames.column(X, column))


def _is_missing(value: Any) -> bool:
    # NaN, and pandas' NaT, are not equal to themselves; pandas' NA cannot be asked.
    if value is None or type(value).__name__ == "NAType":
        return True
    return bool(value != value)
