"""`discretion fit --not-private --with-lambda` of a number against scikit-learn's Ridge on the same encoded rows.

    pip install -r tests/peer/requirements.txt
    pytest tests/peer/test_ridge.py                     # the binary is target/quick/discretion, or DISCRETION_BINARY

The objective is half the mean square of residuals plus (lambda/2)‖θ‖², for an outcome between -1 and 1; Ridge's alpha is n times
that lambda. Predictions in the outcome's own unit are compared too.
"""

import csv
import json
import os
import pathlib
import random
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from encode import Encoder, coefficients  # noqa: E402

BINARY = pathlib.Path(os.environ.get("DISCRETION_BINARY", ROOT / "target" / "quick" / "discretion")).resolve()

STUDY = """
[data]
path = "table.csv"
account = "peer"
outcome = {{ column = "days", min = 0, max = 60, scale = "{scale}" }}

[budget]
epsilon = 1.0

[spend]
epsilon = 1.0

[columns]
age = {{ min = 18, max = 90 }}
income = {{ min = 0, max = 100000, scale = "log" }}
ward = {{ values = ["A", "B", "C"] }}

[model]
loss = "squares"
lambda = {lam}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ridge")
    generator = random.Random(3)
    with open(folder / "table.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "days", "income", "ward"])
        for _ in range(2000):
            age, income, ward = generator.uniform(10, 95), generator.expovariate(1 / 20000), generator.choice("ABCD")
            days = 0.4 * age + 8 * (ward == "B") + generator.gauss(0, 6)  # some are beyond the range, and are clipped
            writer.writerow([f"{age:.3f}", f"{days:.4f}", f"{income:.2f}", ward])
    return folder


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("lam", [1e-5, 1e-2])
def test_equals_ridge(folder, scale, lam):
    (folder / "study.toml").write_text(STUDY.format(scale=scale, lam=lam), encoding="utf-8")
    out = folder / f"{scale}-{lam}"
    command = [BINARY, "fit", "study.toml", "--not-private", "--with-lambda", "--accept-check", "--out", out]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    model = out / "not-private-model.json"

    encoder = Encoder(folder / "study.toml")
    frame = pd.read_csv(folder / "table.csv")
    X, days = encoder.encode(frame).astype(float), frame["days"].to_numpy().clip(0, 60)
    place = days / 30 - 1 if scale == "linear" else 2 * np.log1p(days) / np.log1p(60) - 1
    ridge = Ridge(alpha=len(X) * lam, fit_intercept=False, solver="cholesky").fit(X, place)
    theta = coefficients(model, encoder.names)
    assert np.abs(theta - ridge.coef_).max() < 1e-6 * max(1, np.abs(ridge.coef_).max())

    subprocess.run([BINARY, "predict", model, "table.csv", "--out", out / "p.csv"], check=True, cwd=folder, capture_output=True)
    found = pd.read_csv(out / "p.csv")
    predicted = (X @ ridge.coef_).clip(-1, 1)
    expected = 30 * (predicted + 1) if scale == "linear" else np.expm1((predicted + 1) / 2 * np.log1p(60))
    assert np.abs(found["prediction"] - expected).max() < 1e-4
    assert (found["lower"] <= found["prediction"]).all() and (found["prediction"] <= found["upper"]).all()

    fit = json.loads(model.read_text(encoding="utf-8"))["fit"]
    residuals = place - X @ ridge.coef_
    assert abs(fit["explained"] - (1 - np.mean(residuals**2) / np.var(place))) < 1e-4
