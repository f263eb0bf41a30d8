"""How two noisy matrices are best read: what intervals for all columns of a table report, cover and tell.

    python bench/prepare.py DATA_DIR WORK_DIR
    python bench/matrices.py WORK_DIR                                   # Adult and Bank, (1, 1e-6), rho = 0.1, epsilon = 1
    python bench/matrices.py WORK_DIR --tables covtype --budgets delta --replicates 4
    python bench/matrices.py WORK_DIR --ways                            # ways to read them, side by side
    python bench/matrices.py WORK_DIR --parts                           # disjoint parts instead of matrices
    python bench/matrices.py WORK_DIR --trade --lambdas 3.6e-4 4.2e-4   # what more of lambda would buy

The table is the population; replicates draw n rows from it with replacement, train with noise and release both matrices with
noise. `read` is the same estimator as crates/discretion-linear/src/interval/estimate. Noise is drawn in floating point: nothing
here is private. docs/intervals-in-detail.md, "How the matrices are read", has the figures.
"""

import argparse
import pathlib
from types import SimpleNamespace

import numpy as np
from encode import Encoder
from scipy.special import expit, log_ndtr
from scipy.stats import t as student

SHARES = (0.15, 0.05)  # of the budget, for the Hessian and for the slopes; the rest trains
LEAST_ROWS = 1  # that a category or a number's variance weighs as much as
STEPS = 2  # away from the penalty
T = 0.25  # the logistic loss's bound on f''
Z = 1.959964
ORDERS = np.concatenate([np.linspace(1.01, 3, 40), np.linspace(3.2, 40, 120), np.geomspace(42, 600, 60)])


# Rows and coefficients.


def load(folder):
    encoder = Encoder(folder / "study.toml")
    X, y = encoder.read(folder / "train.csv")
    columns, at = [(0, 1)] + [(1 + i, 1) for i in range(len(encoder.numeric))], 1 + len(encoder.numeric)
    for values in encoder.categories.values():
        columns.append((at, len(values)))
        at += len(values)
    return X.astype(float), y, columns, float(encoder.c)


def effects(columns, d):
    """A number's coefficient; a category minus the first of its column."""
    rows = []
    for start, k in columns[1:]:
        for j in range(min(1, k - 1), k):
            e = np.zeros(d)
            e[start + j] = 1
            if k > 1:
                e[start] = -1
            rows.append(e)
    return np.array(rows)


def fit(X, y, lam, b, w=None, weights=None):
    n, d = X.shape
    weights = np.ones(n) if weights is None else weights
    w = np.zeros(d) if w is None else w.copy()

    def value(w):
        z = y * (X @ w)
        return z, weights @ np.logaddexp(0, -z) / n + lam / 2 * w @ w + b @ w / n

    z, best = value(w)
    for _ in range(80):
        slope = expit(-z)
        gradient = -(X.T @ (y * weights * slope)) / n + lam * w + b / n
        hessian = (X.T * (weights * slope * (1 - slope))) @ X / n + lam * np.eye(d)
        step = np.linalg.solve(hessian, gradient)
        if gradient @ step < 1e-10:
            break
        length = 1.0
        while value(w - length * step)[1] > best - 1e-4 * length * gradient @ step and length > 1e-6:
            length /= 2
        w = w - length * step
        z, best = value(w)
    return w - step


def moments(X, y, w, weights=None):
    weights = np.ones(len(y)) if weights is None else weights
    slope = expit(-y * (X @ w))
    return (X.T * (weights * slope * (1 - slope))) @ X / len(y), (X.T * (weights * slope**2)) @ X / len(y)


# Budgets and noise.


def curve(sigma, n, lam):
    """The Renyi curve of objective perturbation with Gaussian noise."""
    moment = np.logaddexp(log_ndtr(-1 / sigma), 2 * ORDERS * (ORDERS - 1) / sigma**2 + log_ndtr((2 * ORDERS - 1) / sigma))
    return np.log1p(T / (n * lam)) + moment / (ORDERS - 1)


def smallest(is_enough, low, high):
    while high / low > 1.001:
        middle = np.sqrt(low * high)
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def converted(renyi, delta):
    return np.min(renyi + np.log1p(-1 / ORDERS) - np.log(delta * ORDERS) / (ORDERS - 1))


class Budget:
    """`delta`: (1, 1e-6); `rho`: 0.1; `pure`: epsilon = 1."""

    def __init__(self, name, shares=SHARES):
        self.name, self.shares = name, shares
        self.rho = 0.1 if name == "rho" else 1 / smallest(lambda x: converted(ORDERS / x, 1e-6) <= 1, 1, 1e4)

    def training(self, columns, c, n, lam):
        """Deviations of the noise in the objective, one for each coefficient, and a function that draws it."""
        rest = 1 - sum(self.shares)
        if self.name == "pure":
            epsilon = rest - np.log1p(T / (n * lam))
            numbers = sum(k == 1 for _, k in columns)
            alone = len(columns) - numbers
            of_numbers, of_others = (numbers + 1) / np.sqrt(3), np.sqrt(2) * alone
            share = of_numbers / (of_numbers + of_others)
            deviation = 2 * c * (of_numbers + of_others) / epsilon
            deviations = np.full(sum(k for _, k in columns), deviation)

            def draw(rng):
                radius = rng.gamma(numbers + 1, 2 * c / (share * epsilon))
                parts = [radius * rng.uniform(-1, 1, 1) if k == 1 else rng.laplace(0, deviation / np.sqrt(2), k) for _, k in columns]
                return np.concatenate(parts)

            # A number's: uniform in a box whose radius has mean square (D + 1)(D + 2).
            is_number = np.concatenate([[k == 1] * k for _, k in columns])
            deviations[is_number] = np.sqrt((numbers + 1) * (numbers + 2) / 3) * 2 * c / (share * epsilon)
            return deviations, draw
        if self.name == "rho":
            sigma = smallest(lambda s: np.max(curve(s, n, lam) / ORDERS) <= rest * self.rho, 0.5, 1e5)
        else:
            spent = sum(self.shares) * self.rho * ORDERS
            sigma = smallest(lambda s: converted(curve(s, n, lam) + spent, 1e-6) <= 1, 0.5, 1e5)
        squares = [(k, c * c if i == 0 else c * c / (3 if k == 1 else k)) for i, (_, k) in enumerate(columns)]
        shares = np.array([1 / 16, 1 / 4, 1])
        weights = np.array([k * np.mean(shares * s / (n * (0.15 * shares * s + lam)) ** 2) for k, s in squares])
        each = np.sqrt(c / np.sqrt(weights))
        each *= sigma * np.sqrt(np.sum(c * c / each**2))
        deviations = np.concatenate([[s] * k for s, (_, k) in zip(each, columns)])
        return deviations, lambda rng: deviations * rng.normal(size=len(deviations))

    def matrix(self, columns, share, bound, n):
        """Deviations of the noise at each entry of a matrix divided by the sizes of its columns."""
        m, d = len(columns), sum(k for _, k in columns)
        if self.name == "pure":
            pairs = m * (m + 1) // 2 - sum(k > 1 for _, k in columns)  # a category's diagonal is its entry with the intercept
            deviations = np.full((d, d), np.sqrt(2) * 2 * bound * pairs / (n * share))
            number = once = 1.0
        else:
            # Weights w(11' + I) over the columns: the norm of a change is at most 2 bound^2 (m^2 + m) w.
            deviations = np.full((d, d), bound * np.sqrt(m * m + m) / (n * np.sqrt(2 * share * self.rho)))
            number, once = 1.0, np.sqrt(0.5)
        for start, k in columns:
            if k == 1:
                deviations[start, start] *= number
                continue
            deviations[start : start + k, start : start + k] = 0
            for a in range(start, start + k):
                deviations[0, a] *= once
                deviations[a, 0] = deviations[a, a] = deviations[0, a]
        return deviations

    def noise(self, deviations, columns, rng):
        d = len(deviations)
        drawn = rng.laplace(size=(d, d)) / np.sqrt(2) if self.name == "pure" else rng.normal(size=(d, d))
        drawn = np.triu(drawn * deviations)
        drawn = drawn + np.triu(drawn, 1).T
        for start, k in columns:
            for a in range(start, start + k) if k > 1 else []:
                drawn[a, a] = drawn[0, a]
        return drawn

    def lam(self, columns, c, n):
        """lambda = "auto" with [intervals]."""
        d = sum(k for _, k in columns)
        deviations, _ = self.training(columns, c, n, 1e6)
        between = self.matrix(columns, self.shares[0], T, n)[1, 2] * c * c if len(columns) > 2 else 0
        least = T / n / np.expm1(1 - sum(self.shares)) if self.name != "rho" else T / n / np.expm1(np.sqrt(2 * 0.8 * self.rho))
        return min(max(5900 * np.mean(deviations**2) / n**2, 0.5 * between, 10 * least, 0.03 * d / n), 0.1)


# Reading a matrix.


def beliefs(seen, deviations, low, high, tilt=0.0):
    """Geometric mean, mean and variance of numbers in [low, high], all orders of magnitude alike but for exp(-tilt x), each seen with
    normal noise."""
    seen, deviations = np.atleast_1d(seen), np.atleast_1d(deviations)
    if np.all(deviations <= 0):
        return np.maximum(seen, 0), np.maximum(seen, 0), 0 * seen
    ends = np.clip([seen - 8 * deviations, seen + 8 * deviations], low, high)
    grid = np.geomspace(*ends, 201)
    w = -0.5 * ((seen - grid) / deviations) ** 2 - tilt * grid
    w = np.exp(w - w.max(0))
    w /= w.sum(0)
    mean = (w * grid).sum(0)
    return np.exp((w * np.log(grid)).sum(0)), mean, np.maximum((w * grid**2).sum(0) - mean**2, 0)


def belief(seen, deviation, low, high):
    return [float(x[0]) for x in beliefs(seen, deviation, low, high)]


def shares(seen, deviations, low, high):
    """The same of numbers that add up to `high` with one more, of which nothing was seen: that their sum is known tilts what is
    believed of each."""
    if np.all(deviations <= 0):
        return beliefs(seen, deviations, low, high)
    seen, deviations = np.append(seen, 0), np.append(deviations, 1e3 * high)
    least, most = -8 / deviations.min(), 8 / deviations.min()
    for _ in range(60):
        tilt = (least + most) / 2
        found = beliefs(seen, deviations, low, high, tilt)
        least, most = (tilt, most) if found[1].sum() > high else (least, tilt)
    return [x[:-1] for x in found]


def margins(G, sd, columns, n, guess):
    d, total = len(G), max(G[0, 0], sd[0, 0], 1e-9)
    if guess is not None:
        total = max(guess.total + guess.total**2 / (guess.total**2 + sd[0, 0] ** 2) * (G[0, 0] - guess.total), 0.1 * guess.total)
    low, high, near = total * LEAST_ROWS / n, total, 0.5
    row, row_variance, spread, axes = np.zeros(d), np.zeros(d), np.zeros(d - 1), np.zeros((d - 1, d - 1))
    spread_variance = np.zeros(d - 1)
    row[0] = total
    times = 1 if guess is None else total / guess.total
    for start, k in columns[1:]:
        inner, at = slice(start - 1, start - 1 + k), slice(start, start + k)
        if k == 1:
            row[start], row_variance[start] = G[0, start], sd[0, start] ** 2
            if guess is not None:
                own = times * guess.C[start - 1, start - 1]
                prior = near**2 * own * total
                row[start] = times * guess.row[start]
                row[start] += prior / (prior + sd[0, start] ** 2) * (G[0, start] - row[start])
            row[start] = np.clip(row[start], -total, total)
            mean = row[start] / total
            seen = G[start, start] - mean**2 * total
            deviation = np.sqrt(sd[start, start] ** 2 + 4 * mean**2 * sd[0, start] ** 2 + mean**4 * sd[0, 0] ** 2)
            if guess is None:
                spread[start - 1], _, spread_variance[start - 1] = belief(seen, deviation, low, high)
            else:
                spread[start - 1] = max(own + (near * own) ** 2 / ((near * own) ** 2 + deviation**2) * (seen - own), 0.1 * own)
            axes[start - 1, start - 1] = 1
            continue
        if guess is None:
            q, _, variance = shares(G[0, at], sd[0, at], low, high)
        else:
            base = times * guess.row[at]
            weight = (near * base) ** 2 / ((near * base) ** 2 + sd[0, at] ** 2)
            q, variance = base + weight * (G[0, at] - base), weight * sd[0, at] ** 2
            rest = max(total - base.sum(), 0)
            q = np.maximum(q + variance / variance.sum() * (total - rest - q.sum()), 0.1 * base)
        q *= min(1, total / q.sum())
        row[at], row_variance[at] = q, variance
        values, axes[inner, inner] = np.linalg.eigh(np.diag(q) - np.outer(q, q) / total)
        spread[inner] = np.maximum(values, 0)
        spread_variance[inner] = (axes[inner, inner] ** 4).T @ variance
    spread[spread < 1e-9 * total] = 0
    return total, row, row_variance, spread, spread_variance, axes


def read(G, sd, columns, n, guess=None):
    """A second-moment matrix, divided by the sizes of its columns, from its noisy entries."""
    total, row, row_variance, spread, spread_variance, axes = margins(G, sd, columns, n, guess)
    m = len(spread)
    centre = np.zeros((m, m)) if guess is None else total / guess.total * guess.C
    rest = axes.T @ (G[1:, 1:] - np.outer(row[1:], row[1:]) / total - centre) @ axes
    centre, along, row_noise = axes.T @ centre @ axes, axes.T @ row[1:] / total, (axes**2).T @ row_variance[1:]
    sizes = np.sqrt(np.outer(spread, spread))
    K, variances = np.eye(m), np.zeros((m, m))
    for i, (a, k) in enumerate(columns[1:]):
        for b, l in columns[i + 2 :]:
            x, y = a - 1 + np.flatnonzero(spread[a - 1 : a - 1 + k]), b - 1 + np.flatnonzero(spread[b - 1 : b - 1 + l])
            at, mirrored = np.ix_(x, y), np.ix_(y, x)
            if sizes[at].size == 0:
                continue
            v = sd[a, b] ** 2 + np.outer(row_noise[x], along[y] ** 2) + np.outer(along[x] ** 2, row_noise[y])
            z, v = rest[at] / sizes[at], v / sizes[at] ** 2
            weights = (v**-2).sum()
            wider = max(k, l)  # squares of correlations add up to the number of coefficients of the narrower column at most
            strength = belief(((z**2 - v) / v**2).sum() / weights, np.sqrt(2 / weights), 1e-3 / wider, 1 / wider)[1]
            K[at] = centre[at] / sizes[at] + strength / (strength + v) * z
            variances[at] = strength * v / (strength + v)
            K[mirrored], variances[mirrored] = K[at].T, variances[at].T
    K = most_probable(K, variances)
    inverse = np.linalg.inv(K)
    curvature = 2 * (np.outer(np.diag(inverse), np.diag(inverse)) + inverse**2)
    free = variances > 0
    variances[free] = 1 / (1 / variances[free] + curvature[free])
    # On the diagonal of K, which is 1 by definition, it is the spread that is uncertain.
    # Which is uncertain by 200 % at most.
    np.fill_diagonal(variances, np.where(spread > 0, np.minimum(spread_variance / np.maximum(spread, 1e-300) ** 2, 4), 0))
    C = axes @ (K * sizes) @ axes.T
    full = np.outer(row, row) / total
    full[1:, 1:] += C
    return SimpleNamespace(total=total, row=row, C=C, matrix=full, roots=axes * np.sqrt(spread), variances=variances)


def most_probable(M, variances):
    """The K that makes log det K - sum (K - M)^2/(2 variance) largest."""
    free, d = variances > 0, len(M)
    K, v = M.copy(), np.where(free, variances, 1)

    def value(K):
        try:
            L = np.linalg.cholesky(K)
        except np.linalg.LinAlgError:
            return -np.inf
        return 2 * np.log(np.diag(L)).sum() - 0.25 * ((K - M) ** 2 / v)[free].sum()

    while value(K - 0.05 * np.eye(d)) == -np.inf:
        K = np.eye(d) + 0.8 * (K - np.eye(d))
    best, length = value(K), 0.5
    for _ in range(60):
        direction = np.where(free, M + 2 * v * np.linalg.inv(K) - K, 0)
        while (found := value(K + length * direction)) <= best and length > 1e-8:
            length /= 2
        if found <= best:
            break
        K, gain, best, length = K + length * direction, found - best, found, min(1.6 * length, 1)
        if gain < 1e-3:
            break
    return K


def positive(M):
    values, vectors = np.linalg.eigh(M)
    return (vectors * np.maximum(values, 0)) @ vectors.T


def parts(H, slopes, lam, w, n, variances, E, c, fitted=None, steps=0):
    """Sampling, coefficients' and matrices' variance of each effect, and the coefficients after some steps from the penalty."""
    d = len(w)
    inverse = np.linalg.inv(H + lam * np.eye(d))
    Q = positive(slopes - lam**2 * np.outer(w, w)) / n
    plain = E @ inverse
    push, thetas = plain, [w]
    for _ in range(steps):
        push, thetas = plain + lam * push @ inverse, [*thetas, w + lam * inverse @ thetas[-1]]
    sampling, coefficients = np.einsum("ij,ij->i", push @ Q, push), push**2 @ variances / n**2
    if fitted is None:
        return sampling, coefficients, 0 * sampling, thetas[-1]
    roots = np.vstack([np.zeros((1, d - 1)), c * fitted.roots])
    reach = inverse @ roots
    A = reach.T @ (Q + np.diag(variances) / n**2) @ reach
    around = fitted.variances * A
    np.fill_diagonal(around, fitted.variances @ np.diag(A))
    u = plain @ roots
    matrices = np.einsum("ij,ij->i", u @ around, u)
    moved, a = np.zeros((len(E), d - 1, d - 1)), plain
    for j in range(steps):
        moved += np.einsum("ei,j->eij", a @ roots, lam * reach.T @ thetas[steps - 1 - j])
        a = lam * a @ inverse
    if steps:
        once = np.where(np.eye(d - 1) > 0, 0.25, 0.5)
        matrices = matrices + np.einsum("eij,ij->e", (moved + moved.transpose(0, 2, 1)) ** 2, once * fitted.variances)
    return sampling, coefficients, matrices, thetas[-1]


# The experiment.


def quantiles(x):
    return "%.2f (%.2f to %.2f)" % tuple(np.percentile(x, [50, 10, 90]))


class Study:
    def __init__(self, folder):
        self.name = folder.name
        self.X, self.y, self.columns, self.c = load(folder)
        self.n, self.d = self.X.shape
        self.E = effects(self.columns, self.d)
        w = fit(self.X, self.y, 1e-8, np.zeros(self.d))
        self.free = self.E @ w
        H, slopes = moments(self.X, self.y, w)
        plain = self.E @ np.linalg.inv(H + 1e-9 * np.eye(self.d))
        sure = np.abs(self.free) > Z * np.sqrt(np.einsum("ij,ij->i", plain @ slopes, plain) / self.n)
        print(f"{self.name}: {self.n} rows, {self.d} coefficients, {len(self.E)} effects, {sure.sum()} told without privacy", flush=True)

    def told(self, estimate, deviation):
        told = np.abs(estimate) > Z * deviation
        right = np.sign(estimate) == np.sign(self.free)
        return (told & right).sum(), (told & ~right).sum()

    def replicate(self, budget, lam, start, rng):
        """One training on n rows drawn from the table, and its two matrices."""
        weights = np.bincount(rng.integers(0, self.n, self.n), minlength=self.n).astype(float)
        deviations, draw = budget.training(self.columns, self.c, self.n, lam)
        w = fit(self.X, self.y, lam, draw(rng), start, weights)
        H, slopes = moments(self.X, self.y, w, weights)
        sd = [
            budget.matrix(self.columns, share, bound, self.n)
            for share, bound in zip(budget.shares, (T, expit(np.linalg.norm(w)) ** 2))
        ]
        noisy = [M / self.c**2 + budget.noise(s, self.columns, rng) for M, s in zip((H, slopes), sd)]
        return w, deviations**2, (H, slopes), noisy, sd

    def run(self, budget, lam, replicates):
        start = fit(self.X, self.y, lam, np.zeros(self.d))
        covered = self.E @ start
        rng = np.random.default_rng(1)
        errors, wholes, told, ratios = [], [], [], []
        for _ in range(replicates):
            w, variances, truth, noisy, sd = self.replicate(budget, lam, start, rng)
            fitted = read(noisy[0], sd[0], self.columns, self.n)
            slopes = read(noisy[1], sd[1], self.columns, self.n, fitted)
            true = parts(*truth, lam, w, self.n, variances, self.E, self.c)
            H, S = fitted.matrix * self.c**2, slopes.matrix * self.c**2
            row = []
            for steps in (0, STEPS):
                *three, theta = parts(H, S, lam, w, self.n, variances, self.E, self.c, fitted, steps)
                estimate, whole = self.E @ theta, np.sqrt(sum(three))
                row += [*self.told(estimate, whole), np.mean(np.abs(estimate - self.free) < Z * whole)]
                if steps == 0:
                    errors.append(estimate - covered)
                    wholes.append(whole)
                    ratios.append([np.sqrt(three[i] / true[i]) for i in (0, 1)] + [np.sqrt(three[2] / sum(three))])
            told.append(row)
        errors, wholes, ratios = np.array(errors), np.array(wholes), np.array(ratios)
        length = wholes.mean() / np.mean(np.sqrt((errors**2).mean(0)))
        print(
            f"| {self.name} | {budget.name} | {lam:.1e} | {quantiles(ratios[:, 0])} | {quantiles(ratios[:, 1])} | {np.median(ratios[:, 2]):.2f}"
            f" | {np.mean(np.abs(errors) < Z * wholes):.3f} | {length:.2f}"
            + " | {:.1f} : {:.1f} | {:.2f} | {:.1f} : {:.1f} | {:.2f} |".format(*np.mean(told, 0)),
            flush=True,
        )

    def ways(self, budget, lam, replicates):
        """Median (10 to 90 %) of reported over true deviations: sampling, and all of it."""
        start, rng, found = fit(self.X, self.y, lam, np.zeros(self.d)), np.random.default_rng(1), {}
        for _ in range(replicates):
            w, variances, truth, noisy, sd = self.replicate(budget, lam, start, rng)
            fitted = read(noisy[0], sd[0], self.columns, self.n)
            slopes = read(noisy[1], sd[1], self.columns, self.n, fitted)
            alone = read(noisy[1], sd[1], self.columns, self.n)
            independent = fitted.matrix - np.pad(fitted.C, ((1, 0), (1, 0)))
            for start_, k in self.columns[1:]:
                at = slice(start_, start_ + k)
                independent[at, at] = fitted.matrix[at, at]
            times = noisy[1][0, 0] / noisy[0][0, 0]
            true = parts(*truth, lam, w, self.n, variances, self.E, self.c)
            for way, (H, S) in {
                "eigenvalues at least 0": (positive(noisy[0]), positive(noisy[1])),
                "columns independent": (independent, times * independent),
                "read, each matrix alone": (fitted.matrix, alone.matrix),
                "read, the slopes near the Hessian": (fitted.matrix, slopes.matrix),
                "read, the slopes not released": (fitted.matrix, fitted.matrix),
            }.items():
                got = parts(H * self.c**2, S * self.c**2, lam, w, self.n, variances, self.E, self.c)
                both = [np.sqrt(got[0] / true[0]), np.sqrt((got[0] + got[1]) / (true[0] + true[1]))]
                found.setdefault(way, []).append(both)
        for way, ratios in found.items():
            ratios = np.array(ratios)
            print(f"| {self.name} | {budget.name} | {lam:.1e} | {way} | {quantiles(ratios[:, 0])} | {quantiles(ratios[:, 1])} |", flush=True)

    def trade(self, budget, lam, replicates):
        """What more of lambda, or more steps away from it, would buy: the same replicates for every lambda."""
        start = fit(self.X, self.y, lam, np.zeros(self.d))
        inverse = np.linalg.inv(moments(self.X, self.y, start)[0] + lam * np.eye(self.d))
        all_steps, rows = (1, 2, 3), []
        for replicate in range(replicates):
            w, variances, _, noisy, sd = self.replicate(budget, lam, start, np.random.default_rng(1000 + replicate))
            fitted = read(noisy[0], sd[0], self.columns, self.n)
            slopes = read(noisy[1], sd[1], self.columns, self.n, fitted)
            H, S = fitted.matrix * self.c**2, slopes.matrix * self.c**2
            rows.append([])
            for steps in all_steps:
                *three, theta = parts(H, S, lam, w, self.n, variances, self.E, self.c, fitted, steps)
                aim = start
                for _ in range(steps):
                    aim = start + lam * inverse @ aim
                estimate, whole = self.E @ theta, np.sqrt(sum(three))
                inside = [np.mean(np.abs(estimate - what) < Z * whole) for what in (self.E @ aim, self.free)]
                rows[-1].append([*inside, *self.told(estimate, whole)])
        for steps, means in zip(all_steps, np.mean(rows, 0)):
            print(f"| {self.name} | {budget.name} | {lam:.1e} | {steps} | {replicates} |" + " {:.3f} | {:.2f} | {:.1f} : {:.1f} |".format(*means), flush=True)

    def disjoint(self, budget, lam, replicates, k):
        """k parts, each trained with the whole budget; Student's t from their spread."""
        start, rng, rows = fit(self.X, self.y, lam, np.zeros(self.d)), np.random.default_rng(1), []
        size = self.n // k
        for _ in range(replicates):
            drawn = rng.integers(0, self.n, self.n)
            each = []
            for part in range(k):
                at = drawn[part * size : (part + 1) * size]
                _, draw = Budget(budget.name, (0, 0)).training(self.columns, self.c, size, lam)
                each.append(self.E @ fit(self.X[at], self.y[at], lam, draw(rng), start))
            mean, deviation = np.mean(each, 0), np.std(each, 0, ddof=1) / np.sqrt(k)
            deviation = deviation * student.ppf(0.975, k - 1) / Z
            rows.append([*self.told(mean, deviation), np.mean(np.abs(mean - self.E @ start) < Z * deviation), np.median(deviation)])
        print(f"| {self.name} | {budget.name} | {lam:.1e} | {k} parts |" + " {:.1f} : {:.1f} | {:.3f} | {:.2f} |".format(*np.mean(rows, 0)), flush=True)


def main():
    parser = argparse.ArgumentParser(description="How two noisy matrices are best read.")
    parser.add_argument("work", type=pathlib.Path, help="folder that prepare.py wrote")
    parser.add_argument("--tables", nargs="+", default=["adult", "bank"])
    parser.add_argument("--budgets", nargs="+", default=["delta", "rho", "pure"])
    parser.add_argument("--replicates", type=int, default=20)
    parser.add_argument("--lambdas", nargs="+", type=float, help="default: the rule for intervals")
    parser.add_argument("--ways", action="store_true", help="ways to read the matrices, side by side")
    parser.add_argument("--trade", action="store_true", help="what more of lambda, or more steps away from it, would buy")
    parser.add_argument("--parts", action="store_true", help="disjoint parts instead of matrices")
    arguments = parser.parse_args()
    for table in arguments.tables:
        study = Study(arguments.work / table)
        for budget in map(Budget, arguments.budgets):
            for lam in arguments.lambdas or [budget.lam(study.columns, study.c, study.n)]:
                if arguments.ways:
                    study.ways(budget, lam, arguments.replicates)
                elif arguments.trade:
                    study.trade(budget, lam, arguments.replicates)
                elif arguments.parts:
                    for k in (5, 10):
                        study.disjoint(budget, lam, arguments.replicates, k)
                else:
                    study.run(budget, lam, arguments.replicates)


if __name__ == "__main__":
    main()
