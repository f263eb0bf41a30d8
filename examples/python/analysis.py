"""From a table to a report: an analysis of made-up patients, as one would write it in a notebook.

    python examples/python/analysis.py [FOLDER]

Each `# %%` begins a cell. What is written to FOLDER (by default `analysis`) may be published: plots, a model, its page, a density.
"""

# %% The table. In real life: pandas.read_csv, polars.read_parquet, or anything of Arrow columns.
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

import discretion

matplotlib.use("Agg")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else "analysis")
folder.mkdir(parents=True, exist_ok=True)

rng = np.random.default_rng(2026)
rows = 40_000
patients = pd.DataFrame(
    {
        "age": rng.normal(62, 14, rows).clip(18, 100).round(),
        "bmi": rng.gamma(30, 0.9, rows).round(1),
        "smoker": rng.choice(["never", "former", "current"], rows, p=[0.5, 0.3, 0.2]),
        "ward": rng.choice(["north", "south", "west"], rows),
    }
)
risk = -0.8 + 0.06 * (patients["age"] - 60) + 0.09 * (patients["bmi"] - 27) + 1.1 * (patients["smoker"] == "current")
readmitted = np.where(rng.random(rows) < 1 / (1 + np.exp(-risk)), "yes", "no")

# %% What is public about it: bounds and categories from common knowledge, never from the rows.
schema = discretion.Schema(
    {
        "age": (18, 100),
        "bmi": (12, 60),
        "smoker": ["never", "former", "current"],
        "ward": ["north", "south", "west"],
    }
)

# %% What a budget would buy. Nothing is read and nothing is spent.
print(discretion.plan(rows=rows, coefficients=9, epsilon=1.0, delta=1e-6))

# %% Who pays: one account for these people, in the ledger, which remembers. Everything within `with` is charged to it.
account = discretion.account("readmissions-2026", epsilon=3, delta=1e-5, ledger=folder / "ledger.sqlite")

# %% How old are they? A density, whose number of bins is chosen privately.
with account:
    ages = discretion.HistogramDensity(epsilon=0.3, schema=schema, columns=["age"]).fit(patients)
ages.plot().figure.savefig(folder / "ages.png", dpi=110)
ages.save(folder / "ages.json", overwrite=True)

# %% Who comes back? The regularisation follows from public numbers (lam="auto"), and intervals take their share of the same budget.
with account:
    model = discretion.LogisticRegression(
        epsilon=1.5, delta=1e-6, schema=schema, classes=("no", "yes"), intervals=True
    ).fit(patients, readmitted)
print(model.summary())

# %% The same as a frame, a plot, a file and a page for the review board.
print(model.intervals_[["term", "against", "odds_ratio", "odds_lower", "odds_upper", "p_value"]].round(3).to_string())
model.plot().figure.savefig(folder / "effects.png", dpi=110)
model.save(folder / "model.json", overwrite=True)
model.report(folder / "report.html", overwrite=True)

# %% A learner without a private version of its own: a forest for each chunk of rows, whose votes answer public questions.
with account:
    forests = discretion.PrivateVoting(
        RandomForestClassifier(n_estimators=5, max_depth=4),
        epsilon=1.0,
        delta=1e-6,
        queries=60,
        unstable=4,
        classes=("no", "yes"),
        n_jobs=2,
    ).fit(patients[["age", "bmi"]], readmitted)
questions = pd.DataFrame([(age, bmi) for age in (30, 50, 70, 90) for bmi in (20.0, 30.0, 50.0)], columns=["age", "bmi"])
questions["answer"] = forests.predict(questions[["age", "bmi"]])
print(questions.pivot(index="age", columns="bmi", values="answer").to_string(na_rep="-"))

# %% What is left of the budget, and what it went to. The command line says the same: discretion ledger show readmissions-2026.
print(f"{account.left:.2f} of {account.cap} is left")
print(pd.DataFrame(account.history())[["number", "kind", "what", "files"]].to_string())
