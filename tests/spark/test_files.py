"""Workers read plain Parquet files themselves, and what leaves is what leaves when Spark reads them."""

import discretion
import discretion.spark
import pyarrow
import pyarrow.parquet
import pytest
from discretion._spark_files import SETTING, spans_of
from pyspark.sql import functions as F

SCHEMA = discretion.Schema({"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]})
SETTINGS = {"schema": SCHEMA, "epsilon": 1.0, "lam": 1e-3, "classes": ("no", "yes"), "random_state": 3}


def fitted(frame):
    return discretion.spark.LogisticRegression(**SETTINGS).fit(frame, "ill").model_


@pytest.fixture
def folder(table, tmp_path):
    """Two files, one of them with many groups of rows."""
    pyarrow.parquet.write_table(pyarrow.table(table.iloc[:20_000]), tmp_path / "a.parquet", row_group_size=1000)
    pyarrow.parquet.write_table(pyarrow.table(table.iloc[20_000:]), tmp_path / "b.parquet")
    return tmp_path


@pytest.mark.parametrize("bytes_of_a_partition", ["128m", "40k"])
def test_workers_read_what_spark_would_read(spark, table, folder, bytes_of_a_partition):
    name = "spark.sql.files.maxPartitionBytes"
    before = spark.conf.get(name)
    try:
        spark.conf.set(name, bytes_of_a_partition)
        spark.conf.set("spark.sql.files.openCostInBytes", "0")
        frame = spark.read.parquet(str(folder))
        spans = spans_of(frame)
        assert {path for partition in spans for path, _, _ in partition} == {str(folder / "a.parquet"), str(folder / "b.parquet")}
        assert (len(spans) > 4) == (bytes_of_a_partition == "40k"), "a file is cut, and its rows are still each read once"
        ours = fitted(frame)
        spark.conf.set(SETTING, "false")
        assert spans_of(frame) is None
        assert fitted(frame) == ours
    finally:
        spark.conf.set(name, before)
        spark.conf.unset("spark.sql.files.openCostInBytes")
        spark.conf.unset(SETTING)
    in_order = spark.read.parquet(str(folder / "a.parquet")).coalesce(1).union(spark.read.parquet(str(folder / "b.parquet")).coalesce(1))
    assert spans_of(in_order) is not None
    assert fitted(in_order) == discretion.LogisticRegression(**SETTINGS).fit(table.drop(columns="ill"), table["ill"]).model_


def test_what_is_not_plain_is_left_to_spark(spark, frame, folder):
    files = spark.read.parquet(str(folder))
    assert spans_of(files.select("dose", "age")) is not None
    for other in (
        frame,
        files.where("age > 40"),
        files.withColumn("age", F.col("age") + 1),
        files.select(F.col("dose").alias("age"), F.col("age").alias("dose")),
        files.select("age", "dose").union(files.select("dose", "age")),
        files.repartition(3),
        files.limit(5),
        files.distinct(),
    ):
        assert spans_of(other) is None


@pytest.mark.parametrize("change", ["another type", "no such column", "no file"])
def test_a_file_that_is_not_what_it_seems_is_left_to_spark(spark, table, folder, change):
    frame = spark.read.parquet(str(folder))
    second = table.iloc[20_000:]
    if change == "another type":
        second = second.assign(age=second["age"].astype(str))
    if change == "no such column":
        second = second.drop(columns="site")
    pyarrow.parquet.write_table(pyarrow.table(second), folder / "b.parquet")
    if change == "no file":
        (folder / "b.parquet").unlink()
    if change != "no such column":
        # What Spark says of it is Spark's.
        with pytest.raises(discretion.Error, match="Spark could not encode the table"):
            fitted(frame)
        return
    in_memory = table.assign(site=table["site"].where(table.index < 20_000))
    # In Spark's order: the larger file first.
    expected = discretion.LogisticRegression(**SETTINGS).fit(in_memory.drop(columns="ill"), in_memory["ill"]).model_
    assert fitted(frame) == expected
