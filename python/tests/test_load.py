"""Files that were published are read again, whoever wrote them, and answer as before."""

import command_line
import numpy as np
import pandas
import pytest

import discretion

SCHEMA = {"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]}


def test_a_model_of_a_frame(columns, tmp_path):
    frame = pandas.DataFrame({name: columns[name] for name in SCHEMA})
    for kind in (discretion.LogisticRegression, discretion.LinearSVC):
        model = kind(epsilon=2.0, delta=1e-6, schema=SCHEMA, classes=("no", "yes"), intervals=True, random_state=3)
        model.fit(frame, columns["ill"]).save(tmp_path / "model.json", overwrite=True)
        again = discretion.load(tmp_path / "model.json")
        assert type(again) is kind and again.model_ == model.model_ and not again.private_
        assert again.predict(frame[::-1]).tolist() == model.predict(frame)[::-1].tolist()
        assert again.coefficients_ == model.coefficients_ and np.array_equal(again.coef_, model.coef_)
        assert again.intervals_.equals(model.intervals_) and str(again.summary()) == str(model.summary())
        assert list(again.feature_names_in_) == list(SCHEMA) and again.n_features_in_ == 3
        again.save(tmp_path / "again.json", overwrite=True)
        assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()
        with pytest.raises(discretion.InputError, match="named columns"):
            again.predict(np.zeros((2, 3)))


def test_a_model_of_an_array_and_its_classes(tmp_path):
    X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    for classes in ((0, 1), (False, True), (-1, 1), ("no", "yes")):
        y = np.array(classes)[(X[:, 0] > 0).astype(int)]
        model = discretion.LogisticRegression(epsilon=2.0, bounds=(-1, 1), classes=classes, random_state=0).fit(X, y)
        model.save(tmp_path / "model.json", overwrite=True)
        again = discretion.load(tmp_path / "model.json")
        assert again.classes_.tolist() == list(classes) and not hasattr(again, "feature_names_in_")
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
        assert np.array_equal(again.predict(X), model.predict(X)) and again.predict(X).dtype == model.predict(X).dtype


def test_names_of_coefficients(columns):
    frame = pandas.DataFrame({name: columns[name] for name in SCHEMA})
    model = discretion.LogisticRegression(epsilon=2.0, schema=SCHEMA, classes=("no", "yes"), random_state=3)
    named = model.fit(frame, columns["ill"]).coefficients_
    assert list(named) == ["(intercept)", "age", "dose", "site=north", "site=south", "site=west"]
    assert [named["(intercept)"], *list(named.values())[1:]] == [model.intercept_[0], *model.coef_[0]]


def test_a_density(columns, tmp_path):
    frame = pandas.DataFrame({name: columns[name] for name in SCHEMA})
    density = discretion.HistogramDensity(epsilon=2.0, schema=SCHEMA, columns=["age", "site"], bins=4, random_state=3)
    density.fit(frame).save(tmp_path / "density.json")
    again = discretion.load(tmp_path / "density.json")
    assert np.array_equal(again.probabilities_, density.probabilities_) and again.density_ == density.density_
    assert np.array_equal(again.score_samples(frame), density.score_samples(frame))
    assert again.sample(5, random_state=1).equals(density.sample(5, random_state=1))
    ages = discretion.HistogramDensity(epsilon=2.0, bounds=(17, 90), bins=4, random_state=3).fit(columns["age"][:, None])
    ages.save(tmp_path / "ages.json")
    again = discretion.load(tmp_path / "ages.json")
    assert np.array_equal(again.score_samples(columns["age"][:, None]), ages.score_samples(columns["age"][:, None]))


@command_line.needs_it
def test_what_the_command_line_wrote(study, columns, tmp_path):
    command_line.run("fit", study, "--seed", 4, "--out", tmp_path / "out", folder=tmp_path)
    (written,) = (tmp_path / "out").glob("*.json")
    loaded = discretion.load(written)
    here = discretion.LogisticRegression(epsilon=1.0, lam=0.01, schema=study, random_state=4)
    frame = pandas.DataFrame(columns)
    assert here.fit(frame).predict(frame).tolist() == loaded.predict(frame.drop(columns="ill")).tolist()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("not json", "no file of discretion"),
        ("[]", "neither a model.json nor a density.json"),
        ('{"format": "discretion-model/9"}', "model"),
        ('{"format": "discretion-density/1"}', "density"),
    ],
)
def test_other_files_are_refused(text, sentence, tmp_path):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(discretion.InputError, match=sentence) as caught:
        discretion.load(tmp_path / "x.json")
    assert "x.json" in str(caught.value)
    with pytest.raises(discretion.InputError, match="cannot be read"):
        discretion.load(tmp_path / "none.json")


def test_the_version_is_the_package_s():
    from importlib.metadata import version

    assert discretion.__version__ == version("discretion")


def test_a_model_of_several_classes(columns, tmp_path):
    frame = pandas.DataFrame({name: columns[name] for name in SCHEMA})
    X = frame[["age", "dose"]].to_numpy()
    wards = np.array(["east", "mid", "west"])[np.digitize(X[:, 0], [40, 65])]
    for classes, y in ((("east", "mid", "west"), wards), ((3, 1, 2), np.digitize(X[:, 0], [40, 65]) + 1)):
        model = discretion.LogisticRegression(epsilon=9.0, bounds=((17, 0), (90, 30)), classes=classes, random_state=0)
        model.fit(X, y).save(tmp_path / "model.json", overwrite=True)
        again = discretion.load(tmp_path / "model.json")
        assert again.classes_.tolist() == list(classes) and again.coefficients_ == model.coefficients_
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
        assert np.array_equal(again.predict(X), model.predict(X)) and "softmax" in str(again.summary())


STUDY_OF_CLASSES = """
[data]
path = "table.csv"
account = "tests"
{target}
[budget]
epsilon = 10.0
[spend]
epsilon = 9.0
[columns]
age = {{ min = 17, max = 90 }}
"""


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ('target = "dose"\npositive = { above = 6 }', ["at most 6", "above 6"]),
        ('target = "dose"\npositive = { above = 6 }\nlabel = "much"', ["at most 6", "much"]),
        ('target = "site"\nclasses = ["west", "south", "north"]', ["west", "south", "north"]),
    ],
)
def test_a_study_of_a_threshold_or_of_classes(target, names, columns, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY_OF_CLASSES.format(target=target))
    model = discretion.LogisticRegression(epsilon=9.0, schema=tmp_path / "study.toml", random_state=0)
    frame = pandas.DataFrame({name: columns[name] for name in ("age", "dose" if "dose" in target else "site")})
    assert model.fit(frame).classes_.tolist() == names
    model.save(tmp_path / "model.json")
    again = discretion.load(tmp_path / "model.json")
    assert again.classes_.tolist() == names
    assert again.predict(frame).tolist() == model.predict(frame).tolist() and set(again.predict(frame)) <= set(names)
