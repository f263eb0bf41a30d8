"""What intervals on all columns of a real table say, by the program itself, against the truth.

    python bench/prepare.py DATA_DIR WORK_DIR
    python bench/intervals.py WORK_DIR --binary target/release/discretion --tables adult bank --runs 10

The table is the population. Each run draws as many rows from it with replacement, fits with [intervals] and looks at the effects
(a category against the first of its column, a number from the middle of its range to its end). For each table and budget it
prints the reported sampling deviation over that of the exact matrices at the released coefficients (median, 10 to 90 %), how
often intervals cover the population's effect at the same lambda, their length over that of the variability interval, and how
many effects are told from 0 with the sign of the effect without penalty, and with the other.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import pandas as pd
from encode import Encoder
from scipy.special import expit
from scipy.stats import norm

BUDGETS = {
    "(1, 1e-6)": "epsilon = 1.0\ndelta = 1e-6",
    "rho 0.1": "rho = 0.1",
    "1 pure": "epsilon = 1.0",
}


def minimise(X, y, lam):
    """The minimiser of the mean logistic loss with its penalty, by Newton's method."""
    n, d = X.shape
    theta = np.zeros(d)
    for _ in range(60):
        p = expit(-y * (X @ theta))
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X / n + lam * np.eye(d), lam * theta - X.T @ (y * p) / n)
        theta -= step
        if np.abs(step).max() < 1e-9:
            break
    return theta


def sampling_deviations(X, y, theta, lam, W):
    """Of W·theta, from the exact matrices at theta."""
    n, d = X.shape
    p = expit(-y * (X @ theta))
    H = (X.T * (p * (1 - p))) @ X / n + lam * np.eye(d)
    S = (X.T * p**2) @ X / n - lam**2 * np.outer(theta, theta)
    V = np.linalg.solve(H, W.T)
    return np.sqrt(np.maximum(np.einsum("ij,ij->j", V, S @ V), 0) / n)


def fit(binary, folder, budget, frame, text):
    """One run of the program on these rows, in a ledger of its own."""
    with tempfile.TemporaryDirectory() as where:
        where = pathlib.Path(where)
        frame.to_csv(where / "train.csv", index=False)
        before, _, rest = text.partition("[spend]")
        columns = rest[rest.index("[columns]") :].partition("[model]")[0]
        before = before.partition("[budget]")[0]
        study = f'{before}[budget]\n{budget}\n[spend]\n{budget}\n{columns}[model]\nlambda = "auto"\n[intervals]\n'
        (where / "study.toml").write_text(study, encoding="utf-8")
        command = [binary, "fit", "study.toml", "--out", "out", "--accept-check"]
        done = subprocess.run(
            command, cwd=where, capture_output=True, text=True, env=os.environ | {"DISCRETION_LEDGER": str(where / "ledger.sqlite")}
        )
        if done.returncode:
            return done.stderr.strip().splitlines()[-1]
        return json.loads((where / "out" / "model.json").read_text(encoding="utf-8"))


def effects(model, encoder):
    """Weights of each effect, its value and its interval."""
    first, names = {}, encoder.names
    for name, values in encoder.categories.items():
        first |= {f"{name}={value}": names.index(f"{name}={values[0]}") for value in values}
    weights, values, intervals = [], [], []
    for at, coefficient in enumerate(model["coefficients"]):
        effect = coefficient.get("effect")
        if at == 0 or not effect or not effect.get("interval"):
            continue
        w = np.zeros(len(names))
        w[at] = encoder.c
        if names[at] in first:
            w[first[names[at]]] -= encoder.c
        weights.append(w)
        values.append(effect["value"])
        intervals.append(effect["interval"])
    return np.array(weights), np.array(values), pd.DataFrame(intervals)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--binary", type=lambda path: str(pathlib.Path(path).resolve()), default="target/release/discretion")
    parser.add_argument("--tables", nargs="+", default=["adult", "bank"])
    parser.add_argument("--budgets", nargs="+", choices=BUDGETS, default=list(BUDGETS))
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    print("| table | budget | lambda | reported over true sampling | covered | length | told right : wrong |")
    print("|---|---|---:|---:|---:|---:|---:|", flush=True)
    for table in options.tables:
        folder = options.work / table
        encoder = Encoder(folder / "study.toml")
        X, y = encoder.read(folder / "train.csv")
        X = X.astype(float)
        frame = pd.read_csv(folder / "train.csv", dtype=str, keep_default_na=False)
        plain = minimise(X, y, 1e-9)
        text = (folder / "study.toml").read_text(encoding="utf-8")
        for budget in options.budgets:
            ratios, held, right, wrong, found, lengths, truth, refused = [], [], [], [], [], [], None, None
            for run in range(options.runs):
                rows = np.random.default_rng(run).integers(0, len(frame), len(frame))
                model = fit(options.binary, folder, BUDGETS[budget], frame.iloc[rows], text)
                if isinstance(model, str):
                    refused = model
                    break
                W, values, intervals = effects(model, encoder)
                lam = model["training"]["lambda"]
                theta = np.array([coefficient["encoded"] for coefficient in model["coefficients"]])
                assert np.allclose(W @ theta, values, rtol=1e-4, atol=1e-6), "these are the effects"
                truth = W @ minimise(X, y, lam) if truth is None else truth
                ratios.append(intervals["sampling_deviation"] / sampling_deviations(X[rows], y[rows], theta, lam, W))
                held.append(((intervals["lower"] <= truth) & (truth <= intervals["upper"])).mean())
                told, sign = (intervals["lower"] > 0) | (intervals["upper"] < 0), np.sign(W @ plain)
                right.append((told & (np.sign(values) == sign)).sum())
                wrong.append((told & (np.sign(values) != sign)).sum())
                found.append(values)
                lengths.append(intervals["upper"] - intervals["lower"])
            if refused:
                print(f"| {table} | {budget} | refused: {refused} |", flush=True)
                continue
            # Of few runs the deviation is surer than quantiles.
            variability = 2 * norm.ppf(0.975) * np.std(found, axis=0, ddof=1)
            length = np.median(np.mean(lengths, axis=0) / variability)
            low, middle, high = np.percentile(np.concatenate(ratios), [10, 50, 90])
            print(
                f"| {table} | {budget} | {lam:.1e} | {middle:.2f} ({low:.2f} to {high:.2f}) | {np.mean(held):.3f} | {length:.2f} | "
                f"{np.mean(right):.1f} : {np.mean(wrong):.1f} of {len(values)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
