"""How long work takes, for whoever waits: with tqdm, where it is installed, also in its notebook form.

It is shown when work takes longer than some seconds. TQDM_DISABLE=1 in the environment turns it off, as everywhere.
"""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

# Seconds before anything is shown, and between two looks at the clock.
PATIENCE, TICK = 2.0, 0.5


def counted(work: Iterable[Any], total: int, what: str) -> Iterable[Any]:
    """The same things, counted as they come."""
    tqdm = _tqdm()
    return work if tqdm is None else tqdm(work, total=total, desc=what, delay=PATIENCE, leave=False)


@contextlib.contextmanager
def clock(what: str) -> Iterator[None]:
    """A clock, for work whose end nobody knows: how often rows are passed over depends on them."""
    tqdm = _tqdm()
    if tqdm is None:
        yield
        return
    done = threading.Event()
    shown = threading.Thread(target=_tick, args=(tqdm, what, done), daemon=True)
    shown.start()
    try:
        yield
    finally:
        done.set()
        shown.join()


def _tick(tqdm: Any, what: str, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    with tqdm(total=None, desc=what, bar_format="{desc}: {elapsed}", leave=False, delay=0.01) as bar:
        # It began when the work did, not when it was first shown.
        bar.start_t -= PATIENCE
        while not done.wait(TICK):
            bar.refresh()


def _tqdm() -> Any:
    try:
        with warnings.catch_warnings():
            # In a notebook without its widgets tqdm falls back to text, and says so.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm
