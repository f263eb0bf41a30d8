"""`pip install .` where something is missing says so in a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BACKEND = Path(__file__).parents[2] / "dist" / "wheel_backend.py"


def asked_with(folder, *programs):
    for name in programs:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    said = {name: value for name, value in os.environ.items() if name not in ("CC", "CARGO")}
    return subprocess.run([sys.executable, BACKEND], env=said | {"PATH": str(folder)}, capture_output=True, text=True)


def test_without_rust_there_is_one_sentence(tmp_path):
    done = asked_with(tmp_path, "cc")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "install Rust (https://rustup.rs) and try again" in done.stderr


def test_without_a_c_compiler_too(tmp_path):
    assert "install a C compiler" in asked_with(tmp_path, "cargo").stderr
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    assert "Rust (https://rustup.rs) and a C compiler" in asked_with(nothing).stderr


def test_with_both_it_is_maturin(tmp_path):
    pytest.importorskip("maturin")
    done = asked_with(tmp_path, "cargo", "cc")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("module", "line"), [("pandas", "discretion[frames]"), ("matplotlib", "discretion[plot]")])
def test_what_an_extra_brings_is_asked_for_by_its_name(module, line):
    work = f"""
import sys
import numpy as np, discretion
X = np.array([[-1.0], [1.0]] * 500)
model = discretion.LogisticRegression(epsilon=9.0, bounds=(-1, 1), intervals=True, random_state=0).fit(X, np.arange(1000) % 2)
# Not earlier: some scikit-learn looks whether pandas is loaded, and then uses it.
sys.modules[{module!r}] = None
try:
    model.intervals_ if {module!r} == "pandas" else model.plot()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True, check=True)
    assert "pip install" in done.stdout and line in done.stdout, done.stdout
