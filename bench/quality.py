"""How good the published models are: AUC and accuracy on test rows over fresh draws of the noise.

    python bench/quality.py WORK_DIR --table adult --epsilon 1 --lambda 1e-3 3e-3 auto --runs 10
    python bench/quality.py WORK_DIR --table adult --epsilon 1 --delta 1e-6 --lambda 3e-4
    python bench/quality.py WORK_DIR --check-adult       # what must hold on Adult; exit code 1 if it does not
    python bench/quality.py WORK_DIR --auto-table        # "auto" against the best of a grid, all tables, as Markdown

WORK_DIR is written by prepare.py. The binary trains on train.csv; test.csv is scored here from the coefficients in the model file.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.metrics import roc_auc_score

from encode import Encoder, coefficients

GRID = [float(f"{value:.4g}") for value in np.logspace(-5, -1, 13)]


def variant(study, epsilon, delta, lam):
    """The text of a study file with another budget and lambda, still pointing at the same rows."""
    text = study.read_text(encoding="utf-8")
    path = (study.parent / "train.csv").resolve().as_posix()
    spend = f"[spend]\nepsilon = {epsilon}\n" + (f"delta = {delta}\n" if delta else "") + "\n"
    text = re.sub(r'^path = ".*"$', f'path = "{path}"', text, flags=re.M)
    text = re.sub(r"^\[spend\][^\[]*", spend, text, flags=re.M)
    return re.sub(r"^lambda = .*$", f'lambda = "{lam}"' if lam == "auto" else f"lambda = {lam}", text, flags=re.M)


class Table:
    """One table's test rows, and the binary to train with."""

    def __init__(self, folder, binary):
        self.study = folder / "study.toml"
        self.binary = binary
        self.encoder = Encoder(self.study)
        self.X, self.y = self.encoder.read(folder / "test.csv")

    def fit(self, epsilon, delta, lam):
        """AUC and accuracy of one freshly trained model; None if the request is refused as infeasible."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "study.toml").write_text(variant(self.study, epsilon, delta, lam), encoding="utf-8")
            command = [self.binary, "fit", folder / "study.toml", "--out", folder / "out", "--json", "--accept-check"]
            # A ledger of its own: these tables are public, and an experiment would soon spend any cap.
            environment = os.environ | {"DISCRETION_LEDGER": str(folder / "ledger.sqlite")}
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            if done.returncode in (1, 2) and "too small" in done.stderr + done.stdout:
                return None  # lambda leaves no budget for the noise
            if done.returncode != 0:
                sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stderr}")
            theta = coefficients(folder / "out" / "model.json", self.encoder.names)
        scores = self.X @ theta
        return roc_auc_score(self.y, scores), np.mean((scores > 0) == (self.y > 0))

    def score(self, epsilon, delta, lam, runs):
        """Means and standard deviations over `runs` models, [[AUC, accuracy], [sd, sd]]; None if refused."""
        results = []
        for _ in range(runs):
            result = self.fit(epsilon, delta, lam)
            if result is None:
                return None
            results.append(result)
        return np.array([np.mean(results, axis=0), np.std(results, axis=0, ddof=min(1, runs - 1))])

    def best(self, epsilon, delta, runs):
        """(AUC, lambda) of the best lambda of the grid: chosen on the test rows, a yardstick that nobody could reach privately."""
        scores = [(score[0, 0], lam) for lam in GRID if (score := self.score(epsilon, delta, lam, runs)) is not None]
        return max(scores) if scores else (float("nan"), float("nan"))


def budget(epsilon, delta):
    return f"({epsilon:g}, {delta:g})" if delta else f"{epsilon:g} pure"


def print_scores(table, name, epsilon, delta, lambdas, runs):
    print(f"{name}, epsilon {budget(epsilon, delta)}, {runs} runs")
    for lam in lambdas:
        score = table.score(epsilon, delta, lam, runs)
        if score is None:
            print(f"  lambda {lam:>8}: refused, below the smallest feasible lambda")
            continue
        (auc, accuracy), (auc_sd, accuracy_sd) = score
        print(f"  lambda {lam:>8}: AUC {auc:.4f} (sd {auc_sd:.4f}), accuracy {accuracy:.4f} (sd {accuracy_sd:.4f})", flush=True)


def check_adult(table, runs):
    """The three requirements on Adult; true if all hold."""
    pure, _ = table.score(1, 0, 1e-3, runs)
    first = pure[0] >= 0.87 and pure[1] >= 0.82
    print(f"epsilon 1 pure, lambda 1e-3: mean AUC {pure[0]:.4f} (required 0.87), accuracy {pure[1]:.4f} (required 0.82)")
    gaussian, _ = table.score(1, 1e-6, 3e-4, runs)
    second = gaussian[0] >= 0.885
    print(f"(1, 1e-6), lambda 3e-4: mean AUC {gaussian[0]:.4f} (required 0.885), accuracy {gaussian[1]:.4f}", flush=True)
    auto, _ = table.score(1, 0, "auto", runs)
    best, lam = table.best(1, 0, runs)
    third = best - auto[0] <= 0.01
    print(f"epsilon 1 pure, auto: mean AUC {auto[0]:.4f}; best of the grid {best:.4f} at lambda {lam:g}", end="")
    print(f"; gap {best - auto[0]:.4f} (allowed 0.01)")
    print("all hold" if first and second and third else "NOT all hold")
    return first and second and third


def auto_table(work, binary, names, delta, runs):
    """Mean AUC of auto and of the best lambda of the grid, as a Markdown table."""
    print(f"| table | ε ({'pure' if not delta else f'δ = {delta:g}'}) | auto | best of grid | its λ | gap |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in names:
        table = Table(work / name, binary)
        for epsilon in [0.1, 0.5, 1, 3]:
            auto = table.score(epsilon, delta, "auto", runs)
            auto = float("nan") if auto is None else auto[0, 0]
            best, lam = table.best(epsilon, delta, runs)
            print(f"| {name} | {epsilon:g} | {auto:.4f} | {best:.4f} | {lam:.2g} | {best - auto:.4f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description="AUC and accuracy of models published by the binary, over fresh draws of noise.")
    parser.add_argument("work", type=pathlib.Path, help="folder written by prepare.py")
    parser.add_argument("--binary", type=pathlib.Path, default="target/release/discretion", help="default: %(default)s")
    parser.add_argument("--table", default="adult", help="default: adult")
    parser.add_argument("--epsilon", type=float, default=1.0, help="default: 1")
    parser.add_argument("--delta", type=float, default=0.0, help="default: 0, a pure budget")
    parser.add_argument("--lambda", dest="lambdas", nargs="+", default=["1e-3"], help='numbers or "auto"; default: 1e-3')
    parser.add_argument("--runs", type=int, default=10, help="models for each setting, default 10")
    parser.add_argument("--check-adult", action="store_true", help="check what must hold on Adult")
    parser.add_argument("--auto-table", action="store_true", help="auto against the grid on every table, as Markdown")
    parser.add_argument("--tables", nargs="+", default=["adult", "bank", "magic", "kdd", "covtype"], help="for --auto-table")
    arguments = parser.parse_args()
    binary = arguments.binary.resolve()
    if arguments.auto_table:
        auto_table(arguments.work, binary, arguments.tables, arguments.delta, arguments.runs)
    elif arguments.check_adult:
        sys.exit(0 if check_adult(Table(arguments.work / "adult", binary), arguments.runs) else 1)
    else:
        table = Table(arguments.work / arguments.table, binary)
        print_scores(table, arguments.table, arguments.epsilon, arguments.delta, arguments.lambdas, arguments.runs)


if __name__ == "__main__":
    main()
