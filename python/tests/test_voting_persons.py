"""Votes of models of whole persons."""

import numpy as np
import pandas
import polars
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import discretion

rng = np.random.default_rng(2)
X = rng.uniform(-1, 1, (8000, 2))
y = np.where(X[:, 0] > 0, "b", "a")
IDS = [f"p{i // 2:05d}" for i in range(len(X))]
PLACES = {row.tobytes(): place for place, row in enumerate(X)}


class Remembers(ClassifierMixin, BaseEstimator):
    """Knows which rows it saw."""

    def fit(self, X, y):
        self.rows_, self.classes_ = [PLACES[row.tobytes()] for row in np.ascontiguousarray(X, dtype=float)], np.array(["a", "b"])
        return self

    def predict(self, X):
        return np.full(len(X), "a")


def voting(**settings):
    usual = {"epsilon": 3.0, "delta": 1e-6, "queries": 40, "unstable": 5, "classes": ("a", "b")}
    return discretion.PrivateVoting(settings.pop("estimator", GaussianNB()), **usual | settings)


def chunks(X, person):
    fitted = voting(estimator=Remembers(), random_state=1, rehearse=False).fit(X, y, person=person)
    return fitted, [sorted(model.rows_) for model in fitted._models]


def test_chunks_are_of_whole_persons():
    frame = pandas.DataFrame(X, columns=["u", "v"])
    fitted, seen = chunks(frame.assign(who=IDS), "who")
    # Both rows of a person are in one chunk, and every row is in one.
    assert all((row ^ 1) in rows for rows in seen for row in rows) and sum(map(len, seen)) == len(X)
    assert fitted.feature_names_in_.tolist() == ["u", "v"] and len(seen) == fitted.chunks_
    # Chunks have as many persons as others, but for one.
    assert {len(rows) // 2 for rows in seen} <= {4000 // len(seen), 4000 // len(seen) + 1}
    for table, person in [
        (frame, IDS),
        (X, np.array(IDS)),
        (polars.from_pandas(frame.assign(who=IDS)), "who"),
        (polars.from_pandas(frame.assign(who=IDS)).to_arrow(), "who"),
        (frame.assign(who=IDS).set_index("who"), "who"),
    ]:
        assert chunks(table, person)[1] == seen, type(table)


def test_a_session_is_about_persons_and_their_rows(tmp_path):
    account = discretion.account("of persons", epsilon=9, delta=1e-4, ledger=tmp_path / "ledger.sqlite")
    voting(account=account).fit(X, y, person=IDS)
    assert account.standing["charges"] == 1 and account.standing["unit"] == "person"
    again = voting(account=account).fit(X, y, person=[f" {name} " for name in IDS])
    assert again.session_.startswith("this goes on")
    with pytest.raises(discretion.Refused, match="the table is not the one"):
        voting(account=account).fit(X, y, person=IDS[1:] + IDS[:1])


def test_mistakes_are_told():
    with pytest.raises(discretion.InputError, match="different numbers of rows"):
        voting(random_state=1).fit(X, y, person=IDS[:-1])
    with pytest.raises(discretion.InputError, match="an array has no column"):
        voting(random_state=1).fit(X, y, person="who")
    with pytest.raises(discretion.InputError, match="row 3 has no identifier"):
        voting(random_state=1).fit(X, y, person=[*IDS[:2], "", *IDS[3:]])
