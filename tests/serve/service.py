"""A server of `discretion serve` with a study of its own, for the tests here and for those in a browser."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("DISCRETION_BINARY", ROOT / "target" / "quick" / "discretion")

STUDY = """
[data]
path = "t.csv"
account = "t"
target = "approved"
positive = "yes"
negative = "no"
[budget]
epsilon = 60
delta = 1e-9
[spend]
epsilon = 50
delta = 1e-9
[columns]
age = {{ min = 0, max = 100, missing = 50 }}
income = {{ min = 0, max = 100000 }}
job = {{ values = ["clerk", "nurse"] }}
[vote]
queries = {queries}
unstable = {unstable}
chunks = 120
"""


class Service:
    """A running server with an analyst and a custodian. Clerks are clear from their age, which counts
    as 50 if it is missing. About nurses half of the models say yes: one is answered by chance, with probability of about δ."""

    def __init__(self, folder, queries, unstable):
        self.folder = folder
        (folder / "study.toml").write_text(STUDY.format(queries=queries, unstable=unstable), encoding="utf-8")
        rows = []
        for i in range(6000):
            age, income = i * 37 % 101, i * 7919 % 100000
            job, yes = ("clerk", age >= 30) if (i // 7) % 2 == 0 else ("nurse", i % 120 < 60)
            rows.append(f"{age},{income},{job},{'yes' if yes else 'no'}")
        (folder / "t.csv").write_text("age,income,job,approved\n" + "\n".join(rows) + "\n", encoding="utf-8")
        command = [BINARY, "serve", "study.toml", "--listen", "127.0.0.1:0", "--tick", "50ms", "--new-tokens"]
        environment = os.environ | {"DISCRETION_LEDGER": str(folder / "ledger.sqlite")}
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = [self.process.stdout.readline().strip() for _ in range(4)]
        self.analyst, self.custodian = lines[0].split(": ")[1], lines[1].split(": ")[1]
        self.url = lines[3].removeprefix("listening on ")
        assert self.url.startswith("http://127.0.0.1:"), lines

    def stop(self):
        self.process.terminate()
        _, log = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, log
        return log
