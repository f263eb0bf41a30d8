"""Whatever is passed, an error is one of the family and says what to do."""

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
import scipy.sparse

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
        (lambda: linear().fit("table.csv", y), "read it first", TypeError),
        (lambda: linear().fit(scipy.sparse.csr_matrix(X), y), r"sparse.*toarray\(\)", TypeError),
        (lambda: density().fit(scipy.sparse.csr_matrix(X)), r"sparse.*toarray\(\)", TypeError),
        (lambda: discretion.LogisticRegression(C=1.0), r"no parameter 'C': lam= is .* 1 / \(rows × lam\)", TypeError),
        (lambda: discretion.LinearSVC(class_weight="balanced"), "'class_weight': rows have equal weights.*threshold", TypeError),
        (lambda: discretion.LogisticRegression(epsilom=1.0), "'epsilom': did you mean epsilon=", TypeError),
        (lambda: discretion.HistogramDensity(bandwidth=1.0), "bins=", TypeError),
        (lambda: discretion.PrivateVoting(None, voters=3), "it has estimator, epsilon", TypeError),
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


def test_datasets_and_scanners_are_read(tmp_path):
    table = pyarrow.table({"a": X[:, 0], "b": X[:, 1]})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    dataset = pyarrow.dataset.dataset(tmp_path)
    expected, counted = linear().fit(table, y), density(bins=2).fit(table)
    for source in (lambda: dataset, dataset.scanner, lambda: table.to_reader()):
        model = linear().fit(source(), y)
        assert np.array_equal(model.coef_, expected.coef_)
        assert np.array_equal(model.predict(source()), expected.predict(table))
        assert np.array_equal(density(bins=2).fit(source()).probabilities_, counted.probabilities_)


def test_sparse_columns_of_pandas_are_read():
    sparse = FRAME.astype({"a": pandas.SparseDtype(float, 0.0)})
    assert np.array_equal(linear().fit(sparse, y).coef_, linear().fit(FRAME, y).coef_)
    assert np.array_equal(linear().fit(FRAME, y).predict(sparse), linear().fit(FRAME, y).predict(FRAME))


def test_tables_of_clusters_are_named():
    kind = type("DataFrame", (), {"__module__": "pyspark.sql.classic.dataframe", "columns": ["a", "b"]})
    with pytest.raises(discretion.InputTypeError, match="discretion.spark"):
        linear().fit(kind(), y)
    kind = type("DataFrame", (), {"__module__": "dask.dataframe.dask_expr._collection", "columns": ["a", "b"]})
    with pytest.raises(discretion.InputTypeError, match=r"discretion.dask.*X.compute\(\)"):
        linear().fit(kind(), y)


def test_messages_speak_of_python(tmp_path):
    with pytest.raises(discretion.InputError) as caught:
        linear().fit(FRAME.assign(c=1.0), y)
    assert str(caught.value) == "table: these are not the declared columns: remove column `c`, which is not declared"
    with pytest.raises(discretion.InputError, match="the table lacks the declared column"):
        linear().fit(FRAME[["a"]], y)
    account = discretion.account("tests", epsilon=3, ledger=tmp_path / "ledger.sqlite")
    linear(account=account, random_state=None).fit(FRAME, y)
    with pytest.raises(discretion.Error, match="account.raise_cap") as caught:
        account.ledger.account("tests", epsilon=4)
    assert "study" not in str(caught.value) and "[" not in str(caught.value)
