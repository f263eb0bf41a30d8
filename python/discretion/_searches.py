"""What scikit-learn does around a fit: searches that fit again and again, and steps of a pipeline that see the rows first."""

from __future__ import annotations

import numbers
import sys
import warnings
import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any

from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.pipeline import Pipeline

from . import _open_accounts
from ._errors import Note

# Where scikit-learn scores copies of what it is given, by rows as they are.
_COPIERS = ("model_selection", "calibration")
# For each estimator the splitter of the search that was told of last.
_told: weakref.WeakKeyDictionary[Any, weakref.ref[Any]] = weakref.WeakKeyDictionary()


def tell_of_copies(estimator: Any) -> None:
    """Says what a search will spend, when it makes the first copy of an estimator that an account pays for."""
    for frame in _callers():
        if _part_of_sklearn(frame) not in _COPIERS or frame.f_code.co_name.startswith("<"):
            continue
        fits, search = _fits(frame)
        if fits is None:
            continue
        _remember_scores(estimator, _name(frame))
        if estimator not in _told or _told[estimator]() is not search:
            _told[estimator] = weakref.ref(search)
            warn_caller(
                f"{_name(frame)} fits {fits} copies, and each is charged at its full price{_sum(estimator, fits)}; what it says of them, "
                f"and what it chooses by that, comes from the rows without noise, so it is not covered: private_ is False; {_INSTEAD}"
            )
        return


# What stands between a line of the user and a fit.
_BETWEEN = (__package__, "sklearn", "joblib", "contextlib")
_INSTEAD = 'lam="auto" needs no search, a list in lam= is chosen from privately, and folds of public rows cost nothing'


def _sum(estimator: Any, fits: int) -> str:
    for unit in ("epsilon", "rho"):
        each = getattr(estimator, unit, None)
        if isinstance(each, numbers.Real):
            return f": {fits} times {unit} = {each:g}, which is {fits * each:g}"
    return ""


def warn_caller(note: str) -> None:
    """Warns at the line that called this package, or the scikit-learn around it."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN:
        frame = frame.f_back
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    module = frame.f_globals.get("__name__", "")
    warnings.warn_explicit(note, Note, frame.f_code.co_filename, frame.f_lineno, module=module, registry=registry)


# Estimators of scikit-learn that hand the rows on as they are, once for each copy that they fit, and choose nothing by them.
_HANDS_ON = (
    "FixedThresholdClassifier", "FrozenEstimator", "MultiOutputClassifier", "MultiOutputRegressor", "Pipeline", "RFE", "SelectFromModel",
    "VotingRegressor",
)  # fmt: skip
# Functions of scikit-learn that do, by the part that they are in; of the others nothing is known.
_HAND_ON = ("base", "utils", "pipeline", "_config", "compose", "multioutput")


def tool_around(estimator: Any) -> str | None:
    """The name of what fits or copies this estimator and may do more with the rows: choose by them, weigh them, leave some out.

    Whatever of scikit-learn, or made for it, is not known to leave them alone is such a tool.
    """
    for frame in _callers():
        module = str(frame.f_globals.get("__name__"))
        if module == f"{__package__}._ballots":
            return None  # A model of a vote, which sees its chunk alone and stays with the custodian.
        name = _tool(frame, estimator, module)
        if name is not None:
            return name
    return None


def _tool(frame: FrameType, estimator: Any, module: str) -> str | None:
    one, package = frame.f_locals.get("self"), module.partition(".")[0]
    if package == __package__ or one is estimator:
        return None
    if isinstance(one, BaseEstimator):
        kind = type(one)
        known = kind.__module__.startswith("sklearn.") and kind.__name__ in _HANDS_ON
        made_for_it = package == "sklearn" or isinstance(one, MetaEstimatorMixin) or kind.__name__.endswith("CV")
        return kind.__name__ if made_for_it and not known and not isinstance(one, Pipeline) else None
    function = frame.f_code.co_name
    if package != "sklearn" or function.startswith("<") or _part_of_sklearn(frame) in _HAND_ON or not function.isidentifier():
        return None
    return None if function == "_fit_single_estimator" else function


def is_told() -> bool:
    """Whether this is a fit of a copy that `tell_of_copies` told of."""
    return any(_part_of_sklearn(frame) in _COPIERS for frame in _callers())


# The ledgers, with names of accounts, that paid for copies that were scored; and what scored them.
_scored: weakref.WeakKeyDictionary[Any, dict[str, str]] = weakref.WeakKeyDictionary()


def _remember_scores(estimator: Any, name: str) -> None:
    account = _paying(estimator)
    if account is not None:
        _scored.setdefault(account._ledger, {})[account._name] = name


def tell_of_scores(estimator: Any) -> None:
    """Says, once for each search, that a fit of the account that paid for it may be of what the search found to be best."""
    account = _paying(estimator)
    scored = None if account is None else _scored.get(account._ledger, {}).pop(account._name, None)
    if scored is not None:
        warn_caller(
            f"{scored} scored copies that this account paid for, by rows without noise; if anything about this fit was chosen by those "
            "scores, its guarantee does not cover that choice"
        )


def _paying(estimator: Any) -> Any:
    account = estimator.account if estimator.account is not None else _open_accounts.enclosing()
    return account if hasattr(account, "_ledger") else None


def tell_of_use(estimator: Any) -> None:
    """Says, once for each, that something of scikit-learn learns from what a private model predicts for rows."""
    for frame in _callers():
        one = frame.f_locals.get("self")
        fits = isinstance(one, MetaEstimatorMixin) and frame.f_code.co_name.startswith("fit")
        if fits and _part_of_sklearn(frame) in _COPIERS and type(one).__name__ not in _HANDS_ON:
            if estimator not in _told or _told[estimator]() is not one:
                _told[estimator] = weakref.ref(one)
                warn_caller(
                    f"{type(one).__name__} learns from these rows without noise, beside a model that is private: what it learns, such as "
                    "a threshold or a calibration, is not covered. Learn it from public rows"
                )
            return


def learned_from_rows(estimator: Any) -> list[str]:
    """The names of the steps that a pipeline has fitted on the rows before it came to this estimator."""
    for frame in _callers():
        pipeline = frame.f_locals.get("self")
        if isinstance(pipeline, Pipeline) and pipeline.steps and pipeline.steps[-1][1] is estimator:
            return [name for name, step in pipeline.steps[:-1] if _learns(step)]
    return []


def _learns(step: Any) -> bool:
    if step is None or isinstance(step, str):
        return False
    inner = getattr(step, "transformers", None) or getattr(step, "transformer_list", None) or getattr(step, "steps", None)
    if inner is not None:
        return any(_learns(one[1]) for one in inner)
    try:
        return bool(step.__sklearn_tags__().requires_fit)
    except AttributeError:  # One that knows nothing of scikit-learn's tags.
        return True


def _callers() -> Iterator[FrameType]:
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _part_of_sklearn(frame: FrameType) -> str | None:
    package, _, rest = str(frame.f_globals.get("__name__")).partition(".")
    return rest.partition(".")[0] if package == "sklearn" else None


def _name(frame: FrameType) -> str:
    one = frame.f_locals.get("self")
    return type(one).__name__ if isinstance(one, BaseEstimator) else frame.f_code.co_name


def _fits(frame: FrameType) -> tuple[int | None, Any]:
    """How many copies a function of scikit-learn is about to fit, and an object of this search alone; None if it is not known."""
    known = frame.f_locals
    if "n_candidates" in known and "n_splits" in known and "base_estimator" in known:
        refit = bool(getattr(known.get("self"), "refit", False))
        return known["n_candidates"] * known["n_splits"] + refit, known["base_estimator"]
    cv = known.get("cv")
    if hasattr(cv, "get_n_splits"):
        try:
            return cv.get_n_splits(known.get("X"), known.get("y"), known.get("groups")), cv
        except (TypeError, ValueError):
            return None, None
    return None, None
