"""Mistakes that once passed: they are errors before anything is charged."""

import numpy as np
import pandas
import pytest

import discretion
from discretion._values import usual

SCHEMA = {"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]}


def linear(**more):
    settings = {"epsilon": 1.0, "schema": SCHEMA, "classes": ("no", "yes"), "random_state": 1}
    return discretion.LogisticRegression(**settings | more)


@pytest.fixture
def frame(columns):
    return pandas.DataFrame(columns)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.assign(site="1"), "`site`: more than half of it is lost: 3,000 not declared"),
        (lambda frame: frame.assign(age=frame.age * 365), "`age`: more than half of it is lost: 3,000 above 90"),
        (lambda frame: frame.assign(ill="no"), "`ill`: no row is positive"),
    ],
)
def test_a_fit_stops_at_what_can_only_be_a_mistake(frame, change, words, tmp_path):
    wrong = change(frame)
    X, y = wrong.drop(columns="ill"), wrong["ill"]
    account = discretion.Ledger(tmp_path / "ledger.sqlite").account("mistakes", epsilon=5)
    with pytest.raises(discretion.InputError, match=words) as caught:
        linear(account=account, random_state=None).fit(X, y)
    assert "accept_check=True" in str(caught.value) and "NOT PRIVATE" in str(caught.value)
    assert account.spent == 0
    linear(accept_check=True).fit(X, y)
    linear().fit(frame.drop(columns="ill"), frame["ill"])


def test_arrays_and_densities_stop_too(frame):
    X, y = frame[["age", "dose"]].to_numpy(), (frame["ill"] == "yes").astype(int)
    narrow = discretion.LogisticRegression(epsilon=1.0, bounds=(0, 1), random_state=1)
    with pytest.raises(discretion.InputError, match="`x0`: more than half of it is lost"):
        narrow.fit(X, y)
    narrow.set_params(accept_check=True).fit(X, y)
    density = discretion.HistogramDensity(epsilon=1.0, schema={"site": ["1", "2"]}, random_state=1)
    with pytest.raises(discretion.InputError, match="`site`: more than half"):
        density.fit(frame)
    density.set_params(accept_check=True).fit(frame)
    with pytest.raises(discretion.InputError, match="`x0`: more than half"):
        discretion.HistogramDensity(epsilon=1.0, bounds=(0, 1), random_state=1).fit(X)


def test_a_vote_of_one_class_stops():
    from sklearn.tree import DecisionTreeClassifier

    X = np.random.default_rng(0).uniform(-1, 1, (3000, 2))
    voting = discretion.PrivateVoting(
        DecisionTreeClassifier(max_depth=1), epsilon=20.0, delta=1e-3, queries=5, unstable=1, random_state=0
    )
    with pytest.raises(discretion.InputError, match="no row is 1"):
        voting.fit(X, np.zeros(3000, dtype=int))
    voting.set_params(accept_check=True).fit(X, np.zeros(3000, dtype=int))


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["0", "1"], (0, 1)),
        (["0.0", "1.0"], (0, 1)),
        ([0.0, 1.0], (0, 1)),
        ([0, 1], ("0", "1.0")),
        (["False", "TRUE"], (False, True)),
        ([False, True], ("false", "True")),
        ([False, True], (0, 1)),
    ],
)
def test_labels_are_compared_by_value(frame, labels, classes):
    X = frame.drop(columns="ill")
    expected = linear().fit(X, frame["ill"])
    y = np.where(frame["ill"] == "yes", labels[1], labels[0])
    model = linear(classes=classes).fit(X, y)
    assert (model.coef_ == expected.coef_).all()


@pytest.mark.parametrize(
    ("labels", "classes"), [(["00", "01"], (0, 1)), (["no", "Yes"], ("no", "yes")), (["0", "1"], (False, True))]
)
def test_nothing_else_is_the_same(frame, labels, classes):
    y = np.where(frame["ill"] == "yes", labels[1], labels[0])
    with pytest.raises(discretion.InputError, match="other than the classes"):
        linear(classes=classes).fit(frame.drop(columns="ill"), y)


def test_classes_and_categories_in_two_spellings_are_refused(frame):
    X, y = frame.drop(columns="ill"), frame["ill"]
    with pytest.raises(discretion.InputError, match="different labels"):
        linear(classes=("1", "1.0")).fit(X, y)
    with pytest.raises(discretion.InputError, match='declares the value "1.0" twice'):
        linear(schema=SCHEMA | {"site": ["1", "1.0"]}).fit(X, y)


def test_a_study_names_its_classes(study, frame):
    text = study.read_text()
    for written, names in [
        ('positive = ["yes", "ja"]\nnegative = "no"', ["no", "yes or ja"]),
        ('positive = ["yes", "ja"]\nnegative = "any other"\nlabel = "ill"', ["not ill", "ill"]),
    ]:
        study.write_text(text.replace('positive = "yes"\nnegative = "no"', written))
        model = discretion.LogisticRegression(epsilon=1.0, schema=study, random_state=1).fit(frame)
        assert model.classes_.tolist() == names
    study.write_text(text.replace('negative = "no"\n', ""))
    with pytest.raises(discretion.InputError, match="any other"):
        discretion.LogisticRegression(epsilon=1.0, schema=study, random_state=1).fit(frame)


@pytest.mark.parametrize(
    ("value", "spelled"),
    [(1, "1"), (1.0, "1"), ("1.00", "1"), ("-0", "0"), ("0.50", "0.5"), ("10.0", "10"), (True, "true"), ("TRUE", "true")]
    + [(code, code) for code in ("01", "1e3", ".5", "+1", "Yes", "100")],
)
def test_the_usual_spelling(value, spelled):
    assert usual(value) == spelled
