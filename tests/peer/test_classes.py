"""`discretion fit --not-private` with several classes against scikit-learn's multinomial logistic regression.

    pytest tests/peer/test_classes.py       # the binary is target/quick/discretion, or DISCRETION_BINARY

The rows are encoded here once more: an intercept and three numbers, each of size c = (1 - 2^-20)/2, as 32-bit floats.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("DISCRETION_BINARY", ROOT / "target" / "quick" / "discretion")).resolve()

STUDY = """
[data]
path = "{path}"
account = "peer"
target = "kind"
classes = {classes}

[budget]
epsilon = 1.0

[spend]
epsilon = 1.0

[columns]
a = {{ min = -1, max = 1 }}
b = {{ min = -1, max = 1 }}
c = {{ min = -1, max = 1 }}

[model]
lambda = {lam}
"""


def write_table(path, count, rows=2500):
    rng = np.random.default_rng(7)
    X = rng.uniform(-1, 1, (rows, 3)).round(4)
    scores = X @ rng.normal(0, 2, (3, count)) + rng.gumbel(size=(rows, count))
    kinds = np.array([f"kind {k}" for k in range(count)])[scores.argmax(axis=1)]
    lines = [",".join([*map(str, row), kind]) for row, kind in zip(X, kinds, strict=True)]
    path.write_text("\n".join(["a,b,c,kind", *lines, ""]), encoding="utf-8")
    return X, kinds


@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("count", [3, 9])
def test_multinomial(tmp_path, count, lam):
    X, kinds = write_table(tmp_path / "t.csv", count)
    classes = [f"kind {k}" for k in range(count)]
    text = STUDY.format(path=(tmp_path / "t.csv").as_posix(), classes=json.dumps(classes), lam=lam)
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    command = [BINARY, "fit", tmp_path / "study.toml", "--out", tmp_path / "out", "--not-private", "--accept-check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out" / "not-private-model.json").read_text(encoding="utf-8")
    ours = np.array([c["encoded"] for c in json.loads(text)["coefficients"]]).reshape(count, 4)
    size = np.float32(0.5 * (1 - 2**-20))
    encoded = np.column_stack([np.full(len(X), size), (X * float(size)).astype(np.float32)]).astype(np.float64)
    solver = LogisticRegression(C=1 / (len(X) * lam), fit_intercept=False, tol=1e-12, max_iter=10_000, solver="newton-cg")
    theirs = solver.fit(encoded, kinds)
    order = [list(theirs.classes_).index(name) for name in classes]
    theirs = theirs.coef_[order]
    assert np.max(np.abs(ours - (theirs - theirs.mean(axis=0)))) <= 1e-6 * max(1, np.max(np.abs(theirs)))
