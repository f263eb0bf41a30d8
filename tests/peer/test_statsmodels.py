"""With much budget and little lambda, intervals are those of an ordinary logistic regression with robust errors (HC0).

Statsmodels fits the raw columns; ours are read from model.json in the columns' own units, and as differences from the first
category. Some rows have a category that is not declared: without them the categories and the intercept would say the same thing
twice, and only lambda, not the rows, could tell them apart.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
import statsmodels.api as sm

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("DISCRETION_BINARY", ROOT / "target" / "quick" / "discretion")).resolve()

STUDY = """
[data]
path = "table.csv"
account = "peer"
target = "y"
positive = "1"
negative = "0"

[budget]
{budget}

[spend]
{budget}

[columns]
age = {{ min = 0, max = 10 }}
dose = {{ min = -3, max = 3 }}
ward = {{ values = ["a", "b", "c"] }}

[model]
lambda = 2e-6
method = "objective"

[intervals]
level = 0.95
"""

# So much that the noise disappears beside the sampling error.
BUDGETS = {"pure": "epsilon = 1000", "rho": "rho = 100000", "approximate": "epsilon = 1000\ndelta = 1e-6"}


def fitted(folder, study, lines, flags):
    """The coefficients of a model, by name."""
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    (folder / "study.toml").write_text(study)
    command = [str(BINARY), "fit", "study.toml", "--out", "out", *flags]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (file,) = (folder / "out").glob("*model.json")
    model = json.loads(file.read_text(encoding="utf-8"))
    return {entry["name"]: entry for entry in model["coefficients"]}


def found_and_asked(ours, peer):
    """Intervals of two numbers and of two categories beside the first: ours, and a peer's test of the same."""
    asked = peer.t_test(np.array([[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, -1, 1, 0], [0, 0, 0, -1, 0, 1]]))
    found = [ours[name]["per_unit_interval"] for name in ["age", "dose"]]
    return found + [ours[name]["effect"]["interval"] for name in ["ward=b", "ward=c"]], asked


@pytest.mark.parametrize("kind", BUDGETS)
def test_intervals_are_those_of_robust_errors(tmp_path, kind):
    """Widths come from the rows' second moments, as if margins were normal and the model right: to a twentieth, here."""
    rng = np.random.default_rng(3)
    n = 60_000
    age, dose, ward = rng.uniform(0, 10, n).round(3), rng.uniform(-3, 3, n).round(3), rng.integers(0, 4, n)
    # The model is wrong on purpose (a squared term is left out), so that robust errors differ from the usual ones.
    logit = -0.5 + 0.2 * age - 0.4 * dose + 0.1 * dose**2 + np.array([0.0, 0.5, -0.3, 0.2])[ward]
    y = rng.uniform(size=n) < 1 / (1 + np.exp(-logit))
    lines = [f"{a},{d},{'abcd'[w]},{int(label)}" for a, d, w, label in zip(age, dose, ward, y)]
    study = STUDY.format(budget=BUDGETS[kind])
    ours = fitted(tmp_path, study, ["age,dose,ward,y", *lines], ["--seed", "5"])

    columns = np.column_stack([np.ones(n), age, dose, ward == 0, ward == 1, ward == 2]).astype(float)
    peer = sm.Logit(y.astype(float), columns).fit(disp=0, cov_type="HC0")
    found, asked = found_and_asked(ours, peer)
    for (lower, upper), interval, p in zip(asked.conf_int(0.05), found, asked.pvalue):
        width = upper - lower
        assert abs(interval["lower"] - lower) < 0.05 * width
        assert abs(interval["upper"] - upper) < 0.05 * width
        assert abs((interval["upper"] - interval["lower"]) / width - 1) < 0.05
        assert abs(interval["p_value"] - p) < 0.02
        assert interval["privacy_deviation"] < 0.1 * interval["sampling_deviation"]


@pytest.mark.parametrize("flags", [["--not-private", "--with-lambda"], ["--seed", "5"]])
def test_intervals_of_persons_are_those_of_clustered_errors(tmp_path, flags):
    """A person's rows share a ward and a tendency. A peer that takes rows for independent has other errors.

    Without noise intervals are the peer's. With privacy their widths hold however a person's rows depend on each other, and are
    longer where these do not.
    """
    rng = np.random.default_rng(8)
    persons = 15_000
    rows = rng.integers(1, 7, persons)
    person = np.repeat(np.arange(persons), rows)
    n = len(person)
    age, dose = rng.uniform(0, 10, n).round(3), rng.uniform(-3, 3, n).round(3)
    ward, tendency = rng.integers(0, 4, persons)[person], rng.normal(0, 1.5, persons)[person]
    logit = -0.5 + 0.2 * age - 0.4 * dose + tendency + np.array([0.0, 0.5, -0.3, 0.2])[ward]
    y = rng.uniform(size=n) < 1 / (1 + np.exp(-logit))
    lines = [f"{a},{d},{'abcd'[w]},p{p},{int(label)}" for a, d, w, p, label in zip(age, dose, ward, person, y)]
    study = STUDY.format(budget="rho = 100000").replace('target = "y"', 'person = "who"\ntarget = "y"')
    ours = fitted(tmp_path, study, ["age,dose,ward,who,y", *lines], flags)

    columns = np.column_stack([np.ones(n), age, dose, ward == 0, ward == 1, ward == 2]).astype(float)
    model = sm.GLM(y.astype(float), columns, family=sm.families.Binomial(), var_weights=1 / rows[person])
    peer = model.fit(cov_type="cluster", cov_kwds={"groups": person, "use_correction": False})
    found, asked = found_and_asked(ours, peer)
    as_rows = found_and_asked(ours, model.fit(cov_type="HC0"))[1]
    for (lower, upper), interval, alone in zip(asked.conf_int(0.05), found, as_rows.sd):
        width = upper - lower
        if "--seed" in flags:
            longer = (interval["upper"] - interval["lower"]) / width
            assert interval["lower"] < lower + 0.05 * width and interval["upper"] > upper - 0.05 * width
            assert 0.95 < longer < 2
            continue
        assert abs(interval["lower"] - lower) < 0.015 * width
        assert abs(interval["upper"] - upper) < 0.015 * width
        assert abs((interval["upper"] - interval["lower"]) / width - 1) < 0.015
    # What a person's rows have in common moves what is said of wards.
    assert asked.sd[2] > 1.15 * as_rows.sd[2]
