"""What the estimators on clusters share, whichever engine it is: the estimators in memory, with rows that are elsewhere."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np

from . import _curve, _discretion, _labels, _schema, _settings, _values
from ._engine import CHANGED
from ._errors import InputError, InputTypeError, Refused
from ._linear import FROM_DATA
from ._remote import CountedTable, LinearTable, NumberTable, count_rows, encode_numbers, is_numeric
from ._schema import Schema
from ._vote_types import VoteTypes


class ClusterEstimator:
    """An estimator whose rows an engine holds: what a class for one engine says about it."""

    schema: Any

    def _source(self, X: Any) -> Any:
        """The frame as a `Source`."""
        raise NotImplementedError

    def fit(self, X: Any, y: str | None = None, *, schema: Any = None, **more: Any) -> Any:
        """As in memory, but that rows stay where they are.

        X is a frame of the engine, and y the name of its column of labels; without y, that of a study file. A `schema` here is
        the parameter of that name.
        """
        if schema is not None:
            self.set_params(schema=schema)
        with contextlib.ExitStack() as self._open:
            try:
                return super().fit(self._source(X), y, **more)
            finally:
                del self._open


class Source:
    """A frame of an engine: the names and Arrow types of its columns, and the frame of some of them."""

    def __init__(self, engine: Any, arrow_schema: Any, select: Any):
        self.engine, self.arrow_schema, self.select = engine, arrow_schema, select

    @property
    def names(self) -> list[str]:
        """The columns."""
        return self.arrow_schema.names

    def empty(self) -> Any:
        """The same columns without rows: what is wrong with them is found before anything runs."""
        return self.arrow_schema.empty_table()

    @functools.cached_property
    def _rows(self) -> int:
        return count_rows(self.engine, self.select(self.names[:1]))

    def __len__(self) -> int:
        """The number of rows, counted in a pass of its own the first time that it is asked for."""
        return self._rows

    def check(self, encoded: Any) -> Any:
        """The encoded rows, unless they are not as many as were counted."""
        if encoded.rows != self.__dict__.get("_rows", encoded.rows):
            raise Refused(CHANGED)
        return encoded


class ClusterLinear(ClusterEstimator):
    """A linear classifier."""

    def fit(self, X: Any, y: str | None = None, *, schema: Any = None, person: str | None = None) -> Any:
        """As in memory, but that rows stay where they are.

        X is a frame of the engine, and y the name of its column of labels; without y, that of a study file. A `schema` here is
        the parameter of that name. With `person`, the name of a column that says whose a row is, the guarantee is about a person
        with all rows, wherever they are. Workers read that column, hash it, and keep nothing else of it.
        """
        return super().fit(X, y, schema=schema, person=person)

    def _encode(
        self: Any, X: Source, y: Any, seed: int | None, person: str | None, spend: tuple, weights: None = None
    ) -> Any:
        if y is not None:
            _named(X, y, NO_LABELS)
        schema, target = _declared(self, X, [] if y is None else [y], person), y
        self._on_frames = self.schema is not None
        self.n_features_in_ = len(schema._used)
        self.feature_names_in_ = np.array(schema._used, dtype=object)
        if target is None:
            classes = schema._several if self._several and schema._several is not None else schema._two_classes()
            if classes is None:
                raise InputError("requires y to be passed, but the target y is None; pass the name of the column of labels")
            self.classes_, published, target = np.array(classes), schema._json(), schema._target["column"]
            written = schema._json()
        else:
            if isinstance(self.classes, str) and self.classes == FROM_DATA:
                raise InputError('classes="from-data" is for tables in memory; pass classes=(negative, positive), or all classes')
            self.classes_ = self._declared_classes(np.array([]), seed)
            published = schema._with_target(target if self.schema is not None else "y", self.classes_)
            # Workers compare labels as they compare categories, as texts.
            written = schema._with_target(target, [_values.text(label) for label in self.classes_])
        _discretion.check_fit_on_cluster(published, spend=spend, **self._settings())
        published, written = (_curve.settled(one, X, spend) for one in (published, written))
        _discretion.encode_piece(X.empty(), written)
        frame = X.select([*schema._used, target, *([] if schema.person is None else [schema.person])])
        encoded = LinearTable(X.engine, frame, _without_dropped(written))
        return X.check(self._open.enter_context(encoded)).to_native(published, bool(self.accept_check))


NO_LABELS = "y is the name of the column of labels; rows that are elsewhere have theirs there, too"


def _named(X: Source, name: Any, otherwise: str) -> None:
    if not isinstance(name, str) or name not in X.names:
        raise InputTypeError(otherwise)


def _declared(estimator: Any, X: Source, outcomes: list[str], person: Any) -> Schema:
    """What is declared about the columns: by the schema, or by bounds of all that are neither outcomes nor persons."""
    if person is not None:
        _named(X, person, "person is the name of the column that says whose a row is; rows that are elsewhere have it there, too")
    if estimator.schema is not None:
        return _schema.of(estimator.schema)._about(person)
    names = [name for name in X.names if name not in (*outcomes, person)]
    return _schema.from_bounds(estimator.bounds, names)._about(person)


class ClusterNumber(ClusterEstimator):
    """A regression."""

    def fit(self, X: Any, y: Any = None, *, schema: Any = None, person: str | None = None) -> Any:
        """As in memory, but that rows stay where they are.

        X is a frame of the engine, and y the name of its column of outcomes; for `LinearRegression` a list of names is one of
        several outcomes. A `schema` here is the parameter of that name. With `person`, the name of a column that says whose a row
        is, the guarantee is about a person with all rows, wherever they are. Workers read that column, hash it, and keep nothing
        else of it.
        """
        return super().fit(X, y, schema=schema, person=person)

    def _encode(self: Any, X: Source, y: Any, person: str | None, spend: tuple) -> Any:
        if y is None:
            raise InputError("requires y to be passed, but the target y is None; pass the name of the column of outcomes")
        several = isinstance(y, (list, tuple)) and not self._huber
        names = list(y) if several and y else [y]
        for name in names:
            each = "" if self._huber else ", or a list of such names"
            _named(X, name, f"y is the name of the column of outcomes{each}; rows that are elsewhere have theirs there, too")
            if not is_numeric(X.arrow_schema.field(name).type):
                raise InputTypeError(f"y is the name of a column of numbers, and {name!r} has {X.arrow_schema.field(name).type}")
        schema = _declared(self, X, names, person)
        self._on_frames, self._has_columns = self.schema is not None, several
        self.n_features_in_ = len(schema._used)
        self.feature_names_in_ = np.array(schema._used, dtype=object)
        # Outcomes are clipped to their range, and where a column is named like one it is the schema that gives way.
        published = self._declared(schema, names)
        held_out = _settings.held_out(self.evaluate, self.evaluate_by)
        _discretion.check_number_on_cluster(published, huber=self._huber, spend=spend, evaluate=held_out)
        published = _curve.settled(published, X, spend)
        used = [*schema._used, *([] if schema.person is None else [schema.person])]
        # Everything else is declared, as in memory.
        encode_numbers(published, [name for name in X.names if name not in names or name in used], names, X.empty())
        written = _without_dropped(published)
        encoded = NumberTable(X.engine, X.select(list(dict.fromkeys([*used, *names]))), written, used, names)
        return X.check(self._open.enter_context(encoded)).to_native(published, bool(self.accept_check))


class ClusterDensity(ClusterEstimator):
    """A histogram density."""

    def fit(self: Any, X: Any, y: Any = None, *, schema: Any = None) -> Any:
        """As in memory, but that rows stay where they are. X is a frame of the engine, and y is ignored."""
        return super().fit(X, None, schema=schema)

    def _describe(self: Any, X: Source) -> Any:
        declared = _schema.of(self.schema) if self.schema is not None else _schema.from_bounds(self.bounds, X.names)
        self._library = "pandas" if self.schema is not None else None
        names = self._columns() if self.schema is not None else None
        described = (declared._json(), names)
        _discretion.describe_piece(X.empty(), *described)
        used = _discretion.RemoteColumns(*described, 0, None).names
        self.feature_names_in_ = np.array(used, dtype=object)
        self.n_features_in_ = len(used)
        table = self._open.enter_context(CountedTable(X.engine, X.select(used), *described))
        return table.to_native(bool(self.accept_check))


def _without_dropped(written: str) -> str:
    """A schema without the columns that are dropped: workers do not see them."""
    import json

    schema = json.loads(written)
    schema["columns"] = [column for column in schema["columns"] if column["kind"] != "dropped"]
    return json.dumps(schema)


class ClusterVoting:
    """Answers by a vote of models, which an engine's workers train."""

    _made_by = "python, by the workers of a cluster"

    def fit(self, X: Any, y: str) -> Any:
        """As in memory, but that rows stay where they are: X is a frame of the engine, and y the name of its column of labels.

        Every chunk's rows are brought to one worker, which trains its model; models come here, and vote here.
        """
        with contextlib.ExitStack() as self._open:
            try:
                return super().fit(self._source(X), y)
            finally:
                del self._open

    def _rows(self: Any, X: Source, y: Any, classes: np.ndarray, types: VoteTypes) -> Any:
        if not isinstance(y, str) or y not in X.names:
            raise InputTypeError("y is the name of the column of labels; rows that are elsewhere have theirs there, too")
        from ._remote_voting import VotingTable

        table = self._open.enter_context(VotingTable(X.engine, X.select(X.names), X.arrow_schema, y, classes, types))
        _labels.stop_at_mistakes(table.class_counts, classes, self.accept_check)
        return table
