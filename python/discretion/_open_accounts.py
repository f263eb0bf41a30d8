"""The accounts whose ``with`` is open: around this code, or in another thread."""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, Any

from ._errors import InputError

if TYPE_CHECKING:
    from ._ledger import Account

_current: contextvars.ContextVar[tuple[Account, ...]] = contextvars.ContextVar("discretion_account", default=())
# Threads do not inherit the variable above, so they are told that some other thread is within a `with`.
_open_anywhere: list[Account] = []
_opening = threading.Lock()


def enter(account: Account) -> None:
    """A ``with`` of this account begins."""
    _current.set((*_current.get(), account))
    with _opening:
        _open_anywhere.append(account)


def leave(account: Account) -> None:
    """A ``with`` of this account ends."""
    # Not whatever is last: the blocks of generators need not end in the order in which they began.
    _current.set(_without_last(_current.get(), account))
    with _opening:
        _open_anywhere[:] = _without_last(_open_anywhere, account)


def _without_last(accounts: Any, one: Account) -> tuple[Account, ...]:
    places = [place for place, account in enumerate(accounts) if account is one]
    return tuple(account for place, account in enumerate(accounts) if place != max(places, default=-1))


def enclosing() -> Account | None:
    """The account of the innermost ``with`` around this."""
    return _current.get()[-1] if _current.get() else None


def for_a_clone() -> Account | None:
    """The account that a clone takes along: that of the ``with``, also in joblib's own threads, where clones are made."""
    if enclosing() is not None:
        return enclosing()
    with _opening:
        anywhere = list(_open_anywhere)
    if anywhere and any(one is not anywhere[0] for one in anywhere):
        raise InputError(_SEVERAL)
    return anywhere[0] if anywhere else None


def check_none_elsewhere() -> None:
    """Refuses a fit that nobody pays for while another thread is within a ``with``: it was probably meant."""
    if _open_anywhere:
        raise InputError(_ELSEWHERE)


_ELSEWHERE = (
    "`with discretion.account(...)` is open in another thread, and a thread does not inherit it; pass account= to the "
    "estimator that is fitted in this one"
)
_SEVERAL = (
    "several `with discretion.account(...)` are open in other threads, and this one does not know which is meant; pass "
    "account= to the estimator"
)
