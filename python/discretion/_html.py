"""Results as notebooks show them: the words of the command line, in tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Any

# A name, two spaces or more, and what is to be said; in one block all of that begins in one place.
_FACT = re.compile(r"(\S+(?: \S+)*?) {2,}(\S.*)")
_CELL = "padding:0.15em 0.9em 0.15em 0"


def escape(value: Any) -> str:
    """Any value as a text of a page."""
    return html.escape(str(value), quote=True)


def table(header: Sequence[str], lines: Iterable[Sequence[Any]], numbers: Sequence[int] = ()) -> str:
    """A table; the columns at these places are set to the right, as numbers are."""

    def cells(kind: str, values: Sequence[Any]) -> str:
        align = ["right" if place in numbers else "left" for place in range(len(values))]
        return "".join(
            f'<{kind} style="text-align:{side};{_CELL}">{escape(value)}</{kind}>'
            for side, value in zip(align, values, strict=True)
        )

    head = f"<thead><tr>{cells('th', header)}</tr></thead>" if header else ""
    body = "".join(f"<tr>{cells('td', line)}</tr>" for line in lines)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def of_text(text: str) -> str:
    """What the command line prints: sentences, lines of a name and a value, and tables that are left as they are."""
    parts = []
    for block in text.strip("\n").split("\n\n"):
        lines = block.split("\n")
        facts = [_FACT.fullmatch(line) for line in lines]
        if all(facts) and len({fact.start(2) for fact in facts}) == 1:
            parts.append(table((), [fact.groups() for fact in facts]))
        elif len(lines) == 1:
            parts.append(f"<p>{escape(block)}</p>")
        else:
            parts.append(f"<pre>{escape(block)}</pre>")
    return "<div>" + "".join(parts) + "</div>"


def number(value: float | None, digits: int = 4) -> str:
    """A number in a few digits; nothing for none."""
    return "" if value is None else f"{value:.{digits}g}"
