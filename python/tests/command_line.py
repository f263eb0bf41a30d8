"""The command line, to compare with."""

import json
import os
import subprocess

import pytest

BINARY = os.environ.get("DISCRETION_BINARY")
needs_it = pytest.mark.skipif(BINARY is None, reason="DISCRETION_BINARY names no command line to compare with")


def run(*arguments, folder):
    """What it prints. A refuted claim (exit code 1) prints too."""
    environment = os.environ | {"DISCRETION_LEDGER": str(folder / "command-line-ledger.sqlite")}
    words = [BINARY, *(str(argument) for argument in arguments)]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 or done.stdout, done.stderr
    return done.stdout


def run_json(*arguments, folder):
    return json.loads(run(*arguments, "--json", folder=folder))
