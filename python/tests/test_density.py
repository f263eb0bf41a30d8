"""Densities: the command line's file, what is read from it, and what is refused."""

import csv
import json
import pickle
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from command_line import needs_it, run, run_json
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import discretion

rng = np.random.default_rng(0)
X = np.column_stack([rng.beta(2, 5, 4000), rng.uniform(0, 1, 4000)])
SCHEMA = {"age": (17, 90), "dose": {"min": 0, "max": 30, "scale": "log"}, "site": ["north", "south"]}


def seeded(**more):
    return discretion.HistogramDensity(**{"epsilon": 2.0, "bounds": (0, 1), "random_state": 0} | more)


LOG_DOSE = 'dose = { min = 0, max = 30, scale = "log" }'


@needs_it
@pytest.mark.parametrize(
    ("names", "bins"), [(["age"], None), (["dose", "site"], [4, 8]), (["ill", "age", "dose"], 5), (["site"], None)]
)
def test_the_file_and_what_is_drawn_from_it_are_the_command_line_s(study, columns, tmp_path, names, bins):
    study.write_text(study.read_text().replace("dose = { min = 0, max = 30 }", LOG_DOSE))
    words = [word for name in names for word in ("--column", name)]
    words += [] if bins is None else ["--bins", ",".join(map(str, np.atleast_1d(bins)))]
    theirs = run_json("density", study, *words, "--seed", 7, "--out", "out", folder=tmp_path)
    model = discretion.HistogramDensity(epsilon=1.0, schema=study, columns=names, bins=bins, random_state=7)
    model.fit(pandas.DataFrame(columns))
    assert model.density_ == theirs
    model.save(tmp_path / "ours.json")
    file = tmp_path / "out" / "seeded-density.json"
    assert (tmp_path / "ours.json").read_bytes() == file.read_bytes()

    run("sample", file, "--rows", 500, "--seed", 3, "--out", "rows.csv", folder=tmp_path)
    header, *rows = csv.reader((tmp_path / "rows.csv").read_text().splitlines())
    drawn = model.sample(500, random_state=3)
    assert list(drawn.columns) == names and header == [*names, "NOT PRIVATE"]
    for name, fields in zip(names, list(zip(*rows, strict=True))[:-1], strict=True):
        numeric = drawn[name].dtype.kind == "f"
        assert drawn[name].tolist() == [float(field) if numeric else field for field in fields]


@needs_it
def test_the_summary_is_the_command_line_s(study, columns, tmp_path):
    words = ["density", study, "--column", "age", "--column", "site", "--seed", 7, "--out", "out"]
    lines = run(*words, folder=tmp_path).splitlines()
    about = [line for line in lines if line.split(" ")[0] in ("density", "page", "picture")]
    model = discretion.HistogramDensity(epsilon=1.0, schema=study, columns=["age", "site"], random_state=7)
    summary = model.fit(pyarrow.table(columns)).summary()
    assert len(about) == 3 and summary.splitlines() == [line for line in lines if line not in about]


def test_every_kind_of_frame_gives_the_same_numbers(columns):
    frames = [pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)]
    frames.append(pandas.DataFrame(columns).astype({"site": "category"}))
    model = discretion.HistogramDensity(epsilon=1.0, schema=SCHEMA, bins=4, random_state=3)
    files = [model.fit(frame).density_ for frame in frames]
    assert all(file == files[0] for file in files)
    scores = [model.score_samples(frame) for frame in frames]
    assert all(np.array_equal(one, scores[0]) for one in scores)


def test_arrays_and_frames_give_the_same_numbers(columns):
    array = np.column_stack([columns["age"], columns["dose"]])
    from_array = seeded(bounds=([17, 0], [90, 30])).fit(array)
    frame = pandas.DataFrame({"x0": columns["age"], "x1": columns["dose"]})
    from_frame = seeded(bounds=None, schema={"x0": (17, 90), "x1": (0, 30)}).fit(frame)
    assert from_array.density_ == from_frame.density_
    assert from_array.density_ == seeded(bounds=([17, 0], [90, 30])).fit(np.asfortranarray(array)).density_
    assert np.array_equal(from_array.score_samples(array), from_frame.score_samples(frame))
    assert np.array_equal(from_array.sample(9, random_state=1), from_frame.sample(9, random_state=1).to_numpy())


def test_what_is_drawn_is_a_frame_of_the_same_library(columns):
    model = discretion.HistogramDensity(epsilon=1.0, schema=SCHEMA, columns=["site", "age"], bins=4, random_state=3)
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)):
        drawn = model.fit(frame).sample(100)
        assert type(drawn) is type(frame) and drawn.shape == (100, 2)
    assert set(drawn["site"].to_pylist()) <= {"north", "south", "other"}


def test_cells_and_probabilities():
    model = seeded(bins=[2, 8]).fit(X)
    assert model.bins_ in [(2, 2), (8, 8)] and model.probabilities_.shape == model.bins_
    assert abs(model.probabilities_.sum() - 1) < 1e-12
    assert np.array_equal(model.cells_[1], np.linspace(0, 1, model.bins_[1] + 1))
    assert np.allclose(model.marginal("x0"), model.probabilities_.sum(axis=1))
    assert np.allclose(model.marginal(1), model.probabilities_.sum(axis=0))
    assert not model.private_
    truth = np.histogram2d(*X.T, bins=model.bins_, range=[[0, 1], [0, 1]])[0] / len(X)
    # Noise of scale 4/ε at most on counts of 4,000 rows: a cell that is off by more than 50 rows is none of e^-25.
    assert abs(model.probabilities_ - truth).max() < 50 / 4000


def test_log_densities_add_up_to_one(columns):
    model = discretion.HistogramDensity(epsilon=1.0, schema=SCHEMA, columns=["dose", "site"], bins=4, random_state=3)
    model.fit(pandas.DataFrame(columns))
    # The middle of many small steps, per unit of dose: also where bins are of equal width in its logarithm.
    steps = np.linspace(0, 30, 30_001)
    middle = (steps[1:] + steps[:-1]) / 2
    total = 0.0
    for site in ("north", "south", "elsewhere"):
        frame = pandas.DataFrame({"dose": middle, "site": site})
        total += np.exp(model.score_samples(frame)).mean() * 30
    assert abs(total - 1) < 1e-3
    in_first = pandas.DataFrame({"dose": [0.0], "site": ["north"]})
    # At the lower end ln(1 + dose) is as wide as dose itself.
    first = model.probabilities_[0, 0] / (np.log(31) / 4)
    assert np.isclose(model.score_samples(in_first)[0], np.log(first))


def test_scores():
    model = seeded(bins=10).fit(X)
    scores = model.score_samples(X)
    cells = tuple(np.minimum((X * 10).astype(int), 9).T)
    assert np.allclose(scores, np.log(model.probabilities_[cells] * 100))
    assert np.isclose(model.score(X), scores.sum())
    # What is outside counts as on the bound, as in fit.
    assert np.array_equal(model.score_samples([[-5.0, 2.0]]), model.score_samples([[0.0, 1.0]]))


def test_drawn_rows_follow_the_density():
    model = seeded(bins=4).fit(X)
    drawn = model.sample(100_000, random_state=1)
    found = np.histogram2d(*drawn.T, bins=4, range=[[0, 1], [0, 1]])[0] / len(drawn)
    # Five standard deviations of a share are at most 5·√(0.25/100,000) = 0.008; 16 cells.
    assert abs(found - model.probabilities_).max() < 0.008
    assert np.array_equal(drawn, model.sample(100_000, random_state=1))
    assert not np.array_equal(model.sample(5), model.sample(5))


def test_clone_and_pickle():
    model = seeded(bins=4).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert again.density_ == model.density_ and np.array_equal(again.score_samples(X), model.score_samples(X))
    assert clone(model).get_params() == model.get_params()


def test_the_account_pays_and_then_refuses(tmp_path):
    ledger = discretion.Ledger(tmp_path / "ledger.sqlite")
    account = ledger.account("patients", epsilon=3.0)
    model = seeded(random_state=None, account=account).fit(X)
    entry = model.density_["ledger"]
    assert model.private_ and entry["account"] == "patients" and 1.9 < account.spent <= 2.0
    with pytest.raises(discretion.Refused, match="cannot pay"):
        clone(model).fit(X)
    # Other columns of a table are not another table, so nothing is said.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seeded(random_state=None, account=account, epsilon=0.5).fit(X[:, :1])
    model.save(tmp_path / "density.json")
    assert json.loads((tmp_path / "density.json").read_text()) == model.density_
    assert "density.json" in json.dumps(account.history())
    with pytest.raises(discretion.InputError, match="exists already"):
        model.save(tmp_path / "density.json")


def test_without_an_account_nobody_remembers():
    with pytest.warns(discretion.NotRemembered):
        model = seeded(random_state=None).fit(X)
    assert model.private_ and model.density_["ledger"] is None


def test_report_is_a_page(tmp_path):
    seeded().fit(X).report(tmp_path / "density.html")
    assert "NOT PRIVATE" in (tmp_path / "density.html").read_text()


def test_plots(columns):
    pytest.importorskip("matplotlib").use("Agg")
    frame = pandas.DataFrame(columns)
    model = discretion.HistogramDensity(epsilon=1.0, schema=SCHEMA, bins=4, random_state=3)
    one = clone(model).set_params(columns=["dose"]).fit(frame).plot()
    areas = sum(bar.get_width() * bar.get_height() for bar in one.patches)
    assert np.isclose(areas, 1) and one.get_xlabel() == "dose" and "NOT PRIVATE" in one.get_title()
    two = clone(model).set_params(columns=["site", "age"]).fit(frame)
    assert len(two.plot().collections[0].get_array().ravel()) == 3 * 4
    assert len(two.plot("site").patches) == 3
    with pytest.raises(discretion.InputError, match="column="):
        clone(model).fit(frame).plot()


@pytest.mark.parametrize(
    ("settings", "rows", "sentence", "also"),
    [
        ({"bounds": None}, X, "would reveal it", ValueError),
        ({"bounds": None, "schema": SCHEMA}, X, "pass bounds=", ValueError),
        ({"bounds": (1, 0)}, X, "x0", ValueError),
        ({"bounds": ([0], [1])}, X, "1 columns and X has 2", ValueError),
        ({"bounds": 1}, X, "pair", TypeError),
        ({"epsilon": None}, X, "missing", ValueError),
        ({"epsilon": "1"}, X, "is a number", TypeError),
        ({"epsilon": -1.0}, X, "epsilon", ValueError),
        ({"bins": 0}, X, "from 1 on", ValueError),
        ({"bins": 2.5}, X, "whole number", TypeError),
        ({"bins": "many"}, X, "whole number", TypeError),
        ({"bins": []}, X, "different ones", ValueError),
        ({"bins": [4, 4]}, X, "different ones", ValueError),
        ({"bins": 10_000}, X, "bins: .* cells", ValueError),
        ({"columns": ["x0"]}, X, "columns= chooses", ValueError),
        ({"random_state": -1}, X, "from 0 on", ValueError),
        ({"random_state": 2**64}, X, "at most", ValueError),
        ({}, np.where(X > 0.999, np.nan, X), "NaN", ValueError),
        ({}, X[:, 0], "2D", ValueError),
        ({}, X[:0], "0 sample", ValueError),
        ({}, np.full((3, 2), "a"), "could not convert", ValueError),
    ],
)
def test_bad_input_is_refused_with_advice(settings, rows, sentence, also):
    with pytest.raises(discretion.Error, match=sentence) as caught:
        seeded(**settings).fit(rows)
    assert isinstance(caught.value, also)


@pytest.mark.parametrize(
    ("schema", "names", "sentence"),
    [
        (SCHEMA, ["agee"], "no column `agee` is declared; did you mean `age`"),
        (SCHEMA, ["age", "age"], "named twice"),
        (SCHEMA, "age", "a list of names"),
        (SCHEMA | {"age": {"drop": True}}, ["age"], "dropped"),
        ({"weight": (0, 200)}, None, "`weight`"),
        ({"site": (0, 1)}, None, "`site`"),
        ({"age": (90, 17)}, None, "`age`"),
        ({"age": 3}, None, "write \\(min, max\\)"),
        (3, None, "schema is"),
    ],
)
def test_bad_schemas_are_refused_with_advice(columns, schema, names, sentence):
    model = discretion.HistogramDensity(epsilon=1.0, schema=schema, columns=names, random_state=0)
    with pytest.raises(discretion.Error, match=sentence):
        model.fit(pandas.DataFrame(columns))


def test_too_few_rows_are_refused_with_what_would_do():
    with pytest.raises(discretion.Refused, match="too few .* it takes at least .* nothing was charged"):
        seeded(epsilon=0.01, bins=100).fit(X)


def test_bad_questions_are_refused():
    model = seeded(bins=4)
    with pytest.raises(ValueError, match="not fitted"):
        model.score_samples(X)
    model.fit(X)
    with pytest.raises(discretion.InputError, match="features"):
        model.score_samples(X[:, :1])
    with pytest.raises(discretion.InputError, match="from 1 on"):
        model.sample(0)
    with pytest.raises(discretion.InputError, match="no column 'x7'"):
        model.marginal("x7")
    with pytest.raises(discretion.InputError, match="no column 2"):
        model.marginal(2)


ONE_ROW = {"check_fit2d_1sample": "one row does not stand out of any noise, and is refused"}


# Its checks come with few rows, so that only a large epsilon lets anything be counted. Some are all beyond these bounds.
@parametrize_with_checks(
    [seeded(epsilon=100.0, bounds=(-10, 10), bins=2, accept_check=True)], expected_failed_checks=lambda _: ONE_ROW
)
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)
