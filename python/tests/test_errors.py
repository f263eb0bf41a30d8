"""Whatever is passed, an error is one of the family and says what to do."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import discretion

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (1000, 2))
y = (X[:, 0] > 0).astype(int)
FRAME = pandas.DataFrame(X, columns=["a", "b"])
SCHEMA = {"a": (-1, 1), "b": (-1, 1)}
NULLABLE = pandas.array([None, *(y[1:] == 1)], dtype="boolean")


def linear(**more):
    return discretion.LogisticRegression(**{"epsilon": 1.0, "schema": SCHEMA, "random_state": 0} | more)


def density(**more):
    return discretion.HistogramDensity(**{"epsilon": 1.0, "schema": SCHEMA, "random_state": 0} | more)


@pytest.mark.parametrize(
    ("fit", "sentence", "also"),
    [
        (lambda: linear(classes=(False, True)).fit(FRAME, NULLABLE), "labels that are missing", ValueError),
        (lambda: linear(method=None).fit(FRAME, y), 'method is "auto"', TypeError),
        (lambda: linear(method=3).fit(FRAME, y), 'method is "auto"', TypeError),
        (lambda: density(columns=3).fit(FRAME), "a list of names", TypeError),
        (lambda: density(columns=["a", 3]).fit(FRAME), "a list of names", TypeError),
        (lambda: linear(account=3.5, random_state=None).fit(FRAME, y), "discretion.account", TypeError),
        (lambda: linear().fit(FRAME["a"], y), "single column.*to_frame", TypeError),
        (lambda: linear().fit(polars.Series("a", X[:, 0]), y), "single column", TypeError),
        (lambda: linear().fit(pyarrow.chunked_array([X[:, 0]]), y), "single column", TypeError),
        (lambda: density().fit(FRAME["a"]), "single column", TypeError),
        (lambda: linear().fit(polars.LazyFrame({"a": X[:, 0]}), y), r"collect\(\) it first", TypeError),
        (lambda: density().fit(polars.LazyFrame({"a": X[:, 0]})), r"collect\(\) it first", TypeError),
        (lambda: linear().fit(FRAME.assign(b=[1, "x"] * 500), y), "values of one type", TypeError),
        (lambda: density().fit(FRAME.assign(b=[1, "x"] * 500)), "values of one type", TypeError),
        (lambda: linear(schema=b"study.toml").fit(FRAME, y), "schema is", TypeError),
        (lambda: discretion.Schema.from_study(3), "a text or a pathlib.Path", TypeError),
        (lambda: linear().fit(FRAME, np.where(y == 1, np.nan, 0.0)), r"the classes \[0, 1\]", ValueError),
    ],
)
def test_errors_are_of_the_family(fit, sentence, also):
    with pytest.raises(discretion.Error, match=sentence) as caught:
        fit()
    assert isinstance(caught.value, also)


def test_frames_are_refused_in_predict_as_in_fit():
    model = linear().fit(FRAME, y)
    for points, sentence in [
        (FRAME["a"], "single column"),
        (polars.LazyFrame({"a": X[:, 0]}), "collect"),
        (FRAME.assign(b=[1, "x"] * 500), "values of one type"),
    ]:
        with pytest.raises(discretion.InputTypeError, match=sentence):
            model.predict(points)


def test_labels_are_told_as_plain_values_and_minus_one_gets_a_hint():
    with pytest.raises(discretion.InputError, match=r"the classes \[0, 1\]; pass.*for labels -1 and 1 .*classes=\(-1, 1\)"):
        linear().fit(FRAME, 2 * y - 1)
    with pytest.raises(discretion.InputError) as caught:
        linear(classes=np.array([1, 2])).fit(FRAME, y)
    assert "np." not in str(caught.value) and "-1" not in str(caught.value)


def test_names_of_files(tmp_path):
    model = linear().fit(FRAME, y)
    with pytest.raises(discretion.InputTypeError, match="file is a text"):
        model.report(tmp_path / "report.html", file=3)
    with pytest.raises(discretion.InputTypeError, match="a file's path is a text"):
        model.save(3)
    assert list(tmp_path.iterdir()) == []
