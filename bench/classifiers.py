"""Classifiers per second: the tuning experiment of `discretion-papers tuning` beside scikit-learn on the same encoded rows.

    cargo build --release --manifest-path bench/papers/Cargo.toml --target-dir target/papers --example classifiers
    python bench/classifiers.py DATA_DIR WORK_DIR --ours target/papers/release/examples/classifiers

Ours are the private classifiers of two rounds of the paper's cross-validation on Adult: every method at alpha 0.3, 1 and 5, with
choosing, scoring and testing included. scikit-learn trains its plain (not private) logistic regression on as many of Adult's rows
for each lambda of the paper's list, with newton-cholesky at default tolerance, one process for each core.
"""

import argparse
import json
import os
import pathlib
import subprocess
import time

for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]:  # before numpy is loaded: the cores are used by processes
    os.environ[variable] = "1"

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression

from encode import Encoder

LAMBDAS = [0.001, 0.112, 0.223, 0.334, 0.445, 0.556, 0.667, 0.778, 0.889, 1]
TRAINING_SHARE = 0.8  # eight folds of ten


def train(X, y, lam):
    model = LogisticRegression(C=1 / (len(y) * lam), solver="newton-cholesky", fit_intercept=False)
    return model.fit(X, y).n_iter_[0]


def main():
    parser = argparse.ArgumentParser(description="Classifiers per second, ours and scikit-learn's.")
    parser.add_argument("data", type=pathlib.Path, help="folder with the public tables")
    parser.add_argument("work", type=pathlib.Path, help="folder written by prepare.py")
    parser.add_argument("--ours", type=pathlib.Path, default="target/release/examples/classifiers", help="default: %(default)s")
    parser.add_argument("--repeats", type=int, default=4, help="times scikit-learn goes through the list, default 4")
    arguments = parser.parse_args()

    encoder = Encoder(arguments.work / "adult" / "study.toml")
    parts = [encoder.read(arguments.work / "adult" / name) for name in ["train.csv", "test.csv"]]
    X, y = (np.concatenate(part) for part in zip(*parts))
    rows = int(TRAINING_SHARE * len(y))
    # scikit-learn works in doubles anyway; so the conversion is not counted.
    X, y = np.ascontiguousarray(X[:rows], dtype=np.float64), y[:rows]

    with Parallel(n_jobs=os.cpu_count()) as pool:
        pool(delayed(train)(X, y, 1.0) for _ in range(os.cpu_count()))  # starts the processes
        start = time.perf_counter()
        pool(delayed(train)(X, y, lam) for _ in range(arguments.repeats) for lam in LAMBDAS)
        theirs = arguments.repeats * len(LAMBDAS) / (time.perf_counter() - start)

    report = json.loads(subprocess.run([arguments.ours, arguments.data], check=True, capture_output=True, text=True).stdout)
    ours = report["classifiers"] / report["seconds"]
    print(f"\nclassifiers per second on {rows} rows of Adult, {len(encoder.names)} coefficients, {os.cpu_count()} cores")
    print(f"  discretion, the whole tuning experiment     {ours:8.1f}   ({report['classifiers']} private classifiers)")
    print(f"  scikit-learn newton-cholesky, training only {theirs:8.1f}   ({ours / theirs:.1f}x)")


if __name__ == "__main__":
    main()
