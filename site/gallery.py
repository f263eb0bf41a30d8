"""Pages that the program makes, made now: `discretion demo`, and other commands on the demo's table."""

import subprocess
import sys
from pathlib import Path

# What each is called, what it shows, how it is made in the demo's folder, and the page that comes of it. The demo's account
# can pay for itself and two more; the last one is under a seed, and nobody pays.
SHOWN = [
    (
        "report",
        "The report of a fit",
        "The page for a review board: the guarantee in words, what was spent, every coefficient with its interval.",
        None,
        "report.html",
    ),
    (
        "density",
        "The distribution of a column",
        "A histogram of age, its number of bins chosen privately.",
        ["density", "study.toml", "--column", "age", "--out", "age"],
        "age/density.html",
    ),
    (
        "parties",
        "A model of five holders",
        "The same table dealt to five holders, who train one model without showing their rows.",
        ["party", "simulate", "study.toml", "--parties", "5", "--out", "parties"],
        "parties/report.html",
    ),
    (
        "seeded",
        "A page that must not be published",
        "Two columns together, under a fixed seed. Whoever knows the seed can take the noise away, and the page says so.",
        ["density", "study.toml", "--column", "age", "--column", "ward", "--seed", "1", "--out", "seeded"],
        "seeded/seeded-density.html",
    ),
]

INTRODUCTION = """\
# Gallery

Pages that discretion makes. Each is one file that needs no other, and each was made while this site was built, on the
invented hospital stays of `discretion demo`. The noise is fresh, so your own demo shows other numbers.
"""

ENTRY = """
## {title}

{about}

```text
{command}
```

[Open the page]({page}){{ target=_blank }}

<iframe class="report" src="{page}" title="{title}" loading="lazy"></iframe>
"""


def write(binary: str, work: Path, folder: Path) -> list[str]:
    """Runs the commands in `work`, and puts the pages and a page that shows them into `folder`."""
    folder.mkdir(parents=True)
    demo = work / "demo"
    run([binary, "demo", "--out", str(demo)], work)
    text = INTRODUCTION
    for name, title, about, command, page in SHOWN:
        if command:
            ledger = [] if "--seed" in command else ["--ledger", "demo-ledger.sqlite"]
            said = run([binary, *command, *ledger], demo)
            if said:
                print(f"site: the gallery is without “{title}”: {said}", file=sys.stderr)
                continue
        (folder / f"{name}.html").write_bytes((demo / page).read_bytes())
        words = "discretion demo" if command is None else "cd demo\ndiscretion " + " ".join([*command, *ledger])
        text += ENTRY.format(title=title, about=about, command=words, page=f"{name}.html")
    (folder / "index.md").write_text(text, encoding="utf-8")
    return [f"{folder.name}/index.md"]


def run(command: list[str], folder: Path) -> str | None:
    """Runs a command. What it returns says that the program was built without it; all else that fails is an error."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    if "was not built into this program" in done.stderr:
        return done.stderr.strip()
    raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
