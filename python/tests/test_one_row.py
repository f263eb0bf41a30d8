"""What a row holds decides how that row is read, and nothing about any other one."""

import datetime
import decimal

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import discretion

ROWS = 3000
rng = np.random.default_rng(0)
DAYS = rng.integers(0, 730, ROWS)
y = (DAYS + rng.normal(0, 100, ROWS) > 365).astype(int)
START, END = datetime.date(2024, 1, 1), datetime.date(2025, 12, 31)
DATES = [START + datetime.timedelta(days=int(day)) for day in DAYS]
UTC, EAST = datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=14))


def linear(schema, **more):
    return discretion.LogisticRegression(**{"epsilon": 4.0, "schema": schema, "random_state": 0, "accept_check": True} | more)


def column(values):
    """A column of pandas that holds objects."""
    objects = np.empty(len(values), dtype=object)
    objects[:] = list(values)
    return pandas.DataFrame({"c": pandas.Series(objects, dtype=object)})


def moved(schema, values, changed, model=None):
    """The rows that a model scores differently after the first value was changed. The model was fitted on neither."""
    model = model or linear(schema).fit(column([START] * ROWS), y)
    one = model.decision_function(column(values))
    other = model.decision_function(column([changed, *values[1:]]))
    return np.flatnonzero(one != other).tolist()


BOUNDS = {"c": (START, END)}
OTHERS = {
    "a moment": datetime.datetime(2024, 6, 1, 12, 30),
    "a moment in a zone": datetime.datetime(2024, 6, 1, 12, 30, tzinfo=EAST),
    "a text": "2024-06-01",
    "a text with a time": "2024-06-01 12:30:00.5+02:00",
    "of pandas": pandas.Timestamp("2024-06-01"),
    "of pandas in a zone": pandas.Timestamp("2024-06-01 03:00", tz="Europe/Vienna"),
    "of numpy": np.datetime64("2024-06-01T03:00"),
    "a period": pandas.Period("2024-06", "M"),
    "beyond nanoseconds": datetime.date(9999, 12, 31),
}
KINDS = {"dates": DATES, "texts": [str(day) for day in DATES], "in a zone": [datetime.datetime(2024, 3, 1, 1, tzinfo=UTC)] * ROWS}


@pytest.mark.parametrize("values", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_one_date_changes_one_row(values, other):
    assert moved(BOUNDS, values, other) in ([], [0])
    # A column that is declared to be one of dates reads the clock.
    dated = {"c": {"kind": "date", "min": START, "max": END, "missing": START}}
    assert moved(dated, values, other, linear(dated).fit(column([START] * ROWS), y)) in ([], [0])


@pytest.mark.parametrize("first", ["13.04.2024", "03.04.2024", "04/13/2024", "1 April 2024", "2024-04-31", "2024-4-1", "20240401", "now"])
def test_a_format_is_iso_or_declared_and_never_inferred(first):
    texts = [day.strftime("%d.%m.%Y") for day in DATES]
    for values in ([first, *texts[1:]], [first, *map(str, DATES[1:])]):
        with pytest.raises(discretion.Error, match=r"column 'c'.*ISO 8601") as caught:
            linear(BOUNDS).fit(column(values), y)
        assert first not in str(caught.value)
    declared = {"c": {"kind": "date", "min": START, "max": END, "format": "%d.%m.%Y"}}
    assert moved(declared, texts, "12.12.2024", linear(declared).fit(column(texts), y)) == [0]


def test_texts_in_columns_of_texts_are_dates_too():
    expected = linear(BOUNDS).fit(column(DATES), y)
    texts = column([str(day) for day in DATES])
    for frame in (texts, texts.astype("string"), texts.astype("category"), column(DATES).astype("category")):
        assert np.array_equal(linear(BOUNDS).fit(frame, y).coef_, expected.coef_)
        assert np.array_equal(expected.decision_function(frame), expected.decision_function(column(DATES)))


CODES = ["a", "1", "0.5", "true"]
SPELLED = {"1": [1, 1.0, np.int8(1), decimal.Decimal("1.00"), "1.0"], "0.5": [0.5, np.float64(0.5), decimal.Decimal("0.50")], "true": [True, np.True_, "TRUE"]}


def test_a_column_of_anything_is_compared_value_by_value():
    schema, values = {"c": CODES}, rng.choice(CODES, ROWS).tolist()
    model = linear(schema).fit(column(values), y)
    as_texts = model.decision_function(column(values))
    for code, spellings in SPELLED.items():
        for spelled in spellings:
            mixed = [spelled if value == code else value for value in values]
            assert np.array_equal(model.decision_function(column(mixed)), as_texts), repr(spelled)
            assert np.array_equal(linear(schema).fit(column(mixed), y).coef_, model.coef_)
    for nothing in (None, np.nan, pandas.NA, pandas.NaT, ""):
        assert moved(schema, values, nothing, model) in ([], [0])


def test_numbers_of_any_kind_are_read_value_by_value():
    schema = {"c": {"min": 0, "max": 800, "missing": 0}}
    model = linear(schema).fit(column(DAYS.tolist()), y)
    expected = model.decision_function(pandas.DataFrame({"c": DAYS}))
    for kind in (float, np.int16, decimal.Decimal, lambda day: decimal.Decimal(f"{day}.000")):
        assert np.array_equal(model.decision_function(column([kind(int(day)) for day in DAYS])), expected)
    for other in (True, 0.5, decimal.Decimal("1e-30"), 2**80, None, pandas.NA):
        assert moved(schema, DAYS.tolist(), other, model) in ([], [0])
    for wrong in ("7", datetime.date(2024, 1, 1), datetime.timedelta(7), [7], 7j):
        with pytest.raises(discretion.InputTypeError, match="row 1 of the column 'c'.*values of one type"):
            model.decision_function(column([wrong, *DAYS[1:].tolist()]))


def test_a_column_that_is_not_used_may_hold_anything():
    frame = column(DATES).assign(other=pandas.Series([{1}, "x", 3] * (ROWS // 3), dtype=object))
    model = linear(BOUNDS | {"other": {"drop": True}}).fit(frame, y)
    assert np.array_equal(model.coef_, linear(BOUNDS).fit(column(DATES), y).coef_)
    assert np.array_equal(model.decision_function(frame), model.decision_function(column(DATES)))


# Codes.

BIG = 2**53
CODED = {"c": [str(BIG), str(BIG + 1), str(BIG + 2)]}
WHOLE = np.array([BIG, BIG + 1, BIG + 2])[np.arange(ROWS) % 3]
INEXACT = {
    "one is missing": pandas.DataFrame({"c": [None, *WHOLE[1:]]}),
    "pandas": pandas.DataFrame({"c": WHOLE.astype(float)}),
    "categories": pandas.DataFrame({"c": WHOLE.astype(float)}).astype("category"),
    "objects": column([0.5, *WHOLE[1:].astype(float).tolist()]),
    "float32": pandas.DataFrame({"c": np.full(ROWS, 2**24, dtype=np.float32)}),
    "polars": polars.DataFrame({"c": WHOLE.astype(float)}),
    "pyarrow": pyarrow.table({"c": WHOLE.astype(float)}),
    "dictionary": pyarrow.table({"c": pyarrow.array(WHOLE.astype(float)).dictionary_encode()}),
    "negative": pandas.DataFrame({"c": -WHOLE.astype(float)}),
}
EXACT = {
    "whole": pandas.DataFrame({"c": WHOLE}),
    "nullable": pandas.DataFrame({"c": pandas.array([None, *WHOLE[1:]], dtype="Int64")}),
    "texts": pandas.DataFrame({"c": WHOLE.astype(str)}),
    "objects": column([None, *WHOLE[1:].tolist()]),
    "polars": polars.DataFrame({"c": WHOLE}),
}


@pytest.mark.parametrize("frame", INEXACT.values(), ids=INEXACT)
def test_codes_that_floating_point_numbers_cannot_tell_apart_are_refused(frame):
    model = linear(CODED).fit(EXACT["whole"], y)
    for work in (lambda: linear(CODED).fit(frame, y), lambda: model.predict(frame)):
        with pytest.raises(discretion.InputError, match="`c`|'c'") as caught:
            work()
        assert "whole numbers are the same one" in str(caught.value) and '"string" or "Int64"' in str(caught.value)
        assert "9007199254740" not in str(caught.value).replace(str(BIG), "")
    with pytest.raises(discretion.InputError, match="whole numbers are the same one"):
        discretion.HistogramDensity(epsilon=1.0, schema=CODED, random_state=0, accept_check=True).fit(frame)


@pytest.mark.parametrize("frame", EXACT.values(), ids=EXACT)
def test_codes_that_are_whole_or_texts_are_told_apart(frame):
    model = linear(CODED).fit(EXACT["texts"], y)
    scores = model.decision_function(frame)
    assert np.array_equal(scores[1:], model.decision_function(EXACT["texts"])[1:]) and len(set(scores[1:].tolist())) == 3
    small = pandas.DataFrame({"c": [None, *(np.arange(1, ROWS) % 3)]})
    assert small["c"].dtype.kind == "f"
    linear({"c": ["0", "1", "2"]}).fit(small, y)


def test_labels_and_declarations_too():
    with pytest.raises(discretion.InputError, match="y has a floating-point number"):
        linear(BOUNDS, classes=(BIG, BIG + 1)).fit(column(DATES), np.where(y, float(BIG), float(BIG + 1)))
    with pytest.raises(discretion.InputError, match="column 'c' declares a floating-point number"):
        discretion.Schema({"c": {"values": [float(BIG), 1.0]}})
    linear(BOUNDS, classes=(BIG, BIG + 1)).fit(column(DATES), np.where(y, BIG, BIG + 1))


# Periods, and other types whose numbers stand for something else.

MONTHS = pandas.PeriodIndex(pandas.to_datetime(DATES), freq="M")
FIRST_DAYS = pandas.DataFrame({"c": MONTHS.to_timestamp()})
PERIODS = {
    "pandas": pandas.DataFrame({"c": MONTHS}),
    "categories": pandas.DataFrame({"c": pandas.Categorical(MONTHS)}),
    "objects": column(MONTHS.to_list()),
}


@pytest.mark.parametrize("frame", PERIODS.values(), ids=PERIODS)
def test_periods_are_the_days_on_which_they_begin(frame):
    expected = linear(BOUNDS).fit(FIRST_DAYS, y)
    assert np.array_equal(linear(BOUNDS).fit(frame, y).coef_, expected.coef_)
    assert np.array_equal(expected.decision_function(frame), expected.decision_function(FIRST_DAYS))
    declared = {"c": {"kind": "date", "min": START, "max": END}}
    expected = linear(declared).fit(FIRST_DAYS, y)
    assert np.array_equal(linear(declared).fit(frame, y).coef_, expected.coef_)
    assert np.array_equal(expected.decision_function(frame), expected.decision_function(FIRST_DAYS))
    by_month = discretion.HistogramDensity(epsilon=4.0, schema=BOUNDS, bins=2, random_state=0)
    assert np.array_equal(by_month.fit(frame).probabilities_, by_month.fit(FIRST_DAYS).probabilities_)


@pytest.mark.parametrize("frame", PERIODS.values(), ids=PERIODS)
def test_periods_are_no_numbers_and_have_texts(frame):
    numbers = pandas.DataFrame({"c": DAYS})
    model = linear({"c": (0, 800)}).fit(numbers, y)
    for work in (lambda: linear({"c": (0, 800)}).fit(frame, y), lambda: model.predict(frame)):
        with pytest.raises(discretion.InputTypeError, match="'c'"):
            work()
    months = sorted({str(month) for month in MONTHS})
    coded = linear({"c": months}).fit(frame, y)
    assert np.array_equal(coded.coef_, linear({"c": months}).fit(column([str(month) for month in MONTHS]), y).coef_)


def test_periods_of_arrow_are_refused():
    table = pyarrow.Table.from_pandas(PERIODS["pandas"], preserve_index=False)
    model = linear({"c": (0, 800)}).fit(pandas.DataFrame({"c": DAYS}), y)
    for work in (lambda: linear({"c": (0, 800)}).fit(table, y), lambda: model.predict(table), lambda: linear({"c": ["1"]}).fit(table, y)):
        with pytest.raises(discretion.InputError, match=r"`c` has the type pandas.period"):
            work()


def test_a_length_of_time_is_no_date():
    model = linear(BOUNDS).fit(column(DATES), y)
    spans = pandas.to_timedelta(DAYS, unit="D")
    for frame in (
        pandas.DataFrame({"c": spans}),
        polars.DataFrame({"c": spans.to_numpy()}),
        pyarrow.table({"c": pyarrow.array(spans.to_numpy())}),
        column(spans.to_pytimedelta()),
        polars.DataFrame({"c": [datetime.time(1)] * ROWS}),
    ):
        for work in (lambda frame=frame: linear(BOUNDS).fit(frame, y), lambda frame=frame: model.predict(frame)):
            with pytest.raises(discretion.Error, match="`c` has the type|column 'c'"):
                work()
