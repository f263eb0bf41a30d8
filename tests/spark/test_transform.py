"""What is fitted is used on Spark: columns that executors add, in a pipeline of spark.ml, from pandas-on-Spark."""

import discretion
import discretion.spark
import numpy as np
import pytest
from discretion._spark import _reason

SCHEMA = discretion.Schema(
    {"age": (17, 90), "dose": (0, 30), "site": {"values": ["north", "south", "west"]}, "ward": {"drop": True}}
)
SETTINGS = {"schema": SCHEMA, "epsilon": 1.0, "classes": ("no", "yes"), "random_state": 3}


@pytest.fixture(scope="module")
def wards(frame):
    from pyspark.sql import functions as F

    return frame.withColumn("ward", F.lit("a"))


@pytest.fixture(scope="module")
def model(wards):
    return discretion.spark.LogisticRegression(**SETTINGS).fit(wards, "ill")


def test_executors_add_what_predict_says_here(wards, table, model):
    told = model.transform(wards, probability="risk", margin="margin").toPandas()
    features = table.drop(columns="ill").assign(ward="a")
    assert list(told.columns) == ["age", "dose", "site", "ill", "ward", "prediction", "risk", "margin"]
    assert told["prediction"].tolist() == model.predict(features).tolist()
    assert np.array_equal(told["margin"], model.decision_function(features))
    assert np.allclose(told["risk"], model.predict_proba(features)[:, 1], atol=1e-12)
    with pytest.raises(discretion.InputError, match="column 'ill' already"):
        model.transform(wards, prediction="ill")
    svc = discretion.spark.LinearSVC(**SETTINGS).fit(wards, "ill")
    with pytest.raises(discretion.InputError, match="no probabilities"):
        svc.transform(wards, probability="risk")


def test_nothing_is_collected(wards, model, monkeypatch):
    monkeypatch.setattr(type(wards), "collect", None)
    monkeypatch.setattr(type(wards), "toPandas", None)
    assert model.transform(wards).schema["prediction"].dataType.simpleString() == "string"


def test_densities(wards, table):
    settings = {"schema": SCHEMA, "columns": ["age", "site"], "bins": 4, "epsilon": 1.0, "random_state": 1}
    density = discretion.spark.HistogramDensity(**settings).fit(wards)
    told = density.transform(wards).toPandas()["log_density"]
    assert np.array_equal(told, density.score_samples(table))


def test_a_pipeline_of_spark(wards, model):
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import SQLTransformer

    stage = discretion.spark.LogisticRegression(**SETTINGS).stage("ill", prediction="guess")
    older = SQLTransformer(statement="SELECT * FROM __THIS__ WHERE age >= 0")
    fitted = Pipeline(stages=[older, stage]).fit(wards)
    assert fitted.stages[1].estimator.model_ == model.model_
    ours, theirs = fitted.transform(wards).toPandas()["guess"], model.transform(wards).toPandas()["prediction"]
    assert ours.tolist() == theirs.tolist()


def test_pandas_on_spark(wards, model):
    frame = wards.pandas_api()
    assert discretion.spark.LogisticRegression(**SETTINGS).fit(frame, "ill").model_ == model.model_
    assert model.transform(frame).count() == wards.count()
    with pytest.raises(discretion.InputTypeError, match="discretion.spark"):
        discretion.LogisticRegression(**SETTINGS).fit(frame, "ill")


def test_another_python_of_the_workers_is_named():
    said = (
        "Job aborted: pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has different "
        "version: 3.9 than that in driver: 3.12, PySpark cannot run with different minor versions."
    )
    reason = _reason(RuntimeError(said))
    assert "its workers run Python 3.9 and this is 3.12" in reason and "PYSPARK_PYTHON" in reason
