"""LinearRegression and HuberRegressor: scikit-learn's conventions, what it releases, and what it refuses before a charge."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

import discretion
from discretion import HuberRegressor, InputError, InputTypeError, Ledger, LinearRegression

# So much budget and such bounds that the noise does not matter where a check looks at scores.
LOOSE = LinearRegression(epsilon=1e3, bounds=(-10, 10), y_bounds=(-10, 10), accept_check=True, random_state=0)
LOOSE_HUBER = HuberRegressor(epsilon=1e3, lam=1e-4, bounds=(-10, 10), y_bounds=(-10, 10), accept_check=True, random_state=0)


@parametrize_with_checks([LOOSE, LOOSE_HUBER])
def test_sklearn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", discretion.Note)
        check(estimator)


def rows(n=4000, seed=1):
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": generator.uniform(20, 80, n), "ward": generator.choice(["A", "B"], n)})
    days = 0.5 * frame["age"] + 10 * (frame["ward"] == "B") + generator.normal(0, 3, n)
    return frame, days.rename("days")


SCHEMA = {"age": (20, 80), "ward": ["A", "B"]}


def test_a_frame_is_fitted_charged_saved_and_read_again(tmp_path):
    frame, days = rows()
    account = discretion.account("a", epsilon=30, ledger=Ledger.in_memory())
    model = LinearRegression(epsilon=20, schema=SCHEMA, y_bounds=(0, 60), account=account).fit(frame, days)
    assert model.private_ and 0.5 < model.r2_ <= 1
    assert abs(model.coefficients_["age"] - 0.5) < 0.05
    effects = model.intervals_.set_index("term")
    assert abs(effects.loc["ward=B", "estimate"] - 10) < 1
    assert (effects["lower"] < effects["upper"]).all()
    predicted = model.predict(frame)
    assert np.corrcoef(predicted, days)[0, 1] > 0.8
    model.save(tmp_path / "model.json")
    again = discretion.load(tmp_path / "model.json")
    assert isinstance(again, LinearRegression) and again.coefficients_ == model.coefficients_
    assert np.array_equal(again.predict(frame), predicted)
    model.report(tmp_path / "report.html")
    assert json.loads((tmp_path / "model.json").read_text())["format"] == "discretion-number/1"


def test_much_budget_is_ridge():
    frame, days = rows()
    X = frame[["age"]].to_numpy()
    model = LinearRegression(epsilon=1000, bounds=(20, 80), y_bounds=(0, 60), random_state=0).fit(X, days)
    plain = Ridge(alpha=1e-9).fit(X, days.clip(0, 60))
    assert abs(model.coef_[0] - plain.coef_[0]) < 0.01


def test_what_cannot_be_is_refused_before_a_charge():
    X, y = np.array([[0.5], [0.1]] * 50), np.array([1.0, 2.0] * 50)
    account = discretion.account("b", epsilon=3, ledger=Ledger.in_memory())

    def fit(**settings):
        return LinearRegression(epsilon=1, bounds=(0, 1), account=account, **settings).fit

    with pytest.raises(InputTypeError, match="y_bounds"):
        fit()(X, y)
    with pytest.raises(InputError, match="every value costs the same"):
        fit(y_bounds=(0, 3), lam=[0.1, 0.2])(X, y)
    with pytest.raises(InputError, match="y_scale"):
        fit(y_bounds=(0, 3), y_scale="cubic")(X, y)
    with pytest.raises(ValueError):
        fit(y_bounds=(0, 3))(X, np.where(y > 1, np.nan, y))
    with pytest.raises(InputError, match="looks like a mistake"):
        fit(y_bounds=(5, 9))(X, y)
    assert account.spent == 0


def test_an_outcome_has_one_number_for_each_row():
    frame, days = rows(200)
    settings = {"epsilon": 1, "schema": SCHEMA, "y_bounds": (0, 60), "random_state": 0}
    model = LinearRegression(**settings)
    for shape in ((200, 1), (100, 2)):
        with pytest.raises(InputError, match="1d array"):
            HuberRegressor(**settings).fit(frame, days.to_numpy().reshape(shape))
    with pytest.raises(InputError, match="different numbers of rows"):
        model.fit(frame, days.to_numpy().reshape(100, 2))
    with pytest.raises(InputTypeError, match="one number for each row"):
        model.fit(frame, ["many"] * 200)


def test_an_outcome_may_be_called_like_a_column():
    frame, days = rows()
    model = LinearRegression(epsilon=20, schema=SCHEMA, y_bounds=(0, 60), random_state=0).fit(frame, days.rename("age"))
    assert model.model_["schema"]["target"]["column"] == "age_" and model.r2_ > 0.5


def test_a_plan_is_what_the_fit_does():
    frame, days = rows()
    model = LinearRegression(epsilon=1, schema=SCHEMA, y_bounds=(0, 60), random_state=0)
    plan = model.plan(len(frame))
    assert (plan.rows, plan.coefficients) == (4000, 4) and plan.released == plan.to_dict()["released"]
    assert model.fit(frame, days).model_["training"]["released"] == plan.released
    assert model.plan(10 * len(frame)).mean_deviation < plan.mean_deviation < 60
    assert "released" in str(plan)
    assert LinearRegression(rho=0.1, bounds=((0, 0), (1, 1)), y_bounds=(0, 1)).plan(100).coefficients == 3
    with pytest.raises(InputError, match="every value costs the same"):
        LinearRegression(epsilon=1, schema=SCHEMA, y_bounds=(0, 60), lam=[1, 2]).plan(10)


def test_huber_is_fitted_charged_saved_and_read_again(tmp_path):
    frame, days = rows()
    # One in twenty has an outcome that has nothing to do with its columns.
    days = days.where(np.arange(len(days)) % 20 > 0, 60.0)
    account = discretion.account("a", epsilon=30, ledger=Ledger.in_memory())
    model = HuberRegressor(epsilon=10, delta=1e-6, schema=SCHEMA, y_bounds=(0, 60), account=account)
    plan = model.plan(len(frame))
    assert plan.lam > 0 and plan.mean_deviation is None and 0 < plan.expected_error < 60 and "prediction" in str(plan)
    model.fit(frame, days)
    assert model.private_ and model.lam_ == pytest.approx(plan.lam)
    squares = LinearRegression(epsilon=1e3, schema=SCHEMA, y_bounds=(0, 60), random_state=0).fit(frame, days)
    ordinary, outliers = model.predict(frame)[1:20], days[1:20]
    assert np.abs(ordinary - outliers).mean() < np.abs(squares.predict(frame)[1:20] - outliers).mean()
    assert not hasattr(model, "intervals_") and not hasattr(model, "r2_")
    model.save(tmp_path / "model.json")
    again = discretion.load(tmp_path / "model.json")
    assert isinstance(again, HuberRegressor) and again.coefficients_ == model.coefficients_
    assert np.array_equal(again.predict(frame), model.predict(frame))
    model.report(tmp_path / "report.html")
    assert "Huber" in str(model.summary()) and "R²" not in (tmp_path / "report.html").read_text()
    with pytest.raises(InputError, match="for classes so far"):
        HuberRegressor(epsilon=1, schema=SCHEMA, y_bounds=(0, 60), lam=[1, 2]).plan(10)


def test_huber_says_where_its_noise_goes_and_plans_of_classes_refuse_it():
    X = np.linspace(-1, 1, 2000).reshape(-1, 1)
    settings = {"epsilon": 5.0, "bounds": (-1, 1), "y_bounds": (-5, 5), "random_state": 0}
    noise = {
        method: HuberRegressor(method=method, **settings).fit(X, 3 * X[:, 0]).model_["training"]["noise"]
        for method in ("objective", "output")
    }
    assert noise["objective"] != noise["output"]
    with pytest.raises(InputError, match="method"):
        HuberRegressor(method="neither", **settings).fit(X, X[:, 0])
    with pytest.raises(InputError, match="outcome that is a number"):
        discretion.plan(1000, coefficients=5, epsilon=1, loss="huber")


def test_several_outcomes_come_from_one_release_and_one_charge(tmp_path):
    frame, days = rows()
    both = pd.DataFrame({"days": days, "cost": 900 - 5 * frame["age"] + 2 * days})
    account = discretion.account("several", epsilon=50, ledger=Ledger.in_memory())
    model = LinearRegression(epsilon=40, schema=SCHEMA, y_bounds=([0, 0], [60, 1000]), account=account)
    plan = model.plan(4000)
    assert "for each of 2 outcomes" in str(plan)
    model.fit(frame, both)
    assert 39 < account.spent <= 40 * (1 + 1e-9)
    assert model.coef_.shape == (2, len(model.coefficients_["days"]) - 1) and model.intercept_.shape == model.r2_.shape == (2,)
    assert abs(model.coefficients_["days"]["age"] - 0.5) < 0.05 and abs(model.coefficients_["cost"]["age"] + 4) < 0.6
    assert set(model.intervals_["outcome"]) == {"days", "cost"}
    predicted = model.predict(frame)
    assert predicted.shape == (4000, 2) and model.score(frame, both) > 0.6
    model.save(tmp_path / "model.json")
    again = discretion.load(tmp_path / "model.json")
    assert np.array_equal(again.predict(frame), predicted) and np.array_equal(again.coef_, model.coef_)
    for settings, words in [({"evaluate": 0.2}, "an evaluation takes one outcome"), ({"y_bounds": ([0, 0, 0], [1, 1, 1])}, "y_bounds")]:
        with pytest.raises((InputError, InputTypeError), match=words):
            LinearRegression(**({"epsilon": 1, "schema": SCHEMA, "y_bounds": (0, 1000), "account": account} | settings)).fit(frame, both)
    with pytest.raises(InputError, match="1d array"):
        HuberRegressor(epsilon=1, schema=SCHEMA, y_bounds=(0, 60), account=account).fit(frame, both)


def test_an_array_of_outcomes_is_fitted_like_each_of_them():
    generator = np.random.default_rng(3)
    X = generator.uniform(-1, 1, (3000, 2))
    y = X @ np.array([[1.0, -2.0], [0.5, 1.0]]) + generator.normal(0, 0.1, (3000, 2))
    settings = {"epsilon": 1000, "bounds": (-1, 1), "y_bounds": (-4, 4), "lam": 1e-6, "random_state": 0}
    model = LinearRegression(**settings).fit(X, y)
    alone = [LinearRegression(**settings).fit(X, y[:, k]) for k in range(2)]
    assert np.allclose(model.coef_, [one.coef_ for one in alone], atol=0.01)
    assert model.predict(X).shape == (3000, 2) and LinearRegression(**settings).fit(X, y[:, :1]).predict(X).shape == (3000, 1)
