"""Looks at every link, and fails if one leads nowhere: python site/check.py target/site

Of the built site: every link, picture, script and style is there, every `#…` is a place on its page, and nothing is
loaded from elsewhere. Of the Markdown in the repository: every link leads to a file or a heading that exists. Links to
other sites are not followed.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import markdown_links

ROOT = Path(__file__).resolve().parent.parent
# What a browser fetches by itself, and not because somebody clicks on it.
FETCHED = {"script", "img", "iframe", "source", "video", "audio", "object", "embed"}
FETCHED_BY_LINK = {"stylesheet", "icon", "manifest", "preload", "modulepreload", "prefetch", "preconnect"}


class Page(HTMLParser):
    """The links of a page, and the places that links can lead to."""

    def __init__(self, text: str):
        super().__init__()
        self.places: set[str] = set()
        # Each with whether the browser fetches it by itself.
        self.links: list[tuple[str, bool]] = []
        self.styles: list[str] = []
        self.in_style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        self.in_style = tag == "style"
        self.styles.append(given.get("style") or "")
        for name, value in attributes:
            if name in ("href", "src", "data") and value is not None:
                relation = set((given.get("rel") or "").split())
                fetched = tag in FETCHED or (tag == "link" and bool(relation & FETCHED_BY_LINK))
                self.links.append((value, fetched))

    def handle_data(self, data):
        if self.in_style:
            self.styles.append(data)

    def handle_endtag(self, tag):
        self.in_style = False


def site_problems(site: Path) -> list[str]:
    """What is wrong with the links of a built site."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    if not pages:
        return [f"{site} has no pages"]
    problems = []
    for path, page in pages.items():
        # Made for an address that nobody knows in advance.
        if path.name == "404.html":
            continue
        where = path.relative_to(site)
        links = page.links + [(url, True) for style in page.styles for url in urls_of_style(style)]
        for link, fetched in links:
            problems += [f"{where}: {problem}" for problem in link_problems(link, fetched, path, pages, site)]
    for path in sorted(site.rglob("*.css")):
        for url in urls_of_style(path.read_text(encoding="utf-8")):
            found = link_problems(url, True, path, pages, site)
            problems += [f"{path.relative_to(site)}: {problem}" for problem in found]
    return problems


def urls_of_style(text: str) -> list[str]:
    imported = re.findall(r"@import\s+[\"']([^\"']+)[\"']", text)
    return imported + [url.strip("\"' ") for url in re.findall(r"url\(((?:\"[^\"]*\"|'[^']*'|[^)])*)\)", text)]


def link_problems(link: str, fetched: bool, path: Path, pages: dict[Path, Page], site: Path) -> list[str]:
    try:
        parts = urlsplit(link)
    except ValueError:
        return [f"{link} is no address"]
    if parts.scheme == "data" or link == "":
        return []
    if parts.scheme or parts.netloc:
        if fetched:
            return [f"{link} is loaded from elsewhere"]
        malformed = parts.scheme in ("http", "https") and not re.fullmatch(r"[\w.-]+(:\d+)?", parts.netloc)
        return [f"{link} is no address"] if malformed else []
    target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(site) or not target.is_file():
        return [f"{link} leads nowhere"]
    if parts.fragment and target in pages and not is_place(unquote(parts.fragment), pages[target]):
        return [f"{link}: there is no such place on that page"]
    return []


def is_place(fragment: str, page: Page) -> bool:
    # "__" are places that the theme's script makes.
    return fragment in page.places or fragment.startswith("__") or fragment == "top"


def markdown_problems(root: Path) -> list[str]:
    """What is wrong with the links of the Markdown files in the repository."""
    problems = []
    for path in sorted(root.rglob("*.md")):
        where = path.relative_to(root)
        if where.parts[0] in ("target", "demo") or any(part.startswith(".") for part in where.parts):
            continue
        for target in markdown_links.targets(path.read_text(encoding="utf-8")):
            file, _, anchor = target.partition("#")
            linked = (path.parent / unquote(file)).resolve() if file else path
            if markdown_links.is_elsewhere(target):
                if not re.match(r"(https?://[\w.-]+(:\d+)?(/\S*)?|mailto:\S+@\S+)$", target):
                    problems.append(f"{where}: {target} is no address")
            elif not linked.exists() or not linked.is_relative_to(root):
                problems.append(f"{where}: {target} leads nowhere")
            elif anchor and linked.suffix == ".md" and anchor not in markdown_links.anchors(linked.read_text("utf-8")):
                problems.append(f"{where}: {target}: there is no such heading")
    return problems


def main() -> int:
    problems = markdown_problems(ROOT)
    for site in sys.argv[1:]:
        problems += site_problems(Path(site).resolve())
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(problems)} broken links" if problems else "every link leads somewhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
