"""Times `discretion fit` against the Python peers, CSV to model, and prints ratios.

    python bench/prepare.py DATA_DIR WORK_DIR
    python bench/run.py WORK_DIR --binary target/release/discretion --tables adult covtype --repeats 5

Run it with the Python of an environment that has bench/requirements.txt. Programs take turns, so that a busy moment of the machine
hits all alike; figures are medians. Each program is a process of its own and does the same job with as many threads as it likes.
For a peer two times are given: the whole process, and its work alone (imports done). We have only the whole process, so "whole /
whole" flatters us and "work / our whole" does not. Peak memory is the kernel's maximum resident set; it cannot fall below this
script's own size, which is printed (only we could come near it).
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# Standard library only: a child's peak memory starts at the size of the process that started it.

HERE = pathlib.Path(__file__).parent
PEERS = ["newton-cholesky", "lbfgs", "diffprivlib"]
OURS = "discretion"


def measure(command):
    """Runs a command; returns its seconds, peak memory in MB and standard output."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\nended with {child.returncode}:\n{err.read().decode()}")
        return seconds, usage.ru_maxrss / 1024, out.read().decode()


def run_table(folder, binary, repeats):
    """Medians for every program on one table: {program: (whole seconds, work seconds, MB)}."""
    study = folder / "study.toml"
    samples = {program: [] for program in [OURS, *PEERS]}
    for turn in range(-1, repeats):  # turn -1 warms the page cache and is thrown away
        for program in samples:
            if program == OURS:
                out = tempfile.mkdtemp()
                ledger = pathlib.Path(out) / "ledger.sqlite"
                whole, memory, _ = measure([binary, "fit", study, "--out", out, "--ledger", ledger, "--json"])
                work = whole
                shutil.rmtree(out)
            else:
                whole, memory, report = measure([sys.executable, HERE / "peers.py", program, study])
                work = json.loads(report)["work_seconds"]
            if turn >= 0:
                samples[program].append((whole, work, memory))
        print(f"  {folder.name}: round {turn + 1} of {repeats}", file=sys.stderr, flush=True)
    return {program: tuple(map(statistics.median, zip(*rows))) for program, rows in samples.items()}


def print_table(folder, result):
    with open(folder / "train.csv", "rb") as file:
        rows = sum(1 for _ in file) - 1
    size = (folder / "train.csv").stat().st_size / 1e6
    ours, _, our_memory = result[OURS]
    print(f"\n{folder.name}: {rows} rows, {size:.0f} MB of CSV")
    times = f"{'whole':>9} {'work alone':>11} {'memory':>9}"
    print(f"  {'':16} {times} | {'whole / ours':>13} {'work / ours':>12} {'memory / ours':>14}")
    for program, (whole, work, memory) in result.items():
        alone = "" if program == OURS else f"{work:.3f} s"
        line = f"  {program:16} {whole:7.3f} s {alone:>11} {memory:6.0f} MB"
        if program != OURS:
            line += f" | {whole / ours:12.1f}x {work / ours:11.1f}x {memory / our_memory:13.1f}x"
        print(line)
    peers = {program: figures for program, figures in result.items() if program != OURS}
    whole = min(figures[0] for figures in peers.values()) / ours
    work = min(figures[1] for figures in peers.values()) / ours
    memory = min(figures[2] for figures in peers.values()) / our_memory
    print(f"  against the fastest peer: {whole:.1f}x as whole processes (flattering), {work:.1f}x its work alone (not); aim 5x")
    print(f"  against the smallest peer: {memory:.1f}x less memory; aim 4x")


def main():
    parser = argparse.ArgumentParser(description="Times `discretion fit` against the Python peers and prints ratios.")
    parser.add_argument("work", type=pathlib.Path, help="folder written by prepare.py")
    parser.add_argument("--binary", type=pathlib.Path, default="target/release/discretion", help="default: %(default)s")
    parser.add_argument("--tables", nargs="+", default=["adult", "covtype"], help="default: adult covtype")
    parser.add_argument("--repeats", type=int, default=5, help="timed runs of each program, default 5")
    parser.add_argument("--json", type=pathlib.Path, help="also write the medians to this file")
    arguments = parser.parse_args()
    binary = arguments.binary.resolve()
    results = {}
    for table in arguments.tables:
        results[table] = run_table(arguments.work / table, binary, arguments.repeats)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"medians of {arguments.repeats} alternating runs on {os.cpu_count()} cores; this script itself: {own:.0f} MB")
    print("scikit-learn and diffprivlib stop at their default tolerance; ours goes on to its certified one")
    for table, result in results.items():
        print_table(arguments.work / table, result)
    if arguments.json:
        arguments.json.write_text(json.dumps({"columns": ["whole_s", "work_s", "memory_mb"]} | results, indent=2) + "\n")


if __name__ == "__main__":
    main()
