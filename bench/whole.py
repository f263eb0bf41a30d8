"""How long `make demo` and then `make test` take: `make test-times`, from a fresh copy of the last commit, with everything that
cargo needs downloaded.

Prints what first-build.md says of the two. The processors of the whole machine are read (Linux), because Java and its workers are
nobody's children; so it also says how much of their time somebody else took.
"""

import argparse
import os
import shutil
import subprocess
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def processors() -> tuple[float, float, float]:
    """Seconds since the machine started in which they worked, waited, and were given to other machines."""
    user, nice, system, idle, waiting, interrupts, softly, stolen = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9])
    return (user + nice + system + interrupts + softly) / TICKS, (idle + waiting) / TICKS, stolen / TICKS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder for the copy; emptied first")
    parser.add_argument("--cargo", default="cargo")
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    copy = options.folder / "copy"
    subprocess.run(["git", "clone", "--quiet", ".", str(copy)], check=True)
    subprocess.run([options.cargo, "fetch", "--locked", "--quiet"], check=True, cwd=copy)
    # Not this make's flags, nor where it builds.
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "CARGO_TARGET", "PYO3_"))}
    clocks = []
    for stage in ["demo", "test"]:
        log = options.folder / f"{stage}.txt"
        before, start = processors(), time.perf_counter()
        with log.open("wb") as file:
            code = subprocess.run(["make", stage], cwd=copy, env=alone, stdout=file, stderr=subprocess.STDOUT).returncode
        clocks.append(time.perf_counter() - start)
        worked, waited, stolen = (after - was for after, was in zip(processors(), before, strict=True))
        minutes = f"{clocks[-1] // 60:.0f} min {clocks[-1] % 60:.0f} s"
        print(f"make {stage}: {minutes} by the clock, {worked / 60:.1f} min of all processors, {waited / 60:.1f} idle, "
              f"{stolen / 60:.1f} taken by other machines", flush=True)
        if code:
            raise SystemExit(f"make {stage} failed: {log} says why")
    print(f"make test takes {clocks[1] / clocks[0]:.1f} times as long as make demo")


if __name__ == "__main__":
    main()
