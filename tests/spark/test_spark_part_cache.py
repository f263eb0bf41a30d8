"""Parts that workers keep: passes send no rows, what is lost is sent again, and nothing stays when a fit ends."""

import discretion
import discretion.spark
import pytest
from conftest import by_every_worker, held_here, lose_everything
from discretion import _spark_part_cache
from discretion._spark import SparkEngine
from discretion._spark_part_cache import ROOM, SparkPartCache

SCHEMA = {"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]}
SETTINGS = {"schema": SCHEMA, "epsilon": 1.0, "lam": 1e-2, "classes": ("no", "yes"), "random_state": 3}


def fit(frame, **more):
    return discretion.spark.LogisticRegression(**{**SETTINGS, **more}).fit(frame, "ill").model_


@pytest.fixture(scope="module")
def in_memory(table):
    def fitted(**more):
        return discretion.LogisticRegression(**{**SETTINGS, **more}).fit(table.drop(columns="ill"), table["ill"]).model_

    return fitted


@pytest.fixture
def sent(monkeypatch):
    """For every pass, of how many blocks rows were sent to workers, by either way."""
    passes, plain = [], {"each": SparkEngine.each, "work": SparkPartCache.work, "_work": SparkEngine._work}

    def each(self, held, task, blocks):
        passes.append(0)
        return plain["each"](self, held, task, blocks)

    def counted(way):
        def work(*arguments):
            told = plain[way](*arguments)
            passes[-1] += len(told)
            return told

        return work

    monkeypatch.setattr(SparkEngine, "each", each)
    monkeypatch.setattr(SparkPartCache, "work", counted("work"))
    monkeypatch.setattr(SparkEngine, "_work", counted("_work"))
    return passes


@pytest.fixture
def room(spark):
    """Says how much workers may keep."""
    yield lambda written: spark.conf.set(ROOM, written)
    spark.conf.unset(ROOM)


def after_every_pass(monkeypatch, then):
    plain = SparkEngine.each

    def each(self, held, task, blocks):
        told = plain(self, held, task, blocks)
        then(held)
        return told

    monkeypatch.setattr(SparkEngine, "each", each)


def test_rows_are_sent_once(frame, in_memory, sent):
    assert fit(frame) == in_memory()
    assert len(sent) > 2 and sent[0] > 1 and not any(sent[1:])


def test_with_a_list_of_lambda_too(frame, in_memory, sent):
    assert fit(frame, lam=[1e-3, 0.1], epsilon=5.0) == in_memory(lam=[1e-3, 0.1], epsilon=5.0)
    assert not any(sent[1:])


def test_workers_that_lost_what_they_kept_are_sent_it_again(monkeypatch, spark, frame, in_memory, sent):
    after_every_pass(monkeypatch, lambda held: by_every_worker(spark, lose_everything))
    assert fit(frame) == in_memory()
    # A table that nobody ever keeps is not asked for in vain for ever.
    assert sent[0] == sent[1] == sent[-1] > 1


def test_one_worker_that_lost_what_it_kept(monkeypatch, spark, frame, in_memory, sent):
    first = []

    def then(held):
        if not first:
            first.append(held)
            spark.sparkContext.parallelize([0], 1).mapPartitions(lambda _: [lose_everything()]).collect()

    after_every_pass(monkeypatch, then)
    assert fit(frame) == in_memory()
    assert 0 < sent[1] < sent[0] and not any(sent[2:])


def test_a_worker_that_is_not_reached_is_asked_again(monkeypatch, frame, in_memory, sent):
    plain, asked = SparkPartCache._everywhere, []

    def everywhere(self, task):
        asked.append(task)
        told = plain(self, task)
        return [] if len(asked) % 2 else told  # As if others had done the job.

    monkeypatch.setattr(SparkPartCache, "_everywhere", everywhere)
    assert fit(frame) == in_memory()
    assert not any(sent[1:]) and len(asked) >= 2 * len(sent[1:])


def test_a_job_that_fails_is_done_from_the_rows_that_spark_holds(monkeypatch, frame, in_memory, sent):
    plain, asked = SparkPartCache._everywhere, []

    def everywhere(self, task):
        asked.append(task)
        if len(asked) == 1:
            raise RuntimeError("secret-4711")
        return plain(self, task)

    monkeypatch.setattr(SparkPartCache, "_everywhere", everywhere)
    assert fit(frame) == in_memory()
    assert sent[1] == sent[0]


def test_what_there_is_no_room_for_is_sent_in_every_pass(frame, in_memory, sent, room):
    room("60k")  # A part has about 53,000 bytes: each of two workers keeps one.
    assert fit(frame) == in_memory()
    assert all(0 < again < sent[0] for again in sent[1:])


def test_nothing_is_kept_if_that_is_what_was_said(monkeypatch, frame, spark, in_memory, sent, room):
    room("0")
    after_every_pass(monkeypatch, lambda held: held_by_workers.extend(by_every_worker(spark, held_here)))
    held_by_workers = []
    assert fit(frame) == in_memory()
    assert len(set(sent)) == 1 and held_by_workers and not any(held_by_workers)


def test_a_room_that_is_no_size_is_refused(frame, room):
    room("a lot")
    with pytest.raises(discretion.InputError, match="spark.discretion.keep is a size such as 512m or 2g"):
        fit(frame)


def test_a_fit_between_the_passes_of_another(monkeypatch, spark, frame, in_memory, sent):
    inner = []

    def then(held):
        if len(sent) == 2:
            assert sum(by_every_worker(spark, held_here)) > 0
            inner.append(fit(frame, lam=0.1, random_state=4))
            assert sum(by_every_worker(spark, held_here)) > 0, "the other fit's rows are not freed"

    after_every_pass(monkeypatch, then)
    assert fit(frame) == in_memory()
    assert inner == [in_memory(lam=0.1, random_state=4)]
    assert sent[0] == sent[2] > 1 and sum(sent) == 2 * sent[0], "each fit's rows were sent once"


def test_a_fit_that_fails_leaves_nothing_behind(monkeypatch, spark, frame):
    passes, plain = [], SparkEngine.each

    def each(self, held, task, blocks):
        passes.append(sum(by_every_worker(spark, held_here)))
        if len(passes) == 3:
            raise discretion.Refused("enough")
        return plain(self, held, task, blocks)

    monkeypatch.setattr(SparkEngine, "each", each)
    with pytest.raises(discretion.Refused, match="enough"):
        fit(frame)
    assert passes[2] > 0
    assert by_every_worker(spark, held_here) == [0, 0]


class Settings(dict):
    """A cluster of which only the settings are known."""

    master = "yarn"

    def __init__(self, **settings):
        super().__init__({name.replace("_", "."): value for name, value in settings.items()})
        self.conf = self.sparkContext = self


def test_room_on_a_cluster_is_a_share_of_what_executors_have_beyond_their_heap():
    def room(**settings):
        return _spark_part_cache.room(Settings(**settings))

    assert room() == 192 << 20
    assert room(spark_executor_memory="8g", spark_executor_cores="4") == int(0.1 * (8 << 30)) // 2 // 4
    assert room(spark_executor_memoryOverhead="4096", spark_executor_cores="4") == 512 << 20
    assert room(spark_executor_memoryOverhead="3g", **{"spark_executor_pyspark.memory": "1g"}) == 2 << 30
    assert room(spark_discretion_keep="3g") == 3 << 30
