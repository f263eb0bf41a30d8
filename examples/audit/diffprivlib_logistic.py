"""diffprivlib's LogisticRegression as a program for `discretion audit --command`.

    python3 -m venv venv && venv/bin/pip install -r examples/audit/requirements.txt
    python3 examples/audit/tables.py 100
    discretion audit --command "venv/bin/python examples/audit/diffprivlib_logistic.py 1 100" \
        --left long-row.csv --right no-row.csv --epsilon 1 --trials 4000 --seed 1

Arguments: epsilon, the bound on the length of a row (data_norm), and what the audit adds: a table and a number of runs.
Prints the one coefficient of each run. C is 1/data_norm, so that nλ equals the bound; there is no intercept.
"""

import os
import sys
import warnings

import numpy as np
from diffprivlib.models import LogisticRegression

epsilon, length, table, runs = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3], int(sys.argv[4])
seed = int(os.environ["DISCRETION_SEED"]) if "DISCRETION_SEED" in os.environ else None
# One generator for all runs of a start, so that they differ.
random_state = None if seed is None else np.random.RandomState(seed)
rows = np.loadtxt(table, delimiter=",", skiprows=1)
warnings.simplefilter("ignore")
for _ in range(runs):
    model = LogisticRegression(
        epsilon=epsilon, data_norm=length, C=1 / length, fit_intercept=False, random_state=random_state
    )
    print(model.fit(rows[:, :1], rows[:, 1].astype(int)).coef_[0][0])
