"""What a budget buys, from public numbers alone. No data is read, and nothing is spent."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import _check, _discretion, _ledger, _schema, _settings
from ._command_output import CommandOutput
from ._errors import InputError, InputTypeError, shown
from ._ledger import Account
from ._schema import Schema

_MOST_ROWS, _MOST_COEFFICIENTS, _MOST_QUERIES = 10**12, 10**7, 10**9


@dataclass(frozen=True, repr=False)
class Plan(CommandOutput):
    """What a budget buys of a linear model. Printed, it is the text of ``discretion plan``.

    Attributes
    ----------
    rows, dimension, loss
        The rows and the coefficients of the model, and its loss.
    budget, statement
        What is spent, and what that promises.
    lam, lam_from, auto_lam, smallest_lam
        The regularisation, where it comes from, what "auto" would take, and what objective perturbation needs at least.
    why : str
        Why this mechanism is taken.
    mechanisms : tuple of dict
        Every mechanism, the one that is taken first, with its noise and the error per encoded coefficient: expected, if
        rows of length 1 fill the space evenly; worst, if the rows say nothing.
    more : tuple or None
        What a study asks for beside training.
    fits : dict or None
        How many such runs fit into the study's or the given account, and how that adds up.
    """

    rows: int
    dimension: int
    loss: str
    budget: dict[str, float]
    statement: str
    lam: float
    lam_from: str
    auto_lam: float
    smallest_lam: float
    why: str
    mechanisms: tuple[dict[str, Any], ...]
    more: tuple[tuple[str, str], ...] | None
    fits: dict[str, Any] | None

    @property
    def expected_error(self) -> float:
        """How far the noise of the mechanism that is taken moves the margin of a row, root mean square."""
        return self.mechanisms[0]["expected_error"]

    @property
    def worst_error(self) -> float:
        """The same, if the rows say nothing."""
        return self.mechanisms[0]["worst_error"]


@dataclass(frozen=True, repr=False)
class VotePlan(CommandOutput):
    """How many voting models a budget needs. Printed, it is the text of ``discretion plan vote``.

    Attributes
    ----------
    budget, statement
        What is spent, and what that promises.
    queries, unstable, miss, agreement
        What was asked for.
    chunks : int
        The number of models: as given, or the smallest that serves.
    serves : bool
        Whether so many serve all that was asked for.
    agreement_needed : float or None
        The share of votes that a query needs to be answered among so many models; None if all together are too few.
    most_unstable, most_queries : int or None
        What so many models can serve, if their number was given.
    confidence, right : float or None
        With ``answer="all"``: what was asked for, and how probably a query is told its winner, or a score within the width.
    rows, rows_per_chunk : int or None
        The rows, and what is left of them for each model.
    printed_chunks : int
        The number of models in the paper's Algorithm 4.
    designs : tuple of dict
        Every design, the one that is taken first.
    advice : str or None
        What would do, if there are too few rows.
    """

    budget: dict[str, float]
    statement: str
    queries: int
    unstable: int | None
    miss: float
    agreement: float | None
    chunks: int
    serves: bool
    agreement_needed: float | None
    most_unstable: int | None
    most_queries: int | None
    confidence: float | None
    right: float | None
    rows: int | None
    rows_per_chunk: int | None
    printed_chunks: int | None
    designs: tuple[dict[str, Any], ...]
    advice: str | None


@dataclass(frozen=True, repr=False)
class NumberPlan(CommandOutput):
    """What a fit of a number releases. Printed, it is the text of ``discretion plan``.

    Attributes
    ----------
    budget : str
        What is spent.
    rows, coefficients : int
        The rows and the coefficients of the model.
    released, noise : int and str
        How many numbers are released, and their noise.
    mean_deviation : float or None
        Of least squares: the standard deviation of the noise in the mean of the (first) outcome, in its unit or in that of its
        logarithm.
    expected_error, lam : float or None
        Of Huber's loss: how far the noise moves a prediction, in the same unit; and the regularisation.
    """

    budget: str
    rows: int
    coefficients: int
    released: int
    noise: str
    mean_deviation: float | None
    expected_error: float | None
    lam: float | None


def plan(
    rows: int,
    *,
    coefficients: int | None = None,
    schema: Schema | dict[str, Any] | None = None,
    study: str | os.PathLike[str] | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    account: Account | str | None = None,
    lam: float | Sequence[float] | Literal["auto"] | None = None,
    intervals: bool | float | Sequence[str] | None = None,
    loss: Literal["logistic", "hinge"] | None = None,
    method: Literal["auto", "output", "objective"] | None = None,
) -> Plan:
    """Says what a budget buys of a linear model, without reading any data. ``discretion plan`` says the same.

    Parameters
    ----------
    rows : int
        The number of rows.
    coefficients : int
        The coefficients to learn: one for the intercept, for each numeric column and for each category.
    schema : dict or Schema
        What is public about the columns, in place of `coefficients`, which then follow from it.
    study : path
        A study file, in place of both: columns, spend and model settings are taken from it, as far as they
        are not said here.
    epsilon, delta, rho : float
        The budget: epsilon, epsilon and delta, or rho.
    account : Account or str
        Plan with what is left in this account or, with a budget too, say in `fits` how many such runs fit into it.
    lam : float, list of float or "auto"
        The regularisation; by default the study's, or "auto".
    intervals : bool, float or list of str
        Whether confidence intervals are asked for, at which level, or for which columns. A study says itself.
    loss : "logistic" or "hinge"
        By default the study's, or "logistic".
    method : "auto", "output" or "objective"
        By default the study's, or "auto".

    Examples
    --------
    >>> import discretion
    >>> plan = discretion.plan(rows=30_000, coefficients=100, epsilon=1.0, lam=1e-3)
    >>> plan.mechanisms[0]["mechanism"], round(plan.expected_error, 3)
    ('objective', 0.211)
    >>> better = discretion.plan(rows=300_000, coefficients=100, epsilon=1.0, lam=1e-3)
    >>> better.expected_error < plan.expected_error
    True
    """
    if [study, coefficients, schema].count(None) != 2:
        raise InputError("a plan needs one of schema=, coefficients= and study=: how many numbers are learned")
    payer = None
    if account is not None:
        account = _ledger.named(account)
        payer = (account.ledger._ledger, account.name, account._cap)
    auto = isinstance(lam, str)
    if auto and lam != "auto":
        raise InputError(f'lam is a number, a list of numbers, or "auto", not {shown(lam)}')
    whole = schema is not None or _settings.level(intervals) is not None or hasattr(lam, "__iter__") and not auto
    if whole and study is not None:
        raise InputError("a study says itself what its intervals and its list of lam are; leave intervals= and the list out")
    if whole:
        spend = _spend(epsilon, delta, rho, None)
        rows = _check.whole("rows", rows, 1, _MOST_ROWS)
        if schema is None:
            count = _most("coefficients", coefficients, _MOST_COEFFICIENTS)
            schema = {f"x{i}": (-1, 1) for i in range(count - 1)}
        named = _settings.hinge(None, intervals) if loss == "hinge" else loss or "logistic"
        return of_fit(_schema.of(schema), rows, spend, lam or "auto", method or "auto", named, intervals, payer)
    return Plan._of(
        *_discretion.plan(
            study=_path(study),
            rows=_check.whole("rows", rows, 1, _MOST_ROWS),
            coefficients=_most("coefficients", coefficients, _MOST_COEFFICIENTS),
            lam=None if auto else _check.number("lam", lam),
            lam_given=lam is not None,
            spend=_spend(epsilon, delta, rho, study if account is None else account),
            account=payer,
            loss=_word("loss", loss),
            method=_word("method", method),
        )
    )


def of_fit(
    schema: Schema, rows: int, spend: tuple, lam: Any, method: Any, loss: str, intervals: Any, account: tuple | None,
    classes: Any = (0, 1), held_out: tuple[float, str | None] | None = None, base_rate: Any = None,
) -> Plan:
    """The plan of a fit, by the rules that the fit goes by: what one refuses for public reasons, the other refuses too."""
    return Plan._of(
        *_discretion.plan_fit(
            schema=schema._json() if schema._target is not None else schema._with_target("y", classes),
            rows=rows,
            lam=_settings.lam(lam),
            method=_settings.method(method),
            loss=loss,
            spend=spend,
            level=_settings.level(intervals),
            columns=_settings.interval_columns(intervals),
            account=account,
            evaluate=held_out,
            base_rate=_settings.base_rate(base_rate),
        )
    )


def plan_vote(
    *,
    study: str | os.PathLike[str] | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    queries: int | None = None,
    answer: Literal["sure", "all"] | None = None,
    confidence: float | None = None,
    unstable: int | None = None,
    miss: float | None = None,
    agreement: float | None = None,
    scores: bool = False,
    rows: int | None = None,
    chunks: int | None = None,
) -> VotePlan:
    """Says how many voting models a budget needs, or what a number of them can serve: ``discretion plan vote``.

    One model is trained on each chunk of the rows, and they vote on queries. With ``answer="sure"`` queries on which they agree cost
    nothing, so the budget depends on how many may be unstable. With ``answer="all"`` every query is answered, and costs.

    Parameters
    ----------
    study : path
        A study file: its spend and its ``[vote]`` table are taken, as far as they are not said here.
    epsilon, delta : float
        The budget, both of them.
    rho : float
        With ``answer="all"``, the budget in place of both.
    queries : int
        How many queries may be asked.
    answer : {"sure", "all"}
        Which of them are answered: those whose winner is clear, or all. By default what the study says, or "sure".
    confidence : float
        With ``answer="all"``: labels that lead clearly are called sure. With 0.99, a label that does not have the most votes is
        called so once in a hundred times at most. Left out, the study's own holds.
    unstable : int
        How many of them may be unstable before the session ends; by default 50, or all queries if fewer.
    miss : float
        The probability that some stable query goes unanswered; by default 0.05.
    agreement : float
        The share of votes for its winner with which a query counts as stable; by default 5/6, or 0.7 with ``answer="all"``.
    scores : bool
        Answers are scores, which take up to two tests each.
    rows : int
        The number of rows, to see what is left for each model.
    chunks : int
        The number of voting models, if it is given: says what they can serve.

    Examples
    --------
    >>> import discretion
    >>> plan = discretion.plan_vote(epsilon=1, delta=1e-6, queries=1000, unstable=50, rows=500_000)
    >>> plan.serves, plan.chunks == plan.designs[0]["chunks"], plan.rows_per_chunk == 500_000 // plan.chunks
    (True, True, True)
    """
    if study is None and queries is None:
        raise InputError("queries= is missing: how many queries may be asked; or pass study= with a [vote] table")
    if not isinstance(scores, bool):
        raise InputTypeError(f"scores is True or False, not {shown(scores)}")
    return VotePlan._of(
        *_discretion.plan_vote(
            study=_path(study),
            spend=_spend(epsilon, delta, rho, study),
            queries=_most("queries", queries, _MOST_QUERIES),
            answer=answer,
            confidence=_check.number("confidence", confidence),
            unstable=_most("unstable", unstable, _MOST_QUERIES),
            miss=_check.number("miss", miss),
            agreement=_check.number("agreement", agreement),
            scores=scores,
            rows=_most("rows", rows, _MOST_ROWS),
            chunks=_most("chunks", chunks, _MOST_QUERIES, least=2),
        )
    )


def _spend(epsilon: Any, delta: Any, rho: Any, elsewhere: Any) -> tuple | None:
    """The budget; none if it is said elsewhere."""
    if elsewhere is not None and (epsilon, delta, rho) == (None, None, None):
        return None
    return _check.budget(epsilon, delta, rho, "what the run may spend")


def _most(name: str, value: Any, most: int, least: int = 1) -> int | None:
    if value is None:
        return None
    return _check.whole(name, value, least, most)


def _path(study: Any) -> str | None:
    return None if study is None else _check.path("the path of a study file", study)


def _word(name: str, word: Any) -> str | None:
    if word is not None and not isinstance(word, str):
        raise InputTypeError(f"{name} is a word, not {shown(word)}")
    return word
