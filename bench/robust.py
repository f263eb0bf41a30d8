"""How long intervals of the program are beside those of robust errors, where noise and penalty are too small to matter.

    python bench/robust.py --work WORK_DIR --binary target/release/discretion

The program takes the mean curvature A from the second moments of the rows, and A for the covariance of the gradients too, as if the
model were right. Robust errors (HC0; clustered where the unit is a person) need neither. One table each: the training rows of bank
and adult with their real outcomes, the first 9,000 persons of the simulated ones. A row says what share of these widths, effect by
effect, those of the program are; and those of A by itself, computed exactly. Nothing here is private.
"""

import argparse
import os
import pathlib
import tempfile

import coverage
import numpy as np
from scipy.special import expit

BUDGET = "1000,1e-6"


def first(population):
    """The CSV of the first persons, and their rows; of a table of rows all of it."""
    data = population.encoder.study["data"]
    end = np.append(population.starts, len(population.lines))[population.size]
    units = np.repeat(np.arange(population.size), population.counts[: population.size])
    lines = population.lines[:end]
    if population.chance is not None:
        outcome = np.random.default_rng(0).random(end) < population.chance[:end]
        labels = [data["positive"] if one else data["negative"] for one in outcome]
        lines = [f"{line},{label}" for line, label in zip(lines, labels, strict=True)]
        population.outcome[:end] = np.where(outcome, 1.0, -1.0)
    if population.by_person:
        lines = [f"P{unit},{line}" for unit, line in zip(units, lines, strict=True)]
        return "\n".join([data["person"] + "," + population.header, *lines, ""]), end
    return "\n".join([population.header, *lines, ""]), end


def errors(population, end):
    """Robust and model-based errors of each effect."""
    rows, outcome, weights = population.rows[:end], population.outcome[:end], population.weights[:end]
    theta = coverage.minimise(rows, outcome, weights)
    chances = expit(rows @ theta)
    hessian = (rows.T * (weights * chances * (1 - chances))) @ rows
    pulled = np.linalg.pinv(hessian, 1e-10, hermitian=True) @ population.contrasts.T
    slopes = rows * (weights * (chances - (outcome > 0)))[:, None]
    sums = np.add.reduceat(slopes, population.starts[: population.size])
    return [np.sqrt(np.einsum("ij,ij->j", pulled, middle @ pulled)) for middle in (sums.T @ sums, hessian)]


def measure(table, given, program):
    """The Markdown row of a table."""
    population = coverage.Population(table, given.work / table, coverage.SIZES[table])
    left_out = population.left_out(coverage.LARGEST, False)
    text, end = first(population)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "train.csv").write_text(text, encoding="utf-8")
        fit = program.fit(folder, program.study(population.study, BUDGET, True), 1)
    if fit.model is None:
        raise SystemExit(fit.refusal)
    lower, upper = coverage.intervals_of(fit.model, population.names).T
    robust, of_model = errors(population, end)
    ours = (upper - lower) / (2 * coverage.Z * robust)
    known = ~np.isnan(ours) & [name not in left_out for name in population.names]
    cells = [f"{np.quantile(ratio[known], q):.2f}" for ratio in (ours, of_model / robust) for q in (0.05, 0.5, 0.95)]
    return "| " + " | ".join([table, str(known.sum()), *cells]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", choices=("bank", "adult", "persons"), default=["bank", "adult", "persons"])
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("target/bench"))
    parser.add_argument("--binary", default=os.environ.get("DISCRETION_BINARY", "target/release/discretion"))
    given = parser.parse_args()
    program = coverage.Program(str(pathlib.Path(given.binary).resolve()), coverage.LARGEST, False)
    print("| table | effects | program: 5 % | median | 95 % | exact A: 5 % | median | 95 % |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for table in given.tables:
        print(measure(table, given, program), flush=True)


if __name__ == "__main__":
    main()
