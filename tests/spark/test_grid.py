"""What Spark releases is what the command line releases for the same rows: the files of `crates/discretion-jobs/tests/grid`.

`list.json` there has the table and every pair of what is protected, predicted, paid with and wanted. `cargo test -p discretion-jobs
--test grid` writes it, and compares rows in memory and in a file with the same files.
"""

import io
import json
import pathlib

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
# What a cluster cannot do yet, beside intervals of several classes.
REFUSED = {"evaluation", "private-knots", "base-rate"}


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


def released(model):
    """Everything in a model file but what names the columns that the study drops, and the program."""
    return {key: value for key, value in model.items() if key not in ("program", "schema", "origins")}


@pytest.mark.parametrize("pair", PAIRS, ids=name_of)
def test_a_pair_of_the_grid(rows, pair):
    expected = (GRID / f"{name_of(pair)}.json").read_text()
    y, person = OUTCOMES[pair["outcome"]], {"person": "who"} if pair["unit"] == "persons" else {}
    frame = rows.select("age", "dose", "ward", *person.values(), y)
    of_parts = (pair["outcome"], pair["wanted"]) == ("several", "intervals")
    if pair["wanted"] in REFUSED or of_parts or expected.startswith("refused"):
        with pytest.raises(discretion.Error):
            estimator(pair).fit(frame, y, **person)
        return
    model = estimator(pair).fit(frame, y, **person).model_
    assert released(model) == released(json.loads(expected))
