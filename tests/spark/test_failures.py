"""Workers that die, rows that are lost or wrong: a correct result or a clear error, and never a value of a row in it."""

import os
import signal
import traceback

import discretion
import discretion.spark
import numpy as np
import pytest
from conftest import by_every_worker, lose_everything
from discretion._spark import SparkEngine
from pyspark import TaskContext
from pyspark.sql import functions as F

SECRET = "secret-4711"
SCHEMA = {"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]}
SETTINGS = {"schema": SCHEMA, "epsilon": 1.0, "lam": 1e-2, "classes": ("no", "yes")}


def seeded(**more):
    return discretion.spark.LogisticRegression(random_state=3, **{**SETTINGS, **more})


@pytest.fixture(scope="module")
def expected(table):
    settings = {**SETTINGS, "random_state": 3}
    return discretion.LogisticRegression(**settings).fit(table.drop(columns="ill"), table["ill"]).model_


def with_every_task(monkeypatch, wrapped):
    """Every task of a pass over the rows is wrapped; the functions of this file travel by value."""
    plain = SparkEngine.each
    monkeypatch.setattr(SparkEngine, "each", lambda self, held, task, blocks: plain(self, held, wrapped(task), blocks))


def dying(task, attempts, partitions=(1,)):
    """A task whose worker is killed the first so many times, on some partitions."""

    def work(block, slices):
        context = TaskContext.get()
        if context.attemptNumber() < attempts and context.partitionId() in partitions:
            os.kill(os.getpid(), signal.SIGKILL)
        return task(block, slices)

    return work


def test_a_worker_that_is_killed_in_every_pass_changes_nothing(monkeypatch, frame, expected):
    with_every_task(monkeypatch, lambda task: dying(task, 1))
    assert seeded().fit(frame, "ill").model_ == expected


def test_a_worker_that_is_killed_while_it_encodes_changes_nothing(frame, expected):
    def once(batches):
        if TaskContext.get().attemptNumber() == 0 and TaskContext.get().partitionId() == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from batches

    assert seeded().fit(frame.mapInArrow(once, frame.schema), "ill").model_ == expected


def test_a_worker_that_always_dies_fails_the_fit_and_the_charge_stays(monkeypatch, frame):
    passes = []

    def wrapped(task):
        passes.append(task)
        # The first pass is before the charge: it brings rows to their parts.
        return task if len(passes) == 1 else dying(task, 99, range(4))

    with_every_task(monkeypatch, wrapped)
    account = discretion.account("patients", epsilon=3, ledger=discretion.Ledger.in_memory())
    model = discretion.spark.LogisticRegression(account=account, **SETTINGS)
    stays = "Spark could not work on the table.*charge 2 of account 'patients' stays"
    with pytest.raises(discretion.FailedAfterCharge, match=stays):
        model.fit(frame, "ill")
    assert len(passes) == 2 and [one["kind"] for one in account.history()] == ["opened", "charged"]
    assert not hasattr(model, "model_")


def test_rows_that_fail_before_the_charge_cost_nothing(monkeypatch, frame):
    with_every_task(monkeypatch, lambda task: dying(task, 99))
    account = discretion.account("patients", epsilon=3, ledger=discretion.Ledger.in_memory())
    with pytest.raises(discretion.Refused, match="Spark could not work on the table") as caught:
        discretion.spark.LogisticRegression(account=account, **SETTINGS).fit(frame, "ill")
    assert account.left == 3 and not isinstance(caught.value, discretion.FailedAfterCharge)


def lose_executors_after_every_pass(monkeypatch, spark):
    plain = SparkEngine.each

    def forgetful(self, held, task, blocks):
        told = plain(self, held, task, blocks)
        held.frame.unpersist(blocking=True)
        by_every_worker(spark, lose_everything)
        return told

    monkeypatch.setattr(SparkEngine, "each", forgetful)


def test_rows_that_change_when_they_are_read_again_are_noticed(monkeypatch, spark, frame):
    def stirred(batches):
        import pyarrow

        for batch in batches:
            order = np.random.default_rng(int.from_bytes(os.urandom(4), "little")).permutation(batch.num_rows)
            yield batch.take(pyarrow.array(order))

    lose_executors_after_every_pass(monkeypatch, spark)
    with pytest.raises(discretion.Refused, match="not the same when they were read again"):
        seeded().fit(frame.mapInArrow(stirred, frame.schema), "ill")


def test_rows_that_are_read_again_and_are_the_same_change_nothing(monkeypatch, spark, frame, expected):
    lose_executors_after_every_pass(monkeypatch, spark)
    assert seeded().fit(frame, "ill").model_ == expected


@pytest.fixture
def folders(spark, table, tmp_path):
    """Parquet files of two kinds: the second lacks the column `dose`, a third one lacks `site`."""
    whole, no_dose, no_site = (str(tmp_path / name) for name in ("whole", "no_dose", "no_site"))
    first, second = table.iloc[:2000], table.iloc[2000:4000]
    spark.createDataFrame(first).coalesce(1).write.parquet(whole)
    spark.createDataFrame(second.drop(columns="dose")).coalesce(1).write.parquet(no_dose)
    spark.createDataFrame(second.drop(columns="site")).coalesce(1).write.parquet(no_site)
    return whole, no_dose, no_site


def test_a_number_that_one_partition_lacks(spark, folders):
    whole, no_dose, _ = folders
    types = spark.read.parquet(whole).schema
    frame = spark.read.schema(types).parquet(whole, no_dose)
    with pytest.raises(discretion.InputError, match="column `dose` has missing values.*nothing was charged"):
        seeded().fit(frame, "ill")
    schema = discretion.Schema({**SCHEMA, "dose": {"min": 0, "max": 30, "missing": 5}})
    ours = seeded(schema=schema).fit(frame, "ill").model_
    here = frame.toPandas()
    assert here["dose"].isna().sum() == 2000
    settings = {**SETTINGS, "schema": schema, "random_state": 3}
    assert ours == discretion.LogisticRegression(**settings).fit(here.drop(columns="ill"), here["ill"]).model_


def test_a_category_that_one_partition_lacks_is_none_of_those_declared(spark, folders):
    whole, _, no_site = folders
    frame = spark.read.schema(spark.read.parquet(whole).schema).parquet(whole, no_site)
    here = frame.toPandas()
    # Half of the rows have no site, which would stop a run.
    in_memory = discretion.LogisticRegression(**SETTINGS, random_state=3, accept_check=True)
    in_memory.fit(here.drop(columns="ill"), here["ill"])
    assert seeded().set_params(accept_check=True).fit(frame, "ill").model_ == in_memory.model_


def test_a_column_that_spark_does_not_know_of(spark, folders):
    _, no_dose, _ = folders
    with pytest.raises(discretion.InputError, match="lacks the declared column `dose`"):
        seeded().fit(spark.read.parquet(no_dose), "ill")
    with pytest.raises(discretion.InputError, match="column `more`, which is not declared"):
        seeded().fit(spark.read.parquet(no_dose).withColumn("dose", F.lit(1.0)).withColumn("more", F.lit(1)), "ill")


def raises(secret):
    def fails(batches):
        for _ in batches:
            raise ValueError(secret)
        yield

    return fails


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda frame: frame.withColumn("dose", F.lit(SECRET)), "column `dose` has the type Utf8"),
        (lambda frame: frame.withColumn("dose", F.lit(float("inf"))), "column `dose` must be a finite number"),
        (lambda frame: frame.withColumn("ill", F.lit(SECRET)), "has a value in some row that is none of the declared"),
        (lambda frame: frame.mapInArrow(raises(SECRET), frame.schema), "Spark could not encode the table"),
        (lambda frame: frame.withColumn("dose", F.raise_error(F.lit(SECRET)).cast("double")), "Spark could not encode the table"),
        (lambda frame: frame.withColumn("dose", F.array("dose")), "column `dose`"),
    ],
)
def test_no_error_quotes_a_row(frame, change, match):
    with pytest.raises(discretion.Error, match=match) as caught:
        seeded().fit(change(frame), "ill")
    told = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
    assert SECRET not in told
    assert caught.value.__context__ is None and caught.value.__cause__ is None


def test_a_table_without_rows(frame):
    with pytest.raises(discretion.InputError, match="no rows"):
        seeded().fit(frame.where("age < 0"), "ill")
    with pytest.raises(discretion.InputError, match="no rows"):
        discretion.spark.HistogramDensity(schema=SCHEMA, epsilon=1.0, random_state=1).fit(frame.where("age < 0"))


def test_what_is_no_spark_table_is_refused(table, frame):
    with pytest.raises(discretion.InputTypeError, match="use discretion.LogisticRegression"):
        seeded().fit(table, "ill")
    with pytest.raises(discretion.InputTypeError, match="name of the column of labels"):
        seeded().fit(frame, table["ill"])
    with pytest.raises(discretion.InputError, match="y is None"):
        seeded().fit(frame)


def test_a_learner_that_fails_costs_its_own_vote(frame, table):
    from sklearn.tree import DecisionTreeClassifier

    class Picky(DecisionTreeClassifier):
        def fit(self, X, y):
            if float(X["age"].iloc[0]) % 2:
                raise ValueError(SECRET)
            return super().fit(X, y)

    voting = discretion.spark.PrivateVoting(
        Picky(max_depth=2), epsilon=2.0, delta=1e-6, queries=20, unstable=2, classes=("no", "yes"), rehearse=False, random_state=4
    ).fit(frame.select("age", "ill"), "ill")
    firsts = table["age"].iloc[: voting.chunks_]
    assert voting.failed_models_not_private == int((firsts % 2).sum())
