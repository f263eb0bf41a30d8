"""Numbers that may bend: what is declared about them, and what a model says about them."""

from __future__ import annotations

import json
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _discretion
from ._errors import InputError, InputTypeError, shown


class Curve(dict):
    """A number whose effect may bend: hat functions at public knots, between which it is straight.

    Parameters
    ----------
    min, max : float
        The range of the column, from public knowledge.
    knots : int, list of float, "auto" or "private"
        How many knots there are, at equal distances on the column's scale; or the values where it bends, in the column's unit. The
        ends of the range are always knots. "auto": as many as the number of rows, of columns and the budget allow, or a line.
        "private": twelve where the rows are, for a share of the budget.
    share : float
        The share of the budget that private knots cost.
    scale : "linear" or "log"
        How the range is laid out.
    missing : float or "own"
        What a missing value counts as, or that it has a level of its own.
    monotone : "up" or "down"
        The only way in which it may go.

    Examples
    --------
    >>> Curve(18, 100, knots=12)
    {'min': 18, 'max': 100, 'curve': 12}
    >>> Curve(0, 80, knots=[5, 10, 20], monotone="up")
    {'min': 0, 'max': 80, 'knots': [5, 10, 20], 'monotone': 'up'}
    """

    def __init__(
        self,
        min: float,
        max: float,
        *,
        knots: int | Sequence[float] | str = 12,
        share: float | None = None,
        scale: str | None = None,
        missing: float | str | None = None,
        monotone: str | None = None,
    ):
        if isinstance(knots, numbers.Integral) or (isinstance(knots, str) and knots == "auto"):
            where: dict[str, Any] = {"curve": knots}
        else:
            where = {"knots": knots if isinstance(knots, str) else list(knots)}
        said = {"share": share, "scale": scale, "missing": missing, "monotone": monotone}
        super().__init__({"min": min, "max": max, **where, **{word: value for word, value in said.items() if value is not None}})


def taken_from(name: Any, words: dict[str, Any]) -> dict[str, Any] | None:
    """The curve that a column's words declare, as Rust reads it; its words are taken out."""
    count, knots, monotone = words.pop("curve", None), words.pop("knots", None), words.pop("monotone", None)
    own_missing = isinstance(words.get("missing"), str) and words["missing"] == "own"
    if own_missing:
        del words["missing"]
    is_private, share = isinstance(knots, str) and knots == "private", words.pop("share", None)
    if share is not None and not is_private:
        raise InputError(f'column {shown(name)} has share, which is what private knots cost; add knots="private", or leave it out')
    if is_private:
        return _rest({"knots": {"private": {"knots": int(count or 12), "share": float(share or 0.01)}}}, name, own_missing, monotone)
    if isinstance(count, str) and count == "auto" and knots is None:
        return _rest({"knots": "auto"}, name, own_missing, monotone)
    if count is not None and knots is not None:
        raise InputError(f"column {shown(name)} has curve and knots; knots alone say where it bends, so leave out curve")
    if count is not None and (not isinstance(count, numbers.Integral) or isinstance(count, bool)):
        raise InputTypeError(f"column {shown(name)}: curve is a whole number of knots, such as 12, not {shown(count)}")
    if knots is None and count is None and not own_missing:
        if monotone is not None:
            raise InputError(f"column {shown(name)} has monotone and no curve; add a number of knots, such as curve=12")
        return None
    # A line with a level for what is missing is a curve of two knots.
    where = [float(value) for value in np.asarray(knots).tolist()] if knots is not None else int(count or 2)
    return _rest({"knots": where}, name, own_missing, monotone)


def _rest(curve: dict[str, Any], name: Any, own_missing: bool, monotone: Any) -> dict[str, Any]:
    """What a curve has beside its knots."""
    if own_missing:
        curve["own_missing"] = True
    if monotone is not None:
        if monotone not in ("up", "down"):
            raise InputError(f'column {shown(name)}: monotone is "up" or "down", not {shown(monotone)}')
        curve["monotone"] = monotone
    return curve


def settled(declared: str, rows: Any, spend: tuple, persons: Callable[[], list[str] | None] = lambda: None) -> str:
    """A written schema with every `curve="auto"` settled for these rows, or for the persons whom they belong to.

    Whichever the guarantee is about, their number is public.
    """
    if not any(column.get("curve", {}).get("knots") == "auto" for column in json.loads(declared)["columns"]):
        return declared
    whose = persons()
    if whose is not None:
        return _discretion.settled(declared, whose, spend)
    if not hasattr(rows, "__len__"):
        raise InputError('curve="auto" is not possible here: X does not say how many rows it has; give a number of knots, such as curve=8')
    return _discretion.settled(declared, len(rows), spend)


def with_own_missing(curve: dict[str, Any] | None, words: dict[str, Any], level: str) -> dict[str, Any]:
    """A category with a value for what is missing, if that was asked for: the empty text."""
    if curve is None:
        return words
    if curve != {"knots": 2, "own_missing": True}:
        raise InputError("a category is no curve; leave out curve, knots and monotone")
    labels = {"": level} | dict(words.get("labels", {}))
    return words | {"values": [*words["values"], ""], "labels": labels}


def knots_of(model: dict[str, Any], column: str) -> list[dict[str, Any]]:
    """A curve of a model file, knot by knot."""
    lines = []
    for coefficient in model["coefficients"]:
        knot = coefficient.get("knot")
        if knot is None or knot["column"] != column:
            continue
        effect = coefficient.get("effect") or {}
        interval = effect.get("interval") or {}
        line = {"at": knot["at"], "value": interval.get("estimate", effect.get("value", 0.0))}
        if model.get("intervals"):
            band = effect.get("band") or [0.0, 0.0]
            line |= {"lower": interval.get("lower", 0.0), "upper": interval.get("upper", 0.0)}
            line |= {"band_lower": band[0], "band_upper": band[1]}
        lines.append(line)
    if not lines:
        curves = sorted({c["knot"]["column"] for c in model["coefficients"] if c.get("knot")})
        known = f"its curves are {', '.join(map(repr, curves))}" if curves else "it has none"
        raise InputError(f"this model has no curve of {column!r}; {known}")
    return lines
