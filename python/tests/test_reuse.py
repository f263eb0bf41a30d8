"""A cell that is run twice: told before it is charged again, and for nothing with reuse=True."""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas
import pytest

import discretion

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (3000, 2))
y = (X[:, 0] > 0).astype(int)


@pytest.fixture(params=["file", "memory"])
def account(request, tmp_path):
    ledger = discretion.Ledger(tmp_path / "ledger.sqlite") if request.param == "file" else discretion.Ledger.in_memory()
    return ledger.account("tests", epsilon=10)


def linear(**more):
    return discretion.LogisticRegression(**{"epsilon": 1.0, "bounds": (-1, 1)} | more)


def density(**more):
    return discretion.HistogramDensity(**{"epsilon": 1.0, "bounds": (-1, 1), "bins": 4} | more)


def released(estimator):
    return estimator.model_ if hasattr(estimator, "model_") else estimator.density_


@pytest.mark.parametrize("make", [linear, density])
def test_the_same_again_is_told_before_it_is_charged(account, make):
    first = make(account=account).fit(X, y)
    with pytest.warns(discretion.Note, match="charge 2 of account 'tests'.*reuse=True") as told:
        second = make(account=account).fit(X, y)
    assert any(one.filename == __file__ for one in told), "it points to the cell"
    assert released(first) != released(second) and account.left == 8.0
    with warnings.catch_warnings(), pytest.raises(discretion.Note):
        warnings.simplefilter("error", discretion.Note)
        make(account=account).fit(X, y)
    assert account.left == 8.0, "who makes errors of warnings is not charged"


@pytest.mark.parametrize("make", [linear, density])
def test_with_reuse_it_is_what_was_released(account, make):
    first = make(account=account, reuse=True).fit(X, y)
    with pytest.warns(discretion.Note, match="charge 2 .* paid for this result before.*nothing was charged"):
        again = make(account=account, reuse=True).fit(X, y)
    assert released(again) == released(first) and account.left == 9.0
    assert np.array_equal(again.score_samples(X) if make is density else again.predict(X),
                          first.score_samples(X) if make is density else first.predict(X))
    # The same rows as a frame, whatever its index is.
    schema = {"x0": (-1, 1), "x1": (-1, 1)}
    frame = pandas.DataFrame(X, columns=list(schema), index=np.arange(len(X)) + 7)
    with pytest.warns(discretion.Note, match="nothing was charged"):
        assert released(make(account=account, reuse=True, bounds=None, schema=schema).fit(frame, y)) == released(first)


@pytest.mark.parametrize("make", [linear, density])
def test_other_rows_settings_or_accounts_are_paid_for(account, make):
    make(account=account).fit(X, y)
    other = account.ledger.account("other", epsilon=10)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        make(account=account, reuse=True, epsilon=0.5).fit(X, y)
        make(account=account, reuse=True).fit(X[:-1], y[:-1])
        make(account=other, reuse=True).fit(X, y)
    assert account.left == 7.5 and other.left == 9.0
    assert not any("paid for" in str(one.message) for one in told)


def test_a_density_of_other_columns_is_not_another_table(account):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        density(account=account).fit(X)
        density(account=account).fit(X[:, :1])
        linear(account=account).fit(X, y)


PROGRAM = """
import json, sys, numpy as np, discretion
X = np.random.default_rng(0).uniform(-1, 1, (3000, 2))
account = discretion.account("tests", epsilon=10, ledger=sys.argv[1])
model = discretion.LogisticRegression(epsilon=1.0, bounds=(-1, 1), account=account, reuse=True).fit(X, (X[:, 0] > 0).astype(int))
print(json.dumps([model.model_, account.left]))
"""


def test_after_a_restart_too(tmp_path):
    run = [sys.executable, "-W", "ignore", "-c", PROGRAM, tmp_path / "ledger.sqlite"]
    first, second = (json.loads(subprocess.check_output(run)) for _ in range(2))
    assert first == second and second[1] == 9.0
    (kept,) = (tmp_path / "ledger.sqlite-released").iterdir()
    assert json.loads(kept.read_text()) == first[0] and kept.stat().st_mode & 0o077 == 0
    account = discretion.account("tests", ledger=tmp_path / "ledger.sqlite")
    assert account.history()[-1]["files"] == str(kept)
    # A file that is not what was released is not returned.
    kept.write_text(kept.read_text() + " ")
    with pytest.raises(discretion.Refused, match="was changed since.*Nothing was charged.*leave reuse=True out"):
        linear(account=account, reuse=True).fit(X, y)
    kept.unlink()
    with pytest.raises(discretion.Refused, match="cannot be read"):
        linear(account=account, reuse=True).fit(X, y)
    assert account.left == 9.0


def test_where_nothing_can_be_kept_the_model_is_there_all_the_same(tmp_path):
    account = discretion.account("tests", epsilon=10, ledger=tmp_path / "ledger.sqlite")
    Path(f"{account.ledger.path}-released").write_text("in the way")
    with pytest.warns(discretion.Note, match="could not be kept.*reuse=True will not find it"):
        assert linear(account=account).fit(X, y).private_


def test_reuse_is_true_or_false(account):
    with pytest.raises(discretion.InputTypeError, match="reuse is True or False"):
        linear(account=account, reuse="yes").fit(X, y)
    assert account.left == 10.0
