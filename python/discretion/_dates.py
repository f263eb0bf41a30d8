"""Dates as numbers: days since 1970, in UTC. A schema whose bounds are dates says which columns are meant."""

from __future__ import annotations

import datetime
from collections.abc import Collection
from typing import Any

import numpy as np

from . import _frames

_DAY = np.timedelta64(1, "D")


def is_date(value: Any) -> bool:
    """Whether this is a day or a moment; pandas.Timestamp is one."""
    return isinstance(value, (datetime.date, np.datetime64))


def days(value: Any) -> float:
    """Days since 1970. What has no time zone is taken as it stands."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    if hasattr(value, "to_datetime64"):
        value = value.to_datetime64()
    return float((np.datetime64(value) - np.datetime64(0, "D")) / _DAY)


def as_days(frame: Any, names: Collection[str]) -> Any:
    """A frame whose columns of these names are days, if they are dates. Others are left, for whoever reads them to refuse."""
    if not names:
        return frame
    return _LIBRARIES.get(_frames.library(frame), lambda frame, _: frame)(frame, names)


def _pandas(frame: Any, names: Collection[str]) -> Any:
    import pandas

    frame = frame.copy(deep=False)
    for name in set(names).intersection(frame.columns):
        column = frame[name]
        if pandas.api.types.is_object_dtype(column.dtype):
            column = pandas.to_datetime(column)  # datetime.date, which pandas keeps as objects.
        if pandas.api.types.is_datetime64_any_dtype(column.dtype):
            column = column.dt.tz_convert(None) if column.dt.tz is not None else column
            frame[name] = (column - pandas.Timestamp(0)) / pandas.Timedelta(days=1)
    return frame


def _polars(frame: Any, names: Collection[str]) -> Any:
    import polars

    dated = [name for name in names if name in frame.columns and frame.schema[name].is_temporal()]
    microseconds = [polars.col(name).cast(polars.Datetime("us")).dt.epoch("us") for name in dated]
    return frame.with_columns([column / 86_400_000_000 for column in microseconds])


def _pyarrow(frame: Any, names: Collection[str]) -> Any:
    import pyarrow
    from pyarrow import compute

    if not hasattr(frame, "column_names"):  # A reader, which is read once.
        frame = frame.read_all()
    for name in set(names).intersection(frame.column_names):
        column = frame.column(name)
        if pyarrow.types.is_date(column.type) or pyarrow.types.is_timestamp(column.type):
            moments = column.cast(pyarrow.timestamp("us", getattr(column.type, "tz", None))).cast(pyarrow.int64())
            numbers = compute.divide(moments.cast(pyarrow.float64()), 86_400_000_000.0)
            frame = frame.set_column(frame.column_names.index(name), name, numbers)
    return frame


_LIBRARIES = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}
