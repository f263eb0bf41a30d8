"""The process that Spark forks its workers from, with what every worker imports. Tests kill workers and fail in them, so they start
a hundred of them. Spark has a worker look through everything it holds after each task, which took as long as the tasks; here it does
so when Python thinks that there is enough to find, and never among what was frozen.

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
    gc.collect = lambda *_: 0
    manager()
