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


@pytest.mark.parametrize("settings", [{"epsilon": 1.0, "lam": 1e-2, "intervals": True}, {"epsilon": 5.0, "lam": [1e-3, 0.1]}])
def test_rows_of_a_person_may_be_with_several_workers(dasked, table, settings):
    """The partitions are of neighbours, and every person has rows in all of them."""
    settings = {"schema": SCHEMA, "classes": ("no", "yes"), "random_state": 3, **settings}
    named = table.assign(who=[f"P{row * 7919 % 5003}" for row in range(len(table))])
    ours = discretion.dask.LogisticRegression(**settings).fit(
        dask.dataframe.from_pandas(named, npartitions=3), "ill", person="who"
    )
    in_memory = discretion.LogisticRegression(**settings).fit(named.drop(columns="ill"), named["ill"], person="who")
    assert ours.model_ == in_memory.model_
    # A tenth of the persons only validates a list.
    trained = 4503 if isinstance(settings["lam"], list) else 5003
    assert ours.model_["privacy"]["unit"] == "person" and ours.model_["training"]["rows"] == trained


def test_an_account_knows_the_persons_again(table, recwarn):
    named = table.assign(who=[f"P{row * 7919 % 5003}" for row in range(len(table))])
    account = discretion.account("patients", epsilon=9, ledger=discretion.Ledger.in_memory())
    settings = {"schema": discretion.Schema(SCHEMA, person="who"), "epsilon": 1.0, "lam": 0.01, "classes": ("no", "yes")}
    first = discretion.LogisticRegression(account=account, **settings).fit(named.drop(columns="ill"), named["ill"])
    again = discretion.dask.LogisticRegression(account=account, reuse=True, **settings)
    again.fit(dask.dataframe.from_pandas(named, npartitions=2), "ill")
    assert again.model_["coefficients"] == first.model_["coefficients"] and account.spent == 1.0


def test_knots_follow_from_the_number_of_rows(dasked, table):
    bent = SCHEMA | {"age": {"min": 17, "max": 90, "curve": "auto"}}
    settings = {"schema": bent, "epsilon": 1.0, "lam": 1e-2, "classes": ("no", "yes"), "random_state": 3}
    ours = discretion.dask.LogisticRegression(**settings).fit(dasked, "ill")
    assert ours.model_ == discretion.LogisticRegression(**settings).fit(table.drop(columns="ill"), table["ill"]).model_
    assert len(ours.curve("age")) == 12
    named = dask.dataframe.from_pandas(table.assign(who=[f"P{row}" for row in range(len(table))]), npartitions=2)
    with pytest.raises(discretion.InputError, match="give a number of knots"):
        discretion.dask.LogisticRegression(**settings).fit(named, "ill", person="who")


def test_what_a_cluster_does_not_know_is_refused(dasked):
    settings = {"epsilon": 1.0, "classes": ("no", "yes"), "random_state": 3}
    cohort = discretion.Schema(SCHEMA, where={"age": {"min": 40}})
    with pytest.raises(discretion.InputError, match="a cluster counts every row the same"):
        discretion.dask.LogisticRegression(schema=cohort, **settings).fit(dasked, "ill")
    with pytest.raises(TypeError, match="person is the name of the column"):
        discretion.dask.LogisticRegression(schema=SCHEMA, **settings).fit(dasked, "ill", person="nobody")
    with pytest.raises(discretion.InputError, match="person"):
        discretion.dask.HistogramDensity(schema=discretion.Schema(SCHEMA, person="site"), epsilon=1.0).fit(dasked)


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
