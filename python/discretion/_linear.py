"""Private linear classifiers in scikit-learn's conventions."""

import json
import numbers
import os
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _discretion, _schema
from ._errors import InputError, InputTypeError

FROM_DATA = "from-data"


class _PrivateLinear(ClassifierMixin, BaseEstimator):
    """What both estimators share; only the loss differs."""

    def __init__(
        self,
        *,
        epsilon=None,
        delta=None,
        rho=None,
        lam="auto",
        bounds=None,
        schema=None,
        classes=(0, 1),
        intervals=None,
        account=None,
        ledger=None,
        budget=None,
        random_state=None,
    ):
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.lam = lam
        self.bounds = bounds
        self.schema = schema
        self.classes = classes
        self.intervals = intervals
        self.account = account
        self.ledger = ledger
        self.budget = budget
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X, y=None):
        """Charges the account, trains, and releases.

        X is an array with `bounds`, or a frame (pandas, polars, pyarrow) with `schema` or `bounds`. Without y, the
        frame's own target column is read, as a study file declares it.
        """
        spend = self._spend()
        lam = self._lam()
        seed = self._seed()
        if self.bounds is None and self.schema is None:
            raise InputError(f"bounds= (for arrays) or schema= (for frames) is missing: {_schema.WHY_BOUNDS}")
        encoded = self._encode(X, y)
        if seed is None and self.account is None:
            warnings.warn(
                "no account was named, so nobody remembers what this run spent; pass account= to have a ledger add it up",
                stacklevel=2,
            )
        self._model = _discretion.fit(
            encoded,
            loss=self._loss,
            lam=lam,
            spend=spend,
            level=self._level(),
            seed=seed,
            account=self.account,
            ledger=None if self.ledger is None else os.fspath(self.ledger),
            cap=None if self.budget is None else _numbers(self.budget),
        )
        self._read_model()
        return self

    def _read_model(self):
        self.model_ = json.loads(self._model.to_json())
        training, coefficients = self.model_["training"], self.model_["coefficients"]
        self.lam_ = training["lambda"]
        self.private_ = self.model_["privacy"]["private"]
        per_unit = [c["per_unit"] for c in coefficients]
        # With norm = "row" no coefficient has a unit.
        values = [c["encoded"] for c in coefficients] if None in per_unit else per_unit
        self.intercept_ = np.array(values[:1])
        self.coef_ = np.array([values[1:]])

    def _encode(self, X, y):
        if hasattr(X, "__arrow_c_stream__") and self.schema is not None:
            declared = self._declared(y)
            self.n_features_in_ = len(declared["columns"])
            self.feature_names_in_ = np.array([column["name"] for column in declared["columns"]], dtype=object)
            labels = None if y is None else self._positive(y)
            return _discretion.Encoded.of_frame(X, json.dumps(declared), labels)
        if y is None:
            raise InputError("requires y to be passed, but the target y is None")
        if self.bounds is None:
            raise InputError(f"an array has no column names for schema= to speak of; pass bounds=: {_schema.WHY_BOUNDS}")
        X, y = _input(lambda: validate_data(self, X, y, dtype=np.float64))
        labels = self._positive(y)
        names = list(getattr(self, "feature_names_in_", [f"x{i}" for i in range(X.shape[1])]))
        declared = _schema.from_bounds(self.bounds, names, "y", self.classes_)
        return _discretion.Encoded.of_array(X, json.dumps(declared), labels)

    def _declared(self, y):
        if isinstance(self.schema, (str, os.PathLike)):
            declared = _schema.from_study(self.schema)
            two = declared["target"]["labels"].get("two")
            if two is None:
                raise InputError("this study declares more than two classes, and this estimator has two")
            if y is None:
                negative = two.get("negative")
                self.classes_ = np.array([negative[0] if negative else f"not {two['positive'][0]}", two["positive"][0]])
            return declared
        if not isinstance(self.schema, dict):
            raise InputTypeError(f"schema is a dict or the path of a study file, not {self.schema!r}")
        if y is None:
            raise InputError("requires y to be passed, but the target y is None")
        self._set_classes(np.asarray(y))
        return _schema.from_columns(self.schema, getattr(y, "name", None) or "y", self.classes_)

    def _positive(self, y):
        y = np.asarray(y)
        if y.ndim != 1:
            raise InputError(f"y should be a 1d array, got an array of shape {y.shape} instead")
        self._set_classes(y)
        negative, positive = self.classes_
        is_positive = y == positive
        if not np.all(is_positive | (y == negative)):
            raise InputError(
                f"y has labels other than the two classes {negative!r} and {positive!r}; pass classes=(negative, positive), "
                "which are public"
            )
        return np.ascontiguousarray(is_positive, dtype=bool)

    def _set_classes(self, y):
        if isinstance(self.classes, str) and self.classes == FROM_DATA:
            # Outside of the guarantee: which labels occur is read from the data. For trusted use only.
            found = np.unique(y)
            if y.dtype.kind == "f" and not np.all(found == np.floor(found)):
                raise InputError("Unknown label type: continuous. A classifier needs classes, not numbers")
            if len(found) != 2:
                raise InputError(
                    f"Only binary classification is supported. Classifier can't train when only one class is present or "
                    f"with more than two: y has {len(found)} class(es)"
                )
            self.classes_ = found
            return
        classes = np.asarray(self.classes)
        if classes.shape != (2,) or classes[0] == classes[1]:
            raise InputError(f"classes is a pair of different labels (negative, positive), not {self.classes!r}")
        self.classes_ = classes

    def _spend(self):
        if self.epsilon is None and self.rho is None:
            raise InputError("epsilon= (with or without delta=) or rho= is missing: it says what the run may spend")
        return tuple(_number(name, getattr(self, name)) for name in ("epsilon", "delta", "rho"))

    def _lam(self):
        if isinstance(self.lam, str):
            if self.lam != "auto":
                raise InputError(f'lam is a number, a list of numbers, or "auto", not {self.lam!r}')
            return None
        one = isinstance(self.lam, numbers.Real)
        try:
            lams = [_number("lam", value) for value in ([self.lam] if one else self.lam)]
        except TypeError:
            raise InputTypeError(f'lam is a number, a list of numbers, or "auto", not {self.lam!r}') from None
        if not lams or len(set(lams)) < len(lams) or not all(np.isfinite(lams)) or min(lams) <= 0:
            raise InputError(f"every lam is a different positive number, not {self.lam!r}")
        return lams[0] if one else lams

    def _level(self):
        if self.intervals is None or self.intervals is False:
            return None
        level = 0.95 if self.intervals is True else _number("intervals", self.intervals)
        if not 0 < level < 1:
            raise InputError(f"intervals is True or a confidence level between 0 and 1, not {self.intervals!r}")
        return level

    def _seed(self):
        if self.random_state is None:
            return None
        if isinstance(self.random_state, numbers.Integral) and not isinstance(self.random_state, bool):
            if self.random_state < 0:
                raise InputError(f"random_state is a whole number from 0 on, not {self.random_state}")
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    def decision_function(self, X):
        """The margin of each row: positive for the second class."""
        check_is_fitted(self, "model_")
        if hasattr(X, "__arrow_c_stream__") and self.schema is not None:
            return self._model.margins_of_frame(X)
        X = _input(lambda: validate_data(self, X, dtype=np.float64, reset=False))
        return self._model.margins_of_array(X)

    def predict(self, X):
        """The class of each row."""
        margins = self.decision_function(X)
        return self.classes_[(margins > 0).astype(int)]

    def save(self, path):
        """Writes model.json, the same file as the command line writes."""
        check_is_fitted(self, "model_")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self._model.to_json())

    def report(self, path):
        """Writes the page for a review board."""
        check_is_fitted(self, "model_")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self._model.report("model.json"))

    def __getstate__(self):
        state = super().__getstate__().copy()
        if "_model" in state:
            state["_model"] = self._model.to_json()
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_model" in state:
            self._model = _discretion.Model.from_json(state["_model"])


class LogisticRegression(_PrivateLinear):
    """Logistic regression under differential privacy.

    Parameters
    ----------
    epsilon, delta, rho : float
        What the run may spend: epsilon, epsilon and delta, or rho.
    lam : float, list of float or "auto"
        The regularisation. One of a list is chosen privately, out of the same budget.
    bounds : (min, max)
        The public range of the columns of an array: two numbers, or two sequences with one number per column.
    schema : dict or path
        What is public about a frame: columns with their (min, max) or list of values, or a study file.
    classes : (negative, positive) or "from-data"
        The two labels, which are public. "from-data" reads them from y, outside of the guarantee.
    intervals : bool or float
        Confidence intervals, at 95 % or this level.
    account, ledger, budget
        The account that pays, its ledger's file, and the account's lifetime cap as a dict of epsilon, delta or rho
        (default: what this run spends).
    random_state : int, RandomState or None
        Makes results repeatable and therefore **not private**; nothing is charged.

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

    def predict_proba(self, X):
        """The probability of each class."""
        margins = self.decision_function(X)
        # The larger one is 1/(1 + exp(-|margin|)), in which nothing overflows.
        small = np.exp(-np.abs(margins)) / (1 + np.exp(-np.abs(margins)))
        positive = np.where(margins > 0, 1 - small, small)
        return np.column_stack([1 - positive, positive])

    def predict_log_proba(self, X):
        """The logarithm of the same."""
        return np.log(self.predict_proba(X))


class LinearSVC(_PrivateLinear):
    """A linear support vector classifier (Huberised hinge loss) under differential privacy.

    The parameters are those of `LogisticRegression`.
    """

    _loss = "hinge"


def _number(name, value):
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputTypeError(f"{name} is a number, not {value!r}")
    return float(value)


def _numbers(budget):
    if not isinstance(budget, dict) or not set(budget) <= {"epsilon", "delta", "rho"}:
        raise InputTypeError(f"budget is a dict of epsilon, delta or rho, not {budget!r}")
    return tuple(_number(name, budget.get(name)) for name in ("epsilon", "delta", "rho"))


def _input(check):
    """scikit-learn's own checks, as errors of ours."""
    try:
        return check()
    except (InputError, InputTypeError):
        raise
    except TypeError as error:
        raise InputTypeError(str(error)) from error
    except ValueError as error:
        raise InputError(str(error)) from error
