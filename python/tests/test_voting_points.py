"""Points are points of the table that was fitted; anything else is refused before a model is asked."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import discretion
from discretion import _points

rng = np.random.default_rng(2)
X = rng.uniform(-1, 1, (8000, 2))
y = (X[:, 0] > 0).astype(int)
FRAME = pandas.DataFrame(X, columns=["a", "b"])
FAR = pandas.DataFrame({"a": [-0.9, 0.9], "b": [0.1, 0.2]})


def voting(estimator=None, **settings):
    usual = {"epsilon": 10.0, "delta": 1e-6, "queries": 40, "unstable": 5}
    return discretion.PrivateVoting(estimator or GaussianNB(), **usual | settings)


@pytest.fixture
def account(tmp_path):
    return discretion.Ledger(tmp_path / "ledger.sqlite").account("a", epsilon=100, delta=1e-4)


WRONG = {
    "order": (FAR[["b", "a"]], "the columns a, b, and these points have the columns b, a"),
    "names": (FAR.rename(columns={"b": "c"}), "the columns a, c"),
    "more": (FAR.assign(c=1.0), "3 columns, and `fit` saw 2"),
    "fewer": (FAR[["a"]], "1 columns"),
    "no names": (FAR.to_numpy(), "columns without names"),
    "texts": (FAR.assign(b=["x", "y"]), "column 'b' held numbers at `fit` and holds something else"),
    "one point": (FAR.to_numpy()[0], "one point is"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_points_are_refused_and_cost_nothing(account, wrong):
    asked = voting(account=account).fit(FRAME, y)
    assert asked.n_features_in_ == 2 and list(asked.feature_names_in_) == ["a", "b"]
    points, sentence = WRONG[wrong]
    with pytest.raises(discretion.InputError, match=sentence):
        asked.predict(points)
    assert asked.predict(FAR).tolist() == [0, 1] and asked.queries_left_ == 38


def test_points_without_names_for_a_table_without_names():
    asked = voting(random_state=0).fit(X, y)
    assert asked.n_features_in_ == 2 and not hasattr(asked, "feature_names_in_")
    with pytest.raises(discretion.InputError, match="`fit` saw columns without names"):
        asked.predict(FAR)
    assert asked.predict(FAR.to_numpy().tolist()).tolist() == [0, 1]
    assert voting(random_state=0).fit(pandas.DataFrame(X), y).predict(FAR.to_numpy()).tolist() == [0, 1]


def test_the_same_values_under_other_names_are_another_session_and_other_points(account):
    answers = voting(account=account).fit(FRAME, y).predict(FAR)
    other = voting(account=account).fit(FRAME.set_axis(["b", "a"], axis=1), y)
    assert account.standing["charges"] == 2 and other.queries_left_ == 40
    # In whatever frame it is, the same table goes on.
    for frame in (pyarrow.table(FRAME), polars.from_pandas(FRAME)):
        again = voting(account=account).fit(frame, y)
        assert account.standing["charges"] == 2 and again.predict(FAR).tolist() == answers.tolist()
        assert again.queries_left_ == 38


class Picky(GaussianNB):
    """Fails where it is told to."""

    def __init__(self, fails=None):
        super().__init__()
        self.fails = fails

    def fit(self, X, y):
        if self.fails == "fit":
            raise SystemExit(3)
        return super().fit(X, y)

    def predict(self, X):
        if self.fails == "predict":
            raise ValueError("out of order")
        return super().predict(X)[: None if self.fails != "shape" else -1]


@pytest.mark.parametrize(
    ("fails", "sentence"),
    [("fit", "SystemExit: 3"), ("predict", "out of order"), ("shape", "shape")],
)
def test_an_estimator_that_fails_on_invented_rows_is_refused_before_anything_is_charged(account, fails, sentence):
    with pytest.raises(discretion.InputError, match=f"fails on invented rows: .*{sentence}.*nothing was charged"):
        voting(Picky(fails), account=account).fit(X, y)
    assert account.history() == []
    skipped = voting(Picky(fails), account=account, rehearse=False).fit(X, y)
    assert account.standing["charges"] == 1
    skipped.predict(FAR.to_numpy())
    assert skipped.failed_models_not_private == skipped.chunks_


def test_a_typo_in_a_learner_costs_nothing(account):
    with pytest.raises(discretion.InputError, match="max_depth.*rehearse=False skips this"):
        voting(DecisionTreeClassifier(max_depth=-3), account=account).fit(X, y)
    with pytest.raises(discretion.InputError, match="invented rows.*bounds="):
        voting(discretion.LogisticRegression(epsilon=1), account=account).fit(X, y)
    assert account.history() == []


class Shown(GaussianNB):
    """Keeps the table it was first trained on: the invented one."""

    shown = None

    def fit(self, X, y):
        Shown.shown = (X, y) if Shown.shown is None else Shown.shown
        return super().fit(np.asarray(X, dtype=float), y)

    def predict(self, X):
        return super().predict(np.asarray(X, dtype=float))


MIXED = pandas.DataFrame({"f": X[:, 0], "i": (X[:, 1] * 5).astype("int8"), "b": X[:, 1] > 0})
TABLES = {
    "float32": X.astype(np.float32),
    "whole": (X * 5).astype(int),
    "pandas": MIXED,
    "nullable": MIXED.astype({"f": "Float64", "i": "Int64", "b": "boolean"}),
    "polars": polars.from_pandas(MIXED),
    "pyarrow": pyarrow.Table.from_pandas(MIXED),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_invented_rows_have_the_table_s_columns_and_nothing_of_its_values(table):
    classes = ["u", "v", "w", "x", "y", "z"]
    tables = []
    for rows in (table, table[::-1] if not isinstance(table, pyarrow.Table) else table.take(np.arange(7999, -1, -1))):
        Shown.shown = None
        voting(Shown(), classes=classes, random_state=0).fit(rows, np.array(classes)[np.arange(8000) % 6])
        tables.append(Shown.shown)
    invented, labels = tables[0]
    assert type(invented) is type(table) and invented.shape == (60, table.shape[1]) and set(labels) == set(classes)
    # Every model sees such numbers, whatever is in the table.
    types = [invented.dtype] if isinstance(table, np.ndarray) else _points.dtypes(invented)
    assert {str(one).lower().replace("double", "float64") for one in types} == {"float64"}
    if hasattr(table, "columns") and not isinstance(table, pyarrow.Table):
        assert list(invented.columns) == list(table.columns)
    assert np.array_equal(np.asarray(invented), np.asarray(tables[1][0])), "other rows, the same invention"
