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

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from ._audit import Audit, Finding, audit
    from ._curve import Curve
    from ._density import HistogramDensity
    from ._errors import Error, FailedAfterCharge, InputError, InputTypeError, Note, NotRemembered, Refused
    from ._ledger import Account, Ledger, account
    from ._linear import LinearSVC, LogisticRegression
    from ._load import load
    from ._number import HuberRegressor, LinearRegression
    from ._plan import NumberPlan, Plan, VotePlan, plan, plan_vote
    from ._release import release
    from ._schema import Schema
    from ._voting import PrivateVoting

__all__ = [
    "Account",
    "Audit",
    "Curve",
    "Error",
    "FailedAfterCharge",
    "Finding",
    "HistogramDensity",
    "HuberRegressor",
    "InputError",
    "InputTypeError",
    "Ledger",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "Note",
    "NotRemembered",
    "NumberPlan",
    "Plan",
    "PrivateVoting",
    "Refused",
    "Schema",
    "VotePlan",
    "account",
    "audit",
    "load",
    "plan",
    "plan_vote",
    "release",
]

# Where each name is. They are imported when they are asked for: a cluster's workers need none of them, nor what they import.
_HOMES = {
    "_audit": ["Audit", "Finding", "audit"],
    "_curve": ["Curve"],
    "_density": ["HistogramDensity"],
    "_errors": ["Error", "FailedAfterCharge", "InputError", "InputTypeError", "Note", "NotRemembered", "Refused"],
    "_ledger": ["Account", "Ledger", "account"],
    "_linear": ["LinearSVC", "LogisticRegression"],
    "_load": ["load"],
    "_number": ["HuberRegressor", "LinearRegression"],
    "_plan": ["NumberPlan", "Plan", "VotePlan", "plan", "plan_vote"],
    "_release": ["release"],
    "_schema": ["Schema"],
    "_voting": ["PrivateVoting"],
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("discretion")
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
