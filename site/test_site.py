"""What the tools of the site must notice: python -m unittest discover --start-directory site"""

import tempfile
import unittest
from pathlib import Path

import check
import commands
import markdown_links
import mathematics

HELP = """\
Usage: discretion <COMMAND>

Commands:
  fit   Train
  help  Print this message

Options:
  -h, --help  Print help
"""


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Site(Files):
    def problems(self, body: str) -> list[str]:
        self.write("index.html", f"<html><body>{body}</body></html>")
        self.write("more/page.html", '<h1 id="there">There</h1><a href="../index.html">back</a>')
        return check.site_problems(self.folder)

    def test_what_is_there_is_fine(self):
        fine = '<a href="more/page.html#there">a</a><a href="https://example.org/x">b</a><a href="#">c</a>'
        self.assertEqual(self.problems(fine + '<img src="data:image/png;base64,AA==">'), [])

    def test_a_link_to_nowhere(self):
        self.assertEqual(self.problems('<a href="gone.html">a</a>'), ["index.html: gone.html leads nowhere"])

    def test_a_link_out_of_the_site(self):
        self.assertEqual(len(self.problems('<a href="../../etc/passwd">a</a>')), 1)

    def test_a_place_that_is_not_there(self):
        [problem] = self.problems('<a href="more/page.html#here">a</a>')
        self.assertIn("no such place", problem)

    def test_whatever_is_loaded_from_elsewhere(self):
        for body in (
            '<script src="https://example.org/a.js"></script>',
            '<link rel="stylesheet" href="//example.org/a.css">',
            '<img src="http://example.org/a.png">',
            "<style>@import 'https://example.org/a.css';</style>",
            '<p style="background: url(https://example.org/a.png)">',
        ):
            with self.subTest(body):
                [problem] = self.problems(body)
                self.assertIn("loaded from elsewhere", problem)

    def test_a_font_from_elsewhere(self):
        self.write("style.css", "@font-face { src: url('https://example.org/font.woff2') }")
        [problem] = self.problems("")
        self.assertIn("loaded from elsewhere", problem)


class Markdown(Files):
    def problems(self, text: str) -> list[str]:
        self.write("docs/page.md", text)
        self.write("docs/other.md", "# Other\n\n## β₂ is too small, `or` not\n")
        return check.markdown_problems(self.folder)

    def test_what_is_there_is_fine(self):
        self.assertEqual(self.problems("[a](other.md) [`b`](other.md#β₂-is-too-small-or-not) `[c](gone.md)`"), [])

    def test_what_is_not(self):
        for link in ("gone.md", "gone.png", "../gone/", "other.md#gone", "#gone", "http://"):
            with self.subTest(link):
                self.assertEqual(len(self.problems(f"a [`b`\nc]({link}) d")), 1)

    def test_targets_are_moved_and_code_is_not(self):
        moved = markdown_links.with_targets("[`a`](x.md#y)\n```\n[a](x.md)\n```\n", lambda target: f"up/{target}")
        self.assertEqual(moved, "[`a`](up/x.md#y)\n```\n[a](x.md)\n```\n")


class Commands(unittest.TestCase):
    def test_commands_are_found_in_a_help_text(self):
        self.assertEqual(commands.subcommands(HELP), [("fit", "Train")])
        self.assertEqual(commands.subcommands("Usage: discretion fit\n"), [])


class Mathematics(unittest.TestCase):
    def test_what_is_no_latex_is_refused(self):
        for latex in (r"\nosuchcommand", r"\frac{1}", "x^"):
            with self.subTest(latex), self.assertRaises(mathematics.NotLatex):
                mathematics.typeset(latex, block=False)
        self.assertIn("<mi>x</mi>", mathematics.typeset("x", block=False))

    def test_columns_are_aligned_without_columnalign(self):
        html = mathematics.typeset(r"\begin{aligned} a &\le b \\ &= c \end{aligned}", block=True)
        self.assertIn("text-align: right", html)
        self.assertNotIn("columnalign", html)

    def test_an_equation_keeps_its_number(self):
        self.assertIn('<span class="tag">(1)</span>', mathematics.typeset(r"x = y \tag{1}", block=True))

    def test_letters_of_an_alphabet_are_characters(self):
        self.assertIn("𝔼", mathematics.typeset(r"\mathbb{E}", block=False))
        self.assertIn("ℝ", mathematics.typeset(r"\mathbb{R}", block=False))


if __name__ == "__main__":
    unittest.main()
