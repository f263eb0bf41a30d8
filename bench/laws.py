"""The laws of noise of docs/noise.md and `lambda = "auto"` once more, in Python, as train/ has them in Rust.

Public numbers alone go in: the schema, the number of rows, lambda and the budget. `simulate.py` draws from these laws.
"""

import functools
import math

import numpy as np
from scipy.special import ndtr

CURVATURE, MARGIN_GROWTH, SHARES = 0.6 * 0.25, 0.004, np.array([1 / 64, 1 / 8, 1])  # train/predict.rs
MASK_SHARE = 1e-3
AUTO = (300, 3.5e-5, 0.04, 0.03)  # train/auto.rs: NOISE_WEIGHT, MUCH_NOISE, DIMENSION_SHARE, LARGEST


class Shape:
    """What the schema says: coefficients, size and mean square of an entry of each column."""

    def __init__(self, encoder):
        sizes = [1] * (1 + len(encoder.numeric)) + [len(values) for values in encoder.categories.values()]
        self.k = np.array(sizes, dtype=float)
        self.c = float(encoder.c)
        numbers = np.where(np.arange(len(sizes)) == 0, 1.0, 1 / 3)
        self.square = self.c**2 * np.where(self.k == 1, numbers, 1 / self.k)
        self.d = int(self.k.sum())

    def weights(self, n, lam, flat=1.0):
        """What a unit of variance of the noise does to the variance of a margin, by column."""
        if math.isinf(lam):
            return self.k * self.square
        curvature = CURVATURE * flat / (1 + MARGIN_GROWTH / math.sqrt(lam))
        square = self.square[:, None] * SHARES
        return self.k * (square / (n * (curvature * square + lam)) ** 2).mean(axis=1)

    def predicted(self, variances, n, lam):
        """The standard deviation of a margin: noise moves margins to where the loss is flat."""
        deviation = 0.0
        for _ in range(100):
            flat = 1 / math.sqrt(1 + math.pi / 8 * deviation**2)
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


class Gaussian:
    def __init__(self, shape, sigma, *_):
        self.d, self.sigma, self.variances = shape.d, sigma, np.full(len(shape.k), sigma**2)

    def draw(self, rng):
        return rng.normal(size=self.d) * self.sigma


class ColumnGaussian:
    def __init__(self, shape, sigma, n, lam):
        deviations = np.sqrt(shape.c / np.sqrt(shape.weights(n, lam)))
        self.deviations = deviations * sigma * math.sqrt((shape.c**2 / deviations**2).sum())
        self.shape, self.variances = shape, self.deviations**2

    def draw(self, rng):
        return rng.normal(size=self.shape.d) * np.repeat(self.deviations, self.shape.k.astype(int))


LAWS = {"spherical": Spherical, "row": RowNorm, "groups": Groups, "gaussian": Gaussian, "columns": ColumnGaussian}
PURE, WITH_DELTA = ("spherical", "row", "groups"), ("gaussian", "columns")


def simplex(k, in_ball, rng):
    """A point of the l1 ball in k dimensions, or of its sphere."""
    exponentials = rng.exponential(size=k + in_ball)
    return exponentials[:k] / exponentials.sum() * rng.choice([-1, 1], size=k)


@functools.cache
def gaussian_sigma(epsilon, delta, curvature):
    """Theorem 3 of train/objective ("Convex order" of account/PROOF.md has the step to delta), by bisection; the mask is left out."""

    def spent(sigma):
        # delta <= E(L - epsilon + y - log(1 + y))+ / (1 + y) for every y >= 0, and the loss L is curvature + (mu g + mu^2/2)+.
        mu, y = 2 / sigma, np.linspace(0, 8, 4001)
        beyond = curvature - epsilon + y - np.log1p(y)
        z = (beyond + mu * mu / 2) / mu
        normal = mu * (z * ndtr(z) + np.exp(-z * z / 2) / math.sqrt(2 * math.pi))
        # What is beyond 0 already is larger by the loss alone, which is not negative.
        excess = np.where(beyond <= 0, normal, beyond + mu * (mu / 2 * ndtr(mu / 2) + math.exp(-mu * mu / 8) / math.sqrt(2 * math.pi)))
        return (excess / (1 + y)).min()

    low, high = 0.1, 1e5
    if spent(high) > delta:
        return None
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if spent(middle) <= delta else (middle, high)
    return high


def law_for(name, shape, n, lam, epsilon, delta):
    """The law that a budget buys at this lambda; None if lambda is too small."""
    curvature = math.log1p(0.25 / (n * lam))
    if name in WITH_DELTA:
        sigma = gaussian_sigma(epsilon, delta, curvature)
        return LAWS[name](shape, sigma, n, lam) if sigma else None
    left = (1 - MASK_SHARE) * epsilon - curvature
    return LAWS[name](shape, left, n, lam) if left > 0 else None


def free_variance(shape, n, epsilon, delta, law):
    """The mean variance of the noise in the mean gradient, if curvature cost nothing."""
    free = law_for(law, shape, n, math.inf, epsilon, delta)
    return (shape.k * free.variances).sum() / (shape.d * n * n)


def auto(shape, n, epsilon, v, constants=AUTO):
    """train/auto.rs."""
    weight, much, share, largest = constants
    smallest = 0.25 / (n * math.expm1((1 - MASK_SHARE) * epsilon))
    wanted = max(weight * v, (v / much) ** 3 if much else 0, share * shape.d / (n * epsilon), 0.5 / n)
    return max(min(wanted, largest), 2 * smallest)
