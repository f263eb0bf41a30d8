"""What a dict says about a column, as in a study file."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _curve, _discretion, _values
from ._errors import InputError, InputTypeError, shown


def columns(name: Any, declared: Any, na: list[str], kind: Callable[[Any, Any], Any]) -> list[dict[str, Any]]:
    """The columns that a declaration makes, as Rust reads them: one, or a date and its parts.

    `kind` reads what is said about values. Here is what is said about their texts.
    """
    if not isinstance(declared, Mapping):
        return [_column(name, kind(name, declared), {"na": na})]
    words = dict(declared)
    if words.get("drop"):
        return [_column(name, kind(name, words), {})]
    na = list(dict.fromkeys([*na, *texts(f"column {shown(name)}: na", words.pop("na", ()))]))
    said = words.pop("kind", None)
    curve = _curve.taken_from(name, words)
    if said == "date":
        words = {word: _date(value) for word, value in words.items()}
        made = json.loads(_discretion.date_columns(str(name), json.dumps({**words, "na": na}, default=str)))
        # The parts of a date are categories, and come behind it.
        return [column | ({"curve": curve} if curve and column["name"] == str(name) else {}) for column in made]
    if said not in (None, "number", "category"):
        raise InputTypeError(f'column {shown(name)}: kind is "number", "category" or "date", not {shown(said)}')
    reading: dict[str, Any] = {"na": na}
    if "groups" in words:
        reading["groups"] = _groups(name, words.pop("groups"))
        values = [_values.text(value) for value in words.get("values", ())]
        words["values"] = list(dict.fromkeys([*values, *(group["name"] for group in reading["groups"])]))
    if "one_of" in words:
        if "values" in words:
            raise InputError(f"column {shown(name)} has one_of, and values or groups; its values are the indicators, so leave out the others")
        reading["one_of"] = words["values"] = texts(f"column {shown(name)}: one_of", words.pop("one_of"))
    if "labels" in words:
        words["labels"] = {_values.text(value): label for value, label in words["labels"].items()}
    if "values" in words:
        words = _curve.with_own_missing(curve, words, "none" if "one_of" in reading else "missing")
        curve = None
    return [_column(name, kind(name, words), reading) | ({"curve": curve} if curve else {})]


def texts(what: str, given: Any) -> list[str]:
    """A text, or several."""
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Sequence):
        raise InputTypeError(f"{what} is a list of texts, not {shown(given)}")
    # The empty text means that a value is missing in any case.
    return [text for text in map(_values.text, given) if text]


def _groups(name: Any, groups: Any) -> list[dict[str, Any]]:
    if not isinstance(groups, Mapping):
        raise InputTypeError(f'column {shown(name)}: groups is a dict such as {{"circulatory": ["390..459"]}}, not {shown(groups)}')
    return [{"name": str(group), "codes": texts("a group", codes)} for group, codes in groups.items()]


def _date(value: Any) -> Any:
    """A date of Python, or of pandas, as text."""
    return value.isoformat() if isinstance(value, datetime.date) else value


def _column(name: Any, kind: Any, reading: dict[str, Any]) -> dict[str, Any]:
    reading = {word: said for word, said in reading.items() if said}
    return {"name": str(name), "kind": kind} | ({"reading": reading} if reading else {})
