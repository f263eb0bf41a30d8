"""The page about how good a model is, and the dossier, in a real browser: of two classes, of three, and of a number.

The models are made here by the program itself, under a seed. With SHOTS=1, pictures go to target/browser/shots.
"""

import csv
import json
import os
import random
import subprocess

import pypdf
import pytest

import devtools
import studio
from conftest import SHOTS
from test_report import A4_WITHOUT_MARGINS, VIEWS, looks

STUDY = """
[data]
path = "{name}.csv"
account = "{name}"
{outcome}
[budget]
epsilon = 8
[spend]
epsilon = 4
[columns]
x = {{ min = -1, max = 1 }}
sex = {{ values = ["f", "m", "very rare"] }}
[evaluate]
share = 0.5
by = "sex"
"""
OUTCOMES = {
    "two": 'target = "y"\npositive = "yes"\nnegative = "no"',
    "three": 'target = "y"\nclasses = ["home", "ward", "<b>care & more</b>"]',
    "number": 'outcome = { column = "y", min = 0, max = 10 }',
}


def value(name, x, chance):
    """An outcome that follows x."""
    if name == "number":
        return 5 + 3 * x + chance.gauss(0, 1)
    place = x + chance.gauss(0, 0.4)
    if name == "two":
        return "yes" if place > 0.3 else "no"
    return "home" if place < -0.3 else "ward" if place < 0.3 else "<b>care & more</b>"


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """A folder with model.json, report.html and the dossier, for each kind of outcome."""
    root = tmp_path_factory.mktemp("quality")
    environment = os.environ | {"DISCRETION_LEDGER": str(root / "ledger.sqlite")}
    found = {}
    for name, outcome in OUTCOMES.items():
        (root / f"{name}.toml").write_text(STUDY.format(name=name, outcome=outcome), encoding="utf-8")
        chance = random.Random(5)
        with (root / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["x", "sex", "y"])
            for row in range(8000):
                x = chance.uniform(-1, 1)
                rows.writerow([x, "very rare" if row % 501 == 0 else "fm"[row % 2], value(name, x, chance)])
        fit = ["fit", f"{name}.toml", "--out", name]
        for command in [fit, ["dossier", f"{name}/model.json", "--out", f"{name}/dossier"]]:
            subprocess.run([studio.BINARY, *command], cwd=root, env=environment, check=True, capture_output=True)
        found[name] = root / name
    return found


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", OUTCOMES)
def test_the_page_is_readable_and_asks_for_nothing(browser, folders, name, view):
    url = (folders[name] / "report.html").as_uri()
    with devtools.Page(browser, url, **VIEWS[view]) as page:
        page.screenshot(SHOTS / f"quality-{name}-{view}.png")
        assert page.complaints() == []
        assert page.requests() == [url]
        assert looks(page, "tooWide") == []
        assert looks(page, "crowdedLabels") == []
        assert looks(page, "faintTexts") == []


def section(page):
    """The elements of the section, for questions."""
    return "[...document.querySelectorAll('h2')].find(h => h.textContent == 'How good it is').parentElement"


def table(page, label):
    """The texts of a table, row by row."""
    rows = f"{section(page)}.querySelector('[aria-label=\"{label}\"]').querySelectorAll('tbody tr')"
    return page.evaluate(f"[...{rows}].map(row => [...row.children].map(cell => cell.textContent))")


def test_the_roc_curve_has_its_band_and_the_thresholds_are_the_models(browser, folders):
    quality = json.loads((folders["two"] / "model.json").read_text(encoding="utf-8"))["quality"]
    thresholds = quality["figures"]["thresholds"]
    with devtools.Page(browser, (folders["two"] / "report.html").as_uri()) as page:
        drawn = page.evaluate(
            f"[...{section(page)}.querySelectorAll('.wide svg')].map(s => [s.querySelector('title').textContent, s.querySelectorAll('.band').length])"
        )
        assert drawn == [["ROC curve", 1], ["Reliability diagram", 0]]
        # The band encloses its curve: it is at least as high as the widest interval is.
        heights = page.evaluate(
            f"(() => {{ const svg = {section(page)}.querySelector('.wide svg'); return ['.band', '.paper'].map(part => (svg.querySelector(part) ?? svg).getBoundingClientRect().height); }})()"
        )
        widest = max(at["recall"]["upper"] - at["recall"]["lower"] for at in thresholds)
        assert heights[0] > widest * heights[1] * 0.5 and heights[0] > 0
        rows = table(page, "Thresholds")
        assert len(rows) == len(thresholds)
        for row, at in zip(rows, thresholds, strict=True):
            recall = float(row[2].split("%")[0].strip())
            assert recall == pytest.approx(100 * at["recall"]["value"], abs=0.06)


@pytest.mark.parametrize("name", OUTCOMES)
def test_groups_are_side_by_side_and_a_small_one_is_warned_of(browser, folders, name):
    with devtools.Page(browser, (folders[name] / "report.html").as_uri()) as page:
        groups = [row[0] for row in table(page, "Groups")]
        assert groups == ["f", "m", "very rare", "(all others)"]
        text = page.evaluate(f"{section(page)}.textContent")
        # A few rows more or less: the noise decides whether they say something.
        assert "Next to nothing is known about " in text and "(all others): by the released counts" in text
        assert "NaN" not in text and "inf" not in text


def test_what_rows_of_three_classes_are_called_is_the_models(browser, folders):
    quality = json.loads((folders["three"] / "model.json").read_text(encoding="utf-8"))["quality"]
    with devtools.Page(browser, (folders["three"] / "report.html").as_uri()) as page:
        rows = table(page, "What rows are called")
        assert [row[0] for row in rows] == quality["classes"], "names are text, not markup"
        counts = [[int(cell.replace(",", "").replace("\u202f", "").replace("\u2009", "")) for cell in row[1:]] for row in rows]
        assert counts == [[max(0, round(count)) for count in row] for row in quality["figures"]["calls"]]


def test_prediction_intervals_of_a_number_are_drawn(browser, folders):
    quality = json.loads((folders["number"] / "model.json").read_text(encoding="utf-8"))["quality"]
    with devtools.Page(browser, (folders["number"] / "report.html").as_uri()) as page:
        assert page.evaluate(f"{section(page)}.querySelector('.wide svg title').textContent") == "Prediction intervals"
        rows = table(page, "Prediction intervals")
        held = [float(row[1].split("%")[0].strip()) for row in rows]
        assert held == pytest.approx([100 * at["held"]["value"] for at in quality["figures"]["intervals"]], abs=0.06)


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_page_prints(browser, folders, name):
    path = SHOTS / f"quality-{name}.pdf"
    with devtools.Page(browser, (folders[name] / "report.html").as_uri(), width=int(A4_WITHOUT_MARGINS), dark=True) as page:
        page.pdf(path)
        page.media(dark=True, media="print")
        assert looks(page, "tooWide") == [] and looks(page, "faintTexts") == []
        shown = f"[...{section(page)}.querySelectorAll('.wide, .narrow')].map(f => [f.className, f.checkVisibility()])"
        assert all(visible == (kind == "wide") for kind, visible in page.evaluate(shown)), "paper takes the wide pictures"
    pages = pypdf.PdfReader(path).pages
    assert all(page.extract_text().strip() for page in pages), "no page is empty"


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("file", ["dossier.html", "for-everyone.html"])
@pytest.mark.parametrize("name", ["two", "number"])
def test_the_dossier_is_readable_and_asks_for_nothing(browser, folders, name, file, view):
    url = (folders[name] / "dossier" / file).as_uri()
    with devtools.Page(browser, url, **VIEWS[view]) as page:
        page.screenshot(SHOTS / f"dossier-{name}-{file}-{view}.png")
        assert page.complaints() == []
        assert page.requests() == [url]
        assert looks(page, "tooWide") == []
        assert looks(page, "faintTexts") == []


def test_the_page_for_everyone_is_one_screen(browser, folders):
    url = (folders["two"] / "dossier" / "for-everyone.html").as_uri()
    with devtools.Page(browser, url, width=1200, height=900) as page:
        assert page.evaluate("document.documentElement.scrollHeight") <= 900


def test_the_dossier_prints(browser, folders):
    path = SHOTS / "dossier.pdf"
    url = (folders["two"] / "dossier" / "dossier.html").as_uri()
    with devtools.Page(browser, url, width=int(A4_WITHOUT_MARGINS), dark=True) as page:
        page.pdf(path)
        page.media(dark=True, media="print")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert looks(page, "tooWide") == [] and looks(page, "faintTexts") == []
    pages = pypdf.PdfReader(path).pages
    text = "".join(page.extract_text() for page in pages)
    assert len(pages) <= 6 and "NIST SP 800-226" in text
    assert all(page.extract_text().strip() for page in pages), "no page is empty"
