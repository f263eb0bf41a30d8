"""What type checkers make of the package, in their strict modes: test_types.py runs them on this. It is not imported."""

from typing_extensions import assert_type

import numpy as np

import discretion

X = np.zeros((10, 2))
y = np.zeros(10)
account = discretion.account("patients", epsilon=3)
model = discretion.LogisticRegression(epsilon=1.0, bounds=(0, 1), lam="auto", method="objective", account=account)
assert_type(model.fit(X, y), discretion.LogisticRegression)
assert_type(discretion.LinearSVC(epsilon=1.0, bounds=(0, 1), lam=[0.1, 1.0]).fit(X, y), discretion.LinearSVC)
assert_type(discretion.HistogramDensity(epsilon=1.0, bounds=(0, 1)).fit(X), discretion.HistogramDensity)
assert_type(discretion.plan(1000, coefficients=5, epsilon=1.0), discretion.Plan)
assert_type(model.plan(rows=1000), discretion.Plan)
assert_type(account.left, float)
assert_type(discretion.__version__, str)
discretion.LogisticRegression(method="magic")  # type: ignore[arg-type]
discretion.LogisticRegression(lam="small")  # type: ignore[arg-type]
discretion.LogisticRegression(C=1.0)  # type: ignore[call-arg]
discretion.plan(1000, coefficients=5, epsilon=1.0, loss="squared")  # type: ignore[arg-type]
