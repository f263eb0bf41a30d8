"""Dates as numbers: days since 1970, in UTC. A schema whose bounds are dates says which columns are meant."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

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
