"""Simulated tables of bench/coverage.py: invented hospitals, large enough to be populations.

    write("hospital", folder)     # folder/population.csv, folder/study.toml and folder/coefficients.json

`hospital` has a row per person, five numbers whose declared ranges are much too wide, and eight categories; its
outcomes follow a logistic model. `persons` has 1 to 50 rows per person, which resemble each other, and a frailty of
each person that no column shows; who is frail has more rows. `demo` is like the table of `discretion demo`. Nothing in
these tables is about anybody.
"""

import json
import pathlib

import numpy as np
import pandas as pd
from encode import Encoder
from scipy.special import expit
from scipy.stats import norm

HOSPITAL_ROWS, PERSONS, PATIENTS = 200_000, 60_000, 100_000
MOST_STAYS = 50
#: Name, declared range, mean and deviation.
NUMBERS = [
    ("age", 0, 120, 60, 18),
    ("days", 0, 40, 3, 2),
    ("drugs", 0, 100, 8, 5),
    ("visits", 0, 60, 7, 4),
    ("pressure", 50, 250, 130, 18),
]
#: Name and number of values.
CATEGORIES = dict(sex=2, ward=6, admission=3, season=4, diagnosis=5, insurance=4, region=5, discharge=5)
DEMO_STUDY = pathlib.Path(__file__).parents[1] / "crates/discretion-cli/src/commands/demo/study.toml"


def write(table, folder, rows=None):
    """Writes one population with its study, and the model's coefficients if truth is a model's."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(77)
    if table == "demo":
        frame, coefficients = demo(random, rows or PATIENTS), None
        (folder / "study.toml").write_text(DEMO_STUDY.read_text(encoding="utf-8"), encoding="utf-8")
    else:
        frame, coefficients = hospital(random, HOSPITAL_ROWS if table == "persons" else rows or HOSPITAL_ROWS)
        (folder / "study.toml").write_text(hospital_study(table == "persons"), encoding="utf-8")
        frailty = 0.0
        if table == "persons":
            frame, frailty = persons(random, frame, rows or PERSONS)
        encoder = Encoder(folder / "study.toml")
        margin = encoder.encode(frame) @ (coefficients / float(encoder.c)) + frailty
        frame["outcome"] = np.where(random.random(len(frame)) < expit(margin), "yes", "no")
    frame.to_csv(folder / "population.csv", index=False)
    if table == "hospital":
        (folder / "coefficients.json").write_text(json.dumps(list(coefficients)), encoding="utf-8")


def letters(number):
    """Names of this many categories."""
    return list("abcdefgh"[:number])


def hospital(random, rows):
    """Columns of `hospital`, and coefficients per half range or category: intercept, numbers, categories."""
    shared, columns = random.normal(size=rows), {}
    for name, low, high, mean, deviation in NUMBERS:
        values = mean + deviation * (0.4 * shared + 0.9 * random.normal(size=rows))
        columns[name] = np.clip(values, low, high).round(3)
    for name, number in CATEGORIES.items():
        scores = -0.4 * np.arange(number) + 0.3 * shared[:, None] * np.linspace(-1, 1, number)
        columns[name] = np.array(letters(number))[(scores + random.gumbel(size=(rows, number))).argmax(axis=1)]
    of_categories = 0.5 * random.normal(size=sum(CATEGORIES.values()))
    return pd.DataFrame(columns), np.concatenate([[-1.2, 1, 0.8, 0.6, -0.4, 0.2], of_categories])


def hospital_study(with_persons):
    """The study file of `hospital` and `persons`."""
    columns = [f"{name} = {{ min = {low}, max = {high} }}" for name, low, high, *_ in NUMBERS]
    columns += [f"{name} = {{ values = {json.dumps(letters(number))} }}" for name, number in CATEGORIES.items()]
    unit = 'person = "id"\n' if with_persons else ""
    outcome = 'target = "outcome"\npositive = "yes"\nnegative = "no"'
    data = f'path = "train.csv"\naccount = "bench-coverage"\n{unit}{outcome}'
    return "\n".join([f"[data]\n{data}\n\n[budget]\nepsilon = 10\ndelta = 1e-6\n\n[columns]", *columns, "\n[model]\n"])


def persons(random, rows, number):
    """Stays of persons and each stay's frailty. A value is the person's own or, with chance 1/2, another's."""
    frailty = random.normal(size=number)
    share = norm.cdf(0.5 * frailty + np.sqrt(0.75) * random.normal(size=number))
    who = np.repeat(np.arange(number), np.floor((MOST_STAYS + 1) ** share).astype(int).clip(1, MOST_STAYS))
    own, columns = random.integers(0, len(rows), number)[who], {"id": np.char.add("P", who.astype(str))}
    for name in rows:
        other = random.integers(0, len(rows), len(who))
        columns[name] = rows[name].to_numpy()[np.where(random.random(len(who)) < 0.5, own, other)]
    return pd.DataFrame(columns), frailty[who]


def demo(random, patients):
    """Stays as `discretion demo` invents them: every tenth patient comes back, every ninetieth twice."""
    every = pd.DataFrame({"patient": np.arange(1, patients + 1)})
    latest = every.join(stays(random, patients, None))
    parts = [latest]
    for gap in (10, 90):
        before = latest.iloc[gap - 1 :: gap].reset_index(drop=True)
        again = before[["patient"]].join(stays(random, len(before), before))
        latest = pd.concat([latest, again]).drop_duplicates("patient", keep="last").sort_values("patient")
        parts.append(again)
    frame = pd.concat(parts).sort_values("patient", kind="stable")
    frame.loc[random.random(len(frame)) < 0.02, "insurance"] = ""
    return frame


def stays(random, number, before):
    """One stay of each patient, as crates/discretion-cli/src/commands/demo/patients.rs invents it."""
    wards = ["internal medicine", "surgery", "cardiology", "oncology"]
    ward = random.choice(wards, number, p=[0.32, 0.28, 0.21, 0.19])
    usual = pd.Series(ward).map({"cardiology": 68.0, "surgery": 55.0}).fillna(62.0).to_numpy()
    age = (usual + 13 * random.normal(size=number)).clip(18, 104).round()
    if before is not None:
        age = before["age"].to_numpy()
    old = (age - 65) / 15
    counted = (random.random((number, 6)) < (0.38 + 0.05 * old)[:, None]).cumprod(axis=1).sum(axis=1)
    prior = counted if before is None else np.minimum(before["prior_admissions"].to_numpy() + 1, 6)
    emergency = random.random(number) < 0.58
    days = np.ceil(np.exp(1.3 + 0.2 * old + 0.3 * emergency + 0.7 * random.normal(size=number))).clip(max=60)
    home = random.random(number) + 0.05 * old + 0.04 * np.log(days) < 0.83
    of_ward = pd.Series(ward).map({"oncology": 0.9, "cardiology": 0.4, "surgery": -0.5}).fillna(0.0).to_numpy()
    margin = -2.9 + 0.3 * old + 0.6 * prior + 0.5 * np.log1p(days) + 0.6 * emergency + of_ward - 0.7 * ~home
    sex, insurance = random.random(number) < 0.52, random.random(number) < 0.8
    return pd.DataFrame(
        {
            "age": age.astype(int),
            "sex": np.where(sex, "female", "male") if before is None else before["sex"],
            "ward": ward,
            "admission": np.where(emergency, "emergency", "planned"),
            "insurance": np.where(insurance, "public", "private") if before is None else before["insurance"],
            "prior_admissions": prior,
            "length_of_stay": days.astype(int),
            "discharged_to": np.where(home, "home", "rehabilitation"),
            "readmitted": np.where(random.random(number) < expit(margin), "yes", "no"),
        }
    )
