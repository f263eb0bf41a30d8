"""Answers by a vote on Adult, at epsilon = 1 and delta = 1e-6: how many of 1,000 queries are answered, and rightly.

    python3 bench/votes.py adult.csv.gz --program target/release/discretion

The table is the whole of UCI Adult with a header (`bench/prepare.py` writes one). A thousand rows, drawn under a fixed
seed, are the queries; the program learns from the others. The noise is real, so numbers differ a little from run to run.
"""

import argparse
import csv
import gzip
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path

STUDY = Path(__file__).parent / "studies" / "adult.toml"
QUERIES = 1000
WAYS = {
    "clear winners": 'answer = "sure"\nunstable = 3',
    "all": 'answer = "all"',
    "all, clear ones told apart": 'answer = "all"\nconfidence = 0.9',
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--program", type=Path, default=Path("target/release/discretion"))
    parser.add_argument("--seed", type=int, default=3, help="which rows are queries")
    args = parser.parse_args()
    opened = gzip.open(args.table, "rt") if args.table.suffix == ".gz" else args.table.open()
    with opened as file:
        header, *rows = csv.reader(file)
    random.Random(args.seed).shuffle(rows)
    target = header.index("income")
    truth = [row[target].rstrip(".") for row in rows[:QUERIES]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "train.csv", [header, *rows[QUERIES:]])
        queries = [header, *rows[:QUERIES]]
        write(folder / "queries.csv", [[v for i, v in enumerate(row) if i != target] for row in queries])
        print(f"{'answers':<28} {'models':>7} {'answered':>9} {'right':>8} {'sure':>6} {'right if so':>12}")
        for way, lines in WAYS.items():
            print(line(args.program.resolve(), folder, way, lines, truth))


def line(program: Path, folder: Path, way: str, lines: str, truth: list[str]) -> str:
    text = STUDY.read_text().replace("[spend]\nepsilon = 1.0", "[spend]\nepsilon = 1.0\ndelta = 1e-6")
    (folder / "study.toml").write_text(f"{text}\n[vote]\nqueries = {QUERIES}\n{lines}\n")
    ledger = folder / f"{way}.sqlite"
    command = [program, "answer", "study.toml", "--queries", "queries.csv", "--out", "answers.csv", "--force", "--json"]
    done = subprocess.run([*command, "--ledger", ledger], cwd=folder, capture_output=True, text=True, env=os.environ)
    if done.returncode:
        return f"{way:<28} {done.stderr.strip()}"
    with (folder / "answers.csv").open() as file:
        told = [(row["label"], row["status"]) for row in csv.DictReader(file)]
    answered = [(label, right) for (label, _), right in zip(told, truth) if label]
    sure = [(label, right) for (label, status), right in zip(told, truth) if status == "sure"]
    shown = [f"{len(answered) / len(told):.1%}", share(answered), str(len(sure) or ""), share(sure)]
    models = json.loads(done.stdout)["models"]
    return f"{way:<28} {models:>7} {shown[0]:>9} {shown[1]:>8} {shown[2]:>6} {shown[3]:>12}"


def share(pairs: list[tuple[str, str]]) -> str:
    return f"{sum(label == right for label, right in pairs) / len(pairs):.1%}" if pairs else ""


def write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


if __name__ == "__main__":
    main()
