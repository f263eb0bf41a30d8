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
OUTCOMES = {"two": "dead", "several": "stage", "number": "days", "huber": "days"}
# The name of the estimator, and what it is told of its outcome.
ESTIMATORS = {
    "two": ("LogisticRegression", {"classes": ("no", "yes")}),
    "several": ("LogisticRegression", {"classes": ("none", "mild", "severe")}),
    "number": ("LinearRegression", {"y_bounds": (0, 60)}),
    "huber": ("HuberRegressor", {"y_bounds": (0, 60)}),
}
# What does not go with a cluster: `cargo test -p discretion-jobs --test support` writes it from the table.
RULES = [rule for rule in json.loads((GRID.parent / "support" / "rules.json").read_text()) if "Cluster" in rule["with"]]
FEATURES = {
    "several": {"SeveralClasses"},
    "number": {"Number", "Squares"},
    "huber": {"Number", "Huber"},
    "persons": {"Persons"},
    "weights": {"NotEverybody", "Weights"},
    "evaluation": {"Evaluate"},
    "private-knots": {"PrivateKnots"},
    "base-rate": {"BaseRate"},
    "intervals": {"Intervals"},
}


def name_of(pair):
    return "-".join(pair[axis] for axis in ("outcome", "unit", "budget", "wanted"))


TABLE = pandas.read_csv(io.StringIO(LIST["table"]), keep_default_na=False)


@pytest.fixture(scope="module")
def rows(spark):
    return partitioned(spark, TABLE, [0, 1, 1, 300, len(TABLE)])


def estimator(module, pair, study):
    """The estimator of a pair, by `module`: parameters say what the study says."""
    name, settings = ESTIMATORS[pair["outcome"]]
    settings = {**settings, "lam": 0.01, "random_state": LIST["seed"], **BUDGETS[pair["budget"]]}
    dose = {"min": 0, "max": 12}
    if pair["wanted"] in ("curves", "private-knots"):
        dose["curve"] = 4
    if pair["wanted"] == "private-knots":
        dose["knots"] = "private"
    schema = discretion.Schema({"age": (0, 100), "dose": dose, "ward": ["a", "b"]})
    # A column of weights is said in a study alone.
    settings["schema"] = study if pair["unit"] == "weights" else schema
    if pair["wanted"] == "tuned":
        settings["lam"] = [0.01, 0.1]
    if pair["wanted"] == "base-rate":
        settings["base_rate"] = "private"
    if pair["wanted"] == "evaluation":
        settings["evaluate"] = 0.4
    if pair["wanted"] == "intervals":
        settings["level" if name == "LinearRegression" else "intervals"] = 0.9
    return getattr(module, name)(**settings)


def refusal(pair):
    """The sentence of the table that refuses a pair on a cluster; none if it works."""
    if pair["wanted"] == "tuned" and pair["outcome"] in ("number", "huber"):
        # A parameter is refused before the table is asked.
        return 'lam is one number, or "auto"'
    features = {"Cluster"}.union(*(FEATURES.get(word, set()) for word in pair.values()))
    return next((rule["sentence"] for rule in RULES if features.issuperset(rule["with"])), None)


def released(model):
    """Everything in a model file but what names the columns that the study drops, and the program."""
    return {key: value for key, value in model.items() if key not in ("program", "schema", "origins")}


def nearly(found, expected):
    """Whether two model files differ in the last digits of numbers alone. Sums of evaluations are whole numbers of small units."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(nearly(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(nearly, found, expected))
    is_number = isinstance(expected, (int, float)) and not isinstance(expected, bool)
    return found == (pytest.approx(expected, rel=1e-4, abs=1e-9) if is_number else expected)


@pytest.mark.parametrize("pair", LIST["combinations"], ids=name_of)
def test_a_pair_of_the_grid(rows, pair, tmp_path):
    expected = (GRID / f"{name_of(pair)}.json").read_text()
    study = tmp_path / "study.toml"
    study.write_text(pair["study"])
    y, person = OUTCOMES[pair["outcome"]], {"person": "who"} if pair["unit"] == "persons" else {}
    names = ["age", "dose", "ward", *person.values(), *(["w"] if pair["unit"] == "weights" else []), y]
    try:
        ours = estimator(discretion.spark, pair, study)
    except TypeError as error:
        # What no number can have is no parameter of its estimators.
        assert "has no parameter" in str(error) and expected.startswith("refused")
        return
    sentence = refusal(pair)
    if sentence is not None or expected.startswith("refused"):
        with pytest.raises(discretion.Error, match=sentence and re.escape(sentence)):
            ours.fit(rows.select(names), y, **person)
        return
    model = ours.fit(rows.select(names), y, **person).model_
    if "y_bounds" not in ESTIMATORS[pair["outcome"]][1]:
        assert released(model) == released(json.loads(expected))
        return
    # A number that comes from Python is rounded twice on its way into a row, and one from a file once.
    in_memory = estimator(discretion, pair, study).fit(TABLE[names[:-1]], TABLE[y], **person).model_
    assert model == in_memory
    assert nearly(released(model), released(json.loads(expected)))
