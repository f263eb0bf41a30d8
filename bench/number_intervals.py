"""Coverage of the coefficient intervals of least squares on real tables, from the program itself.

    python bench/prepare.py DATA_DIR WORK_DIR --tables adult bank covtype
    python bench/number_intervals.py WORK_DIR --ours target/release/discretion --runs 40

A table's training rows are taken for the population: what should be covered are its least-squares coefficients, from a fit without
noise. Each run draws rows from it with replacement and fits them with fresh seeded noise. Outcomes are those of regression.py.
Prints a Markdown table: of all effects (one more of a column, a category beside the first), in how many an interval at 95 % holds the
population's, the worst effect's share, and the median of half their widths for an outcome laid out over -1 to 1.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

import numpy as np
import pandas as pd
from regression import DELTA, OUTCOMES, study_of, write_study

BUDGETS = [{"epsilon": 1.0}, {"epsilon": 1.0, "delta": DELTA}, {"epsilon": 3.0, "delta": DELTA}]


def effects(program, study, out, noise):
    """The interval of each effect."""
    command = [program, "fit", study, *noise, "--out", out, "--force", "--accept-check", "--json"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    model = json.loads(re.sub(r"^//.*\n", "", printed))
    found = {c["name"]: c["effect"]["interval"] for c in model["coefficients"] if c.get("effect")}
    return {name: interval for name, interval in found.items() if interval}


def measure(program, work, table, rows, runs):
    outcome, columns = study_of(table, work)
    population = pd.read_csv(work / table / "train.csv", dtype=str, keep_default_na=False)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        study, drawn = folder / "study.toml", folder / "drawn.csv"
        write_study(study, work / table / "train.csv", outcome, columns, BUDGETS[0], "squares")
        true = {name: interval["estimate"] for name, interval in effects(program, study, folder / "out", ["--not-private", "--with-lambda"]).items()}
        for spend in BUDGETS:
            write_study(study, drawn, outcome, columns, spend, "squares")
            held, widths = [], []
            for run in range(runs):
                population.sample(rows, replace=True, random_state=run).to_csv(drawn, index=False)
                found = effects(program, study, folder / "out", ["--seed", str(run)])
                held.append([found[name]["lower"] <= true[name] <= found[name]["upper"] for name in true])
                widths += [(interval["upper"] - interval["lower"]) / (outcome["max"] - outcome["min"]) for interval in found.values()]
            shares = np.mean(held, axis=0)
            budget = ", ".join(f"{value:g}" for value in spend.values())
            print(f"| {table} | {rows:,} | {budget} | {len(true)} | {shares.mean():.3f} | {shares.min():.2f} | {np.median(widths):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=pathlib.Path, help="folder written by prepare.py")
    parser.add_argument("--ours", type=pathlib.Path, default="target/release/discretion", help="default: %(default)s")
    parser.add_argument("--tables", nargs="*", default=list(OUTCOMES), choices=list(OUTCOMES))
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=40)
    given = parser.parse_args()
    print("| table | rows | ε, δ | effects | coverage of 95 % | worst effect | half width |\n|---|---|---|---|---|---|---|")
    for table in given.tables:
        measure(given.ours, given.work, table, given.rows, given.runs)


if __name__ == "__main__":
    main()
