"""Private linear classifiers in scikit-learn's conventions."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _check, _columns, _curve, _discretion, _frames, _labels, _ledger, _person, _progress, _schema, _settings, _values, _weights
from ._errors import InputError, Note, shown
from ._estimator import PaidFitMixin
from ._ledger import Account
from ._results import WithEffects
from ._schema import Schema
from ._searches import tell_of_use, warn_caller

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._plan import Plan

FROM_DATA = "from-data"
ALL_CLASSES = "all classes as classes="


class _PrivateLinear(WithEffects, PaidFitMixin, ClassifierMixin, BaseEstimator):
    """What both estimators share; only the loss differs."""

    _kind, _file = _discretion.Model, "model.json"
    _of_a_fit = (*PaidFitMixin._of_a_fit, "_on_frames", "_on_arrays", "_dates")
    # A model that was read from a file does not know which it was fitted on.
    _on_arrays, _dates = False, frozenset()

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        lam: float | Sequence[float] | Literal["auto"] = "auto",
        method: Literal["auto", "output", "objective"] = "auto",
        bounds: tuple[Any, Any] | None = None,
        schema: Schema | dict[str, Any] | str | os.PathLike[str] | None = None,
        classes: Sequence[Any] | Literal["from-data"] = (0, 1),
        intervals: bool | float | Sequence[str] | None = None,
        reference: Any = None,
        largest_effect: float = 4.0,
        evaluate: bool | float | None = None,
        evaluate_by: str | None = None,
        account: Account | str | None = None,
        accept_check: bool = False,
        reuse: bool = False,
        max_weight: float | None = None,
        base_rate: Literal["private"] | None = None,
        random_state: Any = None,
    ):
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.lam = lam
        self.method = method
        self.bounds = bounds
        self.schema = schema
        self.classes = classes
        self.intervals = intervals
        self.reference = reference
        self.largest_effect = largest_effect
        self.evaluate = evaluate
        self.evaluate_by = evaluate_by
        self.account = account
        self.accept_check = accept_check
        self.reuse = reuse
        self.max_weight = max_weight
        self.base_rate = base_rate
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._several
        return tags

    # Whether there may be more than two classes.
    _several = False

    def _loss_name(self) -> str:
        return self._loss

    def fit(self, X: Any, y: Any = None, *, person: Any = None, sample_weight: Any = None) -> Self:
        """Encodes the rows, charges the account, trains, and releases.

        X is an array with `bounds`, or a frame (pandas, polars, pyarrow, anything of Arrow columns) with `schema` or
        `bounds`. Without y, the frame's own target column is read, as a study file declares it.

        With `person`, one identifier for each row or the name of a column of a frame with `schema`, the guarantee is about a
        person with all rows, however many, and not about a row. Identifiers are not kept.

        With `sample_weight`, one number for each row, a row counts as its part of `max_weight`, which is declared: no bound is read
        from the rows, and larger weights count as that. What weighs 0 is in the table and counts for nothing, so how many rows
        count stays private.
        """
        with self._anew():
            spend = _check.budget(self.epsilon, self.delta, self.rho, "what the run may spend")
            seed = _check.seed(self.random_state)
            settings = self._settings()
            _schema.one_of(self.bounds, self.schema)
            self._check_pipeline()
            weights = _weights.parts(sample_weight, self.max_weight)
            with _progress.clock("reading rows"):
                encoded = self._encode(X, y, seed, person, spend, weights)
            settings["reference"] = self._place_of_reference()
            _tell_of_order(self.classes_)
            payer, self._account = _ledger.payer(self.account, seed, spend)
            candidates = settings["lam"] if isinstance(settings["lam"], list) else []
            with _progress.clock(f"training with {len(candidates)} values of lam" if candidates else "training"):
                self._released, notes = _discretion.fit(
                    encoded, payer=payer, spend=spend, repeat=self._repeat(), **settings
                )
            self._mark_uncovered()
            self._read_model()
        for note in notes:
            warnings.warn(note, Note, stacklevel=2)
        return self

    def _settings(self) -> dict[str, Any]:
        """What is asked for, as Rust takes it."""
        return {
            "loss": self._loss_name(),
            "lam": _settings.lam(self.lam),
            "method": _settings.method(self.method),
            "base_rate": _settings.base_rate(self.base_rate),
            "level": _settings.level(self.intervals),
            "columns": _settings.interval_columns(self.intervals),
            "largest_effect": _settings.largest_effect(self.largest_effect),
            "evaluate": _settings.held_out(self.evaluate, self.evaluate_by),
        }

    def _place_of_reference(self) -> int | None:
        """The place of the class that intervals compare with, if one is named."""
        if self.reference is None:
            return None
        classes = list(self.classes_)
        if self.intervals in (None, False) or len(classes) < 3:
            raise InputError("reference is the class that intervals of more than two classes compare with; leave it out here")
        if self.reference not in classes:
            raise InputError(f"reference is one of the classes {classes}, not {shown(self.reference)}")
        return classes.index(self.reference)

    def _read_model(self) -> None:
        self.model_ = json.loads(self._released.to_json())
        training, coefficients = self.model_["training"], self.model_["coefficients"]
        self.lam_ = training["lambda"]
        self.private_ = self.model_["privacy"]["private"]
        per_unit = [c["per_unit"] for c in coefficients]
        # With norm = "row" no coefficient has a unit.
        values = [c["encoded"] for c in coefficients] if None in per_unit else per_unit
        names = [c["of"] or c["name"] for c in coefficients]
        if "class" in coefficients[0]:
            each = np.array(values).reshape(len(self.classes_), -1)
            self.intercept_, self.coef_ = each[:, 0], each[:, 1:]
            # By class, and then by name.
            self.coefficients_ = {
                label: dict(zip(names[: each.shape[1]], line.tolist(), strict=True))
                for label, line in zip(self.classes_.tolist(), each, strict=True)
            }
            return
        self.intercept_ = np.array(values[:1])
        self.coef_ = np.array([values[1:]])
        self.coefficients_ = dict(zip(names, values, strict=True))

    def _encode(self, X: Any, y: Any, seed: int | None, person: Any, spend: tuple, weights: Any) -> Any:
        # Without a schema a frame of numbers is an array with names.
        self._on_frames = _frames.is_frame(X) and self.schema is not None
        if self._on_frames:
            return self._encode_frame(X, y, _schema.of(self.schema), seed, person, spend, weights)
        if isinstance(person, str):
            raise InputError("an array has no column of that name; pass person= as one identifier for each row")
        _required(y)
        if self.bounds is None:
            raise InputError(f"an array has no column names for schema= to speak of; pass bounds=: {_schema.WHY_BOUNDS}")
        X, y = _check.ours(lambda: validate_data(self, X, y, dtype=np.float64))
        labels, classes = self._places(y, seed)
        schema = _schema.from_bounds(self.bounds, self._names())
        declared = schema._with_target("y", self.classes_)
        persons = None if person is None else _person.identifiers(person)
        accept = bool(self.accept_check)
        return _discretion.Encoded.of_array(X, declared, labels, accept, persons, classes, weights)

    def _encode_frame(
        self, X: Any, y: Any, schema: Schema, seed: int | None, person: Any, spend: tuple, weights: Any
    ) -> Any:
        persons = None if person is None or isinstance(person, str) else _person.identifiers(person)
        schema = schema._about(person if isinstance(person, str) else None)
        if persons is not None and schema.person is not None:
            raise InputError(f"whose rows they are is said twice: by person= and by the schema's column {schema.person!r}")
        self.n_features_in_ = len(schema._used)
        self.feature_names_in_ = np.array(schema._used, dtype=object)
        labels = classes = unlabelled = None
        named = str(getattr(y, "name", None) or "y")
        if y is not None and schema._leaves_unlabelled_out:
            y = _labels.one_each(y)
            unlabelled = _labels.missing(y)
        if y is None and schema._several is not None and self._several:
            self.classes_ = np.array(schema._several)
            target = _labels.one_each(_frames.column(X, schema._target["column"]))
            classes = _labels.places(target, self.classes_, ALL_CLASSES).astype(np.uint16)
            declared = schema._json()
        elif y is None:
            self.classes_ = np.array(_required(schema._two_classes()))
            declared = schema._json()
        else:
            labels, classes = self._places(y, seed, unlabelled)
            declared = schema._with_target(named, self.classes_)
        declared = _curve.settled(declared, X if y is None else y, spend, lambda: _person.of_rows(X, persons, schema.person))
        self._dates = schema._dates
        frame = _columns.of_kinds(X, schema._kinds)
        accept = bool(self.accept_check)
        given = (labels, accept, persons, classes, weights, unlabelled)
        return _frames.read(lambda: _discretion.Encoded.of_frame(frame, declared, *given))

    def _kinds(self) -> _columns.Kinds:
        """What the columns of a frame are read as, by the model."""
        schema = self.model_["schema"]
        return _columns.Kinds.of(schema["columns"], self._dates, schema)

    def _names(self) -> list[str]:
        return list(getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)]))

    def _places(
        self, y: Any, seed: int | None, unlabelled: np.ndarray | None = None
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Whether each row is positive or, of more than two classes, the place of its class. Any will do for rows that weigh nothing."""
        y = _labels.one_each(y)
        known = slice(None) if unlabelled is None else ~unlabelled
        self.classes_ = self._declared_classes(y[known], seed)
        if unlabelled is not None and unlabelled.any():
            y = y.astype(object)
            y[unlabelled] = self.classes_[0]
        if len(self.classes_) > 2:
            return None, _labels.places(y, self.classes_, ALL_CLASSES).astype(np.uint16)
        return _labels.places(y, self.classes_, "classes=(negative, positive)") == 1, None

    def _declared_classes(self, y: np.ndarray, seed: int | None) -> np.ndarray:
        if isinstance(self.classes, str) and self.classes == FROM_DATA:
            if seed is None:
                raise InputError(
                    'classes="from-data" reads from the rows which labels there are, and no noise covers that; pass '
                    "classes=(negative, positive), or a random_state for a result that is not private anyway"
                )
            found = np.unique(y)
            if y.dtype.kind == "f" and not np.all(found == np.floor(found)):
                raise InputError("Unknown label type: continuous. A classifier needs classes, not numbers")
            if len(found) > 2 and self._several:
                return found
            if len(found) != 2:
                raise InputError(
                    f"Only binary classification is supported. Classifier can't train when only one class is present or "
                    f"with more than two: y has {len(found)} class(es)"
                )
            return found
        classes = np.asarray(self.classes)
        if self._several and classes.ndim == 1 and len(classes) > 2:
            if len({_values.usual(label) for label in classes.tolist()}) < len(classes):
                raise InputError(f"classes are different labels, not {shown(self.classes)}")
            return classes
        if classes.shape != (2,) or _values.usual(classes[0]) == _values.usual(classes[1]):
            raise InputError(f"classes is a pair of different labels (negative, positive), not {shown(self.classes)}")
        return classes

    def plan(self, rows: int) -> Plan:
        """Says what `fit` would do with so many rows: it plans by the same rules, and refuses what `fit` would refuse.

        Nothing is read and nothing is spent. With an account, `fits` says how many such fits it can pay.
        """
        from ._plan import of_fit

        spend = _check.budget(self.epsilon, self.delta, self.rho, "what the run may spend")
        if self.schema is not None:
            schema = _schema.of(self.schema)
        else:
            _schema.one_of(self.bounds, self.schema)
            schema = _schema.from_bounds(self.bounds, _schema.names_for(self.bounds))
        who = _ledger.named(self.account) if self.account is not None and self.random_state is None else None
        account = None if who is None else (who._ledger._ledger, who._name, who._cap)
        count = _check.whole("rows", rows, 1, 10**12)
        classes = (0, 1) if isinstance(self.classes, str) else self.classes
        held_out = _settings.held_out(self.evaluate, self.evaluate_by)
        return of_fit(schema, count, spend, self.lam, self.method, self._loss_name(), self.intervals, account, classes, held_out, self.base_rate)

    def decision_function(self, X: Any) -> np.ndarray:
        """The margin of each row: positive for the second class. Of more than two classes, a score for each."""
        scores = self._scores(X)
        return scores if len(self.classes_) == 2 else scores.reshape(-1, len(self.classes_))

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "model_")
        if self._copied_by is None:
            tell_of_use(self)
        is_frame = _frames.is_frame(X)
        if self._on_frames and not is_frame and not (self._on_arrays and _schema.only_numbers(self.model_["schema"])):
            raise InputError(_schema.NEEDS_A_FRAME)
        if self._on_frames and is_frame:
            frame = _columns.of_kinds(X, self._kinds())
            return _frames.read(lambda: self._released.margins_of_frame(frame))
        X = _check.ours(lambda: validate_data(self, X, dtype=np.float64, reset=False))
        return self._released.margins_of_array(X)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        margins = self.decision_function(X)
        return self.classes_[margins.argmax(axis=1) if margins.ndim == 2 else (margins > 0).astype(int)]


class LogisticRegression(_PrivateLinear):
    """Logistic regression under differential privacy.

    Parameters
    ----------
    epsilon, delta, rho : float
        What the run may spend: epsilon, epsilon and delta, or rho.
    lam : float, list of float or "auto"
        The regularisation. One of a list is chosen privately, out of the same budget.
    method : "auto", "output" or "objective"
        Where the noise goes: to the coefficients or into the objective. "auto" takes the better one by public numbers.
    bounds : (min, max)
        The public range of the columns of an array: two numbers, or two sequences with one number per column.
    schema : dict, Schema or path
        What is public about a frame: see `Schema`; of a study file only its columns and target are read.
    classes : (negative, positive), a list of more than two labels, or "from-data"
        The labels, which are public. More than two are one softmax with coefficients for each class. "from-data" reads them from y, which needs a random_state: it is not private.
    intervals : bool, float or list of str
        Confidence intervals, at 95 % or this level, out of the same budget; or at 95 % for the columns of these names only. Of more
        than two classes each is compared with `reference`.
    reference : label
        The class that the intervals of more than two classes compare with; by default the first of `classes`.
    largest_effect : float
        No effect is larger than this, in log odds for half the range of a number or for a category: what is known beforehand, never
        what the rows say. Where rows and budget say little, intervals rest on it.
    evaluate : bool or float
        Hold 15 % of the rows out, or this share of them, and tell in `quality_` how good the model is on them. Training never
        looks at them; it costs rows and no budget.
    evaluate_by : str
        A column of categories: tell it for each of its values as well.
    account : Account or str
        Who pays: what `discretion.account` returns, or the name of an account in the default ledger. By default that of the
        enclosing ``with``; without one, the run is paid in memory and forgotten, with a warning.
    accept_check : bool
        Go on although the table looks like a mistake: no row of a class, or more than half of a column clipped, missing or not
        declared. By default that is an error, before anything is charged.
    reuse : bool
        If this account has paid for the same settings on the same rows, return what that released, for nothing. By default it is
        charged again, and a `Note` says so first.
    max_weight : float
        The largest `sample_weight` that there may be, for a fit with weights: public knowledge, not the largest in the rows.
    base_rate : "private" or None
        "private" releases how frequent the positive class is, for 5 % of the budget, and lam pulls the intercept there and not to even
        odds: for a class that is known to be rare, and a small epsilon.
    random_state : int, RandomState or None
        Makes results repeatable and therefore **not private**; nothing is charged.

    Attributes
    ----------
    coef_, intercept_ : arrays
        In the columns' own units (encoded, if the schema's norm is "row").
    coefficients_ : dict
        The same by their names, the intercept first: ``(intercept)``, ``age``, ``site=north``.
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    lam_ : float
        The regularisation that was used.
    private_ : bool
        Whether anything is promised.
    model_ : dict
        Everything that is published, as in model.json.
    intervals_ : frame
        The confidence intervals.
    quality_ : dict
        How good the model is on rows that were held out, as in model.json: AUC, base rate, Brier score, bins and thresholds, each
        with an interval for sampling and noise; of several classes accuracy, calls, and the same for each class.
    thresholds_ : frame
        Recall, precision and the rest for each threshold, of two classes.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1.0], [1.0]] * 500); y = np.array([0, 1] * 500)
    >>> model = LogisticRegression(epsilon=1.0, bounds=(-1, 1), random_state=0).fit(X, y)
    >>> model.predict([[-1.0], [1.0]])
    array([0, 1])
    >>> model.private_
    False
    """

    _loss = "logistic"
    _several = True

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class."""
        margins = self.decision_function(X)
        if margins.ndim == 2:
            powers = np.exp(margins - margins.max(axis=1, keepdims=True))
            return powers / powers.sum(axis=1, keepdims=True)
        # The larger one is 1/(1 + exp(-|margin|)), in which nothing overflows.
        small = np.exp(-np.abs(margins)) / (1 + np.exp(-np.abs(margins)))
        positive = np.where(margins > 0, 1 - small, small)
        return np.column_stack([1 - positive, positive])

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of the same."""
        margins = self.decision_function(X)
        if margins.ndim == 2:
            below = margins - margins.max(axis=1, keepdims=True)
            return below - np.log(np.exp(below).sum(axis=1, keepdims=True))
        # log(1/(1 + e^m)) without the 0 that a very small probability rounds to.
        return np.column_stack([-np.logaddexp(0, margins), -np.logaddexp(0, -margins)])


class LinearSVC(_PrivateLinear):
    """A linear support vector classifier (Huberised hinge loss) under differential privacy.

    The parameters and attributes are those of `LogisticRegression`, and one more:

    Parameters
    ----------
    smoothing : float
        The hinge's corner is rounded over 1 - smoothing to 1 + smoothing: 0.125, 0.25, 0.5, 1 or 2. By default 1 with intervals,
        which are truer then, and else 0.5.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1.0], [1.0]] * 500); y = np.array(["no", "yes"] * 500)
    >>> model = LinearSVC(epsilon=1.0, bounds=(-1, 1), classes=("no", "yes"), random_state=0).fit(X, y)
    >>> model.predict([[-1.0], [1.0]]).tolist()
    ['no', 'yes']
    """

    _loss = "hinge"

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        lam: float | Sequence[float] | Literal["auto"] = "auto",
        method: Literal["auto", "output", "objective"] = "auto",
        bounds: tuple[Any, Any] | None = None,
        schema: Schema | dict[str, Any] | str | os.PathLike[str] | None = None,
        classes: Sequence[Any] | Literal["from-data"] = (0, 1),
        intervals: bool | float | Sequence[str] | None = None,
        smoothing: float | None = None,
        evaluate: bool | float | None = None,
        evaluate_by: str | None = None,
        account: Account | str | None = None,
        accept_check: bool = False,
        reuse: bool = False,
        max_weight: float | None = None,
        random_state: Any = None,
    ):
        super().__init__(
            epsilon=epsilon,
            delta=delta,
            rho=rho,
            lam=lam,
            method=method,
            bounds=bounds,
            schema=schema,
            classes=classes,
            intervals=intervals,
            evaluate=evaluate,
            evaluate_by=evaluate_by,
            account=account,
            accept_check=accept_check,
            reuse=reuse,
            max_weight=max_weight,
            random_state=random_state,
        )
        self.smoothing = smoothing

    def _loss_name(self) -> str:
        return _settings.hinge(self.smoothing, self.intervals)


def _tell_of_order(classes: np.ndarray) -> None:
    """Scorers of scikit-learn know no other order of classes than the sorted one, and do not ask."""
    if len(classes) > 2:
        return
    negative, positive = classes.tolist()
    if type(negative) is type(positive) and positive < negative:
        warn_caller(
            f"{positive!r} is the positive class here, and scikit-learn's scorers (roc_auc, neg_log_loss) take {negative!r} for it, "
            "because it is last in sorted order: their scores are upside down; coefficients and predictions are not concerned"
        )


def _required(y: Any) -> Any:
    if y is None:
        raise InputError("requires y to be passed, but the target y is None")
    return y
