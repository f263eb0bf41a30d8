"""Rows that count more or less than others."""

import numpy as np
import pandas
import pytest

import discretion
from discretion import InputError, LogisticRegression

ROWS = 500


def rows():
    i = np.arange(ROWS)
    return np.column_stack([i * 37 % 101, i % 3]), (i * 37 % 101 + 20 * (i % 4) > 80).astype(int), i


def model(**settings):
    return LogisticRegression(**{"epsilon": 2.0, "lam": 0.05, "bounds": ([0, 0], [100, 2]), "random_state": 3, **settings})


def test_a_row_counts_as_its_part_of_the_largest_weight_that_was_declared():
    X, y, i = rows()
    plain = model().fit(X, y)
    full = model(max_weight=5).fit(X, y, sample_weight=np.full(ROWS, 5.0))
    assert np.allclose(plain.coef_, full.coef_, atol=1e-9)
    # Larger weights count as the largest, and none is read from the rows.
    beyond = model(max_weight=5).fit(X, y, sample_weight=np.where(i % 2, 5.0, 700.0))
    assert np.array_equal(full.coef_, beyond.coef_)
    fewer = model(max_weight=5).fit(X, y, sample_weight=1 + i % 5)
    assert not np.allclose(full.coef_, fewer.coef_)
    assert fewer.model_["schema"]["cohort"] == {"weight": {"max": 5.0}}
    assert fewer.model_["training"]["rows"] == ROWS
    assert fewer.predict(X).shape == y.shape


def test_what_weighs_nothing_changes_nothing_and_stays_in_the_table():
    X, y, i = rows()
    inside = i % 4 != 1
    other = X.copy()
    other[~inside] = [3, 1]
    fitted = [
        model(max_weight=1, intervals=True, epsilon=40.0).fit(table, labels, sample_weight=inside)
        for table, labels in [(X, y), (other, np.where(inside, y, 1 - y))]
    ]
    assert np.array_equal(fitted[0].coef_, fitted[1].coef_)
    assert fitted[0].intervals_.equals(fitted[1].intervals_)
    assert fitted[0].model_["training"]["rows"] == ROWS


def test_persons_and_frames_have_weights_too():
    X, y, i = rows()
    frame = pandas.DataFrame(X, columns=["age", "ward"])
    common = {"bounds": None, "schema": {"age": (0, 100), "ward": (0, 2)}, "max_weight": 2}
    weights = pandas.Series(i % 3)
    one = model(**common).fit(frame, y, sample_weight=weights, person=i // 2)
    array = model(max_weight=2).fit(X, y, sample_weight=list(weights), person=i // 2)
    assert np.array_equal(one.coef_, array.coef_)
    assert one.model_["privacy"]["unit"] == "person"


def test_a_loaded_model_knows_its_largest_weight_and_is_fitted_without_weights(tmp_path):
    X, y, i = rows()
    weighed = model(max_weight=5).fit(X, y, sample_weight=1 + i % 5)
    weighed.save(tmp_path / "model.json")
    again = discretion.load(tmp_path / "model.json")
    assert again.max_weight == 5.0
    again.set_params(epsilon=2.0, random_state=3)
    frame = pandas.DataFrame(X, columns=again.schema.names)
    assert "weight" not in again.fit(frame, y).model_["schema"].get("cohort", {})
    assert np.array_equal(again.fit(frame, y, sample_weight=1 + i % 5).coef_, weighed.coef_)


def test_mistakes_are_told():
    X, y, i = rows()
    for settings, weights, match in [
        ({}, np.ones(ROWS), "sample_weight needs max_weight="),
        ({"max_weight": 0}, np.ones(ROWS), "max_weight is a number above 0"),
        ({"max_weight": 1}, np.ones(3), "X and sample_weight have different numbers of rows"),
        ({"max_weight": 1}, np.ones((ROWS, 2)), "must be 1D"),
        ({"max_weight": 1}, np.where(i == 7, np.nan, 1.0), "every sample_weight is a number from 0 on"),
        ({"max_weight": 1}, np.where(i == 7, -1.0, 1.0), "every sample_weight is a number from 0 on"),
        ({"max_weight": 1, "lam": [0.1, 1]}, np.ones(ROWS), "lambda cannot be chosen from a list where rows have weights"),
    ]:
        with pytest.raises(InputError, match=match):
            model(**settings).fit(X, y, sample_weight=weights)
