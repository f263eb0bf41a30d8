"""How long the first build takes: `make build-times`, from an empty target folder, with everything downloaded.

Prints what first-build.md quotes, and with it docs/benchmarks.md: time by the clock, time of all processors, the number of units,
the slowest of them, and how long the demo then runs.
"""

import argparse
import json
import re
import resource
import shutil
import subprocess
import time
from pathlib import Path


def measured(command: list[str]) -> tuple[float, float]:
    """Seconds by the clock and of all processors."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return end - start, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def crates(folder: Path) -> list[dict]:
    """What cargo notes in the page that it makes about a build."""
    page = (folder / "cargo-timings" / "cargo-timing.html").read_text()
    return json.loads(re.search(r"const UNIT_DATA = (\[.*?\]);", page, re.DOTALL)[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder for the build; emptied first")
    parser.add_argument("--cargo", default="cargo")
    parser.add_argument("--all", action="store_true", help="the whole program instead of what `make demo` builds")
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    subprocess.run([options.cargo, "fetch", "--locked", "--quiet"], check=True)
    which = [] if options.all else ["--no-default-features"]
    build = [options.cargo, "build", "--release", "--locked", "--quiet", "--timings", "-p", "discretion-cli", *which]
    clock, processor = measured([*build, "--target-dir", str(options.folder)])
    units = crates(options.folder)
    run_clock, _ = measured([str(options.folder / "release" / "discretion"), "demo", "--out", str(options.folder / "demo")])
    print(f"the build: {clock / 60:.1f} min by the clock, {processor / 60:.1f} min of all processors, {len(units)} units")
    print(f"the demo:  {run_clock:.1f} s")
    print("slowest, in seconds by the clock while others are built too:")
    for unit in sorted(units, key=lambda unit: -unit["duration"])[:10]:
        print(f"  {unit['duration']:6.1f}  {unit['name']}{unit['target']}")


if __name__ == "__main__":
    main()
