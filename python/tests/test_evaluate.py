"""Rows that are held out tell how good a model is, for no budget."""

import numpy as np
import pandas
import pytest

import discretion


def table(rows=6000, classes=2):
    chance = np.random.default_rng(4)
    x = chance.uniform(-1, 1, rows)
    place = x + chance.normal(0, 0.4, rows)
    y = np.digitize(place, [0.2] if classes == 2 else [-0.3, 0.3])
    return pandas.DataFrame({"x": x, "sex": np.where(np.arange(rows) % 2, "f", "m")}), y


SCHEMA = {"x": (-1, 1), "sex": ["f", "m"]}


def model(**more):
    return discretion.LogisticRegression(**({"epsilon": 4.0, "schema": SCHEMA, "random_state": 3} | more))


def test_figures_with_intervals_and_groups():
    X, y = table()
    fitted = model(evaluate=0.25, evaluate_by="sex").fit(X, y)
    quality = fitted.quality_
    assert quality["rows"] == 1500 and fitted.model_["training"]["rows"] == 4500
    auc = quality["figures"]["auc"]
    assert 0.8 < auc["lower"] < auc["value"] < auc["upper"] < 1
    assert [group["value"] for group in quality["groups"]] == ["f", "m", "(all others)"]
    frame = fitted.thresholds_
    assert len(frame) == len(quality["figures"]["thresholds"]) and (frame["recall_lower"] <= frame["recall"]).all()
    assert "AUC" in str(fitted.summary()) and "on rows that did not train" in str(fitted.summary())


def test_training_does_not_look_at_what_is_held_out():
    X, y = table()
    usual = model(evaluate=0.25).fit(X, y)
    other = y.copy()
    other[3] = 1 - other[3]  # Every fourth row is held out.
    changed = model(evaluate=0.25).fit(X, other)
    assert (changed.coef_ == usual.coef_).all() and changed.quality_ != usual.quality_
    other = y.copy()
    other[0] = 1 - other[0]
    assert (model(evaluate=0.25).fit(X, other).coef_ != usual.coef_).any()


def test_it_costs_no_budget(tmp_path):
    X, y = table()
    account = discretion.Ledger(tmp_path / "ledger.sqlite").account("a", epsilon=4.0)
    fitted = model(evaluate=True, random_state=None, account=account).fit(X, y)
    assert fitted.private_ and fitted.quality_["rows"] == 900
    assert account.left == pytest.approx(0, abs=1e-6)


def test_several_classes():
    X, y = table(classes=3)
    fitted = model(evaluate=0.5, classes=(0, 1, 2)).fit(X, y)
    figures = fitted.quality_["figures"]
    assert fitted.quality_["classes"] == ["0", "1", "2"] and len(figures["classes"]) == 3
    held_out = np.arange(len(y)) % 2 == 1
    right = (fitted.predict(X)[held_out] == y[held_out]).mean()
    assert figures["accuracy"]["lower"] < right < figures["accuracy"]["upper"]
    with pytest.raises(AttributeError, match="two classes"):
        fitted.thresholds_


@pytest.mark.parametrize("kind", [discretion.LinearRegression, discretion.HuberRegressor])
def test_numbers(kind, tmp_path):
    X, _ = table()
    y = 3 * X["x"] + np.random.default_rng(5).normal(0, 0.5, len(X))
    settings = {"epsilon": 4.0, "schema": SCHEMA, "y_bounds": (-6, 6), "evaluate": 0.25, "evaluate_by": "sex"}
    fitted = kind(**settings, random_state=3).fit(X, y)
    # Every fourth row is held out; of the others half are of either sex.
    quality, held_out = fitted.quality_, np.arange(len(y)) % 4 == 3
    assert quality["rows"] == 1500 and fitted.model_["training"]["rows"] == 4500
    residuals = (y - fitted.predict(X))[held_out]
    figures = quality["figures"]
    for name, truth in [("root_mean_square", (residuals**2).mean() ** 0.5), ("mean_size", residuals.abs().mean())]:
        assert figures[name]["lower"] < truth < figures[name]["upper"]
    assert ("explained" in figures) == (kind is discretion.LinearRegression)
    assert len(quality["groups"]) == 3 and "on rows that did not train" in str(fitted.summary())
    assert "for evaluation" in str(kind(**settings).plan(6000))
    # The rows that train are the only ones that coefficients depend on.
    other = y.copy()
    other[3] = -y[3]
    changed = kind(**settings, random_state=3).fit(X, other)
    assert (changed.coef_ == fitted.coef_).all() and changed.quality_ != quality
    account = discretion.Ledger(tmp_path / "ledger.sqlite").account("a", epsilon=4.0)
    assert kind(**settings, account=account).fit(X, y).private_
    assert account.left == pytest.approx(0, abs=1e-6)


def test_persons_are_held_out_whole():
    X, y = table()
    fitted = model(evaluate=0.25).fit(X, y, person=np.arange(len(y)) // 3)
    assert fitted.quality_["rows"] == 500


def test_a_plan_says_how_exact_it_will_be():
    assert "for evaluation" in str(model(evaluate=0.25).plan(6000))
    assert "for evaluation" not in str(model().plan(6000))


@pytest.mark.parametrize(
    ("more", "words", "kind"),
    [
        ({"evaluate": 2.0}, "share of the rows", ValueError),
        ({"evaluate_by": "sex"}, "evaluate=True", ValueError),
        ({"evaluate": True, "evaluate_by": 3}, "name of a column", TypeError),
        ({"evaluate": True, "evaluate_by": "x"}, "column of categories", ValueError),
    ],
)
def test_mistakes(more, words, kind):
    with pytest.raises(kind, match=words):
        model(**more).fit(*table())


def test_without_held_out_rows_there_is_nothing():
    with pytest.raises(AttributeError, match="evaluate=True"):
        model().fit(*table()).quality_
