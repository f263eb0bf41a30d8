"""The process that Spark forks its workers from, with what every worker imports. Tests kill workers and fail in them, so they start
a hundred of them. A worker looks through everything it holds after each task, but for what was frozen here.

Only what is started by `test_connect.py` has Spark's own.
"""

import gc

import discretion._spark_workers  # noqa: F401
import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pyspark.sql.pandas.serializers  # noqa: F401
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

if __name__ == "__main__":
    gc.freeze()
    manager()
