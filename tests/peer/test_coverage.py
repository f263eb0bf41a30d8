"""Intervals of a small simulated table hold the effects of ordinary regression: the short form of bench/coverage.py.

16 tables and 31 effects for each budget, under fixed seeds. An effect is too low if 10 of 16 intervals hold it, or fewer.
"""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_intervals_hold_ordinary_effects(tmp_path):
    figures = tmp_path / "coverage.json"
    command = [sys.executable, ROOT / "bench" / "coverage.py", "--short", "--work", tmp_path, "--json", figures]
    binary = os.environ.get("DISCRETION_BINARY", ROOT / "target" / "quick" / "discretion")
    subprocess.run([*command, "--binary", binary], check=True)
    cells = json.loads(figures.read_text(encoding="utf-8"))
    assert [cell["budget"] for cell in cells] == ["1,1e-6", "3,1e-6"]
    for cell in cells:
        assert (cell["effects"], cell["left_out"], cell["refused"], cell["refused_fits"]) == (31, {}, [], {})
        assert cell["coverage"] >= 0.95
        assert cell["too_low"] == [], cell["too_low"]
        # Intervals as long as the declared bound would hold everything and tell nothing.
        assert cell["estimable"] >= 20
        assert cell["told_right"] >= 8 and cell["told_wrong"] <= 0.5
