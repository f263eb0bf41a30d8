"""Regression under differential privacy: R² on rows that did not train, ours beside AdaSSP, diffprivlib and no noise.

    python bench/prepare.py DATA_DIR WORK_DIR --tables adult bank covtype
    python bench/regression.py WORK_DIR --ours target/release/discretion                   # 10 runs of everything
    python bench/regression.py WORK_DIR --ours target/release/discretion --tables adult --runs 2

Outcomes: Covertype's elevation, Bank's balance and Adult's hours, from all other columns (the usual target among them). Ours are
seeded runs of `discretion fit`, pure and with a delta of 1e-6, by least squares and by Huber's loss; R² is of the predictions that
`discretion predict` writes.

AdaSSP (Wang 2018, algorithm 2) is written below from the paper, on the same encoded rows with ‖x‖ ≤ 1 and |y| ≤ 1 and the same
delta. Its neighbours have one row more or less; a replaced row is two of those, so its noise is for half of epsilon and delta here.
diffprivlib's LinearRegression is pure. Its neighbours are not stated in its documentation; its noise is taken as it is. It gets
the encoded rows and their public bounds.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import tomllib

import numpy as np
import pandas as pd

from encode import Encoder

DELTA = 1e-6
EPSILONS = [0.3, 1.0, 3.0]
OUTCOMES = {
    "covtype": {"column": "Elevation", "min": 1800, "max": 3900},
    "bank": {"column": "balance", "min": -2000, "max": 20000},
    "adult": {"column": "hours-per-week", "min": 1, "max": 99},
}


def toml(value):
    """A value as a study file has it: JSON is TOML but for tables."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(part)}" for key, part in value.items()) + " }"
    return json.dumps(value)


def study_of(table, work):
    """The usual study of a table, with a number as outcome and the usual target among the columns."""
    study = tomllib.loads((work / table / "study.toml").read_text(encoding="utf-8"))
    outcome, data = OUTCOMES[table], study["data"]
    columns = {name: column for name, column in study["columns"].items() if name != outcome["column"]}
    frame = pd.read_csv(work / table / "train.csv", usecols=[data["target"]], dtype=str)
    columns[data["target"]] = {"values": sorted(frame[data["target"]].unique())}
    return outcome, columns


def write_study(path, train, outcome, columns, spend, loss):
    lines = ["[data]", f"path = {toml(str(train))}", 'account = "numbers"', f"outcome = {toml(outcome)}"]
    lines += ["[budget]", "epsilon = 1000", f"delta = {DELTA}", "[spend]"]
    lines += [f"{name} = {value}" for name, value in spend.items()]
    lines += ["[columns]", *(f"{json.dumps(name)} = {toml(column)}" for name, column in columns.items())]
    lines += ["[model]", f"loss = {toml(loss)}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def explained(y, predicted):
    return 1 - np.mean((y - predicted) ** 2) / np.var(y)


def ours(program, folder, train, test, outcome, columns, spend, loss, seed):
    """Predictions of one run."""
    study = folder / "study.toml"
    write_study(study, train, outcome, columns, spend, loss)
    noise = ["--not-private", "--with-lambda"] if seed is None else ["--seed", str(seed)]
    out = folder / "out"
    subprocess.run([program, "fit", study, *noise, "--out", out, "--force", "--accept-check", "--json"], check=True, capture_output=True)
    model = out / ("not-private-model.json" if seed is None else "seeded-model.json")
    csv = folder / "predictions.csv"
    subprocess.run([program, "predict", model, test, "--out", csv, "--force"], check=True, capture_output=True)
    return pd.read_csv(csv)


def adassp(X, y, epsilon, delta, generator):
    """Wang 2018, algorithm 2, for rows and outcomes in the unit ball."""
    d = X.shape[1]
    rho, log = 0.05, np.log(6 / delta)
    third = epsilon / 3
    gram, product = X.T @ X, X.T @ y
    least = np.linalg.eigvalsh(gram)[0] + np.sqrt(log) / third * generator.standard_normal() - log / third
    least = max(least, 0)
    lam = max(0, np.sqrt(d * log * np.log(2 * d * d / rho)) / third - least)
    noise = np.triu(generator.standard_normal((d, d)))
    noise = noise + np.triu(noise, 1).T
    noisy = gram + np.sqrt(log) / third * noise
    target = product + np.sqrt(log) / third * generator.standard_normal(d)
    return np.linalg.solve(noisy + lam * np.eye(d), target)


def diffprivlib(X, y, epsilon, seed):
    from diffprivlib.models import LinearRegression

    low = np.where((X < 0).any(axis=0), -X.max(), 0)
    model = LinearRegression(epsilon=epsilon, bounds_X=(low, np.full(X.shape[1], X.max())), bounds_y=(-1, 1), random_state=seed)
    model.fit(X, y)
    return model


def measure(table, arguments, print_row):
    outcome, columns = study_of(table, arguments.work)
    train, test = (arguments.work / table / name for name in ["train.csv", "test.csv"])
    encoder = Encoder({"columns": columns})

    def read(path):
        frame = pd.read_csv(
            path,
            dtype={name: str for name in encoder.categories},
            keep_default_na=False,
            na_values={name: [""] for name in encoder.numeric},
        )
        y = frame[outcome["column"]].to_numpy(dtype=float).clip(outcome["min"], outcome["max"])
        middle, half = (outcome["max"] + outcome["min"]) / 2, (outcome["max"] - outcome["min"]) / 2
        return encoder.encode(frame).astype(float), (y - middle) / half, y

    (X, u, _), (X_test, u_test, y_test) = read(train), read(test)
    exact = np.linalg.solve(X.T @ X + 1e-9 * len(X) * np.eye(X.shape[1]), X.T @ u)
    print_row(table, "no noise", "", [explained(u_test, X_test @ exact)])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for epsilon in EPSILONS:
            pure, approximate = {"epsilon": epsilon}, {"epsilon": epsilon, "delta": DELTA}
            kinds = [("ours, pure", pure, "squares"), ("ours, delta 1e-6", approximate, "squares")]
            kinds += [("Huber, pure", pure, "huber"), ("Huber, delta 1e-6", approximate, "huber")]
            for name, spend, loss in kinds:
                seeds = range(arguments.runs)
                runs = [ours(arguments.ours, folder, train, test, outcome, columns, spend, loss, seed) for seed in seeds]
                more = ""
                if loss == "squares":
                    inside = np.mean([((run.lower <= y_test) & (y_test <= run.upper)).mean() for run in runs])
                    more = f"  {100 * inside:.1f} % in intervals"
                print_row(table, name, epsilon, [explained(y_test, run.prediction) for run in runs], more)
            peers = [adassp(X, u, epsilon / 2, DELTA / 2, np.random.default_rng(seed)) for seed in range(arguments.runs)]
            print_row(table, "AdaSSP, delta 1e-6", epsilon, [explained(u_test, np.clip(X_test @ theta, -1, 1)) for theta in peers])
            if not arguments.without_diffprivlib:
                models = [diffprivlib(X[:, 1:], u, epsilon, seed) for seed in range(arguments.runs)]
                print_row(table, "diffprivlib, pure", epsilon, [explained(u_test, np.clip(m.predict(X_test[:, 1:]), -1, 1)) for m in models])


def main():
    parser = argparse.ArgumentParser(description="R² of private regressions.")
    parser.add_argument("work", type=pathlib.Path, help="folder written by prepare.py")
    parser.add_argument("--ours", type=pathlib.Path, default="target/release/discretion", help="default: %(default)s")
    parser.add_argument("--tables", nargs="*", default=list(OUTCOMES), choices=list(OUTCOMES))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--without-diffprivlib", action="store_true")
    arguments = parser.parse_args()

    def print_row(table, name, epsilon, found, more=""):
        spread = f"sd {np.std(found):.4f}, {len(found)} runs" if len(found) > 1 else ""
        print(f"{table:8} {name:20} {epsilon!s:4} R² {np.mean(found):8.4f}  {spread}{more}", flush=True)

    for table in arguments.tables:
        measure(table, arguments, print_row)


if __name__ == "__main__":
    main()
