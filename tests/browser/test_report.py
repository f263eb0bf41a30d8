"""The report in a real browser: it asks for nothing, says what the model says, and can be read on paper and on a phone.

Reads the pages that the example sample_report wrote to target/browser/sample, and those in the folders that REPORT_DIRS
names (report.html beside its model.json). With SHOTS=1, pictures of them go to target/browser/shots.
"""

import json
import os
import pathlib

import pypdf
import pytest

import devtools
from conftest import SHOTS

SAMPLE = SHOTS.parent / "sample"
LOOKS = pathlib.Path(__file__).with_name("looks.js").read_text(encoding="utf-8")
ON_PAPER, MOST_IN_PLOT = 30, 40
A4_WITHOUT_MARGINS = 182 * 96 / 25.4
PHONE = {"width": 360, "height": 740, "phone": True}
VIEWS = {"light": {}, "dark": {"dark": True}, "phone": PHONE, "phone-dark": PHONE | {"dark": True}, "tablet": {"width": 720}}

NAMED = [pathlib.Path(folder).resolve() for folder in os.environ.get("REPORT_DIRS", "").split(os.pathsep) if folder]
FOLDERS = sorted(page.parent for page in SAMPLE.glob("*/report.html")) + NAMED
CHARTS = sorted(SAMPLE.glob("charts/*.svg"))
# Pages of hundreds of coefficients take long to look at, and their parts are those of the others: two views of them are enough.
SEEN = [(folder, view) for folder in FOLDERS for view in VIEWS if view in ("light", "phone-dark") or not folder.name.startswith("codes")]


@pytest.fixture(scope="session")
def wide(browser):
    """The page of a folder on a wide screen, opened once for all tests that only look at it."""
    pages = {}

    def opened(folder):
        if folder not in pages:
            pages[folder] = devtools.Page(browser, (folder / "report.html").as_uri())
        return pages[folder]

    yield opened
    for page in pages.values():
        page.close()


def looks(page, question):
    return page.evaluate(f"(() => {{ {LOOKS}\nreturn {question}(); }})()")


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def folder(request):
    return request.param


def test_there_is_something_to_test():
    assert len(FOLDERS) >= 4 and len(CHARTS) >= 4, "make browser writes the sample pages first"


@pytest.mark.parametrize(("folder", "view"), SEEN, ids=lambda part: getattr(part, "name", part))
def test_every_view_is_readable_and_asks_for_nothing(browser, folder, view):
    url = (folder / "report.html").as_uri()
    with devtools.Page(browser, url, **VIEWS[view]) as page:
        page.screenshot(SHOTS / f"{folder.name}-{view}.png")
        assert page.complaints() == []
        assert page.requests() == [url]
        assert looks(page, "tooWide") == []
        assert looks(page, "crowdedLabels") == []
        assert looks(page, "faintTexts") == []


def test_tables_fit_a_laptop(browser, folder):
    with devtools.Page(browser, (folder / "report.html").as_uri(), width=1100) as page:
        page.screenshot(SHOTS / f"{folder.name}-laptop.png")
        assert looks(page, "cutTables") == []


SHOWN = "[...document.querySelectorAll('.many tbody tr')].filter(row => row.checkVisibility()).map(row => row.firstChild.textContent)"


def test_many_coefficients_can_be_searched(browser, wide, folder):
    model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    effects = sum(entry.get("effect") is not None for entry in model["coefficients"]) or len(model["coefficients"]) - 1
    assert wide(folder).evaluate("!!document.querySelector('.search')") == (effects > MOST_IN_PLOT)
    if effects <= MOST_IN_PLOT:
        return
    with devtools.Page(browser, (folder / "report.html").as_uri()) as page:
        all_rows = page.evaluate(SHOWN)
        assert len(all_rows) == len(model["coefficients"]) and all_rows[0] == "intercept"

        def find(words):
            page.evaluate(f"document.querySelector('.search input').value = {json.dumps(words)}")
            page.evaluate("document.querySelector('.search input').dispatchEvent(new Event('input'))")
            return page.evaluate(SHOWN)

        wanted = all_rows[7]
        assert find(wanted.upper()) == [row for row in all_rows if wanted.lower() in row.lower()]
        assert page.evaluate("document.querySelector('.search output').textContent").endswith(f" of {len(all_rows):,}")
        page.screenshot(SHOTS / f"{folder.name}-found.png")
        assert find("no such words") == [] and find("") == all_rows
        assert page.complaints() == []
    with devtools.Page(browser, (folder / "report.html").as_uri(), scripts=False) as page:
        assert page.evaluate(SHOWN) == all_rows, "without scripts everything is there"
        assert not page.evaluate("document.querySelector('.search').checkVisibility()")


def test_the_most_certain_effects_come_first(wide, folder):
    model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    effects = {entry["name"]: entry["effect"] for entry in model["coefficients"] if entry.get("effect")}
    marks = looks(wide(folder), "marks")[0]
    if len(effects) <= MOST_IN_PLOT or any(effect.get("interval") is None for effect in effects.values()):
        return
    sizes = [abs(mark["estimate"]) / (mark["upper"] - mark["lower"]) for mark in marks]
    assert sizes == sorted(sizes, reverse=True)
    told = [(e["interval"].get("estimate", e["value"]), e["interval"]) for e in effects.values()]
    largest = sorted((abs(value) / (interval["upper"] - interval["lower"]) for value, interval in told), reverse=True)
    assert sizes == pytest.approx(largest[:MOST_IN_PLOT])


def test_marks_are_the_models_numbers(wide, folder):
    model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    entries = {entry["name"]: entry for entry in model["coefficients"] if entry["name"] != "(intercept)"}
    # Effects where there are any; a value that others are compared with has none. Else coefficients as they are encoded.
    effects = {name: entry["effect"] for name, entry in entries.items() if entry.get("effect")}
    effects = effects or {name: entry | {"value": entry["encoded"]} for name, entry in entries.items()}
    # Pictures of the model's quality have no effects in them.
    plots = [marks for marks in looks(wide(folder), "marks") if marks]
    assert len(plots) == 2, "one plot for wide screens and paper, one for phones"
    for marks in plots:
        assert len(marks) == min(len(effects), MOST_IN_PLOT)
        assert len({mark["name"] for mark in marks}) == len(marks)
        for mark in marks:
            entry = effects[mark["name"]]
            interval = entry.get("interval") or {}
            told = (mark["estimate"], mark["lower"], mark["upper"])
            assert told == (interval.get("estimate", entry["value"]), interval.get("lower"), interval.get("upper"))
        # What is drawn is a straight line through what is told.
        pairs = [(mark["estimate"], mark["dot"]) for mark in marks]
        pairs += [(mark[end], mark[x]) for mark in marks for end, x in [("lower", "left"), ("upper", "right")] if mark[end] is not None]
        (low, at_low), (high, at_high) = min(pairs), max(pairs)
        slope = (at_high - at_low) / (high - low)
        assert slope > 0
        assert all(abs(at_low + slope * (value - low) - x) < 0.05 for value, x in pairs)


def test_paper(browser, folder):
    path = SHOTS / f"{folder.name}.pdf"
    with devtools.Page(browser, (folder / "report.html").as_uri(), width=int(A4_WITHOUT_MARGINS), dark=True) as page:
        page.pdf(path)
        page.media(dark=True, media="print")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert looks(page, "faintTexts") == []
        assert looks(page, "tooWide") == [], "Chromium would shrink the page to fit"
        shown = page.evaluate("document.querySelector('.wide').checkVisibility() && !document.querySelector('.narrow').checkVisibility()")
        assert shown, "paper takes the wide plot, and that one only"
    pages = pypdf.PdfReader(path).pages
    model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    if len(model["coefficients"]) <= ON_PAPER:
        assert len(pages) <= 2 + ("quality" in model)
    assert all(page.extract_text().strip() for page in pages), "no page is empty"


def test_structure_is_there_for_those_who_listen(wide, folder):
    page = wide(folder)
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.evaluate("document.querySelectorAll('h1').length") == 1
    assert page.evaluate("[...document.querySelectorAll('th')].every(th => th.scope)")
    assert page.evaluate("[...document.querySelectorAll('svg')].every(s => s.querySelector('title').textContent)")
    assert page.evaluate("[...document.querySelectorAll('.scroll')].every(s => s.tabIndex == 0 && s.ariaLabel)")
    assert page.evaluate("document.querySelectorAll('meta[name=viewport]').length") == 1


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.stem)
def test_charts_stand_alone(browser, chart, dark):
    with devtools.Page(browser, chart.as_uri(), width=700, height=500, dark=dark) as page:
        page.screenshot(SHOTS / f"chart-{chart.stem}-{'dark' if dark else 'light'}.png")
        assert page.evaluate("document.documentElement.tagName") == "svg", "the file is well-formed"
        assert page.complaints() == [] and page.requests() == [chart.as_uri()]
        assert looks(page, "crowdedLabels") == []
        paper = page.evaluate("getComputedStyle(document.querySelector('.paper')).fill")
        assert (paper == "rgb(255, 255, 255)") == (not dark)


def test_the_checks_can_fail(browser, tmp_path):
    """A page with everything wrong is caught on every count."""
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<meta name=viewport content='width=device-width'><body style='background:#fff'><img src='missing.png'><div style='width:900px'>wide</div>"
        "<p style='color:#bbb'>faint</p><script>console.error('x')</script>"
        "<svg width=100 height=50><text x=0 y=20>one</text><text x=5 y=22>two</text></svg>",
        encoding="utf-8",
    )
    with devtools.Page(browser, bad.as_uri(), **PHONE) as page:
        assert any("console" in said.lower() or "error" in said for said in page.complaints())
        assert len(page.requests()) == 2
        assert looks(page, "tooWide") and looks(page, "crowdedLabels") and looks(page, "faintTexts")
