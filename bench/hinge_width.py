"""How often the usual sandwich interval of a Huberised hinge covers, without any privacy, by the hinge's half-width h.

    python bench/hinge_width.py DIR

Adult as `discretion-papers intervals` has it (ten columns from the left, complete rows of the training half, bootstrap
replicates, lambda = 0.002). What is missed here is missed before any noise is added; docs/intervals-in-detail.md says more.
"""

import collections
import csv
import gzip
import pathlib
import sys

import numpy as np

WORK_CLASSES = ["Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay"]
EDUCATIONS = ["Bachelors", "Some-college"]
LAMBDA = 0.002
REPLICATES = 400


def read(folder):
    """Distinct rows y·x with how often they occur."""
    with gzip.open(pathlib.Path(folder) / "adult_all.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["split"] == "train" and "?" not in row.values()]

    def encoded(row):
        hits = [row["workclass"] == value for value in WORK_CLASSES] + [row["education"] == value for value in EDUCATIONS]
        return (1.0, float(row["age"]) / 90, *map(float, hits)), 1.0 if row["income"] == ">50K" else -1.0

    counts = collections.Counter(map(encoded, rows))
    x = np.array([values for values, _ in counts])
    y = np.array([label for _, label in counts])
    return y[:, None] * x / np.linalg.norm(x, axis=1)[:, None], np.array(list(counts.values()), float)


def fit(rows, counts, h):
    """Coefficients and their sandwich standard errors."""
    n, d = counts.sum(), rows.shape[1]

    def objective(theta):
        m = rows @ theta
        loss = np.where(m > 1 + h, 0, np.where(m < 1 - h, 1 - m, (1 + h - m) ** 2 / (4 * h)))
        return counts @ loss / n + LAMBDA / 2 * theta @ theta

    def expansion(theta):
        m = rows @ theta
        slope = -np.clip((1 + h - m) / (2 * h), 0, 1)
        curvature = (np.abs(m - 1) <= h) / (2 * h)
        gradient = rows.T @ (counts * slope) / n + LAMBDA * theta
        return slope, gradient, (rows * (counts * curvature)[:, None]).T @ rows / n + LAMBDA * np.eye(d)

    theta = np.zeros(d)
    for _ in range(200):
        _, gradient, hessian = expansion(theta)
        if np.linalg.norm(gradient) < 1e-10:
            break
        step, share, here = np.linalg.solve(hessian, gradient), 1.0, objective(theta)
        while objective(theta - share * step) > here - 1e-4 * share * gradient @ step and share > 1e-9:
            share /= 2
        theta = theta - share * step
    slope, _, hessian = expansion(theta)
    meat = (rows * (counts * slope**2)[:, None]).T @ rows / n - LAMBDA**2 * np.outer(theta, theta)
    inverse = np.linalg.inv(hessian)
    return theta, np.sqrt(np.diag(inverse @ meat @ inverse) / n)


def main(folder):
    rows, counts = read(folder)
    n = int(counts.sum())
    for h in (0.5, 1.0):
        source = np.random.default_rng(1)
        truth, _ = fit(rows, counts, h)
        fits = [fit(rows, source.multinomial(n, counts / n).astype(float), h) for _ in range(REPLICATES)]
        hits = np.array([np.abs(theta - truth) <= 1.96 * error for theta, error in fits])
        lengths = np.array([error for _, error in fits])
        spread = np.mean(lengths.std(axis=0) / lengths.mean(axis=0))
        print(f"h = {h}: coverage {hits.mean():.3f}, of the coefficient missed most {hits.mean(axis=0).min():.3f};"
              f" lengths vary by {100 * spread:.0f} % between replicates")


if __name__ == "__main__":
    main(sys.argv[1])
