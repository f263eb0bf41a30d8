"""Rows that others hold: what an engine does (Spark, Dask), and what its workers run.

An engine moves bytes and knows nothing about them. What it is asked to run on its workers are the three functions at the end of
this file, each with a task that comes with it; a worker's error comes back as a result, because the messages of exceptions may
quote rows and end up in logs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from ._errors import Error


class Piece(NamedTuple):
    """Some rows, one after the other, that a worker encoded: by partition and number they are in the order of the table."""

    partition: int
    number: int
    rows: int
    head: bytes


class WorkerData(Protocol):
    """What workers keep until it is released."""

    def release(self) -> None: ...


class EncodedPieces(WorkerData, Protocol):
    """Encoded pieces, which workers keep; what is here is their order and their heads."""

    pieces: list[Piece]


# Arrow batches of a partition → for each piece its number of rows, its head and its body.
Encode = Callable[[Iterable[Any]], Iterator[tuple[int, bytes, bytes]]]
# The position of a piece's first row in the table, and its body → for each slice its block, its position there and its body.
Deal = Callable[[int, np.ndarray], Iterable[tuple[int, int, bytes]]]
# A block, and its slices with their positions, in order → what is worked on.
Make = Callable[[int, list[tuple[int, np.ndarray]]], Any]
# A block, and what was made of it, or its slices → its result.
Work = Callable[[int, Any], bytes]
# A block, what was made of it, and its size in bytes: a worker may keep it for the next time.
Keep = Callable[[int, Any, int], None]


class Engine(Protocol):
    """Three methods. Tasks are picklable, and depend on nothing but their arguments: one that is repeated changes nothing."""

    def encode(self, frame: Any, task: Encode) -> EncodedPieces:
        """Encodes every partition, once, by `encoded_by`."""

    def gather(self, encoded: EncodedPieces, task: Deal, blocks: list[range], make: Make | None = None) -> WorkerData:
        """Brings every piece's slices to their blocks, by `dealt_by`. Each range of blocks is worked on together.

        Blocks with something to `make` of them are worked on again and again: an engine may keep what was made.
        """

    def each(self, data: WorkerData, task: Work, blocks: range) -> dict[int, bytes]:
        """The result of every block, by `worked_by`."""


def firsts(pieces: Iterable[Piece]) -> dict[tuple[int, int], int]:
    """The position of each piece's first row among all, by partition and number."""
    found, rows = {}, 0
    for piece in sorted(pieces):
        found[piece.partition, piece.number] = rows
        rows += piece.rows
    return found


def rebatched(batches: Iterable[Any], rows: int = 8192) -> Iterator[Any]:
    """The same rows in tables of so many, however they came: pieces depend on rows alone, and are the same when read again.

    Columns stay where they are, so a table may be of several batches.
    """
    import pyarrow

    waiting, count = [], 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= rows:
            table = pyarrow.Table.from_batches(waiting)
            whole = count - count % rows
            yield from (table.slice(start, rows) for start in range(0, whole, rows))
            waiting, count = table.slice(whole).to_batches(), count - whole
    if count:
        yield pyarrow.Table.from_batches(waiting)


def encoded_by(task: Encode, batches: Iterable[Any]) -> Iterator[tuple[int, int, bytes, bytes, str | None]]:
    """The pieces of a partition: number, rows, head and body; or, as the last one, an error."""
    number = 0
    try:
        for rows, head, body in task(batches):
            yield number, rows, head, body, None
            number += 1
    except Exception as error:
        yield number, 0, b"", b"", _error_text(error)


CHANGED = (
    "some rows of the table were lost, and were not the same when they were read again; make its order and its values repeatable, "
    "such as by writing it to files first"
)


def dealt_by(task: Deal, first: int | None, body: np.ndarray) -> Iterator[tuple[int, int, bytes, str | None]]:
    """The slices of a piece, if there was one of its number at first: block, position and body; or an error, to block 0."""
    if first is None:
        yield 0, 0, b"", CHANGED
        return
    try:
        yield from ((block, position, slice, None) for block, position, slice in task(first, body))
    except Exception as error:
        yield 0, 0, b"", _error_text(error)


def worked_by(
    task: Work,
    slices: Iterable[tuple[int, int, np.ndarray, str | None]],
    make: Make | None = None,
    keep: Keep | None = None,
) -> Iterator[tuple[int, bytes, str | None]]:
    """The result of each block, from slices that come by block and position; or an error."""
    for block, mine in _by_block(slices):
        try:
            failed = next((error for _, _, error in mine if error), None)
            if failed:
                yield block, b"", failed
                continue
            made = [one[:2] for one in mine]
            if make is not None:
                made, size = make(block, made), sum(len(body) for _, body in made)
                if keep is not None:
                    keep(block, made, size)
            yield block, task(block, made), None
        except Exception as error:
            yield block, b"", _error_text(error)


def worked_again_by(task: Work, made: dict[int, Any]) -> Iterator[tuple[int, bytes, str | None]]:
    """The same for blocks that a worker kept."""
    for block, one in made.items():
        try:
            yield block, task(block, one), None
        except Exception as error:
            yield block, b"", _error_text(error)


def _by_block(slices: Iterable[tuple[int, int, np.ndarray, str | None]]) -> Iterator[tuple[int, list[Any]]]:
    block, mine = None, []
    for at, position, body, error in slices:
        if at != block and mine:
            yield block, mine
            mine = []
        block = at
        mine.append((position, body, error))
    if mine:
        yield block, mine


def _error_text(error: Exception) -> str:
    """What may be said about an error: the sentence of one of ours, of which those for workers quote no row; else its kind."""
    return str(error) if isinstance(error, Error) else f"{type(error).__name__} in a worker"
