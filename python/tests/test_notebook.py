"""The notebook of examples/ runs from its first cell to its last, and every cell shows what it is there for."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "python" / "ordinary-day.ipynb"
# What each cell shows: in its result, or in what it prints and warns.
SHOWN = {
    "filtered": ["'(intercept)'", "'age'", "'ward=south'"],
    "summary": ["<table>", "<td", "replacing any one row"],
    "account": ["<b>account ordinary</b>", "spent", "fit from Python"],
    "plot": ["image/png"],
    "again": ["Note: charge 2 of account", "reuse=True", "98"],
    "reused": ["paid for this result before", "(True, True)"],
    "kept": ["cannot pay", "True"],
    "loaded": ["True"],
    "history": ["account opened", "fit from Python"],
    "list": ["Note: lam is a list", "auto"],
    "search": ["Note: GridSearchCV fits 5 copies", "5 times epsilon = 0.5, which is 2.5", "True"],
    "pipeline": ["standardscaler", "private_ is False", "False"],
    "dates": ["(4,)"],
    "parameters": ["1 / (rows × lam)", "equal weights"],
}


@pytest.fixture(scope="module")
def cells():
    pytest.importorskip("ipykernel")
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is kept without outputs"
    with pytest.MonkeyPatch.context() as patch:
        # On a machine that is busy a fit may take so long that its clock is shown among what a cell says.
        patch.setenv("TQDM_DISABLE", "1")
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return {cell["id"]: told(cell) for cell in notebook.cells if cell["cell_type"] == "code"}


def told(cell):
    texts = []
    for output in cell["outputs"]:
        texts.append(output.get("text", ""))
        for kind, data in output.get("data", {}).items():
            texts += [kind, data if kind.startswith("text/") else ""]
    return "\n".join(texts)


@pytest.mark.parametrize("name", SHOWN)
def test_every_cell_shows_what_it_is_there_for(cells, name):
    missing = [words for words in SHOWN[name] if words not in cells[name]]
    assert missing == [], cells[name]


def test_a_plan_refuses_in_the_words_of_the_fit(cells):
    by_plan, by_fit = filter(None, cells["plan"].split("\n"))
    assert by_plan == by_fit and "interval" in by_plan
