"""Which rows count: the others stay in the table and weigh nothing."""

import datetime

import numpy as np
import pandas
import pytest

from discretion import InputError, LogisticRegression, Schema

ROWS = 900
COLUMNS = {"age": (0, 100), "ward": ["a", "b"], "came": {"drop": True}}
COMMON = {"epsilon": 2.0, "lam": 0.05, "classes": ("no", "yes"), "random_state": 3}


def table():
    at = np.arange(ROWS)
    ill = np.where(at * 7 % 101 + 20 * (at % 4) > 80, "yes", "no").astype(object)
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(day)) for day in at % 400]
    return pandas.DataFrame({"age": at * 7 % 101, "ward": np.array(["a", "b", "c"])[at % 3], "came": days, "ill": ill})


def fitted(frame, y="ill", **cohort):
    model = LogisticRegression(schema=Schema(COLUMNS, **cohort), **COMMON)
    return model.fit(frame.drop(columns="ill"), frame[y])


@pytest.mark.parametrize(
    ("where", "counts"),
    [
        ({"age": {"min": 40}}, lambda frame: frame["age"] >= 40),
        ({"ward": "a"}, lambda frame: frame["ward"] == "a"),
        ({"ward": ["a", "b"], "age": {"max": 64}}, lambda frame: frame["ward"].isin(["a", "b"]) & (frame["age"] <= 64)),
        ({"came": {"min": "2020-03-01"}}, lambda frame: frame["came"] >= datetime.date(2020, 3, 1)),
        ({"came": {"max": datetime.date(2020, 3, 1)}}, lambda frame: frame["came"] <= datetime.date(2020, 3, 1)),
    ],
)
def test_rows_outside_change_nothing_and_stay_in_the_number_of_rows(where, counts):
    frame = table()
    outside = ~counts(frame)
    other = frame.copy()
    other.loc[outside, "ill"] = "yes"
    inside = frame.copy()
    inside.loc[~outside, "ill"] = inside.loc[~outside, "ill"].map({"yes": "no", "no": "yes"})
    one, same, another = (fitted(one, where=where) for one in (frame, other, inside))
    assert np.array_equal(one.coef_, same.coef_) and not np.array_equal(one.coef_, another.coef_)
    assert one.model_["training"]["rows"] == ROWS and outside.any()


def test_rows_without_an_outcome_are_left_out_if_that_is_said():
    frame = table()
    lost = np.arange(ROWS) % 5 == 0
    for nothing in (None, np.nan, "", pandas.NA):
        frame.loc[lost, "ill"] = nothing
        model = fitted(frame, missing_outcome="left out")
        assert model.model_["training"]["rows"] == ROWS
        with pytest.raises(InputError, match="label"):
            fitted(frame)
    # As if the row had never had one, whatever the label is that it does not have.
    frame["lost"] = np.where(lost, "lost", "known")
    again = table().assign(lost=frame["lost"])
    schema = Schema({**COLUMNS, "lost": {"drop": True}}, where={"lost": "known"})
    by_column = LogisticRegression(schema=schema, **COMMON).fit(again.drop(columns="ill"), again["ill"])
    assert np.array_equal(by_column.coef_, model.coef_)


def test_persons_and_weights_go_with_it():
    frame = table()
    person = np.arange(ROWS) % 300
    model = LogisticRegression(schema=Schema(COLUMNS, where={"age": {"min": 40}}), max_weight=2.0, **COMMON)
    model.fit(frame.drop(columns="ill"), frame["ill"], person=person, sample_weight=1.0 + person % 2)
    assert model.model_["training"]["rows"] == 300 and model.model_["privacy"]["unit"] == "person"


def test_a_study_says_the_same(tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(
        '[data]\npath = "t.csv"\naccount = "a"\ntarget = "ill"\npositive = "yes"\nnegative = "no"\n'
        'where = { age = { min = 40 } }\nmissing_outcome = "left out"\n[budget]\nepsilon = 9\n[spend]\nepsilon = 2\n'
        '[columns]\nage = { min = 0, max = 100 }\nward = { values = ["a", "b"] }\ncame = { drop = true }\n[model]\nlambda = 0.05\n'
    )
    frame = table()
    frame.loc[np.arange(ROWS) % 7 == 0, "ill"] = None
    settings = {name: value for name, value in COMMON.items() if name != "classes"}
    by_study = LogisticRegression(schema=study, **settings).fit(frame)
    by_keywords = fitted(frame, where={"age": {"min": 40}}, missing_outcome="left out")
    assert np.array_equal(by_study.coef_, by_keywords.coef_)


def test_what_cannot_be_is_said():
    with pytest.raises(InputError, match="refused"):
        Schema(COLUMNS, missing_outcome="ignored")
    with pytest.raises(TypeError, match="where is a dict"):
        Schema(COLUMNS, where="age > 40")
    with pytest.raises(InputError, match="bounds"):
        Schema(COLUMNS, where={"age": {"from": 40}})
    with pytest.raises(InputError, match="no row can meet"):
        fitted(table(), where={"age": {"min": 400}})
    with pytest.raises(InputError, match="does not declare"):
        fitted(table(), where={"sex": "F"})
    model = LogisticRegression(schema=Schema(COLUMNS, where={"ward": "a"}), evaluate=0.2, **COMMON)
    with pytest.raises(InputError, match="counts every row the same"):
        model.fit(table().drop(columns="ill"), table()["ill"])
