"""Private least squares and Huber regression in scikit-learn's conventions."""

from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _check, _columns, _curve, _discretion, _frames, _labels, _ledger, _person, _progress, _schema, _settings
from ._errors import InputError, InputTypeError, Note, shown
from ._estimator import PaidFitMixin
from ._ledger import Account
from ._results import WithQuality, _line
from ._schema import Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from ._plan import NumberPlan


class _PrivateNumber(WithQuality, PaidFitMixin, RegressorMixin, BaseEstimator):
    """What all estimators of a number have in common."""

    _kind, _file = _discretion.NumberModel, "model.json"
    _of_a_fit = (*PaidFitMixin._of_a_fit, "_on_frames", "_on_arrays", "_dates", "_has_columns")
    # A model that was read from a file does not know which it was fitted on.
    _on_arrays, _dates = False, frozenset()
    # Whether y has columns, one for each outcome.
    _has_columns = False
    # Whether it is Huber's loss that is made small, and not the square.
    _huber = False

    def _level(self) -> Any:
        """The level of intervals; any where there are none."""
        return 0.95

    def _method(self) -> str:
        """The mechanism; any where there is one alone."""
        return "auto"

    def fit(self, X: Any, y: Any = None, *, person: Any = None) -> Self:
        """Encodes the rows, charges the account, sums, and releases.

        X is an array with `bounds`, or a frame (pandas, polars, pyarrow, anything of Arrow columns) with `schema` or `bounds`.

        With `person`, one identifier for each row or the name of a column of a frame with `schema`, the guarantee is about a
        person with all rows, however many, and not about a row. Identifiers are not kept.
        """
        with self._anew():
            spend = _check.budget(self.epsilon, self.delta, self.rho, "what the run may spend")
            seed = _check.seed(self.random_state)
            lam, level = self._settings()
            held_out = _settings.held_out(self.evaluate, self.evaluate_by)
            _schema.one_of(self.bounds, self.schema)
            self._check_pipeline()
            with _progress.clock("reading rows"):
                encoded = self._encode(X, y, person, spend)
            payer, self._account = _ledger.payer(self.account, seed, spend)
            with _progress.clock("summing"):
                self._released, notes = _discretion.fit_number(
                    encoded,
                    payer=payer,
                    huber=self._huber,
                    lam=lam,
                    spend=spend,
                    level=level,
                    repeat=self._repeat(),
                    method=self._method(),
                    evaluate=held_out,
                )
            self._mark_uncovered()
            self._read_model()
        for note in notes:
            warnings.warn(note, Note, stacklevel=2)
        return self

    def _settings(self) -> tuple[float | None, float]:
        lam, level = _settings.lam(self.lam), _settings.level(self._level())
        if isinstance(lam, list):
            why = "a choice from a list is for classes so far" if self._huber else "every value costs the same, so none has to be chosen from a list"
            raise InputError(f'lam is one number, or "auto": {why}')
        if level is None:
            raise InputError(f"level is a confidence level between 0 and 1, not {shown(self._level())}")
        return lam, level

    def plan(self, rows: int) -> NumberPlan:
        """Says what `fit` would release with so many rows, and how exactly; it refuses what `fit` would refuse.

        Nothing is read and nothing is spent. Where the schema names persons, `rows` is their number.
        """
        from ._plan import NumberPlan

        spend = _check.budget(self.epsilon, self.delta, self.rho, "what the run may spend")
        lam, level = self._settings()
        _schema.one_of(self.bounds, self.schema)
        if self.schema is not None:
            schema = _schema.of(self.schema)
        else:
            schema = _schema.from_bounds(self.bounds, _schema.names_for(self.bounds))
        count = _check.whole("rows", rows, 1, 10**12)
        declared = self._declared(schema, _outcome_names(None, self._outcomes()))
        return NumberPlan._of(
            *_discretion.plan_number(
                schema=declared,
                rows=count,
                huber=self._huber,
                lam=lam,
                spend=spend,
                level=level,
                method=self._method(),
                evaluate=_settings.held_out(self.evaluate, self.evaluate_by),
            )
        )

    def _read_model(self) -> None:
        self.model_ = json.loads(self._released.to_json())
        self.private_ = self.model_["privacy"]["private"]
        self._has_columns = self._has_columns or "others" in self.model_
        parts = self._parts()
        values = [[c["per_unit"] for c in part["coefficients"]] for part in parts]
        named = [
            {c["of"] or c["name"]: value for c, value in zip(part["coefficients"], own, strict=True)}
            for part, own in zip(parts, values, strict=True)
        ]
        self.lam_ = self._each(part["lambda"] for part in parts)
        self.intercept_ = self._each(own[0] for own in values)
        self.coef_ = np.array([own[1:] for own in values]) if self._has_columns else np.array(values[0][1:])
        self.coefficients_ = dict(zip(self._predicted(), named, strict=True)) if self._has_columns else named[0]

    def _parts(self) -> list[dict[str, Any]]:
        """What the model file says of each outcome."""
        first = {"lambda": self.model_["training"]["lambda"], "fit": self.model_["fit"], "coefficients": self.model_["coefficients"]}
        return [first, *self.model_.get("others", [])]

    def _predicted(self) -> list[str]:
        """The names of the outcomes."""
        schema = self.model_["schema"]
        return [target["column"] for target in [schema["target"], *schema.get("others", [])]]

    def _each(self, values: Any) -> Any:
        """An array with one value for each outcome, or the value of the only one."""
        values = list(values)
        return np.array(values) if self._has_columns else values[0]

    def _encode(self, X: Any, y: Any, person: Any, spend: tuple) -> Any:
        # Without a schema a frame of numbers is an array with names.
        self._on_frames = _frames.is_frame(X) and self.schema is not None
        if y is None:
            raise InputError("requires y to be passed, but the target y is None")
        accept = bool(self.accept_check)
        persons = None if person is None or isinstance(person, str) else _person.identifiers(person)
        if self._on_frames:
            schema = _schema.of(self.schema)._about(person if isinstance(person, str) else None)
            if persons is not None and schema.person is not None:
                raise InputError(f"whose rows they are is said twice: by person= and by the schema's column {schema.person!r}")
            self.n_features_in_ = len(schema._used)
            self.feature_names_in_ = np.array(schema._used, dtype=object)
            self._dates = schema._dates
            outcomes = self._values(y)
            declared = self._declared(schema, _outcome_names(y, outcomes.shape[1]))
            declared = _curve.settled(declared, outcomes, spend, lambda: _person.of_rows(X, persons, schema.person))
            frame = _columns.of_kinds(X, schema._kinds)
            return _frames.read(lambda: _discretion.EncodedNumber.of_frame(frame, declared, outcomes.ravel(), accept, persons))
        if isinstance(person, str):
            raise InputError("an array has no column of that name; pass person= as one identifier for each row")
        if self.bounds is None:
            raise InputError(f"an array has no column names for schema= to speak of; pass bounds=: {_schema.WHY_BOUNDS}")
        X, checked = _check.ours(lambda: validate_data(self, X, y, dtype=np.float64, y_numeric=True, multi_output=not self._huber))
        outcomes = self._values(checked)
        declared = self._declared(_schema.from_bounds(self.bounds, self._names()), _outcome_names(y, outcomes.shape[1]))
        return _discretion.EncodedNumber.of_array(X, declared, outcomes.ravel(), accept, persons)

    def _values(self, y: Any) -> np.ndarray:
        """The outcomes, a column for each."""
        values = _numbers(y, most=1 if self._huber else 2)
        self._has_columns = values.ndim == 2  # noqa: PLR2004
        return values.reshape(len(values), -1)

    def _outcomes(self) -> int:
        """How many outcomes `y_bounds` is about, as far as it says so."""
        try:
            return max((len(end) for end in self.y_bounds if np.ndim(end) == 1), default=1)
        except TypeError:
            return 1

    def _declared(self, schema: Schema, columns: list[str]) -> str:
        ends = _check.converted(lambda: [np.broadcast_to(np.asarray(end, dtype=float), len(columns)) for end in self.y_bounds])
        if ends is None or len(ends) != 2:  # noqa: PLR2004
            each = "" if self._huber else f", or of lists with one for each of {len(columns)} outcomes"
            raise InputTypeError(f"y_bounds is a pair (min, max) of numbers{each}, not {shown(self.y_bounds)}: {_schema.WHY_BOUNDS}")
        low, high = ends
        scales = [self.y_scale] * len(columns) if isinstance(self.y_scale, str) or not np.iterable(self.y_scale) else list(self.y_scale)
        if len(scales) != len(columns) or not all(scale in ("linear", "log") for scale in scales):
            each = "" if self._huber else ", or a list with one of them for each outcome"
            raise InputError(f'y_scale is "linear" or "log"{each}, not {shown(self.y_scale)}')
        each = zip(low.tolist(), high.tolist(), scales, strict=True)
        labels = [{"number": {"min": least, "max": most, "scale": scale}} for least, most, scale in each]
        first, *others = zip(columns, labels, strict=True)
        return schema._with_outcome(*first, *others)

    def _kinds(self) -> _columns.Kinds:
        """What the columns of a frame are read as, by the model."""
        schema = self.model_["schema"]
        return _columns.Kinds.of(schema["columns"], self._dates, schema)

    def _names(self) -> list[str]:
        return list(getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)]))

    def predict(self, X: Any) -> np.ndarray:
        """The outcome that is expected for each row, in its own unit and within y_bounds; a column for each where y had columns."""
        check_is_fitted(self, "model_")
        is_frame = _frames.is_frame(X)
        if self._on_frames and not is_frame and not (self._on_arrays and _schema.only_numbers(self.model_["schema"])):
            raise InputError(_schema.NEEDS_A_FRAME)
        if self._on_frames and is_frame:
            frame = _columns.of_kinds(X, self._kinds())
            return self._shaped(_frames.read(lambda: self._released.predict_frame(frame)))
        X = _check.ours(lambda: validate_data(self, X, dtype=np.float64, reset=False))
        return self._shaped(self._released.predict_array(X))

    def _shaped(self, predicted: np.ndarray) -> np.ndarray:
        return predicted.reshape(-1, len(self._predicted())) if self._has_columns else predicted


class LinearRegression(_PrivateNumber):
    """Least squares under differential privacy, for outcomes that are numbers.

    The moments of columns and outcome are released once, with noise; coefficients, intervals, R² and predictions follow from
    them for nothing. With a y of several columns one release serves all outcomes, for one charge.

    There is a noisy number for each pair of columns. With few rows, many columns or a small budget `HuberRegressor` predicts
    better; a fit where that is so warns of it.

    Parameters
    ----------
    epsilon, delta, rho : float
        What the run may spend: epsilon, epsilon and delta, or rho.
    lam : float or "auto"
        The regularisation, for an outcome laid out over -1 to 1. Any value costs the same.
    bounds : (min, max)
        The public range of the columns of an array: two numbers, or two sequences with one number per column.
    schema : dict, Schema or path
        What is public about a frame: see `Schema`.
    y_bounds : (min, max)
        The public range of the outcome; values outside count as its ends. Of several outcomes two numbers for all of them, or two
        sequences with one number for each.
    y_scale : "linear" or "log"
        "log" for an outcome whose ratios matter more than its differences. Of several outcomes one for all of them, or a sequence.
    level : float
        The level of the intervals.
    evaluate : bool or float
        Hold 15 % of the rows out, or this share of them, and tell in `quality_` how good the model is on them. They never train; it
        costs rows and no budget.
    evaluate_by : str
        A column of categories: tell it for each of its values as well.
    account : Account or str
        Who pays: what `discretion.account` returns, or the name of an account in the default ledger. By default that of the
        enclosing ``with``; without one, the run is paid in memory and forgotten, with a warning.
    accept_check : bool
        Go on although the table looks like a mistake.
    reuse : bool
        If this account has paid for the same settings on the same rows, return what that released, for nothing.
    random_state : int, RandomState or None
        Makes results repeatable and therefore **not private**; nothing is charged.

    Attributes
    ----------
    coef_, intercept_ : array and float
        In the columns' own units and the outcome's; of its logarithm, if y_scale is "log". Where y has columns, a line and a number
        for each, and so it is with all below.
    coefficients_ : dict
        The same by their names, the intercept first.
    r2_, residual_deviation_ : float
        The share of the outcome's variance that the columns explain, and the standard deviation of what is left, both from the
        released moments.
    lam_ : float
        The regularisation that was used.
    private_ : bool
        Whether anything is promised.
    model_ : dict
        Everything that is published, as in model.json.
    intervals_ : frame
        The confidence intervals.
    quality_ : dict
        How good the model is on rows that were held out, as in model.json: R², residuals, and how often prediction intervals hold,
        each with an interval for sampling and noise.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 2000).reshape(-1, 1); y = 3 * X[:, 0] + 1
    >>> model = LinearRegression(epsilon=5.0, bounds=(-1, 1), y_bounds=(-5, 5), random_state=0).fit(X, y)
    >>> model.predict([[0.0], [1.0]]).round().tolist()
    [1.0, 4.0]
    >>> model.private_
    False
    """

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        lam: float | Literal["auto"] = "auto",
        bounds: tuple[Any, Any] | None = None,
        schema: Schema | dict[str, Any] | str | os.PathLike[str] | None = None,
        y_bounds: tuple[Any, Any] | None = None,
        y_scale: Literal["linear", "log"] | Sequence[Literal["linear", "log"]] = "linear",
        level: float = 0.95,
        evaluate: bool | float | None = None,
        evaluate_by: str | None = None,
        account: Account | str | None = None,
        accept_check: bool = False,
        reuse: bool = False,
        random_state: Any = None,
    ):
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.lam = lam
        self.bounds = bounds
        self.schema = schema
        self.y_bounds = y_bounds
        self.y_scale = y_scale
        self.level = level
        self.evaluate = evaluate
        self.evaluate_by = evaluate_by
        self.account = account
        self.accept_check = accept_check
        self.reuse = reuse
        self.random_state = random_state

    def _level(self) -> Any:
        return self.level

    def _read_model(self) -> None:
        super()._read_model()
        fits = [part["fit"] for part in self._parts()]
        self.r2_, self.residual_deviation_ = (self._each(fit[key] for fit in fits) for key in ("explained", "residual_deviation"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @property
    def intervals_(self) -> Any:
        """The confidence intervals as a tidy pandas frame, one line for each effect, in the outcome's unit; and for each outcome."""
        check_is_fitted(self, "model_")
        from ._frames import pandas_for

        outcomes = zip(self._predicted(), self._parts(), strict=True)
        lines = [
            {"outcome": outcome} | line if self._has_columns else line
            for outcome, part in outcomes
            for line in (_line(each, True) for each in part["coefficients"])
            if line
        ]
        frame = pandas_for("intervals_").DataFrame(lines)
        fit = self.model_["fit"]
        frame.attrs.update(level=fit["level"], covers=fit["covers"])
        return frame


class HuberRegressor(_PrivateNumber):
    """Huber regression under differential privacy, for an outcome that is a number.

    It takes outliers calmly, and has less noise than least squares where rows are few or columns many. Residuals up to an eighth of
    `y_bounds` count by their squares, larger ones by their size. One training, with noise in the objective or on the coefficients;
    nothing else is released of the rows that train: no intervals, no R².

    Parameters
    ----------
    epsilon, delta, rho : float
        What the run may spend: epsilon, epsilon and delta, or rho.
    lam : float or "auto"
        The regularisation, for an outcome laid out over -1 to 1.
    method : "auto", "objective" or "output"
        Where the noise goes: into the objective, or on the coefficients. "auto" takes what moves predictions less.
    bounds : (min, max)
        The public range of the columns of an array: two numbers, or two sequences with one number per column.
    schema : dict, Schema or path
        What is public about a frame: see `Schema`.
    y_bounds : (min, max)
        The public range of the outcome; values outside count as its ends.
    y_scale : "linear" or "log"
        "log" for an outcome whose ratios matter more than its differences.
    evaluate : bool or float
        Hold 15 % of the rows out, or this share of them, and tell in `quality_` how good the model is on them. They never train; it
        costs rows and no budget.
    evaluate_by : str
        A column of categories: tell it for each of its values as well.
    account : Account or str
        Who pays, as for `LinearRegression`.
    accept_check : bool
        Go on although the table looks like a mistake.
    reuse : bool
        If this account has paid for the same settings on the same rows, return what that released, for nothing.
    random_state : int, RandomState or None
        Makes results repeatable and therefore **not private**; nothing is charged.

    Attributes
    ----------
    coef_, intercept_ : array and float
        In the columns' own units and the outcome's; of its logarithm, if y_scale is "log".
    coefficients_ : dict
        The same by their names, the intercept first.
    lam_ : float
        The regularisation that was used.
    private_ : bool
        Whether anything is promised.
    model_ : dict
        Everything that is published, as in model.json.
    quality_ : dict
        How large residuals are on rows that were held out, as in model.json, with an interval for each figure.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 2000).reshape(-1, 1); y = 3 * X[:, 0] + 1
    >>> model = HuberRegressor(epsilon=5.0, bounds=(-1, 1), y_bounds=(-5, 5), random_state=0).fit(X, y)
    >>> model.predict([[0.0], [1.0]]).round().tolist()
    [1.0, 4.0]
    """

    _huber = True

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        lam: float | Literal["auto"] = "auto",
        method: Literal["auto", "objective", "output"] = "auto",
        bounds: tuple[Any, Any] | None = None,
        schema: Schema | dict[str, Any] | str | os.PathLike[str] | None = None,
        y_bounds: tuple[float, float] | None = None,
        y_scale: Literal["linear", "log"] = "linear",
        evaluate: bool | float | None = None,
        evaluate_by: str | None = None,
        account: Account | str | None = None,
        accept_check: bool = False,
        reuse: bool = False,
        random_state: Any = None,
    ):
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.lam = lam
        self.method = method
        self.bounds = bounds
        self.schema = schema
        self.y_bounds = y_bounds
        self.y_scale = y_scale
        self.evaluate = evaluate
        self.evaluate_by = evaluate_by
        self.account = account
        self.accept_check = accept_check
        self.reuse = reuse
        self.random_state = random_state

    def _method(self) -> str:
        return _settings.method(self.method)


def _outcome_names(y: Any, count: int) -> list[str]:
    """What outcomes are called: as in the frame that they are in, else y, or y0, y1 and so on."""
    columns = getattr(y, "columns", None)
    if columns is not None and len(columns) == count:
        return [str(column) for column in columns]
    return [str(getattr(y, "name", None) or "y")] if count == 1 else [f"y{at}" for at in range(count)]


def _numbers(y: Any, most: int) -> np.ndarray:
    def numbers() -> np.ndarray:
        values = np.asarray(y)
        if values.ndim != most or values.size == 0:
            values = _labels.one_each(y)
        return np.ascontiguousarray(values, dtype=np.float64)

    values = _check.converted(numbers)
    if values is None:
        raise InputTypeError("y is one number for each row")
    if not np.all(np.isfinite(values)):
        raise InputError("y has values that are missing or not finite; a row without an outcome cannot train")
    return values
