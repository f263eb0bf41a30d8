"""What the program itself reaches with `lambda = "auto"`, beside what it must, and what it expected.

    python bench/noise_program.py WORK_DIR --binary target/release/discretion

Prints the last tables of docs/noise.md: AUC on test rows over fresh draws of noise; how far margins moved from those of the model
without noise, beside what `plan` expects; and the noise per code of a made-up table with a column of 10 or of 1,000 codes. The noise
of a model is read off its coefficients: it is what the gradient lacks to be zero.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np
from encode import Encoder, coefficients
from quality import variant
from simulate import auc, minimise

CELLS = [
    *[("adult", epsilon, 0, least) for epsilon, least in [(0.1, 0.868), (0.3, 0.888), (1, 0.896)]],
    *[("bank", epsilon, 0, least) for epsilon, least in [(0.1, 0.68), (0.3, 0.73), (1, 0.759)]],
    *[("magic", epsilon, 0, least) for epsilon, least in [(0.1, 0.815), (0.3, 0.818), (1, 0.83)]],
    ("adult", 1, 1e-6, 0.896),
]
MADE_UP = """[data]
path = "train.csv"
account = "made-up"
target = "y"
positive = "1"
negative = "0"

[budget]
epsilon = 10

[spend]
epsilon = 1.0

[columns]
a = { min = -1, max = 1 }
b = { min = -1, max = 1 }
c = { min = -1, max = 1 }
d = { min = -1, max = 1 }
code = { values = [%s] }

[model]
lambda = "auto"
"""


class Program:
    def __init__(self, binary, study):
        self.binary, self.study = binary, study

    def fit(self, epsilon, delta, names):
        """Coefficients and lambda of a model with fresh noise."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "study.toml").write_text(variant(self.study, epsilon, delta, "auto"), encoding="utf-8")
            # A ledger of its own: these tables are public, and an experiment would soon spend any cap.
            environment = os.environ | {"DISCRETION_LEDGER": str(folder / "ledger.sqlite")}
            command = [self.binary, "fit", folder / "study.toml", "--out", folder / "out", "--json", "--accept-check"]
            subprocess.run(command, capture_output=True, check=True, env=environment)
            return coefficients(folder / "out" / "model.json", names)

    def plan(self, epsilon, delta, rows):
        with tempfile.TemporaryDirectory() as folder:
            study = pathlib.Path(folder) / "study.toml"
            study.write_text(variant(self.study, epsilon, delta, "auto"), encoding="utf-8")
            command = [self.binary, "plan", "--study", study, "--rows", str(rows), "--json"]
            return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def print_tables(work, binary, runs):
    print(f"| table | ε | δ | λ auto | law | AUC, mean of {runs} (sd) | at least | | margins moved by | expected | ratio |")
    print("|---|---:|---:|---:|---|---:|---:|---|---:|---:|---:|")
    tables = {}
    for table, epsilon, delta, least in CELLS:
        if table not in tables:
            encoder = Encoder(work / table / "study.toml")
            tables[table] = encoder, *encoder.read(work / table / "train.csv"), *encoder.read(work / table / "test.csv")
        encoder, X, y, test, labels = tables[table]
        program = Program(binary, work / table / "study.toml")
        plan = program.plan(epsilon, delta, len(y))
        lam, taken = plan["lambda"], plan["mechanisms"][0]
        exact = minimise(X, y.astype(np.float32), lam, np.zeros(X.shape[1]), np.zeros(X.shape[1]))
        models = [program.fit(epsilon, delta, encoder.names) for _ in range(runs)]
        aucs = [auc(labels, test @ theta) for theta in models]
        moved = np.sqrt(np.mean([((test @ (theta - exact)) ** 2).mean() for theta in models]))
        print(
            f"| {table} | {epsilon:g} | {delta:g} | {lam:.2g} | {taken['noise']['law']} | {np.mean(aucs):.4f} ({np.std(aucs, ddof=1):.4f}) | {least} | "
            f"{'holds' if np.mean(aucs) >= least else 'MISSED'} | {moved:.3g} | {taken['expected_error']:.3g} | "
            f"{taken['expected_error'] / moved:.2f} |",
            flush=True,
        )


def noise_per_code(binary, codes, rows, runs):
    """The deviation of the noise at a code's coefficient, read off models of a made-up table."""
    rng = np.random.default_rng(codes)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        numbers, code = rng.uniform(-1, 1, size=(rows, 4)), rng.integers(codes, size=rows)
        label = rng.uniform(size=rows) < 1 / (1 + np.exp(-2 * numbers[:, 0] - (code % 2)))
        lines = [f"{a:.6f},{b:.6f},{c:.6f},{d:.6f},k{k},{int(y)}" for (a, b, c, d), k, y in zip(numbers, code, label)]
        (folder / "train.csv").write_text("\n".join(["a,b,c,d,code,y", *lines, ""]), encoding="utf-8")
        (folder / "study.toml").write_text(MADE_UP % ", ".join(f'"k{k}"' for k in range(codes)), encoding="utf-8")
        encoder = Encoder(folder / "study.toml")
        X, y = encoder.read(folder / "train.csv")
        program = Program(binary, folder / "study.toml")
        lam = program.plan(1, 0, rows)["lambda"]
        squares = []
        for _ in range(runs):
            theta = program.fit(1, 0, encoder.names)
            slope = y / (1 + np.exp(y * (X @ theta)))
            b = X.T.astype(float) @ slope - rows * lam * theta
            squares.append((b[-codes:] ** 2).mean())
        return np.sqrt(np.mean(squares))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("work", type=pathlib.Path)
    arguments.add_argument("--binary", type=pathlib.Path, default="target/release/discretion")
    arguments.add_argument("--runs", type=int, default=10)
    given = arguments.parse_args()
    binary = given.binary.resolve()
    print_tables(given.work, binary, given.runs)
    # A few codes have a few draws of noise each, so there are more models of them.
    few, many = noise_per_code(binary, 10, 100_000, 3 * given.runs), noise_per_code(binary, 1000, 100_000, given.runs)
    print(f"\nNoise per code, 100,000 rows, epsilon 1: {few:.2f} with 10 codes, {many:.2f} with 1,000; ratio {many / few:.2f} (at most 1.5)")


if __name__ == "__main__":
    main()
