"""What all estimators share: a clone knows who pays, and a fit that fails takes nothing away that was paid for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from . import _open_accounts


class PaidFitMixin:
    """An estimator whose fit is paid by an account."""

    account: Any
    random_state: Any
    # What a fit sets beside the attributes that end in "_".
    _of_a_fit = ("_released", "_account")

    def __sklearn_clone__(self) -> Any:
        """A clone, for which the account of the enclosing ``with`` is a parameter.

        ``with`` does not reach the workers of cross_val_score and GridSearchCV; what they are sent does.
        """
        copy = super().__sklearn_clone__()
        if copy.account is None and copy.random_state is None:
            copy.account = _open_accounts.for_a_clone()
        return copy

    @contextlib.contextmanager
    def _anew(self) -> Iterator[None]:
        """Begins without the last fit, which comes back, whole, if this one fails: it was paid for."""
        before = dict(vars(self))
        self._forget()
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def _forget(self) -> None:
        fitted = [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]
        for name in [*fitted, *self._of_a_fit]:
            vars(self).pop(name, None)
