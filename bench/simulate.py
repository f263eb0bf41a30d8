"""Objective perturbation simulated on the benchmark tables, each cell once: a cell that is in the file already is not run again.

    python bench/simulate.py WORK_DIR                          # the grid of lambda, every table and budget (an hour of one core)
    python bench/simulate.py WORK_DIR --tables adult bank      # some of it; two of these may run beside each other
    python bench/simulate.py WORK_DIR --auto                   # every law at the lambda that "auto" takes

WORK_DIR is written by prepare.py. WORK_DIR/TABLE/simulated.json then has, for each table, budget, law and lambda, the AUC on test rows
of each run, how far the noise moved margins, and how far it moved the coefficients of each column. Runs of one number have the same
draws in every cell, so that curves over lambda are smooth. No private program is run: the minimiser is numpy's, and the noise an
ordinary generator's. Of the large tables 30,000 rows stand for all of them: noise and lambda are those of the whole table.
"""

import argparse
import json
import math
import pathlib

import numpy as np
from encode import Encoder
from laws import PURE, WITH_DELTA, Shape, auto, free_variance, law_for
from scipy.stats import rankdata

TABLES = ["adult", "bank", "magic", "kdd", "covtype"]
EPSILONS, DELTA = [0.1, 0.3, 1, 3], 1e-6
GRID = [float(f"{value:.3g}") for value in 10.0 ** np.arange(0, -6.1, -0.5)]
RUNS, MOST_ROWS = 10, 40_000
KEPT_ROWS, KEPT_TESTS = 30_000, 20_000


class Simulation:
    """One table: its rows, and the cells that are known."""

    def __init__(self, folder):
        self.encoder = Encoder(folder / "study.toml")
        self.shape = Shape(self.encoder)
        self.file = folder / "simulated.json"
        known = json.loads(self.file.read_text()) if self.file.exists() else {"cells": {}}
        self.cells = known["cells"]
        self.folder, self.rows, self.n = folder, None, known.get("rows")
        if self.n is None:
            self.read()

    def read(self):
        if self.rows is None:
            X, y = self.encoder.read(self.folder / "train.csv")
            test, labels = self.encoder.read(self.folder / "test.csv")
            self.n = len(y)
            if self.n > MOST_ROWS:  # prepare.py has shuffled them
                X, y, test, labels = X[:KEPT_ROWS], y[:KEPT_ROWS], test[:KEPT_TESTS], labels[:KEPT_TESTS]
            self.rows = X, y.astype(np.float32), test, labels

    def save(self):
        self.file.write_text(json.dumps({"rows": self.n, "cells": self.cells}))

    def exact(self, lam, start=None):
        """The model without noise, kept as a cell of its own."""
        if name(lam=lam) not in self.cells:
            self.read()
            X, y, test, labels = self.rows
            start = np.zeros(self.shape.d) if start is None else start
            theta = minimise(X, y, lam, np.zeros(self.shape.d), start)
            self.cells[name(lam=lam)] = {"auc": auc(labels, test @ theta), "theta": theta.tolist()}
        return np.array(self.cells[name(lam=lam)]["theta"])

    def path(self, law, epsilon, delta, lambdas, runs):
        """Cells along falling lambda, each run starting where the last lambda left it."""
        models = [None] * runs
        for lam in sorted(lambdas, reverse=True):
            cell = name(law, epsilon, delta, lam)
            if len(self.cells.get(cell, {"auc": []})["auc"]) >= runs:
                continue
            noise = law_for(law, self.shape, self.n, lam, epsilon, delta)
            if not noise:
                break
            exact = self.exact(lam)
            self.read()
            X, y, test, labels = self.rows
            found = {"auc": [], "moved": [], "columns": []}
            for run in range(runs):
                b = noise.draw(np.random.default_rng([1, run])) / self.n
                start = exact if models[run] is None else exact + models[run]
                theta = minimise(X, y, lam, b, start)
                models[run] = theta - exact
                found["auc"].append(auc(labels, test @ theta))
                found["moved"].append(float(((test @ models[run]) ** 2).mean()))
                starts = np.concatenate([[0], np.cumsum(self.shape.k)[:-1]]).astype(int)
                found["columns"].append((np.add.reduceat(models[run] ** 2, starts) / self.shape.k).tolist())
            found["columns"] = np.mean(found["columns"], axis=0).tolist()
            self.cells[cell] = found
        self.save()

    def auto(self, law, epsilon, delta):
        """What "auto" would take if this were the only law."""
        return auto(self.shape, self.n, epsilon, free_variance(self.shape, self.n, epsilon, delta, law))

    def get(self, law, epsilon, delta, lam):
        return self.cells.get(name(law, epsilon, delta, lam))


def name(law=None, epsilon=None, delta=None, lam=None):
    return f"{law} {epsilon:g} {delta or 0:g} {lam:.3g}" if law else f"exact {lam:.3g}"


def auc(labels, scores):
    positive = labels > 0
    p = int(positive.sum())
    return float((rankdata(scores)[positive].sum() - p * (p + 1) / 2) / (p * (len(labels) - p)))


def minimise(X, y, lam, b, theta):
    """argmin of the mean loss + lam/2 |theta|^2 + b.theta, by Newton's method with halved steps; rows in single precision."""

    def value(at, z):
        return float(np.logaddexp(0, -z).mean(dtype=float)) + lam / 2 * at @ at + b @ at

    z = y * (X @ theta.astype(np.float32))
    now = value(theta, z)
    for _ in range(60):
        slope = 1 / (1 + np.exp(np.minimum(z, 80)))
        gradient = -(X.T @ (y * slope)).astype(float) / len(y) + lam * theta + b
        root = X * np.sqrt(slope * (1 - slope))[:, None]
        hessian = (root.T @ root).astype(float) / len(y)
        step = np.linalg.solve(hessian + lam * np.eye(len(theta)), gradient)
        decrement = gradient @ step
        if decrement < 1e-9 + 1e-8 * abs(now):
            return theta - step
        size = 1.0
        while size > 1e-4:
            moved = theta - size * step
            z = y * (X @ moved.astype(np.float32))
            found = value(moved, z)
            if found <= now - 1e-4 * size * decrement:
                break
            size /= 2
        theta, now = moved, found
    return theta


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("work", type=pathlib.Path)
    arguments.add_argument("--tables", nargs="+", default=TABLES)
    arguments.add_argument("--epsilon", nargs="+", type=float, default=EPSILONS)
    arguments.add_argument("--runs", type=int, default=RUNS)
    arguments.add_argument("--auto", action="store_true")
    given = arguments.parse_args()
    for table in given.tables:
        simulation = Simulation(given.work / table)
        start = None
        for lam in GRID if not given.auto else []:
            start = simulation.exact(lam, start)
        for epsilon in given.epsilon:
            for delta, laws in [(None, PURE), (DELTA, WITH_DELTA)]:
                for law in laws if given.auto else laws[-1:]:
                    lambdas = [simulation.auto(law, epsilon, delta)] if given.auto else GRID
                    simulation.path(law, epsilon, delta, lambdas, given.runs)
                    print(f"{table}, epsilon {epsilon:g}, delta {delta or 0:g}, {law}: simulated", flush=True)


if __name__ == "__main__":
    main()
