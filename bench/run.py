"""Measures speed and memory against the usual tools, and writes the page about it.

    python bench/prepare.py DATA_DIR WORK_DIR --tables adult covtype kdd kdd10
    python bench/run.py WORK_DIR --binary target/release/discretion --passes target/release/examples/pass_speed --page docs/benchmarks.md

Run it with the Python of an environment that has bench/requirements.txt. Programs take turns, so that a busy moment of the machine
hits all alike; a figure is the best of its runs. Each program is a process of its own and does the same job with as many threads as
it likes. Of a peer only the work is counted, from the moment its imports are done; of ours the whole process is. Peak memory is the
kernel's maximum resident set.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

import page

# Standard library only: a child's peak memory starts at the size of the process that started it.

HERE = pathlib.Path(__file__).parent
# R's glm only where there is R.
GLM = "glm"
PEERS = ["newton-cholesky", "lbfgs", "diffprivlib"] + ([GLM] if shutil.which("Rscript") else [])
OURS = "discretion"
GRID = "[" + ", ".join(f"{10 ** (-4 + k / 3):.3g}" for k in range(10)) + "]"
STOPPED = 30
LARGEST = "kdd10"
ALL_ROWS = 4_940_210


def measure(command):
    """Runs a command; returns its seconds, processor seconds, peak memory in MB and standard output, or None if it failed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode != 0:
            print(f"{' '.join(map(str, command))}\nended with {child.returncode}:\n{err.read().decode()[-2000:]}", file=sys.stderr)
            return None
        return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read().decode()


def fit(binary, study, *options):
    """Our seconds, processor seconds and MB for one private fit."""
    out = tempfile.mkdtemp(dir=study.parent)
    ledger = pathlib.Path(out) / "ledger.sqlite"
    measured = measure([binary, "fit", study, "--out", pathlib.Path(out) / "out", "--ledger", ledger, "--json", *options])
    shutil.rmtree(out)
    if measured is None:
        sys.exit("our own program failed")
    return measured[:3]


def best(samples):
    """Each figure at its smallest."""
    samples = [sample for sample in samples if sample is not None]
    return tuple(map(min, zip(*samples))) if samples else None


def compare(folder, binary, repeats):
    """{program: (seconds, processor seconds, MB)}; None for a program that failed."""
    study = folder / "study.toml"
    samples = {program: [] for program in [OURS, *PEERS]}
    for turn in range(repeats):
        for program, kept in samples.items():
            if program == OURS:
                fit(binary, study)  # warms the page cache for everyone, and is thrown away
                kept.append(fit(binary, study))
                continue
            if program == GLM and turn > 0:
                continue  # minutes, far from every other program
            measured = measure(glm(folder) if program == GLM else [sys.executable, HERE / "peers.py", program, study])
            if measured is None:
                kept.append(None)
                continue
            report = json.loads(measured[3])
            kept.append((report["work_seconds"], report["work_cpu_seconds"], measured[2]))
        print(f"  {folder.name}: round {turn + 1} of {repeats}", file=sys.stderr, flush=True)
    return {program: best(kept) for program, kept in samples.items()}


def glm(folder):
    """The command that runs R on a study, for which its columns are written down. Dense rows in several copies may be more than
    there is memory for: it gets half of it, and then it fails alone."""
    with open(folder / "study.toml", "rb") as file:
        study = tomllib.load(file)
    lines = [["target", study["data"]["target"], study["data"]["positive"]]]
    for name, column in study["columns"].items():
        if "min" in column:
            lines.append(["number", name, str(column["min"]), str(column["max"]), column.get("scale", "plain")])
        elif "values" in column:
            lines.append(["category", name, *map(str, column["values"])])
    columns = folder / "columns.tsv"
    columns.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    limit = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2048
    command = f'ulimit -v {limit}; exec Rscript --vanilla "$@"'
    return ["sh", "-c", command, "sh", HERE / "glm.R", folder / "train.csv", columns]


def first_rows(work, rows):
    """A study on the first rows of the largest table."""
    folder = work / f"{LARGEST}-{rows}"
    folder.mkdir(exist_ok=True)
    with open(work / LARGEST / "train.csv", "rb") as whole, open(folder / "train.csv", "wb") as some:
        for _, line in zip(range(rows + 1), whole):
            some.write(line)
    shutil.copyfile(work / LARGEST / "study.toml", folder / "study.toml")
    return folder / "study.toml"


def growth(work, binary, repeats, most):
    """[(rows, in memory, streamed)] for growing parts of the largest table."""
    figures = []
    for rows in sorted({10_000, 100_000, 1_000_000, most}):
        study = first_rows(work, rows) if rows < ALL_ROWS else work / LARGEST / "study.toml"
        rounds = [(fit(binary, study), fit(binary, study, "--memory", "64MB")) for _ in range(repeats)]
        figures.append((rows, best([a for a, _ in rounds]), best([b for _, b in rounds])))
        if rows < ALL_ROWS:
            shutil.rmtree(study.parent)
        print(f"  growth: {rows} rows", file=sys.stderr, flush=True)
    return figures


def grid(work, binary, repeats):
    """Our figures for one lambda, for ten of which one is chosen by noisy score, and for ten under random stopping, on KDD Cup.

    How long random stopping takes depends on how many runs are drawn, so that its figures are means over many fits."""
    one, score, stopping = (work / "kdd" / f"{name}.toml" for name in ["study", "score", "stopping"])
    ten = one.read_text().replace("lambda = 1e-3", f"lambda = {GRID}")
    score.write_text(ten + '\n[tune]\nrule = "generalised"\n')
    stopping.write_text(ten + '\n[tune]\nrule = "random-stopping"\n')
    rounds = [(fit(binary, one), fit(binary, score)) for _ in range(repeats)]
    stopped = [fit(binary, stopping) for _ in range(STOPPED)]
    means = tuple(sum(figures) / STOPPED for figures in zip(*stopped))
    print("  grid", file=sys.stderr, flush=True)
    return best([a for a, _ in rounds]), best([b for _, b in rounds]), means


def told(what, program, sizes):
    """[(size, what our program says about it)] for every size."""
    figures = []
    for size in sizes:
        measured = measure([program, *map(str, size)])
        if measured is None:
            sys.exit(f"{program.name} failed")
        figures.append((size, json.loads(measured[3])))
        print(f"  {what}: {size}", file=sys.stderr, flush=True)
    return figures


def passes(program, most):
    """What single passes take, for growing shapes; the first is that of KDD Cup ten times over."""
    shapes = [(most, 37, 3, 28)]
    shapes += [(500_000, numbers, 0, 1) for numbers in [5, 10, 20, 40, 80]]
    shapes += [(500_000, 10, 5, values) for values in [2, 20, 180]]
    return told("passes", program, shapes)


def rounds(program):
    """What one round of several parties takes, for growing numbers of holders, and of aggregators."""
    sizes = [(holders, 2) for holders in [2, 5, 10, 20, 50, 100]] + [(20, aggregators) for aggregators in [3, 5, 10, 20]]
    return told("rounds", program, sizes)


def main():
    parser = argparse.ArgumentParser(description="Measures discretion against the usual tools and writes the page about it.")
    parser.add_argument("work", type=pathlib.Path, help="folder written by prepare.py")
    parser.add_argument("--binary", type=pathlib.Path, default="target/release/discretion", help="default: %(default)s")
    parser.add_argument("--passes", type=pathlib.Path, default="target/release/examples/pass_speed", help="default: %(default)s")
    parser.add_argument("--rounds", type=pathlib.Path, default="target/release/examples/round_speed", help="default: %(default)s")
    parser.add_argument("--tables", nargs="+", default=["adult", "covtype", "kdd", LARGEST], help="default: adult covtype kdd kdd10")
    parser.add_argument("--repeats", type=int, default=5, help="timed runs of each program, default 5; the largest table gets one")
    parser.add_argument("--quick", action="store_true", help="no more than a million rows at a time")
    parser.add_argument("--page", type=pathlib.Path, help="write the page here, instead of to standard output")
    arguments = parser.parse_args()
    most = 1_000_000 if arguments.quick else ALL_ROWS
    binary, program = arguments.binary.resolve(), arguments.passes.resolve()
    tables = {}
    for table in arguments.tables:
        folder = arguments.work / table
        repeats = 1 if table == LARGEST else arguments.repeats
        with open(folder / "train.csv", "rb") as file:
            rows = sum(1 for _ in file) - 1
        size = (folder / "train.csv").stat().st_size
        tables[table] = {"rows": rows, "bytes": size, "repeats": repeats, "programs": compare(folder, binary, repeats)}
    figures = {
        "tables": tables,
        "grid": grid(arguments.work, binary, arguments.repeats),
        "growth": growth(arguments.work, binary, max(1, arguments.repeats // 2), most),
        "passes": passes(program, most),
        "rounds": rounds(arguments.rounds.resolve()),
        "glm": GLM in PEERS,
        "load": os.getloadavg()[0],
    }
    text = page.write(figures)
    if arguments.page:
        arguments.page.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
