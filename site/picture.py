"""The picture in the README, of a report that `discretion demo` made: python site/picture.py demo/report.html

Needs Chromium. It is not part of `make site`: a demo has fresh noise, and a new picture each time would say nothing new.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PICTURE = Path(__file__).resolve().parent.parent / "docs/images/report.png"
SIZE = "900,1010"


def main() -> None:
    names = [os.environ.get("CHROMIUM", "chromium"), "chromium-browser", "google-chrome"]
    browser = next(filter(None, map(shutil.which, names)), None) or sys.exit("no Chromium here; set CHROMIUM")
    PICTURE.parent.mkdir(exist_ok=True)
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE}"]
    report = Path(sys.argv[1]).resolve().as_uri()
    subprocess.run([browser, *options, f"--screenshot={PICTURE}", report], check=True, capture_output=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
