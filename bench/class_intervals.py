"""Coverage of intervals of several classes on a table that is made up, from the program itself.

    python bench/class_intervals.py --binary target/release/discretion --runs 200

Three classes follow from two numbers and a category by a softmax. What should be covered, the differences to the reference class
that the same lambda gives on the population, is a fit without noise of a table of 400,000 rows. Prints a Markdown table.
"""

import argparse
import json
import math
import os
import pathlib
import random
import re
import subprocess
import tempfile

CELLS = [(8_000, 1.0, 1e-6), (40_000, 1.0, 1e-6), (40_000, 0.3, 1e-6), (40_000, 1.0, 0)]
LAMBDA = 0.01
POPULATION = 400_000


def table(path, rows, seed):
    """Rows of a softmax."""
    chance = random.Random(seed)
    with open(path, "w", encoding="utf-8") as file:
        file.write("a,b,site,y\n")
        for _ in range(rows):
            a, b, site = chance.uniform(-1, 1), chance.uniform(-1, 1), chance.choice("pqr")
            scores = [0.0, 0.3 + 1.5 * a - 0.5 * b, -0.2 + 0.5 * a + b + (0.8 if site == "q" else 0.0)]
            y = chance.choices("ABC", weights=[math.exp(score) for score in scores])[0]
            file.write(f"{a:.5f},{b:.5f},{site},{y}\n")


def study(epsilon, delta):
    spend = f"epsilon = {epsilon}\n" + (f"delta = {delta}\n" if delta else "")
    return f"""[data]
path = "t.csv"
account = "a"
target = "y"
classes = ["A", "B", "C"]
[budget]
epsilon = 1000
delta = 0.01
[spend]
{spend}[columns]
a = {{ min = -1, max = 1 }}
b = {{ min = -1, max = 1 }}
site = {{ values = ["p", "q", "r"] }}
[model]
lambda = {LAMBDA}
[intervals]
level = 0.95
reference = "A"
"""


def fit(binary, place, epsilon, delta, more=()):
    """The coefficients of one model."""
    (place / "study.toml").write_text(study(epsilon, delta), encoding="utf-8")
    # A ledger of its own for each table.
    environment = os.environ | {"DISCRETION_LEDGER": str(place / "ledger.sqlite")}
    command = [binary, "fit", place / "study.toml", "--out", place / "out", *more]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    model = next((place / "out").glob("*model.json"))
    return json.loads(re.sub(r"^//.*\n", "", model.read_text(encoding="utf-8")))["coefficients"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=pathlib.Path("target/release/discretion"))
    parser.add_argument("--runs", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        table(place / "t.csv", POPULATION, 0)
        whole = [c["encoded"] for c in fit(given.binary, place, 1.0, 0, ["--not-private", "--with-lambda"])]
    each = len(whole) // 3
    print("| rows | ε, δ | coverage of 95 % | mean half width |\n|---|---|---|---|")
    for rows, epsilon, delta in CELLS:
        held, widths = [], []
        for run in range(given.runs):
            with tempfile.TemporaryDirectory() as folder:
                place = pathlib.Path(folder)
                table(place / "t.csv", rows, 1000 + run)
                found = fit(given.binary, place, epsilon, delta)
            inside = []
            for i in range(each, 3 * each):
                interval = found[i]["interval"]
                inside.append(interval["lower"] <= whole[i] - whole[i % each] <= interval["upper"])
                widths.append(0.5 * (interval["upper"] - interval["lower"]))
            held += inside
        said = f"{epsilon:g}, {delta:g}" if delta else f"{epsilon:g}, pure"
        share, width = sum(held) / len(held), sum(widths) / len(widths)
        print(f"| {rows:,} | {said} | {share:.3f} | {width:.3g} |", flush=True)


if __name__ == "__main__":
    main()
