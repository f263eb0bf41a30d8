"""What is public about a table, from what people write down."""

from __future__ import annotations

import copy
import json
import math
import numbers
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _by_value, _check, _cohort, _columns, _dates, _declare, _discretion, _values
from ._errors import InputError, InputTypeError, shown

WHY_BOUNDS = (
    "the noise is scaled to the largest row that could be there, and to find that in the data would reveal it; "
    "say from public knowledge what range each column has"
)
NEEDS_A_FRAME = "this was fitted on a frame with named columns; pass a frame that has them"


class Schema:
    """What is public about a frame's columns.

    Parameters
    ----------
    columns : dict
        For each column ``(min, max)``, of numbers or of dates (which become days since 1970), the list of its
        categories, or a dict as in a study file, such as ``{"min": 0, "max": 1e6, "scale": "log"}``,
        ``{"kind": "date", "min": "2015-01-01", "max": "2020-12-31"}`` or ``{"drop": True}``. Categories are compared as
        texts: 1, ``1.0`` and ``"1.00"`` are the same, and so are ``True``, ``"true"`` and ``"TRUE"`` (docs/values.md).
    na : list of str
        Texts that mean that a value is missing, in all columns. A column's dict may have ``"na"`` of its own beside them.
    norm : "scale" or "row"
        How rows come to have length at most 1: all by one factor, or each by its own length.
    person : str
        The column that says whose a row is. The guarantee is then about a person with all rows, however many, and the number of
        persons is public instead of that of rows. The column is read and not kept.
    where : dict
        Which rows count, as in a study file: for a column a value, a list of values, or bounds, such as
        ``{"sex": "F", "age": {"min": 40, "max": 64}}``. Other rows stay in the table and weigh nothing, so how many count
        stays private. Filtering the frame instead publishes that number.
    missing_outcome : "refused" or "left out"
        Whether rows without an outcome stop a fit, or weigh nothing in the same way.

    Examples
    --------
    >>> Schema({"age": (18, 90), "site": ["north", "south"]})
    Schema({'age': (18, 90), 'site': ['north', 'south']})
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        *,
        na: Sequence[str] = (),
        norm: str = "scale",
        person: str | None = None,
        where: Mapping[str, Any] | None = None,
        missing_outcome: str = "refused",
    ):
        if not isinstance(columns, Mapping):
            raise InputTypeError(f"the columns of a schema are a dict, not {shown(columns)}")
        _check.one_of("norm", norm, ("scale", "row"))
        self.columns = dict(columns)
        self.norm = norm
        # Columns whose bounds are dates, which are days since 1970 from here on.
        self._dates = frozenset(str(name) for name, kind in columns.items() if any(map(_dates.is_date, _ends_of(kind))))
        self.na = _declare.texts("na", na)
        self._declared = [
            column for name, kind in columns.items() for column in _declare.columns(name, kind, self.na, _kind)
        ]
        self._target = None
        self._of_study: dict[str, Any] = {} if person is None else {"person": _column_name(person)}
        self._of_study |= _cohort.written(where, missing_outcome, self._dates)
        self.where, self.missing_outcome = dict(where or {}), missing_outcome

    @classmethod
    def from_study(cls, path: str | os.PathLike[str]) -> Schema:
        """The columns and the target of a study file. Its budget and settings are not read: they are parameters here."""
        return cls._from_json(json.loads(_discretion.schema_of_study(_check.path("the path of a study file", path))))

    @classmethod
    def _from_json(cls, declared: dict[str, Any]) -> Schema:
        """The schema that a file holds."""
        schema = cls({}, norm=declared["norm"])
        schema._declared, schema._target = declared["columns"], declared["target"]
        schema.columns = {column["name"]: column["kind"] for column in schema._declared}
        # What else a study says about its table goes with the model.
        schema._of_study = {word: declared[word] for word in declared if word not in ("norm", "columns", "target")}
        return schema

    def __repr__(self) -> str:
        na = f", na={self.na!r}" if self.na else ""
        norm = "" if self.norm == "scale" else f", norm={self.norm!r}"
        person = "" if self.person is None else f", person={self.person!r}"
        where = f", where={self.where!r}" if self.where else ""
        missing = "" if self.missing_outcome == "refused" else f", missing_outcome={self.missing_outcome!r}"
        return f"Schema({self.columns!r}{na}{norm}{person}{where}{missing})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and (self._declared, self._target, self.norm) == (
            other._declared,
            other._target,
            other.norm,
        )

    __hash__ = None

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column["name"] for column in self._declared]

    @property
    def person(self) -> str | None:
        """The column that says whose a row is, if the guarantee is about persons."""
        return self._of_study.get("person")

    def _about(self, person: str | None) -> Schema:
        """The same, of persons whom this column names, if it is said here."""
        if person is None:
            return self
        schema = copy.copy(self)
        schema._of_study = {**self._of_study, "person": _column_name(person)}
        return schema

    @property
    def _leaves_unlabelled_out(self) -> bool:
        """Whether rows without an outcome stay in the table and weigh nothing."""
        return self._of_study.get("cohort", {}).get("known_outcome", False)

    @property
    def _names_with_target(self) -> list[str]:
        """The names of the columns, of a study's target and of the column of persons."""
        target = [] if self._target is None else [self._target["column"]]
        return [*self.names, *target, *([] if self.person is None else [self.person])]

    @property
    def _kinds(self) -> _columns.Kinds:
        """What the columns of a frame are read as."""
        return _columns.Kinds.of(self._declared, self._dates, self._of_study, set(self._names_with_target) - set(self.names))

    @property
    def _used(self) -> list[str]:
        """The columns of a frame that are not dropped. Parts of a date are all in one, and a category may be in several."""
        used = (column for column in self._declared if column["kind"] != "dropped")
        return list(dict.fromkeys(field for column in used for field in _columns.fields(column)))

    def _class_names(self) -> tuple[str, ...] | None:
        """What the classes of a study's target are called, in their order: the negative one first, of two."""
        return None if self._target is None else tuple(_discretion.class_names(json.dumps(self._target)))

    def _two_classes(self) -> tuple[str, str] | None:
        """The negative and the positive class of a study's target."""
        names = self._class_names()
        if names is not None and len(names) != 2:
            raise InputError("this study declares more than two classes, and this estimator has two")
        return names

    @property
    def _several(self) -> list[str] | None:
        """The classes of a study's target, if each has coefficients of its own."""
        return (self._target or {}).get("labels", {}).get("many", {}).get("classes")

    def _with_target(self, column: str, classes: Sequence[Any]) -> str:
        """The JSON that Rust reads, with the target of `fit(X, y)`, under a name that no column has."""
        if len(classes) == 2:
            negative, positive = (str(label) for label in classes)
            labels = {"two": {"positive": [positive], "negative": [negative]}}
        else:
            labels = {"many": {"classes": [str(label) for label in classes]}}
        return self._with_outcome(column, labels)

    def _with_outcome(self, column: str, labels: dict[str, Any], *others: tuple[str, dict[str, Any]]) -> str:
        """The same, with what an outcome's values mean, and those of others."""
        names, targets = {*self.names, *self._used}, []
        for name, meaning in [(column, labels), *others]:
            while name in names:
                name += "_"  # noqa: PLW2901
            names.add(name)
            targets.append({"column": name, "labels": meaning})
        return self._json(*targets)

    def _json(self, target: dict[str, Any] | None = None, *others: dict[str, Any]) -> str:
        """The JSON that Rust reads, with this target or with the study's own."""
        written = {"norm": self.norm, "target": target or self._target, "columns": self._declared, **self._of_study}
        if others:
            written["others"] = others
        return json.dumps(written, default=_plain)


def _column_name(person: Any) -> str:
    if not isinstance(person, str):
        raise InputTypeError(f"person is the name of a column, not {shown(person)}")
    return person


def of(schema: Schema | Mapping | str | os.PathLike) -> Schema:
    """A schema, from whatever a parameter may be."""
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, (str, os.PathLike)):
        return Schema.from_study(schema)
    if isinstance(schema, Mapping):
        return Schema(schema)
    raise InputTypeError(f"schema is a dict, a discretion.Schema or the path of a study file, not {shown(schema)}")


def one_of(bounds: Any, schema: Any) -> None:
    """Refuses estimators that are told nothing about the columns, or two things."""
    if bounds is None and schema is None:
        raise InputError(f"bounds= (for arrays) or schema= (for frames) is missing: {WHY_BOUNDS}")
    if bounds is not None and schema is not None:
        raise InputError("bounds= and schema= both say what the columns hold; pass schema= for a frame, bounds= for an array")


def from_bounds(bounds: Any, names: Sequence[str]) -> Schema:
    """The schema of an array of numbers.

    `bounds` is one pair (min, max) for all columns, or a pair of sequences with an end for each column.
    """
    pair = _check.converted(lambda: list(bounds))
    if pair is None or len(pair) != 2:  # noqa: PLR2004
        raise InputTypeError(f"bounds is a pair (min, max), each a number or one number per column, not {shown(bounds)}")
    low, high = pair
    lows, highs = _one_each(low, names), _one_each(high, names)
    return Schema(dict(zip(names, zip(lows, highs, strict=True), strict=True)))


def only_numbers(declared: dict[str, Any]) -> bool:
    """Whether all columns of a file's schema are numbers, as those of an array are."""
    return all("number" in column["kind"] for column in declared["columns"])


def names_for(bounds: Any) -> list[str]:
    """The names of the columns that bounds are for, as many as they have ends."""
    counts = {len(end) for end in bounds if hasattr(end, "__len__")} if isinstance(bounds, (tuple, list)) else set()
    if len(counts) != 1:
        raise InputError("bounds= with one pair for all columns do not say how many there are; give one bound for each column")
    return [f"x{i}" for i in range(counts.pop())]


def _kind(name: Any, kind: Any) -> Any:
    if isinstance(kind, Mapping):
        if kind.get("drop"):
            return "dropped"
        if "values" in kind:
            return {"category": dict(kind) | {"values": [_code(name, value) for value in kind["values"]]}}
        return {"number": {word: _end(name, value) if word in _ENDS else value for word, value in kind.items()}}
    if isinstance(kind, tuple) and len(kind) == 2 and (all(map(_is_number, kind)) or all(map(_dates.is_date, kind))):
        return {"number": {"min": _end(name, kind[0]), "max": _end(name, kind[1])}}
    if isinstance(kind, (list, np.ndarray)):
        if len(kind) == 2 and all(map(_is_number, kind)):
            low, high = np.asarray(kind).tolist()
            raise InputError(
                f"column {shown(name)} is declared as [{low}, {high}], which may be a range or two categories; write "
                f'({low}, {high}) for a range, or {{"values": [{low}, {high}]}} for two categories'
            )
        return {"category": {"values": [_code(name, value) for value in kind]}}
    raise InputTypeError(
        f"column {shown(name)} is declared as {shown(kind)}; write (min, max), a list of values, or a dict as in a study file"
    )


def _code(name: Any, value: Any) -> str:
    if _by_value.is_inexact(value):
        raise InputError(f"column {shown(name)} declares {_by_value.INEXACT}")
    return _values.text(value)


_ENDS = ("min", "max", "missing")


def _ends_of(kind: Any) -> list[Any]:
    if isinstance(kind, Mapping):
        if kind.get("kind") == "date":
            # Such a column is read as dates, and stays one of dates.
            return []
        return [kind[word] for word in ("min", "max") if word in kind]
    return list(kind) if isinstance(kind, tuple) else []


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _end(name: Any, value: Any) -> float:
    if _dates.is_date(value):
        return _dates.days(value)
    if not _is_number(value):
        raise InputTypeError(f"column {shown(name)}: a bound is a number, not {shown(value)}")
    if not math.isfinite(value):
        raise InputError(f"column {shown(name)}: a bound is a finite number, not {float(value)}; {WHY_BOUNDS}")
    return float(value)


def _plain(value: Any) -> Any:
    """A value of numpy as one of Python."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise InputTypeError(f"a schema holds texts and numbers, and not {shown(value)}")


def _one_each(end: Any, names: Sequence[str]) -> list[float]:
    if isinstance(end, numbers.Real) and not isinstance(end, bool):
        return [float(end)] * len(names)
    ends = _check.converted(lambda: [float(value) for value in end])
    if ends is None:
        raise InputTypeError(f"a bound is a number or one number per column, not {shown(end)}")
    if len(ends) != len(names):
        raise InputError(f"bounds have {len(ends)} columns and X has {len(names)}; give one bound for each column")
    return ends
