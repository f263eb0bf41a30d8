"""Whether 95 % intervals of the program hold the effects of ordinary logistic regression in the population.

    python bench/prepare.py DATA_DIR WORK_DIR --tables bank adult
    python bench/coverage.py --work WORK_DIR --binary target/release/discretion --json coverage.json
    python bench/coverage.py --short                               # a small simulated table; tests run it
    python bench/coverage.py --work WORK_DIR --tables bank adult --replicates 20 --auc

Truth is the unpenalised fit of the population, or the simulated model itself. An effect is a category against the first
of its column, or a number from the middle of its declared range to its end. Each replicate is a table drawn from the
population with replacement (rows, or persons with all their rows), and one fit of it under the budget. Its noise is
drawn under the replicate's number as a seed, so no ledger is charged. For each table and budget a row says

- covered: how often intervals hold the truth, on average over effects; and the effect that is held least often;
- too low: effects whose coverage is significantly below the level (one-sided binomial test, 1 % over all effects);
- length: the median over effects of an interval's median length over that of a plain interval, over estimable effects
  and over all. A plain interval is a Wald interval of a table of the same size without privacy, with clustered errors
  where the unit is a person;
- told: intervals of one table that leave out 0 on the side of the truth, and on the other side, of how many effects;
- estimable: effects with a median half width below ln 10, which tells an odds ratio within a factor of ten.

Effects that are left out because the population has no finite or no unique estimate, or one of at least --largest, are
listed below the rows. (With --dependent those without a unique one are held against the fit of least norm.) So are
effects without an interval in more than half of the replicates, which count in no figure. An interval that is missing
less often counts neither as held nor as missed. Nothing here is private.
"""

import argparse
import concurrent.futures
import dataclasses
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter

import numpy as np
from coverage_tables import write
from encode import Encoder
from scipy.special import expit
from scipy.stats import binom, rankdata

#: Rows, or persons, of one replicate. Of real tables it is the number of training rows.
SIZES = {"hospital": 9_000, "bank": None, "adult": None, "persons": 9_000, "demo": 27_000}
MORE_BUDGETS = {"hospital": ["3,1e-6"]}
LEVEL, SIGNIFICANCE, Z = 0.95, 0.01, 1.959964
LARGEST = 4.0  # log-odds of an effect beyond which it is left out, if --largest is not given
ESTIMABLE = np.log(10)
DEPENDENT = 1e-9  # eigenvalue over the largest one: a direction in which rows do not differ, but for rounding
RIDGE = 1e-6  # of the sum of losses: too little to matter, enough for columns that depend on each other
SHORT_POPULATION, SHORT_ROWS, SHORT_REPLICATES, TEST_ROWS = 20_000, 6_000, 16, 20_000
DRAWS, TESTS = 1, 2  # seeds of replicates and of test rows
MISSING = np.full(2, np.nan)


class Population:
    """A table that stands for the population: its lines, its encoded rows and the truth about its effects."""

    def __init__(self, table, folder, size):
        self.table, self.folder = table, folder
        simulated = folder / "population.csv"
        path = simulated if simulated.exists() else folder / "train.csv"
        self.study = (folder / "study.toml").read_text(encoding="utf-8")
        self.encoder = Encoder(folder / "study.toml")
        self.header, *self.lines = path.read_text(encoding="utf-8").splitlines()
        rows, self.outcome = self.encoder.read(path)
        self.rows = rows.astype(float) / float(self.encoder.c)
        self.by_person = "person" in self.encoder.study["data"]
        self.starts = self.find_starts() if self.by_person else np.arange(len(self.lines))
        self.counts = np.diff([*self.starts, len(self.lines)])
        self.weights = np.repeat(1 / self.counts, self.counts)
        self.size = size or len(self.starts)
        self.names, self.contrasts = effects(self.encoder)
        self.read_truth()

    def find_starts(self):
        """Where each person's rows begin: rows of one person follow each other. Takes the identifiers off the lines."""
        if not self.header.startswith(self.encoder.study["data"]["person"] + ","):
            raise SystemExit(f"{self.folder}: the column of persons must come first")
        self.header = self.header.partition(",")[2]
        persons, _, self.lines = zip(*(line.partition(",") for line in self.lines), strict=True)
        return np.array([i for i, person in enumerate(persons) if i == 0 or person != persons[i - 1]])

    def read_truth(self):
        """Sets the true effects and their plain errors in a table of `size` units."""
        model = self.folder / "coefficients.json"
        self.chance = None
        if model.exists():
            coefficients = np.array(json.loads(model.read_text(encoding="utf-8")))
            self.chance = expit(self.rows @ coefficients)
            self.lines = [line.rpartition(",")[0] for line in self.lines]
        else:
            coefficients = minimise(self.rows, self.outcome, self.weights)
        self.truth = self.contrasts @ coefficients
        self.errors = self.plain_errors(coefficients)

    def plain_errors(self, coefficients):
        """Standard errors of ordinary regression; clustered ones if the unit is a person."""
        units = len(self.starts)
        chances = expit(self.rows @ coefficients)
        hessian = (self.rows.T * (self.weights * chances * (1 - chances))) @ self.rows / units
        pulled = np.linalg.pinv(hessian, 1e-10, hermitian=True) @ self.contrasts.T
        middle = hessian
        if self.by_person:
            slopes = self.rows * (self.weights * (chances - (self.outcome > 0)))[:, None]
            sums = np.add.reduceat(slopes, self.starts)
            middle = sums.T @ sums / units
        return np.sqrt(np.einsum("ij,ij->j", pulled, middle @ pulled) / self.size)

    def is_unique(self):
        """Whether each effect has one value in all fits: no part of it in a direction that no row has."""
        values, directions = np.linalg.eigh(self.rows.T @ self.rows)
        none = directions[:, values < DEPENDENT * values[-1]]
        return np.abs(self.contrasts @ none).max(axis=1, initial=0) < 1e-3

    def left_out(self, largest, dependent):
        """Why an effect is left out, by name; with `dependent` it may be without a unique estimate."""
        totals, positive = self.rows.sum(axis=0), (self.outcome > 0) @ self.rows
        unique, why = self.is_unique() | dependent, {}
        for name, contrast, truth, is_unique in zip(self.names, self.contrasts, self.truth, unique, strict=True):
            places = np.flatnonzero(contrast) if "=" in name else []
            if any(totals[j] == 0 for j in places):
                why[name] = "not in the population"
            elif self.chance is None and any(positive[j] in (0, totals[j]) for j in places):
                why[name] = "one outcome only, so no finite estimate"
            elif not is_unique:
                why[name] = "depends on other columns, so no unique estimate"
            elif abs(truth) >= largest:
                why[name] = f"at least {largest:g} in size"
        return why

    def draw(self, random, size=None):
        """Indices of a replicate's rows, the unit of each, and their outcomes (-1 or 1)."""
        chosen = random.integers(0, len(self.starts), size or self.size)
        counts = self.counts[chosen]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = np.repeat(self.starts[chosen], counts) + within
        outcome = self.outcome[rows]
        if self.chance is not None:
            outcome = np.where(random.random(len(rows)) < self.chance[rows], 1.0, -1.0)
        return rows, np.repeat(np.arange(len(chosen)), counts), outcome

    def sample(self, random):
        """The CSV of a replicate. A person who is drawn twice is two persons."""
        rows, units, outcome = self.draw(random)
        if self.by_person:
            lines = (f"P{unit},{self.lines[row]}" for unit, row in zip(units, rows, strict=True))
            return "\n".join([self.encoder.study["data"]["person"] + "," + self.header, *lines, ""])
        if self.chance is None:
            return "\n".join([self.header, *(self.lines[row] for row in rows), ""])
        data = self.encoder.study["data"]
        labels = {1.0: data["positive"], -1.0: data["negative"]}
        lines = (f"{self.lines[row]},{labels[label]}" for row, label in zip(rows, outcome, strict=True))
        return "\n".join([self.header, *lines, ""])

    def test_rows(self):
        """Rows that train no model, and their outcomes."""
        if self.chance is None:
            rows, outcome = self.encoder.read(self.folder / "test.csv")
            return rows.astype(float) / float(self.encoder.c), outcome
        rows, _, outcome = self.draw(np.random.default_rng([TESTS]), TEST_ROWS)
        return self.rows[rows], outcome


def effects(encoder):
    """Names of effects, and the combination of coefficients that each of them is."""
    names, weights = [], []
    for name in encoder.numeric:
        names.append(name)
        weights.append({encoder.names.index(name): 1.0})
    for column, values in encoder.categories.items():
        for value in values[1:]:
            names.append(f"{column}={value}")
            first = encoder.names.index(f"{column}={values[0]}")
            weights.append({encoder.names.index(names[-1]): 1.0, first: -1.0})
    contrasts = np.zeros((len(names), len(encoder.names)))
    for row, weight in zip(contrasts, weights, strict=True):
        row[list(weight)] = list(weight.values())
    return names, contrasts


def minimise(rows, outcome, weights):
    """The coefficients that minimise the sum of weighted logistic losses, by Newton's method with halved steps."""
    theta, target = np.zeros(rows.shape[1]), outcome > 0

    def value(theta):
        return weights @ np.logaddexp(0, -outcome * (rows @ theta)) + RIDGE / 2 * theta @ theta

    for _ in range(100):
        chances = expit(rows @ theta)
        slope = rows.T @ (weights * (chances - target)) + RIDGE * theta
        hessian = (rows.T * (weights * chances * (1 - chances))) @ rows + RIDGE * np.eye(len(theta))
        step, length = np.linalg.solve(hessian, slope), 1.0
        while value(theta - length * step) > value(theta) and length > 1e-6:
            length /= 2
        theta = theta - length * step
        if slope @ step < 1e-9:
            break
    return theta


@dataclasses.dataclass
class Fit:
    """What one run of the program gave: a model, or the last line of its refusal."""

    model: dict | None
    refusal: str


@dataclasses.dataclass
class Program:
    """The program, and what every study tells it."""

    binary: str
    largest: float | None
    ordinary: bool
    holders: int | None = None

    def study(self, text, budget, intervals):
        """A study file with the table and columns of `text`, and `budget` as ε or ε,δ."""
        data, _, rest = text.partition("[budget]")
        columns = rest[rest.index("[columns]") :].partition("[model]")[0]
        epsilon, _, delta = budget.partition(",")
        spend = f"epsilon = {epsilon}\n" + (f"delta = {delta}\n" if delta else "")
        data = re.sub(r"^path\s*=.*$", 'path = "train.csv"', data, flags=re.MULTILINE)
        largest = f"largest_effect = {self.largest:g}\n" if self.largest else ""
        asked = f"[intervals]\nlevel = {LEVEL}\n{largest}" if intervals else ""
        model = '[model]\nloss = "logistic"\nlambda = "auto"\n'
        return f"{data}[budget]\n{spend}\n[spend]\n{spend}\n{columns}\n{model}\n{asked}"

    def fit(self, folder, study, seed):
        """Fits folder/train.csv. A fit under a seed needs no ledger; one that has to be there is in the folder."""
        (folder / "study.toml").write_text(study, encoding="utf-8")
        kind = ["--not-private"] if self.ordinary else ["--seed", str(seed)]
        options = ["--out", "out", "--force", "--accept-check", "--threads", "1", *kind]
        command = [self.binary, "fit", "study.toml", *options]
        environment = os.environ | {"DISCRETION_LEDGER": str(folder / "ledger.sqlite")}
        if self.holders:
            shutil.rmtree(folder / "out", ignore_errors=True)
            (folder / "ledger.sqlite").unlink(missing_ok=True)
            command = [self.binary, "party", "simulate", "study.toml", "--parties", str(self.holders), *options[:6]]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
        if done.returncode == 1 or (self.ordinary and done.returncode):
            return Fit(None, done.stderr.strip().splitlines()[-1])
        if done.returncode:
            raise SystemExit(f"the program stopped with code {done.returncode}: {done.stderr.strip()}")
        name = "not-private-model.json" if self.ordinary else "seeded-model.json"
        model = folder / "out" / ("model.json" if self.holders else name)
        return Fit(json.loads(model.read_text(encoding="utf-8")), "")


def intervals_of(model, names):
    """Lower and upper bounds of effects, NaN where there is none."""
    found = {}
    for coefficient in model["coefficients"]:
        interval = (coefficient.get("effect") or {}).get("interval") or {}
        if interval.get("lower") is not None and interval.get("upper") is not None:
            found[coefficient["name"]] = np.array([interval["lower"], interval["upper"]])
    return np.array([found.get(name, MISSING) for name in names])


def auc(rows, outcome, model):
    """The area under the ROC curve of the coefficients that predictions are made of."""
    ranks = rankdata(rows @ [coefficient["encoded"] for coefficient in model["coefficients"]])
    positive = outcome > 0
    return (ranks[positive].mean() - (positive.sum() + 1) / 2) / (~positive).sum()


def replicate(population, program, budgets, number):
    """Bounds of one table's intervals for each budget, and refusals."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "train.csv").write_text(population.sample(np.random.default_rng([DRAWS, number])), encoding="utf-8")
        fits = [program.fit(folder, program.study(population.study, budget, True), number) for budget in budgets]
    empty = np.full((len(population.names), 2), np.nan)
    return [(empty if fit.model is None else intervals_of(fit.model, population.names), fit.refusal) for fit in fits]


def replicate_auc(population, program, budgets, test, number):
    """The AUC of one table's models for each budget, without intervals and with them."""
    results = []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "train.csv").write_text(population.sample(np.random.default_rng([DRAWS, number])), encoding="utf-8")
        for budget in budgets:
            studies = [program.study(population.study, budget, wanted) for wanted in (False, True)]
            fits = [program.fit(folder, study, number) for study in studies]
            results.append([np.nan if fit.model is None else auc(*test, fit.model) for fit in fits])
    return results


def in_parallel(work, replicates, jobs):
    """Results of work(0), work(1), …; the first runs alone, so that a mistake in the study stops everything at once."""
    first = work(0)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [first, *pool.map(work, range(1, replicates))]


def effect_figures(bounds, truth, error):
    """What replicates said about one effect; `bounds` has their lower and upper bounds, NaN where there is none."""
    lower, upper = bounds[~np.isnan(bounds[:, 0])].T
    shown, above, below = len(lower), (lower > 0).sum(), (upper < 0).sum()
    held = int(((lower <= truth) & (truth <= upper)).sum())
    half = float(np.median(upper - lower) / 2) if shown else None
    return {
        "truth": float(truth),
        "plain_half_width": float(Z * error),
        "intervals": shown,
        "held": held,
        "coverage": held / shown if shown else None,
        "half_width": half,
        "length": half / float(Z * error) if shown else None,
        "told_right": int(above if truth > 0 else below) / len(bounds),
        "told_wrong": int(below if truth > 0 else above) / len(bounds),
        "estimable": bool(shown and half < ESTIMABLE),
    }


def median(values):
    """The median, None of no values."""
    return float(np.median(values)) if values else None


def summary(population, budget, found, refusals, left_out):
    """All figures of a table and budget. `found` has a replicate, an effect and two bounds as axes."""
    figures = []
    for at, name in enumerate(population.names):
        if name not in left_out:
            figures.append({"name": name} | effect_figures(found[:, at], population.truth[at], population.errors[at]))
    refused = [effect["name"] for effect in figures if 2 * effect["intervals"] < len(found)]
    counted = [effect for effect in figures if effect["name"] not in refused]
    for effect in counted:
        chance = binom.cdf(effect["held"], effect["intervals"], LEVEL)
        effect["too_low"] = bool(chance < SIGNIFICANCE / len(counted))
    estimable = [effect["length"] for effect in counted if effect["estimable"]]
    return {
        "table": population.table,
        "budget": budget,
        "unit": "person" if population.by_person else "row",
        "size": population.size,
        "replicates": len(found),
        "effects": len(counted),
        "coverage": float(np.mean([effect["coverage"] for effect in counted])) if counted else None,
        "worst": min(counted, key=lambda effect: effect["coverage"])["name"] if counted else None,
        "worst_coverage": min((effect["coverage"] for effect in counted), default=None),
        "too_low": [effect["name"] for effect in counted if effect["too_low"]],
        "length_of_estimable": median(estimable),
        "length": median([effect["length"] for effect in counted]),
        "told_right": sum(effect["told_right"] for effect in counted),
        "told_wrong": sum(effect["told_wrong"] for effect in counted),
        "estimable": len(estimable),
        "left_out": left_out,
        "refused": refused,
        "refused_fits": dict(Counter(refusal for refusal in refusals if refusal)),
        "figures": figures,
        "intervals": {name: rounded(found[:, at]) for at, name in enumerate(population.names)},
    }


def rounded(bounds):
    """Bounds as JSON has them: null where there is no interval."""
    return [None if np.isnan(low) else [round(float(low), 5), round(float(high), 5)] for low, high in bounds]


def row(cell):
    """The Markdown row of a table and budget."""
    name, budget = cell["table"], budget_text(cell["budget"])
    if not cell["effects"]:
        return f"| {name} | {budget} | no intervals |"
    lengths = ["none" if cell[key] is None else f"{cell[key]:.2f}" for key in ("length_of_estimable", "length")]
    told = f"{cell['told_right']:.1f} : {cell['told_wrong']:.1f} of {cell['effects']}"
    worst, estimable = f"{cell['worst']} {cell['worst_coverage']:.3f}", f"{cell['estimable']} of {cell['effects']}"
    parts = [name, budget, f"{cell['coverage']:.3f}", worst, str(len(cell["too_low"])), *lengths, told, estimable]
    return "| " + " | ".join(parts) + " |"


def budget_text(budget):
    """A budget as people write it."""
    epsilon, _, delta = budget.partition(",")
    return f"({epsilon}, {delta})" if delta else f"ε = {epsilon}"


def notes(cells):
    """Lines that name the effects behind the figures."""
    lines = []
    for table, left_out in {cell["table"]: cell["left_out"] for cell in cells}.items():
        lines.append(f"{table}: {len(left_out) or 'no'} effects left out")
        for reason in dict.fromkeys(left_out.values()):
            lines.append(f"  {reason}: " + ", ".join(name for name, why in left_out.items() if why == reason))
    for cell in cells:
        place = f"{cell['table']} {budget_text(cell['budget'])}"
        if cell["too_low"]:
            coverage = {effect["name"]: effect["coverage"] for effect in cell["figures"]}
            worst = sorted(cell["too_low"], key=coverage.get)
            lines.append(f"{place}: too low: " + ", ".join(f"{name} {coverage[name]:.3f}" for name in worst))
        if cell["refused"]:
            lines.append(f"{place}: without an interval: " + ", ".join(cell["refused"]))
        for refusal, times in cell["refused_fits"].items():
            lines.append(f"{place}: {times} fits refused: {refusal}")
    return lines


def budgets_of(table, given):
    """The budgets of a table as texts, ε or ε,δ."""
    budgets = given.budgets or ["1,1e-6", *MORE_BUDGETS.get(table, [])]
    if given.pure:
        budgets = [budget.partition(",")[0] for budget in budgets]
    return list(dict.fromkeys(budgets))


def population_of(table, given):
    """The population, simulated on first use; real ones are there already."""
    folder = given.work / (f"{table}-short" if given.short else table)
    if not (folder / "study.toml").exists():
        if table in ("bank", "adult"):
            raise SystemExit(f"{folder} is missing: python bench/prepare.py DATA_DIR {given.work} --tables {table}")
        write(table, folder, SHORT_POPULATION if given.short else None)
    return Population(table, folder, given.size or (SHORT_ROWS if given.short else SIZES[table]))


def progress(text):
    """A line about how far things are, beside the results."""
    print(text, file=sys.stderr, flush=True)


def measure(table, given, program):
    """Figures of one table, for each budget."""
    began, population, budgets = time.time(), population_of(table, given), budgets_of(table, given)
    left_out = population.left_out(given.largest or LARGEST, given.dependent)
    units = f"{population.size:,} {'persons' if population.by_person else 'rows'}"
    effects_text = f"{len(population.names)} effects, {len(left_out)} of them left out"
    progress(f"{table}: {units}, {effects_text}, {given.replicates} replicates")
    work = functools.partial(replicate, population, program, budgets)
    results = in_parallel(work, given.replicates, given.jobs)
    progress(f"{table}: done in {time.time() - began:.0f} s")
    cells = []
    for at, budget in enumerate(budgets):
        found, refusals = zip(*(result[at] for result in results), strict=True)
        cells.append(summary(population, budget, np.array(found), refusals, left_out))
    return cells


def measure_auc(table, given, program):
    """Mean AUC of one table for each budget, on rows that train no model."""
    population, budgets = population_of(table, given), budgets_of(table, given)
    test = population.test_rows()
    progress(f"{table}: AUC on {len(test[1]):,} rows, {given.replicates} replicates")
    work = functools.partial(replicate_auc, population, program, budgets, test)
    results = np.array(in_parallel(work, given.replicates, given.jobs))
    cells = []
    for at, budget in enumerate(budgets):
        pairs = results[:, at]
        pairs = pairs[~np.isnan(pairs).any(axis=1)]
        means = pairs.mean(axis=0).tolist() if len(pairs) else [None, None]
        figures = {"fits": len(pairs), "prediction_only": means[0], "with_intervals": means[1]}
        cells.append({"table": table, "budget": budget} | figures)
    return cells


def auc_row(cell):
    """The Markdown row of a table's and a budget's AUC."""
    name, budget = cell["table"], budget_text(cell["budget"])
    if not cell["fits"]:
        return f"| {name} | {budget} | refused |"
    return f"| {name} | {budget} | {cell['prediction_only']:.4f} | {cell['with_intervals']:.4f} | {cell['fits']} |"


def arguments():
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--tables", nargs="+", choices=SIZES, help="default: all; with --auc hospital, bank and adult")
    add("--replicates", type=int, default=200)
    add("--budgets", nargs="+", help='ε or ε,δ (default: "1,1e-6", and "3,1e-6" for hospital too)')
    add("--pure", action="store_true", help="these budgets without their δ")
    add("--largest", type=float, help=f"largest_effect of the study; larger ones are left out (else from {LARGEST:g})")
    add("--dependent", action="store_true", help="keep effects without a unique estimate")
    add("--work", type=pathlib.Path, default=pathlib.Path("target/bench"), help="folder of prepared tables")
    add("--jobs", type=int, default=2, help="fits at a time, of one thread each")
    add("--binary", default=os.environ.get("DISCRETION_BINARY", "target/release/discretion"))
    add("--json", type=pathlib.Path, help="file for all figures and all intervals")
    add("--auc", action="store_true", help="in place of coverage: AUC of models without intervals and with them")
    add("--ordinary", action="store_true", help="fits without noise and penalty, to check this script: 0.95, length 1")
    add("--holders", type=int, help="deal each table to so many holders (discretion party simulate)")
    add("--size", type=int, help="rows, or persons, of one replicate")
    add("--short", action="store_true", help="a small simulated table and few replicates")
    given = parser.parse_args()
    if given.short:
        given.tables, given.replicates = ["hospital"], min(given.replicates, SHORT_REPLICATES)
    if given.auc and {"persons", "demo"} & set(given.tables or []):
        parser.error("--auc is for hospital, bank and adult")
    given.tables = given.tables or [table for table in SIZES if not given.auc or table in ("hospital", "bank", "adult")]
    given.binary = str(pathlib.Path(given.binary).resolve())
    if not os.access(given.binary, os.X_OK):
        parser.error(f"no program at {given.binary}: give --binary, or set DISCRETION_BINARY")
    return given


def main():
    given = arguments()
    program, everything = Program(given.binary, given.largest, given.ordinary, given.holders), []
    if given.auc:
        print("| table | budget | AUC, predictions only | AUC, with intervals | fits |")
        print("|---|---|---:|---:|---:|", flush=True)
    else:
        heads = ["table", "budget", "covered", "worst", "too low", "length, estimable", "all", "told right : wrong"]
        print("| " + " | ".join([*heads, "estimable"]) + " |")
        print("|---|---|---:|---|---:|---:|---:|---:|---:|", flush=True)
    for table in given.tables:
        cells = (measure_auc if given.auc else measure)(table, given, program)
        everything += cells
        for cell in cells:
            print(auc_row(cell) if given.auc else row(cell), flush=True)
        if given.json:
            given.json.write_text(json.dumps(everything, indent=1, ensure_ascii=False), encoding="utf-8")
    if not given.auc:
        print("", *notes(everything), sep="\n")


if __name__ == "__main__":
    main()
