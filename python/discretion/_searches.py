"""What scikit-learn does around a fit: searches that fit again and again, and steps of a pipeline that see the rows first."""

from __future__ import annotations

import numbers
import sys
import warnings
import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from ._errors import Note

# Where scikit-learn fits copies of what it is given.
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
        if estimator not in _told or _told[estimator]() is not search:
            _told[estimator] = weakref.ref(search)
            warn_caller(f"{_name(frame)} fits {fits} copies, and each is charged at its full price{_sum(estimator, fits)}; {_INSTEAD}")
        return


# What stands between a line of the user and a fit.
_BETWEEN = (__package__, "sklearn", "joblib", "contextlib")
_INSTEAD = 'lam="auto" needs no search, and folds of public rows cost nothing'


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
