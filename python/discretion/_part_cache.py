"""What a worker process keeps from one task to the next: parts of tables, so that a pass over them need not send rows again.

Nobody may rely on it. A process may be new, be ended, or have had no room; whoever asks is told which parts answered, and sends the
others' rows once more.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

# Nothing stays for longer than so many seconds after it was last used, whatever happens to whoever put it here.
LONGEST = 600.0


class _TableParts:
    """The parts of a table that are here, each with its size."""

    def __init__(self) -> None:
        self.parts: dict[int, tuple[Any, int]] = {}
        self.used = 0.0
        self.round: str | None = None


class PartCache:
    """Parts of tables, by the table's random name and the number of the block."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self.clear()

    def clear(self) -> None:
        """Forgets everything, and is a cache of another name: what a forked process does with what it inherits."""
        self.name = secrets.token_hex(8)
        self._tables: dict[str, _TableParts] = {}
        # A new one, because a thread that the new process does not have may hold the old one.
        self._lock, self._watched = threading.Lock(), False

    def keep(self, table: str, block: int, part: Any, size: int, room: int) -> bool:
        """Keeps a part, if all that is here then fits into so many bytes."""
        with self._lock:
            self._forget_old()
            known = self._tables.get(table, _TableParts())
            known.parts.pop(block, None)
            if size + self._total() > room:
                return False
            self._tables[table] = known
            known.parts[block], known.used = (part, size), self._clock()
            return True

    def again(self, table: str, round: str, owners: dict[int, str]) -> dict[int, Any]:
        """The parts that this process owns, once in a round: two tasks of one job need not both do its work."""
        with self._lock:
            self._forget_old()
            known = self._tables.get(table)
            if known is None or known.round == round:
                return {}
            known.round, known.used = round, self._clock()
            # What another process owns by now was sent there because this one was not reached.
            known.parts = {block: part for block, part in known.parts.items() if owners.get(block) == self.name}
            return {block: part for block, (part, _) in known.parts.items()}

    def forget(self, table: str) -> None:
        """Frees a table."""
        with self._lock:
            self._tables.pop(table, None)

    def watch(self) -> None:
        """Has what is old forgotten even if nobody comes by any more."""
        with self._lock:
            if self._watched:
                return
            self._watched = True
        threading.Thread(target=self._watch, daemon=True).start()

    def size(self) -> int:
        """Bytes of all that is here."""
        with self._lock:
            return self._total()

    def _total(self) -> int:
        return sum(size for table in self._tables.values() for _, size in table.parts.values())

    def _watch(self) -> None:
        while True:
            time.sleep(LONGEST / 10)
            with self._lock:
                self._forget_old()
                if not self._tables:
                    self._watched = False
                    return

    def _forget_old(self) -> None:
        now = self._clock()
        self._tables = {name: table for name, table in self._tables.items() if now - table.used <= LONGEST}


PART_CACHE = PartCache()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PART_CACHE.clear)
