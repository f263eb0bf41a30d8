"""Coverage of the bands of curves on made-up tables, from the program itself.

    python bench/bands.py --binary target/release/discretion --runs 200

Log-odds are two curves that bend at the study's own knots, so that the truth is known at each of them. Every run draws a table and
fits it with fresh noise. Prints a Markdown table: how often the interval at a knot holds the true difference from the middle (the
mean over knots, and the worst one), and how often the band for the whole curve holds all of them.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

KNOTS = {"age": np.linspace(20, 80, 7), "dose": np.linspace(0, 10, 5)}
TRUTH = {"age": np.array([1.5, 0.7, 0.1, -0.2, 0.0, 0.5, 1.2]), "dose": np.array([-0.6, 0.3, 0.5, 0.4, -0.1])}
BUDGETS = [("epsilon = 1\ndelta = 1e-6", "1, 1e-6"), ("epsilon = 4", "4, pure"), ("rho = 0.5", "ρ = 0.5")]

STUDY = """[data]
path = "t.csv"
account = "bands"
target = "y"
positive = 1
negative = 0
[budget]
{budget}
[spend]
{budget}
[columns]
age = {{ min = 20, max = 80, curve = 7 }}
dose = {{ min = 0, max = 10, curve = 5 }}
sex = {{ values = ["f", "m"] }}
[intervals]
level = 0.95
"""


def table(draw, rows):
    """Rows whose log-odds are the true curves."""
    age, dose, sex = draw.uniform(20, 80, rows), draw.uniform(0, 10, rows), draw.integers(0, 2, rows)
    odds = np.interp(age, KNOTS["age"], TRUTH["age"]) + np.interp(dose, KNOTS["dose"], TRUTH["dose"]) + 0.3 * sex - 0.4
    y = draw.uniform(size=rows) < 1 / (1 + np.exp(-odds))
    lines = (f"{a:.4f},{d:.4f},{'fm'[s]},{int(label)}" for a, d, s, label in zip(age, dose, sex, y, strict=True))
    return "age,dose,sex,y\n" + "\n".join(lines) + "\n"


def covered(binary, draw, rows, budget):
    """Whether each knot's interval, and each curve's band, hold the truth."""
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        (place / "t.csv").write_text(table(draw, rows), encoding="utf-8")
        (place / "study.toml").write_text(STUDY.format(budget=budget), encoding="utf-8")
        environment = os.environ | {"DISCRETION_LEDGER": str(place / "ledger.sqlite")}
        command = [binary, "fit", place / "study.toml", "--out", place / "out"]
        subprocess.run(command, check=True, capture_output=True, env=environment)
        model = json.loads((place / "out" / "model.json").read_text(encoding="utf-8"))
    at_knots, whole = [], []
    for column, knots in KNOTS.items():
        middle = np.interp((knots[0] + knots[-1]) / 2, knots, TRUTH[column])
        inside = []
        for coefficient in model["coefficients"]:
            knot, effect = coefficient.get("knot"), coefficient.get("effect")
            if not knot or knot["column"] != column or not effect:
                continue
            truth = np.interp(knot["at"], knots, TRUTH[column]) - middle
            at_knots.append(effect["interval"]["lower"] <= truth <= effect["interval"]["upper"])
            inside.append(effect["band"][0] <= truth <= effect["band"][1])
        whole.append(all(inside))
    return at_knots, whole


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--binary", type=pathlib.Path, default=pathlib.Path("target/release/discretion"))
    arguments.add_argument("--runs", type=int, default=200)
    arguments.add_argument("--rows", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    print("| ε, δ | at a knot | the worst knot | whole curves |\n|---|---|---|---|")
    for budget, name in BUDGETS:
        draw = np.random.default_rng(given.seed)
        runs = [covered(given.binary.resolve(), draw, given.rows, budget) for _ in range(given.runs)]
        at_knots, whole = (np.mean([run[part] for run in runs], axis=0) for part in (0, 1))
        print(f"| {name} | {at_knots.mean():.3f} | {at_knots.min():.3f} | {whole.mean():.3f} |", flush=True)


if __name__ == "__main__":
    main()
