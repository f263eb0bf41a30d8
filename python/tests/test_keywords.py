"""The table of keywords in docs/python.md is that of the estimators."""

import inspect
import pathlib

import discretion

DOCS = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


def test_the_docs_name_every_keyword_of_every_estimator():
    lines = DOCS.read_text().split("## Which keyword is whose")[1].split("\n## ")[0].splitlines()
    header, _, *table = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    assert header[:2] == ["keyword", "what it says"] and all(about for _, about, *_ in table)
    for place, name in enumerate(header[2:], start=2):
        documented = {row[0] for row in table if row[place] == "yes"}
        keywords = set(inspect.signature(getattr(discretion, name).__init__).parameters) - {"self"}
        assert documented == keywords, name
