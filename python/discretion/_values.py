"""When two values are the same: docs/values.md."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


def text(value: Any) -> str:
    """A value as Arrow writes it."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def usual(value: Any) -> str:
    """The same text for all spellings of a value."""
    spelled = text(value).strip(" \t")
    if spelled in ("True", "TRUE", "False", "FALSE"):
        return spelled.lower()
    if not _NUMBER.fullmatch(spelled):
        return spelled
    if "." in spelled:
        spelled = spelled.rstrip("0").rstrip(".")
    return "0" if spelled == "-0" else spelled
