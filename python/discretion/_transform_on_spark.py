"""What a fitted model says about the rows of a Spark DataFrame: columns that executors add, and a stage of a spark.ml pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from pyspark.ml.base import Estimator, Model
from pyspark.sql import types as T

from . import _schema
from ._errors import Error, InputError

_SPARK_TYPES = {"b": T.BooleanType(), "i": T.LongType(), "u": T.LongType(), "f": T.DoubleType()}


def with_predictions(estimator: Any, X: Any, names: dict[str, str | None]) -> Any:
    """X with a column for what is named: the class, the probability of the positive one, the margin. Executors add them."""
    label = _SPARK_TYPES.get(estimator.classes_.dtype.kind, T.StringType())
    kinds = {"prediction": label, "probability": T.DoubleType(), "margin": T.DoubleType()}
    wanted = [(what, name, kinds[what]) for what, name in names.items() if name is not None]
    task = partial(_predict, estimator._released.to_json(), _used(estimator), estimator.classes_, [one[:2] for one in wanted])
    return _with_columns(X, task, [one[1:] for one in wanted])


def with_densities(estimator: Any, X: Any, name: str) -> Any:
    """X with a column of log densities."""
    return _with_columns(X, partial(_log_density, estimator._released.to_json(), estimator._names(), name), [(name, T.DoubleType())])


def _used(estimator: Any) -> list[str]:
    declared = estimator.model_["schema"]["columns"]
    used = (column for column in declared if column["kind"] != "dropped")
    return list(dict.fromkeys(field for column in used for field in _schema.fields(column)))


def _with_columns(X: Any, task: Any, added: list[tuple[str, Any]]) -> Any:
    there = [name for name, _ in added if name in X.columns]
    if there:
        raise InputError(f"there is a column {there[0]!r} already; name another one, such as transform(X, {there[0]}='new')")
    return X.mapInArrow(task, T.StructType([*X.schema.fields, *(T.StructField(name, kind) for name, kind in added)]))


def _predict(
    model: str, used: list[str], classes: np.ndarray, wanted: list[tuple[str, str]], batches: Iterable[Any]
) -> Iterator[Any]:
    from . import _discretion

    released = _discretion.Model.from_json(model)
    for batch in batches:
        margins = _unquoted(lambda: released.margins_of_frame(batch.select(used)))
        found = {
            "prediction": classes[(margins > 0).astype(int)].tolist(),
            "probability": np.exp(-np.logaddexp(0, -margins)),
            "margin": margins,
        }
        yield _appended(batch, {name: found[what] for what, name in wanted})


def _log_density(density: str, used: list[str], name: str, batches: Iterable[Any]) -> Iterator[Any]:
    from . import _discretion

    released = _discretion.Density.from_json(density)
    for batch in batches:
        yield _appended(batch, {name: _unquoted(lambda: released.log_densities_of_frame(batch.select(used)))})


def _unquoted(work: Any) -> Any:
    """What Spark logs of an error may be read by others, so it is a sentence of ours or the error's kind."""
    try:
        return work()
    except Exception as error:
        said = str(error) if isinstance(error, Error) else type(error).__name__
    raise InputError(said)


def _appended(batch: Any, columns: dict[str, Any]) -> Any:
    import pyarrow

    arrays = [*batch.columns, *(pyarrow.array(values) for values in columns.values())]
    return pyarrow.RecordBatch.from_arrays(arrays, names=[*batch.schema.names, *columns])


class Stage(Estimator):
    """An estimator of ours as a stage of a spark.ml ``Pipeline``. Get one from ``estimator.stage(...)``."""

    def __init__(self, estimator: Any, fit: tuple, names: dict[str, Any]):
        super().__init__()
        self._ours, self._fit_with, self._names = estimator, fit, names

    def _fit(self, dataset: Any) -> FittedStage:
        from sklearn.base import clone

        return FittedStage(clone(self._ours).fit(dataset, *self._fit_with), self._names)


class FittedStage(Model):
    """What a `Stage` becomes: ``estimator`` is the fitted one, and ``transform`` adds its columns."""

    def __init__(self, estimator: Any, names: dict[str, Any]):
        super().__init__()
        self.estimator, self._names = estimator, names

    def _transform(self, dataset: Any) -> Any:
        return self.estimator.transform(dataset, **self._names)
