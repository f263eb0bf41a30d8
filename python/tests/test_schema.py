"""Schemas mean what people write, whatever library the values are from."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import discretion

rng = np.random.default_rng(0)
ROWS = 2000
flag = rng.random(ROWS) < 0.5
noise = rng.uniform(-1, 1, ROWS)
# The flag decides, nearly.
y = (flag ^ (rng.random(ROWS) < 0.05)).astype(int)


def seeded(**more):
    return discretion.LogisticRegression(**{"epsilon": 5.0, "random_state": 0} | more)


FLAGS = {
    "pandas": pandas.DataFrame({"flag": flag}),
    "nullable": pandas.DataFrame({"flag": pandas.array(flag, dtype="boolean")}),
    "categorical": pandas.DataFrame({"flag": pandas.Categorical(flag)}),
    "objects": pandas.DataFrame({"flag": flag.astype(object)}),
    "polars": polars.DataFrame({"flag": flag}),
    "pyarrow": pyarrow.table({"flag": flag}),
}


@pytest.mark.parametrize("frame", FLAGS.values(), ids=FLAGS)
@pytest.mark.parametrize("values", [[False, True], [np.False_, np.True_], {"values": [False, True]}, ["false", "true"]])
def test_a_category_of_booleans_is_learned(frame, values):
    model = seeded(schema={"flag": values}).fit(frame, y)
    no, yes = model.coef_[0]
    assert no < -1 and yes > 1
    density = discretion.HistogramDensity(epsilon=5.0, schema={"flag": values}, random_state=0).fit(frame)
    assert density.marginal()[2] < 0.05, "nothing is in none of the categories"


@pytest.mark.parametrize("values", [[0, 1], [0.0, 1.0], list(np.array([0, 1])), list(np.array([0.0, 1.0]))])
@pytest.mark.parametrize("dtype", [int, "Int64", "category", np.int8])
def test_a_category_of_whole_numbers_is_learned(values, dtype):
    frame = pandas.DataFrame({"k": flag.astype(int)}).astype(dtype)
    no, yes = seeded(schema={"k": {"values": values}}).fit(frame, y).coef_[0]
    assert no < -1 and yes > 1


@pytest.mark.parametrize("pair", [[18, 90], [18.5, 90], list(np.array([18, 90])), np.array([18, 90])])
def test_a_list_of_two_numbers_is_refused(pair):
    with pytest.raises(discretion.InputError, match=r'write \(18.*, 90.*\) for a range, or {"values": \[18.*, 90'):
        discretion.Schema({"age": pair})
    discretion.Schema({"age": [18, 90, 91], "site": ["a", "b"], "flag": [False, True]})


def test_numbers_of_numpy_are_numbers():
    plain = discretion.Schema({"a": (0, 1), "b": {"min": 0, "max": 1, "missing": 0.5}, "c": [1, 2, 3]})
    numpy = discretion.Schema(
        {
            "a": (np.int64(0), np.float32(1)),
            "b": {"min": np.int8(0), "max": np.float64(1), "missing": np.float16(0.5)},
            "c": np.array([1, 2, 3]),
        }
    )
    assert plain == numpy and plain._json() == numpy._json()


@pytest.mark.parametrize(
    ("columns", "sentence", "also"),
    [
        ({"a": (0, np.inf)}, "'a': a bound is a finite number, not inf", ValueError),
        ({"a": (np.nan, 1)}, "'a': a bound is a finite number, not nan", ValueError),
        ({"a": {"min": 0, "max": float("inf")}}, "finite number", ValueError),
        ({"a": {"min": "0", "max": 1}}, "a bound is a number, not '0'", TypeError),
        ({"a": (False, True)}, "write \\(min, max\\)", TypeError),
        ({"a": {"min": 0, "max": 1, "scale": object()}}, "texts and numbers", TypeError),
    ],
)
def test_bad_columns(columns, sentence, also):
    with pytest.raises(discretion.Error, match=sentence) as caught:
        seeded(schema=columns).fit(pandas.DataFrame({"a": noise}), y)
    assert isinstance(caught.value, also)


@pytest.mark.parametrize("bounds", [(-np.inf, np.inf), ([-1, np.nan], [1, 1])])
def test_bounds_are_finite(bounds):
    with pytest.raises(discretion.InputError, match="a bound is a finite number"):
        seeded(bounds=bounds).fit(np.column_stack([noise, noise]), y)


@pytest.mark.parametrize("kind", [discretion.LogisticRegression, discretion.HistogramDensity])
def test_bounds_and_schema_together_are_refused(kind):
    model = kind(epsilon=1.0, schema={"a": (-1, 1)}, bounds=(-100, 100), random_state=0)
    with pytest.raises(discretion.InputError, match="bounds= and schema= both"):
        model.fit(pandas.DataFrame({"a": noise}), y)


def test_a_target_whose_name_is_a_column_s_gets_another():
    frame = pandas.DataFrame({"a": noise, "y": flag.astype(float), "y_": noise})
    plain = frame.set_axis(["a", "b", "c"], axis=1)
    numbers = [c["encoded"] for c in seeded(schema=dict.fromkeys("abc", (-1, 1))).fit(plain, y).model_["coefficients"]]
    schema = dict.fromkeys(frame.columns, (-1, 1))
    for labels in (y, pandas.Series(y, name="a"), pandas.Series(y, name="y")):
        model = seeded(schema=schema).fit(frame, labels)
        assert [c["encoded"] for c in model.model_["coefficients"]] == numbers
        assert model.predict(frame).shape == (ROWS,)
    array = seeded(bounds=(-1, 1)).fit(frame, y)
    assert [c["encoded"] for c in array.model_["coefficients"]] == numbers


def test_a_model_of_a_frame_needs_a_frame():
    frame = pandas.DataFrame({"a": noise, "b": noise, "gone": "x"})
    schema = {"a": (-1, 1), "b": (-1, 1), "gone": {"drop": True}}
    model = seeded(schema=schema).fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b"] and model.n_features_in_ == 2 == model.coef_.shape[1]
    density = discretion.HistogramDensity(epsilon=1.0, schema=schema, bins=2, random_state=0).fit(frame)
    for ask in (model.predict, model.decision_function, model.predict_proba, density.score_samples):
        for columns in (2, 3):
            with pytest.raises(discretion.InputError, match="fitted on a frame with named columns; pass a frame"):
                ask(np.zeros((3, columns)))
    # The reverse is scikit-learn's: names that were not there at fit are passed over, with a warning.
    array = seeded(bounds=(-1, 1)).fit(frame[["a", "b"]].to_numpy(), y)
    with pytest.warns(UserWarning, match="feature names"):
        array.predict(frame[["a", "b"]])
