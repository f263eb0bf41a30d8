"""Noise with the shape of the rows, simulated: what laws do to margins and AUC, and the constant of `lambda = "auto"`.

    python bench/noise.py WORK_DIR --tables adult bank magic --runs 10            # pure epsilon 0.1, 0.3, 1, 3
    python bench/noise.py WORK_DIR --tables adult bank --epsilon 1 --delta 1e-6   # Gaussian noise
    python bench/noise.py WORK_DIR --tables adult --laws spherical groups row     # other laws beside it

WORK_DIR is written by prepare.py. For each table, budget and law it prints, over a grid of lambda, the mean AUC on test rows, and
how far the noise moved margins against what the program would have predicted (train/predict.rs has the same formula). Then, for the
first law, the constant C of lambda = C*v that loses least AUC to the best of the grid, with each table held out in turn. No private
program is run: the minimiser is numpy's, and the noise an ordinary generator's.
"""

import argparse
import math
import pathlib

import numpy as np
from encode import Encoder
from sklearn.metrics import roc_auc_score

GRID = 10.0 ** np.arange(-4.5, -0.9, 0.5)
CURVATURE, SHARES = 0.6 * 0.25, np.array([1 / 16, 1 / 4, 1])  # train/predict.rs
CONSTANTS = np.array([150, 300, 450, 600, 900, 1200, 1800, 2400, 3600])
FEASIBLE_TIMES, DIMENSION_SHARE, LARGEST = 10, 0.03, 0.1  # train/auto.rs
MASK_SHARE = 1e-3


class Shape:
    """What the schema says: coefficients, size and mean square of an entry of each column."""

    def __init__(self, encoder):
        sizes = [1] * (1 + len(encoder.numeric)) + [len(values) for values in encoder.categories.values()]
        self.k = np.array(sizes, dtype=float)
        self.c = float(encoder.c)
        numbers = np.where(np.arange(len(sizes)) == 0, 1.0, 1 / 3)
        self.square = self.c**2 * np.where(self.k == 1, numbers, 1 / self.k)
        self.d = int(self.k.sum())

    def weights(self, n, lam, curvature=CURVATURE):
        """What a unit of variance of the noise does to the variance of a margin, by column."""
        if math.isinf(lam):
            return self.k * self.square
        square = self.square[:, None] * SHARES
        return self.k * (square / (n * (curvature * square + lam)) ** 2).mean(axis=1)

    def predicted(self, variances, n, lam):
        """The standard deviation of a margin: noise moves margins to where the loss is flat."""
        deviation = 0.0
        for _ in range(100):
            flat = CURVATURE / math.sqrt(1 + math.pi / 8 * deviation**2)
            before, deviation = deviation, math.sqrt((self.weights(n, lam, flat) * variances).sum())
            if deviation <= before * (1 + 1e-6):
                break
        return deviation


class Spherical:
    def __init__(self, shape, left, *_):
        self.d, self.scale = shape.d, 2 / left
        self.variances = np.full(len(shape.k), self.scale**2 * (shape.d + 1))

    def draw(self, rng):
        v = rng.normal(size=self.d)
        return v / np.linalg.norm(v) * rng.gamma(self.d, self.scale)


class RowNorm:
    def __init__(self, shape, left, *_):
        self.shape, self.left = shape, left
        self.variances = 8 * (shape.d + 1) / ((shape.k + 1) * left**2)

    def draw(self, rng):
        lengths = np.sqrt(rng.chisquare(self.shape.k))
        parts = [length * simplex(int(k), False, rng) for length, k in zip(lengths, self.shape.k)]
        return np.concatenate(parts) / np.linalg.norm(lengths) * rng.gamma(self.shape.d) * 2 / self.left


class Groups:
    """train/grouping.rs: numbers together, each category alone, and the merges that gain most."""

    def __init__(self, shape, left, n, lam):
        self.shape = shape
        harm = shape.weights(n, lam) * 8 * shape.c**2 / ((shape.k + 1) * (shape.k + 2))

        def root(group):
            dimension = shape.k[group].sum()
            return ((dimension + 1) * (dimension + 2) * harm[group].sum()) ** (1 / 3)

        numbers, categories = list(np.flatnonzero(shape.k == 1)), list(np.flatnonzero(shape.k > 1))
        each = [numbers] + [[column] for column in categories]
        merged = [list(group) for group in each]
        while len(merged) > 1:
            pairs = [(root(merged[a]) + root(merged[b]) - root(merged[a] + merged[b]), a, b) for b in range(len(merged)) for a in range(b)]
            gain, a, b = max(pairs)
            if gain <= 0:
                break
            merged[a] += merged.pop(b)
        ways = [[numbers + categories], [numbers, categories] if categories else [numbers], each, merged]
        self.groups = min(ways, key=lambda groups: sum(map(root, groups)))
        roots = np.array([root(group) for group in self.groups])
        self.epsilons = left * roots / roots.sum()
        self.variances = np.zeros(len(shape.k))
        for group, epsilon in zip(self.groups, self.epsilons):
            dimension, k = shape.k[group].sum(), shape.k[group]
            self.variances[group] = (2 * shape.c / epsilon) ** 2 * 2 * (dimension + 1) * (dimension + 2) / ((k + 1) * (k + 2))

    def draw(self, rng):
        parts = [None] * len(self.shape.k)
        for group, epsilon in zip(self.groups, self.epsilons):
            radius = rng.gamma(self.shape.k[group].sum() + 1)
            for column in group:
                parts[column] = 2 * self.shape.c / epsilon * radius * simplex(int(self.shape.k[column]), True, rng)
        return np.concatenate(parts)


class ColumnGaussian:
    def __init__(self, shape, sigma, n, lam):
        deviations = np.sqrt(shape.c / np.sqrt(shape.weights(n, lam)))
        self.deviations = deviations * sigma * math.sqrt((shape.c**2 / deviations**2).sum())
        self.shape, self.variances = shape, self.deviations**2

    def draw(self, rng):
        return rng.normal(size=self.shape.d) * np.repeat(self.deviations, self.shape.k.astype(int))


LAWS = {"spherical": Spherical, "row": RowNorm, "groups": Groups, "gaussian": ColumnGaussian}


def simplex(k, in_ball, rng):
    """A point of the l1 ball in k dimensions, or of its sphere."""
    exponentials = rng.exponential(size=k + in_ball)
    return exponentials[:k] / exponentials.sum() * rng.choice([-1, 1], size=k)


def gaussian_sigma(epsilon, delta, curvature):
    """Theorem 2 of train/objective, by bisection on a grid of orders; the mask is left out."""

    def phi(x):
        return 0.5 * math.erfc(-x / math.sqrt(2))

    def price(sigma):
        found = []
        for order in np.concatenate([np.linspace(1.05, 20, 200), np.linspace(20, 200, 100)]):
            exponent = 2 * order * (order - 1) / sigma**2
            if exponent < 600:
                moment = phi(-1 / sigma) + math.exp(exponent) * phi((2 * order - 1) / sigma)
                found.append(
                    curvature + (math.log(moment) - math.log(delta) - math.log(order)) / (order - 1) + math.log((order - 1) / order)
                )
        return min(found, default=math.inf)

    low, high = 0.5, 1e5
    if price(high) > epsilon:
        return None
    for _ in range(40):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if price(middle) <= epsilon else (middle, high)
    return high


def law_for(name, shape, n, lam, epsilon, delta):
    """The law that a budget buys at this lambda; None if lambda is too small."""
    curvature = math.log1p(0.25 / (n * lam))
    if name == "gaussian":
        sigma = gaussian_sigma(epsilon, delta, curvature)
        return sigma and ColumnGaussian(shape, sigma, n, lam)
    left = (1 - MASK_SHARE) * epsilon - curvature
    return LAWS[name](shape, left, n, lam) if left > 0 else None


def minimise(X, y, lam, b, theta):
    """argmin of the perturbed objective, by Newton's method with halved steps."""
    n, d = X.shape
    for _ in range(40):
        z = y * (X @ theta)
        slope = 1 / (1 + np.exp(np.minimum(z, 500)))
        gradient = -(X.T @ (y * slope)) / n + lam * theta + b / n
        if np.linalg.norm(gradient) < 1e-7:
            break
        hessian = (X.T * (slope * (1 - slope))) @ X / n + lam * np.eye(d)
        step = np.linalg.solve(hessian, gradient)
        value = np.logaddexp(0, -z).mean() + lam / 2 * theta @ theta + b @ theta / n
        size = 1.0
        while size > 1e-6:
            moved = theta - size * step
            found = np.logaddexp(0, -y * (X @ moved)).mean() + lam / 2 * moved @ moved + b @ moved / n
            if found <= value - 1e-4 * size * gradient @ step:
                break
            size /= 2
        theta = moved
    return theta


def auto(constant, shape, n, epsilon, delta, law):
    """train/auto.rs with another constant."""
    smallest = 0.25 / (n * math.expm1((1 - MASK_SHARE) * epsilon))
    free = law_for(law, shape, n, math.inf, epsilon, delta)
    v = (shape.k * free.variances).sum() / (shape.d * n * n)
    floor = max(FEASIBLE_TIMES * smallest, DIMENSION_SHARE * shape.d / n, 1 / n)
    return max(min(max(constant * v, floor), LARGEST), 2 * smallest)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("work", type=pathlib.Path)
    arguments.add_argument("--tables", nargs="+", default=["adult", "bank", "magic"])
    arguments.add_argument("--epsilon", nargs="+", type=float, default=[0.1, 0.3, 1, 3])
    arguments.add_argument("--delta", type=float)
    arguments.add_argument("--laws", nargs="+", choices=LAWS)
    arguments.add_argument("--runs", type=int, default=10)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    laws = given.laws or (["gaussian"] if given.delta else ["groups"])
    rng = np.random.default_rng(given.seed)
    curves = {}  # AUC over the grid, by table and epsilon, of the first law
    shapes = {}
    print("| table | ε | law | λ | AUC | without noise | margins moved by | predicted | ratio |\n|---|---|---|---|---|---|---|---|---|")
    for table in given.tables:
        encoder = Encoder(given.work / table / "study.toml")
        X, y = encoder.read(given.work / table / "train.csv")
        test, labels = encoder.read(given.work / table / "test.csv")
        X, test, shape, n = X.astype(float), test.astype(float), Shape(encoder), len(y)
        shapes[table] = (shape, n)
        for lam in GRID:
            exact = minimise(X, y, lam, np.zeros(shape.d), np.zeros(shape.d))
            clean = roc_auc_score(labels, test @ exact)
            for epsilon in given.epsilon:
                for name in laws:
                    law = law_for(name, shape, n, lam, epsilon, given.delta)
                    if not law:
                        continue
                    models = [minimise(X, y, lam, law.draw(rng), exact) for _ in range(given.runs)]
                    auc = np.mean([roc_auc_score(labels, test @ theta) for theta in models])
                    moved = math.sqrt(np.mean([((test @ (theta - exact)) ** 2).mean() for theta in models]))
                    predicted = shape.predicted(law.variances, n, lam)
                    if name == laws[0]:
                        curves.setdefault((table, epsilon), []).append((math.log(lam), auc))
                    print(
                        f"| {table} | {epsilon:g} | {name} | {lam:.2g} | {auc:.4f} | {clean:.4f} | {moved:.3g} | {predicted:.3g} | "
                        f"{predicted / moved:.2f} |",
                        flush=True,
                    )
    held_out(curves, shapes, given.delta, laws[0])


def held_out(curves, shapes, delta, law):
    """The best constant without each table, and what it costs that table."""

    def gap(constant, table, epsilon):
        lam = auto(constant, *shapes[table], epsilon, delta, law)
        points = sorted(curves[table, epsilon])
        reached = np.interp(math.log(lam), [at for at, _ in points], [auc for _, auc in points])
        return max(auc for _, auc in points) - reached, lam, reached

    print("\n| table | ε | C from the other tables | λ auto | AUC (between the grid's) | gap to the best of the grid |\n|---|---|---|---|---|---|")
    for table in shapes:
        others = [key for key in curves if key[0] != table] or list(curves)
        constant = min(CONSTANTS, key=lambda c: sum(gap(c, *key)[0] for key in others))
        for epsilon in sorted(epsilon for name, epsilon in curves if name == table):
            lost, lam, reached = gap(constant, table, epsilon)
            print(f"| {table} | {epsilon:g} | {constant} | {lam:.2g} | {reached:.4f} | {lost:.4f} |")
    means = {int(c): np.mean([gap(c, *key)[0] for key in curves]) for c in CONSTANTS}
    print("\nmean gap by C: " + ", ".join(f"{c}: {mean:.4f}" for c, mean in means.items()))


if __name__ == "__main__":
    main()
