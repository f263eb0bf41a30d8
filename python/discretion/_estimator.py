"""What all estimators share: a clone knows who pays, and a fit that fails takes nothing away that was paid for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from . import _open_accounts
from ._errors import InputTypeError
from ._parameters import NamedParametersMixin
from ._searches import learned_from_rows, tell_of_copies, warn_caller


class PaidFitMixin(NamedParametersMixin):
    """An estimator whose fit is paid by an account."""

    account: Any
    reuse: Any
    random_state: Any
    # What a fit sets beside the attributes that end in "_".
    _of_a_fit = ("_released", "_account")

    def __sklearn_clone__(self) -> Any:
        """A clone, for which the account of the enclosing ``with`` is a parameter.

        ``with`` does not reach the workers of cross_val_score and GridSearchCV; what they are sent does.
        """
        if self.random_state is None:
            tell_of_copies(self)
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

    def _check_pipeline(self) -> bool:
        """Whether all that was done to the rows is covered, as far as a pipeline of scikit-learn tells; if not, who fits is told."""
        steps = learned_from_rows(self)
        if steps:
            warn_caller(
                f"the steps {', '.join(steps)} of this pipeline were fitted on the rows, without noise, before this estimator saw "
                "them; what they learned is not covered, so private_ is False. Scale by public bounds, which this estimator does "
                "by itself, and fill missing values from public knowledge"
            )
        return not steps

    def _repeat(self) -> tuple[bool, Any]:
        """Whether what was released before will do, and who is told something before the charge."""
        if not isinstance(self.reuse, bool):
            raise InputTypeError(f"reuse is True or False, not {self.reuse!r}")
        return self.reuse, warn_caller

    def _forget(self) -> None:
        fitted = [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]
        for name in [*fitted, *self._of_a_fit]:
            vars(self).pop(name, None)
