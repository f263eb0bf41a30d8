"""Times `fit` through Python, on a table that is in memory, against the command line and diffprivlib, and prints ratios.

    python bench/prepare.py DATA_DIR WORK_DIR --tables covtype
    python bench/python.py WORK_DIR/covtype --binary target/release/discretion --repeats 5

Run it with the Python of an environment that has bench/requirements.txt and the package. Programs take turns; figures are medians.
Ours is `LogisticRegression(...).fit` alone, charged to a ledger file, on a pyarrow table, a pandas frame and a numpy array. The
command line is the whole process on the same table as an uncompressed Parquet file that the system has in memory: it has to start,
open the file and write two, and we do not. The solver and the encoding are the same, so what is left is what Python adds. diffprivlib gets
its rows scaled beforehand, and only its `fit` is timed.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time
import tomllib
import warnings

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet

import discretion
import peers


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description="Times fits of a table in memory and prints ratios.")
    parser.add_argument("folder", type=pathlib.Path, help="a table of bench/prepare.py")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    text = (arguments.folder / "study.toml").read_text()
    study = tomllib.loads(text)
    transformer, numeric, categories = peers.encoder(study, sparse=False)
    frame, y = peers.read(arguments.folder / "train.csv", study, numeric, categories)
    target = study["data"]["target"]
    features = frame.drop(columns=target)
    scaled = transformer.fit_transform(frame)
    table = pyarrow.Table.from_pandas(features, preserve_index=False)
    epsilon, lam = study["spend"]["epsilon"], study["model"]["lambda"]
    schema = discretion.Schema.from_study(arguments.folder / "study.toml")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pyarrow.parquet.write_table(pyarrow.Table.from_pandas(frame, preserve_index=False), folder / "t.parquet", compression="none")
        (folder / "study.toml").write_text(text.replace('"train.csv"', '"t.parquet"'))
        account = discretion.account("bench", epsilon=1000, ledger=folder / "python.sqlite")
        model = discretion.LogisticRegression(epsilon=epsilon, lam=lam, schema=schema, classes=(False, True), account=account)
        array = discretion.LogisticRegression(
            epsilon=epsilon,
            lam=lam,
            bounds=([study["columns"][n]["min"] for n in numeric], [study["columns"][n]["max"] for n in numeric]),
            classes=(False, True),
            account=account,
        )
        values = features[numeric].to_numpy(dtype=float)
        turn = iter(range(10**6))

        def command_line():
            out = folder / f"out{next(turn)}"
            ledger = folder / f"{out.name}.sqlite"
            command = [arguments.binary, "fit", folder / "study.toml", "--out", out, "--ledger", ledger, "--json"]
            subprocess.run(command, check=True, capture_output=True)

        work = {
            "python, pyarrow": lambda: model.fit(table, y),
            "python, pandas": lambda: model.fit(features, y),
            "command line": command_line,
            "diffprivlib": lambda: peers.learner("diffprivlib", study, len(y), len(numeric) + len(categories)).fit(scaled, y),
        }
        if not categories:
            work["python, numpy"] = lambda: array.fit(values, y)
        times = {name: [] for name in work}
        warnings.simplefilter("ignore")
        for repeat in range(-1, arguments.repeats):  # Turn -1 warms up and is thrown away.
            for name, job in work.items():
                took = seconds(job)
                if repeat >= 0:
                    times[name].append(took)
    medians = {name: statistics.median(took) for name, took in times.items()}
    ours = medians["python, pyarrow"]
    print(f"{arguments.folder.name}: {len(y)} rows, {len(numeric)} numbers, {len(categories)} categories; medians of {arguments.repeats}")
    for name, took in sorted(medians.items(), key=lambda item: item[1]):
        print(f"  {name:16} {took:8.3f} s   {took / ours:7.2f} x python, pyarrow")


if __name__ == "__main__":
    main()
