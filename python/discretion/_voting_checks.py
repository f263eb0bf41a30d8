"""What a vote is asked for, checked before anything is charged: its classes, and the estimator that every chunk trains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from . import _values
from ._errors import InputError, InputTypeError, shown


def checked_classes(written: Any, score_bins: Any) -> np.ndarray:
    """The classes of a vote, in their order."""
    unordered = isinstance(written, (str, bytes, set, frozenset, Mapping))
    if unordered or not hasattr(written, "__len__"):
        raise InputTypeError(f"classes is the list of all labels, not {shown(written)}")
    classes = np.asarray(written)
    if classes.ndim != 1 or len(classes) < 2 or len(set(map(_values.usual, classes))) < len(classes):
        raise InputError(f"classes are two or more different labels, not {shown(written)}")
    if score_bins is not None and len(classes) != 2:
        raise InputError("scores are for two classes; leave score_bins out")
    return classes


def check_estimator(one: Any, score_bins: Any) -> None:
    """Refuses what cannot be trained on every chunk."""
    if isinstance(one, type):
        raise InputTypeError(f"estimator is a class; pass an instance of it: {one.__name__}()")
    if not hasattr(one, "fit") or not hasattr(one, "get_params") or not _is_classifier(one):
        raise InputTypeError(f"estimator is a scikit-learn classifier, not {shown(one)}")
    if score_bins is not None and not hasattr(one, "predict_proba"):
        raise InputError("this estimator has no predict_proba, which scores need; leave score_bins out")
    if clone(one) is one:
        raise InputError("this estimator's clone is itself, so that all chunks would share one model")


def _is_classifier(estimator: Any) -> bool:
    try:
        return is_classifier(estimator)
    except AttributeError:  # One that knows nothing of scikit-learn's tags.
        return getattr(estimator, "_estimator_type", None) == "classifier"
