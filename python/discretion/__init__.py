"""Learning from sensitive tables under differential privacy.

The mathematics is in Rust, and the same as on the command line: the same guarantees, the same ledger, the same model.json.

>>> import discretion
>>> import numpy as np
>>> X = np.array([[-1.0], [1.0]] * 500); y = np.array([0, 1] * 500)
>>> account = discretion.account("patients-2026", epsilon=3, ledger=discretion.Ledger.in_memory())
>>> model = discretion.LogisticRegression(epsilon=1.0, bounds=(-1, 1), account=account).fit(X, y)
>>> model.private_
True
"""

from ._audit import Audit, Finding, audit
from ._density import HistogramDensity
from ._errors import Error, InputError, InputTypeError, Note, NotRemembered, Refused
from ._ledger import Account, Ledger, account
from ._linear import LinearSVC, LogisticRegression
from ._plan import Plan, VotePlan, plan, plan_vote
from ._schema import Schema
from ._voting import PrivateVoting

__all__ = [
    "Account",
    "Audit",
    "Error",
    "Finding",
    "HistogramDensity",
    "InputError",
    "InputTypeError",
    "Ledger",
    "LinearSVC",
    "LogisticRegression",
    "Note",
    "NotRemembered",
    "Plan",
    "PrivateVoting",
    "Refused",
    "Schema",
    "VotePlan",
    "account",
    "audit",
    "plan",
    "plan_vote",
]
