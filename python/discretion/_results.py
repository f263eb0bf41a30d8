"""What every published result can tell: files, page, summary; and of a linear model its intervals and its plot."""

from __future__ import annotations

import json
import math
import os
import warnings
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from . import _check, _html
from ._errors import InputError, Note

INTERCEPT = "(intercept)"


class Summary(str):
    """A text that shows itself as it is, and in notebooks as a page with tables."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return _html.of_text(self)


class PublishedResult:
    """What is published, once fitted: files, a page, a summary. None of it looks at the rows again, so all of it is free.

    `_released` is Rust's object, of the class `_kind`.
    """

    _kind: Any
    _file: str

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the same file as the command line writes, and notes in the ledger that it left.

        A model that was pickled and read again knows no ledger: it is written, and nothing is noted.
        """
        check_is_fitted(self, "_released")
        self._tell_of_uncovered()
        ledger = None if self._account is None else self._account.ledger._ledger
        note = self._released.save(_new_file(path, overwrite), ledger)
        if note:
            warnings.warn(note, Note, stacklevel=2)

    def report(self, path: str | os.PathLike[str], *, file: str | None = None, overwrite: bool = False) -> None:
        """Writes the page for a review board: guarantee, results, charts, how to repeat it.

        `file` is the name of the file that `save` writes, which the page mentions.
        """
        check_is_fitted(self, "_released")
        self._tell_of_uncovered()
        # A ledger where the program looks by itself needs no name on a page that others read.
        named = self._account is not None and self._account.ledger._named
        ledger = self._account.ledger._ledger if named else None
        mentioned = self._file if file is None else _check.path("file", file)
        self._released.report(_new_file(path, overwrite), Path(mentioned), ledger)

    # Why the guarantee does not cover all that was done with the rows, if it does not.
    _uncovered: str | None = None

    def _mark_uncovered(self) -> None:
        """Makes what was released say in its file that nothing is promised, if the guarantee does not cover all that was done."""
        if self._uncovered is not None:
            self._released = self._released.uncovered(self._uncovered)

    def _tell_of_uncovered(self) -> None:
        """Warns, where something is written, that nothing is promised. What was made under a seed says why itself."""
        if self._uncovered is not None and self._uncovered in json.loads(self._released.to_json())["NOT PRIVATE"]:
            warnings.warn(self._uncovered, Note, stacklevel=3)

    def summary(self) -> Summary:
        """The result in words and a table, as the command line prints it."""
        check_is_fitted(self, "_released")
        # Here nobody wrote a study file.
        said = self._released.summary().replace(" (from the study file)", " (as given)")
        return Summary(said if self._uncovered is None else f"NOT COVERED BY ITS GUARANTEE: {self._uncovered}.\n\n{said}")

    def __getstate__(self):
        state = super().__getstate__().copy()
        if "_released" in state:
            state["_released"] = self._released.to_json()
            # A fitted model is for others: where the ledger lies is none of their business, and reading opens nothing.
            state["_account"] = state["account"] = None
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_released" in state:
            self._released = self._kind.from_json(state["_released"])
            # Files of earlier versions did not say so.
            self._mark_uncovered()


class WithQuality(PublishedResult):
    """A model that can hold rows out."""

    @property
    def quality_(self) -> Any:
        """How good the model is on rows that were held out, as in model.json. Every figure is a dict of value, lower and upper."""
        check_is_fitted(self, "model_")
        found = self.model_.get("quality")
        if found is None:
            raise AttributeError(
                "no rows were held out: fit with evaluate=True, which takes 15 % of the rows from training and no budget"
            )
        return found


class WithEffects(WithQuality):
    """What a linear model tells about its columns."""

    @property
    def intervals_(self) -> Any:
        """The confidence intervals as a tidy pandas frame, one line for each effect.

        ``term`` is the column, or the column and a category, which is compared ``against`` the column's first category.
        ``estimate``, ``lower`` and ``upper`` are changes of the margin (for logistic regression: of the log odds) for one
        unit of the column or for the category, with what the penalty takes from them given back (``coef_`` has the
        coefficients that predictions are made of), ``p_value`` is two-sided for "no effect", and ``deviation`` is the standard
        deviation, which is split into what comes from the rows being a sample and what comes from the noise for privacy.
        Of two classes, intervals of logistic regression cover the ordinary coefficients, those without a penalty:
        ``largest_bias`` is the most that the penalty can have taken, and ``share_of_sampling``, ``share_of_privacy`` and
        ``share_of_bound`` say what the width comes from. `findings_` has the effects by what their intervals say; where only
        the declared bound speaks, ``estimate`` is missing.

        Of more than two classes each line is about one ``class`` beside the reference, which has no lines: a change of
        the log odds between the two. Nothing is given back then, and ``deviation`` is not split: what of it is noise is not known.
        """
        check_is_fitted(self, "model_")
        facts = self.model_.get("intervals")
        if facts is None:
            raise AttributeError(
                "this model has no intervals: fit with intervals=True, which takes its share of the same budget"
            )
        import numpy

        from ._frames import pandas_for

        pandas = pandas_for("intervals_")
        # Where columns were named, only theirs have intervals.
        unknown = (facts.get("findings") or {}).get("not_estimable", [])
        lines = [_line(each, each["name"] not in unknown) for each in self.model_["coefficients"]]
        frame = pandas.DataFrame([line for line in lines if line and "lower" in line])
        if self.model_["training"]["loss"] == "logistic":
            # exp of an intercept is the odds of a row that may not exist, and no ratio.
            ratios = frame[["estimate", "lower", "upper"]].where(frame["term"] != INTERCEPT)
            frame[["odds_ratio", "odds_lower", "odds_upper"]] = numpy.exp(ratios)
        frame.attrs.update(level=facts["level"], covers=facts["covers"], all_at_once=facts["all_at_once"])
        frame.attrs.update({name: facts[name] for name in ("reference", "largest_effect", "rough") if name in facts})
        return frame

    @property
    def findings_(self) -> Any:
        """The effects by what their intervals say of them, as lists of names: ``told_from_zero``, ``not_estimable`` (only the
        declared `largest_effect` speaks) and ``same`` (pairs of columns that say the same, without intervals)."""
        check_is_fitted(self, "model_")
        found = (self.model_.get("intervals") or {}).get("findings")
        if found is None:
            raise AttributeError("intervals of this model, if it has any, do not cover coefficients without a penalty")
        return found

    @property
    def thresholds_(self) -> Any:
        """What each threshold does, as a pandas frame: one line for each, and for each figure its value and its interval."""
        figures = self.quality_["figures"]
        if "thresholds" not in figures:
            raise AttributeError("only a model of two classes has thresholds; quality_ has the figures of each class")
        from ._frames import pandas_for

        pandas = pandas_for("thresholds_")
        lines = []
        for at in figures["thresholds"]:
            line = {name: at[name] for name in ("score", "probability") if name in at}
            for name in ("flagged", "recall", "false_positives", "precision", "accuracy"):
                line |= {name: at[name]["value"], f"{name}_lower": at[name]["lower"], f"{name}_upper": at[name]["upper"]}
            lines.append(line)
        return pandas.DataFrame(lines)

    def curve(self, column: str) -> Any:
        """The curve of a column as a pandas frame, one line for each knot.

        ``value`` is the change of the margin (for logistic regression: of the log odds) from the middle of the column's scale to
        the knot ``at``. With intervals, ``lower`` and ``upper`` hold at each knot, and ``band_lower`` and ``band_upper`` at all of
        them at once. What is missing, if it has a level of its own, is in `coefficients_`.
        """
        check_is_fitted(self, "model_")
        from ._curve import knots_of
        from ._frames import pandas_for

        return pandas_for("curve").DataFrame(knots_of(self.model_, str(column)))

    def plot(self, ax: Any = None, *, most: int | None = 40) -> Any:
        """Draws the effects, with their intervals if there are any, on matplotlib axes, which are returned.

        So that columns can be compared, a number's effect is that of going from the middle of its range to the end. Of more than
        `most` effects the largest are drawn, which the title says; None draws all.
        """
        check_is_fitted(self, "model_")
        from ._plot import effects

        return effects(self.model_, ax, None if most is None else _check.whole("most", most, 1))


def _new_file(path: str | os.PathLike[str], overwrite: bool) -> Path:
    path = Path(_check.path("a file's path", path))
    if path.exists() and not overwrite:
        raise InputError(f"{path}: this file exists already; name another one, or pass overwrite=True")
    if not path.parent.is_dir():
        raise InputError(f"{path.parent}: this folder does not exist; make it first, or name another one")
    return path


def _line(coefficient: dict[str, Any], is_estimable: bool) -> dict[str, Any] | None:
    """A line of the frame; none for the first category of a column, which the others are compared with."""
    effect = coefficient.get("effect")
    if effect is not None and effect.get("against") is not None:
        value, interval, against = effect["value"], effect.get("interval"), effect["against"]
    elif coefficient["per_unit"] is None:
        value, interval, against = coefficient["encoded"], coefficient.get("interval"), None
    elif effect is None and coefficient["name"] != INTERCEPT:
        return None
    else:
        value, interval, against = coefficient["per_unit"], coefficient.get("per_unit_interval"), None
    term = coefficient["of"] or coefficient["name"]
    # Beside an interval stands the estimate with what lam takes from it given back.
    estimate = (interval or {}).get("estimate", value) if is_estimable else math.nan
    line = {"term": term, "against": against, "estimate": estimate}
    if "class" in coefficient:
        line = {"class": coefficient["class"]} | line
    if not interval:
        return line
    line |= {name: interval[name] for name in _ENDS}
    # The intervals of several classes come from the spread of several models, which does not say how much of it is noise.
    if "deviation" in interval:
        return line | {"deviation": interval["deviation"]}
    both = math.hypot(interval["sampling_deviation"], interval["privacy_deviation"])
    line |= {"deviation": both} | {name: interval.get(name, 0.0) for name in _SOURCES}
    return line | _shares(interval)


def _shares(interval: dict[str, Any]) -> dict[str, float]:
    """What the width comes from, where a declared bound is a part of it."""
    if "largest_bias" not in interval:
        return {}
    parts = [interval[name] ** 2 for name in ("sampling_deviation", "privacy_deviation", "largest_bias")]
    names = ("share_of_sampling", "share_of_privacy", "share_of_bound")
    return {name: part / sum(parts) for name, part in zip(names, parts)}


_ENDS = ("lower", "upper", "p_value")
_SOURCES = ("sampling_deviation", "privacy_deviation", "matrices_deviation", "largest_bias")
