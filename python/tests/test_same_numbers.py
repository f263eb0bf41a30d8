"""One seed, one table: whoever asks, and however the table is held, the numbers are the same, bit for bit."""

import json
import os
import subprocess

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import discretion

SCHEMA = {"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]}
BINARY = os.environ.get("DISCRETION_BINARY")


def encoded(model):
    return [coefficient["encoded"] for coefficient in model.model_["coefficients"]]


@pytest.mark.skipif(BINARY is None, reason="DISCRETION_BINARY names no command line to compare with")
def test_the_command_line_and_python_release_the_same_model(study, columns, tmp_path):
    subprocess.run([BINARY, "fit", study, "--seed", "7", "--out", tmp_path / "out"], check=True, capture_output=True)
    theirs = json.loads((tmp_path / "out" / "seeded-model.json").read_text())
    model = discretion.LogisticRegression(epsilon=1.0, lam=0.01, schema=study, random_state=7)
    model.fit(pyarrow.table(columns))
    assert model.model_ == theirs
    model.save(tmp_path / "ours.json")
    assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "out" / "seeded-model.json").read_bytes()


def test_every_kind_of_frame_gives_the_same_numbers(columns):
    features = {name: values for name, values in columns.items() if name != "ill"}
    frames = [pandas.DataFrame(features), polars.DataFrame(features), pyarrow.table(features)]
    frames.append(pandas.DataFrame(features).astype({"site": "category"}))
    model = discretion.LogisticRegression(epsilon=1.0, schema=SCHEMA, classes=("no", "yes"), random_state=3)
    released = [encoded(model.fit(frame, columns["ill"])) for frame in frames]
    assert all(numbers == released[0] for numbers in released)
    margins = [model.decision_function(frame) for frame in frames]
    assert all(np.array_equal(one, margins[0]) for one in margins)


def test_arrays_and_frames_give_the_same_numbers(columns):
    array = np.column_stack([columns["age"], columns["dose"]])
    y = (columns["ill"] == "yes").astype(int)
    from_array = discretion.LinearSVC(epsilon=1.0, bounds=([17, 0], [90, 30]), random_state=3)
    from_frame = discretion.LinearSVC(epsilon=1.0, schema={"age": (17, 90), "dose": (0, 30)}, random_state=3)
    frame = pandas.DataFrame({"age": columns["age"], "dose": columns["dose"]})
    assert encoded(from_array.fit(array, y)) == encoded(from_frame.fit(frame, y))
    for layout in (np.asfortranarray(array), np.repeat(array, 2, axis=0)[::2]):
        assert encoded(from_array.fit(layout, y)) == encoded(from_frame)
