"""`discretion fit --not-private` with `loss = "huber"` against scikit-learn's HuberRegressor on the same encoded rows.

    pip install -r tests/peer/requirements.txt
    pytest tests/peer/test_huber.py                     # the binary is target/quick/discretion, or DISCRETION_BINARY

scikit-learn estimates a scale s beside the coefficients, and residuals up to epsilon·s are squared; here that width is h = 0.25, for
an outcome between -1 and 1. So its epsilon is looked for at which epsilon·s is h: then both minimise the same, with alpha = n·lambda·
epsilon.
"""

import subprocess

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from sklearn.linear_model import HuberRegressor
from test_ridge import BINARY, STUDY, Encoder, coefficients, folder  # noqa: F401

WIDTH = 0.25


@pytest.mark.parametrize("lam", [1e-4, 1e-2])
def test_equals_huber(folder, lam):  # noqa: F811
    study = STUDY.format(scale="linear", lam=lam).replace('loss = "squares"', 'loss = "huber"')
    (folder / "huber.toml").write_text(study, encoding="utf-8")
    out = folder / f"huber-{lam}"
    command = [BINARY, "fit", "huber.toml", "--not-private", "--accept-check", "--out", out]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    model = out / "not-private-model.json"

    encoder = Encoder(folder / "huber.toml")
    frame = pd.read_csv(folder / "table.csv")
    X, days = encoder.encode(frame).astype(float), frame["days"].to_numpy().clip(0, 60)
    place = days / 30 - 1

    def fitted(epsilon):
        alpha = len(X) * lam * epsilon
        return HuberRegressor(epsilon=epsilon, alpha=alpha, fit_intercept=False, tol=1e-12, max_iter=20_000).fit(X, place)

    epsilon = brentq(lambda epsilon: epsilon * fitted(epsilon).scale_ - WIDTH, 1.0, 20.0, xtol=1e-10)
    expected = fitted(epsilon).coef_
    theta = coefficients(model, encoder.names)
    # scikit-learn's scale is known to some 1e-6, so its coefficients are. Ours are where the gradient is 0.
    assert np.abs(theta - expected).max() < 1e-5 * max(1, np.abs(expected).max())
    gradient = X.T @ np.clip((X @ theta - place) / WIDTH, -1, 1) / len(X) + lam * theta
    assert np.abs(gradient).max() < 1e-8

    subprocess.run([BINARY, "predict", model, "table.csv", "--out", out / "p.csv"], check=True, cwd=folder, capture_output=True)
    found = pd.read_csv(out / "p.csv")
    assert list(found.columns) == ["row", "prediction", "NOT PRIVATE"]
    assert np.abs(found["prediction"] - 30 * ((X @ expected).clip(-1, 1) + 1)).max() < 1e-4
