"""The engine on Spark: pieces and blocks are rows of persisted data frames, worked on by `mapInArrow`."""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from . import _spark_workers as workers
from ._engine import Deal, Encode, Make, Piece, Work, firsts
from ._errors import InputError, Refused
from ._spark_files import NOT_PLAIN, plain_columns, spans_of
from ._spark_part_cache import SparkPartCache, room

# What PySpark says when its workers run another Python; the text has versions and no row.
_VERSIONS = re.compile(r"PYTHON_VERSION_MISMATCH\D{1,80}(\d[\d.]*\d)\D{1,80}(\d[\d.]*\d)")
# Of our own rows, which are large, so many at a time travel to a worker: what fits into a processor's cache is copied fastest.
_AT_A_TIME = 4
# What `_targets` found, which is the same for every session.
_TARGETS: dict[int, list[int]] = {}
_RECORDS = "spark.sql.execution.arrow.maxRecordsPerBatch"


class SparkEngine:
    """Tasks are Spark's to repeat: results are keyed by block, and whichever attempt of a task came through counts once."""

    def __init__(self, spark: Any):
        self._spark, self._room = spark, room(spark)

    def encode(self, frame: Any, task: Encode) -> _PersistedFrame:
        columns = plain_columns(to_arrow_schema(frame.schema))
        spans = spans_of(frame) if columns else None
        if columns and spans:
            # A partition for each of the frame's, with its number in it.
            numbers = self._spark.range(0, len(spans), 1, len(spans))
            read = numbers.mapInArrow(partial(workers.encode_files, task, spans, columns), workers.PIECES)
            encoded = self._encoded(read)
            if encoded is not None:
                return encoded
        encoded = self._encoded(frame.mapInArrow(partial(workers.encode, task), workers.PIECES))
        assert encoded is not None, "only files are not plain"
        return encoded

    def _encoded(self, frame: Any) -> _PersistedFrame | None:
        """The pieces; None if the files are not what they seemed to be."""
        data = _PersistedFrame(frame)
        with data.released_on_failure():
            wanted = data.frame.select("partition", "number", "rows", "head", "error")
            found = self._run("encode the table", lambda: wanted.collect())
            if any(one.error == NOT_PLAIN for one in found):
                data.release()
                return None
            for one in found:
                if one.error:
                    raise InputError(f"{one.error}; nothing was charged")
            data.pieces = [Piece(one.partition, one.number, one.rows, bytes(one.head)) for one in found]
        return data

    def gather(self, encoded: _PersistedFrame, task: Deal, blocks: list[range], make: Make | None = None) -> _PersistedFrame:
        partitions = min(max(map(len, blocks)), 2 * self._cores())
        places = {block: at * partitions // len(some) for some in blocks for at, block in enumerate(some)}
        targets = self._targets(partitions)
        deal = partial(workers.deal, task, firsts(encoded.pieces), {block: targets[at] for block, at in places.items()})
        pieces = encoded.frame.select("partition", "number", "body")
        slices = pieces.mapInArrow(deal, workers.SLICES).repartition(partitions, "target").drop("target")
        data = _PersistedFrame(slices.sortWithinPartitions("block", "position"), make)
        if make is not None and self._room > 0:
            data.cache = SparkPartCache(self._spark.sparkContext, make, self._room, self._run)
        return data

    def each(self, data: _PersistedFrame, task: Work, blocks: range) -> dict[int, bytes]:
        found = data.cache.again(task, blocks) if data.cache else []
        missing = set(blocks) - {block for block, *_ in found}
        if missing:
            mine = data.frame.where(F.col("block").isin(sorted(missing)))
            found += data.cache.work(task, mine) if data.cache else self._work(task, data.make, mine)
        for _, _, error in found:
            if error:
                raise Refused(error)
        results = {block: data for block, data, _ in found}
        if len(results) < len(found):
            raise Refused("a part of the table answered twice")
        return results

    def _work(self, task: Work, make: Make | None, slices: Any) -> list[tuple[int, bytes, str | None]]:
        work = slices.mapInArrow(partial(workers.work, task, make), workers.RESULTS)
        with _few_at_a_time(self._spark):
            found = self._run("work on the table", lambda: work.toArrow()).to_pydict()
        return list(zip(found["block"], found["data"], found["error"], strict=True))

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


class _PersistedFrame:
    """A persisted data frame."""

    def __init__(self, frame: Any, make: Make | None = None):
        self.frame, self.make = frame.persist(), make
        self.pieces: list[Piece] = []
        self.cache: SparkPartCache | None = None

    def release(self) -> None:
        self.frame.unpersist()
        if self.cache:
            self.cache.release()

    @contextlib.contextmanager
    def released_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.release()
            raise


def _reason(error: Exception) -> str:
    if "No module named 'discretion" in str(error):
        return "its workers cannot import discretion: install it where they run"
    mismatch = _VERSIONS.search(str(error))
    if mismatch:
        worker, here = mismatch.groups()
        return (
            f"its workers run Python {worker} and this is {here}: set PYSPARK_PYTHON to a Python {here} that has discretion, such "
            f"as {sys.executable}, before the session begins"
        )
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
