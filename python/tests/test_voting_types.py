"""Models of a vote see types that no row decides: one row moves one vote."""

import datetime
import decimal

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import discretion

ROWS = 2000
rng = np.random.default_rng(0)
AGE = rng.integers(18, 90, ROWS)
SITE = rng.choice(["north", "south"], ROWS)
SEEN = (pandas.Timestamp("2024-01-01") + pandas.to_timedelta(rng.integers(0, 366, ROWS), unit="D")).to_numpy()
y = (AGE > 50).astype(int)
SCHEMA = {"age": (18, 90), "site": ["north", "south"], "seen": (datetime.date(2024, 1, 1), datetime.date(2024, 12, 31))}
FRAME = pandas.DataFrame({"age": AGE, "site": SITE, "seen": SEEN})


class Sees(ClassifierMixin, BaseEstimator):
    """Remembers all that a learner can see of its table beside its own values."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.seen_ = described(X)
        return self

    def predict(self, X):
        self.asked_ = described(X)
        return np.zeros(len(X), dtype=int)


def described(X):
    if isinstance(X, np.ndarray):
        return str(X.dtype), X.flags.c_contiguous
    if isinstance(X, pandas.DataFrame):
        listed = [repr(column.cat.categories) if hasattr(column, "cat") else None for _, column in X.items()]
        return [str(kind) for kind in X.dtypes], listed, repr(X.index[:3]), repr(X.columns), repr(X.attrs)
    if isinstance(X, polars.DataFrame):
        return repr(X.schema)
    listed = [column.combine_chunks().dictionary.to_pylist() if hasattr(column.type, "value_type") else None for column in X.columns]
    return repr(X.schema), listed


def voting(estimator=None, **settings):
    usual = {"epsilon": 10.0, "delta": 1e-6, "queries": 40, "unstable": 5, "random_state": 0, "rehearse": False}
    return discretion.PrivateVoting(estimator or Sees(), **usual | settings)


def seen(X, labels=y, **settings):
    return [model.seen_ for model in voting(**settings).fit(X, labels)._models]


def with_value(name, value, of=FRAME):
    """The table with another value in its first row, of whatever type its column then has."""
    values = of[name].astype(object).to_list()
    return of.assign(**{name: pandas.Series([value, *values[1:]]).infer_objects()})


NUMBERS = FRAME[["age"]]
ONE_ROW = {
    "missing": with_value("age", None, NUMBERS),
    "a fraction": with_value("age", 20.5, NUMBERS),
    "large": NUMBERS.astype("int8").astype("int64").replace({int(AGE[0]): 2**40}),
    "nullable": NUMBERS.astype("Int64"),
    "small": NUMBERS.astype("int8"),
    "float32": NUMBERS.astype("float32"),
    "arrow": NUMBERS.astype("int64[pyarrow]"),
    "sparse": NUMBERS.astype(pandas.SparseDtype("int64", 0)),
    "index": NUMBERS.set_index(pandas.Index(["x", *map(str, range(1, ROWS))], name="patient")),
    "filtered": pandas.concat([NUMBERS.head(1), NUMBERS]).iloc[1:],
    "attributes": NUMBERS.copy(),
}
ONE_ROW["attributes"].attrs["mean"] = float(AGE.mean())


@pytest.mark.parametrize("frame", ONE_ROW.values(), ids=ONE_ROW)
def test_numbers_have_one_type_whatever_one_row_holds(frame):
    assert seen(frame) == seen(NUMBERS)
    asked = voting().fit(NUMBERS, y)
    asked.predict(frame.iloc[:3])


def test_arrays_and_other_libraries_too():
    for kind in (np.int8, np.float32, object):
        assert seen(AGE.reshape(-1, 1).astype(kind)) == seen(AGE.reshape(-1, 1).astype(float))
    assert seen(np.array([[None], *AGE[1:].reshape(-1, 1).tolist()], dtype=object)) == seen(AGE.reshape(-1, 1))
    assert seen(np.asfortranarray(np.column_stack([AGE, AGE]))) == seen(np.column_stack([AGE, AGE]))
    for build in (polars.DataFrame, pyarrow.table):
        missing = build({"age": [None, *AGE[1:].tolist()]})
        assert seen(missing) == seen(build({"age": AGE})) == seen(build({"age": AGE.astype(float)}))
    with_notes = pyarrow.table({"age": AGE}).replace_schema_metadata({"mean": str(AGE.mean())})
    assert seen(with_notes) == seen(pyarrow.table({"age": AGE}))


def test_columns_of_anything_else_are_declared():
    for X in (
        FRAME[["site"]],
        FRAME[["site"]].astype("category"),
        FRAME[["seen"]],
        with_value("age", "x", NUMBERS),
        polars.from_pandas(FRAME[["site"]]),
        pyarrow.Table.from_pandas(FRAME[["seen"]]),
        FRAME[["site"]].to_numpy().astype(str),
    ):
        with pytest.raises(discretion.InputTypeError, match="one row could change what type.*schema="):
            voting().fit(X, y)
    with pytest.raises(discretion.InputError, match="column 'seen', which is not declared"):
        voting(schema={"age": (18, 90), "site": ["north"]}).fit(FRAME, y)
    with pytest.raises(discretion.InputError, match="lacks the column 'site'"):
        voting(schema=SCHEMA).fit(FRAME.drop(columns="site"), y)
    with pytest.raises(discretion.InputError, match="an array has none"):
        voting(schema=SCHEMA).fit(AGE.reshape(-1, 1), y)
    with pytest.raises(discretion.InputError, match="column 'site'.*leave out what else"):
        voting(schema=SCHEMA | {"site": {"groups": {"a": ["b"]}}}).fit(FRAME, y)
    with pytest.raises(discretion.InputTypeError, match="row 1 of the column 'age'"):
        voting(schema=SCHEMA).fit(with_value("age", "x"), y)


DECLARED = {
    "a category of its own": with_value("site", "west"),
    "categories": FRAME.astype({"site": "category"}),
    "categories with one more": with_value("site", "west").astype({"site": "category"}),
    "other order": FRAME.assign(site=pandas.Categorical(SITE, categories=["x", "south", "north"], ordered=True)),
    "a missing category": with_value("site", None),
    "a number among texts": with_value("site", 3),
    "dates of Python": FRAME.assign(seen=pandas.Series(FRAME["seen"].dt.date, dtype=object)),
    "dates in a zone": FRAME.assign(seen=FRAME["seen"].dt.tz_localize("UTC")),
    "seconds": FRAME.astype({"seen": "datetime64[s]"}),
    "a missing date": with_value("seen", None),
    "beyond its bounds": with_value("age", 1000),
    "decimals": FRAME.assign(age=pandas.Series([decimal.Decimal(int(age)) for age in AGE], dtype=object)),
    "dropped": FRAME.assign(name=pandas.Series([{1}, "x"] * (ROWS // 2), dtype=object)),
}


@pytest.mark.parametrize("frame", DECLARED.values(), ids=DECLARED)
def test_every_chunk_sees_what_the_schema_says(frame):
    schema = SCHEMA | ({"name": {"drop": True}} if "name" in frame else {})
    kinds, listed, *_ = seen(frame, schema=schema)[0]
    assert kinds == ["float64", "category", "float64"] and "['north', 'south']" in listed[1]
    assert seen(frame, schema=schema) == seen(FRAME, schema=SCHEMA)
    asked = voting(schema=schema).fit(FRAME if schema == SCHEMA else frame, y)
    asked.predict(frame.head(3))
    assert asked._models[0].seen_[:2] == seen(FRAME, schema=SCHEMA)[0][:2]


@pytest.mark.parametrize("convert", [polars.from_pandas, pyarrow.Table.from_pandas])
def test_declared_columns_of_other_libraries(convert):
    expected = seen(convert(FRAME), schema=SCHEMA)
    for name, value in [("site", "west"), ("site", None), ("age", None), ("age", 1000)]:
        assert seen(convert(with_value(name, value)), schema=SCHEMA) == expected
    assert seen(convert(FRAME.astype({"site": "category"})), schema=SCHEMA) == expected


def votes(estimator, X, points):
    """What each model says of each point."""
    from discretion import _ballots

    asked = voting(estimator, schema=SCHEMA).fit(X, y)
    return np.array(_ballots.votes(asked._models, asked._types.of(points), asked.classes_, None, 1))


ENCODED = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["site"]), remainder="passthrough")
LEARNERS = {
    "encoded": make_pipeline(ENCODED, DecisionTreeClassifier(max_depth=2)),
    "by type": HistGradientBoostingClassifier(max_iter=3, categorical_features="from_dtype"),
}


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("name, value", [("site", "a"), ("site", None), ("age", None), ("age", 1e9), ("seen", None)])
def test_one_row_moves_one_vote(learner, name, value):
    one = votes(learner, FRAME.astype({"site": "category"}), FRAME.head(200))
    other = votes(learner, with_value(name, value).astype({"site": "category"}), FRAME.head(200))
    assert np.flatnonzero((one != other).any(axis=1)).tolist() in ([], [0])


def test_whole_numbers_that_would_be_rounded_are_refused():
    big = pandas.DataFrame({"code": 2**53 + np.arange(ROWS)})
    for X in (big, big.astype("Int64"), big.to_numpy(), polars.from_pandas(big), pyarrow.Table.from_pandas(big)):
        with pytest.raises(discretion.InputError, match="whole numbers of 2⁵³"):
            voting().fit(X, y)
    asked = voting().fit(NUMBERS, y)
    with pytest.raises(discretion.InputError, match="whole numbers of 2⁵³"):
        asked.predict(NUMBERS.head(2).assign(age=[2**53, 2**53 + 1]))
    codes = {"code": [str(2**53 + place) for place in range(4)]}
    frame = pandas.DataFrame({"code": 2**53 + np.arange(ROWS) % 4})
    assert seen(frame, schema=codes) == seen(frame.astype(str), schema=codes)
    with pytest.raises(discretion.InputError, match="whole numbers are the same one"):
        voting(schema=codes).fit(frame.astype(float), y)


def test_a_session_is_that_of_its_schema(tmp_path):
    account = discretion.Ledger(tmp_path / "ledger.sqlite").account("a", epsilon=100, delta=1e-4)
    for schema in (SCHEMA, SCHEMA, SCHEMA | {"age": (0, 90)}):
        voting(DecisionTreeClassifier(max_depth=1), schema=schema, account=account, random_state=None).fit(FRAME[["age", "site", "seen"]], y)
    assert account.standing["charges"] == 2
