"""What is computed from public numbers, as objects that show themselves as the command line does."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any

from ._results import Summary


@dataclass(frozen=True, repr=False)
class CommandOutput:
    """Numbers by name. It shows itself as the text that the command line prints."""

    _json: str = field(compare=False)
    _text: str = field(compare=False)

    @classmethod
    def _of(cls, written: str, text: str) -> Any:
        return cls(written, text, **by_name(cls, json.loads(written)))

    def to_dict(self) -> Any:
        """What the command line prints with ``--json``."""
        return json.loads(self._json)

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        return Summary(self)._repr_html_()

    def __str__(self) -> str:
        return self._text.rstrip("\n")


def by_name(cls: type, numbers: dict[str, Any]) -> dict[str, Any]:
    """The fields of a class, None where there is nothing. `lambda` is a word of Python and is called `lam`."""
    numbers = {name.replace("lambda", "lam"): value for name, value in numbers.items()}
    return {f.name: _frozen(numbers.get(f.name)) for f in fields(cls) if not f.name.startswith("_")}


def _frozen(value: Any) -> Any:
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value
