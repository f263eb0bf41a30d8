#!/usr/bin/env python3
"""Clippy for every target of the workspace, after everything is compiled.

    tests/lint.py RECORDS

`cargo clippy` checks each of 400 dependencies before our crates, although they are compiled: that is two thirds of its time. Here
clippy is called as the compiler was, by what tests/record-rustc.sh kept in RECORDS, with the compiled dependencies. It reads
libraries and programs with their tests; what the compiler warned of when it compiled them without is refused too. If anything is not
kept, because it was compiled otherwise or before the last change, `cargo clippy` does all of it.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

from programs import BUILT, CARGO, told

WHOLE = [CARGO, "clippy", "--release", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]
TARGETS = [CARGO, "metadata", "--locked", "--no-deps", "--format-version=1"]
# What the compiler says of a compiled crate that is older than what it uses, and of one that is not there.
OLDER = ("error[E0460]", "error[E0463]")
# Without the slots of a make that clippy cannot reach.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS")}
# What clippy is told otherwise, and how many values follow.
OTHERWISE = {"--crate-name": 1, "--crate-type": 1, "--test": 0, "--error-format": 0, "--json": 0, "--emit": 0, "--out-dir": 1}


class NotKept(Exception):
    """What clippy would have to know."""


class Compiled:
    """How the compiler was called for a crate: what clippy has in common with it."""

    def __init__(self, records, name):
        try:
            called = (records / f"{name}.arguments").read_text().split("\0")[1:-1]
            environment = (records / f"{name}.environment").read_text().split("\0")[:-1]
        except FileNotFoundError:
            raise NotKept(f"how {name} was compiled") from None
        self.environment = {**ENVIRONMENT, **dict(pair.split("=", 1) for pair in environment)}
        self.arguments = []
        rest = iter(called)
        for argument in rest:
            if (option := argument.split("=")[0]) in OTHERWISE:
                for _ in range(OTHERWISE[option]):
                    next(rest)
            elif not argument.endswith(".rs"):
                self.arguments.append(argument)
        gone = [at for at in self.arguments if at.endswith((".rlib", ".rmeta", ".so")) and not os.path.exists(at.split("=")[-1])]
        if gone:
            raise NotKept(f"{gone[0]} for {name}")


def calls(records, parts):
    """Of every source, what is linted, as what, and how it was compiled: libraries and programs with their tests, tests, and examples,
    which nobody compiles, as the tests of their crate with that crate."""
    if not shutil.which("clippy-driver"):
        raise NotKept("where clippy is")
    here = [part for part in parts if part.get("executable") or part.get("filenames")]
    tests = {source_of(part["target"]): part for part in here if part["profile"]["test"]}
    libraries = {part["manifest_path"]: part for part in here if part["target"]["kind"] == ["lib"] and not part["profile"]["test"]}
    targets = [(package, target) for package in told(TARGETS)[0]["packages"] for target in package["targets"]]
    # The tests of a crate may be a target of another package.
    for source, (package, target) in {source_of(target): (package, target) for package, target in reversed(targets)}.items():
        manifest, name, kind = package["manifest_path"], target["name"].replace("-", "_"), target["kind"][0]
        if kind == "example" and manifest in libraries:
            library = libraries[manifest]
            test = tests[source_of(library["target"])]
            rlib = next(path for path in library["filenames"] if path.endswith(".rlib"))
            with_it = [f"--extern={library['target']['name'].replace('-', '_')}={rlib}", "--crate-type=bin"]
            yield source, name, with_it, Compiled(records, os.path.basename(test["executable"]))
        elif kind == "cdylib":
            yield source, name, ["--crate-type=cdylib"], Compiled(records, name)
        elif kind in ("lib", "bin", "test") and source in tests:
            yield source, name, ["--test"], Compiled(records, os.path.basename(tests[source]["executable"]))
        else:
            raise NotKept(f"how {kind} {name} of {package['name']} was compiled")


def source_of(target):
    return os.path.realpath(target["src_path"])


def lint(call, written):
    """Returns how clippy ended, and what it says. It writes what nobody reads."""
    source, name, kind, compiled = call
    command = ["clippy-driver", "--crate-name", name, os.path.relpath(source), *kind, *compiled.arguments,
               "--emit=metadata", f"--out-dir={written}", "-D", "warnings"]
    ended = subprocess.run(command, env=compiled.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return ended.returncode, f"{os.path.relpath(source)} {kind[-1]}\n{ended.stdout}" if ended.returncode or ended.stdout else ""


def lint_all(todo, written):
    written.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as runners:
        for (source, name, *_), (code, said) in zip(todo, runners.map(lambda call: lint(call, written), todo)):
            if any(older in said for older in OLDER):
                runners.shutdown(cancel_futures=True)
                raise NotKept(f"what {name} uses, as it is now (`make compile wheel` makes all of it anew)")
            print(said, end="", flush=True)
            yield code, said


def main():
    records = pathlib.Path(sys.argv[1])
    parts = [part for part in told([*BUILT[:-1], "--message-format=json"]) if part.get("manifest_path", "").startswith(os.getcwd())]
    warned = [part["message"]["rendered"] for part in parts if part["reason"] == "compiler-message"]
    print(*warned, sep="\n", end="", flush=True)
    try:
        todo = list(calls(records, parts))
        ended = list(lint_all(todo, records / "written"))
    except NotKept as what:
        print(f"not kept: {what}. Clippy checks dependencies too.", flush=True)
        return subprocess.run(WHOLE).returncode
    failed = sum(code != 0 for code, _ in ended)
    print(f"clippy: {len(todo)} targets, {failed} refused, {len(warned)} warnings while compiling")
    return 1 if failed or warned or not todo else 0


if __name__ == "__main__":
    sys.exit(main())
