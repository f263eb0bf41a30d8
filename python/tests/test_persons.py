"""A guarantee about a person, with all rows of that person."""

import numpy as np
import pandas
import pytest

import discretion
from discretion import InputError, LogisticRegression, Schema

PERSONS = 400


def visits(often):
    """One row for each person, and the same rows again as often as said, the persons mixed."""
    ids = np.repeat(np.arange(PERSONS), [often(person) for person in range(PERSONS)])
    ids = np.random.default_rng(1).permutation(ids)
    X = np.column_stack([ids * 7 % 101, ids % 3])
    return X, (ids * 7 % 101 + 20 * (ids % 4) > 80).astype(int), ids


def model(**settings):
    return LogisticRegression(epsilon=2.0, lam=0.05, bounds=([0, 0], [100, 2]), random_state=3, **settings)


def test_whoever_has_the_same_row_often_has_it_once():
    fitted = []
    for often in (lambda person: 1, lambda person: 1 + person % 5):
        X, y, ids = visits(often)
        fitted.append(model().fit(X, y, person=ids))
    for one in fitted:
        assert one.model_["privacy"]["unit"] == "person"
        assert one.model_["training"]["rows"] == PERSONS
    assert np.allclose(fitted[0].coef_, fitted[1].coef_, atol=1e-6)


def test_a_column_of_the_frame_or_of_the_schema_says_whose_a_row_is():
    X, y, ids = visits(lambda person: 1 + person % 3)
    frame = pandas.DataFrame(X, columns=["age", "ward"]).assign(patient=[f"P{each}" for each in ids])
    columns = {"age": (0, 100), "ward": (0, 2)}
    common = {"epsilon": 2.0, "lam": 0.05, "random_state": 3}
    by_name = LogisticRegression(schema=columns, **common).fit(frame, y, person="patient")
    by_schema = LogisticRegression(schema=Schema(columns, person="patient"), **common).fit(frame, y)
    beside = LogisticRegression(schema=columns, **common).fit(frame[["age", "ward"]], y, person=frame["patient"])
    assert np.array_equal(by_name.coef_, by_schema.coef_)
    assert np.array_equal(by_name.coef_, beside.coef_)
    # The column is needed to learn, and not to predict.
    assert np.array_equal(by_name.predict(frame), by_name.predict(frame[["age", "ward"]]))
    with pytest.raises(InputError, match="patient"):
        LogisticRegression(schema=Schema(columns, person="patient"), **common).fit(frame[["age", "ward"]], y)
    with pytest.raises(InputError, match="said twice"):
        LogisticRegression(schema=Schema(columns, person="patient"), **common).fit(frame, y, person=ids)


def test_spellings_of_one_identifier_are_one_person():
    X, y, ids = visits(lambda person: 2)
    numbers = model().fit(X, y, person=ids)
    texts = model().fit(X, y, person=[f" {each:04d}" if k % 2 else f"{each}.0" for k, each in enumerate(ids)])
    assert np.array_equal(numbers.coef_, texts.coef_)


@pytest.mark.parametrize("missing", [None, float("nan"), pandas.NA, pandas.NaT, " "])
def test_every_row_must_say_whose_it_is(missing):
    X, y, ids = visits(lambda person: 1)
    ids = list(ids)
    ids[4] = missing
    with pytest.raises(InputError, match="row 5 has no identifier"):
        model().fit(X, y, person=ids)


@pytest.mark.parametrize("kind", [list, np.array, pandas.Series, lambda ids: np.array(ids, dtype=np.float32)])
def test_numbers_that_stand_for_several_identifiers_are_refused(kind):
    X, y, ids = visits(lambda person: 1)
    many = [float(each) for each in ids]
    exact = model().fit(X, y, person=kind(many))
    assert np.array_equal(exact.coef_, model().fit(X, y, person=ids).coef_)
    many[4] = 9007199254740993.0
    with pytest.raises(InputError, match="row 5 of person holds a floating-point number so large"):
        model().fit(X, y, person=kind(many))


def test_what_cannot_be_is_refused():
    X, y, ids = visits(lambda person: 1)
    with pytest.raises(InputError, match="one identifier for each row"):
        model().fit(X, y, person=ids[:-1])
    with pytest.raises(InputError, match="array has no column"):
        model().fit(X, y, person="patient")
    with pytest.raises(InputError, match="density"):
        discretion.HistogramDensity(epsilon=1.0, schema=Schema({"age": (0, 100)}, person="id"), random_state=1).fit(
            pandas.DataFrame({"age": [1, 2], "id": [1, 2]})
        )


def test_an_account_is_about_persons_from_its_first_charge(tmp_path):
    X, y, ids = visits(lambda person: 1 + person % 2)
    account = discretion.account("stays", epsilon=9.0, ledger=tmp_path / "ledger.sqlite")
    paid = {"epsilon": 1.0, "lam": 0.05, "bounds": ([0, 0], [100, 2]), "account": account}
    LogisticRegression(**paid).fit(X, y, person=ids)
    assert account.spent > 0
    with pytest.raises(discretion.Error, match="about a person"):
        LogisticRegression(**paid).fit(X, y)


@pytest.mark.parametrize("estimator", ["classes", "squares", "huber"])
def test_several_classes_and_numbers_know_persons(estimator):
    fitted = []
    for often in (lambda person: 1, lambda person: 1 + person % 5):
        X, _, ids = visits(often)
        common = {"epsilon": 3.0, "bounds": ([0, 0], [100, 2]), "random_state": 3}
        if estimator == "classes":
            y, one = X[:, 0].astype(int) // 34, LogisticRegression(lam=0.05, classes=[0, 1, 2], **common)
        else:
            kind = discretion.LinearRegression if estimator == "squares" else discretion.HuberRegressor
            y, one = X[:, 0] / 2 + X[:, 1], kind(y_bounds=(0, 60), **common)
        fitted.append(one.fit(X, y, person=ids))
    for one in fitted:
        assert one.model_["privacy"]["unit"] == "person"
        assert one.model_["training"]["rows"] == PERSONS
    assert np.allclose(fitted[0].coef_, fitted[1].coef_, atol=1e-6)


def test_a_schema_names_the_persons_of_a_number():
    X, _, ids = visits(lambda person: 1 + person % 3)
    frame = pandas.DataFrame(X, columns=["age", "ward"]).assign(patient=[f"P{each}" for each in ids])
    columns, y = {"age": (0, 100), "ward": (0, 2)}, X[:, 0] / 2
    common = {"epsilon": 2.0, "y_bounds": (0, 60), "random_state": 3}
    schema = Schema(columns, person="patient")
    by_schema = discretion.LinearRegression(schema=schema, **common).fit(frame, y)
    by_name = discretion.LinearRegression(schema=columns, **common).fit(frame, y, person="patient")
    assert np.array_equal(by_schema.coef_, by_name.coef_)
    assert "persons" in str(discretion.LinearRegression(schema=schema, **common).plan(300))
    with pytest.raises(InputError, match="said twice"):
        discretion.LinearRegression(schema=schema, **common).fit(frame, y, person=ids)
