"""How long the first build takes: `make build-times`, from an empty target folder, with everything downloaded.

Prints what first-build.md quotes, and with it docs/benchmarks.md: time by the clock, time of all processors, the number of units,
the slowest of them, how long the demo then runs, and how much of what was built `make test` finds built. The last is read from
cargo's plans of both builds, and says nothing about a folder that is there already.
"""

import argparse
import hashlib
import json
import os
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


def plan(cargo: str, *build: str) -> dict[str, tuple[str, str, str]]:
    """What a build would compile or run, each by all that cargo tells its outputs apart by, what it stands on included."""
    command = [cargo, *build, "--release", "--locked", "--unit-graph", "-Z", "unstable-options"]
    # The option is unstable; nothing is compiled with this.
    said = subprocess.run(command, check=True, capture_output=True, env={**os.environ, "RUSTC_BOOTSTRAP": "1"}).stdout
    units, known = json.loads(said)["units"], {}

    def identity(at: int) -> str:
        if at not in known:
            unit = {**units[at], "dependencies": sorted(identity(one["index"]) for one in units[at]["dependencies"])}
            known[at] = hashlib.sha256(json.dumps(unit, sort_keys=True).encode()).hexdigest()
        return known[at]

    def label(unit: dict) -> tuple[str, str, str]:
        name, _, version = re.split(r"[/#]", unit["pkg_id"])[-1].rpartition("@")
        if not name:  # .../crates/NAME#VERSION
            name = unit["pkg_id"].rpartition("#")[0].rpartition("/")[2]
        script = "custom-build" in unit["target"]["kind"]
        return name, version, "run" if unit["mode"] == "run-custom-build" else "script" if script else "crate"

    return {identity(at): label(unit) for at, unit in enumerate(units)}


def found_by_the_tests(cargo: str, which: list[str], built: list[dict]) -> str:
    seconds: dict[tuple[str, str, str], float] = {}
    for unit in built:
        kind = "run" if "(run)" in unit["target"] else "script" if "build-script" in unit["target"] else "crate"
        key = unit["name"], unit["version"], kind
        seconds[key] = max(unit["duration"], seconds.get(key, 0.0))
    demo, tests = plan(cargo, "build", "-p", "discretion-cli", *which), plan(cargo, "test", "--workspace")
    shared = [demo[unit] for unit in demo if unit in tests]
    took = sum(seconds.get(unit, 0.0) for unit in shared), sum(unit["duration"] for unit in built)
    return f"{len(shared)} of {len(demo)} units, {took[0]:.0f} of {took[1]:.0f} seconds of them"


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
    print(f"`make test` finds built: {found_by_the_tests(options.cargo, which, units)}")
    print("slowest, in seconds by the clock while others are built too:")
    for unit in sorted(units, key=lambda unit: -unit["duration"])[:10]:
        print(f"  {unit['duration']:6.1f}  {unit['name']}{unit['target']}")


if __name__ == "__main__":
    main()
