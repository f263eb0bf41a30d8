"""Intervals, summary, plot and report say the same numbers as the model file."""

import html
import io
import re
import sys

import numpy as np
import pandas
import pytest

import command_line
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
    by_unit = {c["of"]: c for c in model.model_["coefficients"]}
    # What the penalty takes is given back, so that an estimate is larger than the coefficient that predicts.
    assert frame["estimate"][1] == by_unit["age"]["per_unit_interval"]["estimate"]
    assert 1 < frame["estimate"][1] / by_unit["age"]["per_unit"] < 3


def test_shares_and_findings(columns):
    frame = pandas.DataFrame({name: columns[name] for name in SCHEMA})
    schema = SCHEMA | {"site": [*SCHEMA["site"], "never"]}

    def fitted(largest):
        estimator = discretion.LogisticRegression(
            epsilon=8.0, delta=1e-6, schema=schema, classes=("no", "yes"), intervals=True, largest_effect=largest, random_state=5
        )
        return estimator.fit(frame, columns["ill"])

    model = fitted(2.0)
    lines = model.intervals_.set_index("term")
    assert model.intervals_.attrs["largest_effect"] == 2.0
    shares = lines[["share_of_sampling", "share_of_privacy", "share_of_bound"]]
    assert shares.sum(axis=1).to_numpy() == pytest.approx(1.0)
    assert lines["largest_bias"].gt(0).all()
    # No row is at this site: only the declared bound speaks, and an estimate would say nothing.
    found = model.findings_
    assert found["not_estimable"] == ["site=never"] and found["same"] == [] and "age" in found["told_from_zero"]
    never = lines.loc["site=never"]
    assert never["share_of_bound"] > 0.5 and np.isnan(never[["estimate", "odds_ratio"]].astype(float)).all()
    assert not lines["estimate"].drop("site=never").isna().any()
    half = fitted(1.0).intervals_.set_index("term").loc["site=never"]
    assert 1.3 < (never["upper"] - never["lower"]) / (half["upper"] - half["lower"]) < 2.1


def test_without_a_declared_bound_there_are_no_findings(columns):
    model = discretion.LinearSVC(epsilon=8.0, bounds=(17, 90), intervals=True, random_state=0)
    model.fit(columns["age"][:, None], (columns["ill"] == "yes").astype(int))
    assert "share_of_bound" not in model.intervals_ and not hasattr(model, "findings_")


@command_line.needs_it
def test_the_frame_has_the_numbers_of_the_command_line_s_table(model, tmp_path):
    model.save(tmp_path / "model.json")
    text = command_line.run("export", tmp_path / "model.json", "--format", "csv", folder=tmp_path)
    table = pandas.read_csv(io.StringIO(text)).dropna(subset="estimate NOT PRIVATE").reset_index()
    frame = model.intervals_
    assert len(frame) == len(table) and table["name"][0] == "(intercept)"
    for ours, theirs in (("estimate", "estimate NOT PRIVATE"), ("lower", "lower"), ("upper", "upper"), ("p_value", "p_value")):
        assert frame[ours].to_numpy() == pytest.approx(table[theirs].to_numpy(), rel=1e-12)


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
    page = html.unescape(model.summary()._repr_html_())
    assert page.startswith("<div><p>NOT PRIVATE") and ">0.9" not in page
    assert re.search("<td [^>]*>rows</td><td [^>]*>3,000</td>", page)
    table = text.rstrip("\n").split("\n\n")[-1]
    assert "site=south" in table and f"<pre>{table}</pre>" in page


def test_what_a_notebook_shows_is_escaped(columns):
    frame = pandas.DataFrame({"<b>&": columns["age"]})
    model = discretion.LogisticRegression(epsilon=4.0, schema={"<b>&": (17, 90)}, lam=0.01, random_state=5)
    page = model.fit(frame, (columns["ill"] == "yes").astype(int)).summary()._repr_html_()
    assert "&lt;b&gt;&amp;" in page and "<b>" not in page
    assert "study" not in model.summary() and "0.01 (as given)" in model.summary()


def test_the_plot_shows_every_effect(model, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    ax = model.plot()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert [label.split("  ")[0] for label in labels] == ["age", "dose", "site=south", "site=west"]
    assert "NOT PRIVATE" in ax.get_title()
    drawn = {round(line.get_xdata()[0], 9) for line in ax.get_lines()}
    effects = [c["effect"]["interval"]["estimate"] for c in model.model_["coefficients"] if "effect" in c]
    assert {round(value, 9) for value in effects} <= drawn
    ax.figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000


def test_a_plot_of_many_effects_shows_the_largest(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (4000, 105))
    model = discretion.LogisticRegression(epsilon=8.0, bounds=(-1, 1), random_state=0).fit(X, (X[:, 7] > 0).astype(int))
    ax = model.plot()
    drawn = [label.get_text().split("  ")[0] for label in ax.get_yticklabels()]
    largest = sorted(np.argsort(-abs(model.coef_[0]))[:40])
    assert drawn == [f"x{i}" for i in largest] and "x7" in drawn
    assert ax.get_title().startswith("The 40 largest of 105 effects")
    figure = ax.figure
    assert figure.get_size_inches()[1] < 15
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(not one.overlaps(other) for one, other in zip(boxes, boxes[1:])), "names can be read"
    assert len(model.plot(most=None).get_yticklabels()) == 105
    with pytest.raises(discretion.InputError, match="most"):
        model.plot(most=0)


def test_without_matplotlib_the_error_says_what_to_install(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "discretion\[plot\]"'):
        model.plot()


def test_without_pandas_the_error_says_what_to_install(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'intervals_ needs pandas: pip install "discretion\[frames\]"'):
        model.intervals_


def test_the_report_has_every_coefficient(model, tmp_path):
    model.report(tmp_path / "report.html", file="my-model.json")
    page = (tmp_path / "report.html").read_text()
    assert "my-model.json" in page and "south" in page
