"""A frame of Spark Connect is a frame like others: what leaves is what leaves for the same rows in memory."""

import json
import pathlib
import subprocess
import sys

import discretion
import pytest

pytest.importorskip("grpc", reason="Spark Connect needs grpcio (the extra `connect`)")

SCHEMA = discretion.Schema({"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]})
SETTINGS = {"schema": SCHEMA, "epsilon": 1.0, "random_state": 3}


def test_a_session_of_spark_connect(table, tmp_path):
    table.to_pickle(tmp_path / "table.pkl")
    script = pathlib.Path(__file__).with_name("connect.py")
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["kind"].startswith("pyspark.sql.connect")
    model = discretion.LogisticRegression(classes=("no", "yes"), lam=1e-3, **SETTINGS)
    features = table.drop(columns="ill")
    assert told["model"] == json.loads(json.dumps(model.fit(features, table["ill"]).model_))
    assert told["predicted"] == model.predict(features.iloc[:50]).tolist()
    density = discretion.HistogramDensity(columns=["site"], **SETTINGS).fit(table)
    assert told["density"] == json.loads(json.dumps(density.density_))
    assert "`age`" in told["refused"]
