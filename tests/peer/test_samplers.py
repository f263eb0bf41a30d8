"""Our draws of both discrete laws beside OpenDP's.

    cargo build --release --workspace --example draws
    pytest tests/peer/test_samplers.py
"""

import collections
import math
import pathlib
import subprocess

import opendp.prelude as dp
import pytest

DRAWS = pathlib.Path(__file__).resolve().parents[2] / "target" / "quick" / "examples" / "draws"
COUNT = 20_000
CELLS = 8  # In a scale.


def ours(law, scale):
    done = subprocess.run([DRAWS, law, repr(scale), str(COUNT)], check=True, capture_output=True, text=True)
    return [int(line) for line in done.stdout.splitlines()]


def theirs(law, scale):
    dp.enable_features("contrib")
    integers = dp.vector_domain(dp.atom_domain(T=int))
    if law == "laplace":
        noise = dp.m.make_laplace(integers, dp.l1_distance(T=int), scale=scale)
    else:
        noise = dp.m.make_gaussian(integers, dp.l2_distance(T=int), scale=scale)
    return noise([0] * COUNT)


def distance(one, other, scale):
    """Pearson's χ² of two samples of one size, and its degrees of freedom and one."""
    width = math.ceil(scale / CELLS)
    cells = [collections.Counter(max(-40, min(40, draw // width)) for draw in sample) for sample in (one, other)]
    places = cells[0].keys() | cells[1].keys()
    return sum((cells[0][at] - cells[1][at]) ** 2 / (cells[0][at] + cells[1][at]) for at in places), len(places)


def limit(cells):
    """What χ² exceeds with a probability of at most 1e-6 (Laurent and Massart)."""
    doubt = math.log(1e6)
    return cells + 2 * math.sqrt(cells * doubt) + 2 * doubt


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [0.37, 2 / 0.7, 1234567.0])
def test_opendp_draws_the_same_law(law, scale):
    square, cells = distance(ours(law, scale), theirs(law, scale), scale)
    assert square < limit(cells)


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_a_scale_that_is_a_quarter_off_is_seen(law):
    square, cells = distance(ours(law, 1234567.0), theirs(law, 1.25 * 1234567.0), 1234567.0)
    assert square > limit(cells)
