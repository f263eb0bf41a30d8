"""Curves and levels for what is missing: declared in a dict or as a Curve, and read from a model."""

import numpy as np
import pandas as pd
import pytest

import discretion

ROWS = 4000


@pytest.fixture(scope="module")
def frame():
    draw = np.random.default_rng(1)
    age = draw.uniform(20, 80, ROWS)
    risk = np.abs(age - 50) / 10 - 1.5  # high for the young and the old: no line says that
    frame = pd.DataFrame({"age": age, "ward": draw.choice(["a", "b"], ROWS)})
    frame.loc[::50, "age"] = np.nan
    return frame, (draw.uniform(size=ROWS) < 1 / (1 + np.exp(-risk))).astype(int)


def fitted(columns, frame, **more):
    table, y = frame
    account = discretion.account("curves", epsilon=100, ledger=discretion.Ledger.in_memory())
    model = discretion.LogisticRegression(epsilon=50, schema=columns, account=account, lam=1e-3, **more)
    return model.fit(table, y)


def test_a_curve_bends_where_a_line_cannot(frame):
    ward = ["a", "b"]
    line = fitted({"age": {"min": 20, "max": 80, "missing": "own"}, "ward": ward}, frame)
    curve = fitted({"age": discretion.Curve(20, 80, knots=7, missing="own"), "ward": ward}, frame)
    assert curve.score(*frame) > line.score(*frame) + 0.1
    knots = curve.curve("age")
    assert knots["at"].tolist() == [20, 30, 40, 50, 60, 70, 80]
    assert knots["value"].iloc[3] == 0  # the middle
    assert knots["value"].iloc[[0, 6]].min() > 1
    assert "age missing" in curve.coefficients_
    with pytest.raises(discretion.InputError, match="its curves are 'age'"):
        curve.curve("ward")


def test_a_dict_says_the_same_as_a_curve(frame):
    declared = {"min": 20, "max": 80, "curve": 5, "missing": 50, "monotone": "up"}
    curve = discretion.Curve(20, 80, knots=5, missing=50, monotone="up")
    assert discretion.Schema({"age": declared}) == discretion.Schema({"age": curve})
    values = fitted({"age": declared, "ward": {"drop": True}}, frame).curve("age")["value"]
    assert values.is_monotonic_increasing


def test_bands_hold_intervals(frame):
    columns = {"age": {"min": 20, "max": 80, "knots": [40, 60], "missing": 50}, "ward": {"values": ["a", "b"], "missing": "own"}}
    curve = fitted(columns, frame, intervals=True).curve("age")
    others = curve[curve["at"] != 50]
    assert (others["band_lower"] <= others["lower"]).all() and (others["lower"] < others["value"]).all()
    assert (others["upper"] <= others["band_upper"]).all()


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ({"min": 0, "max": 1, "curve": 3, "knots": [0.5]}, "curve and knots"),
        ({"min": 0, "max": 1, "curve": 2.5}, "whole number of knots"),
        ({"min": 0, "max": 1, "monotone": "up"}, "no curve"),
        ({"values": ["a"], "curve": 3}, "no curve"),
    ],
)
def test_what_cannot_be_is_refused(declared, sentence):
    with pytest.raises((discretion.InputError, discretion.InputTypeError), match=sentence):
        discretion.Schema({"x": declared})


def test_indicators_are_one_category():
    draw = np.random.default_rng(2)
    colour = draw.integers(0, 3, ROWS)
    table = pd.DataFrame({name: colour == place for place, name in enumerate(["is_red", "is_green", "is_blue"])})
    y = (draw.uniform(size=ROWS) < np.where(colour == 2, 0.8, 0.2)).astype(int)
    columns = {"colour": {"one_of": ["is_red", "is_green", "is_blue"], "labels": {"is_red": "red"}}}
    model = fitted(columns, (table, y))
    assert list(model.coefficients_) == ["(intercept)", "colour=red", "colour=is_green", "colour=is_blue"]
    assert model.predict_proba(table[colour == 2])[0, 1] > model.predict_proba(table[colour == 0])[0, 1]
    with pytest.raises(discretion.InputError, match="leave out the others"):
        fitted({"colour": {"one_of": ["is_red", "is_blue"], "values": ["red"]}}, (table, y))


def test_knots_are_found_by_public_numbers_or_privately(frame):
    ward = {"ward": {"drop": True}}
    by_numbers = fitted({"age": discretion.Curve(20, 80, knots="auto", missing=50), **ward}, frame).curve("age")
    assert len(by_numbers) == 12
    private = discretion.Curve(20, 80, knots="private", share=0.1, missing=50)
    assert discretion.Schema({"age": private}) == discretion.Schema(
        {"age": {"min": 20, "max": 80, "knots": "private", "share": 0.1, "missing": 50}}
    )
    model = fitted({"age": private, **ward}, frame)
    assert len(model.curve("age")) == 12
    assert model.model_["schema"]["columns"][0]["curve"]["released_for"] == 0.1
    assert model.model_["privacy"]["guarantee"]["epsilon"] == 50
    with pytest.raises(discretion.InputError, match="share"):
        discretion.Schema({"age": {"min": 20, "max": 80, "curve": 3, "share": 0.1}})


def test_persons_and_classes_have_private_knots_and_curves_by_their_number(frame):
    table, y = frame
    table = table.drop(columns="ward").assign(who=[f"p{i // 2}" for i in range(ROWS)])
    private = discretion.Curve(20, 80, knots="private", share=0.1, missing=50)
    for curve in (private, discretion.Curve(20, 80, knots="auto", missing=50)):
        account = discretion.account("persons", epsilon=100, ledger=discretion.Ledger.in_memory())
        model = discretion.LogisticRegression(epsilon=50, schema={"age": curve, "who": {"drop": True}}, account=account, lam=1e-3)
        model.fit(table, y, person="who")
        assert len(model.curve("age")) == 12
        assert model.model_["privacy"]["unit"] == "person"
    several = pd.Series(np.where(table["age"] > 60, "old", np.where(y == 1, "sick", "well")), name="state")
    account = discretion.account("classes", epsilon=100, ledger=discretion.Ledger.in_memory())
    model = discretion.LogisticRegression(
        epsilon=50, schema={"age": private, "who": {"drop": True}}, account=account, lam=1e-3, classes=["old", "sick", "well"]
    )
    model.fit(table, several)
    assert model.model_["schema"]["columns"][0]["curve"]["released_for"] == 0.1


def test_private_knots_know_rows_that_are_held_out(frame):
    private = discretion.Curve(20, 80, knots="private", share=0.1, missing=50)
    model = fitted({"age": private, "ward": {"drop": True}}, frame, evaluate=0.25)
    assert model.quality_["figures"]["auc"]["value"] > 0.6


def test_a_number_has_curves_by_the_number_of_rows(frame):
    table, _ = frame
    account = discretion.account("numbers", epsilon=100, ledger=discretion.Ledger.in_memory())
    schema = {"age": discretion.Curve(20, 80, knots="auto", missing=50), "ward": {"drop": True}}
    model = discretion.LinearRegression(epsilon=50, schema=schema, account=account, y_bounds=(0, 30))
    model.fit(table, np.abs(table["age"].fillna(50) - 50))
    assert sum(name.startswith("age at") for name in model.coefficients_) == 12
