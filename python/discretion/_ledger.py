"""The ledger and its accounts: what was spent, and who pays."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

from . import _check, _discretion, _html, _open_accounts
from ._check import budget as _budget
from ._errors import InputError, InputTypeError, NotRemembered, shown


class Ledger:
    """The file that remembers what every account has spent. It is the command line's: both may use one at a time.

    Parameters
    ----------
    path : path or None
        The file, which is made by the first charge if it is missing, and opened when it is first needed. By default the
        one that the command line uses: what the environment variable DISCRETION_LEDGER names, else
        ``discretion/ledger.sqlite`` in the user's data directory.

    Examples
    --------
    >>> import discretion, tempfile
    >>> ledger = discretion.Ledger(tempfile.mkdtemp() + "/ledger.sqlite")
    >>> ledger.accounts()
    []
    """

    def __init__(self, path: str | os.PathLike[str] | None = None):
        self._given = None if path is None else _check.path("a ledger's path", path)
        # What a relative path means now, whatever folder the process is in when the file is opened.
        self._file = None if path is None else os.path.abspath(self._given)
        self._opened = None

    @classmethod
    def in_memory(cls) -> Ledger:
        """A ledger that is forgotten with the process: for trying things out."""
        ledger = cls()
        ledger._opened = _discretion.Ledger.in_memory()
        return ledger

    @property
    def _named(self) -> bool:
        return self._given is not None

    @property
    def _ledger(self) -> _discretion.Ledger:
        if self._opened is None:
            moved = self._named and os.path.abspath(self._given) != self._file
            self._opened = _discretion.Ledger.open(self._file if moved else self._given)
        return self._opened

    @property
    def path(self) -> str | None:
        """The file; None in memory."""
        path = self._ledger.path
        return None if path is None else os.fspath(path)

    def account(
        self,
        name: str,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        filter: str | None = None,
    ) -> Account:
        """An account. Its lifetime cap is needed once, to open it; if it is said again it must be the same."""
        return account(name, epsilon=epsilon, delta=delta, rho=rho, filter=filter, ledger=self)

    def accounts(self) -> list[dict[str, Any]]:
        """Where every account stands, as `discretion ledger list --json` says it."""
        return json.loads(self._ledger.accounts())

    def verify(self, noted: str | None = None) -> str:
        """Checks the whole chain of hashes and returns its head.

        Note the head elsewhere; `noted` is one that was noted, and shows whether later entries were cut off.
        """
        return self._ledger.verify(noted)[1]

    def __repr__(self) -> str:
        if self._opened is None:
            return f"discretion.Ledger({'' if self._given is None else repr(self._given)})"
        return "discretion.Ledger.in_memory()" if self.path is None else f"discretion.Ledger({self.path!r})"

    def __copy__(self) -> Ledger:
        return self

    def __deepcopy__(self, memo: dict) -> Ledger:
        # scikit-learn's clone copies parameters; a copy of the file's handle would be another ledger in memory.
        return self

    def __reduce__(self):
        if self._opened is not None and self.path is None:
            raise InputError("a ledger in memory cannot leave its process; name a file with discretion.Ledger(path)")
        return Ledger, (self._file,)

    def _is(self, other: Ledger) -> bool:
        """Whether both are one file. What is in memory is only itself."""
        return self is other or (self.path is not None and self.path == other.path)


# As many charges as a notebook shows of an account.
_SHOWN = 10


def _tidy(amount: float) -> float:
    """Without the last digits, which sums of many numbers leave: 69.0 for 69.00000000005703."""
    return round(amount, 9)


def _left(standing: dict[str, Any]) -> float:
    left = (standing["cap"].get("epsilon") or standing["cap"]["rho"]) - standing["spent"]["amount"]
    return _tidy(max(0.0, left))


def _flat(entry: dict[str, Any]) -> dict[str, Any]:
    line = {name: entry[name] for name in ("number", "at", "kind")}
    cap = entry.get("cap") or {}
    said = {"opened": "account opened", "raised": entry.get("reason")}.get(entry["kind"], entry.get("what"))
    line["what"] = said
    line |= {name: cap.get(name) for name in ("epsilon", "delta", "rho")}
    line["files"] = ", ".join(release["file"] for release in entry.get("releases", ()))
    line["answers"] = entry.get("answers", 0)
    return line


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
        """How much of it is gone, in the epsilon or rho of its cap: what runs of the same size leave room for."""
        return _tidy(self.standing["spent"]["amount"])

    @property
    def left(self) -> float:
        """What it may still spend."""
        return _left(self.standing)

    def history(self) -> list[dict[str, Any]]:
        """Everything that happened on it, the oldest first: flat lines, which ``pandas.DataFrame`` makes a table of.

        Each has a ``number`` in the ledger, ``at`` (the time), ``kind`` ("opened", "charged", "raised" or "upgraded") and ``what``
        in words; ``epsilon``, ``delta`` and ``rho`` of the cap where it was set; ``files`` and ``answers`` that left under a charge.
        `full_history` has all that the ledger knows.
        """
        return [_flat(entry) for entry in self.full_history()]

    def full_history(self) -> list[dict[str, Any]]:
        """The same, as `discretion ledger show --json` says it: with the events that are added up, fingerprints and hashes."""
        return json.loads(self._ledger._ledger.history(self._name, self._cap))

    def raise_cap(
        self, reason: str, *, epsilon: float | None = None, delta: float | None = None, rho: float | None = None
    ) -> None:
        """Raises the cap. The ledger keeps the reason.

        If anything that was released played a part in this decision, what then holds for all of it is the highest cap that
        it might have been raised to.
        """
        cap = _cap(epsilon, delta, rho, None, "what the account may spend from now on")
        self._ledger._ledger.raise_cap(self._name, cap, reason)
        self._cap = cap

    def __enter__(self) -> Account:
        _open_accounts.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        _open_accounts.leave(self)

    def __repr__(self) -> str:
        return f"<account {self._name!r} in {self._ledger!r}>"

    def _repr_html_(self) -> str:
        standing = self.standing
        cap, spent = standing["cap"], _tidy(standing["spent"]["amount"])
        unit = "epsilon" if cap.get("epsilon") else "rho"
        share = min(1.0, spent / cap[unit])
        bar = (
            '<div style="width:16em;height:0.6em;background:#e4e4e4">'
            f'<div style="width:{100 * share:.1f}%;height:100%;background:#1d4e89"></div></div>'
        )
        facts = [(name, _html.number(value, 6)) for name, value in cap.items() if isinstance(value, float)]
        facts += [("spent", f"{_html.number(spent, 6)} of {unit}"), ("left", _html.number(_left(standing), 6))]
        entries = [e for e in self.history() if e["kind"] == "charged"]
        shown = [(e["number"], e["at"][:16].replace("T", " "), e["what"]) for e in entries[-_SHOWN:]]
        more = f"<p>and {len(entries) - _SHOWN} charges before</p>" if len(entries) > _SHOWN else ""
        charges = _html.table(("charge", "at", "what"), shown, numbers=(0,)) + more if shown else ""
        return f"<div><p><b>account {_html.escape(self._name)}</b></p>{bar}{_html.table((), facts)}{charges}</div>"

    def __copy__(self) -> Account:
        return self

    def __deepcopy__(self, memo: dict) -> Account:
        return self

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Account)
            and (self._name, self._cap) == (other._name, other._cap)
            and self._ledger._is(other._ledger)
        )

    def __hash__(self) -> int:
        return hash(self._name)


def _cap(epsilon, delta, rho, filter, what) -> tuple:
    return (*_budget(epsilon, delta, rho, what), filter)


def account(
    name: str,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    filter: str | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
) -> Account:
    """An account that pays for what is fitted, by ``account=`` of an estimator or for all within ``with``.

    Parameters
    ----------
    name : str
        Whose budget it is: one name for one set of people, whatever table their rows are in.
    epsilon, delta, rho : float
        What it may spend in its life: epsilon, epsilon and delta, or rho, which may have a delta beside it for runs that
        may fail (voting). Needed to open it.
    filter : str or None
        How an account with epsilon and delta adds up: "renyi", "gaussian" or "plain-sum"; by default "renyi", unless
        clearly more runs like its first fit into another. Fixed by its first charge.
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
        raise InputTypeError(f"an account has a name, not {shown(name)}")
    if not isinstance(ledger, Ledger):
        ledger = Ledger(ledger)
    if filter is not None and not isinstance(filter, str):
        raise InputTypeError(f"filter is a text or None, not {shown(filter)}")
    if epsilon is None and delta is None and rho is None:
        if filter is not None:
            raise InputError("filter= is said together with the cap, when an account is opened")
        opened = Account(ledger, name, None)
    else:
        opened = Account(ledger, name, _cap(epsilon, delta, rho, filter, "what the account may spend in its life"))
    opened.standing  # Says now, and not at the first fit, that there is no such account or that its cap is another one.
    return opened


def named(who: Account | str) -> Account:
    """The account that a parameter means: itself, or the one of that name in the default ledger."""
    if isinstance(who, str):
        return account(who)
    if isinstance(who, Account):
        return who
    raise InputTypeError(f"account is what discretion.account(...) returns, or the name of one, not {shown(who)}")


def payer(who: Account | str | None, seed: int | None, spend: tuple, stacklevel: int = 3):
    """Who pays, as Rust takes it, and the account: `who`, else the one of the enclosing `with`, else one in memory."""
    if seed is not None:
        return seed, None
    if who is None:
        who = _open_accounts.enclosing()
    if who is None:
        _open_accounts.check_none_elsewhere()
    if who is None:
        warnings.warn(
            "no account was named, so what this run spends is forgotten with this process, and nobody adds it up with other "
            "runs on the same people; pass account=discretion.account(name, epsilon=...), whose ledger remembers",
            NotRemembered,
            stacklevel=stacklevel,
        )
        paying = Account(Ledger.in_memory(), "in memory", (*spend, None))
    else:
        paying = named(who)
    return (paying._ledger._ledger, paying._name, paying._cap), paying
