"""What Spark releases is what the command line releases for the same rows: the files of `crates/discretion-jobs/tests/grid`.

`list.json` there has the table and every pair of what is protected, predicted, paid with and wanted. `cargo test -p discretion-jobs
--test grid` writes it, and compares rows in memory and in a file with the same files.
"""

import io
import json
import pathlib
import re

import discretion
import discretion.spark
import pandas
import pytest
from conftest import partitioned

GRID = pathlib.Path(__file__).resolve().parents[2] / "crates" / "discretion-jobs" / "tests" / "grid"
LIST = json.loads((GRID / "list.json").read_text())
BUDGETS = {"pure": {"epsilon": 80.0}, "gaussian": {"rho": 5.0}}
OUTCOMES = {"two": "dead", "several": "stage"}
CLASSES = {"two": ("no", "yes"), "several": ("none", "mild", "severe")}
# What does not go with a cluster: `cargo test -p discretion-jobs --test support` writes it from the table.
RULES = [rule for rule in json.loads((GRID.parent / "support" / "rules.json").read_text()) if "Cluster" in rule["with"]]
FEATURES = {
    "several": "SeveralClasses",
    "persons": "Persons",
    "evaluation": "Evaluate",
    "private-knots": "PrivateKnots",
    "base-rate": "BaseRate",
    "intervals": "Intervals",
}


def name_of(pair):
    return "-".join(pair[axis] for axis in ("outcome", "unit", "budget", "wanted"))


# A cluster does not know weights. A number that comes from Python is not rounded as one from a file is, so its last digits differ:
# test_outcomes.py compares numbers with rows in memory.
PAIRS = [pair for pair in LIST["combinations"] if pair["unit"] != "weights" and pair["outcome"] in OUTCOMES]


@pytest.fixture(scope="module")
def rows(spark):
    table = pandas.read_csv(io.StringIO(LIST["table"]), keep_default_na=False)
    return partitioned(spark, table, [0, 1, 1, 300, len(table)])


def estimator(pair):
    """The estimator of a pair: parameters say what the study says."""
    dose = {"min": 0, "max": 12}
    if pair["wanted"] in ("curves", "private-knots"):
        dose["curve"] = 4
    if pair["wanted"] == "private-knots":
        dose["knots"] = "private"
    schema = discretion.Schema({"age": (0, 100), "dose": dose, "ward": ["a", "b"]})
    settings = {"schema": schema, "lam": 0.01, "random_state": LIST["seed"], **BUDGETS[pair["budget"]]}
    if pair["wanted"] == "tuned":
        settings["lam"] = [0.01, 0.1]
    if pair["wanted"] == "base-rate":
        settings["base_rate"] = "private"
    if pair["wanted"] == "evaluation":
        settings["evaluate"] = 0.4
    if pair["wanted"] == "intervals":
        settings["intervals"] = 0.9
    return discretion.spark.LogisticRegression(classes=CLASSES[pair["outcome"]], **settings)


def refusal(pair):
    """The sentence of the table that refuses a pair on a cluster; none if it works."""
    features = {"Cluster", *(FEATURES[word] for word in pair.values() if word in FEATURES)}
    return next((rule["sentence"] for rule in RULES if features.issuperset(rule["with"])), None)


def released(model):
    """Everything in a model file but what names the columns that the study drops, and the program."""
    return {key: value for key, value in model.items() if key not in ("program", "schema", "origins")}


@pytest.mark.parametrize("pair", PAIRS, ids=name_of)
def test_a_pair_of_the_grid(rows, pair):
    expected = (GRID / f"{name_of(pair)}.json").read_text()
    y, person = OUTCOMES[pair["outcome"]], {"person": "who"} if pair["unit"] == "persons" else {}
    frame = rows.select("age", "dose", "ward", *person.values(), y)
    sentence = refusal(pair)
    if sentence is not None or expected.startswith("refused"):
        with pytest.raises(discretion.Error, match=sentence and re.escape(sentence)):
            estimator(pair).fit(frame, y, **person)
        return
    model = estimator(pair).fit(frame, y, **person).model_
    assert released(model) == released(json.loads(expected))
