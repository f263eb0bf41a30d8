"""Writes the benchmark tables as plain CSV, one folder each with its study file.

    python bench/prepare.py DATA_DIR WORK_DIR                  # all tables
    python bench/prepare.py DATA_DIR WORK_DIR --tables adult   # one of them
    python bench/prepare.py DATA_DIR WORK_DIR --tables kdd10   # KDD Cup, all rows, ten times over: only if it is asked for

DATA_DIR holds adult_all.csv.gz, bank-full.csv.gz, magic04.csv.gz, kddcup_10_percent.csv.gz and covtype.csv.gz, each with a
header. `covtype_one_of` is Covertype with its 44 indicators declared as the two categories that they are. WORK_DIR/adult/ then
holds study.toml, train.csv and test.csv. Adult is split by its own `split` column; the others 70/30 after a shuffle with a fixed
seed. Lines are copied as they stand.
"""

import argparse
import gzip
import pathlib
import random
import shutil

FILES = {
    "adult": "adult_all.csv.gz",
    "bank": "bank-full.csv.gz",
    "magic": "magic04.csv.gz",
    "kdd": "kddcup_10_percent.csv.gz",
    "covtype": "covtype.csv.gz",
    "covtype_one_of": "covtype.csv.gz",
}
REPEATED = "kdd10"
STUDIES = pathlib.Path(__file__).parent / "studies"


def prepare(table, data, work):
    """Writes one table's folder; returns the numbers of training and test rows."""
    with gzip.open(data / FILES[table], "rt", encoding="utf-8", newline="") as file:
        header, *lines = file.read().splitlines()  # no field of these tables holds a line break
    if table == "adult":
        train = [line for line in lines if line.endswith(",train")]
        test = [line for line in lines if line.endswith(",test")]
    else:
        random.Random(1).shuffle(lines)
        cut = len(lines) * 7 // 10
        train, test = lines[:cut], lines[cut:]
    folder = work / table
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in [("train.csv", train), ("test.csv", test)]:
        (folder / name).write_text("\n".join([header, *part, ""]), encoding="utf-8", newline="")
    shutil.copyfile(STUDIES / f"{table}.toml", folder / "study.toml")
    return len(train), len(test)


def repeat(data, work, times=10):
    """Writes the whole KDD Cup table several times over; returns the number of rows."""
    with gzip.open(data / FILES["kdd"], "rt", encoding="utf-8", newline="") as file:
        header, *lines = file.read().splitlines()
    random.Random(1).shuffle(lines)
    folder = work / REPEATED
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "train.csv", "w", encoding="utf-8", newline="") as file:
        file.write(header + "\n")
        body = "\n".join([*lines, ""])
        for _ in range(times):
            file.write(body)
    shutil.copyfile(STUDIES / "kdd.toml", folder / "study.toml")
    return times * len(lines)


def main():
    parser = argparse.ArgumentParser(description="Writes the benchmark tables as plain CSV with their study files.")
    parser.add_argument("data", type=pathlib.Path, help="folder with the five .csv.gz files")
    parser.add_argument("work", type=pathlib.Path, help="folder to write to")
    parser.add_argument("--tables", nargs="+", choices=[*FILES, REPEATED], default=list(FILES), help="default: all but kdd10")
    arguments = parser.parse_args()
    for table in arguments.tables:
        if table == REPEATED:
            print(f"{table:8} {repeat(arguments.data, arguments.work):7} rows in {arguments.work / table}")
            continue
        train, test = prepare(table, arguments.data, arguments.work)
        print(f"{table:8} {train:7} training rows, {test:7} test rows in {arguments.work / table}")


if __name__ == "__main__":
    main()
