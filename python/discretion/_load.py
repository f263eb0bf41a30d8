"""Published results, read again from their files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from . import _check, _discretion
from ._density import HistogramDensity
from ._errors import InputError
from ._linear import LinearSVC, LogisticRegression
from ._number import HuberRegressor, LinearRegression
from ._schema import Schema

# A hinge with another smoothing is called hinge(1).
_LOSSES = {"logistic": LogisticRegression, "hinge": LinearSVC}


def load(path: str | os.PathLike[str]) -> LogisticRegression | LinearSVC | LinearRegression | HuberRegressor | HistogramDensity:
    """Reads a model.json or a density.json, whoever wrote it, as a fitted estimator. Nothing is charged.

    It predicts, scores, draws, saves and reports as what `fit` returned, and knows no account. It takes frames that have its
    columns and, if all of these are numbers, arrays with the columns in its order.

    Examples
    --------
    >>> import discretion, numpy as np, tempfile
    >>> X = np.array([[-1.0], [1.0]] * 500); y = np.array([0, 1] * 500)
    >>> model = discretion.LogisticRegression(epsilon=1.0, bounds=(-1, 1), random_state=0).fit(X, y)
    >>> model.save(tempfile.gettempdir() + "/model.json", overwrite=True)
    >>> again = discretion.load(tempfile.gettempdir() + "/model.json")
    >>> again.coefficients_ == model.coefficients_, again.predict(X[:2])
    (True, array([0, 1]))
    """
    file = Path(_check.path("a file's path", path))
    try:
        text = file.read_text(encoding="utf-8")
        written = json.loads(text)
    except OSError as error:
        raise InputError(f"{file}: this file cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{file}: this is no file of discretion: it is not JSON in UTF-8") from error
    kind = written.get("format") if isinstance(written, dict) else None
    reader = next((reader for start, reader in _READERS.items() if str(kind).startswith(start)), None)
    if reader is None:
        raise InputError(f"{file}: this is neither a model.json nor a density.json, which are what can be loaded")
    return reader(text, file)


def _model(text: str, file: Path) -> Any:
    released = _released(_discretion.Model, text, file)
    written = json.loads(released.to_json())
    schema = Schema._from_json(written["schema"])
    names = schema._class_names()
    if names is None:
        raise InputError(f"{file}: this model says nothing about its classes")
    loss, _, width = written["training"]["loss"].partition("(")
    model = _LOSSES[loss](**_spent(written), lam=written["training"]["lambda"], schema=schema, classes=_labels(names))
    if loss == "hinge":
        model.smoothing = float(width.rstrip(")") or 0.5)
    model.max_weight = written["schema"].get("cohort", {}).get("weight", {}).get("max")
    model._released, model._account = released, None
    model._on_frames = model._on_arrays = True
    model.classes_ = np.asarray(model.classes)
    model.n_features_in_ = len(schema._used)
    if not _is_unnamed(schema._used):
        model.feature_names_in_ = np.array(schema._used, dtype=object)
    model._read_model()
    return model


def _number(text: str, file: Path) -> Any:
    released = _released(_discretion.NumberModel, text, file)
    written = json.loads(released.to_json())
    schema, outcome = Schema._from_json(written["schema"]), written["schema"]["target"]["labels"]["number"]
    bounds, scale = (outcome["min"], outcome["max"]), outcome.get("scale", "linear")
    told = {"lam": written["training"]["lambda"], "schema": schema, "y_bounds": bounds, "y_scale": scale} | _spent(written)
    if written["training"]["loss"] == "huber":
        model = HuberRegressor(**told)
    else:
        model = LinearRegression(**told, level=written["fit"]["level"])
    model._released, model._account = released, None
    model._on_frames = model._on_arrays = True
    model.n_features_in_ = len(schema._used)
    if not _is_unnamed(schema._used):
        model.feature_names_in_ = np.array(schema._used, dtype=object)
    model._read_model()
    return model


def _density(text: str, file: Path) -> Any:
    released = _released(_discretion.Density, text, file)
    density = HistogramDensity(**_spent(json.loads(text)))
    density._released, density._account, density._library = released, None, "pandas"
    density._on_arrays = True
    density._read_density()
    names = density._names()
    density.n_features_in_ = len(names)
    if not _is_unnamed(names):
        density.feature_names_in_ = np.array(names, dtype=object)
    return density


_READERS = {"discretion-model/": _model, "discretion-number/": _number, "discretion-density/": _density}


def _released(kind: Any, text: str, file: Path) -> Any:
    try:
        return kind.from_json(text)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def _spent(written: dict[str, Any]) -> dict[str, float]:
    """The budget of a run, as its parameters; none for one that promised nothing."""
    guarantee = written["privacy"]["guarantee"] or {}
    return {name: guarantee[name] for name in ("epsilon", "delta", "rho") if name in guarantee}


def _is_unnamed(names: list[str]) -> bool:
    """Whether these are the names that columns of an array are given."""
    return names == [f"x{i}" for i in range(len(names))]


def _labels(names: tuple[str, ...]) -> tuple[Any, ...]:
    """Classes as they probably were before they became texts."""
    if set(names) == {"False", "True"}:
        return tuple(name == "True" for name in names)
    try:
        numbers = tuple(int(name) for name in names)
    except ValueError:
        return names
    return numbers if tuple(map(str, numbers)) == names else names
