"""The columns of a frame, each as one type that follows from what is declared about it, and not from what all rows hold."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from . import _by_value, _frames
from ._errors import InputTypeError, shown


@dataclass(frozen=True)
class Kinds:
    """What the columns of a frame are declared as."""

    # All that are read, an outcome and a column of persons among them. They are texts, but for these:
    names: frozenset[str]
    numbers: frozenset[str] = frozenset()
    # Dates that become days here, because their bounds are dates.
    days: frozenset[str] = frozenset()
    # Dates that are read from texts, in the format that is declared.
    dates: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, declared: Sequence[dict[str, Any]], days: Collection[str] = (), study: Mapping[str, Any] = MappingProxyType({}),
        others: Collection[str] = (),
    ) -> Kinds:
        """Of the columns that a schema or a file has, of what else it says about its table, and of others that are texts."""
        by_kind: dict[str, set[str]] = {"number": set(), "date": set(), "category": set()}
        for column in declared:
            if column["kind"] != "dropped":
                kind = "date" if "part" in column.get("reading", {}) else next(iter(column["kind"]))
                by_kind[kind].update(fields(column))
        cohort = study.get("cohort") or {}
        # Rows may count by a column that is not used.
        for condition in cohort.get("where") or ():
            by_kind[_CONDITIONS[next(iter(condition["is"]))]].add(condition["column"])
        # Weights may also come beside the rows, and then no column has them.
        if "column" in (cohort.get("weight") or {}):
            by_kind["number"].add(cohort["weight"]["column"])
        names = by_kind["number"].union(by_kind["date"], by_kind["category"], others)
        numbers = by_kind["number"].difference(days)
        return cls(frozenset(names), frozenset(numbers), frozenset(days), frozenset(by_kind["date"] - numbers))


_CONDITIONS = {"numbers": "number", "dates": "date", "values": "category"}


def fields(column: dict[str, Any]) -> list[str]:
    """The columns of a frame that a declared one is read from."""
    reading = column.get("reading", {})
    return reading.get("one_of") or [reading.get("from", column["name"])]


def of_kinds(X: Any, kinds: Kinds) -> Any:
    """A frame of the columns of X, to be read by way of Arrow.

    Arrow would infer the type of a column of Python objects from all of its rows. Such columns are read value by value.
    """
    if _frames.is_scanned(X):
        X = (X.scanner() if hasattr(X, "scanner") else X).to_reader()
    read = _LIBRARIES.get(_frames.library(X))
    return X if read is None else read(X, kinds)


def _of_pandas(X: Any, kinds: Kinds) -> Any:
    """The index is no column, unless a name of it is declared: every selection of rows has an index. No column is copied."""
    import pandas

    if importlib.util.find_spec("pyarrow") is None:
        raise ImportError('frames of pandas are read through pyarrow: pip install "discretion[frames]"')
    frame = X.copy(deep=False)
    for name in X.index.names:
        if name in kinds.names and name not in X.columns:
            frame[name] = X.index.get_level_values(name)
    frame.index = pandas.RangeIndex(len(X))
    if not frame.columns.is_unique:
        return frame  # Which is refused, with the name.
    for name in frame.columns:
        column = frame[name]
        if isinstance(column.dtype, pandas.SparseDtype):
            column = frame[name] = column.sparse.to_dense()
        if name in kinds.names:
            read = _reader(column, name, kinds)
            if read is not None:
                frame[name] = read(column)
        elif not _has_one_type(column):
            # Nobody looks at it, so that Arrow need not either.
            frame[name] = pandas.Series(np.full(len(frame), None), dtype=object)
    return frame


def _reader(column: Any, name: Any, kinds: Kinds) -> Callable[[Any], Any] | None:
    """How a column of pandas is made one that Arrow reads as it is; none if it is one."""
    import pandas

    if isinstance(column.dtype, pandas.CategoricalDtype):
        # Of its categories, which may be anything that a column may be.
        inner = _reader(pandas.Series(column.cat.categories), name, kinds)
        return None if inner is None else lambda column: inner(column.astype(object))
    if name in kinds.days:
        if isinstance(column.dtype, (np.dtype, pandas.DatetimeTZDtype)) and column.dtype.kind == "M":
            return _days
        read = _by_value.as_days if _may_be_dates(column) else None
    elif name in kinds.numbers and isinstance(column.dtype, pandas.PeriodDtype):
        raise InputTypeError(
            f"the column {shown(name)} holds periods, and its bounds are numbers; declare it by dates, such as (datetime.date(2020, 1, "
            "1), datetime.date(2020, 12, 31)), or make numbers of it"
        )
    elif _has_one_type(column):
        read = None
    elif name in kinds.numbers:
        read = _by_value.as_numbers
    else:
        read = _by_value.as_dates if name in kinds.dates else _by_value.as_texts
    return None if read is None else lambda column: pandas.Series(read(name, column))


def _days(column: Any) -> Any:
    """Moments that are stored as such, as days since 1970 in UTC."""
    import pandas

    column = column.dt.tz_convert(None) if column.dt.tz is not None else column
    return (column - pandas.Timestamp(0)) / pandas.Timedelta(days=1)


def _has_one_type(column: Any) -> bool:
    """Whether the values of a column of pandas have a type that Arrow knows without looking at them; texts are texts."""
    import pandas

    if not pandas.api.types.is_object_dtype(column.dtype):
        return not isinstance(column.dtype, pandas.PeriodDtype)
    return pandas.api.types.infer_dtype(column, skipna=True) in ("string", "empty")


def _may_be_dates(column: Any) -> bool:
    import pandas

    types, dtype = pandas.api.types, column.dtype
    stored = str(getattr(dtype, "pyarrow_dtype", ""))
    return (
        isinstance(dtype, pandas.PeriodDtype)
        or stored.startswith(("date", "timestamp"))
        or any(is_type(dtype) for is_type in (types.is_datetime64_any_dtype, types.is_object_dtype, types.is_string_dtype))
    )


def _of_polars(X: Any, kinds: Kinds) -> Any:
    import polars

    dated = [name for name in kinds.days if name in X.columns and X.schema[name].base_type() in (polars.Date, polars.Datetime)]
    microseconds = [polars.col(name).cast(polars.Datetime("us")).dt.epoch("us") for name in dated]
    return X.with_columns([column / _DAY for column in microseconds])


def _of_pyarrow(X: Any, kinds: Kinds) -> Any:
    import pyarrow
    from pyarrow import compute

    if kinds.days and not hasattr(X, "column_names"):  # A reader, which is read once.
        X = X.read_all()
    for name in kinds.days.intersection(getattr(X, "column_names", ())):
        column = X.column(name)
        if pyarrow.types.is_date(column.type) or pyarrow.types.is_timestamp(column.type):
            moments = column.cast(pyarrow.timestamp("us", getattr(column.type, "tz", None))).cast(pyarrow.int64())
            days = compute.divide(moments.cast(pyarrow.float64()), float(_DAY))
            X = X.set_column(X.column_names.index(name), name, days)
    return X


# Of microseconds.
_DAY = 86_400_000_000
_LIBRARIES = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_pyarrow}
