"""What a fitted model says about the rows of a Spark DataFrame: columns that executors add, and a stage of a spark.ml pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from pyspark.ml.base import Estimator, Model
from pyspark.sql import types as T

from . import _columns
from ._errors import Error, InputError

_SPARK_TYPES = {"b": T.BooleanType(), "i": T.LongType(), "u": T.LongType(), "f": T.DoubleType()}


def with_predictions(estimator: Any, X: Any, names: dict[str, str | None]) -> Any:
    """X with a column for what is named: the class, the probability of the positive one, the margin. Executors add them.

    Of more than two classes, probabilities and scores are a column for each: ``risk_mild`` and so on.
    """
    classes = estimator.classes_
    kinds = {"prediction": _SPARK_TYPES.get(classes.dtype.kind, T.StringType())}
    wanted = [
        (what, one, kinds.get(what, T.DoubleType()))
        for what, name in names.items()
        if name is not None
        for one in ([name] if what == "prediction" or len(classes) == 2 else [f"{name}_{label}" for label in classes.tolist()])
    ]
    asked = [what for what, name in names.items() if name is not None]
    task = partial(_predict, estimator._released.to_json(), _used(estimator), classes, asked, [one[1] for one in wanted])
    return _with_columns(X, task, [one[1:] for one in wanted])


def with_numbers(estimator: Any, X: Any, name: str) -> Any:
    """X with a column of the outcomes that are expected, or one for each of several."""
    names = [f"{name}_{outcome}" for outcome in estimator._predicted()] if estimator._has_columns else [name]
    task = partial(_predict_numbers, estimator._released.to_json(), _used(estimator), names)
    return _with_columns(X, task, [(one, T.DoubleType()) for one in names])


def with_densities(estimator: Any, X: Any, name: str) -> Any:
    """X with a column of log densities."""
    return _with_columns(X, partial(_log_density, estimator._released.to_json(), estimator._names(), name), [(name, T.DoubleType())])


def _used(estimator: Any) -> list[str]:
    declared = estimator.model_["schema"]["columns"]
    used = (column for column in declared if column["kind"] != "dropped")
    return list(dict.fromkeys(field for column in used for field in _columns.fields(column)))


def _with_columns(X: Any, task: Any, added: list[tuple[str, Any]]) -> Any:
    there = [name for name, _ in added if name in X.columns]
    if there:
        raise InputError(f"there is a column {there[0]!r} already; name another one, such as transform(X, {there[0]}='new')")
    return X.mapInArrow(task, T.StructType([*X.schema.fields, *(T.StructField(name, kind) for name, kind in added)]))


def _predict(
    model: str, used: list[str], classes: np.ndarray, asked: list[str], names: list[str], batches: Iterable[Any]
) -> Iterator[Any]:
    from . import _discretion

    released = _discretion.Model.from_json(model)
    for batch in batches:
        margins = _unquoted(lambda: released.margins_of_frame(batch.select(used)))
        found = _of_two(margins, classes) if len(classes) == 2 else _of_several(margins.reshape(-1, len(classes)), classes)
        columns = [column for what in asked for column in found[what]]
        yield _appended(batch, dict(zip(names, columns, strict=True)))


def _of_two(margins: np.ndarray, classes: np.ndarray) -> dict[str, list[Any]]:
    return {
        "prediction": [classes[(margins > 0).astype(int)].tolist()],
        "probability": [np.exp(-np.logaddexp(0, -margins))],
        "margin": [margins],
    }


def _of_several(scores: np.ndarray, classes: np.ndarray) -> dict[str, list[Any]]:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return {
        "prediction": [classes[scores.argmax(axis=1)].tolist()],
        "probability": list((powers / powers.sum(axis=1, keepdims=True)).T),
        "margin": list(scores.T),
    }


def _predict_numbers(model: str, used: list[str], names: list[str], batches: Iterable[Any]) -> Iterator[Any]:
    from . import _discretion

    released = _discretion.NumberModel.from_json(model)
    for batch in batches:
        predicted = _unquoted(lambda: released.predict_frame(batch.select(used))).reshape(-1, len(names))
        yield _appended(batch, dict(zip(names, predicted.T, strict=True)))


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
