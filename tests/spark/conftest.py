"""Spark on two cores of this machine, and a table in unequal partitions, one of them empty."""

import os
import pathlib
import shutil
import sys
import tempfile
import time

import numpy as np
import pandas
import pytest

# Workers run the interpreter that runs the tests; by default they run whichever python3 comes first.
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
# So that they find warm_daemon.py.
os.environ["PYTHONPATH"] = os.path.dirname(__file__)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
# The better compiler and a collector with threads of its own pay in long runs, and cost more than they bring in these.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

HAS_JAVA = bool(os.environ.get("JAVA_HOME") or shutil.which("java"))


def pytest_collection_modifyitems(items):
    if not HAS_JAVA and not os.environ.get("CI"):
        for item in items:
            item.add_marker(pytest.mark.skip(reason="Java is not installed, and Spark needs it (Debian: openjdk-17-jre-headless)"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    from pyspark.sql import SparkSession

    # A task is tried four times, as on a cluster; a local master tries once if nobody says so.
    builder = SparkSession.builder.master("local[2,4]").appName("discretion")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.python.daemon.module": "warm_daemon",
        "spark.sql.shuffle.partitions": "2",
        # Else a union of single partitions is one partition, and the tables below are not cut as they say.
        "spark.sql.unionOutputPartitioning": "false",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.sparkContext.setCheckpointDir(str(tmp_path_factory.mktemp("rows")))
    yield session
    session.stop()


ROWS = 24_000


@pytest.fixture(scope="session")
def table():
    """Enough rows for a first guess on a sample."""
    rng = np.random.default_rng(1)
    age = rng.integers(17, 91, ROWS).astype(float)
    dose = np.round(rng.gamma(2.0, 3.0, ROWS), 3)
    site = rng.choice(["north", "south", "west", "elsewhere"], ROWS)
    margin = (age - 50) / 15 - (dose - 6) / 4 + (site == "south")
    ill = np.where(rng.random(ROWS) < 1 / (1 + np.exp(-margin)), "yes", "no")
    return pandas.DataFrame({"age": age, "dose": dose, "site": site, "ill": ill})


@pytest.fixture(scope="session")
def frame(spark, table):
    """The same rows in the same order: one row, none, most of them, the rest."""
    return partitioned(spark, table, [0, 1, 1, 20_000, ROWS])


def partitioned(spark, table, ends):
    """A Spark DataFrame whose partitions end there."""
    parts = [table.iloc[start:end] for start, end in zip(ends, ends[1:])]
    types = spark.createDataFrame(table.iloc[:1]).schema
    frames = [spark.createDataFrame(part if len(part) else [], schema=types).coalesce(1) for part in parts]
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.union(frame)
    # In a file of Spark's own, as rows usually are. Else they are a part of every plan, and all of them are compared in every pass.
    return whole.checkpoint()


@pytest.fixture(autouse=True)
def nothing_is_left_behind(request):
    """No fit keeps rows in Spark's memory or its workers', or settings of its session, whether it fails or not."""
    yield
    if "spark" in request.fixturenames:
        session = request.getfixturevalue("spark")
        assert session.sparkContext._jsc.getPersistentRDDs().size() == 0
        assert session.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == "10000"
        assert not any(by_every_worker(session, held_here))


def by_every_worker(session, work):
    """What `work` returns in each of the processes that keep parts."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # Workers cannot import this file.
    with tempfile.TemporaryDirectory() as meeting:

        def meet_and_work(number, _):
            # Whoever is done before the other begins may be given the other's task too.
            pathlib.Path(meeting, str(number)).touch()
            until = time.monotonic() + 60
            while len(os.listdir(meeting)) < 2 and time.monotonic() < until:
                time.sleep(0.001)
            return [work()]

        return session.sparkContext.parallelize(range(2), 2).mapPartitionsWithIndex(meet_and_work).collect()


def held_here():
    """Bytes that this process keeps."""
    from discretion._part_cache import PART_CACHE

    return PART_CACHE.size()


def lose_everything():
    """As if this process were another one."""
    from discretion._part_cache import PART_CACHE

    PART_CACHE.clear()
