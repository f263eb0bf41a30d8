"""Several releases of a study file for one charge."""

import warnings

import pytest

import discretion

STUDY = """[data]
path = "t.csv"
account = "t"
[budget]
epsilon = 3.0
[spend]
epsilon = 2.0
[columns]
age = { min = 0, max = 100 }
job = { values = ["clerk", "nurse"] }
[[release]]
name = "ill"
target = "y"
positive = "1"
negative = "0"
share = 0.6
[[release]]
name = "days"
outcome = { column = "stay", min = 0, max = 30 }
loss = "squares"
[[release]]
name = "ages"
kind = "density"
columns = ["age"]
"""


@pytest.fixture
def study(tmp_path):
    rows = [f"{i * 7 % 100},{['clerk', 'nurse'][i % 2]},{int(i * 7 % 100 > 50)},{i % 30}" for i in range(1000)]
    (tmp_path / "t.csv").write_text("age,job,y,stay\n" + "\n".join(rows) + "\n")
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


def test_all_releases_cost_one_charge(study, tmp_path):
    ledger = tmp_path / "ledger.sqlite"
    found = discretion.release(study, tmp_path / "out", ledger=ledger)
    assert list(found) == ["ill", "days", "ages"]
    assert isinstance(found["ill"], discretion.LogisticRegression)
    assert isinstance(found["days"], discretion.LinearRegression)
    assert isinstance(found["ages"], discretion.HistogramDensity)
    assert found["ill"].epsilon == pytest.approx(1.2) and found["ages"].epsilon == pytest.approx(0.4)
    account = discretion.account("t", ledger=ledger)

    def charges():
        return [entry for entry in account.history() if entry["kind"] == "charged"]

    assert len(charges()) == 1 and account.spent == pytest.approx(2.0)
    again = discretion.release(study, tmp_path / "copy", ledger=ledger, reuse=True)
    assert again["ill"].coefficients_ == found["ill"].coefficients_
    assert len(charges()) == 1
    with pytest.raises(discretion.Refused, match="paid for this very job.*reuse=True"):
        discretion.release(study, tmp_path / "more", ledger=ledger)


def test_a_seed_promises_nothing(study, tmp_path):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        discretion.release(study, tmp_path / "out", random_state=1)
    assert any("NOT PRIVATE" in str(note.message) for note in told)
    assert (tmp_path / "out" / "seeded-index.json").exists()


def test_mistakes_are_told(study, tmp_path):
    study.write_text(STUDY.replace("days", "ill"))
    with pytest.raises(discretion.InputError, match="two releases are called `ill`"):
        discretion.release(study, tmp_path / "out", ledger=tmp_path / "ledger.sqlite")
