"""The stub of the extension says what the extension has, and type checkers find the package."""

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import discretion
from discretion import _discretion

FOLDER = Path(discretion.__file__).parent


def declared():
    for node in ast.parse((FOLDER / "_discretion.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            yield node.name, None
            yield from ((f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, ast.FunctionDef))


def found():
    for name, thing in vars(_discretion).items():
        if name.startswith("_"):
            continue
        yield name, thing
        if inspect.isclass(thing):
            yield from ((f"{name}.{one}", value) for one, value in vars(thing).items() if not one.startswith("_"))


def test_the_stub_and_the_extension_have_the_same_names():
    stub = {name: node for name, node in declared() if not name.endswith("__init__")}
    extension = dict(found())
    assert set(stub) == set(extension)
    for name, node in stub.items():
        if node is None or any(getattr(d, "id", None) == "property" for d in node.decorator_list):
            continue
        arguments = [a.arg for a in node.args.args + node.args.kwonlyargs if a.arg != "self"]
        thing = extension[name]
        thing = thing.__func__ if isinstance(thing, staticmethod) else thing
        theirs = [p for p in inspect.signature(thing).parameters if p != "self"]
        assert arguments == theirs, name


def test_the_package_is_typed_and_everything_public_has_a_docstring():
    assert (FOLDER / "py.typed").exists()
    for name in discretion.__all__:
        thing = getattr(discretion, name)
        assert inspect.getdoc(thing), name
        for method, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not method.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                assert inspect.getdoc(getattr(thing, method)), f"{name}.{method}"


HERE = Path(__file__).parent
EXAMPLES = [HERE.parents[1] / "examples" / "python" / "analysis.py", HERE / "typed_use.py"]
# What numpy, pandas and scikit-learn do not say about their own types.
OF_OTHERS = ("reportUnknown", "reportMissingTypeStubs")


def checked(tool, *arguments, **more):
    pytest.importorskip(tool)
    words = [sys.executable, "-m", tool, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, **more)


def test_mypy_in_strict_mode():
    # Nobody asks again, so nothing is kept; to write it would take a fifth of the time.
    settings = ["--strict", "--python-version", "3.10", "--disable-error-code", "import-untyped", "--cache-dir", os.devnull]
    done = checked("mypy", *settings, *EXAMPLES)
    assert done.returncode == 0, done.stdout


def test_pyright_in_strict_mode(tmp_path):
    version = checked("pyright", "--version")
    if version.returncode != 0:
        pytest.skip("pyright finds no Node here")
    for example in EXAMPLES:
        (tmp_path / example.name).write_text(example.read_text())
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.10", "extraPaths": [str(FOLDER.parent)]}
    settings |= {"enableTypeIgnoreComments": True, "reportUnnecessaryTypeIgnoreComment": "error"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    told = json.loads(checked("pyright", "--outputjson", "--pythonpath", sys.executable, cwd=tmp_path).stdout)
    found = [one for one in told["generalDiagnostics"] if not one.get("rule", "").startswith(OF_OTHERS)]
    assert told["summary"]["filesAnalyzed"] == 2 and found == []
