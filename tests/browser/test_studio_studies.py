"""The page of `discretion studio` on studies that are there already: what is typed is what is charged, refusals are told in words, and
outcomes, budgets and jobs of every kind."""

import json
import sqlite3
import time

from test_studio import Visitor, begin, folder  # noqa: F401

HEAD = "# Written by hand.\n[data]\npath = {path}\naccount = \"stays\"\n{outcome}\n"
REST = """[budget]
{budget}
[spend]
{spend}
[columns]
age = {{ min = 0, max = 100 }}
sex = {{ values = ["f", "m"] }}
{columns}
"""
TWO = 'target = "ill"\npositive = "yes"\nnegative = "no"'
DROPS = 'id = { drop = true }\ndays = { drop = true }\nward = { drop = true }'


def rows(count=1200):
    for i in range(count):
        age, sex, days = i * 7 % 80 + 10, "fm"[i % 2], i * 3 % 50
        yield f"P{i}", age, sex, "abc"[(age + i % 5) % 3], days, "yes" if age + 3 * (i % 2) > 50 else "no"


def table(folder):  # noqa: F811
    folder.mkdir(exist_ok=True)
    lines = ["id,age,sex,ward,days,ill", *(",".join(map(str, row)) for row in rows())]
    (folder / "stays.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_study(folder, name="stays.toml", outcome=TWO, budget="epsilon = 3", spend="epsilon = 1", columns=DROPS, path='"stays.csv"'):  # noqa: F811
    text = HEAD.format(path=path, outcome=outcome) + REST.format(budget=budget, spend=spend, columns=columns)
    (folder / name).write_text(text, encoding="utf-8")
    return text


def open_study(visitor, name="stays.toml"):
    visitor.go("table")
    script = f"[...document.querySelectorAll('.choice')].find((button) => button.textContent === {json.dumps(name)})"
    visitor.until(script)
    visitor.page.evaluate(f"{script}.click()")
    visitor.until("document.querySelector('.step-columns #outcome-column')")
    visitor.until(f"document.querySelector('#steps').innerText.includes({json.dumps(name)})")


def rehearse(running, **job):
    """Runs a job under a seed, and waits for it."""
    running.ask("run", **job)
    while (run := running.ask("state")["run"])["stage"] not in ("done", "refused"):
        time.sleep(0.02)
    assert run["stage"] == "done", run


def test_what_is_typed_is_what_is_charged(browser, begin, folder):  # noqa: F811
    table(folder)
    text = write_study(folder)
    running = begin()
    with Visitor(browser, running) as visitor:
        # A visit changes nothing: comments stay.
        open_study(visitor)
        visitor.go("plan")
        visitor.until("document.querySelector('#in-words')")
        visitor.go("run")
        visitor.until("document.querySelector('#ask-price')")
        assert (folder / "stays.toml").read_text(encoding="utf-8") == text
        # Whoever types and goes on at once pays what was typed.
        visitor.go("plan")
        visitor.until("document.querySelector('#in-words')")
        visitor.fill("#epsilon", "0.25")
        visitor.page.evaluate("document.querySelector('#to-run').click()")
        visitor.until("document.querySelector('#ask-price')")
        visitor.click("#ask-price")
        visitor.until("document.querySelector('#yes')")
        assert "pays ε = 0.25;" in visitor.text("#price")
        # Another tab changes the study before the yes: nothing is charged.
        study = (folder / "stays.toml").read_text(encoding="utf-8")
        (folder / "stays.toml").write_text(study.replace("epsilon = 0.25", "epsilon = 2"), encoding="utf-8")
        visitor.click("#yes")
        visitor.until("document.querySelector('.said .wrong-box')")
        assert "changed since its price" in visitor.text(".said")
        assert running.ask("history")["accounts"] == []
        (folder / "stays.toml").write_text(study, encoding="utf-8")
        for again in (False, True):
            visitor.go("plan")
            visitor.go("run")
            visitor.fill("#run-folder", f"results-{again}")
            visitor.click("#ask-price")
            visitor.click("#yes")
            visitor.until(f"document.querySelector('#progress {'.wrong-box' if again else '.links'}')")
        # A run that is refused says why, without a flag, and offers the box.
        said = visitor.text("#progress .wrong-box")
        assert "has paid for this very job" in said and "--" not in said and "fault" not in visitor.text()
        visitor.readable("refused")
        visitor.page.evaluate("document.querySelector('[data-consent=again] input').click()")
        visitor.click("#ask-price")
        visitor.click("#yes")
        visitor.until("document.querySelector('#progress .links')")
        assert running.ask("history")["accounts"][0]["standing"]["charges"] == 2
        # What cannot be saved is not run with.
        visitor.go("plan")
        visitor.until("document.querySelector('#in-words')")
        (folder / "stays.toml").write_text(study + "# by an editor\n", encoding="utf-8")
        visitor.fill("#epsilon", "0.1")
        visitor.go("run")
        assert not visitor.has("#ask-price") and "another tab or an editor" in visitor.text()
        # The browser notes what was refused, and nothing else.
        assert all("(Conflict)" in complaint for complaint in visitor.page.complaints())
    running.stop()


def test_outcomes_and_budgets_of_every_kind(browser, begin, folder):  # noqa: F811
    table(folder)
    free = 'id = { drop = true }\nill = { drop = true }\n'
    number = write_study(folder, "number.toml", 'outcome = { column = "days", min = 0, max = 60 }', columns=free + "ward = { drop = true }")
    (folder / "number.toml").write_text(number + '[model]\nloss = "squares"\n', encoding="utf-8")
    write_study(folder, "classes.toml", 'target = "ward"\nclasses = ["a", "b", "c"]', columns=free + "days = { drop = true }")
    write_study(folder, "two.toml", 'target = "days"\npositive = { above = 20 }', columns=free + "ward = { drop = true }")
    (folder / "two.toml").write_text((folder / "two.toml").read_text(encoding="utf-8") + '[evaluate]\nshare = 0.3\nby = "sex"\n', encoding="utf-8")
    huber = write_study(folder, "huber.toml", 'outcome = { column = "days", min = 0, max = 60 }', columns=free + "ward = { drop = true }")
    (folder / "huber.toml").write_text(huber + '[model]\nloss = "huber"\n', encoding="utf-8")
    running = begin()
    for name in ("number", "classes", "two", "huber"):
        rehearse(running, study=f"{name}.toml", folder=name, seed=3)
    with Visitor(browser, running, "phone") as visitor:
        open_study(visitor, "number.toml")
        assert visitor.page.evaluate("document.querySelector('#data-outcome_max').value") == "60"
        visitor.fill("#data-outcome_max", "soon")
        visitor.until("document.querySelector('[data-field=\"data//outcome_max\"] .wrong').textContent.includes('number')")
        visitor.fill("#data-outcome_max", "50")
        visitor.until("!document.querySelector('#to-plan').disabled")
        visitor.readable("number-columns")
        # From a number to one of two things, and to a threshold.
        visitor.fill("#predicts", "above")
        visitor.until("document.querySelector('#data-above') && document.querySelector('#to-plan').disabled")
        visitor.fill("#data-above", "25")
        visitor.until("!document.querySelector('#to-plan').disabled")
        assert "positive = { above = 25 }" in (folder / "number.toml").read_text(encoding="utf-8")
        visitor.fill("#predicts", "number")
        visitor.fill("#data-outcome_min", "0")
        visitor.fill("#data-outcome_max", "60")
        visitor.until("!document.querySelector('#to-plan').disabled")
        visitor.go("plan")
        visitor.until("document.querySelector('#in-words')")
        assert "mean" in visitor.text("#plan-found")
        # ρ, and fewer columns.
        visitor.fill("#measure", "rho")
        visitor.until("document.querySelector('#rho') && document.querySelector('#plan-found').innerText.includes('ρ = 0.1')")
        visitor.fill("#rho", "0.02")
        visitor.until("document.querySelector('#plan-found').innerText.includes('ρ = 0.02')")
        visitor.fill("#rho", "much")
        visitor.until("document.querySelector('[data-for=\"spend//rho\"]').textContent.includes('number')")
        visitor.fill("#rho", "0.02")
        visitor.until("document.querySelector('#in-words')")
        visitor.fill("#used-columns", "1")
        visitor.until("document.querySelector('#to-run').disabled")
        visitor.readable("rho-plan")
        # Models of different kinds are not put side by side as if they were alike; each of several classes has its own effects.
        visitor.go("history")
        visitor.until("document.querySelector('.compared')")
        visitor.fill("#model-0", "number/seeded-model.json")
        visitor.fill("#model-1", "two/seeded-model.json")
        visitor.until("document.querySelector('#compared').dataset.shown === 'number/seeded-model.json | two/seeded-model.json'")
        assert "different things" in visitor.text("#compared")
        assert "NaN" not in visitor.text("#compared") and "variance explained" in visitor.text("#compared")
        assert "Quality, sex = f" in visitor.text("#compared") and "AUC" in visitor.text("#compared")
        # Huber's loss tells no share of the variance.
        visitor.fill("#model-1", "huber/seeded-model.json")
        visitor.until("document.querySelector('#compared').innerText.includes('Effects on days')")
        assert "NaN" not in visitor.text("#compared") and "undefined" not in visitor.text("#compared")
        visitor.fill("#model-0", "classes/seeded-model.json")
        visitor.fill("#model-1", "classes/seeded-model.json")
        visitor.until("document.querySelector('#compared').innerText.includes('score of each class')")
        assert all(f"{name}: age" in visitor.text("#compared") for name in "abc")
        visitor.readable("compared")
        # A dossier of several classes; what has none says so.
        dossier = "[...document.querySelectorAll('.links li')].find((e) => e.innerText.startsWith('%s/')).querySelector('button').click()"
        visitor.page.evaluate(dossier % "classes")
        visitor.until("document.querySelector('.done-box a[href*=\"classes/dossier\"]')")
        # The plan of Huber's loss has its error, and curves cost something there.
        open_study(visitor, "huber.toml")
        visitor.go("plan")
        visitor.until("document.querySelector('#in-words')")
        assert "NaN" not in visitor.text("#plan-found") and "Straight lines" not in visitor.text("#in-words")
        assert visitor.page.evaluate("document.querySelectorAll('#curves .bar').length") >= 2
        assert visitor.page.complaints() == []
    running.stop()


def test_a_database_an_evaluation_and_answers(browser, begin, folder):  # noqa: F811
    folder.mkdir()
    with sqlite3.connect(folder / "hospital.sqlite") as database:
        database.execute("create table stays (id text, age real, sex text, ward text, days real, ill text)")
        database.executemany("insert into stays values (?, ?, ?, ?, ?, ?)", rows(6000))
    running = begin()
    with Visitor(browser, running) as visitor:
        visitor.until("!document.querySelector('#query').closest('.field').hidden")
        visitor.fill("#query", "select age, sex, ill from stays")
        visitor.readable("database")
        visitor.click("#begin")
        visitor.until("document.querySelector('#outcome-column')")
        visitor.fill("#outcome-column", "ill")
        visitor.fill("#data-positive", "yes")
        visitor.fill("#data-negative", "no")
        visitor.column("age", "number", min="0", max="100")
        visitor.column("sex", "category", values="f\nm")
        visitor.until("!document.querySelector('#to-plan').disabled")
        assert "query = \"select age, sex, ill from stays\"" in (folder / "hospital.toml").read_text(encoding="utf-8").replace("    ", "")
        visitor.go("plan")
        visitor.until("document.querySelector('#in-words')")
        visitor.fill("#delta", "1e-6")
        visitor.until("document.querySelector('#plan-found').innerText.includes('δ = 1e-6')")
        rehearse(running, study="hospital.toml", folder="model", seed=4)
        others = [f"{age},{sex},{ill}" for _, age, sex, _, _, ill in rows()]
        (folder / "others.csv").write_text("\n".join(["age,sex,ill", *others]) + "\n", encoding="utf-8")
        (folder / "queries.csv").write_text("age,sex\n20,f\n80,m\n", encoding="utf-8")
        visitor.go("more")
        visitor.until("document.querySelector('#evaluation-ask-price')")
        visitor.fill("#evaluate-table", "others.csv")
        visitor.fill("#evaluate-account", "others")
        visitor.fill("#evaluation-by", "sex")
        visitor.click("#evaluation-ask-price")
        visitor.click("#evaluation-yes")
        visitor.until("document.querySelector('#evaluation-progress pre')")
        said = visitor.text("#evaluation-progress pre")
        assert "AUC" in said and "sex" in said and "(all others)" in said
        # Answers: wrong words are told at their field, the price comes first.
        visitor.fill("#vote-queries", "many")
        visitor.until("document.querySelector('[data-for=\"vote//queries\"]').textContent !== ''")
        visitor.fill("#vote-queries", "20")
        visitor.fill("#vote-answer", "all")
        visitor.until("document.querySelector('[data-for=\"vote//queries\"]').textContent === ''")
        visitor.fill("#vote-learner", '"trees"')
        visitor.fill("#answer-queries", "queries.csv")
        visitor.page.evaluate("document.querySelector('#answer-student input').click()")
        visitor.click("#answers-ask-price")
        visitor.until("document.querySelector('#answers-yes')")
        assert "pays ε" in visitor.text("#answers-price")
        visitor.click("#answers-yes")
        visitor.until("document.querySelector('#answers-progress pre') || document.querySelector('#answers-progress .wrong-box')")
        visitor.readable("answers")
        assert "2 queries" in visitor.text("#answers-progress")
        # A model of the answers, with its report.
        links = visitor.page.evaluate("[...document.querySelectorAll('#answers-progress a')].map((e) => e.innerText)")
        assert links == ["hospital-answers/model.json", "hospital-answers/report.html"]
        assert "learner = \"trees\"" in (folder / "hospital.toml").read_text(encoding="utf-8").replace("  ", "")
        # Scores, each to a width of its own: one for each query, or none.
        visitor.fill("#vote-answer", "")
        visitor.fill("#vote-learner", "")
        visitor.fill("#vote-scores", "true")
        visitor.fill("#answers-run-folder", "scores")
        visitor.fill("#answer-gammas", "widths.csv")
        visitor.page.evaluate("document.querySelector('#answers-rehearse input').click()")
        for widths in ("0.5\n", "0.5\n0.25\n"):
            (folder / "widths.csv").write_text(widths, encoding="utf-8")
            visitor.click("#answers-ask-price")
            visitor.click("#answers-yes")
            visitor.until(f"document.querySelector('#answers-progress {'.wrong-box' if widths == '0.5' + chr(10) else 'pre'}')")
            if visitor.has("#answers-progress .wrong-box"):
                assert "1 widths for 2 queries" in visitor.text("#answers-progress")
        assert visitor.page.complaints() == []
    lines = (folder / "hospital-answers" / "answers.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[2] for line in lines[1:]] == ["answered", "answered"]
    assert (folder / "scores" / "seeded-answers.csv").read_text(encoding="utf-8").startswith("row,score NOT PRIVATE,status\n")
    assert len(running.ask("history")["accounts"]) == 1, "that of the other rows is not of a study here"
    running.stop()
