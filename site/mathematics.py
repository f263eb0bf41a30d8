"""LaTeX to MathML, by KaTeX, in the dialect that Chromium, Firefox and Safari all set: MathML Core."""

import importlib.util
import json
import unicodedata
from functools import cache
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from py_mini_racer import MiniRacer

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
ElementTree.register_namespace("", NAMESPACE)
APPLY, PRIME = "\u2061", "\u2032"
# KaTeX writes bars with the signs for "divides" and "is parallel to".
BARS = {"\u2223": "|", "\u2225": "\u2016"}
# The signs of a keyboard stand too high and too far left as accents.
ACCENTS = {"^": "\u02c6", "~": "\u02dc"}
ALPHABETS = {
    "bold": "BOLD",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
    "fraktur": "FRAKTUR",
    "script": "SCRIPT",
}


class NotLatex(Exception):
    """What KaTeX does not understand."""


def typeset(latex: str, block: bool) -> str:
    """HTML that shows a formula, in a line or on a line of its own."""
    math = ElementTree.fromstring(katex(latex, block))
    # Beside the formula KaTeX gives its LaTeX, which nobody sees and search would find.
    formula = math[0][0]
    math[:] = [formula]
    number = tag_of(formula)
    if number is not None:
        math[:] = [formula[0][1][0]]
    for element in math.iter():
        mended = {"mtable": align, "mi": letter, "mo": operator, "msup": prime, "mover": accent}.get(name_of(element))
        if mended:
            mended(element)
    space(math)
    html = ElementTree.tostring(math, encoding="unicode", short_empty_elements=False)
    number = f'<span class="tag">{number}</span>' if number else ""
    return f'<div class="equation">{html}{number}</div>' if block else html


def katex(latex: str, block: bool) -> str:
    options = {"displayMode": block, "output": "mathml", "throwOnError": True, "strict": "error"}
    # Caught there: after an error that comes out of the engine it may never answer again.
    call = f"katex.renderToString({json.dumps(latex)}, {json.dumps(options)})"
    html = engine().eval(f"try {{ {call} }} catch (error) {{ 'wrong: ' + error.message }}")
    if html.startswith("wrong: "):
        raise NotLatex(html.removeprefix("wrong: "))
    return html.removeprefix('<span class="katex">').removesuffix("</span>").replace("&nbsp;", "\u00a0")


@cache
def engine() -> MiniRacer:
    [folder] = importlib.util.find_spec("sphinxcontrib").submodule_search_locations
    javascript = MiniRacer()
    javascript.eval("var self = this;" + Path(folder, "katex.min.js").read_text(encoding="utf-8") + "; 0")
    return javascript


def name_of(element: Element) -> str:
    return element.tag.removeprefix(f"{{{NAMESPACE}}}")


def tag_of(formula: Element) -> str | None:
    """The number of an equation, which KaTeX writes as the last cell of a table as wide as the page."""
    if name_of(formula) != "mtable" or formula.get("width") != "100%":
        return None
    return "".join(formula[0][-1].itertext())


def align(table: Element) -> None:
    """MathML Core knows no `columnalign` and no `columnspacing`: cells say it themselves."""
    sides = table.attrib.pop("columnalign", "center").split()
    spacing = table.attrib.pop("columnspacing", "1em").split()
    table.attrib.pop("rowspacing", None)
    for row in table:
        for place, cell in enumerate(row):
            side = sides[min(place, len(sides) - 1)]
            before = spacing[min(place, len(spacing)) - 1] if place else "0.1em"
            cell.set("style", f"text-align: {side}; padding: 0.25em 0 0.25em {before}")


def letter(element: Element) -> None:
    """MathML Core knows no alphabets: their letters are characters of their own."""
    element.text = BARS.get(element.text, element.text)
    alphabet = ALPHABETS.get(element.get("mathvariant"))
    if alphabet and element.text:
        element.text = "".join(in_alphabet(character, alphabet) for character in element.text)
        element.set("mathvariant", "normal")


def in_alphabet(character: str, alphabet: str) -> str:
    name = unicodedata.name(character, "").replace("LATIN ", "").replace("GREEK ", "").replace("LETTER ", "")
    for full in (f"MATHEMATICAL {alphabet} {name}", f"{alphabet} {name}"):
        try:
            return unicodedata.lookup(full)
        except KeyError:
            continue
    return character


def operator(element: Element) -> None:
    """A bar around something stands close to it."""
    if element.text in BARS and (element.get("stretchy") == "false" or element.get("fence") == "true"):
        element.text = BARS[element.text]
        element.attrib |= {"lspace": "0em", "rspace": "0em"}


def prime(raised: Element) -> None:
    """A prime stands high as it is, and is not raised once more."""
    signs = [sign for sign in raised[1].iter() if name_of(sign) == "mo"]
    if signs and "".join(raised[1].itertext()).strip(PRIME) == "":
        for sign in signs:
            sign.attrib |= {"lspace": "0em", "rspace": "0em"}
        raised.tag = f"{{{NAMESPACE}}}mrow"


def accent(over: Element) -> None:
    sign = over[1]
    if over.get("accent") == "true" and sign.text in ACCENTS and sign.get("stretchy") != "true":
        sign.text = ACCENTS[sign.text]
        sign.set("stretchy", "false")


def space(parent: Element) -> None:
    """Thin spaces around the name of a function. KaTeX marks it with a sign that browsers pass over."""
    for place in range(len(parent) - 1, -1, -1):
        if not ends_with_a_function(parent[place]):
            continue
        after = parent[place + 1] if place + 1 < len(parent) else None
        if after is not None and not is_opening(after):
            parent.insert(place + 1, thin_space())
        # The sign stands after the name, or is part of what has a limit below it.
        before = place - 2 if is_sign(parent[place]) else place - 1
        if before >= 0 and name_of(parent[before]) not in ("mo", "mspace"):
            parent.insert(before + 1, thin_space())
    for child in parent:
        space(child)


def ends_with_a_function(element: Element) -> bool:
    limited = name_of(element) in ("munder", "mover", "munderover", "msub", "msup", "msubsup") and len(element[0]) > 0
    return is_sign(element) or (limited and is_sign(element[0][-1]))


def is_sign(element: Element) -> bool:
    return name_of(element) == "mo" and element.text == APPLY


def is_opening(element: Element) -> bool:
    return name_of(element) == "mo" and (element.text or "") in "([{⌈⌊|‖"


def thin_space() -> Element:
    return Element(f"{{{NAMESPACE}}}mspace", {"width": "0.1667em"})
