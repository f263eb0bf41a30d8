"""A penalty around a released base rate."""

import numpy as np
import pytest

import discretion
from discretion import LinearSVC, LogisticRegression

COMMON = {"epsilon": 1.0, "bounds": (0, 1), "random_state": 1}


def table(rows=4000):
    X = np.linspace(0, 1, rows)[:, None]
    return X, (np.arange(rows) % 10 == 0).astype(int)


def test_the_rate_is_in_the_model_and_the_intercept_is_near_it():
    X, y = table()
    model = LogisticRegression(**COMMON, lam=1.0, base_rate="private").fit(X, y)
    written = model.model_["training"]["base_rate"]
    assert abs(written["released"] - 0.1) < 6 * written["deviation"] and written["share"] == 0.05
    assert np.mean(model.predict_proba(X)[:, 1]) == pytest.approx(0.1, abs=0.05)
    pulled = LogisticRegression(**COMMON, lam=1.0).fit(X, y)
    assert np.mean(pulled.predict_proba(X)[:, 1]) > 0.3


def test_what_it_does_not_go_with_is_refused():
    X, y = table(400)
    for more in ({"intervals": True}, {"method": "output"}, {"lam": [0.1, 1.0]}):
        with pytest.raises(discretion.InputError, match="base_rate"):
            LogisticRegression(**COMMON, base_rate="private", **more).fit(X, y)
    with pytest.raises(discretion.InputError, match="base_rate"):
        LogisticRegression(**COMMON, base_rate=0.1).fit(X, y)
    with pytest.raises(TypeError):
        LinearSVC(**COMMON, base_rate="private")


def test_a_plan_says_what_it_takes():
    model = LogisticRegression(epsilon=1.0, bounds=([0], [1]), base_rate="private")
    assert "base rate" in str(model.plan(4000))
