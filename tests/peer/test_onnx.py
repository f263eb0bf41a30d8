"""`discretion export --format onnx` in onnxruntime, against `discretion predict` on the same rows.

    pip install -r tests/peer/requirements.txt
    pytest tests/peer                                   # the binary is target/quick/discretion, or DISCRETION_BINARY
"""

import csv
import itertools
import math
import os
import pathlib
import random
import subprocess

import numpy as np
import onnxruntime
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("DISCRETION_BINARY", ROOT / "target" / "quick" / "discretion")).resolve()

# Columns that are called as outputs of the file would be, on both scales, with and without a value for what is missing.
STUDY = """
[data]
path = "table.csv"
account = "onnx"
target = "outcome"
positive = "good, or better"
negative = ["bad", "worse"]

[budget]
epsilon = 9
[spend]
epsilon = 4

[columns]
age = {{ min = 18, max = 90, missing = 40 }}
score = {{ min = -1.5, max = 2.25, missing = 2 }}
income = {{ min = 0, max = 100000, scale = "log", missing = 0 }}
shift = {{ min = -5, max = 12.5, scale = "log", missing = -5 }}
city = {{ values = ["Paris, France", "the \\"big\\" one", "Łódź", ""] }}
label = {{ values = ["a", "b"] }}
note = {{ drop = true }}

[model]
loss = "{loss}"
lambda = 0.001
norm = "{norm}"
"""

NUMBERS, TEXTS = ["age", "score", "income", "shift"], ["city", "label"]


def write_table(path, rows=2000):
    """Numbers within their bounds, beyond them, far beyond them and missing; categories of which some are not declared."""
    rng = random.Random(7)
    cities = ["Paris, France", 'the "big" one', "Łódź", "", "elsewhere"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(NUMBERS + TEXTS + ["note", "outcome"])
        for row in range(rows):
            numbers = [rng.gauss(50, 20), rng.gauss(0, 1), rng.lognormvariate(9, 2), rng.uniform(-9, 14)]
            if row % 10 == 0:
                numbers = [rng.choice([x, 1e30 * x, -1e-30, 18, 90, -1.5, 2.25, ""]) for x in numbers]
            texts = [rng.choice(cities), rng.choice("abc")]
            outcome = "good, or better" if rng.random() < 0.4 else rng.choice(["bad", "worse"])
            writer.writerow(numbers + texts + ["x", outcome])


def run(folder, *args):
    environment = os.environ | {"DISCRETION_LEDGER": str(folder / "ledger.sqlite")}
    result = subprocess.run([BINARY, *args], cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")
    assert result.returncode == 0, result.stderr
    return result.stdout


BENT = {
    "missing = 40 }": 'missing = 40, curve = 7 }',
    "missing = 2 }": 'missing = "own", knots = [-1, 0, 0.1], monotone = "up" }',
    'scale = "log", missing = 0 }': 'scale = "log", missing = "own", curve = 5 }',
    "[model]": '[cross]\npairs = [["city", "label"], ["shift", "city"]]\n\n[model]',
}


@pytest.mark.parametrize("loss, norm, bent", [*itertools.product(["logistic", "hinge"], ["scale", "row"], [False]), ("logistic", "scale", True)])
def test_onnxruntime_says_what_predict_says(tmp_path, loss, norm, bent):
    write_table(tmp_path / "table.csv")
    study = STUDY.format(loss=loss, norm=norm)
    for line, curve in BENT.items() if bent else ():
        assert line in study
        study = study.replace(line, curve)
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    run(tmp_path, "fit", "study.toml", "--out", "out")
    run(tmp_path, "export", "out/model.json", "--out", "model.onnx")
    predicted = list(csv.DictReader(run(tmp_path, "predict", "out/model.json", "table.csv").splitlines()))

    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    kinds = {column.name: column.type for column in session.get_inputs()}
    assert kinds == dict.fromkeys(NUMBERS, "tensor(double)") | dict.fromkeys(TEXTS, "tensor(string)")
    with open(tmp_path / "table.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    inputs = {name: np.array([[float(row[name]) if row[name] else math.nan] for row in rows]) for name in NUMBERS}
    inputs |= {name: np.array([[row[name]] for row in rows], dtype=object) for name in TEXTS}
    # A column of the table is called as an output would be, and the output makes way.
    names = [output.name for output in session.get_outputs()]
    assert names == ["label_", "probability", "score_"] if loss == "logistic" else ["label_", "score_"]
    outputs = dict(zip(names, session.run(None, inputs)))
    assert all(output.shape == (len(rows), 1) for output in outputs.values())

    assert [row["label"] for row in predicted] == list(outputs["label_"][:, 0])
    for name, output in [("score", "score_"), ("probability", "probability")]:
        if output in outputs:
            expected = np.array([float(row[name]) for row in predicted])
            assert np.ptp(expected) > 0.01, "the rows differ"
            assert np.abs(outputs[output][:, 0] - expected).max() < 1e-6
    about = session.get_modelmeta()
    assert about.producer_name == "discretion" and about.custom_metadata_map["privacy"].startswith("ε = 4: ")


def test_the_comparison_can_fail(tmp_path):
    """A file of another model is not taken for this one."""
    write_table(tmp_path / "table.csv", rows=300)
    (tmp_path / "study.toml").write_text(STUDY.format(loss="logistic", norm="scale"), encoding="utf-8")
    scores = []
    for seed in ["1", "2"]:
        run(tmp_path, "fit", "study.toml", "--out", seed, "--seed", seed)
        run(tmp_path, "export", f"{seed}/seeded-model.json", "--out", f"{seed}.onnx")
        session = onnxruntime.InferenceSession(tmp_path / f"{seed}.onnx", providers=["CPUExecutionProvider"])
        assert "NOT PRIVATE" in session.get_modelmeta().custom_metadata_map
        inputs = {name: np.array([[1.0]]) for name in NUMBERS} | {name: np.array([["a"]], dtype=object) for name in TEXTS}
        scores.append(session.run(["score_"], inputs)[0][0, 0])
    assert abs(scores[0] - scores[1]) > 1e-6


NUMBER = """
[data]
path = "table.csv"
account = "onnx"
outcome = {outcome}

[budget]
epsilon = 9
[spend]
epsilon = 4

[columns]
age = {{ min = 18, max = 90, missing = 40, curve = 4 }}
score = {{ min = -1.5, max = 2.25, missing = 2 }}
income = {{ min = 0, max = 100000, scale = "log", missing = 0 }}
city = {{ values = ["Paris, France", "the \\"big\\" one", "Łódź", ""] }}
label = {{ values = ["a", "b"] }}
{dropped}

[cross]
pairs = [["city", "label"], ["score", "city"]]

[model]
{model}
"""

DAYS, COST = '{ column = "days", min = 2, max = 30 }', '{ column = "cost", min = -1, max = 5000, scale = "log" }'


def write_numbers(path, rows=2000):
    """Outcomes that follow from the columns, within their ranges and beyond them, and three stages."""
    rng = random.Random(8)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "score", "income", "city", "label", "days", "cost", "stage"])
        for row in range(rows):
            age, score, income = rng.gauss(50, 20), rng.gauss(0, 1), rng.lognormvariate(9, 2)
            city, label = rng.choice(["Paris, France", 'the "big" one', "Łódź", "", "elsewhere"]), rng.choice("abc")
            days, cost = 0.5 * age + 5 * score + rng.gauss(0, 2), math.exp(0.1 * age + score) - 1
            stage = ["none", "mild", "severe"][min(2, max(0, int(age / 25 + rng.random()) - 1))]
            first = "" if row % 50 == 0 else age
            writer.writerow([first, score, income, city, label, days, cost, stage])


def opened(tmp_path, study):
    """What a file of ONNX and `predict` say of one table."""
    write_numbers(tmp_path / "table.csv")
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    run(tmp_path, "fit", "study.toml", "--out", "out")
    run(tmp_path, "export", "out/model.json", "--out", "model.onnx")
    predicted = list(csv.DictReader(run(tmp_path, "predict", "out/model.json", "table.csv").splitlines()))
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    with open(tmp_path / "table.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    inputs = {}
    for column in session.get_inputs():
        texts = [row[column.name] for row in rows]
        if column.type == "tensor(double)":
            inputs[column.name] = np.array([[float(text) if text else math.nan] for text in texts])
        else:
            inputs[column.name] = np.array([[text] for text in texts], dtype=object)
    names = [output.name for output in session.get_outputs()]
    return session, dict(zip(names, session.run(None, inputs))), predicted


SQUARES, HUBER = 'loss = "squares"', 'loss = "huber"'


@pytest.mark.parametrize("outcome, model", [(DAYS, SQUARES), (COST, SQUARES), (f"[{DAYS}, {COST}]", "lambda = 1e-3"), (COST, HUBER)])
def test_numbers_are_predicted_with_their_intervals(tmp_path, outcome, model):
    unused = [name for name in ["days", "cost", "stage"] if f'"{name}"' not in outcome]
    dropped = "\n".join(f"{name} = {{ drop = true }}" for name in unused)
    session, outputs, predicted = opened(tmp_path, NUMBER.format(outcome=outcome, model=model, dropped=dropped))
    assert list(outputs) == [name for name in predicted[0] if name != "row"]
    assert len(outputs) == (1 if "huber" in model else 6 if "[" in outcome else 3)
    for name, output in outputs.items():
        assert output.shape == (len(predicted), 1)
        expected = np.array([float(row[name]) for row in predicted])
        assert np.ptp(expected) > 0.01 or "lower" in name or "upper" in name, "the rows differ"
        assert np.abs(output[:, 0] - expected).max() < 1e-6 * max(1, np.abs(expected).max())
    assert session.get_modelmeta().custom_metadata_map["privacy"].startswith("ε = 4: ")


def test_several_classes_have_a_probability_each(tmp_path):
    classes = 'classes = ["none", "mild", "severe"]'
    study = NUMBER.format(outcome=DAYS, model="lambda = 0.001", dropped="days = { drop = true }\ncost = { drop = true }")
    study = study.replace(f"outcome = {DAYS}", f'target = "stage"\n{classes}')
    session, outputs, predicted = opened(tmp_path, study)
    # A column of the table is called as an output would be, and the output makes way.
    assert list(outputs) == ["label_", "probabilities", "scores"]
    assert [row["label"] for row in predicted] == list(outputs["label_"][:, 0])
    names = session.get_modelmeta().custom_metadata_map["classes"].split("\n")
    assert names == ["none", "mild", "severe"]
    expected = np.array([[float(row[f"probability_{name}"]) for name in names] for row in predicted])
    assert np.abs(outputs["probabilities"] - expected).max() < 1e-6 and np.ptp(expected) > 0.1
    assert outputs["scores"].shape == (len(predicted), 3)
