"""Lower bounds on what a mechanism really costs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _check, _discretion
from ._command_output import CommandOutput, by_name
from ._errors import InputError, InputTypeError, shown

# It decides which runs share a generator, so it must not depend on the machine. A call for many runs at once is worth
# more of them.
_RUNS_AT_ONCE, _VECTORIZED_RUNS_AT_ONCE = 500, 5000


@dataclass(frozen=True)
class Finding:
    """What was found about one mechanism under one budget.

    Attributes
    ----------
    mechanism, budget, neighbours
        What was audited.
    by : "sampling" or "law"
        Whether it was run many times, or its exact law was compared.
    claim : dict
        The epsilon and delta that were claimed.
    epsilon_at_least, delta_at_least : float or None
        By sampling: epsilon is at least so much at the claim's delta, and delta at the claim's epsilon, with
        probability `confidence`.
    epsilon, delta : float or None
        By law: the smallest ones that hold.
    share : float
        The bound as a share of the claimed epsilon.
    verdict : "consistent" or "violated"
        Whether the claim survived. A claim that survived is not proved.
    trials, confidence, event, likelier_on, happened, measured
        By sampling: the event that tells the tables apart, and how often it happened.
    points : int or None
        By law: how many points were looked at.
    ceiling : str or None
        Why the share stays below 1, where that is known.
    """

    mechanism: str
    budget: dict[str, float]
    neighbours: str
    by: str
    claim: dict[str, float]
    epsilon_at_least: float | None
    delta_at_least: float | None
    epsilon: float | None
    delta: float | None
    share: float
    verdict: str
    trials: int | None
    confidence: float | None
    event: str | None
    likelier_on: str | None
    happened: tuple[int, int] | None
    measured: int | None
    points: int | None
    ceiling: str | None

    @property
    def violated(self) -> bool:
        """Whether the claim is false, with the stated confidence."""
        return self.verdict == "violated"


@dataclass(frozen=True, repr=False)
class Audit(CommandOutput):
    """What an audit found. Printed, it is the table of ``discretion audit``; ``to_dict()`` gives a dict for each line.

    Attributes
    ----------
    findings : tuple of Finding
        One for each mechanism and budget.
    refutations : tuple of str
        A sentence for every claim that was refuted.
    """

    findings: tuple[Finding, ...]
    refutations: tuple[str, ...]

    @property
    def violated(self) -> bool:
        """Whether any claim was refuted."""
        return bool(self.refutations)


def audit(
    mechanism: str | Callable[..., Any],
    left: Any = None,
    right: Any = None,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    rows: int | None = None,
    trials: int = 100_000,
    confidence: float = 0.999,
    seed: int | None = None,
    exact: bool = False,
    vectorized: bool = False,
) -> Audit:
    """Tests a privacy claim: bounds from below what a mechanism really costs. ``discretion audit`` does the same.

    A mechanism is run many times on two neighbouring tables. Half of the runs choose an event that tells the tables
    apart; the other half measure it, and its two frequencies prove that epsilon is at least so much. A bound above the
    claim refutes the claim, and ``violated`` says so. Nothing is charged.

    Parameters
    ----------
    mechanism : str or callable
        The name of a mechanism of this library, such as "counts", or "all" of them, on tables that are invented; or a
        function of your own. It is called as ``mechanism(table, rng)`` for each run, where `rng` is a numpy Generator,
        and returns a number or a sequence of them, always as many.
    left, right : array, list, frame, or a tuple of these
        For a function: two tables that differ in one row, and have as many. The function gets them as they are. A
        tuple, such as ``(X, y)``, is one table whose parts have the same rows.
    epsilon, delta, rho : float
        The claim. By default, for a mechanism of this library, one of each kind that it takes.
    rows : int
        Rows of the invented tables; by default few, so that many runs take little time.
    trials : int
        Runs on each of the two tables.
    confidence : float
        The probability with which a bound holds.
    seed : int
        The same runs each time; by default the operating system's randomness.
    exact : bool
        No runs: compare the exact laws, where they can be written down.
    vectorized : bool
        The function is called as ``mechanism(table, rng, runs)`` and returns an output for each run: an array of shape
        ``(runs,)`` or ``(runs, numbers)``.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import discretion
    >>> discretion.audit("counts", epsilon=1.0, exact=True).findings[0].verdict
    'consistent'

    A sum of numbers from 0 to 1, with noise for a change by 1, and with half of that:

    >>> def noisy_sum(table, rng, runs):
    ...     return sum(table) + rng.laplace(scale=1.0, size=runs)
    >>> def too_little(table, rng, runs):
    ...     return sum(table) + rng.laplace(scale=0.5, size=runs)
    >>> tables = {"left": [0, 1, 1, 0], "right": [0, 1, 1, 1]}
    >>> settings = {"epsilon": 1.0, "trials": 20_000, "seed": 1, "vectorized": True}
    >>> discretion.audit(noisy_sum, **tables, **settings).violated
    False
    >>> discretion.audit(too_little, **tables, **settings).violated
    True
    """
    settings = {
        "trials": _check.whole("trials", trials),
        "confidence": _check.number("confidence", confidence),
        "seed": None if seed is None else _check.whole("seed", seed),
    }
    given = (epsilon, delta, rho) != (None, None, None)
    if isinstance(mechanism, str):
        if left is not None or right is not None:
            raise InputError("left= and right= are for your own function; a mechanism of this library has its tables")
        if mechanism == "all" and (given or rows is not None):
            raise InputError('"all" mechanisms are audited under their own budgets and tables; name one of them')
        return _read(
            _discretion.audit_shipped(
                mechanism=None if mechanism == "all" else mechanism,
                spend=_check.budget(epsilon, delta, rho, "what is claimed") if given else None,
                rows=None if rows is None else _check.whole("rows", rows, 3),
                exact=bool(exact),
                **settings,
            )
        )
    if not callable(mechanism):
        raise InputTypeError(f"mechanism is the name of one, or a function, not {shown(mechanism)}")
    if exact or rows is not None:
        raise InputError("exact= and rows= are for mechanisms of this library; yours runs on left= and right=")
    spend = _check.budget(epsilon, delta, rho, "what is claimed")
    if left is None or right is None:
        raise InputError("left= and right= are missing: two tables that differ in one row")
    _check_neighbours(_rows(left), _rows(right))
    return _read(
        _discretion.audit_callable(
            _runs(mechanism, (left, right), vectorized),
            name=getattr(mechanism, "__name__", type(mechanism).__name__),
            neighbours="left and right",
            spend=spend,
            batch=_VECTORIZED_RUNS_AT_ONCE if vectorized else _RUNS_AT_ONCE,
            **settings,
        )
    )


def _read(audited: tuple[str, str, list[str]]) -> Audit:
    written, text, refutations = audited
    findings = tuple(Finding(**by_name(Finding, line)) for line in json.loads(written))
    return Audit(written, text, findings=findings, refutations=tuple(refutations))


def _runs(mechanism: Callable[..., Any], tables: tuple[Any, Any], vectorized: bool) -> Callable[..., Any]:
    """What Rust calls: arrays with a row for each run, some runs at a time, so that it can stop in between."""

    def runs(side: int, count: int, seed: int | None) -> Any:
        rng = np.random.default_rng(seed)
        if vectorized:
            outputs = _array(mechanism(tables[side], rng, count))
            if outputs.ndim not in (1, 2):
                raise InputError(f"a vectorized function returns an output for each run, not shape {outputs.shape}")
            yield outputs.reshape(len(outputs), -1)
            return
        for _ in range(count):
            yield _array(mechanism(tables[side], rng)).reshape(1, -1)

    return runs


def _array(output: Any) -> np.ndarray:
    try:
        return np.ascontiguousarray(output, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"an output is a number or a sequence of numbers, not {shown(output)}; write an outcome that is no number as one"
        ) from None


def _rows(table: Any) -> list[Any]:
    """The rows of a table, to be compared."""
    if isinstance(table, tuple):
        parts = [_rows(part) for part in table]
        if not parts or len({len(part) for part in parts}) > 1:
            raise InputError("the parts of a table, such as (X, y), have the same number of rows")
        return list(zip(*parts, strict=True))
    if hasattr(table, "to_pylist"):
        return table.to_pylist()
    if hasattr(table, "to_numpy"):
        table = table.to_numpy()
    if isinstance(table, np.ndarray) and table.ndim > 0:
        return table.tolist()
    if isinstance(table, list):
        return table
    raise InputTypeError(
        f"a table is an array, a list of rows, a frame, or a tuple of these such as (X, y), not {type(table).__name__}"
    )


def _check_neighbours(left: list[Any], right: list[Any]) -> None:
    """Anything else would prove nothing about one row."""
    if len(left) != len(right):
        raise InputError(
            f"neighbouring tables have the same number of rows, and these have {len(left)} and {len(right)}"
        )
    apart = sum(not _same(a, b) for a, b in zip(left, right, strict=True))
    if apart == 0:
        raise InputError("these tables are equal; change one row of one of them")
    if apart > 1:
        raise InputError(f"neighbouring tables differ in one row, and these differ in {apart}")


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        a = a.tolist()
    if isinstance(b, np.ndarray):
        b = b.tolist()
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    try:
        # Two missing values are the same, although NaN is not equal to itself.
        return a is b or bool(a == b) or bool(a != a and b != b)
    except TypeError:
        return False
