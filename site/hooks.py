"""What mkdocs does besides: takes the navigation that gather.py wrote, and sets mathematics.

`$…$` and `$$…$$` become MathML, which browsers set by themselves: nothing is loaded, and nothing runs in the page.
"""

import html
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import mathematics

# As pymdownx.arithmatex leaves it, with the signs after it, which belong on the same line.
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>([,.;:?!)\]]*)', re.DOTALL)


def on_config(config):
    config["nav"] = json.loads((Path(config["docs_dir"]).parent / "navigation.json").read_text(encoding="utf-8"))
    return config


def on_page_content(content, page, **_):
    def typeset(found):
        latex = html.unescape(found[2]).strip()
        try:
            formula = mathematics.typeset(latex, block=found[1] == "div")
        except mathematics.NotLatex as error:
            raise SystemExit(f"{page.file.src_path}: {error}\nin: {latex}") from error
        return f'<span class="together">{formula}{found[3]}</span>' if found[3] else formula

    return FORMULA.sub(typeset, content)
