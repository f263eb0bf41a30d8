"""What all estimators share: a clone knows who pays, and a fit that fails takes nothing away that was paid for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _open_accounts
from ._errors import InputTypeError, shown
from ._parameters import NamedParametersMixin
from ._searches import is_told, learned_from_rows, tell_of_copies, tell_of_scores, tool_around, warn_caller


LEARNED = (
    "steps of a pipeline learned from the rows before this was fitted; the file's guarantee is for what they made of the rows, and "
    "not for the rows"
)
CHOSEN = (
    "{} did more with the rows than to fit this: what it chose, weighed or left out by them was not paid for, and the guarantee of "
    "this fit does not cover it"
)


class PaidFitMixin(NamedParametersMixin):
    """An estimator whose fit is paid by an account."""

    account: Any
    reuse: Any
    random_state: Any
    # What a fit sets beside the attributes that end in "_".
    _of_a_fit = ("_released", "_account", "_uncovered")
    # Why the guarantee of the last fit does not cover all that was done with the rows.
    _uncovered: str | None = None
    # What made this copy, if it may have chosen it by the rows.
    _copied_by: str | None = None

    def __sklearn_clone__(self) -> Any:
        """A clone, for which the account of the enclosing ``with`` is a parameter.

        ``with`` does not reach the workers of cross_val_score and GridSearchCV; what they are sent does.
        """
        if self.random_state is None:
            tell_of_copies(self)
        copy = super().__sklearn_clone__()
        # A copy of a copy has what was chosen, too.
        copied_by = tool_around(self) or self._copied_by
        if copied_by is not None:
            copy._copied_by = copied_by
        if copy.account is None and copy.random_state is None:
            copy.account = _open_accounts.for_a_clone()
        return copy

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """As in scikit-learn, but that a table which was passed by mistake shows no rows."""
        given = self.get_params(deep=False)
        if not any(map(_holds_rows, given.values())):
            return super().__repr__(N_CHAR_MAX)
        plain = object.__new__(type(self))
        vars(plain).update({name: _Shown(shown(value)) if _holds_rows(value) else value for name, value in given.items()})
        return super(PaidFitMixin, plain).__repr__(N_CHAR_MAX)

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
        """Whether all that was done with the rows is covered, as far as scikit-learn tells; if not, who fits is told."""
        steps, tool = learned_from_rows(self), tool_around(self)
        if steps:
            self._uncovered = LEARNED
            warn_caller(
                f"the steps {', '.join(steps)} of this pipeline were fitted on the rows, without noise, before this estimator saw "
                "them; what they learned is not covered, so private_ is False. Scale by public bounds, which this estimator does "
                "by itself, and fill missing values from public knowledge"
            )
        copied_by = tool or self._copied_by
        if copied_by is not None:
            self._uncovered = self._uncovered or CHOSEN.format(copied_by)
            if self.random_state is None and not is_told():
                warn_caller(f"{self._uncovered}; so private_ is False")
        elif self.random_state is None:
            tell_of_scores(self)
        return self._uncovered is None

    def _repeat(self) -> tuple[bool, Any]:
        """Whether what was released before will do, and who is told something before the charge."""
        if not isinstance(self.reuse, bool):
            raise InputTypeError(f"reuse is True or False, not {shown(self.reuse)}")
        return self.reuse, warn_caller

    def _forget(self) -> None:
        fitted = [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]
        for name in [*fitted, *self._of_a_fit]:
            vars(self).pop(name, None)


# An array of labels has few values.
_FEW = 20


def _holds_rows(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 1 or value.size > _FEW
    return hasattr(value, "shape") or hasattr(value, "__arrow_c_stream__")


class _Shown(str):
    """A text without quotes."""

    __repr__ = str.__str__
