"""Under one seed, what leaves is what leaves for the same rows in memory, number for number."""

import pathlib

import discretion
import discretion.spark
import numpy as np
import pytest
from conftest import partitioned
from sklearn.tree import DecisionTreeClassifier

SCHEMA = discretion.Schema({"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]})
BENT = discretion.Schema({"age": {"min": 17, "max": 90, "curve": "auto"}, "dose": (0, 30), "site": ["north", "south", "west"]})
BY_ROW = discretion.Schema({"age": (17, 90), "dose": {"drop": True}, "site": ["north", "south", "west"]}, norm="row")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("LogisticRegression", {"schema": SCHEMA, "epsilon": 1.0, "lam": 1e-3}),
        ("LogisticRegression", {"schema": BY_ROW, "epsilon": 1.0, "delta": 1e-6, "lam": 1e-2, "intervals": True}),
        ("LogisticRegression", {"schema": SCHEMA, "epsilon": 5.0, "lam": [1e-3, 1e-2, 0.1]}),
        ("LinearSVC", {"schema": BENT, "rho": 0.1}),
    ],
)
def test_a_model_is_the_model_of_rows_in_memory(frame, table, name, settings):
    settings = {"classes": ("no", "yes"), "random_state": 3, **settings}
    ours = getattr(discretion.spark, name)(**settings).fit(frame, "ill")
    in_memory = getattr(discretion, name)(**settings).fit(table.drop(columns="ill"), table["ill"])
    assert ours.model_ == in_memory.model_
    assert ours.classes_.tolist() == in_memory.classes_.tolist()
    features = table.drop(columns="ill").iloc[:50]
    assert np.array_equal(ours.decision_function(features), in_memory.decision_function(features))


def test_rows_of_a_person_may_be_with_several_workers(spark, table):
    named = table.assign(who=[f"P{row * 7919 % 5003}" for row in range(len(table))])
    settings = {"schema": SCHEMA, "epsilon": 5.0, "lam": 1e-2, "classes": ("no", "yes"), "random_state": 3}
    frame = partitioned(spark, named, [0, 1, 1, 20_000, len(named)])
    ours = discretion.spark.LogisticRegression(**settings).fit(frame, "ill", person="who")
    in_memory = discretion.LogisticRegression(**settings).fit(named.drop(columns="ill"), named["ill"], person="who")
    assert ours.model_ == in_memory.model_
    assert ours.model_["privacy"]["unit"] == "person" and ours.model_["training"]["rows"] == 5003


def test_a_study_names_its_own_target(frame, table, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(
        '[data]\npath = "t.csv"\naccount = "a"\ntarget = "ill"\npositive = "yes"\nnegative = "no"\n[budget]\nepsilon = 9\n'
        "[spend]\nepsilon = 1\n[columns]\nage = { min = 17, max = 90 }\ndose = { min = 0, max = 30 }\n"
        'site = { values = ["north", "south", "west"] }\n[model]\nlambda = 0.01\n'
    )
    settings = {"epsilon": 1.0, "lam": 0.01, "random_state": 1}
    ours = discretion.spark.LogisticRegression(**settings).fit(frame, schema=study)
    assert ours.model_ == discretion.LogisticRegression(schema=study, **settings).fit(table).model_
    assert isinstance(ours.schema, pathlib.Path), "a schema of fit is the parameter"


def test_numbers_with_bounds_are_an_array_with_names(frame, table):
    numbers = frame.select("age", "dose", (frame["ill"] == "yes").cast("int").alias("ill"))
    settings = {"bounds": ([17, 0], [90, 30]), "epsilon": 1.0, "lam": 0.01, "random_state": 1}
    ours = discretion.spark.LogisticRegression(**settings).fit(numbers, "ill")
    in_memory = discretion.LogisticRegression(**settings).fit(table[["age", "dose"]], (table["ill"] == "yes").astype(int))
    assert ours.model_ == in_memory.model_


@pytest.mark.parametrize("settings", [{"columns": ["age"]}, {"columns": ["site", "dose"], "bins": 8}])
def test_a_density_is_the_density_of_rows_in_memory(frame, table, settings):
    settings = {"schema": SCHEMA, "epsilon": 1.0, "random_state": 2, **settings}
    ours = discretion.spark.HistogramDensity(**settings).fit(frame)
    assert ours.density_ == discretion.HistogramDensity(**settings).fit(table).density_
    assert len(ours.sample(3, random_state=0)) == 3


def test_a_density_that_was_paid_for_is_recognised(frame, table, recwarn):
    settings = {"schema": SCHEMA, "epsilon": 1.0, "columns": ["age", "site"], "bins": 8}
    account = discretion.account("patients", epsilon=9, ledger=discretion.Ledger.in_memory())
    first = discretion.HistogramDensity(account=account, **settings).fit(table)
    again = discretion.spark.HistogramDensity(account=account, reuse=True, **settings).fit(frame)
    assert again.density_ == first.density_ and account.spent == 1.0
    discretion.spark.HistogramDensity(account=account, **settings).fit(frame)
    said = [str(one.message) for one in recwarn if issubclass(one.category, discretion.Note)]
    assert "it is what that released" in said[0] and "paid for the same on the same rows" in said[1]
    discretion.spark.HistogramDensity(account=account, reuse=True, **settings).fit(frame.where("age > 30"))
    assert account.spent == 3.0


def test_answers_are_the_answers_of_models_trained_in_memory(frame, table):
    settings = {"epsilon": 2.0, "delta": 1e-6, "queries": 20, "unstable": 2, "classes": ("no", "yes"), "random_state": 4}
    learner = DecisionTreeClassifier(max_depth=3)
    numbers = ["age", "dose"]
    ours = discretion.spark.PrivateVoting(learner, **settings).fit(frame.select(*numbers, "ill"), "ill")
    in_memory = discretion.PrivateVoting(learner, **settings).fit(table[numbers], table["ill"])
    assert ours.chunks_ == in_memory.chunks_
    points = table[numbers].iloc[:20]
    assert ours.predict(points).tolist() == in_memory.predict(points).tolist()
    assert all(
        np.array_equal(mine.tree_.threshold, theirs.tree_.threshold)
        for mine, theirs in zip(ours._models, in_memory._models, strict=True)
    )


def test_the_account_is_charged_as_for_rows_in_memory(frame, table, recwarn):
    settings = {"schema": SCHEMA, "epsilon": 1.0, "lam": 0.01, "classes": ("no", "yes")}
    account = discretion.account("patients", epsilon=3, ledger=discretion.Ledger.in_memory())
    discretion.LogisticRegression(account=account, **settings).fit(table.drop(columns="ill"), table["ill"])
    ours = discretion.spark.LogisticRegression(account=account, **settings).fit(frame.orderBy("age"), "ill")
    assert ours.private_
    notes = [str(one.message) for one in recwarn if issubclass(one.category, discretion.Note)]
    assert len(notes) == 1 and "are not those" in notes[0], "rows in another order are noticed"
    discretion.spark.LogisticRegression(account=account, **settings).fit(frame, "ill")
    notes = [str(one.message) for one in recwarn if issubclass(one.category, discretion.Note)]
    assert len(notes) == 2 and "paid for the same on the same rows" in notes[1], "the same rows in other pieces are the same rows"
    first, second, third = (one["event"] for one in account.full_history() if one["kind"] == "charged")
    assert first == second == third
    with pytest.raises(discretion.Refused):
        discretion.spark.LogisticRegression(account=account, **settings).fit(frame, "ill")
