"""Everything that a study file releases, for one charge."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from . import _check, _discretion
from ._errors import Note
from ._load import load

if TYPE_CHECKING:
    from ._density import HistogramDensity
    from ._linear import LinearSVC, LogisticRegression
    from ._number import HuberRegressor, LinearRegression


def release(
    study: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    ledger: str | os.PathLike[str] | None = None,
    random_state: int | None = None,
    reuse: bool = False,
    again: bool = False,
    overwrite: bool = False,
    rows_changed: bool = False,
    second_account: bool = False,
    accept_check: bool = False,
) -> dict[str, LogisticRegression | LinearSVC | LinearRegression | HuberRegressor | HistogramDensity]:
    """Publishes all models and densities of a study file for one charge, as `discretion release` does.

    The study file says what is released (`[model]`, `[density]`, `[[release]]`), from which table, and which account pays. All are
    planned together, priced as one composition and charged once. Their files and pages are written into the folder `out`.

    Parameters
    ----------
    study : path
        The study file.
    out : path
        The folder to write to.
    ledger : path, optional
        The ledger to charge, instead of the user's.
    random_state : int, optional
        Draws the noise under a seed, for tests: nothing is charged, and every file says NOT PRIVATE.
    reuse : bool
        Goes on with what an earlier run paid for: what left is written again, and what never left is computed, for nothing.
    again : bool
        Pays for another result although the same was paid for before.
    overwrite : bool
        Overwrites files in the folder, and pays again.
    rows_changed, second_account : bool
        Says that newer rows of the same table, or a second account for the same rows, are meant.
    accept_check : bool
        Goes on at what looks like a mistake in the table.

    Returns
    -------
    dict
        What was released, by name, as fitted estimators.
    """
    paths = [Path(_check.path(what, path)) for what, path in (("a study file's path", study), ("a folder", out))]
    allowed = {
        "reuse": bool(reuse),
        "again": bool(again),
        "overwrite": bool(overwrite),
        "rows_changed": bool(rows_changed),
        "second_account": bool(second_account),
        "accept_check": bool(accept_check),
    }
    account = None if ledger is None else Path(_check.path("a ledger's path", ledger))
    index, notes = _discretion.release(*paths, account, random_state, allowed)
    for note in notes:
        warnings.warn(note, Note, stacklevel=2)
    folder = Path(index).parent
    listed = json.loads(Path(index).read_text(encoding="utf-8"))["releases"]
    return {one["name"]: load(folder / one["file"]) for one in listed}
