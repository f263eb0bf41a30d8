"""Answers by a vote at epsilon = 1 and delta = 1e-6: how many of 1,000 queries are answered, and rightly.

    python3 bench/votes.py adult.csv.gz --program target/release/discretion
    python3 bench/votes.py kddcup.csv.gz --study bench/studies/kdd.toml
    python3 bench/votes.py --census 200000

The table is the whole of UCI Adult with a header (`bench/prepare.py` writes one), or that of another study of two classes.
A thousand rows, drawn under a fixed seed, are the queries; the program learns from the others. `--census` makes rows up
instead, of which one in sixteen is positive, and says how well released scores rank. The noise is real, so numbers differ
a little from run to run.
"""

import argparse
import csv
import gzip
import json
import math
import os
import random
import subprocess
import tempfile
import tomllib
from pathlib import Path

STUDY = Path(__file__).parent / "studies" / "adult.toml"
QUERIES = 1000
WAYS = {
    "clear winners, 3 unstable": 'answer = "sure"\nunstable = 3',
    "clear winners, 20 unstable": 'answer = "sure"\nunstable = 20',
    "all": 'answer = "all"',
    "all, clear ones told apart": 'answer = "all"\nconfidence = 0.99',
    "all, forests": 'answer = "all"\nlearner = "trees"',
    "all, boosting": 'answer = "all"\nlearner = "boosting"',
}
CENSUS = """[data]
path = "train.csv"
account = "census"
target = "y"
positive = "1"
negative = "0"
[budget]
epsilon = 9.0
delta = 1e-5
[spend]
epsilon = 1.0
[columns]
a = { min = -1, max = 1 }
b = { min = -1, max = 1 }
c = { min = -1, max = 1 }
d = { min = -1, max = 1 }
"""
OF_CENSUS = {
    "labels": 'answer = "all"\nexpected_share = 0.06',
    "scores": 'answer = "all"\nscores = true\nweights = "balanced"\nexpected_share = 0.06',
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path, nargs="?")
    parser.add_argument("--study", type=Path, default=STUDY)
    parser.add_argument("--census", type=int, metavar="ROWS", help="made-up rows in place of a table")
    parser.add_argument("--program", type=Path, default=Path("target/release/discretion"))
    parser.add_argument("--seed", type=int, default=3, help="which rows are queries")
    args = parser.parse_args()
    text, ways = (CENSUS, OF_CENSUS) if args.census else (args.study.read_text(), WAYS)
    header, *rows = census(args.census) if args.census else table(args.table)
    random.Random(args.seed).shuffle(rows)
    data = tomllib.loads(text)["data"]
    target, positive = header.index(data["target"]), data["positive"]
    positives = [positive] if isinstance(positive, str) else positive
    # Half of Adult writes its labels with a full stop.
    truth = [bool({row[target].strip(), row[target].strip().rstrip(".")} & {*positives}) for row in rows[:QUERIES]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / Path(data["path"]).name, [header, *rows[QUERIES:]])
        queries = [header, *rows[:QUERIES]]
        write(folder / "queries.csv", [[v for i, v in enumerate(row) if i != target] for row in queries])
        print(f"{'answers':<28} {'models':>7} {'answered':>9} {'right':>8} {'sure':>6} {'right if so':>12} {'AUC':>6}")
        for way, lines in ways.items():
            print(line(args.program.resolve(), folder, (text, way, lines), truth), flush=True)


def table(path: Path) -> list[list[str]]:
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()
    with opened as file:
        return list(csv.reader(file))


def census(rows: int) -> list[list[str]]:
    drawn, made = random.Random(1), [["a", "b", "c", "d", "y"]]
    for _ in range(rows):
        x = [drawn.uniform(-1, 1) for _ in range(4)]
        margin = 2.4 * x[0] + 1.6 * x[1] - 1.2 * x[2] - 4.0
        made.append([*(f"{v:.6f}" for v in x), str(int(drawn.random() < 1 / (1 + math.exp(-margin))))])
    return made


def line(program: Path, folder: Path, study: tuple[str, str, str], truth: list[bool]) -> str:
    text, way, lines = study
    text = text.replace("[spend]\nepsilon = 1.0", "[spend]\nepsilon = 1.0\ndelta = 1e-6")
    (folder / "study.toml").write_text(f"{text}\n[vote]\nqueries = {QUERIES}\n{lines}\n")
    ledger = folder / f"{way}.sqlite"
    command = [program, "answer", "study.toml", "--queries", "queries.csv", "--out", "answers.csv", "--force", "--json"]
    done = subprocess.run([*command, "--ledger", ledger], cwd=folder, capture_output=True, text=True, env=os.environ)
    if done.returncode:
        return f"{way:<28} {done.stderr.strip()}"
    said = json.loads(done.stdout)
    schema = tomllib.loads(text)["data"]
    positives = [schema["positive"]] if isinstance(schema["positive"], str) else schema["positive"]
    name = schema.get("label") or " or ".join(positives)
    with (folder / "answers.csv").open() as file:
        told = list(csv.DictReader(file))
    if "score" in told[0]:
        scores = [float(row["score"]) for row in told]
        return f"{way:<28} {said['models']:>7} {'100.0%':>9} {'':>8} {'':>6} {'':>12} {auc(scores, truth):>6.3f}"
    answered = [(row["label"] == name) == right for row, right in zip(told, truth) if row["label"]]
    sure = [(row["label"] == name) == right for row, right in zip(told, truth) if row["status"] == "sure"]
    shown = [f"{len(answered) / len(told):.1%}", share(answered), str(len(sure) or ""), share(sure)]
    return f"{way:<28} {said['models']:>7} {shown[0]:>9} {shown[1]:>8} {shown[2]:>6} {shown[3]:>12}"


def share(rights: list[bool]) -> str:
    return f"{sum(rights) / len(rights):.1%}" if rights else ""


def auc(scores: list[float], truth: list[bool]) -> float:
    positive = [score for score, right in zip(scores, truth) if right]
    negative = [score for score, right in zip(scores, truth) if not right]
    won = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return won / (len(positive) * len(negative))


def write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


if __name__ == "__main__":
    main()
