"""Labels: one for each row, and each one of the declared classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _by_value, _check, _values
from ._errors import InputError, shown


def one_each(y: Any) -> np.ndarray:
    """The labels as an array."""
    y = np.asarray(y)
    if y.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {y.shape} instead")
    return y


def missing(y: np.ndarray) -> np.ndarray:
    """Which labels are missing: None, NaN, pandas.NA and empty texts."""
    if y.dtype.kind == "f":
        return np.isnan(y)
    if _kind(y) == "number":
        return np.zeros(len(y), dtype=bool)
    return np.array([_is_missing(label) for label in y.tolist()], dtype=bool)


# Floating-point numbers of every kind are exact up to here.
_MOST_EXACT = 1000


def _is_missing(label: Any) -> bool:
    if isinstance(label, str):
        return not label.strip()
    # pandas.NA is no number, and not equal to itself either; nor can that be asked.
    return label is None or type(label).__name__ in ("NAType", "NaTType") or (isinstance(label, float) and label != label)


def places(y: np.ndarray, classes: np.ndarray, how: str) -> np.ndarray:
    """The place of each label among the classes. `how` says how classes are passed.

    Labels that are equal to a class, or the same value in another spelling: "1.0" for 1.
    """
    if y.dtype.kind == "f" and any(map(_by_value.is_inexact, y[np.abs(y) > _MOST_EXACT])):
        raise InputError(f"y has {_by_value.INEXACT}")
    found = np.full(len(y), -1, dtype=np.int8 if len(classes) < 128 else np.int32)

    def place_each() -> np.ndarray:
        for place, label in enumerate(classes):
            found[np.asarray(y == label, dtype=bool)] = place
        if (found < 0).any() and "text" in (_kind(y), _kind(classes)):
            usual = {_values.usual(label): place for place, label in enumerate(classes)}
            for label in {label for label in y[found < 0].tolist() if label is not None and label == label}:
                if (place := usual.get(_values.usual(label))) is not None:
                    found[np.asarray(y == label, dtype=bool)] = place
        return found

    if _check.converted(place_each) is None:
        # pandas.NA is neither equal nor unequal to anything.
        raise InputError("y has labels that are missing; give every row a label, or declare a class for those without")
    if (found < 0).any():
        plain = all(isinstance(label, (str, int, float)) for label in classes.tolist())
        told = classes.tolist() if plain else shown(classes)
        raise InputError(f"y has labels other than the classes {told}; pass {how}, which are public{_hint(y, classes)}")
    return found


def counts(found: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """How many labels are of each class, by their places."""
    return np.bincount(found, minlength=len(classes)).astype(np.int64)


def stop_at_mistakes(counted: np.ndarray, classes: np.ndarray, accept_check: bool) -> None:
    """Stops, before anything is charged, at labels that are all of one class."""
    if np.count_nonzero(counted) < 2 and not accept_check:
        never = " or ".join(repr(label) for label, rows in zip(classes.tolist(), counted, strict=True) if rows == 0)
        raise InputError(
            f"this looks like a mistake (NOT PRIVATE, for you alone): no row is {never}; are these the labels? Nothing was "
            "charged; if all is as it should be, pass accept_check=True"
        )


def _kind(labels: np.ndarray) -> str:
    return "text" if labels.dtype.kind in "OSUT" else "number"


def _hint(y: np.ndarray, classes: np.ndarray) -> str:
    if classes.tolist() == [0, 1] and y.dtype.kind in "if" and np.isin(y, [-1, 1]).all():
        return "; for labels -1 and 1 these are classes=(-1, 1)"
    if y.dtype.kind in "iu" and _kind(classes) == "text" and set(np.unique(y)) <= set(range(len(classes))):
        return (
            "; if scikit-learn made numbers of your labels, as cross_val_predict does for probabilities, give it numbers and "
            f"pass {tuple(range(len(classes)))} as classes="
        )
    return ""
