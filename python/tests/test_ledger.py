"""The account pays first, the ledger remembers, and without one the user is told."""

import copy
import os
import pickle
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

import discretion

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (4000, 3))
y = (X[:, 0] - X[:, 1] > 0).astype(int)


def private(**settings):
    return discretion.LogisticRegression(**{"epsilon": 1.0, "bounds": (-1, 1)} | settings)


@pytest.fixture
def ledger(tmp_path):
    return discretion.Ledger(tmp_path / "ledger.sqlite")


def test_the_account_pays_and_then_refuses(ledger):
    account = ledger.account("a", epsilon=1.5)
    model = private(account=account).fit(X, y)
    assert model.private_
    entry = model.model_["ledger"]
    assert (entry["account"], entry["cap"]["epsilon"], entry["spent"]) == ("a", 1.5, entry["cost"])
    assert 0.99 < account.spent <= 1.0 and account.left == pytest.approx(1.5 - account.spent)
    with pytest.raises(discretion.Refused, match="cannot pay"):
        clone(model).fit(X, y)
    assert [entry["kind"] for entry in account.history()] == ["opened", "charged"]
    account.raise_cap("the board agreed on 2026-11-15", epsilon=3.0)
    clone(model).fit(X, y)
    assert account.cap["epsilon"] == 3.0 and [a["account"] for a in ledger.accounts()] == ["a"]
    assert len(ledger.verify()) == 64 and ledger.verify(ledger.verify())


def test_with_an_account_everything_within_is_paid_by_it(ledger):
    with ledger.account("outer", epsilon=10) as outer:
        private().fit(X, y)
        with ledger.account("inner", epsilon=10) as inner:
            private().fit(X, y)
        private().fit(X, y)
    assert (outer.standing["charges"], inner.standing["charges"]) == (2, 1)
    with pytest.warns(discretion.NotRemembered):
        private().fit(X, y)


def test_without_an_account_nothing_is_remembered_and_the_user_is_told():
    with pytest.warns(discretion.NotRemembered, match="forgotten with this process"):
        model = private().fit(X, y)
    assert model.private_ and model.model_["ledger"] is None
    assert pickle.loads(pickle.dumps(model)).coef_.tolist() == model.coef_.tolist()


def test_an_account_by_its_name_is_one_of_the_default_ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCRETION_LEDGER", str(tmp_path / "default.sqlite"))
    with pytest.raises(discretion.Error, match="no account 'heart'"):
        private(account="heart").fit(X, y)
    discretion.LogisticRegression(epsilon=1.0, bounds=(-1, 1), account=discretion.account("heart", epsilon=2)).fit(X, y)
    private(account="heart", epsilon=0.5).fit(X, y)
    assert discretion.account("heart").standing["charges"] == 2


def test_a_seed_charges_nothing(ledger):
    account = ledger.account("a", epsilon=1)
    model = private(account=account, random_state=1).fit(X, y)
    assert not model.private_ and account.history() == []


def test_another_cap_is_refused_at_once(ledger):
    private(account=ledger.account("a", epsilon=2)).fit(X, y)
    with pytest.raises(discretion.Refused, match="lifetime cap"):
        ledger.account("a", epsilon=3)
    with pytest.raises(discretion.InputError, match="no account"):
        ledger.account("b")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [((1,), TypeError), (("a",), ValueError), (("",), ValueError)],  # The second has an epsilon of -1.
)
def test_bad_accounts(ledger, arguments, error):
    with pytest.raises(discretion.Error) as caught:
        discretion.account(*arguments, epsilon=-1 if arguments == ("a",) else 1, ledger=ledger)
    assert isinstance(caught.value, error)


@pytest.mark.parametrize("path", [3, b"ledger.sqlite", ["a"]])
def test_bad_paths_of_ledgers(path):
    for make in (discretion.Ledger, lambda path: discretion.account("a", epsilon=1, ledger=path)):
        with pytest.raises(discretion.InputTypeError, match="a text or a pathlib.Path"):
            make(path)


def test_another_table_is_noticed_and_the_same_in_another_frame_is_not(ledger):
    import pandas
    import pyarrow

    account = ledger.account("a", epsilon=10)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    schema = dict.fromkeys("abc", (-1, 1))
    model = discretion.LogisticRegression(epsilon=1.0, schema=schema, account=account)
    model.fit(frame, y)
    chunks = pyarrow.concat_tables([pyarrow.table(frame[:100]), pyarrow.table(frame[100:])])
    model.fit(chunks, y)
    with pytest.warns(discretion.Note, match="not those that charge 2"):
        model.fit(frame, 1 - y)


def test_saving_is_noted_and_never_on_top_of_another_file(ledger, tmp_path):
    account = ledger.account("a", epsilon=10)
    model = private(account=account).fit(X, y)
    model.save(tmp_path / "model.json")
    with pytest.raises(discretion.InputError, match="exists already"):
        model.save(tmp_path / "model.json")
    model.save(tmp_path / "model.json", overwrite=True)
    released = account.full_history()[-1]["releases"]
    # The first is the copy beside the ledger, for reuse=True.
    assert [os.path.basename(release["file"]) for release in released] == ["charge-2.json", "model.json", "model.json"]
    with pytest.raises(discretion.InputError, match="does not exist"):
        model.save(tmp_path / "nowhere" / "model.json")


def test_a_pickled_model_knows_no_ledger(tmp_path):
    """It is for others: no path of a ledger is in it, and reading it opens nothing. What it saves is not noted."""
    folder = tmp_path / "custodian"
    account = discretion.Ledger(folder / "ledger.sqlite").account("heart-2026", epsilon=10)
    written = pickle.dumps(private(account=account).fit(X, y))
    assert b"custodian" not in written
    shutil.move(folder, tmp_path / "elsewhere")
    model = pickle.loads(written)
    assert model.account is None and not folder.exists()
    model.save(tmp_path / "model.json")
    assert (tmp_path / "model.json").exists() and not folder.exists()
    moved = discretion.Ledger(tmp_path / "elsewhere" / "ledger.sqlite").account("heart-2026")
    assert "model.json" not in moved.history()[-1]["files"]


def test_an_estimator_that_is_not_fitted_keeps_its_account_in_a_pickle(ledger, tmp_path):
    account = ledger.account("a", epsilon=10)
    again = pickle.loads(pickle.dumps(private(account=account)))
    assert again.account == account
    again.fit(X, y)
    assert account.standing["charges"] == 1


def test_a_ledger_is_opened_when_it_is_needed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ledger = discretion.Ledger("new/ledger.sqlite")
    again = pickle.loads(pickle.dumps(ledger))
    assert "new/ledger.sqlite" in repr(again) and not (tmp_path / "new").exists()
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    private(account=ledger.account("a", epsilon=1)).fit(X, y)
    assert (tmp_path / "new" / "ledger.sqlite").exists(), "a relative path means what it meant when it was said"
    assert again.account("a").standing["charges"] == 1


def test_what_is_not_private_is_for_its_owner_alone(tmp_path):
    model = private(random_state=0).fit(X, y)
    model.save(tmp_path / "model.json")
    model.report(tmp_path / "report.html")
    for name in ("model.json", "report.html"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert "NOT PRIVATE" in (tmp_path / "report.html").read_text()


def test_copies_of_an_account_are_the_account():
    account = discretion.Ledger.in_memory().account("a", epsilon=1)
    assert copy.deepcopy(account) is account and clone(private(account=account)).account is account
    with pytest.raises(discretion.InputError, match="cannot leave its process"):
        pickle.dumps(account)


def test_accounts_in_memory_are_equal_only_to_themselves(ledger):
    one, two = (discretion.Ledger.in_memory().account("a", epsilon=1) for _ in range(2))
    assert one != two and one == one.ledger.account("a", epsilon=1)
    path = ledger.path
    assert ledger.account("a", epsilon=1) == discretion.Ledger(path).account("a", epsilon=1)


def test_threads_never_overspend_together(ledger):
    account = ledger.account("a", epsilon=3.5)
    outcomes = []

    def fit():
        try:
            outcomes.append(private(account=account).fit(X, y).private_)
        except discretion.Refused:
            outcomes.append(False)

    threads = [threading.Thread(target=fit) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [False] * 3 + [True] * 3 and account.standing["charges"] == 3


def test_ctrl_c_stops_a_fit_and_the_charge_stays(tmp_path):
    program = textwrap.dedent(
        f"""
        import signal, numpy as np, discretion
        signal.signal(signal.SIGINT, signal.default_int_handler)  # Ignored, if the tests run in the background.
        account = discretion.account("a", epsilon=1e3, ledger={str(tmp_path / "ledger.sqlite")!r})
        X = np.random.default_rng(0).uniform(-1, 1, (200_000, 60))
        y = (X[:, 0] > 0).astype(int)
        print("ready", flush=True)
        try:
            while True:
                discretion.LogisticRegression(
                    epsilon=3.0, lam=[1e-5, 1e-4, 1e-3, 1e-2], intervals=True, bounds=(-1, 1), account=account
                ).fit(X, y)
        except KeyboardInterrupt as stop:
            print("stopped", stop, len(account.history()) > 1, flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    # Until something is charged: before that there is nothing to stay.
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if any(account["charges"] for account in discretion.Ledger(tmp_path / "ledger.sqlite").accounts()):
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=300)
    assert said.startswith("stopped") and said.rstrip().endswith("True"), said


def test_a_filter_is_fixed_by_the_first_charge(ledger):
    cap = {"epsilon": 1.0, "delta": 1e-6}
    account = ledger.account("a", **cap, filter="renyi")
    discretion.LogisticRegression(epsilon=0.2, bounds=(-1, 1), account=account).fit(X, y)
    assert account.standing["filter"]["filter"] == "renyi"
    assert ledger.account("a", **cap) == ledger.account("a", **cap)
    with pytest.raises(discretion.Refused, match="another filter"):
        ledger.account("a", **cap, filter="gaussian")
    with pytest.raises(discretion.InputError, match="plain-sum"):
        ledger.account("b", **cap, filter="best")
    with pytest.raises(discretion.InputError, match="together with the cap"):
        ledger.account("a", filter="renyi")
    # Runs of a pure size cost what they always did, and it is said how many more fit.
    assert account.spent == pytest.approx(0.2) and account.standing["more_like_last"]["runs"] >= 4


def test_rho_may_have_a_delta_beside_it(ledger):
    account = ledger.account("a", rho=0.5, delta=1e-6)
    assert account.cap == {"kind": "zcdp", "rho": 0.5, "delta": 1e-6} and account.left == 0.5


def test_history_is_flat_and_left_is_tidy(tmp_path):
    account = discretion.account("tests", epsilon=70, ledger=tmp_path / "ledger.sqlite")
    model = private(epsilon=1.0, account=account).fit(X, y)
    model.save(tmp_path / "model.json")
    account.raise_cap("a second year", epsilon=80)
    assert account.left == 79.0 and account.spent == 1.0, "not 69.00000000005703"
    lines = account.history()
    assert [line["kind"] for line in lines] == ["opened", "charged", "raised"]
    assert all(not isinstance(value, (dict, list)) for line in lines for value in line.values())
    assert len({tuple(line) for line in lines}) == 1, "all lines have the same columns"
    assert lines[0]["epsilon"] == 70 and lines[2]["epsilon"] == 80 and lines[2]["what"] == "a second year"
    assert "model.json" in lines[1]["files"] and lines[1]["epsilon"] is None
    assert account.full_history()[1]["event"]["event"] == "composition"
    # What is left can be spent.
    private(epsilon=account.left, account=account).fit(X, y)
    assert account.left == 0.0


def test_a_notebook_shows_an_account(tmp_path):
    account = discretion.account("<patients>", epsilon=4, delta=1e-6, ledger=tmp_path / "ledger.sqlite")
    assert "&lt;patients&gt;" in account._repr_html_() and ">4<" in account._repr_html_()
    for _ in range(12):
        discretion.HistogramDensity(epsilon=0.01, bounds=(-1, 1), bins=2, account=account).fit(X)
    page = account._repr_html_()
    assert page.count("density of x0, x1") == 10 and "and 2 charges before" in page and str(tmp_path) not in page


def test_no_name_of_a_ledger_is_forgotten_with_the_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in [":memory:", "file::memory:", "file:x?mode=memory", "file:y?vfs=memdb"]:
        with pytest.raises(discretion.Error, match="a ledger is an ordinary file"):
            private(account=discretion.Ledger(name).account("a", epsilon=1.5)).fit(X, y)
        monkeypatch.setenv("DISCRETION_LEDGER", name)
        with pytest.raises(discretion.Error, match="a ledger is an ordinary file"):
            private(account=discretion.account("a", epsilon=1.5)).fit(X, y)
    account = discretion.Ledger("./:memory:").account("a", epsilon=1.5)
    private(account=account).fit(X, y)
    assert (tmp_path / ":memory:").is_file()
    monkeypatch.chdir("/")
    with pytest.raises(discretion.Refused, match="cannot pay"):
        private(account=account).fit(X, y)
