"""Private histogram densities in scikit-learn's conventions."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _check, _columns, _discretion, _frames, _ledger, _progress, _schema
from ._errors import InputError, InputTypeError, Note, shown
from ._estimator import PaidFitMixin
from ._ledger import Account
from ._results import PublishedResult
from ._schema import Schema

if TYPE_CHECKING:
    from typing_extensions import Self



class HistogramDensity(PublishedResult, PaidFitMixin, DensityMixin, BaseEstimator):
    """The density of one or a few columns under differential privacy: a histogram with noise in every count.

    Numbers lie in bins of equal width, whose number is chosen privately unless `bins` names one; categories have one
    cell for each declared value, and one for all others. It is the density of ``discretion density``: same file, same
    numbers.

    Parameters
    ----------
    epsilon, delta, rho : float
        What the run may spend: epsilon, epsilon and delta, or rho.
    bins : int, list of int or None
        The number of bins of every column of numbers; one of a list is chosen privately, out of the same budget. By
        default the list is of powers of two that suit rows and budget.
    bounds : (min, max)
        The public range of the columns of an array: two numbers, or two sequences with one number per column. What is
        outside counts as on the bound.
    schema : dict, Schema or path
        What is public about a frame: see `Schema`; of a study file only its columns and target are read. Columns of the
        frame that are not in it are passed over.
    columns : list of str or None
        Which columns of `schema` to describe, and in which order; by default all that are not dropped. The target of a
        study is a column like others here.
    account : Account or str
        Who pays: what `discretion.account` returns, or the name of an account in the default ledger. By default that of
        the enclosing ``with``; without one, the run is paid in memory and forgotten, with a warning.
    accept_check : bool
        Go on although the table looks like a mistake: more than half of a column clipped, missing or not declared. By default
        that is an error, before anything is charged.
    reuse : bool
        If this account has paid for the same settings on the same rows, return what that released, for nothing. By default it is
        charged again, and a `Note` says so first.
    random_state : int, RandomState or None
        Makes results repeatable and therefore **not private**; nothing is charged.

    Attributes
    ----------
    bins_ : tuple of int
        The number of cells of each column.
    probabilities_ : array of shape `bins_`
        The probability of each cell.
    cells_ : list
        For each column of numbers the ends of its bins, one more than there are bins; for each column of categories
        their names, the last one for all values that are not declared.
    private_ : bool
        Whether anything is promised.
    density_ : dict
        Everything that is published, as in density.json.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import discretion, numpy as np
    >>> ages = np.arange(1000).reshape(-1, 1) % 100
    >>> density = discretion.HistogramDensity(epsilon=1.0, bins=4, bounds=(0, 100), random_state=0).fit(ages)
    >>> density.bins_, density.cells_[0]
    ((4,), array([  0.,  25.,  50.,  75., 100.]))
    >>> bool(abs(density.probabilities_ - 0.25).max() < 0.05)
    True
    >>> density.sample(3, random_state=0).shape
    (3, 1)

    >>> import pandas
    >>> frame = pandas.DataFrame({"site": ["north", "south", "south", "west"] * 500})
    >>> schema = discretion.Schema({"site": ["north", "south"]})
    >>> density = discretion.HistogramDensity(epsilon=1.0, schema=schema, random_state=0).fit(frame)
    >>> dict(zip(density.cells_[0], density.probabilities_.round(2).tolist()))
    {'north': 0.25, 'south': 0.5, 'other': 0.25}
    """

    _kind, _file = _discretion.Density, "density.json"
    _of_a_fit = (*PaidFitMixin._of_a_fit, "_library", "_on_arrays", "_dates")
    # A density that was read from a file does not know which it was fitted on.
    _on_arrays, _dates = False, frozenset()

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        bins: int | Sequence[int] | None = None,
        bounds: tuple[Any, Any] | None = None,
        schema: Schema | dict[str, Any] | str | os.PathLike[str] | None = None,
        columns: Sequence[str] | None = None,
        account: Account | str | None = None,
        accept_check: bool = False,
        reuse: bool = False,
        random_state: Any = None,
    ):
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bins = bins
        self.bounds = bounds
        self.schema = schema
        self.columns = columns
        self.account = account
        self.accept_check = accept_check
        self.reuse = reuse
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Encodes the rows, charges the account, counts, and releases.

        X is an array with `bounds`, or a frame (pandas, polars, pyarrow, anything of Arrow columns) with `schema` or
        `bounds`. y is ignored.
        """
        with self._anew():
            spend = _check.budget(self.epsilon, self.delta, self.rho, "what the run may spend")
            seed, bins = _check.seed(self.random_state), self._bins()
            _schema.one_of(self.bounds, self.schema)
            self._check_pipeline()
            with _progress.clock("reading rows"):
                described = self._describe(X)
            payer, self._account = _ledger.payer(self.account, seed, spend)
            with _progress.clock("counting"):
                self._released, notes = _discretion.fit_density(
                    described, payer=payer, bins=bins, spend=spend, repeat=self._repeat()
                )
            self._mark_uncovered()
            self._read_density()
        for note in notes:
            warnings.warn(note, Note, stacklevel=2)
        return self

    def _describe(self, X: Any) -> Any:
        # Of a frame with a schema, whose columns have names and kinds. Without one it is an array with names.
        self._library = _frames.library(X) if _frames.is_frame(X) and self.schema is not None else None
        if self._library is not None:
            schema, columns = _schema.of(self.schema), self._columns()
            accept, self._dates = bool(self.accept_check), schema._dates
            frame = _columns.of_kinds(X, schema._kinds)
            described = _frames.read(lambda: _discretion.Described.of_frame(frame, schema._json(), columns, accept))
            self.feature_names_in_ = np.array(described.names, dtype=object)
            self.n_features_in_ = len(described.names)
            return described
        if self.bounds is None:
            raise InputError(f"an array has no names for schema= to speak of; pass bounds=: {_schema.WHY_BOUNDS}")
        if self.columns is not None:
            raise InputError("columns= chooses columns of schema=; of an array all columns are described, so cut it")
        X = _check.ours(lambda: validate_data(self, X, dtype=np.float64))
        names = list(getattr(self, "feature_names_in_", [f"x{i}" for i in range(X.shape[1])]))
        declared = _schema.from_bounds(self.bounds, names)._json()
        return _discretion.Described.of_array(X, declared, bool(self.accept_check))

    def _columns(self) -> list[str] | None:
        if self.columns is None:
            return None
        columns = [] if isinstance(self.columns, str) or not hasattr(self.columns, "__iter__") else list(self.columns)
        if not columns or not all(isinstance(name, str) for name in columns):
            raise InputTypeError(f"columns is a list of names, not {shown(self.columns)}")
        return columns

    def _bins(self) -> list[int] | None:
        if self.bins is None:
            return None
        bins = [_check.whole("bins", number, 1) for number in np.atleast_1d(np.asarray(self.bins, dtype=object))]
        if not bins or len(set(bins)) < len(bins):
            raise InputError(f"bins is a whole number, or a list of different ones, not {shown(self.bins)}")
        return bins

    def _read_density(self) -> None:
        self.density_ = json.loads(self._released.to_json())
        self.private_ = self.density_["privacy"]["private"]
        self.bins_ = tuple(self.density_["density"]["bins"])
        self.probabilities_ = np.array(self.density_["density"]["probabilities"]).reshape(self.bins_)
        columns = self.density_["columns"]
        self.cells_ = [column["names"] if "names" in column else np.array(column["edges"]) for column in columns]

    def score_samples(self, X: Any) -> np.ndarray:
        """The logarithm of the density at each row: per unit of every column of numbers, and per category.

        A row has the density of the cell where `fit` would count it, so one outside the bounds has that of the bound.
        """
        check_is_fitted(self, "density_")
        is_frame = _frames.is_frame(X)
        if self._library is not None and not is_frame and not (self._on_arrays and not any(map(_is_names, self.cells_))):
            raise InputError(_schema.NEEDS_A_FRAME)
        if self._library is not None and is_frame:
            frame = _columns.of_kinds(X, _columns.Kinds.of(self.density_["columns"], self._dates))
            return _frames.read(lambda: self._released.log_densities_of_frame(frame))
        X = _check.ours(lambda: validate_data(self, X, dtype=np.float64, reset=False))
        return self._released.log_densities_of_array(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The logarithm of the likelihood of all rows together. y is ignored."""
        return float(np.sum(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Synthetic rows. They are as public as the density and spend nothing.

        A number is drawn evenly within its bin, and what is in none of the declared categories is "other". A density of
        an array gives an array, one of a frame a frame of the same library (pandas, polars or pyarrow), else a dict of
        columns.
        """
        check_is_fitted(self, "density_")
        n_samples = _check.whole("n_samples", n_samples, 1)
        drawn = self._released.sample(n_samples, _check.seed(random_state))
        if self._library is None:
            return np.column_stack(drawn)
        return _frame(dict(zip(self._names(), drawn, strict=True)), self._library)

    def marginal(self, column: int | str = 0) -> np.ndarray:
        """The probability of each cell of one column, by its name or place, whatever the others are."""
        return self._released.marginal(self._place(column))

    def _names(self) -> list[str]:
        return [column["name"] for column in self.density_["columns"]]

    def _place(self, column: int | str) -> int:
        check_is_fitted(self, "density_")
        names = self._names()
        if isinstance(column, str):
            if column not in names:
                raise InputError(f"this density has no column {column!r}; it has {', '.join(names)}")
            return names.index(column)
        if _check.whole("column", column) >= len(names):
            raise InputError(f"this density has {len(names)} columns, numbered from 0, and no column {column}")
        return int(column)

    def plot(self, column: int | str | None = None, ax: Any = None) -> Any:
        """Draws the density on matplotlib axes, which are returned: bars for one column, a map of cells for two.

        `column` is one to draw alone, by its name or place; a density of more than two columns needs it.
        """
        check_is_fitted(self, "density_")
        from ._plot_density import bars, cells

        columns = list(zip(self._names(), self.cells_, strict=True))
        if column is None and len(columns) > 2:
            raise InputError("a density of more than two columns is drawn one column at a time: pass column=")
        if column is None and len(columns) == 2:
            return cells(columns, self.probabilities_, self.private_, ax)
        place = 0 if column is None else self._place(column)
        return bars(*columns[place], self.marginal(place), self.private_, ax)


def _is_names(cells: Any) -> bool:
    return not isinstance(cells, np.ndarray)


def _frame(columns: dict[str, Any], library: str) -> Any:
    if library == "pandas":
        return _frames.pandas_for("sample() of a frame").DataFrame(columns)
    if library == "polars":
        import polars

        return polars.DataFrame(columns)
    if library == "pyarrow":
        import pyarrow

        return pyarrow.table(columns)
    return columns
