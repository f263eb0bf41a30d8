"""The stub of the extension says what the extension has, and type checkers find the package."""

import ast
import inspect
from pathlib import Path

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
