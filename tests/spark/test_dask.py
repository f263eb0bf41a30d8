"""The second engine: the same numbers once more."""

import dask
import dask.dataframe
import discretion
import discretion.dask
import pytest
from sklearn.tree import DecisionTreeClassifier

SCHEMA = {"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]}


@pytest.fixture
def dasked(table):
    with dask.config.set(scheduler="threads", num_workers=2):
        yield dask.dataframe.from_pandas(table, npartitions=3)


def test_a_model_is_the_model_of_rows_in_memory(dasked, table):
    settings = {"schema": SCHEMA, "epsilon": 5.0, "lam": [1e-3, 0.1], "classes": ("no", "yes"), "random_state": 3}
    ours = discretion.dask.LogisticRegression(**settings).fit(dasked, "ill")
    in_memory = discretion.LogisticRegression(**settings).fit(table.drop(columns="ill"), table["ill"])
    assert ours.model_ == in_memory.model_


def test_a_density_is_the_density_of_rows_in_memory(dasked, table):
    settings = {"schema": SCHEMA, "epsilon": 1.0, "columns": ["dose", "site"], "random_state": 2}
    ours = discretion.dask.HistogramDensity(**settings).fit(dasked)
    assert ours.density_ == discretion.HistogramDensity(**settings).fit(table).density_


def test_answers_are_the_answers_of_models_trained_in_memory(dasked, table):
    settings = {"epsilon": 2.0, "delta": 1e-6, "queries": 20, "unstable": 2, "classes": ("no", "yes"), "random_state": 4}
    columns, points = ["age", "dose"], table[["age", "dose"]].iloc[:20]
    ours = discretion.dask.PrivateVoting(DecisionTreeClassifier(max_depth=3), **settings).fit(dasked[[*columns, "ill"]], "ill")
    theirs = discretion.PrivateVoting(DecisionTreeClassifier(max_depth=3), **settings).fit(table[columns], table["ill"])
    assert ours.predict(points).tolist() == theirs.predict(points).tolist()


def test_no_error_quotes_a_row(dasked):
    def fails(part):
        raise ValueError("secret-4711")

    settings = {"schema": SCHEMA, "epsilon": 1.0, "classes": ("no", "yes"), "random_state": 3}
    with pytest.raises(discretion.Refused, match="Dask could not encode the table") as caught:
        discretion.dask.LogisticRegression(**settings).fit(dasked.map_partitions(fails, meta=dasked._meta), "ill")
    assert "secret" not in str(caught.value) and caught.value.__context__ is None
    with pytest.raises(discretion.InputError, match="none of the declared classes") as caught:
        discretion.dask.LogisticRegression(**settings).fit(dasked.assign(ill="secret-4711"), "ill")
    assert "secret" not in str(caught.value)
