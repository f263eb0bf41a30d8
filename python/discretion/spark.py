"""The estimators for tables on Spark: the same parameters, results and accounts, and rows that stay where they are.

Workers need the package installed. What is trusted, and what it costs, is in docs/spark.md.
"""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.utils.validation import check_is_fitted

from . import _density, _linear, _number, _voting
from ._cluster import ClusterDensity, ClusterLinear, ClusterNumber, ClusterVoting, Source
from ._errors import InputError, InputTypeError

__all__ = ["HistogramDensity", "HuberRegressor", "LinearRegression", "LinearSVC", "LogisticRegression", "PrivateVoting"]

try:
    import pyspark  # noqa: F401
except ImportError as error:  # pragma: no cover
    raise ImportError('discretion.spark needs PySpark: pip install "discretion[spark]"') from error


class _OnSpark:
    def _spark_frame(self, X: Any) -> Any:
        if type(X).__module__.startswith("pyspark.pandas"):
            # The index of pandas-on-Spark is no column, as in memory, and nobody needs to be told that it is left out.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                X = X.to_spark()
        if not hasattr(X, "mapInArrow") or not hasattr(X, "sparkSession"):
            raise InputTypeError(
                f"X is a Spark DataFrame here, not {type(X).__name__}; for tables in memory use discretion.{type(self).__name__}"
            )
        return X

    def _source(self, X: Any) -> Source:
        X = self._spark_frame(X)
        from pyspark.sql import functions as F
        from pyspark.sql.pandas.types import to_arrow_schema

        from ._spark import SparkEngine

        def select(names: list[str]) -> Any:
            # Backticks, because Spark reads a dot in a name as a field.
            return X.select([F.col("`" + name.replace("`", "``") + "`") for name in names])

        return Source(SparkEngine(X.sparkSession), to_arrow_schema(X.schema), select)


class _LinearOnSpark(_OnSpark, ClusterLinear):
    def transform(
        self, X: Any, *, prediction: str | None = "prediction", probability: str | None = None, margin: str | None = None
    ) -> Any:
        """X with a column for what is named, which executors add: the class, the positive one's probability, the margin.

        Of more than two classes probabilities and margins are a column for each, with its label: ``risk_mild``, ``risk_severe``.
        Nothing is collected. `predict` is for points that are here.
        """
        check_is_fitted(self, "model_")
        if probability is not None and not hasattr(self, "predict_proba"):
            raise InputError("this classifier has no probabilities; name a column for the margin")
        from ._transform_on_spark import with_predictions

        names = {"prediction": prediction, "probability": probability, "margin": margin}
        return with_predictions(self, self._spark_frame(X), names)

    def stage(self, y: str | None = None, **columns: str | None) -> Any:
        """This estimator as a stage of a spark.ml ``Pipeline``: fitted with the labels in column y, it adds `columns` of `transform`."""
        from ._transform_on_spark import Stage

        return Stage(self, (y,), columns)


class LogisticRegression(_LinearOnSpark, _linear.LogisticRegression):
    """`discretion.LogisticRegression` for a Spark DataFrame: ``fit(frame, y="label")``, or a study's own target.

    Under one seed it releases the numbers that the estimator in memory releases for the same rows in the same order (by partition,
    and by their order in it).
    """


class LinearSVC(_LinearOnSpark, _linear.LinearSVC):
    """`discretion.LinearSVC` for a Spark DataFrame."""


class _NumberOnSpark(_OnSpark, ClusterNumber):
    def transform(self, X: Any, *, prediction: str = "prediction") -> Any:
        """X with a column of the outcomes that are expected, which executors add; of several outcomes ``prediction_days`` and so on.

        Nothing is collected. `predict` is for points that are here.
        """
        check_is_fitted(self, "model_")
        from ._transform_on_spark import with_numbers

        return with_numbers(self, self._spark_frame(X), prediction)

    def stage(self, y: Any, **columns: str) -> Any:
        """This estimator as a stage of a spark.ml ``Pipeline``: fitted with the outcomes in column y, it adds `columns` of `transform`."""
        from ._transform_on_spark import Stage

        return Stage(self, (y,), columns)


class LinearRegression(_NumberOnSpark, _number.LinearRegression):
    """`discretion.LinearRegression` for a Spark DataFrame: ``fit(frame, y="days")``, or a list of names for several outcomes.

    Workers sum products of columns and outcomes, in one pass, and only their sums come here. Under one seed it releases the
    moments that the estimator in memory releases for the same rows in the same order.
    """


class HuberRegressor(_NumberOnSpark, _number.HuberRegressor):
    """`discretion.HuberRegressor` for a Spark DataFrame: ``fit(frame, y="days")``."""


class HistogramDensity(_OnSpark, ClusterDensity, _density.HistogramDensity):
    """`discretion.HistogramDensity` for a Spark DataFrame."""

    def transform(self, X: Any, *, log_density: str = "log_density") -> Any:
        """X with the logarithm of the density at each row, in a column that executors add."""
        check_is_fitted(self, "density_")
        from ._transform_on_spark import with_densities

        return with_densities(self, self._spark_frame(X), log_density)

    def stage(self, **columns: str) -> Any:
        """This estimator as a stage of a spark.ml ``Pipeline``."""
        from ._transform_on_spark import Stage

        return Stage(self, (), columns)


class PrivateVoting(_OnSpark, ClusterVoting, _voting.PrivateVoting):
    """`discretion.PrivateVoting` for a Spark DataFrame: Spark's workers train the models, which then vote here."""
