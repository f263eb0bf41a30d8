"""A forked process draws noise of its own, and what it spends is counted."""

import os
import pickle
import signal

import numpy as np
import pytest

import discretion
from discretion import _discretion

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (4000, 2))
y = (X[:, 0] > 0).astype(int)


def private(account, epsilon=1.0):
    return discretion.LogisticRegression(epsilon=epsilon, bounds=(-1, 1), account=account).fit(X, y)


def forked(work):
    """What `work` returns in a child of this process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            told = work()
        except discretion.Error as error:
            told = error
        with os.fdopen(write, "wb") as pipe:
            pipe.write(pickle.dumps(told))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pickle.loads(pipe.read())
    assert os.waitpid(child, 0)[1] == 0
    return told


def answers():
    """Which of 400 queries, from hopeless to unanimous, are answered: about a third of them hang on the noise."""
    ledger = discretion.Ledger.in_memory()._ledger
    session = _discretion.Session(
        payer=(ledger, "a", (1.0, 1e-6, None)),
        spend=(1.0, 1e-6, None),
        queries=400,
        unstable=400,
        chunks=None,
        agreement=None,
        miss=0.5,
        score_bins=None,
        classes=2,
        rows=10**9,
        key="0" * 64,
        digest=b"",
    )
    session.open(False)
    for_b = np.linspace(0, session.chunks, 400).astype(int)
    votes = (np.arange(session.chunks)[:, None] < for_b[None, :]).astype(np.uint16)
    told = session.answer([f"{query:064x}" for query in range(400)], votes)
    return [answer is None for answer in told[0]]


def test_forked_processes_draw_noise_of_their_own():
    answers()  # The stream of this thread has begun: its children inherit it.
    told = [forked(answers) for _ in range(4)]
    assert len({tuple(one) for one in told}) == 4, "equal noise cancels, or is known to a sibling"


def test_an_account_in_memory_does_not_leave_its_process():
    account = discretion.Ledger.in_memory().account("a", epsilon=2.5)
    private(account)
    refused = forked(lambda: private(account).private_)
    assert isinstance(refused, discretion.Refused) and "forked" in str(refused)


def test_a_ledger_in_a_file_counts_what_children_spend(tmp_path):
    ledger = discretion.Ledger(tmp_path / "ledger.sqlite")
    account = ledger.account("a", epsilon=2.5)
    private(account)
    assert forked(lambda: private(account).private_) is True
    assert isinstance(forked(lambda: private(account).private_), discretion.Refused)
    assert account.standing["charges"] == 2 and len(ledger.verify()) == 64


class Late(Exception):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_what_a_signal_handler_raises_is_what_comes_out():
    def late(*_):
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    wide = rng.uniform(-1, 1, (100_000, 60))
    model = discretion.LogisticRegression(
        epsilon=3.0, lam=[1e-5, 1e-4, 1e-3, 1e-2], intervals=True, bounds=(-1, 1), random_state=0
    )
    try:
        with pytest.raises(Late):
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            while True:
                model.fit(wide, wide[:, 0] > 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
