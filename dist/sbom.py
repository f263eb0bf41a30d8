"""The parts that the program is made of, as a CycloneDX 1.5 file, from what cargo itself says.

    python dist/sbom.py > discretion.cdx.json
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "discretion-cli"


def metadata() -> dict:
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "metadata", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"]
    return json.loads(subprocess.check_output(command, cwd=ROOT))


def runs_at_build_time(package: dict) -> bool:
    return any("proc-macro" in target["kind"] for target in package["targets"])


def linked(data: dict, packages: dict, start: str) -> set[str]:
    """The packages that end up in the program: no tests, no build scripts, no macros, no other platforms."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    found, todo = set(), [start]
    while todo:
        package = todo.pop()
        if package in found:
            continue
        found.add(package)
        for dependency in nodes[package]["deps"]:
            needed = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if needed and not runs_at_build_time(packages[dependency["pkg"]]):
                todo.append(dependency["pkg"])
    return found


def checksums() -> dict[tuple[str, str], str]:
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    return {(package["name"], package["version"]): package["checksum"] for package in lock["package"] if "checksum" in package}


def component(package: dict, sums: dict) -> dict:
    name, version = package["name"], package["version"]
    made = {"type": "library", "bom-ref": f"pkg:cargo/{name}@{version}", "name": name, "version": version,
            "purl": f"pkg:cargo/{name}@{version}"}
    if package.get("license"):
        made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if (name, version) in sums:
        made["hashes"] = [{"alg": "SHA-256", "content": sums[name, version]}]
    return made


def main() -> None:
    data = metadata()
    packages = {package["id"]: package for package in data["packages"]}
    program = next(package for package in data["packages"] if package["name"] == PROGRAM)
    inside, sums = linked(data, packages, program["id"]), checksums()
    parts = sorted((packages[package] for package in inside if package != program["id"]), key=lambda p: (p["name"], p["version"]))
    reference = {package: f"pkg:cargo/{packages[package]['name']}@{packages[package]['version']}" for package in inside}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    edges = [{"ref": reference[package], "dependsOn": sorted({reference[d["pkg"]] for d in nodes[package]["deps"] if d["pkg"] in inside})}
             for package in sorted(inside, key=reference.get)]
    top = component(program, sums) | {"type": "application"}
    json.dump({"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": top},
               "components": [component(part, sums) for part in parts], "dependencies": edges}, sys.stdout, indent=1)
    print()
    print(f"{len(parts)} parts", file=sys.stderr)


if __name__ == "__main__":
    main()
