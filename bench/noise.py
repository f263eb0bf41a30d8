"""What simulate.py has found: `lambda = "auto"` with each table held out, and the expected error against the measured one.

    python bench/noise.py WORK_DIR

Prints the tables of docs/lambda.md and docs/noise.md from WORK_DIR/*/simulated.json; `make lambda DATA=DIR` does everything. With
--predictions only that of docs/noise.md, for which `simulate.py --auto` is enough. A rule has
four constants: 1/(h theta^2), the variance above which lambda grows with its cube (0: never), the share of d/(n epsilon), and the
largest lambda. They are chosen from lists by the mean gap to the best lambda of the grid plus 0.15 times the worst.
"""

import argparse
import itertools
import math
import pathlib

import numpy as np
from laws import AUTO, PURE, WITH_DELTA, auto, free_variance, law_for
from scipy.interpolate import PchipInterpolator
from simulate import DELTA, EPSILONS, GRID, TABLES, Simulation

LISTS = ([150, 200, 300, 450, 600], [0, 3.2e-5, 3.5e-5, 4e-5, 5e-5], [0.02, 0.03, 0.04, 0.06], [0.03, 0.1])
WORST_WEIGHT = 0.15


class Curve:
    """AUC over lambda for a table and a budget, under the law that the program would take at each lambda."""

    def __init__(self, simulation, epsilon, delta):
        self.simulation, self.epsilon, self.delta = simulation, epsilon, delta
        shape, n = simulation.shape, simulation.n
        laws = [("groups", None)] + ([("columns", delta)] if delta else [])
        self.v = min(free_variance(shape, n, epsilon, part, law) for law, part in laws)
        points = []
        for lam in sorted(GRID):
            found = []
            for law, part in laws:
                if cell := simulation.get(law, epsilon, part, lam):
                    expected = shape.predicted(law_for(law, shape, n, lam, epsilon, part).variances, n, lam)
                    found.append((expected, np.mean(cell["auc"])))
            if found:
                points.append((math.log(lam), min(found)[1]))
        self.ends = points[0][0], points[-1][0]
        self.between = PchipInterpolator(*zip(*points))
        self.best, self.at = max((auc, math.exp(at)) for at, auc in points)
        self.known = {}

    def lam(self, constants):
        return auto(self.simulation.shape, self.simulation.n, self.epsilon, self.v, constants)

    def gap(self, constants):
        at = round(min(max(math.log(self.lam(constants)), self.ends[0]), self.ends[1]), 2)
        if at not in self.known:
            self.known[at] = self.best - float(self.between(np.clip(at, *self.ends)))
        return self.known[at]


def best_constants(curves):
    def loss(constants):
        gaps = [curve.gap(constants) for curve in curves]
        return np.mean(gaps) + WORST_WEIGHT * max(gaps)

    return min(itertools.product(*LISTS), key=loss)


def print_auto(curves):
    print("| table | ε | δ | λ auto | AUC | best of the grid | its λ | gap | gap of the rule from the other tables |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    own, others, constants = [], [], {}
    for table, curve in curves:
        if table not in constants:
            constants[table] = best_constants([other for name, other in curves if name != table])
        own.append(curve.gap(AUTO))
        others.append(curve.gap(constants[table]))
        print(
            f"| {table} | {curve.epsilon:g} | {curve.delta or 0:g} | {curve.lam(AUTO):.2g} | {curve.best - own[-1]:.4f} | {curve.best:.4f} | "
            f"{curve.at:.2g} | {own[-1]:.4f} | {others[-1]:.4f} |"
        )
    print(f"\nGap of `auto`: mean {np.mean(own):.4f}, worst {max(own):.4f}. Tables held out: mean {np.mean(others):.4f}, worst {max(others):.4f}.")
    for table, found in constants.items():
        gaps = [gap for (name, _), gap in zip(curves, others) if name == table]
        print(f"Without {table}: constants {found}; on {table} mean gap {np.mean(gaps):.4f}, worst {max(gaps):.4f}.")
    print(f"From all tables: {best_constants([curve for _, curve in curves])}; in the program: {AUTO}.")


def print_predictions(simulations):
    print("\n| table | law | ε = " + " | ".join(f"{epsilon:g}" for epsilon in EPSILONS) + " |\n|---|---|" + "---|" * len(EPSILONS))
    ratios = []
    for table, simulation in simulations.items():
        for law in PURE + WITH_DELTA:
            line = []
            for epsilon in EPSILONS:
                delta = DELTA if law in WITH_DELTA else None
                lam = simulation.auto(law, epsilon, delta)
                if not (cell := simulation.get(law, epsilon, delta, lam)):
                    line.append("–")
                    continue
                measured = math.sqrt(np.mean(cell["moved"]))
                noise = law_for(law, simulation.shape, simulation.n, lam, epsilon, delta)
                expected = simulation.shape.predicted(noise.variances, simulation.n, lam)
                ratios.append(expected / measured)
                line.append(f"{expected:.2g} / {measured:.2g} = {ratios[-1]:.2f}")
            print(f"| {table} | {law} | " + " | ".join(line) + " |")
    print(f"\nExpected / measured: from {min(ratios):.2f} to {max(ratios):.2f} ({len(ratios)} cells; 0.40 to 2.50 is the aim).")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("work", type=pathlib.Path)
    arguments.add_argument("--tables", nargs="+", default=TABLES)
    arguments.add_argument("--predictions", action="store_true", help="only the expected error against the measured one")
    given = arguments.parse_args()
    simulations = {table: Simulation(given.work / table) for table in given.tables}
    if given.predictions:
        print_predictions(simulations)
        return
    curves = [
        (table, Curve(simulation, epsilon, delta))
        for table, simulation in simulations.items()
        for epsilon in EPSILONS
        for delta in (None, DELTA)
    ]
    print_auto(curves)
    print_predictions(simulations)


if __name__ == "__main__":
    main()
