"""A table that all tests share: numbers, a category, a label."""

import signal

import numpy as np
import pytest


@pytest.fixture
def columns():
    rng = np.random.default_rng(1)
    rows = 3000
    age = rng.integers(17, 91, rows).astype(float)
    dose = np.round(rng.gamma(2.0, 3.0, rows), 3)
    site = rng.choice(["north", "south", "west"], rows)
    margin = (age - 50) / 15 - (dose - 6) / 4 + (site == "south")
    label = rng.random(rows) < 1 / (1 + np.exp(-margin))
    return {"age": age, "dose": dose, "site": site, "ill": np.where(label, "yes", "no")}


STUDY = """
[data]
path = "table.csv"
account = "tests"
target = "ill"
positive = "yes"
negative = "no"
[budget]
epsilon = 10.0
[spend]
epsilon = 1.0
[columns]
age = { min = 17, max = 90 }
dose = { min = 0, max = 30 }
site = { values = ["north", "south", "west"] }
[model]
lambda = 0.01
"""


@pytest.fixture
def study(tmp_path, columns):
    """A study file beside its table."""
    lines = [",".join(columns)]
    lines += [",".join(str(value) for value in row) for row in zip(*columns.values())]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture
def heeds_ctrl_c():
    """Ctrl-C raises, also where the tests run in the background and the shell has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
