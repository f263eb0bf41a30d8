"""Which rows count: conditions on declared columns, as a study file's `where` has them."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from . import _check, _dates, _values
from ._errors import InputError, InputTypeError, shown

# What a study file says about rows without an outcome.
MISSING_OUTCOME = ("refused", "left out")


def written(where: Mapping[str, Any] | None, missing_outcome: str, days: Collection[str]) -> dict[str, Any]:
    """The cohort as Rust reads it; nothing if every row counts. `days` are columns whose dates are numbers here."""
    _check.one_of("missing_outcome", missing_outcome, MISSING_OUTCOME)
    if where is not None and not isinstance(where, Mapping):
        raise InputTypeError(f'where is a dict, such as {{"sex": "F", "age": {{"min": 40}}}}, not {shown(where)}')
    conditions = [{"column": str(name), "is": _accepted(name, is_, days)} for name, is_ in (where or {}).items()]
    cohort: dict[str, Any] = {"where": conditions} if conditions else {}
    if missing_outcome == "left out":
        cohort["known_outcome"] = True
    return {"cohort": cohort} if cohort else {}


def _accepted(name: str, is_: Any, days: Collection[str]) -> dict[str, Any]:
    if not isinstance(is_, Mapping):
        values = [is_] if isinstance(is_, str) or not hasattr(is_, "__iter__") else list(is_)
        return {"values": [_values.text(value) for value in values]}
    if not is_ or not set(is_) <= {"min", "max"}:
        raise InputError(f'where of {shown(name)} is a value, a list of values, or bounds: {{"min": …, "max": …}}, not {shown(dict(is_))}')
    bounds = [is_.get("min"), is_.get("max")]
    if not any(_dates.is_date(bound) or isinstance(bound, str) for bound in bounds):
        return {"numbers": [None if bound is None else float(bound) for bound in bounds]}
    if name in days:
        return {"numbers": [None if bound is None else _dates.days(bound) for bound in bounds]}
    return {"dates": [None if bound is None else _iso(bound) for bound in bounds]}


def _iso(bound: Any) -> str:
    if isinstance(bound, str):
        return bound
    if isinstance(bound, np.datetime64):
        bound = bound.item()
    if isinstance(bound, datetime.datetime) and bound.time() == datetime.time(0):
        bound = bound.date()
    return bound.isoformat()
