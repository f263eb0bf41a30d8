"""What is public about a table, from what people write down."""

import json
import numbers
import os

from . import _discretion
from ._errors import InputError, InputTypeError

WHY_BOUNDS = (
    "the noise is scaled to the largest row that could be there, and to find that in the data would reveal it; "
    "say from public knowledge what range each column has"
)


def from_study(path):
    """The schema of a study file, as a dict."""
    return json.loads(_discretion.schema_of_study(os.fspath(path)))


def from_bounds(bounds, names, target, classes):
    """The schema of an array of numbers.

    `bounds` is one pair (min, max) for all columns, or a pair of sequences with an end for each column.
    """
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise InputTypeError(f"bounds is a pair (min, max), each a number or one number per column, not {bounds!r}") from None
    lows, highs = _one_each(low, names), _one_each(high, names)
    columns = [
        {"name": name, "kind": {"number": {"min": low, "max": high}}}
        for name, low, high in zip(names, lows, highs, strict=True)
    ]
    return _schema(columns, target, classes)


def from_columns(declared, target, classes):
    """The schema of a frame, from a dict: a column's name and its (min, max), or the list of its values.

    A dict as in a study file, such as {"min": 0, "max": 10, "scale": "log"}, says more.
    """
    columns = [{"name": name, "kind": _kind(name, kind)} for name, kind in declared.items()]
    return _schema(columns, target, classes)


def _kind(name, kind):
    if isinstance(kind, dict):
        if kind.get("drop"):
            return "dropped"
        if "values" in kind:
            return {"category": {"values": [str(value) for value in kind["values"]]}}
        return {"number": kind}
    if isinstance(kind, tuple) and len(kind) == 2 and all(isinstance(end, numbers.Real) for end in kind):
        return {"number": {"min": float(kind[0]), "max": float(kind[1])}}
    if isinstance(kind, list):
        return {"category": {"values": [str(value) for value in kind]}}
    raise InputTypeError(
        f"column {name!r} is declared as {kind!r}; write (min, max), a list of values, or a dict as in a study file"
    )


def _one_each(end, names):
    if isinstance(end, numbers.Real) and not isinstance(end, bool):
        return [float(end)] * len(names)
    try:
        ends = [float(value) for value in end]
    except (TypeError, ValueError):
        raise InputTypeError(f"a bound is a number or one number per column, not {end!r}") from None
    if len(ends) != len(names):
        raise InputError(f"bounds have {len(ends)} columns and X has {len(names)}; give one bound for each column")
    return ends


def _schema(columns, target, classes):
    negative, positive = (str(label) for label in classes)
    labels = {"two": {"positive": [positive], "negative": [negative]}}
    return {"norm": "scale", "target": {"column": target, "labels": labels}, "columns": columns}
