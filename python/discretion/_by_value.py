"""Columns of Python objects, each value read by itself: what a value becomes does not depend on any other row.

Libraries infer one type for such a column from all of its values, or a format from the first one. A single row could then
change how every other one is read.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from . import _values
from ._errors import InputError, InputTypeError, shown


def is_missing(value: Any) -> bool:
    """Whether there is no value: None, NaN, NaT and pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating, decimal.Decimal)) and bool(value != value)


def as_numbers(name: Any, values: Iterable[Any]) -> np.ndarray:
    """Numbers, NaN where there is none."""
    return np.array(list(_each(name, values, _number, np.nan, _TYPES)), dtype=np.float64)


def as_days(name: Any, values: Iterable[Any]) -> np.ndarray:
    """Days since 1970 of dates, moments, periods and texts by ISO 8601, NaN where there is none."""
    return np.array(list(_each(name, values, _days, np.nan, _DATES)), dtype=np.float64)


def as_dates(name: Any, values: Iterable[Any]) -> np.ndarray:
    """Dates by ISO 8601, and texts as they are; None where there is none."""
    return _objects(_each(name, values, _date, None, _DATES))


def as_texts(name: Any, values: Iterable[Any]) -> np.ndarray:
    """Texts as a CSV file would have them, None where there is none."""
    return _objects(_each(name, values, _text, None, _TYPES))


_TYPES = "give every column values of one type, such as with astype(str)"
_DATES = 'write dates by ISO 8601, as 2020-12-31, or declare how they are written: {"kind": "date", "format": "%d.%m.%Y", …}'


def _objects(values: Iterable[Any]) -> np.ndarray:
    found = list(values)
    objects = np.empty(len(found), dtype=object)
    objects[:] = found
    return objects


def _each(name: Any, values: Iterable[Any], read: Callable[[Any], Any], missing: Any, advice: str) -> Iterator[Any]:
    for place, value in enumerate(values):
        if is_missing(value):
            yield missing
            continue
        try:
            found = read(value)
        except (TypeError, ValueError, OverflowError):
            found = None
        if found is None:
            where = f"row {place + 1} of the column {shown(name)}"
            if read is _text and is_inexact(value):
                raise InputError(f"{where} holds {INEXACT}")
            # What it is stays with the rows.
            held = "a text" if isinstance(value, (str, bytes)) else f"a value of the type {type(value).__name__}"
            raise InputTypeError(f"this frame cannot be read: {where} holds {held}, which is none of its kind; {advice}")
        yield found


INEXACT = (
    "a floating-point number so large that several whole numbers are the same one, and it is compared with codes; store codes as texts "
    'or as whole numbers (in pandas as "string" or "Int64")'
)


def is_inexact(value: Any) -> bool:
    """Whether a floating-point number stands for several whole ones, as from 2⁵³ on."""
    if not isinstance(value, (float, np.floating)) or not np.isfinite(value):
        return False
    return abs(value) >= 2.0 ** (np.finfo(type(value)).nmant + 1)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (numbers.Real, decimal.Decimal, np.bool_)) else None


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    no_text = (datetime.timedelta, np.timedelta64, np.ndarray, list, tuple, set, frozenset, dict)
    return None if isinstance(value, no_text) or is_inexact(value) else _values.text(value)


def _date(value: Any) -> str | None:
    if hasattr(value, "to_timestamp"):  # pandas' Period.
        value = value.to_timestamp()
    if isinstance(value, np.datetime64):
        return str(value)
    if isinstance(value, (str, bytes)):
        return _text(value)
    return value.isoformat() if isinstance(value, datetime.date) else None


_ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d{1,9})?(?:Z|([+-]\d\d):?(\d\d))?)?")
_EPOCH, _DAY = datetime.datetime(1970, 1, 1), datetime.timedelta(days=1)


def _days(value: Any) -> float | None:
    if hasattr(value, "to_timestamp"):
        value = value.to_timestamp()
    if isinstance(value, str):
        value = _moment(value.strip())
    if isinstance(value, np.datetime64):
        return float((value - np.datetime64(0, "D")) / np.timedelta64(1, "D"))
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        # A moment of Python, because differences of pandas' have bounds.
        return (datetime.datetime.combine(value.date(), value.time()) - _EPOCH) / _DAY
    return float((value - _EPOCH.date()).days) if isinstance(value, datetime.date) else None


def _moment(text: str) -> datetime.datetime | None:
    """A moment by ISO 8601, as every version of Python reads it."""
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    day, minute, second, fraction, hours, minutes = found.groups()
    offset = f"{hours}:{minutes}" if hours else "+00:00" if text.endswith("Z") else ""
    microseconds = (fraction or ".").ljust(7, "0")[:7]
    return datetime.datetime.fromisoformat(f"{day}T{minute or '00:00'}{second or ':00'}{microseconds}{offset}")
