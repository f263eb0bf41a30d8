#!/usr/bin/env python3
"""Runs every Rust test program of the workspace, three at a time, and says which tests took longest.

    tests/programs.py

`cargo test` runs one program after the other, and many of them wait: for a disk, for a clock, for a program that they started.
Each runs in the folder of its crate, as with cargo. A run ends with 1 if a program did.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

AT_A_TIME = 3
CARGO = os.environ.get("CARGO", "cargo")
BUILT = [CARGO, "test", "--release", "--locked", "--workspace", "--tests", "--no-run", "--quiet", "--message-format=json-render-diagnostics"]


def told(command):
    """What cargo says in JSON, line by line."""
    lines = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def programs():
    """Each program and the folder of its crate. Those that link most take longest: they go first, so that none is waited for alone."""
    tests = [part for part in told(BUILT) if part.get("executable") and part["profile"]["test"]]
    return sorted(((part["executable"], os.path.dirname(part["manifest_path"])) for part in tests), key=lambda at: -os.path.getsize(at[0]))


def run(program):
    """What a program printed, and how it ended. Times of single tests are an unstable option, which the variable allows."""
    path, folder = program
    ended = subprocess.run([path, "-Z", "unstable-options", "--report-time"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env={**os.environ, "RUSTC_BOOTSTRAP": "1", "CARGO_MANIFEST_DIR": folder})
    said = ended.stdout.decode(errors="replace")
    print(f"\n{os.path.basename(folder)}: {os.path.basename(path)}\n{said}", flush=True)
    return path, ended.returncode, said


def main():
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as runners:
        ends = list(runners.map(run, programs()))
    times = [(float(seconds), name) for _, _, said in ends for name, seconds in re.findall(r"^test (.*) \.\.\. ok <([0-9.]+)s>$", said, re.M)]
    print(f"The slowest ten of {len(times)} tests:")
    for seconds, name in sorted(times, reverse=True)[:10]:
        print(f"{seconds:.1f} s  {name}")
    failed = [path for path, code, _ in ends if code != 0]
    for path in failed:
        print(f"failed: {path}")
    return 1 if failed or not times else 0


if __name__ == "__main__":
    sys.exit(main())
