"""`discretion fit --not-private --with-lambda` against independent solvers on the same encoded rows.

    pip install -r tests/peer/requirements.txt
    pytest tests/peer                                   # the binary is target/quick/discretion, or DISCRETION_BINARY
    ADULT_DIR=WORK_DIR/adult pytest tests/peer          # Adult too, as written by bench/prepare.py

Logistic regression is compared with scikit-learn (C = 1/(n lambda), no separate intercept), the Huberised hinge with a Newton
method written here. The rows come from bench/encode.py, so the encoder is compared as well.
"""

import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from encode import Encoder, coefficients  # noqa: E402

BINARY = pathlib.Path(os.environ.get("DISCRETION_BINARY", ROOT / "target" / "quick" / "discretion")).resolve()

STUDY = """
[data]
path = "{path}"
account = "peer"
target = "label"
positive = "good, or better"
negative = ["bad", "worse"]

[budget]
epsilon = 1.0

[spend]
epsilon = 1.0

[columns]
age = {{ min = 18, max = 90, missing = 54 }}
city = {{ values = ["Paris, France", "the \\"big\\" one", "Łódź", "none"] }}
income = {{ min = 0, max = 100000, scale = "log", missing = 1000 }}
note = {{ drop = true }}
shift = {{ min = -5, max = 12.5, scale = "log", missing = -1.5 }}
score = {{ min = -1.5, max = 2.25, missing = 2 }}
grade = {{ values = ["a", "b"] }}

[model]
loss = "{loss}"
lambda = {lam}
norm = "{norm}"
"""


def write_table(path, rows=3000, seed=5):
    """Numbers inside and outside their bounds, missing ones, undeclared categories, and fields that need quotes."""
    rng = random.Random(seed)
    cities = ["Paris, France", 'the "big" one', "Łódź", "none", "elsewhere", "", "line\nbreak"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "city", "income", "note", "shift", "score", "grade", "label"])
        for _ in range(rows):
            age, city, grade = rng.gauss(50, 20), rng.choice(cities), rng.choice("abc")
            income, shift, score = rng.lognormvariate(9, 2), rng.uniform(-7, 14), rng.gauss(0, 1)
            margin = (age - 50) / 20 + score + (grade == "a") - (city == "none") + 0.2 * (np.log1p(income) - 9)
            label = "good, or better" if rng.random() < 1 / (1 + np.exp(-margin)) else rng.choice(["bad", "worse"])
            numbers = [f"{value:.6g}" if rng.random() > 0.05 else "" for value in (age, income, shift, score)]
            writer.writerow([numbers[0], city, numbers[1], 'free, "text"', numbers[2], numbers[3], grade, label])


def fit(study, out):
    """Coefficients of `discretion fit --not-private --with-lambda` on the encoded scale, with the encoder of the study."""
    command = [BINARY, "fit", study, "--out", out, "--not-private", "--with-lambda", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)
    model = out / "not-private-model.json"
    assert "NOT PRIVATE" in model.read_text(encoding="utf-8")
    encoder = Encoder(study)
    return coefficients(model, encoder.names), encoder


def logistic(X, y, lam):
    solver = LogisticRegression(C=1 / (len(y) * lam), fit_intercept=False, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    return solver.fit(X, y).coef_[0]


def hinge(X, y, lam, h=0.5):
    """The Huberised hinge's minimiser by Newton with halving; its Hessian is piecewise constant, so the end is exact."""
    Z = X * y[:, None]

    def value(theta):
        m = Z @ theta
        loss = np.where(m > 1 + h, 0, np.where(m < 1 - h, 1 - m, (1 + h - m) ** 2 / (4 * h)))
        return loss.mean() + lam / 2 * theta @ theta

    theta = np.zeros(X.shape[1])
    for _ in range(200):
        m = Z @ theta
        gradient = -Z.T @ np.clip((1 + h - m) / (2 * h), 0, 1) / len(y) + lam * theta
        if np.linalg.norm(gradient) < 1e-12:
            return theta
        active = Z[np.abs(1 - m) <= h]
        step = np.linalg.solve(active.T @ active / (2 * h * len(y)) + lam * np.eye(len(theta)), -gradient)
        size = 1.0
        while value(theta + size * step) > value(theta) + 1e-4 * size * gradient @ step and size > 1e-6:
            size /= 2
        theta = theta + size * step
    raise AssertionError(f"the reference did not converge: gradient {np.linalg.norm(gradient)}")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("peer") / "table.csv"
    write_table(path)
    return path


@pytest.mark.parametrize("norm", ["scale", "row"])
@pytest.mark.parametrize("lam", [1e-4, 1e-3, 1e-2, 1.0])
@pytest.mark.parametrize("loss, solve, tolerance", [("logistic", logistic, 1e-6), ("hinge", hinge, 1e-5)])
def test_synthetic(table, tmp_path, loss, solve, tolerance, lam, norm):
    study = tmp_path / "study.toml"
    study.write_text(STUDY.format(path=table.as_posix(), loss=loss, lam=lam, norm=norm), encoding="utf-8")
    ours, encoder = fit(study, tmp_path / "out")
    X, y = encoder.read(table)
    assert np.max(np.abs(ours - solve(X.astype(np.float64), y, lam))) <= tolerance


# Adult is not part of this repository: its test exists where a folder written by bench/prepare.py is named.
if "ADULT_DIR" in os.environ:

    @pytest.mark.parametrize("lam", [3e-4, 1e-3])
    def test_adult(tmp_path, lam):
        folder = pathlib.Path(os.environ["ADULT_DIR"]).resolve()
        text = (folder / "study.toml").read_text(encoding="utf-8")
        text = text.replace('path = "train.csv"', f'path = "{(folder / "train.csv").as_posix()}"')
        study = tmp_path / "study.toml"
        study.write_text(re.sub(r"^lambda = .*$", f"lambda = {lam}", text, flags=re.M), encoding="utf-8")
        ours, encoder = fit(study, tmp_path / "out")
        X, y = encoder.read(folder / "train.csv")
        assert np.max(np.abs(ours - logistic(X.astype(np.float64), y, lam))) <= 1e-6
