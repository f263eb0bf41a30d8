"""Tables that an engine's workers hold, as Rust asks for them: encoded once, brought to their parts, and asked again and again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from . import _discretion
from ._engine import CHANGED, EncodedPieces, Engine, WorkerData, firsts, rebatched
from ._errors import InputError, Refused

# Blocks of a table that is only counted: whole numbers, so it does not matter how rows are cut.
_COUNTED_BLOCKS = 16


class _EngineTable:
    """Rows that were encoded. What workers hold is released at the end of ``with``."""

    def __init__(self, engine: Engine, encoded: EncodedPieces):
        self._engine, self._encoded = engine, encoded
        self._gathered: WorkerData | None = None
        self.rows = sum(piece.rows for piece in encoded.pieces)

    def __enter__(self) -> Any:
        if self.rows == 0:
            self.__exit__()
            raise InputError("the table has no rows; nothing can be learned from it")
        return self

    def __exit__(self, *_: Any) -> None:
        for data in (self._encoded, self._gathered):
            if data is not None:
                data.release()

    def _gather(self, task: Any, blocks: list[range], make: Any = None) -> None:
        self._gathered = self._engine.gather(self._encoded, task, blocks, make)

    def _each(self, task: Any, blocks: range) -> list[bytes]:
        """The result of every block, in order, whatever order they came in."""
        found = self._engine.each(self._gathered, task, blocks)
        if sorted(found) != list(blocks):
            raise Refused(f"{len(found)} of {len(blocks)} parts of the table answered")
        return [found[block] for block in blocks]


class LinearTable(_EngineTable):
    """Rows with their outcomes, for a linear model: the `workers` of `_discretion.RemoteRows`."""

    def __init__(self, engine: Engine, frame: Any, schema: str, encode: Any = None):
        super().__init__(engine, engine.encode(frame, encode or partial(_encode, schema)))
        self._schema = schema

    def to_native(self, published: str, accept_check: bool) -> Any:
        """The rows as `_discretion.fit` takes them, to be published under this schema."""
        pieces = [(piece.rows, piece.head) for piece in sorted(self._encoded.pieces)]
        return _discretion.RemoteRows(published, pieces, self, accept_check)

    def arrange(self, split: str, parts: list[int], persons: str | None) -> list[list[bytes]]:
        """Brings rows to the parts of every table of a split, or those of persons as it is written; returns what each part has of its sample."""
        deal = (self._schema, self.rows, split, persons)
        starts = np.cumsum([0, *parts]).tolist()
        self._tables = [range(*ends) for ends in zip(starts, starts[1:], strict=False)]
        self._gather(partial(_deal, deal, starts), self._tables, partial(_part, deal, starts))
        told = self._each(partial(_sample, starts), range(starts[-1]))
        # By digests a worker that read the rows again, because others were lost, is known to have read the same.
        self._digests, samples = [one[:16] for one in told], [one[16:] for one in told]
        self._encoded.release()
        return [samples[table.start : table.stop] for table in self._tables]

    def ask(self, table: int, question: bytes) -> list[bytes]:
        """The answer of every part of a table, in order."""
        parts = self._tables[table]
        told = self._each(partial(_answer, question), parts)
        if [one[:16] for one in told] != self._digests[parts.start : parts.stop]:
            raise Refused(CHANGED)
        return [one[16:] for one in told]


class NumberTable(LinearTable):
    """The same for outcomes that are numbers, in columns of these names."""

    def __init__(self, engine: Engine, frame: Any, schema: str, used: list[str], outcomes: list[str]):
        super().__init__(engine, frame, schema, partial(_encode_numbers, schema, used, outcomes))


def is_numeric(kind: Any) -> bool:
    """Whether an Arrow column of this type is one of numbers."""
    import pyarrow.types as types

    return types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_boolean(kind)


def encode_numbers(schema: str, used: list[str], outcomes: list[str], table: Any) -> tuple[int, bytes, bytes]:
    """A piece of rows that have outcomes in columns of these names. What is wrong with them is said without a row."""
    import pyarrow
    import pyarrow.compute as compute

    columns = [table.column(name) for name in outcomes]
    if any(column.null_count for column in columns):
        raise InputError(_NO_OUTCOME)
    # Of Spark's decimals no digit is lost that a double has.
    columns = [compute.cast(column, pyarrow.float64(), safe=False).to_numpy() for column in columns]
    values = np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)
    if not np.all(np.isfinite(values)):
        raise InputError(_NO_OUTCOME)
    return _discretion.encode_piece(table.select(used), schema, values.ravel())


_NO_OUTCOME = "y has values that are missing or not finite; a row without an outcome cannot train"


def _encode_numbers(schema: str, used: list[str], outcomes: list[str], batches: Iterable[Any]) -> Iterator[tuple[int, bytes, bytes]]:
    for table in rebatched(batches):
        yield encode_numbers(schema, used, outcomes, table)


def count_rows(engine: Engine, frame: Any) -> int:
    """How many rows a frame has."""
    counted = engine.encode(frame, _count)
    try:
        return sum(piece.rows for piece in counted.pieces)
    finally:
        counted.release()


def _count(batches: Iterable[Any]) -> Iterator[tuple[int, bytes, bytes]]:
    for table in rebatched(batches):
        yield table.num_rows, b"", b""


def _encode(schema: str, batches: Iterable[Any]) -> Iterator[tuple[int, bytes, bytes]]:
    for table in rebatched(batches):
        yield _discretion.encode_piece(table, schema)


def _deal(deal: tuple, starts: list[int], first: int, body: np.ndarray) -> Iterator[tuple[int, int, bytes]]:
    for table, part, position, slice in _discretion.deal_piece(deal, first, body):
        yield starts[table] + part, position, slice


def _table_of(starts: list[int], block: int) -> int:
    return sum(block >= start for start in starts[1:])


def _part(deal: tuple, starts: list[int], block: int, slices: list[tuple[int, np.ndarray]]) -> Any:
    return _discretion.Part(deal, _table_of(starts, block), [body for _, body in slices])


def _sample(starts: list[int], block: int, part: Any) -> bytes:
    return part.sample(block - starts[_table_of(starts, block)])


def _answer(question: bytes, block: int, part: Any) -> bytes:
    return part.answer(question)


class CountedTable(_EngineTable):
    """Rows that are counted, for a density: the `workers` of `_discretion.RemoteColumns`."""

    def __init__(self, engine: Engine, frame: Any, schema: str, names: list[str] | None):
        self._described = (schema, names)
        super().__init__(engine, engine.encode(frame, partial(_describe, schema, names)))

    def to_native(self, accept_check: bool) -> Any:
        """The rows as `_discretion.fit_density` takes them."""
        heads = [piece.head for piece in sorted(self._encoded.pieces)]
        return _discretion.RemoteColumns(*self._described, self.rows, self, heads, accept_check)

    def tally(self, wanted: str) -> list[bytes]:
        """What every block counts."""
        blocks = sorted({_block_of(first, self.rows) for first in firsts(self._encoded.pieces).values()})
        self._gather(partial(_keep, self.rows), [range(blocks[-1] + 1)])
        found = self._engine.each(self._gathered, partial(_tally, wanted, *self._described), range(blocks[-1] + 1))
        if sorted(found) != blocks:
            raise Refused(f"{len(found)} of {len(blocks)} parts of the table answered")
        return list(found.values())


def _block_of(first: int, rows: int) -> int:
    return first * _COUNTED_BLOCKS // rows


def _describe(schema: str, names: list[str] | None, batches: Iterable[Any]) -> Iterator[tuple[int, bytes, bytes]]:
    for table in rebatched(batches):
        yield _discretion.describe_piece(table, schema, names)


def _keep(rows: int, first: int, body: np.ndarray) -> Iterator[tuple[int, int, bytes]]:
    yield _block_of(first, rows), first, body.tobytes()


def _tally(wanted: str, schema: str, names: list[str] | None, block: int, slices: list[tuple[int, np.ndarray]]) -> bytes:
    return _discretion.tally_pieces(wanted, schema, names, slices)
