"""Audits: the command line's findings, and mechanisms of one's own."""

import _thread
import threading
import time

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from command_line import needs_it, run, run_json

import discretion

LEFT, RIGHT = [0, 1, 1, 0], [0, 1, 1, 1]
SETTINGS = {"epsilon": 1.0, "trials": 4000, "seed": 3}


def laplace(scale):
    def mechanism(table, rng):
        return sum(table) + rng.laplace(scale=scale)

    return mechanism


@needs_it
def test_a_finding_is_the_command_line_s(tmp_path):
    audit = discretion.audit("counts", trials=2000, seed=7)
    words = ["audit", "--mechanism", "counts", "--trials", 2000, "--seed", 7]
    assert audit.to_dict() == run_json(*words, folder=tmp_path)
    assert repr(audit) + "\n" == run(*words, folder=tmp_path).rstrip("\n") + "\n"
    more = discretion.audit("output", epsilon=0.5, rows=21, trials=2000, confidence=0.99, seed=7)
    words = ["audit", "--mechanism", "output", "--epsilon", 0.5, "--rows", 21, "--confidence", 0.99]
    assert more.to_dict() == run_json(*words, "--trials", 2000, "--seed", 7, folder=tmp_path)


@needs_it
@pytest.mark.parametrize("mechanism", ["output", "selection-generalised", "answers"])
def test_exact_laws_are_the_command_line_s(tmp_path, mechanism):
    audit = discretion.audit(mechanism, exact=True)
    assert audit.to_dict() == run_json("audit", "--mechanism", mechanism, "--exact", folder=tmp_path)
    assert {finding.by for finding in audit.findings} == {"law"} and not audit.violated
    assert all(finding.epsilon <= finding.claim["epsilon"] * (1 + 1e-9) for finding in audit.findings)


def test_a_true_claim_survives_and_a_false_one_does_not():
    honest = discretion.audit(laplace(1.0), LEFT, RIGHT, **SETTINGS)
    assert not honest.violated and honest.refutations == ()
    assert 0.5 < honest.findings[0].epsilon_at_least <= 1.0
    short = discretion.audit(laplace(0.5), LEFT, RIGHT, **SETTINGS)
    assert short.violated and short.findings[0].violated
    assert "the claim ε = 1 is violated" in short.refutations[0]
    assert "VIOLATED" in repr(short) and short.to_dict()[0]["verdict"] == "violated"


def test_a_seed_gives_the_same_finding_and_one_call_may_make_many_runs():
    def many(table, rng, runs):
        return sum(table) + rng.laplace(size=runs)

    first = discretion.audit(many, LEFT, RIGHT, vectorized=True, **SETTINGS)
    again = discretion.audit(many, LEFT, RIGHT, vectorized=True, **SETTINGS)
    other = discretion.audit(many, LEFT, RIGHT, vectorized=True, **SETTINGS | {"seed": 4})
    assert first == again and first != other
    assert not discretion.audit(many, LEFT, RIGHT, vectorized=True, **SETTINGS | {"seed": None}).violated


def test_outputs_may_be_vectors():
    def mechanism(table, rng):
        return [rng.normal(), sum(table) + rng.laplace(scale=0.5)]

    assert discretion.audit(mechanism, LEFT, RIGHT, **SETTINGS).violated


def test_a_mechanism_may_use_the_library_itself():
    # It waits for all cores within a run, so the audit must not hold them.
    X, other = np.full((200, 1), 0.5), np.full((200, 1), 0.5)
    other[0] = -0.5

    def mechanism(table, rng):
        seed = int(rng.integers(2**31))
        density = discretion.HistogramDensity(epsilon=1.0, bins=2, bounds=(-1, 1), random_state=seed)
        return density.fit(table).probabilities_[0]

    assert not discretion.audit(mechanism, X, other, epsilon=1.0, trials=100, seed=1).violated


@pytest.mark.parametrize("kind", [np.array, pandas.Series, polars.Series, pyarrow.array, lambda rows: (rows, rows)])
def test_tables_are_whatever_has_rows(kind):
    seen = []

    def mechanism(table, rng, runs):
        seen.append(type(table))
        return rng.laplace(size=runs)

    discretion.audit(mechanism, kind(LEFT), kind(RIGHT), vectorized=True, **SETTINGS | {"trials": 100})
    assert set(seen) == {type(kind(LEFT))}


def test_frames_are_tables():
    left = pandas.DataFrame({"a": [1.0, None], "b": ["x", "y"]})
    right = left.assign(b=["x", "z"])
    for frame in (lambda f: f, polars.from_pandas, pyarrow.Table.from_pandas):
        def mechanism(table, rng):
            return rng.laplace()

        discretion.audit(mechanism, frame(left), frame(right), **SETTINGS | {"trials": 100})
        with pytest.raises(discretion.InputError, match="equal"):
            discretion.audit(mechanism, frame(left), frame(left), **SETTINGS)


@pytest.mark.parametrize(
    ("arguments", "sentence", "also"),
    [
        ({"mechanism": "count"}, "take one of output, objective", ValueError),
        ({"mechanism": 3}, "a function", TypeError),
        ({"mechanism": "counts", "left": LEFT}, "has its tables", ValueError),
        ({"mechanism": "all", "epsilon": 1.0}, "name one of them", ValueError),
        ({"mechanism": "fit", "exact": True}, "cannot be written down", ValueError),
        ({"mechanism": "counts", "trials": 5}, "at least 100 trials", ValueError),
        ({"mechanism": "counts", "trials": 1.5}, "trials is a whole number", TypeError),
        ({"mechanism": "counts", "confidence": 1.0}, "between 0 and 1", ValueError),
        ({"mechanism": "counts", "rows": 2}, "rows is a whole number from 3 on", ValueError),
        ({"mechanism": "counts", "epsilon": -1.0}, "epsilon", ValueError),
        ({"mechanism": "selection-uniform", "rho": 1.0}, ".", ValueError),
        ({"left": None}, "two tables", ValueError),
        ({"epsilon": None}, "what is claimed", ValueError),
        ({"right": [0, 1, 1]}, "same number of rows", ValueError),
        ({"right": LEFT}, "equal", ValueError),
        ({"right": [1, 1, 1, 1]}, "differ in 2", ValueError),
        ({"left": 3}, "a table is", TypeError),
        ({"left": (LEFT, [1])}, "same number of rows", ValueError),
        ({"exact": True}, "exact=", ValueError),
        ({"mechanism": lambda table, rng: "north"}, "a number or a sequence", TypeError),
        ({"mechanism": lambda table, rng: float("nan")}, "not a finite number", ValueError),
        ({"mechanism": lambda table, rng: []}, "at least one number", ValueError),
        ({"mechanism": lambda table, rng: [0.0] * (1 + rng.integers(2))}, "as many", ValueError),
        ({"mechanism": lambda table, rng, runs: rng.normal(size=3), "vectorized": True}, "3 came", ValueError),
        ({"mechanism": lambda table, rng, runs: np.zeros((runs, 1, 1)), "vectorized": True}, "each run", ValueError),
    ],
)
def test_bad_input_is_refused_with_advice(arguments, sentence, also):
    arguments = dict(arguments)
    if not isinstance(arguments.get("mechanism"), (str, int)):
        arguments = {"mechanism": laplace(1.0), "left": LEFT, "right": RIGHT, **SETTINGS} | arguments
    with pytest.raises(discretion.Error, match=sentence) as caught:
        discretion.audit(**arguments)
    assert isinstance(caught.value, also)


def test_what_a_mechanism_raises_is_raised():
    def broken(table, rng):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        discretion.audit(broken, LEFT, RIGHT, **SETTINGS)


@pytest.mark.parametrize("mechanism", ["counts", lambda table, rng: time.sleep(0.001) or rng.laplace()])
def test_ctrl_c_stops_an_audit(mechanism, heeds_ctrl_c):
    # Of more runs than anybody would wait for.
    tables = {} if mechanism == "counts" else {"left": LEFT, "right": RIGHT}
    interrupt = threading.Timer(0.5, _thread.interrupt_main)
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        discretion.audit(mechanism, **tables, epsilon=1.0, trials=10**9)
    interrupt.join()
