"""Would the planner of votes ever take the sparse vector technique with Gaussian noise?

Prints the distance that each design of `answer = "sure"` needs (see crates/discretion-vote/src/PROOF.md), and that of the
technique of Zhu & Wang (2020) at its published price and without the logarithm in it.

    python bench/gaussian_sparse_vector.py
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln
from scipy.stats import norm

MISS = 0.05
SHARES = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99]  # of delta, for the composition
ORDERS = np.concatenate([1 + np.logspace(-3, 0, 40), np.logspace(np.log10(2), 5, 200)])


def conversion(delta):
    """What epsilon is above a Renyi divergence, at each order."""
    return np.log1p(-1 / ORDERS) - (np.log(delta) + np.log(ORDERS)) / (ORDERS - 1)


def sparse(epsilon, delta, m, thresholds, paid_each):
    """One-sided geometric noise: the distance, at the best division of epsilon."""
    share = np.arange(1, 200) / 200
    b_t, b_q = 1 / (share * epsilon), 2 * paid_each / ((1 - share) * epsilon)
    x, y = np.exp(-1 / b_t), np.exp(-1 / b_q)
    slips = delta / thresholds * (1 - x * y**paid_each) / (1 - y**paid_each)
    cut = np.maximum(np.ceil(np.log(slips) / np.log(x) - 1), 0)
    fails = (1 - x) / (1 - x * y)
    return (cut + np.maximum(0, np.ceil(np.log(fails * m / MISS) * b_q))).min()


def pure_curve(epsilon):
    x = np.minimum(ORDERS * epsilon, 300.0)
    near = np.log((np.sinh(x) - np.sinh(x - epsilon)) / np.sinh(epsilon)) / (ORDERS - 1)
    return np.where(ORDERS * epsilon < 300, np.minimum(near, epsilon), epsilon)


def new_thresholds(epsilon, delta, m, t):
    best = np.inf
    for share in SHARES:
        low, high = epsilon / t, epsilon
        for _ in range(40):
            each = np.sqrt(low * high)
            fits = (t * pure_curve(each) + conversion(share * delta)).min() <= epsilon
            low, high = (each, high) if fits else (low, each)
        best = min(best, sparse(low, (1 - share) * delta, m, t, 1))
    return best


def gaussian(epsilon, delta, m, t):
    """Gaussian noise on every query, at the exact price."""

    def exact(log_mu):
        mu = np.exp(log_mu)
        return norm.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon + norm.logcdf(-mu / 2 - epsilon / mu))

    best = np.inf
    for share in SHARES:
        mu = np.exp(brentq(lambda x: np.log(max(exact(x), 1e-300)) - np.log(share * delta), -12, 6))
        sigma = np.sqrt(m) / mu
        cut = np.ceil(-norm.ppf((1 - share) * delta / t) * sigma)
        best = min(best, cut + np.ceil(-norm.ppf(MISS / m) * sigma))
    return best


def gaussian_sparse(epsilon, delta, m, t, logarithm, stages):
    """Noise s1 on each threshold and s2 on queries: alpha(stages/(2 s1^2) + 2t/s2^2) + logarithm/(alpha - 1)."""
    best = np.inf
    for share in SHARES:
        rho = ((epsilon - conversion(share * delta) - logarithm / (ORDERS - 1)) / ORDERS).max()
        if rho <= 0:
            continue
        for ratio in np.logspace(-0.3, 1.2, 12):
            s1 = np.sqrt((stages / 2 + 2 * t / ratio**2) / rho)
            s2, both = ratio * s1, np.hypot(s1, ratio * s1)
            cut = np.ceil(-norm.ppf((1 - share) * delta / t) * both)
            missed = [-norm.ppf(MISS / m) * both]
            for part in (0.01, 0.1, 0.3):
                missed.append(-norm.ppf(part * MISS / stages) * s1 - norm.ppf((1 - part) * MISS / m) * s2)
            best = min(best, cut + np.ceil(min(missed)))
    return best


def main():
    delta = 1e-6
    names = ["one threshold", "new ones", "Gaussian", "| sparse, one", "stagewise", "no logarithm"]
    print(f"{'eps':>5}{'m':>8}{'T':>6}" + "".join(f"{name:>15}" for name in names))
    for epsilon in (0.1, 1, 3):
        for m in (100, 1000, 10000):
            for t in (1, 3, 10, 50, 200, 1000):
                if t > m:
                    continue
                ways = gammaln(m + 1) - gammaln(t + 1) - gammaln(m - t + 1)
                needs = [
                    sparse(epsilon, delta, m, 1, t),
                    new_thresholds(epsilon, delta, m, t),
                    gaussian(epsilon, delta, m, t),
                    gaussian_sparse(epsilon, delta, m, t, ways, 1),
                    gaussian_sparse(epsilon, delta, m, t, t * np.log(1 + m), t),
                    gaussian_sparse(epsilon, delta, m, t, 0, t),
                ]
                print(f"{epsilon:>5}{m:>8}{t:>6}" + "".join(f"{need:>15,.0f}" for need in needs))


if __name__ == "__main__":
    main()
