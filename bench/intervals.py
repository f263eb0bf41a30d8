"""What intervals on all columns of a real table say, by the program itself, against the truth.

    python bench/prepare.py DATA_DIR WORK_DIR
    python bench/intervals.py WORK_DIR --binary target/release/discretion --tables adult bank --runs 10

The table is the population. Each run draws as many rows from it with replacement, fits with [intervals] and looks at the effects
(a category against the first of its column, a number from the middle of its range to its end). For each table and budget it
prints the reported sampling deviation over that of the exact matrices at the released coefficients (median, 10 to 90 %), how
often intervals cover what they are for (the population's effect with as many steps away from the penalty), how often they hold
the effect without penalty, their length over that of the variability interval, how many effects are told from 0 with the sign
of the effect without penalty, and with the other, and the model's AUC on other rows beside that of a fit without intervals.
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
from scipy.special import digamma, expit
from scipy.stats import norm, rankdata

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


def stepped(X, y, theta, lam, steps):
    """The Hessian at theta, and the matrix of so many steps away from the penalty."""
    n, d = X.shape
    p = expit(-y * (X @ theta))
    H = (X.T * (p * (1 - p))) @ X / n + lam * np.eye(d)
    back = np.eye(d)
    for _ in range(steps):
        back = np.eye(d) + lam * np.linalg.solve(H, back)
    return H, back


def sampling_deviations(X, y, theta, lam, steps, W):
    """Of W times the estimates, from the exact matrices at theta."""
    n, d = X.shape
    p = expit(-y * (X @ theta))
    H, back = stepped(X, y, theta, lam, steps)
    S = (X.T * p**2) @ X / n - lam**2 * np.outer(theta, theta)
    V = np.linalg.solve(H, back @ W.T)
    return np.sqrt(np.maximum(np.einsum("ij,ij->j", V, S @ V), 0) / n)


def fit(binary, budget, frame, text, lam, intervals="[intervals]"):
    """One run of the program on these rows, in a ledger of its own."""
    with tempfile.TemporaryDirectory() as where:
        where = pathlib.Path(where)
        frame.to_csv(where / "train.csv", index=False)
        before, _, rest = text.partition("[spend]")
        columns = rest[rest.index("[columns]") :].partition("[model]")[0]
        before = before.partition("[budget]")[0]
        study = f'{before}[budget]\n{budget}\n[spend]\n{budget}\n{columns}[model]\nlambda = {lam}\n{intervals}\n'
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
    weights, intervals = [], []
    for at, coefficient in enumerate(model["coefficients"]):
        effect = coefficient.get("effect")
        if at == 0 or not effect or not effect.get("interval"):
            continue
        w = np.zeros(len(names))
        w[at] = encoder.c
        if names[at] in first:
            w[first[names[at]]] -= encoder.c
        weights.append(w)
        intervals.append(effect["interval"])
    return np.array(weights), pd.DataFrame(intervals)


def auc(X, y, model):
    ranks = rankdata(X @ [coefficient["encoded"] for coefficient in model["coefficients"]])
    positive = y > 0
    return (ranks[positive].mean() - (positive.sum() + 1) / 2) / (~positive).sum()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--binary", type=lambda path: str(pathlib.Path(path).resolve()), default="target/release/discretion")
    parser.add_argument("--tables", nargs="+", default=["adult", "bank"])
    parser.add_argument("--budgets", nargs="+", choices=BUDGETS, default=list(BUDGETS))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--more", default="", help="further lines of [intervals]")
    parser.add_argument("--lam", default='"auto"', help="as a study file has it")
    parser.add_argument("--quick", action="store_true", help="no fit without intervals beside each")
    options = parser.parse_args()
    print("| table | budget | lambda | reported over true sampling | covered | without penalty | length | told right : wrong | AUC |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for table in options.tables:
        folder = options.work / table
        encoder = Encoder(folder / "study.toml")
        X, y = encoder.read(folder / "train.csv")
        X = X.astype(float)
        test = encoder.read(folder / "test.csv")
        frame = pd.read_csv(folder / "train.csv", dtype=str, keep_default_na=False)
        plain = minimise(X, y, 1e-9)
        text = (folder / "study.toml").read_text(encoding="utf-8")
        for budget in options.budgets:
            ratios, held, plainly, right, wrong, found, lengths, aucs, truth, refused = [], [], [], [], [], [], [], [], None, None
            for run in range(options.runs):
                rows = np.random.default_rng(run).integers(0, len(frame), len(frame))
                model = fit(options.binary, BUDGETS[budget], frame.iloc[rows], text, options.lam, f"[intervals]\n{options.more}")
                if isinstance(model, str):
                    refused = model
                    break
                W, intervals = effects(model, encoder)
                values = intervals["estimate"].to_numpy()
                lam, steps = model["training"]["lambda"], model["intervals"]["steps"]
                theta = np.array([coefficient["encoded"] for coefficient in model["coefficients"]])
                if truth is None:
                    penalised = minimise(X, y, lam)
                    truth = W @ stepped(X, y, penalised, lam, steps)[1] @ penalised
                ratios.append(intervals["sampling_deviation"] / sampling_deviations(X[rows], y[rows], theta, lam, steps, W))
                for where, what in ((held, truth), (plainly, W @ plain)):
                    where.append(((intervals["lower"] <= what) & (what <= intervals["upper"])).mean())
                alone = model if options.quick else fit(options.binary, BUDGETS[budget], frame.iloc[rows], text, options.lam, "")
                aucs.append([auc(*test, model), auc(*test, alone)])
                told, sign = (intervals["lower"] > 0) | (intervals["upper"] < 0), np.sign(W @ plain)
                right.append((told & (np.sign(values) == sign)).sum())
                wrong.append((told & (np.sign(values) != sign)).sum())
                found.append(values)
                lengths.append(intervals["upper"] - intervals["lower"])
            if refused:
                print(f"| {table} | {budget} | refused: {refused} |", flush=True)
                continue
            # Of few runs the deviation is surer than quantiles; its logarithm is too small by a known amount on average.
            variability = 2 * norm.ppf(0.975) * np.std(found, axis=0, ddof=1)
            freedom = (options.runs - 1) / 2
            too_small = (digamma(freedom) - np.log(freedom)) / 2
            length = np.exp(np.mean(np.log(np.mean(lengths, axis=0) / variability)) + too_small)
            low, middle, high = np.percentile(np.concatenate(ratios), [10, 50, 90])
            print(
                f"| {table} | {budget} | {lam:.1e} | {middle:.2f} ({low:.2f} to {high:.2f}) | {np.mean(held):.3f} | "
                f"{np.mean(plainly):.3f} | {length:.2f} | {np.mean(right):.1f} : {np.mean(wrong):.1f} of {len(values)} | "
                "{:.4f} ({:.4f}) |".format(*np.mean(aucs, axis=0)),
                flush=True,
            )


if __name__ == "__main__":
    main()
