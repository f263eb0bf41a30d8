"""The analysis of examples/ runs from the first cell to the last and leaves what it says."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "python" / "analysis.py"


def test_the_analysis_runs_and_draws(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    told = subprocess.run([sys.executable, EXAMPLE, tmp_path], check=True, capture_output=True, text=True)
    assert "odds_ratio" in told.stdout and "is left" in told.stdout
    for plot in ("ages.png", "effects.png"):
        pixels = image.imread(tmp_path / plot)
        assert pixels.shape[0] > 200 and 0.005 < (pixels[..., :3].mean(axis=2) < 0.9).mean() < 0.9, "neither blank nor black"
    model = json.loads((tmp_path / "model.json").read_text())
    assert model["privacy"]["private"] and model["ledger"]["account"] == "readmissions-2026"
    assert "smoker" in (tmp_path / "report.html").read_text()
