"""A session of Spark Connect, with a server of its own on this machine, that does what a user does. `test_connect.py` runs it.

Alone in its process: one process has either a session of its own or one that is remote.
"""

import json
import os
import sys

# The server starts the workers, and they run this interpreter.
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

import discretion
import discretion.spark
import pandas
from pyspark.sql import SparkSession

SCHEMA = discretion.Schema({"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]})
SETTINGS = {"schema": SCHEMA, "epsilon": 1.0, "random_state": 3}


def main(folder):
    builder = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").config("spark.driver.memory", "1g").getOrCreate()
    table = pandas.read_pickle(f"{folder}/table.pkl")
    frame = spark.createDataFrame(table)
    # Files, which workers read themselves where Spark tells which they are: not here.
    frame.coalesce(1).write.parquet(f"{folder}/table")
    told = {"kind": type(frame).__module__}
    model = discretion.spark.LogisticRegression(classes=("no", "yes"), lam=1e-3, **SETTINGS)
    told["model"] = model.fit(spark.read.parquet(f"{folder}/table"), "ill").model_
    told["predicted"] = model.transform(frame.limit(50)).toPandas()["prediction"].tolist()
    told["density"] = discretion.spark.HistogramDensity(columns=["site"], **SETTINGS).fit(frame).density_
    try:
        model.fit(frame.drop("age"), "ill")
    except discretion.Error as error:
        told["refused"] = str(error)
    spark.stop()
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1])
