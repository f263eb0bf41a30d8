"""Draws docs/figures/noise-laws.svg: AUC against epsilon for each law on each table, with diffprivlib and the model without noise.

    python bench/noise_figure.py WORK_DIR --peer                    # first: runs diffprivlib, kept in WORK_DIR/TABLE/diffprivlib.json
    python bench/noise_figure.py WORK_DIR docs/figures/noise-laws.svg

The laws are simulate.py's (`--auto`), each at the lambda that "auto" would take if it were the only one. diffprivlib gets the same rows
and the lambda of spherical noise. Without noise: the best lambda of the grid.
"""

import argparse
import json
import math
import pathlib

import numpy as np
from laws import PURE, WITH_DELTA
from simulate import DELTA, EPSILONS, GRID, TABLES, Simulation, auc, name

LINES = {
    "groups": ("groups (pure)", "#0b6e4f", ""),
    "row": ("row norm (pure)", "#62a87c", ""),
    "spherical": ("spherical (pure)", "#1f5fa8", ""),
    "columns": ("Gaussian by column, δ = 1e-6", "#b3541e", "6 3"),
    "gaussian": ("Gaussian, δ = 1e-6", "#e0a458", "6 3"),
    "diffprivlib": ("diffprivlib (pure)", "#8a1c7c", "2 3"),
    "exact": ("without noise", "#555555", "1 0"),
}
WIDTH, HEIGHT, GAP, TOP = 150, 170, 46, 34


def run_peer(work, tables, runs):
    """AUC of diffprivlib's logistic regression over fresh draws."""
    import warnings

    from diffprivlib.models import LogisticRegression

    warnings.simplefilter("ignore")
    for table in tables:
        simulation = Simulation(work / table)
        X, y = simulation.encoder.read(work / table / "train.csv")
        test, labels = simulation.encoder.read(work / table / "test.csv")
        found = {}
        for epsilon in EPSILONS:
            lam = simulation.auto("spherical", epsilon, None)
            aucs = []
            for _ in range(runs):
                # The intercept is diffprivlib's own; the other entries of a row are at most 1 long together.
                model = LogisticRegression(epsilon=epsilon, data_norm=1.0, C=1 / (len(y) * lam), max_iter=1000).fit(X[:, 1:], y)
                aucs.append(auc(labels, model.decision_function(test[:, 1:])))
            found[f"{epsilon:g}"] = aucs
            print(f"{table}, epsilon {epsilon:g}: diffprivlib {np.mean(aucs):.4f} (sd {np.std(aucs):.4f}, {runs} runs)", flush=True)
            (work / table / "diffprivlib.json").write_text(json.dumps(found))


def points(work, table):
    """Lines by name: lists of (epsilon, AUC)."""
    simulation = Simulation(work / table)
    found = {}
    for law in PURE + WITH_DELTA:
        delta = DELTA if law in WITH_DELTA else None
        cells = [(epsilon, simulation.get(law, epsilon, delta, simulation.auto(law, epsilon, delta))) for epsilon in EPSILONS]
        found[law] = [(epsilon, float(np.mean(cell["auc"]))) for epsilon, cell in cells if cell]
    peer = work / table / "diffprivlib.json"
    if peer.exists():
        found["diffprivlib"] = [(float(epsilon), float(np.mean(aucs))) for epsilon, aucs in json.loads(peer.read_text()).items()]
    best = max(simulation.cells[name(lam=lam)]["auc"] for lam in GRID if name(lam=lam) in simulation.cells)
    found["exact"] = [(epsilon, best) for epsilon in (EPSILONS[0], EPSILONS[-1])]
    return found


def panel(table, lines, left):
    """One table's axes and lines, as SVG."""
    values = [value for line in lines.values() for _, value in line]
    step = 0.02 if max(values) - min(values) < 0.12 else 0.1
    low, high = math.floor(min(values) / step) * step, math.ceil(max(values) / step) * step

    def at(epsilon, value):
        x = left + WIDTH * math.log(epsilon / EPSILONS[0]) / math.log(EPSILONS[-1] / EPSILONS[0])
        return f"{x:.1f},{TOP + HEIGHT * (high - value) / (high - low):.1f}"

    parts = [f'<text x="{left + WIDTH / 2}" y="{TOP - 12}" text-anchor="middle" font-weight="bold">{table}</text>']
    for mark in np.arange(low, high + step / 2, step):
        y = TOP + HEIGHT * (high - mark) / (high - low)
        parts.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{left - 5}" y="{y + 3.5:.1f}" text-anchor="end">{mark:.2f}</text>')
    for epsilon in EPSILONS:
        x = at(epsilon, low).split(",")[0]
        parts.append(f'<text x="{x}" y="{TOP + HEIGHT + 15}" text-anchor="middle">{epsilon:g}</text>')
    for law, line in lines.items():
        _, colour, dashes = LINES[law]
        path = " ".join(at(*point) for point in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dashes or "none"}"/>')
    return "\n".join(parts)


def figure(work, tables):
    width, height = GAP + len(tables) * (WIDTH + GAP), TOP + HEIGHT + 62
    parts = [panel(table, points(work, table), GAP + index * (WIDTH + GAP)) for index, table in enumerate(tables)]
    x = GAP
    for title, colour, dashes in LINES.values():
        y = TOP + HEIGHT + 42
        parts.append(f'<line x1="{x}" x2="{x + 22}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes or "none"}"/>')
        parts.append(f'<text x="{x + 27}" y="{y}">{title}</text>')
        x += 38 + 5.5 * len(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10" role="img">\n'
        "<title>AUC against ε for each law of noise on each table</title>\n"
        f'<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("work", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path, nargs="?")
    arguments.add_argument("--peer", action="store_true", help="run diffprivlib")
    arguments.add_argument("--tables", nargs="+", default=TABLES)
    arguments.add_argument("--runs", type=int, default=10, help="of diffprivlib")
    given = arguments.parse_args()
    if given.peer:
        run_peer(given.work, given.tables, given.runs)
    if given.out:
        given.out.write_text(figure(given.work, given.tables), encoding="utf-8")


if __name__ == "__main__":
    main()
