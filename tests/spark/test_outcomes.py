"""Outcomes that are numbers, and more than two classes, on both engines: what leaves is what leaves for the same rows in memory."""

import dask
import dask.dataframe
import discretion
import discretion.dask
import discretion.spark
import numpy as np
import pytest
from conftest import ROWS, partitioned

COLUMNS = {"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]}
SCHEMA = discretion.Schema(COLUMNS)
STAGES = ["none", "mild", "severe"]
OUTCOMES = ["ill", "days", "cost", "stage", "who"]


@pytest.fixture(scope="module")
def rows(table):
    """The same table with two numbers, three classes, and persons who have rows in every partition."""
    rng = np.random.default_rng(5)
    days = np.round(5 + (table["age"] - 17) / 5 + table["dose"] + rng.normal(0, 4, ROWS), 1)
    cost = np.round(np.exp(rng.normal(5, 1, ROWS)) + 20 * table["dose"], 2)
    severity = (table["age"] - 50) / 25 + (table["site"] == "south") + rng.normal(0, 1, ROWS)
    stage = np.select([severity < -0.3, severity < 0.8], STAGES[:2], STAGES[2])
    who = [f"P{row * 7919 % 5003}" for row in range(ROWS)]
    return table.assign(days=days, cost=cost, stage=stage, who=who)


@pytest.fixture(scope="module")
def sparked(spark, rows):
    return partitioned(spark, rows, [0, 1, 1, 20_000, ROWS])


@pytest.fixture
def dasked(rows):
    with dask.config.set(scheduler="threads", num_workers=2):
        yield dask.dataframe.from_pandas(rows, npartitions=3)


@pytest.fixture(params=["spark", "dask"])
def on(request):
    """An engine's module, and its frame."""
    frame = request.getfixturevalue("sparked" if request.param == "spark" else "dasked")
    return getattr(discretion, request.param), frame


def only(frame, *names):
    """The columns that are declared, and these."""
    return frame[[*COLUMNS, *names]]


def in_memory(name, rows, y, settings, **more):
    features = rows.drop(columns=[one for one in OUTCOMES if one not in more.values()])
    return getattr(discretion, name)(**settings).fit(features, rows[y], **more)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("LinearRegression", {"epsilon": 1.0}),
        ("LinearRegression", {"epsilon": 1.0, "delta": 1e-6, "lam": 0.01, "level": 0.8}),
        ("LinearRegression", {"rho": 0.1, "y_scale": "log"}),
        ("HuberRegressor", {"epsilon": 1.0, "delta": 1e-6}),
        ("HuberRegressor", {"epsilon": 1.0, "lam": 0.01, "method": "output"}),
    ],
)
def test_a_number_is_that_of_rows_in_memory(on, rows, name, settings):
    module, frame = on
    settings = {"schema": SCHEMA, "y_bounds": (0, 60), "random_state": 3, **settings}
    ours = getattr(module, name)(**settings).fit(only(frame, "days"), "days")
    theirs = in_memory(name, rows, "days", settings)
    assert ours.model_ == theirs.model_
    features = rows[list(COLUMNS)].iloc[:50]
    assert np.array_equal(ours.predict(features), theirs.predict(features))


def test_several_outcomes_come_from_one_release(on, rows):
    module, frame = on
    settings = {"schema": SCHEMA, "y_bounds": ([0, 0], [60, 2000]), "y_scale": ["linear", "log"], "epsilon": 1.0, "random_state": 3}
    ours = module.LinearRegression(**settings).fit(only(frame, "days", "cost"), ["days", "cost"])
    theirs = in_memory("LinearRegression", rows, ["days", "cost"], settings)
    assert ours.model_ == theirs.model_ and ours.coef_.shape == theirs.coef_.shape == (2, 5)


@pytest.mark.parametrize(
    ("name", "settings"),
    [("LinearRegression", {"epsilon": 1.0}), ("HuberRegressor", {"epsilon": 1.0, "delta": 1e-6})],
)
def test_rows_of_a_person_may_be_with_several_workers(on, rows, name, settings):
    module, frame = on
    settings = {"schema": SCHEMA, "y_bounds": (0, 60), "random_state": 3, **settings}
    ours = getattr(module, name)(**settings).fit(only(frame, "days", "who"), "days", person="who")
    assert ours.model_ == in_memory(name, rows, "days", settings, person="who").model_
    assert ours.model_["privacy"]["unit"] == "person" and ours.model_["training"]["rows"] == 5003


@pytest.mark.parametrize("settings", [{"epsilon": 1.0}, {"epsilon": 1.0, "delta": 1e-6, "lam": 0.01}])
def test_several_classes_are_those_of_rows_in_memory(on, rows, settings):
    module, frame = on
    settings = {"schema": SCHEMA, "classes": STAGES, "random_state": 3, **settings}
    ours = module.LogisticRegression(**settings).fit(only(frame, "stage"), "stage")
    theirs = in_memory("LogisticRegression", rows, "stage", settings)
    assert ours.model_ == theirs.model_ and ours.classes_.tolist() == STAGES
    features = rows[list(COLUMNS)].iloc[:50]
    assert np.array_equal(ours.predict_proba(features), theirs.predict_proba(features))


def test_persons_have_several_classes_too(on, rows):
    module, frame = on
    settings = {"schema": SCHEMA, "classes": STAGES, "epsilon": 5.0, "lam": 0.05, "random_state": 3}
    ours = module.LogisticRegression(**settings).fit(only(frame, "stage", "who"), "stage", person="who")
    assert ours.model_ == in_memory("LogisticRegression", rows, "stage", settings, person="who").model_
    assert ours.model_["privacy"]["unit"] == "person"


def test_a_few_rows_are_solved_without_a_sample(rows):
    few = rows.iloc[:6000]
    with dask.config.set(scheduler="threads", num_workers=2):
        frame = dask.dataframe.from_pandas(few, npartitions=2)
        settings = {"schema": SCHEMA, "epsilon": 5.0, "lam": 0.05, "random_state": 3}
        ours = discretion.dask.LogisticRegression(classes=STAGES, **settings).fit(only(frame, "stage"), "stage")
    assert ours.model_ == in_memory("LogisticRegression", few, "stage", {"classes": STAGES, **settings}).model_


def test_lambda_is_chosen_for_several_classes_too(dasked, rows):
    settings = {"schema": SCHEMA, "classes": STAGES, "epsilon": 5.0, "lam": [1e-3, 0.1], "random_state": 3}
    ours = discretion.dask.LogisticRegression(**settings).fit(only(dasked, "stage"), "stage")
    assert ours.model_ == in_memory("LogisticRegression", rows, "stage", settings).model_


BENT = discretion.Schema(COLUMNS | {"dose": {"min": 0, "max": 30, "knots": "private", "curve": 5, "share": 0.2}})


@pytest.mark.parametrize("person", [{}, {"person": "who"}])
@pytest.mark.parametrize(
    ("name", "y", "settings"),
    [
        ("LogisticRegression", "ill", {"classes": ("no", "yes"), "evaluate": True, "evaluate_by": "site", "lam": [0.001, 0.1]}),
        ("LogisticRegression", "ill", {"classes": ("no", "yes"), "evaluate": 0.3, "schema": BENT, "base_rate": "private"}),
        ("LogisticRegression", "stage", {"classes": STAGES, "evaluate": True, "intervals": True, "schema": BENT}),
        ("LinearRegression", "days", {"y_bounds": (0, 60), "evaluate": True, "evaluate_by": "site"}),
        ("HuberRegressor", "days", {"y_bounds": (0, 60), "evaluate": True, "schema": BENT}),
    ],
)
def test_rows_that_are_held_out_parts_and_private_knots_are_those_of_rows_in_memory(on, rows, name, y, settings, person):
    module, frame = on
    settings = {"schema": SCHEMA, "epsilon": 5.0, "delta": 1e-6, "random_state": 3, **settings}
    ours = getattr(module, name)(**settings).fit(only(frame, y, *person.values()), y, **person)
    theirs = in_memory(name, rows, y, settings, **person)
    assert ours.model_ == theirs.model_ and ours.quality_ == theirs.quality_


def test_numbers_with_bounds_and_whole_numbers(on, rows):
    module, frame = on
    names = ["age", "dose", "weeks"]
    weeks = (rows["days"] / 7).round().astype("int64")
    if module is discretion.spark:
        from pyspark.sql import functions as F

        frame = frame.withColumn("weeks", F.rint(frame["days"] / 7).cast("int")).select(*names)
    else:
        frame = frame.assign(weeks=(frame["days"] / 7).round().astype("int32"))[names]
    settings = {"bounds": ([17, 0], [90, 30]), "y_bounds": (0, 9), "epsilon": 1.0, "random_state": 1}
    ours = module.LinearRegression(**settings).fit(frame, "weeks")
    assert ours.model_ == discretion.LinearRegression(**settings).fit(rows[["age", "dose"]], weeks.rename("weeks")).model_


def test_an_account_pays_once_and_knows_the_rows_again(on, rows, recwarn):
    module, frame = on
    account = discretion.account("patients", epsilon=9, ledger=discretion.Ledger.in_memory())
    number = {"schema": SCHEMA, "y_bounds": (0, 60), "epsilon": 1.0, "account": account}
    first = in_memory("LinearRegression", rows, "days", number)
    again = module.LinearRegression(reuse=True, **number).fit(only(frame, "days"), "days")
    assert again.private_ and again.model_["coefficients"] == first.model_["coefficients"] and account.spent == pytest.approx(1)
    classes = {"schema": SCHEMA, "classes": STAGES, "epsilon": 2.0, "lam": 0.01, "account": account}
    first = module.LogisticRegression(**classes).fit(only(frame, "stage"), "stage")
    assert first.private_ and account.spent == pytest.approx(3)
    again = in_memory("LogisticRegression", rows, "stage", {"reuse": True, **classes})
    assert again.model_["coefficients"] == first.model_["coefficients"] and account.spent == pytest.approx(3)
    # The same rows of other classes are another table.
    other = in_memory("LogisticRegression", rows.assign(stage=rows["stage"].to_numpy()[::-1]), "stage", {"reuse": True, **classes})
    assert other.model_["coefficients"] != first.model_["coefficients"] and account.spent == pytest.approx(5)


def test_what_a_cluster_does_not_know_costs_nothing(on):
    module, frame = on
    account = discretion.account("patients", epsilon=9, ledger=discretion.Ledger.in_memory())
    number = {"schema": SCHEMA, "y_bounds": (0, 60), "epsilon": 1.0, "account": account}
    with pytest.raises(discretion.InputError, match="requires y to be passed"):
        module.HuberRegressor(**number).fit(frame)
    with pytest.raises(TypeError, match="y is the name of the column of outcomes, or a list of such names"):
        module.LinearRegression(**number).fit(frame, "nothing")
    with pytest.raises(TypeError, match="y is the name of the column of outcomes;"):
        module.HuberRegressor(**number).fit(only(frame, "days", "cost"), ["days", "cost"])
    with pytest.raises(TypeError, match="a column of numbers, and 'site' has"):
        module.LinearRegression(**number).fit(frame, "site")
    with pytest.raises(discretion.InputError, match="`ill`, `cost`, `stage`, `who`"):
        module.LinearRegression(**number).fit(frame, "days")
    by_row = {**number, "schema": discretion.Schema(COLUMNS, norm="row")}
    with pytest.raises(discretion.InputError, match="norm"):
        module.LinearRegression(**by_row).fit(only(frame, "days"), "days")
    classes = {"schema": SCHEMA, "classes": STAGES, "epsilon": 1.0, "account": account}
    with pytest.raises(discretion.InputError, match="pair of different labels"):
        module.LinearSVC(**classes).fit(only(frame, "stage"), "stage")
    with pytest.raises(discretion.InputError, match="none of the declared classes"):
        module.LogisticRegression(**{**classes, "classes": ["none", "mild", "grave"]}).fit(only(frame, "stage"), "stage")
    assert account.spent == 0.0


def test_an_outcome_that_is_missing_is_an_error_without_a_row(rows):
    holes = rows.assign(days=rows["days"].where(rows["age"] < 80))
    with dask.config.set(scheduler="threads", num_workers=2):
        frame = dask.dataframe.from_pandas(holes, npartitions=3)
        with pytest.raises(discretion.InputError, match="missing or not finite.*nothing was charged"):
            discretion.dask.LinearRegression(schema=SCHEMA, y_bounds=(0, 60), epsilon=1.0, random_state=1).fit(only(frame, "days"), "days")


def test_executors_add_what_predict_says_here(sparked, rows):
    features = rows[list(COLUMNS)]
    settings = {"schema": SCHEMA, "epsilon": 1.0, "random_state": 3}
    one = discretion.spark.HuberRegressor(y_bounds=(0, 60), **settings).fit(only(sparked, "days"), "days")
    told = one.transform(sparked, prediction="expected").toPandas()
    assert np.array_equal(told["expected"], one.predict(features))
    two = discretion.spark.LinearRegression(y_bounds=([0, 0], [60, 2000]), **settings).fit(only(sparked, "days", "cost"), ["days", "cost"])
    told = two.transform(sparked).select("prediction_days", "prediction_cost").toPandas()
    assert np.array_equal(told.to_numpy(), two.predict(features))
    classes = discretion.spark.LogisticRegression(classes=STAGES, lam=0.01, **settings)
    stage = classes.stage("stage", probability="risk", margin="score").fit(only(sparked, "stage"))
    told, fitted = stage.transform(sparked).toPandas(), stage.estimator
    assert told["prediction"].tolist() == fitted.predict(features).tolist()
    assert np.allclose(told[[f"risk_{label}" for label in STAGES]], fitted.predict_proba(features), atol=1e-12)
    assert np.array_equal(told[[f"score_{label}" for label in STAGES]], fitted.decision_function(features))
