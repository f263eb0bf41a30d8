"""Intervals, summary, plot and report say the same numbers as the model file."""

import html
import sys

import numpy as np
import pandas
import pytest

import discretion

SCHEMA = {"age": (17, 90), "dose": (0, 30), "site": ["north", "south", "west"]}


@pytest.fixture
def model(columns):
    frame = pandas.DataFrame({name: columns[name] for name in SCHEMA})
    estimator = discretion.LogisticRegression(
        epsilon=4.0, delta=1e-6, schema=SCHEMA, classes=("no", "yes"), intervals=0.9, random_state=5
    )
    return estimator.fit(frame, columns["ill"])


def test_intervals_are_a_tidy_frame(model):
    frame = model.intervals_
    assert frame["term"].tolist() == ["(intercept)", "age", "dose", "site=south", "site=west"]
    assert frame["against"].isna().tolist() == [True] * 3 + [False] * 2 and set(frame["against"][3:]) == {"north"}
    assert (frame["lower"] < frame["estimate"]).all() and (frame["estimate"] < frame["upper"]).all()
    assert frame.attrs["level"] == 0.9
    south = frame.set_index("term").loc["site=south"]
    assert south["odds_ratio"] == pytest.approx(np.exp(south["estimate"]))
    assert np.isnan(frame["odds_ratio"][0])
    by_unit = {c["of"]: c["per_unit"] for c in model.model_["coefficients"]}
    assert frame["estimate"][1] == by_unit["age"]


def test_without_intervals_the_error_says_how_to_get_them(columns):
    model = discretion.LinearSVC(epsilon=1.0, bounds=(17, 90), random_state=0)
    model.fit(columns["age"][:, None], (columns["ill"] == "yes").astype(int))
    with pytest.raises(AttributeError, match="intervals=True"):
        model.intervals_
    assert not hasattr(model, "intervals_")


def test_the_summary_is_the_command_line_s(model):
    text = str(model.summary())
    assert text.startswith("NOT PRIVATE") and "odds ratio" in text and "site=south" in text
    assert repr(model.summary()) == text
    assert html.unescape(model.summary()._repr_html_()) == f"<pre>{text}</pre>"


def test_the_plot_shows_every_effect(model, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    ax = model.plot()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert [label.split("  ")[0] for label in labels] == ["age", "dose", "site=south", "site=west"]
    assert "NOT PRIVATE" in ax.get_title()
    drawn = {round(line.get_xdata()[0], 9) for line in ax.get_lines()}
    effects = [c["effect"]["value"] for c in model.model_["coefficients"] if "effect" in c]
    assert {round(value, 9) for value in effects} <= drawn
    ax.figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000


def test_without_matplotlib_the_error_says_what_to_install(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(discretion.Refused, match="pip install matplotlib"):
        model.plot()


def test_the_report_has_every_coefficient(model, tmp_path):
    model.report(tmp_path / "report.html", file="my-model.json")
    page = (tmp_path / "report.html").read_text()
    assert "my-model.json" in page and "south" in page
