"""Links and headings in Markdown. Used to move pages, and to check them."""

import re
from collections import Counter
from collections.abc import Callable

# Code in fences and code in a line: nothing in it is a link or a heading.
CODE = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE)
# [text](target), pictures too. A text may have one level of brackets in it, and may go over a line's end.
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+(?:\([^()\s]*\))?)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#* *$", re.MULTILINE)


def masked(text: str) -> str:
    """The text with its code blotted out, every character at its place."""
    return CODE.sub(lambda code: re.sub(r"[^\n]", "·", code.group()), text)


def targets(text: str) -> list[str]:
    """What the text links to."""
    return [link[1] for link in LINK.finditer(masked(text))]


def with_targets(text: str, change: Callable[[str], str]) -> str:
    """The text with every target changed."""
    pieces, end = [], 0
    for link in LINK.finditer(masked(text)):
        pieces += [text[end : link.start(1)], change(link[1])]
        end = link.end(1)
    return "".join([*pieces, text[end:]])


def is_elsewhere(target: str) -> bool:
    """Whether a link leads out of the repository."""
    return re.match(r"[a-z][a-z0-9+.-]*:", target) is not None


def anchors(text: str) -> set[str]:
    """What `#…` may be on a page, as forges make it from headings: letters, digits, `-` and `_`."""
    found: Counter[str] = Counter()
    names = set()
    blotted = masked(text)
    for heading in HEADING.finditer(blotted):
        title = text[heading.start(1) : heading.end(1)]
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        names.add(name if not found[name] else f"{name}-{found[name]}")
        found[name] += 1
    return names
