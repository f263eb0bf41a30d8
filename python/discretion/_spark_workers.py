"""What the workers of Spark run: from its rows to ours, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow

from ._engine import Deal, Encode, Make, Work, dealt_by, encoded_by, worked_again_by, worked_by
from ._part_cache import PART_CACHE
from ._spark_files import Span, batches_of

PIECES = "partition int, number int, rows long, head binary, body binary, error string"
SLICES = "target int, block int, position long, body binary, error string"
RESULTS = "block int, data binary, error string"

# Rows travel between Spark and its workers, and from one to another, and Spark holds them: so they are packed. A table of codes and
# zeros shrinks by far, one of random numbers not at all, and nothing is unpacked faster.
_CODEC = "lz4_raw"


def encode_files(task: Encode, spans: list[list[Span]], columns: list[tuple[str, str]], numbers: Iterable[Any]) -> Iterator[Any]:
    """The pieces of a partition, from its files."""
    for batch in numbers:
        for at in batch.column(0).to_pylist():
            yield from encode(task, batches_of(spans[at], columns))


def encode(task: Encode, batches: Iterable[Any]) -> Iterator[Any]:
    """The pieces of a partition."""
    from pyspark import TaskContext

    partition = TaskContext.get().partitionId()
    for number, rows, head, body, error in encoded_by(task, batches):
        yield _batch(PIECES, ([partition], [number], [rows], [head], [_packed(body)], [error]))


def deal(task: Deal, first_of: dict[tuple[int, int], int], targets: dict[int, int], batches: Iterable[Any]) -> Iterator[Any]:
    """The slices of pieces, each with a number that Spark's hash sends to its place."""
    for partition, number, body in _rows(batches):
        for block, position, slice, error in dealt_by(task, first_of.get((partition, number)), _unpacked(body)):
            yield _batch(SLICES, ([targets[block]], [block], [position], [_packed(slice)], [error]))


def work(task: Work, make: Make | None, batches: Iterable[Any]) -> Iterator[Any]:
    """The results of the blocks whose slices come."""
    for block, data, error in worked_by(task, _slices(_rows(batches)), make):
        yield _batch(RESULTS, ([block], [data], [error]))


def work_and_keep(task: Work, make: Make, table: str, room: int, rows: Iterable[Any]) -> Iterator[tuple]:
    """The same, and who keeps the block, if there is room for it."""
    kept = set()

    def keep(block: int, made: Any, size: int) -> None:
        if PART_CACHE.keep(table, block, made, size, room):
            kept.add(block)

    PART_CACHE.watch()
    read = ((block, position, np.frombuffer(body, np.uint8), error) for block, position, body, error in rows)
    for block, data, error in worked_by(task, _slices(read), make, keep):
        yield block, data, error, PART_CACHE.name if block in kept else None


def work_again(
    task: Work, table: str, round: str, owners: dict[int, str], blocks: set[int], _: Iterable[Any]
) -> Iterator[tuple]:
    """The results of those blocks that this process keeps."""
    mine = PART_CACHE.again(table, round, owners)
    yield from worked_again_by(task, {block: made for block, made in mine.items() if block in blocks})


def forget(table: str, _: Iterable[Any]) -> Iterator[str]:
    """Frees what this process keeps of a table; says whose it was."""
    PART_CACHE.forget(table)
    yield PART_CACHE.name


def _slices(rows: Iterable[tuple]) -> Iterator[tuple]:
    return ((block, position, _unpacked(body), error) for block, position, body, error in rows)


def _packed(body: bytes) -> bytes:
    return len(body).to_bytes(8, "little") + pyarrow.compress(body, codec=_CODEC, asbytes=True)


def _unpacked(body: np.ndarray) -> np.ndarray:
    size = int.from_bytes(body[:8].tobytes(), "little")
    return np.frombuffer(pyarrow.decompress(pyarrow.py_buffer(body[8:]), size, _CODEC), np.uint8)


def _rows(batches: Iterable[Any]) -> Iterator[tuple]:
    """Rows, whose bytes are arrays on the buffers that Spark sent."""
    for batch in batches:
        columns = [
            [np.frombuffer(one.as_buffer(), np.uint8) for one in column]
            if pyarrow.types.is_binary(column.type) or pyarrow.types.is_large_binary(column.type)
            else column.to_pylist()
            for column in batch.columns
        ]
        yield from zip(*columns, strict=True)


_TYPES = {"int": pyarrow.int32(), "long": pyarrow.int64(), "binary": pyarrow.binary(), "string": pyarrow.string()}


def _batch(written: str, columns: tuple[list[Any], ...]) -> Any:
    named = [field.split() for field in written.split(", ")]
    schema = pyarrow.schema([(name, _TYPES[kind]) for name, kind in named])
    arrays = [pyarrow.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)
