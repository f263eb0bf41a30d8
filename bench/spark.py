"""Times a fit on Spark (two cores of this machine) against the same fit in memory, pass by pass.

    python bench/spark.py DATA_DIR WORK_DIR [--times 10] [--repeats 3]

DATA_DIR holds kddcup_10_percent.csv.gz; WORK_DIR gets it as Parquet, its rows repeated so many times (10: 4.94 million). Run it with
the Python of an environment that has the package with its extra `spark`. Both read the same files, in turns, and must release the
same numbers under a seed. "After the rows are encoded" is what a second fit of the same rows would take: in memory the solver, on
Spark its passes over rows that workers hold. Both do the same passes, so what one costs on Spark beyond its work is the difference,
divided by their number; a pass over 1000 rows is hardly anything else. Each turn also has Spark read the files, as it must where a
frame is not plain files; otherwise workers read them themselves. Processor seconds are of all processes, Java's included: on a
machine that others use they say more than seconds.
"""

import argparse
import contextlib
import os
import pathlib
import statistics
import sys
import time

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

import pyarrow
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet

import discretion
import discretion._discretion
import discretion.spark
from discretion._spark import SparkEngine
from discretion._spark_files import SETTING

STUDY = pathlib.Path(__file__).parent / "studies" / "kdd.toml"
SETTINGS = {"epsilon": 1.0, "lam": 1e-4, "random_state": 1, "schema": STUDY}


def prepare(data, work, times):
    """The table as Parquet files, one for each repetition."""
    folder = work / f"kdd-{times}"
    if not folder.exists():
        table = pyarrow.csv.read_csv(data / "kddcup_10_percent.csv.gz")
        folder.mkdir(parents=True)
        for number in range(times):
            pyarrow.parquet.write_table(table, folder / f"{number:03}.parquet")
    return folder


class Clock:
    """Seconds of what Spark is asked to do, by what it is."""

    def __init__(self):
        self.took = {"encode": [], "each": []}

    @contextlib.contextmanager
    def running(self):
        plain = {name: getattr(SparkEngine, name) for name in self.took}
        for name, method in plain.items():
            setattr(SparkEngine, name, self._timed(name, method))
        yield
        for name, method in plain.items():
            setattr(SparkEngine, name, method)

    def _timed(self, name, method):
        def timed(*arguments):
            start = time.perf_counter()
            result = method(*arguments)
            self.took[name].append(time.perf_counter() - start)
            return result

        return timed


def in_memory(folder):
    """Seconds to read and encode, seconds for the rest, and what was released."""
    taken, plain = [], discretion._discretion.fit

    def timed(*arguments, **settings):
        start = time.perf_counter()
        result = plain(*arguments, **settings)
        taken.append(time.perf_counter() - start)
        return result

    start = time.perf_counter()
    discretion._discretion.fit = timed
    model = discretion.LogisticRegression(**SETTINGS).fit(pyarrow.dataset.dataset(folder).to_table())
    discretion._discretion.fit = plain
    return time.perf_counter() - start - taken[0], taken[0], model.model_


def on_spark(frame, **settings):
    """Seconds to encode and bring rows to their parts, seconds of each pass after that, of all, and what was released."""
    clock = Clock()
    start = time.perf_counter()
    with clock.running():
        model = discretion.spark.LogisticRegression(**{**SETTINGS, **settings}).fit(frame)
    first, *passes = clock.took["each"]
    return clock.took["encode"][0] + first, passes, time.perf_counter() - start, model.model_


def processor_seconds():
    """Of this process and all that it started, and they. Those of a worker that Spark has ended may be lost."""
    tick, found = os.sysconf("SC_CLK_TCK"), {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            # Its own, and those of its children that have ended.
            found[int(stat.parent.name)] = int(fields[1]), sum(map(int, fields[11:15])) / tick
    ours, more = {os.getpid()}, {os.getpid()}
    while more:
        more = {process for process, (parent, _) in found.items() if parent in more}
        ours |= more
    return sum(found[process][1] for process in ours)


def with_processor_seconds(clock, work, *arguments):
    """What `work` returns, and the processor seconds that it took."""
    start = clock()
    return *work(*arguments), clock() - start


def main():
    parser = argparse.ArgumentParser(description="Times a fit on Spark against the same fit in memory.")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", default="4g", help="of Spark's driver, which is its only executor here")
    arguments = parser.parse_args()
    folder = prepare(arguments.data, arguments.work, arguments.times)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", arguments.memory)
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    # Else a union of single partitions is one partition, and one core works.
    builder = builder.config("spark.sql.unionOutputPartitioning", "false")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    # One partition for each file, in their order: the order of the rows in memory.
    files = sorted(str(file) for file in folder.iterdir())
    frame = spark.read.parquet(files[0]).coalesce(1)
    for file in files[1:]:
        frame = frame.union(spark.read.parquet(file).coalesce(1))
    ours, theirs, read_by_spark = [], [], []
    for repeat in range(arguments.repeats):
        theirs.append(with_processor_seconds(time.process_time, in_memory, folder))
        ours.append(with_processor_seconds(processor_seconds, on_spark, frame))
        spark.conf.set(SETTING, "false")
        read_by_spark.append(with_processor_seconds(processor_seconds, on_spark, frame))
        spark.conf.unset(SETTING)
        print(f"  turn {repeat}, load {os.getloadavg()[0]:.1f}: in memory {theirs[-1][0]:.2f} + {theirs[-1][1]:.2f} s, processor {theirs[-1][3]:.1f} s")
        for what, one in (("files read by workers", ours[-1]), ("files read by Spark", read_by_spark[-1])):
            print(f"    {what}: {one[0]:.2f} s, then passes of {', '.join(f'{took:.2f}' for took in one[1])} s; "
                  f"{one[2]:.2f} s in all; processor {one[4]:.1f} s", flush=True)
            assert one[3] == theirs[-1][2], "the same numbers"
    small = frame.limit(1000).coalesce(1)
    on_spark(small, lam=0.1)
    idle = statistics.median(took for _ in range(3) for took in on_spark(small, lam=0.1)[1])
    rows, passes = ours[0][3]["training"]["rows"], len(ours[0][1])
    after = statistics.median(all - first for first, _, all, *_ in ours)
    solver = statistics.median(rest for _, rest, *_ in theirs)
    print(f"{rows} rows; medians of {arguments.repeats}; the released numbers are the same")
    print(f"  after the rows are encoded, {passes} passes: in memory {solver:.2f} s, on Spark {after:.2f} s, {after / solver:.2f} times as long")
    print(f"  a pass beyond its work: {(after - solver) / passes:.2f} s; a pass over 1000 rows: {idle:.2f} s")
    for what, at in (("until then", 0), ("processor seconds of everything", -1)):
        memory, files, by_spark = (statistics.median(one[at] for one in some) for some in (theirs, ours, read_by_spark))
        print(f"  {what}: in memory {memory:.1f} s, workers read files {files:.1f} s ({files / memory:.1f} times memory's), "
              f"Spark reads them {by_spark:.1f} s ({by_spark / files:.1f} times the workers')")
    spark.stop()


if __name__ == "__main__":
    main()
