"""The reference of the command line, from the program's own help."""

import re
import subprocess
from pathlib import Path

INTRODUCTION = """\
# The command line

These pages are the program's own help, as `discretion help` prints it: written by the build of this site, not by hand.

| command | what it does |
|---|---|
{rows}

Where nothing else is said, a command's exit code is one of those in [files and exit codes](../files.md#exit-codes).
"""


def write(binary: str, folder: Path) -> list[str]:
    """A page for each command, with its subcommands; their paths from the site's top, for the navigation."""
    folder.mkdir(parents=True)
    found = subcommands(help_of(binary))
    assert found, f"{binary} --help lists no commands"
    rows = "\n".join(f"| [`{name}`]({name}.md) | {about} |" for name, about in found)
    (folder / "index.md").write_text(INTRODUCTION.format(rows=rows), encoding="utf-8")
    for name, _ in found:
        (folder / f"{name}.md").write_text("\n".join(page(binary, [name])), encoding="utf-8")
    return [f"{folder.name}/{name}.md" for name in ["index", *(name for name, _ in found)]]


def page(binary: str, command: list[str]) -> list[str]:
    """A command's help as Markdown, followed by that of its subcommands."""
    text = help_of(binary, *command)
    about, usage = text.split("\nUsage:", 1)
    title = "#" * len(command) + f" discretion {' '.join(command)}"
    lines = [title, "", about.strip(), "", "```text", "Usage:" + usage.rstrip(), "```", ""]
    for name, _ in subcommands(text):
        lines += page(binary, [*command, name])
    return lines


def help_of(binary: str, *command: str) -> str:
    done = subprocess.run([binary, *command, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def subcommands(text: str) -> list[tuple[str, str]]:
    """Names, and what each does, from the list in a help text."""
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
    lines = re.findall(r"^  (\S+) +(.*)$", listed[1], re.MULTILINE) if listed else []
    return [(name, about) for name, about in lines if name != "help"]
