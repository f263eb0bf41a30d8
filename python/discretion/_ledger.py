"""The ledger and its accounts: what was spent, and who pays."""

from __future__ import annotations

import contextvars
import json
import os
import warnings
from typing import Any

from . import _discretion
from ._check import budget as _budget
from ._errors import InputError, InputTypeError, NotRemembered

_current: contextvars.ContextVar[tuple[Account, ...]] = contextvars.ContextVar("discretion_account", default=())


class Ledger:
    """The file that remembers what every account has spent. It is the command line's: both may use one at a time.

    Parameters
    ----------
    path : path or None
        The file, which is made by the first charge if it is missing. By default the one that the command line uses: what
        the environment variable DISCRETION_LEDGER names, else ``discretion/ledger.sqlite`` in the user's data directory.

    Examples
    --------
    >>> import discretion, tempfile
    >>> ledger = discretion.Ledger(tempfile.mkdtemp() + "/ledger.sqlite")
    >>> ledger.accounts()
    []
    """

    def __init__(self, path: str | os.PathLike[str] | None = None):
        self._named = path is not None
        self._ledger = _discretion.Ledger.open(None if path is None else os.fspath(path))

    @classmethod
    def in_memory(cls) -> Ledger:
        """A ledger that is forgotten with the process: for trying things out."""
        ledger = cls.__new__(cls)
        ledger._named = False
        ledger._ledger = _discretion.Ledger.in_memory()
        return ledger

    @property
    def path(self) -> str | None:
        """The file; None in memory."""
        path = self._ledger.path
        return None if path is None else os.fspath(path)

    def account(
        self, name: str, *, epsilon: float | None = None, delta: float | None = None, rho: float | None = None
    ) -> Account:
        """An account. Its lifetime cap is needed once, to open it; if it is said again it must be the same."""
        return account(name, epsilon=epsilon, delta=delta, rho=rho, ledger=self)

    def accounts(self) -> list[dict[str, Any]]:
        """Where every account stands, as `discretion ledger list --json` says it."""
        return json.loads(self._ledger.accounts())

    def verify(self, noted: str | None = None) -> str:
        """Checks the whole chain of hashes and returns its head.

        Note the head elsewhere; `noted` is one that was noted, and shows whether later entries were cut off.
        """
        return self._ledger.verify(noted)[1]

    def __repr__(self) -> str:
        return "discretion.Ledger.in_memory()" if self.path is None else f"discretion.Ledger({self.path!r})"

    def __copy__(self) -> Ledger:
        return self

    def __deepcopy__(self, memo: dict) -> Ledger:
        # scikit-learn's clone copies parameters; a copy of the file's handle would be another ledger in memory.
        return self

    def __reduce__(self):
        if self.path is None:
            raise InputError("a ledger in memory cannot leave its process; name a file with discretion.Ledger(path)")
        return Ledger, (self.path if self._named else None,)


class Account:
    """An account of a ledger. Get one from `discretion.account`."""

    def __init__(self, ledger: Ledger, name: str, cap: tuple | None):
        self._ledger, self._name, self._cap = ledger, name, cap

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def ledger(self) -> Ledger:
        """The ledger that it is in."""
        return self._ledger

    @property
    def standing(self) -> dict[str, Any]:
        """Where it stands, as `discretion ledger show --json` says it."""
        return json.loads(self._ledger._ledger.standing(self._name, self._cap))

    @property
    def cap(self) -> dict[str, float]:
        """What it may spend in its life."""
        return self.standing["cap"]

    @property
    def spent(self) -> float:
        """What it has spent, in the epsilon or rho of its cap."""
        return self.standing["spent"]["amount"]

    @property
    def left(self) -> float:
        """What it may still spend."""
        standing = self.standing
        return max(0.0, (standing["cap"].get("epsilon") or standing["cap"]["rho"]) - standing["spent"]["amount"])

    def history(self) -> list[dict[str, Any]]:
        """Everything that happened on it, the oldest first."""
        return json.loads(self._ledger._ledger.history(self._name, self._cap))

    def raise_cap(
        self, reason: str, *, epsilon: float | None = None, delta: float | None = None, rho: float | None = None
    ) -> None:
        """Raises the cap. The ledger keeps the reason."""
        cap = _budget(epsilon, delta, rho, "what the account may spend from now on")
        self._ledger._ledger.raise_cap(self._name, cap, reason)
        self._cap = cap

    def __enter__(self) -> Account:
        _current.set((*_current.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _current.set(_current.get()[:-1])

    def __repr__(self) -> str:
        return f"<account {self._name!r} in {self._ledger!r}>"

    def __copy__(self) -> Account:
        return self

    def __deepcopy__(self, memo: dict) -> Account:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Account) and (self._name, self._cap, self._ledger.path) == (
            other._name,
            other._cap,
            other._ledger.path,
        )

    def __hash__(self) -> int:
        return hash((self._name, self._cap))


def account(
    name: str,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
) -> Account:
    """An account that pays for what is fitted, by ``account=`` of an estimator or for all within ``with``.

    Parameters
    ----------
    name : str
        Whose budget it is: one name for one set of people, whatever table their rows are in.
    epsilon, delta, rho : float
        What it may spend in its life: epsilon, epsilon and delta, or rho. Needed to open it.
    ledger : Ledger, path or None
        Where it is; see `Ledger`.

    Examples
    --------
    >>> import discretion, numpy as np
    >>> X = np.array([[-1.0], [1.0]] * 500); y = np.array([0, 1] * 500)
    >>> with discretion.account("patients-2026", epsilon=3, ledger=discretion.Ledger.in_memory()) as account:
    ...     model = discretion.LogisticRegression(epsilon=1.0, bounds=(-1, 1)).fit(X, y)
    >>> model.private_, round(account.left, 3)
    (True, 2.0)
    """
    if not isinstance(name, str):
        raise InputTypeError(f"an account has a name, not {name!r}")
    if not isinstance(ledger, Ledger):
        ledger = Ledger(ledger)
    if epsilon is None and delta is None and rho is None:
        opened = Account(ledger, name, None)
    else:
        opened = Account(ledger, name, _budget(epsilon, delta, rho, "what the account may spend in its life"))
    opened.standing  # Says now, and not at the first fit, that there is no such account or that its cap is another one.
    return opened


def payer(account: Account | str | None, seed: int | None, spend: tuple, stacklevel: int = 3):
    """Who pays, as Rust takes it, and the account: `account`, else the one of the enclosing `with`, else one in memory."""
    if seed is not None:
        return seed, None
    if account is None and _current.get():
        account = _current.get()[-1]
    if isinstance(account, str):
        account = globals()["account"](account)
    if account is None:
        warnings.warn(
            "no account was named, so what this run spends is forgotten with this process, and nobody adds it up with other "
            "runs on the same people; pass account=discretion.account(name, epsilon=...), whose ledger remembers",
            NotRemembered,
            stacklevel=stacklevel,
        )
        account = Account(Ledger.in_memory(), "in memory", spend)
    if not isinstance(account, Account):
        raise InputTypeError(f"account is what discretion.account(...) returns, or the name of one, not {account!r}")
    return (account._ledger._ledger, account._name, account._cap), account
