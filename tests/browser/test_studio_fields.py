"""Wrong input in each field of the page of `discretion studio`: it is told at its field, and taken back when it is mended. A field that is
not in the lists here makes a test fail."""

import json

from test_studio import ALL, Visitor, begin, declare, every_kind, folder  # noqa: F401

# What is wrong in each field of a column. What is right is what was there.
WRONG = {
    "age": {"min": "zero", "max": "-1", "missing": "x", "curve": "lots", "knots": "here", "monotone": None, "scale": None},
    "cost": {"min": "2000", "max": "0.5", "missing": "much", "curve": "1.5", "knots": "1, 1", "monotone": "up", "scale": None},
    "ward": {"values": "a\na", "labels": "z = Nowhere", "groups": "x = 2..1", "missing": None},
    "icd": {"values": "a\na", "labels": "nowhere = X", "groups": "heart = 459..390", "missing": "nobody"},
    "seen": {"min": "soon", "max": "2018-01-01", "format": "%Q", "parts": "century", "missing": "soon", "curve": "lots", "knots": "here", "monotone": "up"},
}
# Any text may mean "missing", and a box is ticked or not.
NEVER_WRONG = {"na", "integer"}


def mistaken(visitor, column, key, wrong):
    """Types what is wrong, sees that it is told at its column, and takes it back."""
    field = f"[data-field='columns/{column}/{key}'] :is(input, textarea, select)"
    before = visitor.page.evaluate(f"document.querySelector({json.dumps(field)}).value")
    visitor.fill(field, wrong)
    visitor.until(f"[...document.querySelectorAll('[data-column={column}] .wrong')].some((e) => e.textContent)")
    assert visitor.page.evaluate("document.querySelector('#to-plan').disabled"), (column, key)
    visitor.fill(field, before)
    visitor.until("[...document.querySelectorAll('main .wrong')].every((e) => !e.textContent)")


def test_every_field_of_the_columns(browser, begin, folder):  # noqa: F811
    every_kind(folder)
    running = begin()
    with Visitor(browser, running) as visitor:
        visitor.click("#begin")
        declare(visitor, ALL, "ill", "yes", "no")
        fields = visitor.page.evaluate("[...document.querySelectorAll('.column [data-field]')].map((e) => e.dataset.field)")
        keys = [field.split("/")[1:] for field in fields]
        unknown = [(column, key) for column, key in keys if key not in ("", "kind") and key not in NEVER_WRONG and key not in WRONG[column]]
        assert unknown == [], "a field without a mistake to make"
        for column, mistakes in WRONG.items():
            for key, wrong in mistakes.items():
                if wrong is not None:
                    mistaken(visitor, column, key, wrong)
        # The outcome, in each of the ways to say it.
        for kind, mistakes in {
            "two": {"positive": "no", "negative": "no"}, "above": {"above": "high"}, "classes": {"classes": "a\na"},
            "number": {"outcome_min": "low", "outcome_max": "high"},
        }.items():
            visitor.fill("#predicts", kind)
            for key, wrong in mistakes.items():
                visitor.fill(f"#data-{key}", wrong)
            told = " || ".join(f"document.querySelector('[data-field=\"data//{key}\"] .wrong').textContent" for key in mistakes)
            visitor.until(told)
            assert visitor.page.evaluate("document.querySelector('#to-plan').disabled"), kind
        visitor.fill("#account", "")
        visitor.until("document.querySelector('[data-field=\"data//account\"]').className.includes('is-open')")
        # A data dictionary that is not there, and one that is.
        visitor.page.evaluate("document.querySelector('.sources').open = true")
        visitor.fill("#dictionary", "nowhere.csv")
        visitor.page.evaluate("document.querySelector('.sources button').click()")
        visitor.until("document.querySelector('#columns-said .wrong-box')")
        (folder / "dictionary.csv").write_text("name,type,min,max\nage,number,1,99\n", encoding="utf-8")
        visitor.fill("#dictionary", "dictionary.csv")
        visitor.page.evaluate("document.querySelector('.sources button').click()")
        visitor.until("document.querySelector('[data-field=\"columns/age/max\"] input').value === '99'")
        assert "NOT PRIVATE" not in visitor.text("[data-column=age]")
    running.stop()


def test_every_field_of_the_other_steps(browser, begin, folder):  # noqa: F811
    every_kind(folder)
    running = begin()
    with Visitor(browser, running) as visitor:
        # The table and the study's name.
        for name, path, says in [("every", "every.csv", "study file"), ("every.toml", "/nowhere/at/all.csv", "nowhere"), ("../x.toml", "every.csv", "study")]:
            visitor.fill("#typed-path", path)
            visitor.fill("#study-name", name)
            visitor.click("#begin")
            visitor.until(f"document.querySelector('.said .wrong-box')?.innerText.includes({json.dumps(says)})")
        visitor.fill("#typed-path", str(folder / "every.csv"))
        visitor.click("#begin")
        declare(visitor, ALL, "ill", "yes", "no")
        visitor.go("plan")
        visitor.until("document.querySelector('#in-words')")
        visitor.page.evaluate("document.querySelector('#evaluate-on input').click()")
        visitor.until("document.querySelector('#evaluate-share')")
        for field, wrong in {
            "epsilon": "much", "rows": "many", "used-columns": "none", "budget-epsilon": "-1", "budget-delta": "2", "model-lambda": "small",
            "evaluate-share": "2",
        }.items():
            before = visitor.page.evaluate(f"document.querySelector('#{field}').value")
            visitor.fill(f"#{field}", wrong)
            visitor.until(f"document.querySelector('#{field}-said').textContent")
            assert visitor.page.evaluate("document.querySelector('#to-run').disabled"), field
            visitor.fill(f"#{field}", before)
            visitor.until(f"!document.querySelector('#{field}-said').textContent && document.querySelector('#in-words')")
        listed = visitor.page.evaluate("[...document.querySelectorAll('main input[type=text]')].map((e) => e.id)")
        assert set(listed) == {"epsilon", "rows", "used-columns", "budget-epsilon", "budget-delta", "model-lambda", "evaluate-share"}
        visitor.go("run")
        for wrong in ("../elsewhere", ""):
            visitor.fill("#run-folder", wrong)
            visitor.click("#ask-price")
            visitor.until("document.querySelector('.said .wrong-box') && !document.querySelector('#ask-price').disabled")
            assert not visitor.has("#yes"), wrong
        running.ask("run", study="every.toml", folder="model", seed=4)
        while running.ask("state")["run"]["stage"] not in ("done", "refused"):
            pass
        visitor.go("more")
        visitor.until("document.querySelector('#vote-queries')")
        visitor.click("#density-ask-price")
        visitor.until("[...document.querySelectorAll('.said .wrong-box')].some((e) => e.innerText.includes('column'))")
        for field, wrong in {"predict-table": "nowhere.csv", "predict-keep": "nobody", "predict-out": "scores.txt"}.items():
            before = visitor.page.evaluate(f"document.querySelector('#{field}').value")
            visitor.page.evaluate("document.querySelector('#predict-said').replaceChildren()")
            visitor.fill(f"#{field}", wrong)
            visitor.click("#predict-go")
            visitor.until("document.querySelector('#predict-said .wrong-box')")
            visitor.fill(f"#{field}", before)
        visitor.fill("#vote-queries", "20")
        visitor.fill("#vote-scores", "true")
        for field, wrong in {"vote-queries": "many", "vote-gamma": "wide", "vote-confidence": "sure"}.items():
            before = visitor.page.evaluate(f"document.querySelector('#{field}').value")
            visitor.fill(f"#{field}", wrong)
            visitor.until(f"document.querySelector('#{field}-said').textContent")
            visitor.fill(f"#{field}", before)
            visitor.until(f"!document.querySelector('#{field}-said').textContent")
    running.stop()
