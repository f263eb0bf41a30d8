"""Columns of dates: bounds are dates, and what is published is in days since 1970."""

import datetime

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import discretion

rng = np.random.default_rng(0)
DAYS = rng.integers(0, 730, 3000)
ADMITTED = np.datetime64("2024-01-01") + DAYS.astype("timedelta64[D]")
y = (DAYS + rng.normal(0, 100, 3000) > 365).astype(int)
START, END = datetime.date(2024, 1, 1), datetime.date(2025, 12, 31)
FRAME = pandas.DataFrame({"admitted": ADMITTED})
SAME = {
    "pandas": FRAME,
    "nanoseconds": FRAME.astype("datetime64[ns]"),
    "zoned": pandas.DataFrame({"admitted": FRAME["admitted"].dt.tz_localize("UTC").dt.tz_convert("Europe/Vienna")}),
    "objects": pandas.DataFrame({"admitted": FRAME["admitted"].dt.date}),
    "polars": polars.DataFrame({"admitted": ADMITTED}),
    "polars dates": polars.DataFrame({"admitted": ADMITTED}).with_columns(polars.col("admitted").cast(polars.Date)),
    "pyarrow": pyarrow.table({"admitted": pyarrow.array(ADMITTED)}),
    "pyarrow seconds": pyarrow.table({"admitted": pyarrow.array(ADMITTED.astype("datetime64[s]"))}),
}
BOUNDS = {
    "dates": (START, END),
    "moments": (datetime.datetime(2024, 1, 1), datetime.datetime(2025, 12, 31)),
    "numpy": (np.datetime64("2024-01-01"), np.datetime64("2025-12-31")),
    "pandas": (pandas.Timestamp("2024-01-01", tz="UTC"), pandas.Timestamp("2025-12-31", tz="UTC")),
    "as in a study": {"min": START, "max": END},
}


def linear(bounds=BOUNDS["dates"]):
    return discretion.LogisticRegression(epsilon=4.0, schema={"admitted": bounds}, random_state=0)


@pytest.fixture(scope="module")
def expected():
    numbers = pandas.DataFrame({"admitted": ADMITTED.astype("datetime64[D]").astype(float)})
    return linear((19723.0, 20453.0)).fit(numbers, y)


@pytest.mark.parametrize("frame", SAME.values(), ids=SAME)
def test_dates_are_days(frame, expected):
    model = linear().fit(frame, y)
    assert model.coefficients_ == expected.coefficients_ and model.score(frame, y) > 0.7
    density = discretion.HistogramDensity(epsilon=4.0, schema={"admitted": (START, END)}, bins=2, random_state=0).fit(frame)
    assert density.cells_[0].tolist() == [19723.0, 20088.0, 20453.0] and len(density.score_samples(frame)) == 3000


@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
def test_bounds_of_every_kind(bounds, expected):
    assert linear(bounds).fit(FRAME, y).coefficients_ == expected.coefficients_


def test_dates_that_are_missing_or_not_declared_are_refused():
    missing = FRAME.copy()
    missing.loc[5, "admitted"] = pandas.NaT
    with pytest.raises(discretion.InputError, match="admitted"):
        linear().fit(missing, y)
    with pytest.raises(discretion.InputError, match="`admitted` has the type"):
        linear((0, 30000)).fit(FRAME, y)
    with pytest.raises(discretion.InputTypeError, match="declared as"):
        discretion.Schema({"admitted": (START, 5)})
