"""`with account:` pays for what is within it, in workers too; where it cannot be known, nothing is guessed."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import discretion

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (2000, 2))
y = (X[:, 0] > 0).astype(int)


def private(**settings):
    return discretion.LogisticRegression(**{"epsilon": 1.0, "bounds": (-1, 1)} | settings)


@pytest.fixture
def accounts(tmp_path):
    ledger = discretion.Ledger(tmp_path / "ledger.sqlite")
    return [ledger.account(name, epsilon=100, delta=1e-4) for name in "ab"]


@pytest.mark.filterwarnings("ignore::discretion.Note")  # Folds are other rows.
def test_workers_charge_the_account_of_the_block(accounts):
    account, _ = accounts
    with account:
        # More folds than joblib sends at once: the later ones are cloned in a thread of joblib's.
        cross_val_score(private(), X, y, cv=9, n_jobs=2)
        assert account.standing["charges"] == 9
        cross_val_score(make_pipeline(FunctionTransformer(), private()), X, y, cv=2, n_jobs=2)
        assert account.standing["charges"] == 11
        GridSearchCV(private(), {"epsilon": [0.5, 1.0]}, cv=2, n_jobs=2).fit(X, y)
        assert account.standing["charges"] == 16


@pytest.mark.parametrize(
    "estimator",
    [
        private(),
        discretion.LinearSVC(epsilon=1.0, bounds=(-1, 1)),
        discretion.HistogramDensity(epsilon=1.0, bounds=(-1, 1)),
        discretion.PrivateVoting(GaussianNB(), epsilon=1.0, delta=1e-6),
    ],
)
def test_a_clone_takes_the_account_along(accounts, estimator):
    account, other = accounts
    with account:
        assert clone(estimator).account is account
        assert clone(clone(estimator).set_params(account=other)).account is other
        assert clone(clone(estimator).set_params(account=None, random_state=0)).account is None
    assert clone(estimator).account is None


def test_a_thread_that_does_not_inherit_the_block_is_told(accounts):
    account, _ = accounts
    with account, ThreadPoolExecutor(1) as pool:
        with pytest.raises(discretion.InputError, match="pass account="):
            pool.submit(private().fit, X, y).result()
        assert account.standing["charges"] == 0
        pool.submit(private(account=account).fit, X, y).result()
        assert account.standing["charges"] == 1
    with pytest.warns(discretion.NotRemembered):
        private().fit(X, y)


def test_a_clone_in_a_thread_does_not_choose_between_accounts(accounts):
    one, other = accounts
    opened, done = threading.Event(), threading.Event()

    def hold():
        with other:
            opened.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    opened.wait()
    try:
        with one, ThreadPoolExecutor(1) as pool:
            assert clone(private()).account is one
            with pytest.raises(discretion.InputError, match="which is meant"):
                pool.submit(clone, private()).result()
    finally:
        done.set()
        holder.join()


def test_a_block_ends_itself_and_not_the_last_one(accounts):
    """A generator may leave its block while another one is open."""
    a, b = accounts

    def within_a():
        with a:
            yield
        yield

    steps = within_a()
    next(steps)
    with b:
        next(steps)
        private().fit(X, y)
    assert (a.standing["charges"], b.standing["charges"]) == (0, 1)
    with warnings.catch_warnings(), pytest.raises(discretion.NotRemembered):
        warnings.simplefilter("error")
        private().fit(X, y)
