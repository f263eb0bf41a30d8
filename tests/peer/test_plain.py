"""`discretion fit --not-private` against statsmodels on the raw columns: the same estimates, errors and p-values to four digits.

    pip install -r tests/peer/requirements.txt
    pytest tests/peer/test_plain.py                     # the binary is target/quick/discretion, or DISCRETION_BINARY

R says the same: glm and lm with sandwich::sandwich, and for persons sandwich::vcovCL with type = "HC0" and cadjust = FALSE.
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
{data}

[budget]
epsilon = 1.0

[spend]
epsilon = 1.0

[columns]
age = {{ min = 0, max = 10 }}
dose = {{ min = -3, max = 3 }}
ward = {{ values = ["a", "b", "c"] }}
drop = {{ drop = true }}
"""

TWO = 'target = "y"\npositive = "1"\nnegative = "0"'
NUMBER = 'outcome = {{ column = "y", min = 0, max = {most}, scale = "{scale}" }}'


def made(wards, rows, seed=4):
    """A table, and its design: an intercept, two numbers, wards beside the first or beside what is not declared."""
    rng = np.random.default_rng(seed)
    n = len(rows)
    age, dose, ward = rng.uniform(0, 10, n).round(3), rng.uniform(-3, 3, n).round(3), rng.integers(0, wards, n)
    # The model is wrong on purpose (a squared term is left out), so that robust errors differ from the usual ones.
    margin = -0.5 + 0.2 * age - 0.4 * dose + 0.1 * dose**2 + np.array([0.0, 0.5, -0.3, 0.2])[ward] + rng.normal(0, 1, rows.max() + 1)[rows]
    columns = np.column_stack([np.ones(n), age, dose, ward == 0, ward == 1, ward == 2]).astype(float)
    return age, dose, ward, margin, columns if wards == 4 else np.delete(columns, 3, axis=1), rng


def fitted(folder, data, lines):
    (folder / "table.csv").write_text("\n".join(["age,dose,ward,who,y", *lines]) + "\n")
    (folder / "study.toml").write_text(STUDY.format(data=data).replace('drop = { drop = true }\n', "" if "person" in data else "who = { drop = true }\n"))
    return subprocess.run([str(BINARY), "fit", "study.toml", "--out", "out", "--not-private", "--verbose"], cwd=folder, capture_output=True, text=True)


def lines_of(age, dose, ward, who, y):
    return [f"{a},{d},{'abcd'[w]},p{p},{v}" for a, d, w, p, v in zip(age, dose, ward, who, y)]


def compare(folder, run, peer, wards):
    assert run.returncode == 0, run.stderr
    model = json.loads((folder / "out" / "not-private-model.json").read_text(encoding="utf-8"))
    ours = {entry["name"]: entry for entry in model["coefficients"]}
    names = ["(intercept)", "age", "dose"] + [f"ward={value}" for value in ("abc" if wards == 4 else "bc")]
    found = [ours[name]["per_unit_interval"] for name in names]
    theirs = zip(peer.params, peer.bse, peer.pvalues, peer.conf_int(0.05))
    for name, interval, (estimate, deviation, p, (lower, upper)) in zip(names, found, theirs):
        assert abs(interval["estimate"] - estimate) < 1e-4 * deviation, name
        assert abs(interval["sampling_deviation"] / deviation - 1) < 1e-4, name
        assert abs(interval["p_value"] - p) < 1e-4 * max(p, 1e-3), name
        assert abs(interval["lower"] - lower) + abs(interval["upper"] - upper) < 4e-4 * deviation, name
    asked = peer.t_test(np.eye(len(names))[-1] - (np.eye(len(names))[3] if wards == 4 else 0))
    effect = ours["ward=c"]["effect"]["interval"]
    assert abs(effect["estimate"] - asked.effect[0]) < 1e-4 * asked.sd.item()
    assert abs(effect["sampling_deviation"] / asked.sd.item() - 1) < 1e-4
    assert ("ward not declared" if wards == 4 else "ward=a") in run.stdout
    return model


@pytest.mark.parametrize("wards", [3, 4])
def test_two_classes(tmp_path, wards):
    rows = np.arange(3000)
    age, dose, ward, margin, columns, rng = made(wards, rows)
    y = (rng.uniform(size=len(rows)) < 1 / (1 + np.exp(-margin))).astype(int)
    run = fitted(tmp_path, TWO, lines_of(age, dose, ward, rows, y))
    compare(tmp_path, run, sm.Logit(y, columns).fit(disp=0, cov_type="HC0", tol=1e-12), wards)


@pytest.mark.parametrize("wards", [3, 4])
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_number(tmp_path, wards, scale):
    rows = np.arange(3000)
    age, dose, ward, margin, columns, _ = made(wards, rows)
    y = np.clip(10 + 3 * margin * (0.5 + age / 10), 0, 40).round(4)
    run = fitted(tmp_path, NUMBER.format(most=40, scale=scale), lines_of(age, dose, ward, rows, y))
    peer = sm.OLS(y if scale == "linear" else np.log1p(y), columns).fit(cov_type="HC0")
    model = compare(tmp_path, run, peer, wards)
    assert abs(model["fit"]["explained"] - peer.rsquared) < 1e-5


@pytest.mark.parametrize("data", [TWO, NUMBER.format(most=40, scale="linear")])
def test_persons(tmp_path, data):
    rng = np.random.default_rng(8)
    person = np.repeat(np.arange(1500), rng.integers(1, 5, 1500))
    weights = 1 / np.bincount(person)[person]
    age, dose, ward, margin, columns, rng = made(3, person)
    clustered = {"cov_type": "cluster", "cov_kwds": {"groups": person, "use_correction": False}}
    if data == TWO:
        y = (rng.uniform(size=len(person)) < 1 / (1 + np.exp(-margin))).astype(int)
        peer = sm.GLM(y, columns, family=sm.families.Binomial(), var_weights=weights).fit(tol=1e-13, **clustered)
    else:
        y = np.clip(10 + 3 * margin, 0, 40).round(4)
        peer = sm.WLS(y, columns, weights=weights).fit(**clustered)
    run = fitted(tmp_path, f'person = "who"\n{data}', lines_of(age, dose, ward, person, y))
    compare(tmp_path, run, peer, 3)


def test_separated_rows_are_refused(tmp_path):
    rows = np.arange(600)
    age, dose, ward, margin, _, _ = made(3, rows)
    run = fitted(tmp_path, TWO, lines_of(age, dose, ward, rows, ((margin > 0) | (ward == 1)).astype(int)))
    assert run.returncode == 2 and "separated by `ward=b`" in run.stderr and "NOT PRIVATE" in run.stderr, run.stderr
