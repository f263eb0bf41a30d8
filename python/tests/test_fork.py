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


def answered():
    """Whether a query is answered on which the noise decides about evenly, in a session of its own."""
    session = _discretion.Session(
        payer=(discretion.Ledger.in_memory()._ledger, "a", (1.0, 0.01, None, None)),
        spend=(1.0, 0.01, None),
        queries=1,
        answer="sure",
        confidence=None,
        unstable=1,
        chunks=17,
        agreement=None,
        miss=0.5,
        score_bins=None,
        balanced=False,
        expected_share=None,
        classes=2,
        rows=10**9,
        of_persons=False,
        key="0" * 64,
        digest=b"",
    )
    session.open(False)
    votes = (np.arange(17)[:, None] < 15).astype(np.uint16)
    return session.answer(["0" * 64], votes)[0][0] is not None


def test_forked_processes_draw_noise_of_their_own():
    """Six children that answer alike are 1 in 32 if they draw for themselves; with their parent's stream it is every other
    time. More than 12 of 40 such rounds have probability 1e-9."""
    alike = 0
    for _ in range(40):
        answered()  # The stream of this thread has begun: its children inherit it.
        alike += len({forked(answered) for _ in range(6)}) == 1
    assert alike <= 12, f"{alike} of 40 rounds"


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
