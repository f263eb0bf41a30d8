"""A table in memory is read where it is: a fit adds its compact form (half of the size of float64) and no copy."""

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
import re, sys
import numpy as np
import discretion

ROWS, COLUMNS = 1_000_000, 20

def status(name):
    return int(re.search(name + r":\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024

values = np.random.default_rng(0).uniform(-1, 1, (COLUMNS, ROWS))
y = values[0] > 0
if sys.argv[1] == "numpy":
    X, given = values.T, {"bounds": (-1, 1)}
else:
    import pyarrow
    X = pyarrow.table({f"c{i}": pyarrow.array(column) for i, column in enumerate(values)})
    given = {"schema": {name: (-1, 1) for name in X.column_names}}
if sys.argv[1] == "pandas":
    X = X.to_pandas()
if sys.argv[1] == "polars":
    import polars
    X = polars.from_arrow(X)
model = discretion.LogisticRegression(epsilon=1.0, lam=0.01, classes=(False, True), random_state=0, **given)
open("/proc/self/clear_refs", "w").write("5")
before = status("VmRSS")
model.fit(X, y)
print((status("VmHWM") - before) / (8 * ROWS * COLUMNS))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("kind", ["numpy", "pyarrow", "pandas", "polars"])
def test_a_million_rows_are_not_copied(kind):
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), kind], check=True, capture_output=True, text=True
    )
    share = float(told.stdout)
    # The compact form is 1/2, and it grows by doubling: while it moves, the old half is still there.
    assert 0.45 < share < 0.95, f"{share} of the table's size"
