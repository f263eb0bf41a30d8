"""The pages of the Python package: which names each has. Signatures and words come from the source, by mkdocstrings."""

import ast
from pathlib import Path

# Every name of the package is on one of these pages; `write` sees to it.
PAGES = {
    "estimators": ("Estimators", ["LogisticRegression", "LinearSVC", "LinearRegression", "HuberRegressor", "HistogramDensity", "PrivateVoting", "load", "release"]),
    "accounts": ("Accounts and schemas", ["account", "Account", "Ledger", "Schema", "Curve"]),
    "planning": ("Planning and auditing", ["plan", "Plan", "NumberPlan", "plan_vote", "VotePlan", "audit", "Audit", "Finding"]),
    "errors": (
        "Errors and warnings",
        ["Error", "InputError", "InputTypeError", "Refused", "FailedAfterCharge", "Note", "NotRemembered"],
    ),
}
MODULES = {"spark": "On Spark", "dask": "On Dask"}

INTRODUCTION = """\
# The Python package

What `import discretion` has, from the documentation in the source. [From Python](../python.md) shows how to use it.

| page | names |
|---|---|
{rows}
"""


def write(package: Path, folder: Path) -> list[str]:
    """The pages; their paths from the site's top, for the navigation."""
    missing = names_of(package / "__init__.py") - {name for _, names in PAGES.values() for name in names}
    assert not missing, f"no page of the Python reference has {sorted(missing)}; see PAGES in site/python_api.py"
    folder.mkdir(parents=True)
    rows = []
    for page, (title, names) in PAGES.items():
        text = [f"# {title}", "", *(f"::: discretion.{name}\n" for name in names)]
        (folder / f"{page}.md").write_text("\n".join(text), encoding="utf-8")
        rows.append(f"| [{title}]({page}.md) | {', '.join(f'`{name}`' for name in names)} |")
    for module, title in MODULES.items():
        names = sorted(names_of(package / f"{module}.py"))
        text = [f"# {title}: `discretion.{module}`", "", *(f"::: discretion.{module}.{name}\n" for name in names)]
        (folder / f"{module}.md").write_text("\n".join(text), encoding="utf-8")
        rows.append(f"| [{title}]({module}.md) | {', '.join(f'`{module}.{name}`' for name in names)} |")
    (folder / "index.md").write_text(INTRODUCTION.format(rows="\n".join(rows)), encoding="utf-8")
    return [f"{folder.name}/{page}.md" for page in ["index", *PAGES, *MODULES]]


def names_of(module: Path) -> set[str]:
    """What a module says is public, without importing it."""
    for statement in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", None) == "__all__":
            return set(ast.literal_eval(statement.value))
    raise AssertionError(f"{module} has no __all__")
