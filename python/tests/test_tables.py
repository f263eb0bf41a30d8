"""Dates, codes, whole numbers and missing texts in frames, and tables that pandas reads for us."""

import datetime
import json

import numpy as np
import pytest

import discretion

pandas = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat")

ROWS = 3000


def stays():
    i = np.arange(ROWS)
    return pandas.DataFrame(
        {
            "admitted": pandas.Timestamp("2020-01-01") + pandas.to_timedelta(i % 366, unit="D"),
            "diag": np.array(["250.01", "428.0", "V57", "?"])[i % 4],
            "sex": 1 + i % 2,
            "days": (i % 31).astype(float),
        }
    ), (i % 4 == 1).astype(int)


SCHEMA = {
    "admitted": {"kind": "date", "min": "2020-01-01", "max": "2020-12-31", "parts": ["month"]},
    "diag": {"groups": {"diabetes": ["250*"], "circulatory": ["390..459"]}},
    "sex": {"values": [1, 2], "labels": {1: "male", 2: "female"}},
    "days": {"min": 0, "max": 30, "integer": True},
}


def test_declared_as_in_a_study_file(tmp_path):
    X, y = stays()
    schema = discretion.Schema(SCHEMA, na=["?"])
    model = discretion.LogisticRegression(epsilon=50.0, schema=schema, classes=(0, 1), random_state=1).fit(X, y)
    names = [coefficient["name"] for coefficient in model.model_["coefficients"]]
    assert "admitted" in names and "admitted month=March" in names
    assert "diag=circulatory" in names and "sex=female" in names
    assert model.n_features_in_ == 4
    # Bounds may be dates of Python; the column is one of dates all the same.
    ends = {"min": datetime.date(2020, 1, 1), "max": datetime.date(2020, 12, 31)}
    dated = discretion.Schema({**SCHEMA, "admitted": {**SCHEMA["admitted"], **ends}}, na=["?"])
    assert dated == schema and dated._dates == frozenset()
    # Texts of dates are read as dates are, and a model that was saved reads both.
    texts = X.assign(admitted=X["admitted"].dt.strftime("%Y-%m-%d"))
    np.testing.assert_array_equal(model.decision_function(X), model.decision_function(texts))
    model.save(tmp_path / "model.json")
    again = discretion.load(tmp_path / "model.json")
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))

    # The same study from a file.
    study = tmp_path / "study.toml"
    study.write_text(
        """
        [data]
        path = "t.csv"
        account = "t"
        target = "y"
        positive = 1
        negative = 0
        na = "?"
        format = { delimiter = ";" }
        [budget]
        epsilon = 1
        [spend]
        epsilon = 1
        [columns]
        admitted = { kind = "date", min = "2020-01-01", max = "2020-12-31", parts = ["month"] }
        diag = { groups = { diabetes = ["250*"], circulatory = ["390..459"] } }
        sex = { values = [1, 2], labels = { "1" = "male", "2" = "female" } }
        days = { min = 0, max = 30, integer = true }
        """
    )
    read = discretion.Schema.from_study(study)
    declared = [dict(column) for column in schema._declared]
    # What is left out in Python is written out by the program.
    declared[-1]["kind"] = {"number": {"scale": "linear"} | declared[-1]["kind"]["number"]}
    assert read._declared == declared
    assert json.loads(read._json())["format"] == {"delimiter": ";"}


def test_what_cannot_be_is_refused():
    for columns, words in [
        ({"a": {"kind": "date"}}, "give the range that it has"),
        ({"a": {"kind": "date", "min": "soon", "max": "2020-01-01"}}, "is no date"),
        ({"a": {"kind": "date", "parts": ["century"]}}, "century"),
        ({"a": {"kind": "date", "min": "2020-01-01", "max": "2021-01-01", "scale": "log"}}, "scale"),
        ({"a": {"kind": "clock", "min": 0, "max": 1}}, "kind is"),
        ({"a": {"groups": ["x"]}}, "groups is a dict"),
    ]:
        with pytest.raises((discretion.InputError, discretion.InputTypeError), match=words):
            discretion.Schema(columns)


def test_samples_are_whole_numbers_and_dates():
    X, _ = stays()
    density = discretion.HistogramDensity(epsilon=20.0, schema=SCHEMA, columns=["days", "admitted", "sex"], bins=16)
    density.set_params(random_state=1).fit(X)
    assert density.cells_[0][0] == -0.5 and density.cells_[0][-1] == 30.5
    drawn = density.sample(500, random_state=2)
    assert (drawn["days"] == drawn["days"].round()).all() and drawn["days"].between(0, 30).all()
    dates = pandas.to_datetime(drawn["admitted"])
    assert dates.min() >= pandas.Timestamp("2020-01-01") and dates.max() <= pandas.Timestamp("2020-12-31")
    assert set(drawn["sex"]) <= {"1", "2", "other"}, "codes, as the table has them"
    assert np.isfinite(density.score_samples(X)).all()


def by_stata(table, path):
    table.to_stata(path, write_index=False)
    return pandas.read_stata(path, convert_categoricals=False)


def by_excel(table, path):
    table.to_excel(path, index=False)
    return pandas.read_excel(path, dtype={"diag": str})


def by_spss(table, path):
    pyreadstat.write_sav(table, path)
    return pandas.read_spss(path, convert_categoricals=False)


def by_sas(table, path):
    pyreadstat.write_xport(table, path)
    return pyreadstat.read_xport(path)[0]


@pytest.mark.parametrize("file, by", [("stays.dta", by_stata), ("stays.xlsx", by_excel), ("stays.sav", by_spss), ("stays.xpt", by_sas)])
def test_files_of_other_programs_through_python(file, by, tmp_path):
    """docs/tables.md says that these are tested with every change."""
    X, y = stays()
    table = X.assign(readmitted=y, days=X["days"].where(X["days"] != 7, -9)).head(600)
    read = by(table, tmp_path / file)
    schema = discretion.Schema({**SCHEMA, "days": {"min": 0, "max": 30, "integer": True, "missing": 0, "na": [-9]}})
    fit = discretion.LogisticRegression(epsilon=50.0, schema=schema, classes=(0, 1), random_state=1)
    found = fit.fit(read.drop(columns=["readmitted"]), read["readmitted"].astype(int)).coef_
    direct = fit.fit(table.drop(columns=["readmitted"]), table["readmitted"]).coef_
    np.testing.assert_array_equal(found, direct)
