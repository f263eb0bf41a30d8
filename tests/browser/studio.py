"""A running `discretion studio` with a folder of its own, for tests in a browser."""

import json
import os
import pathlib
import shutil
import subprocess
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("DISCRETION_BINARY", ROOT / "target" / "quick" / "discretion")


class Studio:
    """The page of a folder. Its ledger is beside the folder."""

    def __init__(self, folder):
        self.folder = folder
        self.ledger = folder.parent / "ledger.sqlite"
        self.start()

    def start(self):
        command = [BINARY, "studio", self.folder, "--no-open", "--ledger", self.ledger]
        self.said = None
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.address = self.process.stdout.readline().strip()
        self.url, self.token = self.address.split("/#")

    def ask(self, name, **body):
        """What the page asks."""
        request = urllib.request.Request(f"{self.url}/api/{name}", json.dumps(body).encode(), {"X-Discretion-Token": self.token})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def kill(self):
        """Ends it without a word."""
        self.process.kill()
        self.said = self.process.communicate()[1]

    def stop(self):
        """Ends it as Ctrl-C does; what it said."""
        if self.process.poll() is None:
            self.process.terminate()
        self.said = self.process.communicate()[1] if self.said is None else self.said
        return self.said


def demo(folder):
    """Puts the demo's table into a folder. `make browser` has made one already."""
    made = ROOT / "target" / "browser" / "demo" / "patients.csv"
    folder.mkdir(exist_ok=True)
    if made.exists():
        shutil.copy(made, folder)
        return
    environment = os.environ | {"DISCRETION_LEDGER": str(folder.parent / "other.sqlite")}
    subprocess.run([BINARY, "demo", "--out", folder / "made"], check=True, capture_output=True, env=environment)
    (folder / "made" / "patients.csv").rename(folder / "patients.csv")
