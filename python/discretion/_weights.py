"""How much rows count."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _check
from ._errors import InputError, shown


def parts(sample_weight: Any, max_weight: Any) -> tuple[np.ndarray, float] | None:
    """Weights that are numbers from 0 on, and the largest there may be; none if all rows count the same."""
    if sample_weight is None:
        return None
    if max_weight is None:
        raise InputError(
            "sample_weight needs max_weight=, the largest weight that a row may have: public knowledge, and not the largest in the "
            "rows. A row counts as its part of that, so the smaller it is, the less noise there is beside the rows"
        )
    largest = _check.number("max_weight", max_weight)
    if not 0 < largest < np.inf:
        raise InputError(f"max_weight is a number above 0, not {shown(max_weight)}")
    weights = np.ascontiguousarray(_check.ours(lambda: np.asarray(sample_weight, dtype=np.float64)))
    if weights.ndim != 1:
        raise InputError("Sample weights must be 1D array: sample_weight is one number for each row")
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise InputError("every sample_weight is a number from 0 on")
    if not weights.any():
        raise InputError("every sample_weight is zero: no row would count (NOT PRIVATE, for you alone)")
    return weights, largest
