"""The estimators for Dask DataFrames: the same parameters, results and accounts, and rows that stay with Dask's workers.

They run on whatever scheduler Dask is set to; with `dask.distributed` pieces and parts are kept by its workers, which need the
package installed. What is trusted is in docs/spark.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import dask
except ImportError as error:  # pragma: no cover
    raise ImportError('discretion.dask needs Dask: pip install "discretion[dask]"') from error
import pyarrow

from . import _density, _linear, _number, _voting
from ._cluster import ClusterDensity, ClusterLinear, ClusterNumber, ClusterVoting, Source
from ._engine import Deal, Encode, Make, Piece, Work, dealt_by, encoded_by, firsts, worked_by
from ._errors import InputError, InputTypeError, Refused

__all__ = ["HistogramDensity", "HuberRegressor", "LinearRegression", "LinearSVC", "LogisticRegression", "PrivateVoting"]

class _PersistedResults:
    """Results that workers keep for as long as somebody here refers to them."""

    def __init__(self, what: str, results: list[Any]):
        self.results = list(_run(what, dask.persist, results))
        self.pieces: list[Piece] = []
        self.make: Make | None = None

    def release(self) -> None:
        self.results = []


class DaskEngine:
    """The engine on Dask: pieces and blocks are results that its workers keep."""

    def encode(self, frame: Any, task: Encode) -> _PersistedResults:
        results = _PersistedResults("encode the table", [dask.delayed(_encode)(task, part) for part in frame.to_delayed()])
        told = _run("encode the table", dask.compute, [dask.delayed(_heads)(pieces) for pieces in results.results])
        for error in (error for pieces in told for *_, error in pieces if error):
            raise InputError(f"{error}; nothing was charged")
        results.pieces = [Piece(at, *one[:3]) for at, pieces in enumerate(told) for one in pieces]
        return results

    def gather(self, encoded: _PersistedResults, task: Deal, blocks: list[range], make: Make | None = None) -> _PersistedResults:
        at = firsts(encoded.pieces)
        dealt = [dask.delayed(_deal)(task, at, number, pieces) for number, pieces in enumerate(encoded.results)]
        mine = {block: [dask.delayed(_mine)(block, slices) for slices in dealt] for some in blocks for block in some}
        results = _PersistedResults("move the table", [dask.delayed(_block)(slices) for slices in mine.values()])
        results.make = make
        return results

    def each(self, data: _PersistedResults, task: Work, blocks: range) -> dict[int, bytes]:
        told = _run("work on the table", dask.compute, [dask.delayed(_work)(task, data.make, data.results[block]) for block in blocks])
        found = [result for results in told for result in results]
        for error in (error for *_, error in found if error):
            raise Refused(error)
        return {block: data for block, data, _ in found}


def _run(what: str, job: Any, work: list[Any]) -> Any:
    """Runs a job. What is said about a failure may quote rows, so only its kind is passed on."""
    try:
        return job(*work)
    except Exception as error:
        kind = type(error).__name__
    # Outside of the handler, so that the error itself does not come along.
    raise Refused(f"Dask could not {what} ({kind}); its own log says more, and may quote rows")


# What runs on the workers.


def _encode(task: Encode, part: Any) -> list[tuple]:
    return list(encoded_by(task, pyarrow.Table.from_pandas(part, preserve_index=False).to_batches()))


def _heads(pieces: list[tuple]) -> list[tuple]:
    return [(number, rows, head, error) for number, rows, head, _, error in pieces]


def _deal(task: Deal, first_of: dict[tuple[int, int], int], partition: int, pieces: list[tuple]) -> list[tuple]:
    bodies = ((first_of.get((partition, number)), np.frombuffer(body, np.uint8)) for number, _, _, body, _ in pieces)
    return [slice for first, body in bodies for slice in dealt_by(task, first, body)]


def _mine(block: int, slices: list[tuple]) -> list[tuple]:
    return [one for one in slices if one[0] == block]


def _block(mine: list[list[tuple]]) -> list[tuple]:
    return sorted((one for slices in mine for one in slices), key=lambda one: one[1])


def _work(task: Work, make: Make | None, slices: list[tuple]) -> list[tuple]:
    read = ((at, position, np.frombuffer(body, np.uint8), error) for at, position, body, error in slices)
    return list(worked_by(task, read, make))


class _OnDask:
    def _source(self, X: Any) -> Source:
        if not hasattr(X, "to_delayed") or not hasattr(X, "_meta"):
            raise InputTypeError(
                f"X is a Dask DataFrame here, not {type(X).__name__}; for tables in memory use discretion.{type(self).__name__}"
            )
        return Source(DaskEngine(), pyarrow.Schema.from_pandas(X._meta, preserve_index=False), lambda names: X[names])


class LogisticRegression(_OnDask, ClusterLinear, _linear.LogisticRegression):
    """`discretion.LogisticRegression` for a Dask DataFrame: ``fit(frame, y="label")``, or a study's own target."""


class LinearSVC(_OnDask, ClusterLinear, _linear.LinearSVC):
    """`discretion.LinearSVC` for a Dask DataFrame."""


class LinearRegression(_OnDask, ClusterNumber, _number.LinearRegression):
    """`discretion.LinearRegression` for a Dask DataFrame: ``fit(frame, y="days")``, or a list of names for several outcomes."""


class HuberRegressor(_OnDask, ClusterNumber, _number.HuberRegressor):
    """`discretion.HuberRegressor` for a Dask DataFrame: ``fit(frame, y="days")``."""


class HistogramDensity(_OnDask, ClusterDensity, _density.HistogramDensity):
    """`discretion.HistogramDensity` for a Dask DataFrame."""


class PrivateVoting(_OnDask, ClusterVoting, _voting.PrivateVoting):
    """`discretion.PrivateVoting` for a Dask DataFrame: Dask's workers train the models, which then vote here."""
