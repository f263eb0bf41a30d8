"""The engine on Spark: pieces and blocks are rows of persisted data frames, worked on by `mapInArrow`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow
from pyspark.sql import functions as F

from ._engine import Deal, Encode, Piece, Work, dealt_by, encoded_by, firsts, worked_by
from ._errors import InputError, Refused

_PIECES = "partition int, number int, rows long, head binary, body binary, error string"
_SLICES = "target int, block int, position long, body binary, error string"
_RESULTS = "block int, data binary, error string"

# Of our own rows, which are large, so many at a time travel to a worker: what fits into a processor's cache is copied fastest.
_AT_A_TIME = 4
# What workers hold travels to them in every pass, so it is packed: a table of codes and zeros by far, one of random numbers not at
# all, and nothing is unpacked faster.
_CODEC = "lz4_raw"
# What `_targets` found, which is the same for every session.
_TARGETS: dict[int, list[int]] = {}
_RECORDS = "spark.sql.execution.arrow.maxRecordsPerBatch"


class SparkEngine:
    """Tasks are Spark's to repeat: results are keyed by block, and whichever attempt of a task came through counts once."""

    def __init__(self, spark: Any):
        self._spark = spark

    def encode(self, frame: Any, task: Encode) -> _Frame:
        held = _Frame(frame.mapInArrow(partial(_encode, task), _PIECES))
        with held.kept_if_all_goes_well():
            wanted = held.frame.select("partition", "number", "rows", "head", "error")
            found = self._run("encode the table", lambda: wanted.collect())
            for one in found:
                if one.error:
                    raise InputError(f"{one.error}; nothing was charged")
            held.pieces = [Piece(one.partition, one.number, one.rows, bytes(one.head)) for one in found]
        return held

    def gather(self, encoded: _Frame, task: Deal, blocks: list[range]) -> _Frame:
        partitions = min(max(map(len, blocks)), 2 * self._cores())
        places = {block: at * partitions // len(some) for some in blocks for at, block in enumerate(some)}
        targets = self._targets(partitions)
        deal = partial(_deal, task, firsts(encoded.pieces), {block: targets[at] for block, at in places.items()})
        pieces = encoded.frame.select("partition", "number", "body")
        slices = pieces.mapInArrow(deal, _SLICES).repartition(partitions, "target").drop("target")
        return _Frame(slices.sortWithinPartitions("block", "position"))

    def each(self, held: _Frame, task: Work, blocks: range) -> dict[int, bytes]:
        mine = held.frame.where((F.col("block") >= blocks.start) & (F.col("block") < blocks.stop))
        work = mine.mapInArrow(partial(_work, task), _RESULTS)
        with _few_at_a_time(self._spark):
            found = self._run("work on the table", lambda: work.toArrow()).to_pydict()
        for error in found["error"]:
            if error:
                raise Refused(error)
        results = dict(zip(found["block"], found["data"], strict=True))
        if len(results) < len(found["block"]):
            raise Refused("a part of the table answered twice")
        return results

    def _cores(self) -> int:
        try:
            return self._spark.sparkContext.defaultParallelism
        except Exception:  # Spark Connect does not tell.
            return int(self._spark.conf.get("spark.sql.shuffle.partitions"))

    def _targets(self, partitions: int) -> list[int]:
        """For each partition a number that Spark's own hash sends there, so that blocks spread as evenly as they can."""
        if partitions in _TARGETS:
            return _TARGETS[partitions]
        found: dict[int, int] = {}
        tried = 64 * partitions
        while len(found) < partitions:
            number = F.col("id").cast("int")
            told = self._spark.range(tried).select(number.alias("number"), F.pmod(F.hash(number), F.lit(partitions)).alias("at"))
            for one in self._run("plan", told.collect):
                found.setdefault(one["at"], one.number)
            tried *= 4
        _TARGETS[partitions] = [found[partition] for partition in range(partitions)]
        return _TARGETS[partitions]

    def _run(self, what: str, job: Callable[[], Any]) -> Any:
        """Runs a job. What Spark says about a failure may quote rows, so only its kind is passed on."""
        try:
            return job()
        except Exception as error:
            reason = _reason(error)
        # Outside of the handler, so that Spark's own error does not come along.
        raise Refused(f"Spark could not {what} ({reason}); its own log says more, and may quote rows")


class _Frame:
    """A persisted data frame."""

    def __init__(self, frame: Any):
        self.frame = frame.persist()
        self.pieces: list[Piece] = []

    def release(self) -> None:
        self.frame.unpersist()

    @contextlib.contextmanager
    def kept_if_all_goes_well(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.release()
            raise


def _reason(error: Exception) -> str:
    if "No module named 'discretion" in str(error):
        return "its workers cannot import discretion: install it where they run"
    condition = getattr(error, "getCondition", lambda: None)()
    java = getattr(error, "java_exception", None)
    kind = java.getClass().getName() if java is not None else type(error).__name__
    return f"{kind}, {condition}" if condition else kind


_few = threading.Lock()
_users: dict[int, tuple[int, str]] = {}


@contextlib.contextmanager
def _few_at_a_time(spark: Any) -> Iterator[None]:
    """Has few rows sent at a time, for as long as somebody needs it, and then as many as before."""
    with _few:
        count, before = _users.get(id(spark), (0, ""))
        if count == 0:
            before = spark.conf.get(_RECORDS)
            spark.conf.set(_RECORDS, str(_AT_A_TIME))
        _users[id(spark)] = (count + 1, before)
    try:
        yield
    finally:
        with _few:
            count, before = _users.pop(id(spark))
            if count > 1:
                _users[id(spark)] = (count - 1, before)
            else:
                spark.conf.set(_RECORDS, before)


# What runs on the workers.


def _encode(task: Encode, batches: Iterable[Any]) -> Iterator[Any]:
    from pyspark import TaskContext

    partition = TaskContext.get().partitionId()
    for number, rows, head, body, error in encoded_by(task, batches):
        values = ([partition], [number], [rows], [head], [body], [error])
        yield _batch(_PIECES, values)


def _deal(task: Deal, first_of: dict[tuple[int, int], int], targets: dict[int, int], batches: Iterable[Any]) -> Iterator[Any]:
    for partition, number, body in _rows(batches):
        for block, position, slice, error in dealt_by(task, first_of.get((partition, number)), body):
            yield _batch(_SLICES, ([targets[block]], [block], [position], [_packed(slice)], [error]))


def _work(task: Work, batches: Iterable[Any]) -> Iterator[Any]:
    slices = ((block, position, _unpacked(body), error) for block, position, body, error in _rows(batches))
    for block, data, error in worked_by(task, slices):
        yield _batch(_RESULTS, ([block], [data], [error]))


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
