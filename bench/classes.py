"""Several classes: accuracy on test rows over fresh draws of noise, from the program itself; and time beside scikit-learn.

    python bench/prepare.py DATA_DIR WORK_DIR --tables covtype kdd
    python bench/classes.py WORK_DIR --binary target/release/discretion --runs 10
    python bench/classes.py WORK_DIR --binary target/release/discretion --time     # one fit without noise, and scikit-learn's

The studies are those of bench/studies with all their classes in place of two. δ is 1/n². Prints Markdown tables.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

KDD = (
    "back buffer_overflow ftp_write guess_passwd imap ipsweep land loadmodule multihop neptune nmap normal perl phf pod portsweep "
    "rootkit satan smurf spy teardrop warezclient warezmaster"
)
CLASSES = {"covtype": list("1234567"), "covtype_one_of": list("1234567"), "kdd": [f"{name}." for name in KDD.split()]}
LAMBDA = 1e-4  # where times are compared
CELLS = [("covtype", 1.0, True), ("covtype", 1.0, False), ("kdd", 1.0, True), ("kdd", 1.0, False)]


def study(folder, epsilon, delta, lam):
    """The table's study with all its classes."""
    text = (folder / "study.toml").read_text(encoding="utf-8")
    classes = json.dumps(CLASSES[folder.name])
    text = re.sub(r"^positive = .*\nnegative = .*$", f"classes = {classes}", text, flags=re.M)
    text = text.replace('path = "train.csv"', f'path = "{(folder / "train.csv").resolve().as_posix()}"')
    spend = f"epsilon = {epsilon}\n" + (f"delta = {delta}\n" if delta else "")
    text = re.sub(r"^\[spend\]\n(.+\n)+", f"[spend]\n{spend}", text, flags=re.M)
    text = re.sub(r"^\[budget\]\n(.+\n)+", "[budget]\nepsilon = 1000\ndelta = 0.01\n", text, flags=re.M)
    return re.sub(r"^\[model\]\n(.+\n?)+", "", text, flags=re.M) + f"\n[model]\nlambda = {lam}\n"


def rows_of(path):
    with open(path, "rb") as file:
        return sum(1 for _ in file) - 1


def labels(folder):
    target = "label" if folder.name == "kdd" else "Cover_Type"
    with open(folder / "test.csv", encoding="utf-8", newline="") as file:
        return [row[target].strip() for row in csv.DictReader(file)]


def run(binary, folder, text, truth, more=()):
    """Accuracy and seconds of one model."""
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        (place / "study.toml").write_text(text, encoding="utf-8")
        # A ledger of its own: these tables are public, and an experiment would soon spend any cap.
        environment = os.environ | {"DISCRETION_LEDGER": str(place / "ledger.sqlite")}
        call = lambda *words: subprocess.run([binary, *words], check=True, capture_output=True, env=environment)  # noqa: E731
        began = time.monotonic()
        call("fit", place / "study.toml", "--out", place / "out", "--accept-check", *more)
        seconds = time.monotonic() - began
        model = next((place / "out").glob("*model.json"))
        call("predict", model, folder / "test.csv", "--out", place / "scored.csv")
        with open(place / "scored.csv", encoding="utf-8", newline="") as file:
            predicted = [row["label"] for row in csv.DictReader(file)]
        lam = json.loads(re.sub(r"^//.*\n", "", model.read_text(encoding="utf-8")))["training"]["lambda"]
    right = sum(a == b for a, b in zip(truth, predicted, strict=True))
    return right / len(truth), seconds, lam


def beside_sklearn(binary, work, limit):
    """Seconds and memory of a fit without noise, from the file to the model, beside scikit-learn's fit of rows that are encoded already."""
    for table in ["covtype_one_of", "covtype"]:  # the smaller first: memory is that of the largest child so far
        folder = work / table
        truth = labels(folder)
        accuracy, seconds, _ = run(binary, folder, study(folder, 1.0, 0, LAMBDA), truth, ["--not-private", "--with-lambda"])
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        two = (folder / "study.toml").read_text(encoding="utf-8").replace('"train.csv"', f'"{folder.resolve()}/train.csv"')
        _, binary_seconds, _ = run(binary, folder, two, truth, ["--not-private", "--with-lambda"])
        print(
            f"discretion, {table}: {seconds:.1f} s and {memory:.0f} MB with 7 classes, {binary_seconds:.1f} s with two; "
            f"accuracy {accuracy:.4f}",
            flush=True,
        )
    for solver in ["lbfgs", "newton-cholesky"]:
        child = subprocess.Popen([sys.executable, __file__, work, "--solver", solver])
        began = time.monotonic()
        while True:
            ended, _, used = os.wait4(child.pid, os.WNOHANG)
            if ended:
                break
            if time.monotonic() - began > limit:
                child.kill()
                _, _, used = os.wait4(child.pid, 0)
                print(f"scikit-learn, {solver}: not done after {limit:.0f} s with reading", flush=True)
                break
            time.sleep(0.1)
        print(f"scikit-learn, {solver}: {used.ru_maxrss / 1024:.0f} MB at most", flush=True)


def sklearn_alone(work, solver):
    """One of scikit-learn's solvers, in a process that does nothing else."""
    import numpy as np
    from encode import Encoder
    from sklearn.linear_model import LogisticRegression

    folder = work / "covtype"
    X, _ = Encoder(folder / "study.toml").read(folder / "train.csv")
    with open(folder / "train.csv", encoding="utf-8", newline="") as file:
        y = np.array([int(row["Cover_Type"]) for row in csv.DictReader(file)])
    began = time.monotonic()
    fitted = LogisticRegression(C=1 / (len(y) * LAMBDA), fit_intercept=False, solver=solver, max_iter=1000).fit(X, y)
    seconds = time.monotonic() - began
    print(f"scikit-learn, {solver}: {seconds:.1f} s, {fitted.n_iter_} steps; encoded rows are {X.nbytes / 2**20:.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--binary", type=pathlib.Path, default=pathlib.Path("target/release/discretion"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--tables", nargs="+", default=["covtype", "kdd"])
    parser.add_argument("--lam", default='"auto"', help="a number in place of auto")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each of scikit-learn's solvers")
    parser.add_argument("--solver", help="that of scikit-learn alone")
    given = parser.parse_args()
    if given.solver:
        return sklearn_alone(given.work, given.solver)
    if given.time:
        return beside_sklearn(given.binary, given.work, given.limit)
    print("| table | classes | ε, δ | λ | accuracy | deviation | seconds |\n|---|---|---|---|---|---|---|")
    for table, epsilon, gaussian in [cell for cell in CELLS if cell[0] in given.tables]:
        folder = given.work / table
        rows, truth = rows_of(folder / "train.csv"), labels(folder)
        delta = 1 / rows**2 if gaussian else 0
        done = [run(given.binary, folder, study(folder, epsilon, delta, given.lam), truth) for _ in range(given.runs)]
        scores = [score for score, _, _ in done]
        mean = sum(scores) / len(scores)
        spread = (sum((s - mean) ** 2 for s in scores) / max(1, len(scores) - 1)) ** 0.5
        seconds = sorted(second for _, second, _ in done)[len(done) // 2]
        said = f"{epsilon:g}, {delta:.1e}" if gaussian else f"{epsilon:g}, pure"
        print(f"| {table} | {len(CLASSES[table])} | {said} | {done[0][2]:.2g} | {mean:.4f} | {spread:.4f} | {seconds:.1f} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
