"""Puts every page of the site into one folder, for mkdocs: python site/gather.py FOLDER --binary discretion

What people write is copied, with links that fit its new place. What the program knows of itself (its commands, the
pages it makes) is asked of the program. Files that a page links to, and that are no page, become pages that show them.
"""

import argparse
import json
import os
import posixpath
import shutil
from pathlib import Path

import commands
import gallery
import markdown_links
import python_api
import ziamath

ROOT = Path(__file__).resolve().parent.parent

# The navigation. A file that is not there is left out; a page in docs/ that is not here is an error. "@" is made below.
SECTIONS = {
    "Home": ["README.md"],
    "Start": ["docs/start.md", "docs/studio.md", "docs/why.md"],
    "Guides": [
        "docs/python.md",
        "docs/r.md",
        "docs/spark.md",
        "docs/density.md",
        "docs/accounts.md",
        "docs/curves.md",
        "docs/classes.md",
        "docs/tuning.md",
        "docs/intervals.md",
        "docs/numbers.md",
        "docs/evaluation.md",
        "docs/dossier.md",
        "docs/voting.md",
        "docs/learners.md",
        "docs/serve.md",
        "docs/parties.md",
    ],
    "Reference": [
        "docs/study-file.md",
        "docs/supports.md",
        "docs/tables.md",
        "docs/values.md",
        "docs/files.md",
        "docs/export.md",
        "@commands",
        "@python-api",
        "crates/discretion-ledger/FORMAT.md",
    ],
    "Gallery": ["@gallery"],
    "Evidence": [
        "docs/threat-model.md",
        "docs/audit.md",
        "docs/errata.md",
        "docs/noise.md",
        "docs/lambda.md",
        "docs/intervals-in-detail.md",
        "docs/benchmarks.md",
        "bench/README.md",
    ],
    "Proofs": ["@proofs"],
    "Project": ["docs/architecture.md", "CONTRIBUTING.md", "docs/versions.md", "docs/releasing.md", "SECURITY.md", "CHANGELOG.md"],
}
GENERATED = {"@commands": "The command line", "@python-api": "The Python package"}
LANGUAGES = {".rs": "rust", ".py": "python", ".sh": "bash", ".toml": "toml", ".json": "json", ".sql": "sql"}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--binary", default="target/quick/discretion")
    given = arguments.parse_args()
    binary = shutil.which(os.path.abspath(given.binary)) or given.binary
    folder = given.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    pages.mkdir(parents=True)

    made = {
        "@commands": commands.write(binary, pages / "commands"),
        "@python-api": python_api.write(ROOT / "python/discretion", pages / "python-api"),
        "@gallery": gallery.write(binary, folder, pages / "gallery"),
    }
    places = written_pages()
    copy(places, pages)
    made["@proofs"] = [proofs_page(places, pages), *(place for place in places.values() if place.startswith("proofs/"))]
    (folder / "navigation.json").write_text(json.dumps(navigation(places, made)), encoding="utf-8")

    for asset in ("figures", "images"):
        if (ROOT / "docs" / asset).is_dir():
            shutil.copytree(ROOT / "docs" / asset, pages / asset)
    for table in (ROOT / "docs").glob("*.txt"):
        shutil.copy(table, pages)
    shutil.copy(ROOT / "site/style.css", pages)
    (pages / "assets").mkdir()
    shutil.copy(ROOT / "site/iframe-worker.js", pages / "assets")
    shutil.copy(Path(ziamath.__file__).parent / "fonts/STIXTwoMath-Regular.ttf", pages / "assets")


def written_pages() -> dict[str, str]:
    """Where each page that people wrote goes: its path in the repository, and on the site."""
    listed = [page for pages in SECTIONS.values() for page in pages if not page.startswith("@")]
    forgotten = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} - set(listed)
    assert not forgotten, f"no section of the site has {sorted(forgotten)}; see SECTIONS in site/gather.py"
    names = {
        "README.md": "index.md",
        "bench/README.md": "real-tables.md",
        "crates/discretion-ledger/FORMAT.md": "ledger-format.md",
    }
    present = [page for page in listed if (ROOT / page).is_file()]
    places = {page: names.get(page, posixpath.basename(page).lower()) for page in present}
    proofs = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "crates").rglob("PROOF.md"))
    for proof in proofs:
        parts = [part for part in proof.split("/")[1:-1] if part != "src"]
        places[proof] = f"proofs/{'-'.join(parts).removeprefix('discretion-')}.md"
    return places


def copy(places: dict[str, str], pages: Path) -> None:
    """Copies the pages, with links that fit, and shows the files that they link to."""
    shown: dict[str, str] = {}
    for page, place in places.items():
        text = (ROOT / page).read_text(encoding="utf-8")

        def moved(target: str, page: str = page, place: str = place) -> str:
            path, mark, anchor = target.partition("#")
            if markdown_links.is_elsewhere(target) or not path:
                return target
            file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
            new = places.get(file) or asset(file) or shown.setdefault(file, f"source/{file}.md")
            return posixpath.relpath(new, posixpath.dirname(place) or ".") + mark + anchor

        (pages / place).parent.mkdir(exist_ok=True)
        (pages / place).write_text(markdown_links.with_targets(text, moved), encoding="utf-8")
    for file, place in shown.items():
        show(file, pages / place)


def asset(file: str) -> str | None:
    """Where a picture or a table of docs/ is on the site."""
    return file.removeprefix("docs/") if file.startswith("docs/") and not file.endswith(".md") else None


def show(file: str, page: Path) -> None:
    """A page with a file of the repository, or with the names in a folder."""
    source = ROOT / file
    assert source.exists(), f"{file} is linked to, and is not there"
    if source.is_dir():
        text = "\n".join(sorted(f"{path.name}{'/' * path.is_dir()}" for path in source.iterdir()))
    else:
        text = source.read_text(encoding="utf-8").rstrip()
    page.parent.mkdir(parents=True, exist_ok=True)
    fence = f"````{LANGUAGES.get(source.suffix, 'text')}\n{text}\n````\n"
    page.write_text(f"---\nsearch:\n  exclude: true\n---\n\n# {file}\n\n{fence}", encoding="utf-8")


def proofs_page(places: dict[str, str], pages: Path) -> str:
    """The list of proofs, by crate."""
    lines = [
        "# Proofs",
        "",
        "Each is beside the code that it is about, as `PROOF.md`, and names the functions that its steps are about.",
        "",
        "| proof | beside |",
        "|---|---|",
    ]
    for page, place in places.items():
        if place.startswith("proofs/"):
            title = (ROOT / page).read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
            lines.append(f"| [{title}]({posixpath.basename(place)}) | `{posixpath.dirname(page)}` |")
    (pages / "proofs/index.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "proofs/index.md"


def navigation(places: dict[str, str], made: dict[str, list[str]]) -> list:
    sections = []
    for title, entries in SECTIONS.items():
        listed: list = []
        for entry in entries:
            if entry in GENERATED:
                listed.append({GENERATED[entry]: made[entry]})
            elif entry in made:
                listed += made[entry]
            elif entry in places:
                listed.append(places[entry])
        sections.append({title: listed[0] if len(listed) == 1 else listed})
    return sections


if __name__ == "__main__":
    main()
