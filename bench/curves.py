"""Curves against lines: AUC on test rows over fresh draws of noise, from the program itself.

    python bench/curves.py WORK_DIR --binary target/release/discretion --runs 5
    python bench/curves.py WORK_DIR --knots 0 auto private 12 --epsilon 0.1 0.3 1 3
    python bench/curves.py WORK_DIR --knots 0 auto --runs 10 --ebm 3       # and InterpretML's DP-EBM (pip install interpret)
    python bench/curves.py WORK_DIR --knots 0 auto --runs 10 --ebm 3 --splits      # each run on a split of its own

WORK_DIR is written by prepare.py. Every number of the study becomes a curve of so many knots, on its own (log) scale; 0 knots is the
study as it is, "auto" and "private" are the study file's words; "0+rate" is the study with base_rate = "private". With `--splits`
all rows of a table are shuffled for each run, and
cut into as many to train and to test as before; without, all runs have the one split of WORK_DIR. Prints a Markdown table of means
and standard deviations.

DP-EBM gets the study's bounds as its privacy bounds. It is run at its defaults, which take minutes, as often as `--ebm` says, and at
25 rounds as often as we are. What its ε is about is printed below the table: it is not what ours is about.
"""

import argparse
import contextlib
import csv
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

import numpy as np
from quality import variant
from sklearn.metrics import roc_auc_score

CELLS = [("magic", 1, 0), ("adult", 1, 1e-6), ("bank", 1, 1e-6), ("magic", 0.1, 1e-6), ("bank", 0.1, 1e-6)]


def bent(text, knots):
    """A study whose numbers are curves; with "+rate", its penalty is around a released base rate."""
    if knots.endswith("+rate"):
        text, knots = text.replace("[model]", '[model]\nbase_rate = "private"'), knots.removesuffix("+rate")
    said = {"0": None, "auto": 'curve = "auto"', "private": 'knots = "private"'}.get(knots, f"curve = {knots}")
    return re.sub(r"^(\S+ = \{ min = [^}]*?) \}", rf"\1, {said} }}", text, flags=re.M) if said else text


def boosted(folder, text, epsilon, delta, rounds):
    """The AUC on test rows of one DP-EBM, whose columns and bounds are the study's."""
    import pandas as pd
    import tomllib
    from interpret.privacy import DPExplainableBoostingClassifier

    columns = {name: said for name, said in tomllib.loads(text)["columns"].items() if not said.get("drop")}
    target, positive = (re.search(rf'^{key} = "(.*)"', text, flags=re.M)[1] for key in ("target", "positive"))
    frames = [pd.read_csv(folder / f"{part}.csv", skipinitialspace=True) for part in ("train", "test")]
    labels = [frame[target].astype(str).str.startswith(positive).astype(int) for frame in frames]
    numbers = {name: (said["min"], said["max"]) for name, said in columns.items() if "min" in said}
    for frame in frames:
        for name, (low, high) in numbers.items():
            frame[name] = pd.to_numeric(frame[name], errors="coerce").fillna(columns[name].get("missing", low)).clip(low, high)
    model = DPExplainableBoostingClassifier(
        feature_names=list(columns),
        feature_types=["continuous" if name in numbers else "nominal" for name in columns],
        epsilon=epsilon,
        delta=delta or 1e-6,
        privacy_bounds={name: numbers[name] for name in numbers},
        random_state=None,
        **({"max_rounds": rounds} if rounds else {}),
    )
    train, test = (frame[list(columns)].astype({name: str for name in columns if name not in numbers}) for frame in frames)
    model.fit(train, labels[0])
    return roc_auc_score(labels[1], model.predict_proba(test)[:, 1])


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


@contextlib.contextmanager
def shuffled(folder, seed):
    """The folder of a table whose rows are split anew; without a seed, the folder as it is."""
    if seed is None:
        yield folder
        return
    parts = [(folder / f"{part}.csv").read_text(encoding="utf-8").splitlines() for part in ("train", "test")]
    header, rows, cut = parts[0][0], parts[0][1:] + parts[1][1:], len(parts[0]) - 1
    random.Random(seed).shuffle(rows)
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        for part, some in (("train", rows[:cut]), ("test", rows[cut:])):
            (place / f"{part}.csv").write_text("\n".join([header, *some, ""]), encoding="utf-8")
        shutil.copyfile(folder / "study.toml", place / "study.toml")
        yield place


def relation(budgets):
    """What the (ε, δ) of DP-EBM are about, and what they are for a replaced row."""
    each = "; ".join(f"ε = {e:g} is {replaced(e, d, 2**0.5):.2f} to {replaced(e, d, 2):.2f}" for e, d in budgets)
    return (
        "\nDP-EBM's ε is about a row that is added or taken away, and has δ = 1e-6 also where ours is pure. Our ε is about a row that"
        "\nis replaced. That moves its sums by √2 as much (if the two rows are in different bins) to twice as much, so that, at the"
        f"\nsame δ, its {each} for a replaced row."
    )


def replaced(epsilon, delta, factor):
    """The ε of Gaussian noise whose sums move by `factor` as much as where it has (epsilon, delta)."""
    below = lambda x: math.erfc(-x / math.sqrt(2)) / 2  # noqa: E731
    delta_of = lambda e, mu: below(-e / mu + mu / 2) - math.exp(e) * below(-e / mu - mu / 2)  # noqa: E731
    mu = halved(lambda mu: delta_of(epsilon, mu) > delta, 1e-3, 10)
    return halved(lambda e: delta_of(e, factor * mu) < delta, 1e-3, 40)


def halved(beyond, low, high):
    """Where `beyond` begins to hold."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return high


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
    arguments.add_argument("--knots", nargs="*", default=["0", "12"])
    arguments.add_argument("--epsilon", type=float, nargs="+", help="these, each with δ = 1e-6, in place of the usual cells")
    arguments.add_argument("--ebm", type=int, default=0, metavar="RUNS", help="so many runs of DP-EBM at its defaults")
    arguments.add_argument("--tables", nargs="+", default=["magic", "adult", "bank"])
    arguments.add_argument("--splits", action="store_true", help="another split for each run")
    given = arguments.parse_args()
    ours = [f"{k} knots" if not k.startswith("0") else f"lines{k[1:]}" for k in given.knots]
    theirs = [(f"DP-EBM ({given.ebm} runs)", None, given.ebm), ("DP-EBM, 25 rounds", 25, given.runs)] if given.ebm else []
    print("| table | ε, δ | " + " | ".join(ours + [name for name, _, _ in theirs]) + " |")
    print("|---|---|" + "---|" * (len(ours) + len(theirs)))
    cells = CELLS if given.epsilon is None else [(table, e, 1e-6) for e in given.epsilon for table in given.tables]
    for table, epsilon, delta in cells:
        if table not in given.tables:
            continue
        scores = [[] for _ in ours + theirs]
        for run in range(max([given.runs, *(runs for _, _, runs in theirs)])):
            with shuffled(given.work / table, run if given.splits else None) as folder:
                text = variant(folder / "study.toml", epsilon, delta, "auto")
                for each, knots in zip(scores, given.knots, strict=False):
                    if run < given.runs:
                        each.append(score(given.binary, folder, bent(text, knots)))
                for each, (_, rounds, runs) in zip(scores[len(ours) :], theirs, strict=True):
                    if run < runs:
                        each.append(boosted(folder, text, epsilon, delta, rounds))
        means = " | ".join(f"{np.mean(each):.4f} ± {np.std(each):.4f}" for each in scores)
        print(f"| {table} | {epsilon}, {delta or 0:g} | {means} |", flush=True)
    if theirs:
        print(relation(sorted({(epsilon, delta or 1e-6) for table, epsilon, delta in cells if table in given.tables})))


if __name__ == "__main__":
    main()
