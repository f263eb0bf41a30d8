"""The settings of a linear model, checked: what `fit` and `plan` are told."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from . import _check
from ._errors import InputError, InputTypeError, shown


def base_rate(given: Any) -> bool:
    """Whether the base rate is released before the training."""
    return _check.one_of("base_rate", given, ("private", None)) is not None


def method(given: Any) -> str:
    """The name of a mechanism."""
    if not isinstance(given, str):
        raise InputTypeError(f'method is "auto", "output" or "objective", not {shown(given)}')
    return given


def lam(given: Any) -> float | list[float] | None:
    """The regularisation, or a list of it; none for "auto"."""
    if isinstance(given, str):
        if given != "auto":
            raise InputError(f'lam is a number, a list of numbers, or "auto", not {shown(given)}')
        return None
    one = isinstance(given, numbers.Real)
    listed = [given] if one else _check.converted(lambda: list(given))
    if listed is None or not all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in listed):
        raise InputTypeError(f'lam is a number, a list of numbers, or "auto", not {shown(given)}')
    lams = [float(value) for value in listed]
    if not lams or len(set(lams)) < len(lams) or not all(np.isfinite(lams)) or min(lams) <= 0:
        raise InputError(f"every lam is a different positive number, not {shown(given)}")
    return lams[0] if one else lams


def interval_columns(intervals: Any) -> list[str] | None:
    """The columns that confidence intervals are asked for; none if it is all of them."""
    if isinstance(intervals, str) or not hasattr(intervals, "__iter__"):
        return None
    columns = list(intervals) if isinstance(intervals, (list, tuple, set, frozenset)) else []
    if not columns or not all(isinstance(column, str) for column in columns):
        raise InputError(f"intervals is True, a confidence level, or a list of columns by their names, not {shown(intervals)}")
    return columns


def held_out(evaluate: Any, by: Any) -> tuple[float, str | None] | None:
    """The share of rows that are held out, and the column they are counted apart by; none if nothing is evaluated."""
    if evaluate is None or evaluate is False:
        if by is not None:
            raise InputError("evaluate_by= counts held-out rows apart, and none are held out; pass evaluate=True too")
        return None
    share = 0.15 if evaluate is True else _check.number("evaluate", evaluate)
    if not 0 < share < 1:
        raise InputError(f"evaluate is True or a share of the rows between 0 and 1, not {shown(evaluate)}")
    if by is not None and not isinstance(by, str):
        raise InputTypeError(f"evaluate_by is the name of a column, not {shown(by)}")
    return share, by


def level(intervals: Any) -> float | None:
    """The level of confidence intervals; none if they are not asked for."""
    if intervals is None or intervals is False:
        return None
    if interval_columns(intervals) is not None:
        return 0.95
    found = 0.95 if intervals is True else _check.number("intervals", intervals)
    if not 0 < found < 1:
        raise InputError(f"intervals is True or a confidence level between 0 and 1, not {shown(intervals)}")
    return found


def largest_effect(largest: Any) -> float:
    """The size that no effect exceeds, in log odds."""
    found = _check.number("largest_effect", largest)
    if not 0.1 <= found <= 100:
        raise InputError(f"largest_effect is a number from 0.1 to 100, in log odds, not {shown(largest)}")
    return found


def hinge(smoothing: Any, intervals: Any) -> str:
    """The name of the hinge that a support vector classifier trains with: by default a wider corner with intervals."""
    if smoothing is None:
        smoothing = 0.5 if level(intervals) is None else 1.0
    width = _check.number("smoothing", smoothing)
    return "hinge" if width == 0.5 else f"hinge({width:g})"
