"""Least squares or Huber's loss: R² of both over many tables and budgets, by the one public number that `loss = "auto"` goes by.

    python bench/prepare.py DATA_DIR WORK_DIR --tables adult bank covtype_one_of magic
    python bench/number_loss.py WORK_DIR --ours target/release/discretion      # hours; --tables magic --runs 1 is minutes

Nine outcomes of four tables; 2,000 rows, 10,000 and all; five sizes of epsilon, pure and with a delta of 1e-6. The number is the
deviation of the noise in a mean product, as `discretion plan` tells it for the outcome's mean, times the root of the number of
coefficients. Prints a Markdown table of how much more Huber's loss explains than least squares do, by ranges of that number.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import pandas as pd
import regression

OUTCOMES = {
    "adult": [{"column": "hours-per-week", "min": 1, "max": 99}, {"column": "age", "min": 17, "max": 90}],
    "bank": [
        {"column": "balance", "min": -2000, "max": 20000},
        {"column": "age", "min": 18, "max": 95},
        {"column": "duration", "min": 0, "max": 3000},
    ],
    "magic": [{"column": "fDist", "min": 0, "max": 500}, {"column": "fSize", "min": 1.9, "max": 5.4}],
    "covtype_one_of": [
        {"column": "Elevation", "min": 1800, "max": 3900},
        {"column": "Horizontal_Distance_To_Roadways", "min": 0, "max": 7200},
    ],
}
EPSILONS = [0.1, 0.3, 1, 3, 10]
RANGES = [0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, np.inf]
MOST_TEST_ROWS = 20_000


def noise(program, study, rows, outcome):
    """What the choice goes by."""
    plan = subprocess.run([program, "plan", study, "--rows", str(rows), "--json"], check=True, capture_output=True).stdout
    plan = json.loads(plan)
    # The outcome is one column more.
    return plan["mean_deviation"] / ((outcome["max"] - outcome["min"]) / 2) * np.sqrt(plan["coefficients"] + 1)


def measure(program, work, table, outcome, runs):
    """(noise, R² of least squares, R² of Huber's loss) of every number of rows and budget."""
    regression.OUTCOMES[table] = outcome
    _, columns = regression.study_of(table, work)
    train, test = (pd.read_csv(work / table / name, dtype=str, keep_default_na=False) for name in ["train.csv", "test.csv"])
    test = test.sample(min(len(test), MOST_TEST_ROWS), random_state=0)
    y = test[outcome["column"]].astype(float).clip(outcome["min"], outcome["max"]).to_numpy()
    for rows in sorted({2000, 10000, len(train)}):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            files = folder / "train.csv", folder / "test.csv"
            train.sample(rows, random_state=3).to_csv(files[0], index=False)
            test.to_csv(files[1], index=False)
            for epsilon in EPSILONS:
                for spend in [{"epsilon": epsilon}, {"epsilon": epsilon, "delta": regression.DELTA}]:
                    found = []
                    for loss in ["squares", "huber"]:
                        seeds = range(runs)
                        given = (program, folder, *files, outcome, columns, spend, loss)
                        found.append(np.mean([regression.explained(y, regression.ours(*given, seed).prediction) for seed in seeds]))
                        if loss == "squares":
                            found.insert(0, noise(program, folder / "study.toml", rows, outcome))
                    yield found


def summary(found):
    found = np.array(found)
    print("| noise | fits | R² of least squares | Huber's loss: more by | least | most |\n|---|---|---|---|---|---|")
    for low, high in zip(RANGES, RANGES[1:]):
        here = found[(found[:, 0] > low) & (found[:, 0] <= high)]
        if len(here):
            gain = here[:, 2] - here[:, 1]
            of = f"{low:g} to {high:g}" if np.isfinite(high) else f"above {low:g}"
            print(f"| {of} | {len(here)} | {np.median(here[:, 1]):.3f} | {np.median(gain):+.3f} | {gain.min():+.3f} | {gain.max():+.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=pathlib.Path, help="folder written by prepare.py")
    parser.add_argument("--ours", type=pathlib.Path, default="target/release/discretion", help="default: %(default)s")
    parser.add_argument("--tables", nargs="*", default=list(OUTCOMES), choices=list(OUTCOMES))
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    found = []
    for table in given.tables:
        for outcome in OUTCOMES[table]:
            for row in measure(given.ours, given.work, table, outcome, given.runs):
                print(table, outcome["column"], *(f"{x:.4f}" for x in row), flush=True)
                found.append(row)
    summary(found)


if __name__ == "__main__":
    main()
