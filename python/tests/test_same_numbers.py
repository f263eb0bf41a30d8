"""One seed, one table: whoever asks, and however the table is held, the numbers are the same, bit for bit."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import command_line
import discretion

SCHEMA = {"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]}


def encoded(model):
    return [coefficient["encoded"] for coefficient in model.model_["coefficients"]]


CONFIGURATIONS = {
    "plain": ({}, {}),
    "delta": ({"[spend]\nepsilon = 1.0": "[spend]\nepsilon = 1.0\ndelta = 1e-6"}, {"delta": 1e-6}),
    "rho": ({"[budget]\nepsilon = 10.0": "[budget]\nrho = 9", "[spend]\nepsilon = 1.0": "[spend]\nrho = 0.1"}, {"rho": 0.1}),
    "auto": ({"lambda = 0.01": 'lambda = "auto"'}, {"lam": "auto"}),
    "list": ({"lambda = 0.01": "lambda = [0.01, 0.1]"}, {"lam": [0.01, 0.1]}),
    "intervals": ({"lambda = 0.01": "lambda = 0.01\n[intervals]\nlevel = 0.9"}, {"intervals": 0.9}),
    "output": ({"lambda = 0.01": 'lambda = 0.01\nmethod = "output"'}, {"method": "output"}),
    "hinge": ({"lambda = 0.01": 'lambda = 0.01\nloss = "hinge"'}, {"loss": "hinge"}),
    "row": ({"lambda = 0.01": 'lambda = 0.01\nnorm = "row"'}, {}),
}


@command_line.needs_it
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_command_line_and_python_release_the_same_model(name, study, columns, tmp_path):
    changes, settings = CONFIGURATIONS[name]
    text = study.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    if name == "delta":
        text = text.replace("[budget]\nepsilon = 10.0", "[budget]\nepsilon = 10.0\ndelta = 1e-4")
    study.write_text(text)
    command_line.run("fit", study, "--seed", "7", "--out", tmp_path / "out", folder=tmp_path)
    settings = dict(settings)
    kind = discretion.LinearSVC if settings.pop("loss", None) == "hinge" else discretion.LogisticRegression
    epsilon = None if "rho" in settings else 1.0
    model = kind(**{"epsilon": epsilon, "lam": 0.01, "schema": study, "random_state": 7} | settings)
    model.fit(pyarrow.table(columns))
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


@command_line.needs_it
def test_missing_numbers_are_refused_unless_the_column_says_what_they_are(study, columns, tmp_path):
    """The same rule in Python and on the command line. pandas does not tell a missing number from one that is not a number."""
    holes = columns | {"dose": np.where(np.arange(3000) % 7 == 0, np.nan, columns["dose"])}
    frame = pandas.DataFrame(holes)
    frames = [frame, pyarrow.table(frame), polars.from_pandas(frame)]
    features = frame.drop(columns="ill")
    for table in (features, pyarrow.table(features), polars.from_pandas(features)):
        model = discretion.LogisticRegression(epsilon=1.0, schema=SCHEMA, classes=("no", "yes"), random_state=7)
        with pytest.raises(discretion.InputError, match="`dose` has missing values"):
            model.fit(table, columns["ill"])
        with pytest.raises(discretion.InputError, match="`dose` has missing values"):
            discretion.HistogramDensity(epsilon=1.0, schema=SCHEMA, columns=["dose"], random_state=7).fit(table)
        declared = SCHEMA | {"dose": {"min": 0, "max": 30, "missing": 15.0}}
        model.set_params(schema=SCHEMA).fit(polars.from_pandas(features).fill_nan(1.0).fill_null(1.0), columns["ill"])
        density = discretion.HistogramDensity(epsilon=1.0, schema=SCHEMA, columns=["dose"], bins=4, random_state=7)
        for ask in (model.predict, density.fit(pandas.DataFrame(columns)).score_samples):
            with pytest.raises(discretion.InputError, match="`dose` has no value, and a number is needed there: fill it in") as asked:
                ask(table)
            assert "declare" not in str(asked.value)
        model.set_params(schema=declared).fit(table, columns["ill"])
    lines = [",".join(holes)] + [",".join("" if v != v else str(v) for v in row) for row in zip(*holes.values())]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    for table in frames:
        with pytest.raises(discretion.InputError, match="`dose` has missing values"):
            discretion.LogisticRegression(epsilon=1.0, lam=0.01, schema=study, random_state=7).fit(table)
    study.write_text(study.read_text().replace("dose = { min = 0, max = 30 }", "dose = { min = 0, max = 30, missing = 15 }"))
    command_line.run("fit", study, "--seed", "7", "--out", tmp_path / "out", folder=tmp_path)
    for table in frames:
        model = discretion.LogisticRegression(epsilon=1.0, lam=0.01, schema=study, random_state=7).fit(table)
        model.save(tmp_path / "ours.json", overwrite=True)
        assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "out" / "seeded-model.json").read_bytes()
        assert np.isfinite(model.decision_function(table)).all()
