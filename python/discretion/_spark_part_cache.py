"""Parts that Spark's Python workers keep in memory, so that a pass is a small job that sends a question and no rows.

Which process does a task is Spark's to say, so a pass asks as many tasks as there are cores, and every process answers for what it
keeps. What nobody answered for is worked on from the rows that Spark holds, and kept by whoever did so. Workers take their turns in
Spark's pool, so a process that was not reached may be reached by asking once more.

Resilient distributed datasets, because they run in half of a data frame's time where there is hardly anything to do. Spark Connect
has none: there, rows are sent in every pass.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from . import _spark_workers as workers
from ._engine import Make, Work
from ._errors import InputError, shown

# Of how many bytes a worker may keep parts. In docs/spark.md.
ROOM = "spark.discretion.keep"
_TRIES = 2
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}

BlockResults = list[tuple[int, bytes, "str | None"]]


class SparkPartCache:
    """What workers keep of one table."""

    def __init__(self, context: Any, make: Make, room: int, run: Callable[[str, Callable[[], Any]], Any]):
        self._context, self._make, self._room, self._run = context, make, room, run
        self._table = secrets.token_hex(16)
        # By block the process that keeps it, and all that ever kept one.
        self._owners: dict[int, str] = {}
        self._processes: set[str] = set()
        self._asked = False

    def work(self, task: Work, slices: Any) -> BlockResults:
        """The results of the blocks whose slices these are; their workers keep them, if they have room."""
        self._asked = True
        keep = partial(workers.work_and_keep, task, self._make, self._table, self._room)
        told = self._run("work on the table", lambda: slices.rdd.mapPartitions(keep).collect())
        self._owners.update((block, owner) for block, _, _, owner in told if owner)
        self._processes.update(self._owners.values())
        return [one[:3] for one in told]

    def again(self, task: Work, blocks: Iterable[int]) -> BlockResults:
        """The results of those blocks that somebody keeps."""
        wanted, found = {block for block in blocks if block in self._owners}, {}
        for _ in range(_TRIES):
            left = wanted - found.keys()
            if not left:
                break
            ask = partial(workers.work_again, task, self._table, secrets.token_hex(8), self._owners, left)
            try:
                found.update((one[0], one) for one in self._everywhere(ask))
            except Exception:
                break  # The rows are elsewhere, too: whether this was serious shows when they are worked on.
        for block in wanted - found.keys():
            del self._owners[block]
        if wanted and not found:
            self._room = 0  # Processes end with their tasks here, or take turns with many others.
        return list(found.values())

    def release(self) -> None:
        """Has workers forget the table. Who is not reached forgets it after a while."""
        left, self._owners = self._processes, {}
        try:
            # At least once: a task that was killed may have kept something of which nobody heard.
            for attempt in range(_TRIES):
                if left or (self._asked and attempt == 0):
                    left -= set(self._everywhere(partial(workers.forget, self._table)))
        except Exception:
            pass  # Spark has stopped, and its workers with it.

    def _everywhere(self, task: Callable[[Iterable[Any]], Any]) -> list[Any]:
        """Runs a task on as many workers as there are cores."""
        cores = self._context.defaultParallelism
        return self._context.parallelize(range(cores), cores).mapPartitions(task).collect()


def room(spark: Any) -> int:
    """Bytes that a worker may keep: what was said, a quarter of this machine, or half of what executors have beyond their heap.

    Nothing on Spark Connect.
    """
    try:
        context = spark.sparkContext
    except Exception:
        return 0
    told = spark.conf.get(ROOM, None)
    if told is not None:
        return _bytes(ROOM, told)
    if context.master.startswith("local"):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4 // context.defaultParallelism
    # Spark reads its own settings of this kind in MiB where no unit is named.
    heap, beyond, python = (_bytes(name, spark.conf.get(name, default), "m") for name, default in _EXECUTORS.items())
    beyond = beyond or max(384 << 20, heap // 10)
    return (beyond + python) // 2 // max(1, int(spark.conf.get("spark.executor.cores", "1")))


_EXECUTORS = {"spark.executor.memory": "1g", "spark.executor.memoryOverhead": "0", "spark.executor.pyspark.memory": "0"}


def _bytes(name: str, written: str, unit: str = "") -> int:
    found = re.fullmatch(r"(\d+)([kmgt]?)b?", written.strip().lower())
    if found is None:
        raise InputError(f"{name} is a size such as 512m or 2g, not {shown(written)}; nothing was charged")
    return int(found[1]) * _UNITS[found[2] or unit]
