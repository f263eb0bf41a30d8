"""Curves against lines: AUC on test rows over fresh draws of noise, from the program itself.

    python bench/curves.py WORK_DIR --binary target/release/discretion --runs 5

WORK_DIR is written by prepare.py. Every number of the study becomes a curve of so many knots, on its own (log) scale; 0 knots is the
study as it is. Prints a Markdown table of means and standard deviations.
"""

import argparse
import csv
import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np
from quality import variant
from sklearn.metrics import roc_auc_score

CELLS = [("magic", 1, 0), ("adult", 1, 1e-6), ("bank", 1, 1e-6), ("magic", 0.1, 1e-6), ("bank", 0.1, 1e-6)]


def bent(text, knots):
    """A study whose numbers are curves."""
    return re.sub(r"^(\S+ = \{ min = [^}]*?) \}", rf"\1, curve = {knots} }}", text, flags=re.M) if knots else text


def score(binary, folder, text):
    """The AUC on test rows of one freshly trained model."""
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        (place / "study.toml").write_text(text, encoding="utf-8")
        # A ledger of its own: these tables are public, and an experiment would soon spend any cap.
        environment = os.environ | {"DISCRETION_LEDGER": str(place / "ledger.sqlite")}
        run = lambda *words: subprocess.run([binary, *words], check=True, capture_output=True, env=environment)  # noqa: E731
        run("fit", place / "study.toml", "--out", place / "out", "--accept-check")
        model, scored = place / "out" / "model.json", place / "scored.csv"
        run("predict", model, folder / "test.csv", "--out", scored)
        with open(scored, encoding="utf-8", newline="") as file:
            predicted = [float(row["score"]) for row in csv.DictReader(file)]
    return roc_auc_score(outcomes(folder, text), predicted)


def outcomes(folder, text):
    """Whether each test row is of the positive class."""
    target, positive = (re.search(rf'^{key} = "(.*)"', text, flags=re.M)[1] for key in ("target", "positive"))
    with open(folder / "test.csv", encoding="utf-8", newline="") as file:
        return [row[target].strip().startswith(positive) for row in csv.DictReader(file)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("work", type=pathlib.Path)
    arguments.add_argument("--binary", type=pathlib.Path, default=pathlib.Path("target/release/discretion"))
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--knots", type=int, nargs="+", default=[0, 12])
    arguments.add_argument("--tables", nargs="+", default=["magic", "adult", "bank"])
    given = arguments.parse_args()
    print("| table | ε, δ | " + " | ".join(f"{k} knots" if k else "lines" for k in given.knots) + " |")
    print("|---|---|" + "---|" * len(given.knots))
    for table, epsilon, delta in CELLS:
        if table not in given.tables:
            continue
        folder = given.work / table
        text = variant(folder / "study.toml", epsilon, delta, "auto")
        cells = []
        for knots in given.knots:
            scores = [score(given.binary, folder, bent(text, knots)) for _ in range(given.runs)]
            cells.append(f"{np.mean(scores):.4f} ± {np.std(scores):.4f}")
        print(f"| {table} | {epsilon}, {delta or 0:g} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
