"""Plans: the command line's numbers and its text, from public numbers alone."""

import dataclasses
import json

import numpy as np
import pandas
import pytest
from command_line import needs_it, run, run_json

import discretion

FIT = {"rows": 30_000, "coefficients": 100, "epsilon": 1.0, "lam": 1e-3}
VOTE = {"epsilon": 1.0, "delta": 1e-6, "queries": 1000, "unstable": 50}


def flags(arguments):
    for name, value in arguments.items():
        name = {"lam": "lambda"}.get(name, name)
        yield from [f"--{name}"] if value is True else [f"--{name}", value]


@needs_it
@pytest.mark.parametrize(
    "arguments",
    [
        FIT,
        FIT | {"delta": 1e-6, "loss": "hinge"},
        {"rows": 1000, "coefficients": 12, "rho": 0.5, "method": "output", "lam": "auto"},
    ],
)
def test_a_plan_is_the_command_line_s(arguments, tmp_path):
    plan = discretion.plan(**arguments)
    # Each names what is to be given in its own way.
    said = json.dumps(run_json("plan", *flags(arguments), folder=tmp_path)).replace("--delta ", "delta ")
    assert plan.to_dict() == json.loads(said)
    assert repr(plan) + "\n" == run("plan", *flags(arguments), folder=tmp_path).replace("--delta ", "delta ")


@needs_it
@pytest.mark.parametrize("more", [{}, {"epsilon": 0.5}, {"lam": 0.5}, {"lam": "auto"}, {"loss": "hinge"}])
def test_what_is_said_goes_before_the_study(study, tmp_path, more):
    text = study.read_text()
    study.write_text(text.replace("lambda = 0.01", "lambda = [0.01, 0.1]") + "[intervals]\n")
    asked = {"study": study, "rows": 3000} | more
    plan = discretion.plan(**asked)
    said = json.dumps(run_json("plan", *flags(asked), folder=tmp_path)).replace("--delta ", "delta ")
    assert plan.to_dict() == json.loads(said)
    assert any(name == "intervals" for name, _ in plan.more), "they are the study's, whatever lam is"
    assert any(name == "lambda chosen" for name, _ in plan.more) == ("lam" not in more)


@needs_it
@pytest.mark.parametrize(
    "arguments",
    [
        VOTE,
        VOTE | {"rows": 5000, "miss": 0.01, "agreement": 0.9},
        VOTE | {"chunks": 700, "scores": True, "rows": 500_000},
        {name: value for name, value in VOTE.items() if name != "unstable"} | {"answer": "all", "confidence": 0.9},
    ],
)
def test_a_vote_s_plan_is_the_command_line_s(arguments, tmp_path):
    plan = discretion.plan_vote(**arguments)
    assert plan.to_dict() == run_json("plan", "vote", *flags(arguments), folder=tmp_path)
    assert repr(plan) + "\n" == run("plan", "vote", *flags(arguments), folder=tmp_path)


def test_fields_have_names_and_do_not_change():
    plan = discretion.plan(**FIT)
    assert (plan.rows, plan.dimension, plan.lam, plan.lam_from) == (30_000, 100, 1e-3, "study")
    assert plan.mechanisms[0]["taken"] and plan.expected_error <= plan.worst_error
    assert plan == discretion.plan(**FIT) and plan != discretion.plan(**FIT | {"rows": 40_000})
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.rows = 1


def test_a_plan_for_what_is_left_in_an_account():
    ledger = discretion.Ledger.in_memory()
    account = ledger.account("patients", epsilon=3.0)
    plan = discretion.plan(rows=1000, coefficients=3, account=account)
    # A little below the cap, for what rounding may add.
    assert 2.9 < plan.budget["epsilon"] <= 3.0
    assert plan.fits["runs"] == 1


def test_how_many_runs_of_a_size_fit_into_an_account():
    account = discretion.Ledger.in_memory().account("patients", epsilon=3.0)
    plan = discretion.plan(rows=1000, coefficients=3, account=account, epsilon=1.0)
    assert plan.budget["epsilon"] == 1.0 and plan.fits["runs"] == 3
    assert "3 such runs fit into what is left of account 'patients' (plain sum)" in str(plan)


@pytest.mark.parametrize(
    ("arguments", "sentence", "also"),
    [
        ({"rows": 0}, "rows is a whole number from 1 on", ValueError),
        ({"rows": 10**13}, "rows is at most", ValueError),
        ({"rows": 2.5}, "rows is a whole number", TypeError),
        ({"coefficients": None}, "one of schema=, coefficients= and study=", ValueError),
        ({"study": "study.toml"}, "one of schema=, coefficients= and study=", ValueError),
        ({"epsilon": None}, "missing", ValueError),
        ({"epsilon": "1"}, "epsilon is a number", TypeError),
        ({"epsilon": -1.0}, "epsilon", ValueError),
        ({"lam": 1e-6}, "lam: lambda = 0.000001 is too small", ValueError),
        ({"lam": "small"}, "auto", ValueError),
        ({"loss": "square"}, "no loss", ValueError),
        ({"loss": 3}, "loss is a word", TypeError),
        ({"coefficients": None, "study": "nowhere.toml"}, "nowhere.toml", ValueError),
        ({"coefficients": None, "study": 3}, "path", TypeError),
        ({"epsilon": None, "account": 3}, "discretion.account", TypeError),
    ],
)
def test_bad_input_is_refused_with_advice(arguments, sentence, also):
    with pytest.raises(discretion.Error, match=sentence) as caught:
        discretion.plan(**FIT | arguments)
    assert isinstance(caught.value, also)


@pytest.mark.parametrize(
    ("arguments", "sentence", "also"),
    [
        ({"delta": None}, "an epsilon and a delta", ValueError),
        ({"epsilon": None, "delta": None, "rho": 1.0}, "an epsilon and a delta", ValueError),
        ({"queries": None}, "queries= is missing", ValueError),
        ({"queries": 0}, "queries is a whole number from 1 on", ValueError),
        ({"agreement": 0.5}, "agreement is the winner's share", ValueError),
        ({"chunks": 1}, "chunks is a whole number from 2 on", ValueError),
        ({"unstable": 2000}, "unstable", ValueError),
        ({"scores": "yes"}, "True or False", TypeError),
        ({"miss": 2.0}, "miss", ValueError),
    ],
)
def test_bad_votes_are_refused_with_advice(arguments, sentence, also):
    with pytest.raises(discretion.Error, match=sentence) as caught:
        discretion.plan_vote(**VOTE | arguments)
    assert isinstance(caught.value, also)


def test_what_a_study_answers_holds_until_something_else_is_said(tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(
        "[data]\npath = 't.csv'\naccount = 'a'\ntarget = 'y'\npositive = '1'\nnegative = '0'\n[budget]\nepsilon = 1\ndelta = 1e-6\n"
        "[spend]\nepsilon = 1\ndelta = 1e-6\n[columns]\nx = { min = 0, max = 1 }\n[vote]\nqueries = 100\nanswer = 'all'\n"
        "confidence = 0.9\n"
    )
    told = discretion.plan_vote(study=study)
    assert "sure" in str(told) and str(discretion.plan_vote(study=study, answer="all")) == str(told)
    assert str(discretion.plan_vote(study=study, confidence=0.99)) != str(told)
    with pytest.raises(discretion.InputError, match='a confidence goes with answer = "all"'):
        discretion.plan_vote(study=study, answer="sure", confidence=0.9)
    with pytest.raises(discretion.InputError, match="these answers are scores"):
        discretion.plan_vote(study=study, scores=True)


SCHEMA = {"age": (17, 90), "site": ["north", "south"]}


def fitted(rows, **settings):
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"age": rng.uniform(17, 90, rows), "site": rng.choice(["north", "south"], rows)})
    return discretion.LogisticRegression(schema=SCHEMA, random_state=0, **settings).fit(frame, np.arange(rows) % 2)


@pytest.mark.parametrize(
    ("rows", "settings"),
    [
        (2000, {"epsilon": 1.0}),
        (2000, {"epsilon": 1.0, "lam": 0.01}),
        (2000, {"epsilon": 1.0, "intervals": True}),
        (200_000, {"epsilon": 2.0, "delta": 1e-6, "intervals": 0.9}),
        (2000, {"epsilon": 0.1, "lam": [0.001, 0.1]}),
        (30, {"epsilon": 1.0, "lam": 1e-9, "method": "objective"}),
        (5, {"epsilon": 1.0, "lam": [0.001, 0.1]}),
        (20_000, {"rho": 0.1, "intervals": True}),
    ],
)
def test_a_plan_says_what_a_fit_says(rows, settings):
    estimator = discretion.LogisticRegression(schema=SCHEMA, **settings)
    try:
        model = fitted(rows, **settings).model_
    except discretion.Error as error:
        for planned in (lambda: estimator.plan(rows=rows), lambda: discretion.plan(rows, schema=SCHEMA, **settings)):
            with pytest.raises(type(error)) as caught:
                planned()
            assert str(caught.value) == str(error)
        return
    for plan in (estimator.plan(rows=rows), discretion.plan(rows, schema=SCHEMA, **settings)):
        assert plan.rows == rows and plan.dimension == len(model["coefficients"])
        assert (plan.more is not None) == ("tuning" in model or "intervals" in model)
        if "tuning" not in model:
            assert plan.lam == model["training"]["lambda"] and plan.expected_error == model["training"]["expected_error"]


def test_what_a_refused_interval_needs_is_planned_too():
    with pytest.raises(discretion.Error) as by_plan:
        discretion.plan(2000, coefficients=50, epsilon=0.1, intervals=True)
    assert "interval" in str(by_plan.value)
    assert discretion.plan(2000, coefficients=50, epsilon=0.1).more is None


def test_an_estimator_s_plan_knows_its_account(tmp_path):
    account = discretion.account("tests", epsilon=3, ledger=tmp_path / "ledger.sqlite")
    model = discretion.LogisticRegression(epsilon=1.0, bounds=([0, 0], [1, 2]), account=account)
    assert model.plan(rows=1000).fits["runs"] == 3 and model.plan(rows=1000).dimension == 3
    assert account.spent == 0 and not hasattr(model, "model_")
    with pytest.raises(discretion.InputError, match="how many"):
        discretion.LogisticRegression(epsilon=1.0, bounds=(0, 1)).plan(rows=1000)
    voting = discretion.PrivateVoting(None, epsilon=1.0, delta=1e-6, queries=100, unstable=5)
    assert voting.plan(rows=100_000).rows_per_chunk > 0


@pytest.mark.parametrize("intervals", [None, True])
def test_a_plan_of_a_hinge_is_the_classifier_s(intervals):
    settings = {"epsilon": 2.0, "delta": 1e-6, "intervals": intervals}
    planned = discretion.plan(20_000, schema=SCHEMA, loss="hinge", **settings)
    assert planned.to_dict() == discretion.LinearSVC(schema=SCHEMA, **settings).plan(rows=20_000).to_dict()
