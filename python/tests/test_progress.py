"""Long work says that it goes on, where tqdm is installed; without it, and for short work, nothing is shown."""

import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import discretion
from discretion import _progress

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (4000, 2))
y = (X[:, 0] > 0).astype(int)


@pytest.fixture
def impatient(monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(_progress, "TICK", 0.05)


def voting():
    return discretion.PrivateVoting(GaussianNB(), epsilon=3.0, delta=1e-6, queries=5, unstable=1, chunks=40, random_state=0)


def test_models_are_counted(impatient, capfd):
    fitted = voting().fit(X, y)
    assert "training models" in capfd.readouterr().err
    assert fitted.predict(X[:3]).shape == (3,)
    assert "asking models" in capfd.readouterr().err


def test_a_clock_for_work_whose_end_nobody_knows(impatient, capfd):
    with _progress.clock("training"):
        time.sleep(0.3)
    assert "training: 00:0" in capfd.readouterr().err
    with pytest.raises(KeyError), _progress.clock("training"):
        raise KeyError("and it stops with the work")


@pytest.mark.parametrize(("lam", "shown"), [(0.01, "training: 00:0"), ([0.01, 0.1], "training with 2 values of lam: 00:0")])
def test_a_fit_shows_the_clock(impatient, capfd, monkeypatch, lam, shown):
    fit = discretion._discretion.fit
    monkeypatch.setattr(discretion._discretion, "fit", lambda *rows, **settings: (time.sleep(0.3), fit(*rows, **settings))[1])
    discretion.LogisticRegression(epsilon=1.0, lam=lam, bounds=(-1, 1), random_state=0).fit(X, y)
    assert shown in capfd.readouterr().err


def test_a_density_shows_the_clock(impatient, capfd, monkeypatch):
    count = discretion._discretion.fit_density
    slow = lambda *rows, **settings: (time.sleep(0.3), count(*rows, **settings))[1]  # noqa: E731
    monkeypatch.setattr(discretion._discretion, "fit_density", slow)
    discretion.HistogramDensity(epsilon=1.0, bins=4, bounds=(-1, 1), random_state=0).fit(X)
    assert "counting: 00:0" in capfd.readouterr().err


def test_within_the_patience_nothing_is_shown(capfd, monkeypatch):
    monkeypatch.setattr(_progress, "PATIENCE", 1000.0)
    voting().fit(X, y)
    discretion.LogisticRegression(epsilon=1.0, bounds=(-1, 1), random_state=0).fit(X[:200], y[:200])
    assert capfd.readouterr().err == ""


WITHOUT = """
import sys
sys.modules["tqdm"] = sys.modules["tqdm.auto"] = None
from discretion import _progress
_progress.PATIENCE = 0.0
with _progress.clock("training"):
    print(list(_progress.counted(iter([1, 2]), 2, "models")))
"""


def test_without_tqdm_nothing_is_shown():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout == "[1, 2]\n" and done.stderr == ""
