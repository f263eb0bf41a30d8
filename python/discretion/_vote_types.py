"""The types of the columns that models of a vote see: numbers, or what a schema declares. No row decides them.

What a library says of a column is read from all of its rows: a missing value makes floating-point numbers of whole ones, a text
makes objects of numbers, and a categorical column lists what is anywhere in it. Models that saw such types would all change with
one row.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _by_value, _columns, _frames, _points, _schema, _values
from ._errors import InputError, InputTypeError, shown


class VoteTypes:
    """What the columns of a table are for every model, whatever its rows hold."""

    def __init__(self, schema: Any = None):
        self._schema = None if schema is None else _schema.of(schema)
        if self._schema is not None and self._schema.person is not None:
            raise InputError("a vote is told whose rows they are by person= in fit; leave it out of the schema")
        self._columns = {} if self._schema is None else {column["name"]: _kind(column) for column in self._schema._declared}
        if self._schema is not None and self._schema._of_study.get("cohort"):
            raise InputError("a vote trains on all rows; leave out where=, missing_outcome= and weights of the schema")

    @property
    def written(self) -> dict[str, str]:
        """What is declared, for the name of a session; nothing if nothing is."""
        return {} if self._schema is None else {"schema": json.dumps(self._schema._declared, sort_keys=True, default=str)}

    def of(self, X: Any) -> Any:
        """A table of the same library with the same rows, its columns of the declared types, and nothing else of the caller's."""
        if isinstance(X, np.ndarray):
            if self._schema is not None:
                raise InputError("a schema names columns, and an array has none; pass a frame")
            return _array(X)
        names = list(X.column_names if hasattr(X, "column_names") else X.columns)
        if len(set(names)) < len(names):
            raise InputError("two columns of X have the same name; rename one of them")
        if self._schema is not None:
            self._check(names)
        of = {name: self._column(name, _one(X, name)) for name in names if self._columns.get(name) != "dropped"}
        return _FRAMES[_frames.library(X)](of, X)

    def _check(self, names: list[Any]) -> None:
        undeclared = [name for name in names if name not in self._columns]
        if undeclared:
            raise InputError(
                f'X has the column {shown(undeclared[0])}, which is not declared in the schema; declare it, or write {{"drop": True}}'
            )
        absent = [name for name, kind in self._columns.items() if kind != "dropped" and name not in names]
        if absent:
            raise InputError(f"X lacks the column {shown(absent[0])}, which the schema declares")

    def _column(self, name: Any, values: Any) -> Any:
        """Numbers as they are, NaN where one is missing; of categories the place of each, and what they are."""
        if self._schema is None:
            return _numbers(name, values)
        kind = self._columns[name]
        if not isinstance(kind, list):
            days = name in self._schema._dates or kind == "date"
            found = _by_value.as_days(name, _objects(values)) if days else _numbers(name, values, objects=True)
            return found if days else np.clip(found, *kind)
        places = {_values.usual(value): place for place, value in enumerate(kind)}
        texts = _by_value.as_texts(name, _objects(values))
        known = {text: places.get(_values.usual(text), -1) for text in set(texts.tolist()) if text is not None}
        return np.array([-1 if text is None else known[text] for text in texts.tolist()], dtype=np.int32), kind


def _kind(column: dict[str, Any]) -> Any:
    """The bounds of numbers, the values of a category, "date" or "dropped"."""
    name, kind, reading = column["name"], column["kind"], column.get("reading", {})
    if kind == "dropped":
        return kind
    if reading or "curve" in column:
        raise InputError(
            f"column {shown(name)}: the schema of a vote has bounds, lists of values and dates by ISO 8601; leave out what else is "
            "declared, such as groups, na, parts or a curve, and do that in the learner"
        )
    if "date" in kind:
        return "date"
    return (kind["number"]["min"], kind["number"]["max"]) if "number" in kind else list(kind["category"]["values"])


_TEXTS = (
    "one row could change what type a library gives such a column, and with it every model. Declare all columns: "
    'schema={"age": (18, 90), "site": ["north", "south"]}'
)


def _numbers(name: Any, values: Any, objects: bool = False) -> np.ndarray:
    """Numbers of a column that says it holds numbers; also one of objects, if it was declared to hold them."""
    if not (_points.is_number(values.dtype if hasattr(values, "dtype") else values.type) or objects and _is_object(values)):
        raise InputTypeError(f"the column {shown(name)} holds something else than numbers, and {_TEXTS}")
    if _is_object(values) or hasattr(getattr(values, "dtype", None), "pyarrow_dtype"):
        found = _by_value.as_numbers(name, _objects(values))
        _check_whole(found, True)
        return found
    if _frames.library(values) == "pandas":
        whole = values.dtype.kind in "iu"
        found = values.to_numpy(dtype=np.float64, na_value=np.nan)
    elif _frames.library(values) == "polars":
        import polars

        whole, found = values.dtype.is_integer(), values.cast(polars.Float64).to_numpy().astype(np.float64)
    else:
        whole, found = str(values.type).startswith(("int", "uint")), np.asarray(values.to_numpy(), dtype=np.float64)
    _check_whole(found, whole)
    return found


def _check_whole(found: np.ndarray, whole: bool) -> None:
    if whole and (np.abs(found) >= 2.0**53).any():
        raise InputError(
            "X has whole numbers of 2⁵³ or more, and several of them are one floating-point number; declare such codes as categories, or "
            "leave them out"
        )


def _array(X: np.ndarray) -> np.ndarray:
    if X.dtype.kind == "O":
        columns = [_by_value.as_numbers(place, column) for place, column in enumerate(X.T)]
        return np.column_stack(columns) if columns else X.astype(np.float64)
    if X.dtype.kind not in "fiub":
        raise InputTypeError(f"X holds something else than numbers, and {_TEXTS}; pass a frame")
    found = np.array(X, dtype=np.float64)
    _check_whole(found, X.dtype.kind in "iu")
    return found


def _one(X: Any, name: Any) -> Any:
    column = X[name]
    return column.sparse.to_dense() if _frames.library(X) == "pandas" and hasattr(column.dtype, "fill_value") else column


def _is_object(values: Any) -> bool:
    return getattr(getattr(values, "dtype", None), "kind", "") == "O" and not hasattr(values.dtype, "categories")


def _objects(values: Any) -> Any:
    """The values of a column as objects of Python."""
    if hasattr(values, "to_pylist"):
        return values.to_pylist()
    return values.to_list() if _frames.library(values) == "polars" else list(values)


def _pandas(columns: dict[Any, Any], X: Any) -> Any:
    import pandas

    # An index is what rows have in common; theirs are their places.
    def column(found: Any) -> Any:
        return pandas.Categorical.from_codes(found[0], categories=found[1]) if isinstance(found, tuple) else found

    frame = pandas.DataFrame({place: column(found) for place, found in enumerate(columns.values())}, index=pandas.RangeIndex(len(X)))
    frame.columns = list(columns)
    return frame


def _polars(columns: dict[Any, Any], X: Any) -> Any:
    import polars

    def column(found: Any) -> Any:
        if not isinstance(found, tuple):
            return polars.Series(found, dtype=polars.Float64)
        return polars.Series([None if place < 0 else found[1][place] for place in found[0].tolist()], dtype=polars.Enum(found[1]))

    return polars.DataFrame({name: column(found) for name, found in columns.items()})


def _pyarrow(columns: dict[Any, Any], X: Any) -> Any:
    import pyarrow

    def column(found: Any) -> Any:
        if not isinstance(found, tuple):
            return pyarrow.array(found, pyarrow.float64())
        places = pyarrow.array(found[0], pyarrow.int32(), mask=found[0] < 0)
        return pyarrow.DictionaryArray.from_arrays(places, pyarrow.array(found[1], pyarrow.string()))

    return pyarrow.table({name: column(found) for name, found in columns.items()})


_FRAMES = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}
