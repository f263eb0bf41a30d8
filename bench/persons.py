"""What a guarantee about a person costs, beside one about a row and beside group privacy: AUC, coverage and time.

    python bench/persons.py --binary target/release/discretion --runs 40
    python bench/persons.py --binary target/release/discretion --time       # processor time alone

Made-up stays in hospital: 100,000 of 70,000 persons, who have a frailty of their own. Group privacy is a row's guarantee at
ε divided by the most stays that a person may have. Coverage is of the coefficients of a table that is so large that it is the
population, once by persons and once by rows. Prints Markdown.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile

import numpy as np
from sklearn.metrics import roc_auc_score

PERSONS = 70_000
#: Nobody has more stays; group privacy has to count on it.
MOST = 8

STUDY = """[data]
path = "{path}"
account = "bench"
{person}target = "back"
positive = "1"
negative = "0"

[budget]
epsilon = 1000
delta = 0.1

[spend]
epsilon = {epsilon}
{delta}
[columns]
age = {{ min = 18, max = 100 }}
days = {{ min = 1, max = 60, scale = "log" }}
drugs = {{ min = 0, max = 30 }}
sex = {{ values = ["f", "m"] }}
ward = {{ values = ["a", "b", "c", "d", "e"] }}
{who}
{intervals}"""


def stays(persons, seed):
    """Columns of a table: persons come back for stays that resemble their others."""
    random = np.random.default_rng(seed)
    count = np.minimum(random.geometric(0.7, persons), MOST)
    who = np.repeat(np.arange(persons), count)
    rows = len(who)
    age = random.normal(62, 14, persons).clip(18, 100).round()[who]
    sex, ward = random.integers(0, 2, persons)[who], random.choice(6, persons, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05])[who]
    # Every other stay is on the usual ward.
    ward = np.where(random.uniform(size=rows) < 0.5, ward, random.integers(0, 6, rows))
    days = np.exp(random.normal(1.3, 0.7, rows)).clip(1, 60).round()
    drugs = random.normal(6, 3, rows).clip(0, 30).round()
    frail = random.normal(0, 1.5, persons)[who]
    effect = np.array([0.0, 0.4, -0.3, 0.6, 0.1, 0.2])[ward]
    logit = -2.6 + 0.02 * (age - 60) + 0.4 * np.log(days) + 0.05 * drugs + 0.2 * sex + effect + frail
    back = random.uniform(size=rows) < 1 / (1 + np.exp(-logit))
    order = random.permutation(rows)
    return [column[order] for column in (who, age, days, drugs, sex, ward, back)]


def write(path, columns):
    """As CSV."""
    lines = (
        f"P{p},{a:.0f},{d:.0f},{m:.0f},{'fm'[s]},{'abcdef'[w]},{int(b)}"
        for p, a, d, m, s, w, b in zip(*columns, strict=True)
    )
    path.write_text("who,age,days,drugs,sex,ward,back\n" + "\n".join(lines) + "\n", encoding="utf-8")


def study(unit, path, epsilon, delta=0.0, intervals=False):
    """A study about persons or rows."""
    return STUDY.format(
        path=path,
        person='person = "who"\n' if unit == "person" else "",
        who="" if unit == "person" else "who = { drop = true }",
        epsilon=epsilon,
        delta=f"delta = {delta}\n" if delta else "",
        intervals="[intervals]\n" if intervals else "",
    )


class Runs:
    """The program, in a folder of its own."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.count = binary.resolve(), folder, 0

    def fit(self, text, *flags):
        """A model."""
        self.count += 1
        place = self.folder / str(self.count)
        place.mkdir()
        (place / "study.toml").write_text(text, encoding="utf-8")
        command = [self.binary, "fit", "study.toml", "--out", "out", "--accept-check", *flags]
        environment = os.environ | {"DISCRETION_LEDGER": str(place / "ledger.sqlite")}
        done = subprocess.run(command, cwd=place, env=environment, capture_output=True)
        if done.returncode:
            raise SystemExit(done.stderr.decode())
        (model,) = (place / "out").glob("*model.json")
        return model

    def auc(self, model, test, truth):
        """On rows that were not trained on."""
        scored = model.parent / "scored.csv"
        subprocess.run([self.binary, "predict", model, test, "--out", scored], check=True, capture_output=True)
        header, *lines = scored.read_text(encoding="utf-8").splitlines()
        place = header.split(",").index("score")
        return roc_auc_score(truth, [float(line.split(",")[place]) for line in lines])

    def cost(self, text):
        """The processor seconds of one fit."""
        used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])  # noqa: E731
        before = used()
        self.fit(text)
        return used() - before

    def compare(self, train):
        """The processor seconds of fits about rows and about persons, each the least of several that take turns."""
        turns = [[self.cost(study(unit, train, 1.0)) for unit in ("row", "person")] for _ in range(10)]
        row, person = np.min(turns, axis=0)
        print(f"\nA fit about persons takes {person:.3f} s of a processor, {person / row:.2f} times one about rows.")


def effects(model):
    """Estimates and intervals of what people read: per unit, or beside the first category."""
    found = {}
    for entry in json.loads(model.read_text(encoding="utf-8"))["coefficients"]:
        effect = entry.get("effect") or {}
        if entry.get("per_unit_interval"):
            found[entry["name"]] = entry["per_unit_interval"]
        elif effect.get("interval"):
            found[entry["name"]] = effect["interval"]
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--binary", type=pathlib.Path, default=pathlib.Path("target/release/discretion"))
    arguments.add_argument("--runs", type=int, default=10)
    arguments.add_argument("--intervals", type=int, default=40)
    arguments.add_argument("--time", action="store_true")
    arguments.add_argument("--persons", type=int, default=PERSONS)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        runs = Runs(given.binary, folder)
        tell(given, folder, runs)


def tell(given, folder, runs):
    """Every table."""
    train, test = folder / "train.csv", folder / "test.csv"
    write(train, stays(given.persons, 1))
    if given.time:
        return runs.compare(train)
    others = stays(20_000, 2)
    write(test, others)
    print("| AUC | a row | a person | a person by group privacy |\n|---|---|---|---|")
    for epsilon in (0.1, 0.3, 1.0):
        ways = [("row", epsilon), ("person", epsilon), ("row", epsilon / MOST)]
        cells = []
        for unit, spent in ways:
            models = (runs.fit(study(unit, train, spent)) for _ in range(given.runs))
            scores = [runs.auc(model, test, others[-1]) for model in models]
            cells.append(f"{np.mean(scores):.4f} ± {np.std(scores):.4f}")
        print(f"| ε = {epsilon} | " + " | ".join(cells) + " |", flush=True)

    everybody = folder / "everybody.csv"
    write(everybody, stays(20 * PERSONS, 3))
    print(f"\n| 95 % intervals, (1, 1e-6), {given.intervals} tables | coverage | median half width |\n|---|---|---|")
    for unit in ("row", "person"):
        whole = study(unit, everybody, 1.0, 1e-6, intervals=True)
        truth = {name: interval["estimate"] for name, interval in effects(runs.fit(whole, "--not-private", "--with-lambda")).items()}
        held, widths = [], []
        for number in range(given.intervals):
            table = folder / "sample.csv"
            write(table, stays(PERSONS, 100 + number))
            found = effects(runs.fit(study(unit, table, 1.0, 1e-6, intervals=True)))
            held += [interval["lower"] <= truth[name] <= interval["upper"] for name, interval in found.items()]
            widths += [(interval["upper"] - interval["lower"]) / 2 for interval in found.values()]
        print(f"| by {unit}s | {np.mean(held):.3f} | {np.median(widths):.3f} |", flush=True)

    runs.compare(train)


if __name__ == "__main__":
    main()
