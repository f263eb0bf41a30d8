"""One browser for all tests."""

import os
import pathlib

import pytest

import devtools

SHOTS = pathlib.Path(__file__).resolve().parents[2] / "target" / "browser" / "shots"


@pytest.fixture(scope="session")
def browser():
    path = devtools.find()
    if path is None:
        reason = "no Chromium here (apt-get install chromium)"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    SHOTS.mkdir(parents=True, exist_ok=True)
    browser = devtools.Browser(path)
    yield browser
    browser.close()
