"""The estimators for tables on Spark: the same parameters, results and accounts, and rows that stay where they are.

Workers need the package installed. What is trusted, and what it costs, is in docs/spark.md.
"""

from __future__ import annotations

from typing import Any

from . import _density, _linear, _voting
from ._cluster import ClusterDensity, ClusterLinear, ClusterVoting, Source
from ._errors import InputTypeError

__all__ = ["HistogramDensity", "LinearSVC", "LogisticRegression", "PrivateVoting"]

try:
    import pyspark  # noqa: F401
except ImportError as error:  # pragma: no cover
    raise ImportError('discretion.spark needs PySpark: pip install "discretion[spark]"') from error


class _OnSpark:
    def _source(self, X: Any) -> Source:
        if not hasattr(X, "mapInArrow") or not hasattr(X, "sparkSession"):
            raise InputTypeError(
                f"X is a Spark DataFrame here, not {type(X).__name__}; for tables in memory use discretion.{type(self).__name__}"
            )
        from pyspark.sql import functions as F
        from pyspark.sql.pandas.types import to_arrow_schema

        from ._spark import SparkEngine

        def select(names: list[str]) -> Any:
            # Backticks, because Spark reads a dot in a name as a field.
            return X.select([F.col("`" + name.replace("`", "``") + "`") for name in names])

        return Source(SparkEngine(X.sparkSession), to_arrow_schema(X.schema), select)


class LogisticRegression(_OnSpark, ClusterLinear, _linear.LogisticRegression):
    """`discretion.LogisticRegression` for a Spark DataFrame: ``fit(frame, y="label")``, or a study's own target.

    Under one seed it releases the numbers that the estimator in memory releases for the same rows in the same order (by partition,
    and by their order in it).
    """


class LinearSVC(_OnSpark, ClusterLinear, _linear.LinearSVC):
    """`discretion.LinearSVC` for a Spark DataFrame."""


class HistogramDensity(_OnSpark, ClusterDensity, _density.HistogramDensity):
    """`discretion.HistogramDensity` for a Spark DataFrame."""


class PrivateVoting(_OnSpark, ClusterVoting, _voting.PrivateVoting):
    """`discretion.PrivateVoting` for a Spark DataFrame: Spark's workers train the models, which then vote here."""
