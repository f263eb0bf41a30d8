"""Parameters that other packages have, and what to use here."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, Any

from ._errors import InputTypeError

_ITERATIONS = "the solver runs until its error is covered by the noise, so there is nothing to set; leave it out"
_INSTEAD = {
    "C": 'lam= is the regularisation here: C is 1 / (rows × lam); lam="auto", the default, follows from public numbers',
    "alpha": 'lam= is the regularisation here; lam="auto", the default, follows from public numbers',
    "penalty": "the penalty is the squared length, which the guarantee rests on; its weight is lam=",
    "l1_ratio": "the penalty is the squared length, which the guarantee rests on; its weight is lam=",
    "class_weight": (
        "rows have equal weights here, because a heavier row would need more noise; move the threshold instead: "
        "predict_proba(X)[:, 1] > share"
    ),
    "fit_intercept": "there is always an intercept; leave it out",
    "intercept_scaling": "the intercept is scaled as the columns are; leave it out",
    "max_iter": _ITERATIONS,
    "tol": _ITERATIONS,
    "solver": _ITERATIONS,
    "warm_start": _ITERATIONS,
    "dual": _ITERATIONS,
    "verbose": "progress is shown if tqdm is installed; leave it out",
    "n_jobs": "all cores are used; leave it out",
    "multi_class": "there are two classes here; discretion.PrivateVoting takes more",
    "seed": "random_state= makes results repeatable, and therefore not private",
    "eps": "epsilon= is what the run may spend",
    "data_norm": "bounds= or schema= says what range the columns have, and rows are scaled by it",
    "accountant": "account= says who pays",
    "bandwidth": "bins= is the number of bins, or a list to choose from",
    "kernel": "the density is a histogram; bins= is the number of bins, or a list to choose from",
}


class NamedParametersMixin:
    """A class whose constructor says what to use in place of a parameter that it has not."""

    def __init_subclass__(cls, **more: Any) -> None:
        """The parameters are those of `__init__`; some versions of Python would show those of `__new__`."""
        super().__init_subclass__(**more)
        of_init = inspect.signature(cls.__init__)
        cls.__signature__ = of_init.replace(parameters=list(of_init.parameters.values())[1:])

    __signature__: inspect.Signature

    if not TYPE_CHECKING:  # For type checkers, parameters are those of `__init__`.

        def __new__(cls, *args: Any, **given: Any) -> Any:
            """Checks names of parameters before `__init__` sees them."""
            known = [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
            for name in given:
                if name not in known:
                    raise InputTypeError(f"{cls.__name__} has no parameter {name!r}: {_advice(name, known)}")
            return super().__new__(cls)


def _advice(name: str, known: list[str]) -> str:
    if name in _INSTEAD:
        return _INSTEAD[name]
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}=?" if near else f"it has {', '.join(known)}"
