"""Whatever is passed by mistake, no exception, warning or repr shows what rows hold: they end up in logs and notebooks."""

import traceback
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.dataset
import pytest
from sklearn.naive_bayes import GaussianNB

import discretion

ROWS = 60
# A text and a number that are in every row.
SECRET, NUMBER = "Mrs Secret", 4711.25
FRAME = pandas.DataFrame({"name": [SECRET] * ROWS, "income": [NUMBER] * ROWS, "age": np.arange(ROWS) + 20})
TABLES = {
    "frame": FRAME,
    "one row": FRAME.head(1),
    "series": FRAME["name"],
    "objects": FRAME.to_numpy(),
    "array": FRAME[["income"]].to_numpy(),
    "polars": polars.from_pandas(FRAME),
    "arrow": pyarrow.Table.from_pandas(FRAME),
    "list": FRAME.values.tolist(),
    "row": FRAME.iloc[0].tolist(),
    "tuple": tuple(FRAME.iloc[0]),
    "dict": FRAME.to_dict(),
    "records": FRAME.to_dict("records"),
}
y = np.arange(ROWS) % 2
SCHEMA = {"name": ["a", "b"], "income": (0, 1e4), "age": (18, 90)}


def said(error):
    """All that is told of an exception, also of those that it came from."""
    texts, seen = [], set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        # Not the lines of code, which are the caller's own.
        texts += [repr(error), str(error), *traceback.format_exception_only(error)]
        texts += [repr(error.__context__), repr(error.__cause__)]
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def shows(text):
    return SECRET in text or "Secret" in text or "4711" in text


def linear(**more):
    return discretion.LogisticRegression(**{"epsilon": 1.0, "schema": SCHEMA, "random_state": 0} | more)


ONCE_FITTED = {}


def fitted():
    if not ONCE_FITTED:
        numbers = FRAME.assign(name=["a", "b"] * (ROWS // 2))
        ONCE_FITTED["model"] = linear(accept_check=True).fit(numbers, y)
    return ONCE_FITTED["model"]


CALLS = {
    "Schema": lambda held: discretion.Schema(held),
    "Schema of a column": lambda held: discretion.Schema({"age": held}),
    "Schema by words": lambda held: discretion.Schema({"age": {"min": held, "max": 9}}),
    "Schema of values": lambda held: discretion.Schema({"age": {"values": [1, 2], "groups": held}}),
    "na": lambda held: discretion.Schema({"age": (1, 9)}, na=held),
    "norm": lambda held: discretion.Schema({"age": (1, 9)}, norm=held),
    "person": lambda held: discretion.Schema({"age": (1, 9)}, person=held),
    "where": lambda held: discretion.Schema({"age": (1, 9)}, where=held),
    "where of a column": lambda held: discretion.Schema({"age": (1, 9)}, where={"age": {"min": held}}),
    "missing_outcome": lambda held: discretion.Schema({"age": (1, 9)}, missing_outcome=held),
    "study": lambda held: discretion.Schema.from_study(held),
    "plan": lambda held: discretion.plan(held, coefficients=3, epsilon=1.0),
    "plan by keyword": lambda held: discretion.plan(rows=10, coefficients=held, epsilon=1.0),
    "plan of a schema": lambda held: discretion.plan(rows=10, schema=held, epsilon=1.0),
    "plan of a study": lambda held: discretion.plan(rows=10, study=held),
    "plan of an account": lambda held: discretion.plan(rows=10, coefficients=3, account=held),
    "plan_vote": lambda held: discretion.plan_vote(epsilon=1, delta=1e-6, queries=held),
    "rows of plan": lambda held: linear().plan(held),
    "account": lambda held: discretion.account(held, epsilon=1),
    "cap": lambda held: discretion.account("a", epsilon=held, ledger=discretion.Ledger.in_memory()),
    "load": lambda held: discretion.load(held),
    "X": lambda held: linear().fit(held, y),
    "y": lambda held: linear().fit(FRAME, held),
    "persons": lambda held: linear().fit(FRAME, y, person=held),
    "weights": lambda held: linear(max_weight=1.0).fit(FRAME, y, sample_weight=held),
    "X of bounds": lambda held: linear(schema=None, bounds=(0, 1)).fit(held, y),
    "density": lambda held: discretion.HistogramDensity(epsilon=1.0, schema=SCHEMA, random_state=0).fit(held),
    "density of bounds": lambda held: discretion.HistogramDensity(epsilon=1.0, bounds=(0, 1), random_state=0).fit(held),
    "number": lambda held: discretion.LinearRegression(epsilon=1.0, schema=SCHEMA, y_bounds=(0, 1), random_state=0).fit(FRAME, held),
    "vote": lambda held: discretion.PrivateVoting(GaussianNB(), epsilon=1.0, delta=1e-6, queries=5, random_state=0).fit(held, y),
    "points": lambda held: fitted().predict(held),
    "file": lambda held: fitted().save(held),
    "report": lambda held: fitted().report("/nowhere/x.html", file=held),
}
PARAMETERS = [name for name in discretion.LogisticRegression().get_params() if name != "random_state"]
for parameter in PARAMETERS:
    CALLS[f"parameter {parameter}"] = lambda held, name=parameter: linear(**{name: held}).fit(FRAME.assign(name="a"), y)
for parameter in ("classes", "queries", "schema", "weights", "chunks", "score_bins", "agreement", "estimator", "answer"):
    CALLS[f"vote's {parameter}"] = lambda held, name=parameter: discretion.PrivateVoting(
        **{"estimator": GaussianNB(), "epsilon": 1.0, "delta": 1e-6, "queries": 5, "random_state": 0, name: held}
    ).fit(FRAME[["age"]], y)


# A few labels or names are what these parameters take; they are declared and published.
PUBLIC = {(call, table) for call in ("parameter classes", "vote's classes") for table in ("row", "tuple")}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("call", CALLS)
def test_what_is_passed_by_mistake_is_not_shown(call, table):
    if (call, table) in PUBLIC:
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            CALLS[call](TABLES[table])
        except Exception as error:  # noqa: BLE001
            assert not shows(said(error))
    assert not any(shows(str(one.message)) for one in told)


FRAMES = {
    "text for a number": FRAME.assign(income=SECRET),
    "text among numbers": FRAME.assign(income=[SECRET, *[1.0] * (ROWS - 1)]),
    "number among texts": FRAME.assign(name=[NUMBER, *[SECRET] * (ROWS - 1)]),
    "infinite": FRAME.assign(income=np.inf),
    "lists": FRAME.assign(name=[[SECRET]] * ROWS),
    "bytes": FRAME.assign(name=[SECRET.encode() + b"\xff"] * ROWS),
    "polars objects": polars.from_pandas(FRAME).with_columns(polars.Series("income", [{SECRET}] * ROWS, dtype=polars.Object)),
    "arrow lists": pyarrow.table({**pyarrow.Table.from_pandas(FRAME).to_pydict(), "name": [[SECRET]] * ROWS}),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_frame_that_cannot_be_read_is_not_quoted(frame):
    dated = {**SCHEMA, "name": {"kind": "date", "min": "2020-01-01", "max": "2021-01-01"}}
    by_dates = {**SCHEMA, "name": (np.datetime64("2020-01-01"), np.datetime64("2021-01-01"))}
    for schema in (SCHEMA, dated, by_dates):
        for work in (
            lambda schema=schema: linear(schema=schema).fit(frame, y),
            lambda schema=schema: discretion.HistogramDensity(epsilon=1.0, schema=schema, columns=["name", "income"], random_state=0).fit(frame),
            lambda: fitted().predict(frame),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    work()
                except Exception as error:  # noqa: BLE001
                    assert isinstance(error, discretion.Error) and not shows(said(error))


def test_a_target_that_is_no_class_is_not_quoted(study, columns):
    frame = pandas.DataFrame(columns)
    frame.loc[7, "ill"] = SECRET
    with pytest.raises(discretion.InputError, match=r"row 8: the target `ill` has a value") as caught:
        discretion.LogisticRegression(epsilon=1.0, schema=study, random_state=0).fit(frame)
    assert not shows(said(caught.value))


def test_files_that_are_read_as_they_are_needed_are_not_quoted(tmp_path):
    (tmp_path / "table.csv").write_text("income\n" + "1\n" * 200_000 + SECRET + "\n")
    reading = pyarrow.csv.ReadOptions(block_size=4096)
    dataset = pyarrow.dataset.dataset(tmp_path / "table.csv", format=pyarrow.dataset.CsvFileFormat(read_options=reading))
    with pytest.raises(discretion.Error) as caught:
        linear(schema={"income": (0, 9)}).fit(dataset, np.zeros(200_001))
    assert not shows(said(caught.value))


def test_reprs_do_not_show_tables():
    for held in (FRAME, FRAME["name"], FRAME.to_numpy(), polars.from_pandas(FRAME), pyarrow.Table.from_pandas(FRAME)):
        for estimator in (linear(classes=held), discretion.PrivateVoting(GaussianNB(), queries=held), discretion.HistogramDensity(bins=held)):
            assert not shows(repr(estimator)) and type(held).__name__ in repr(estimator)
    assert repr(linear()).startswith("LogisticRegression(epsilon=1.0,")
    assert "array([1, 2])" in repr(linear(classes=np.array([1, 2])))
