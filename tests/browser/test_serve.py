"""The page of `discretion serve` in a real browser: ask one, upload fifty, run out of budget, wrong token."""

import json
import pathlib
import sys
import time

import pytest

import devtools
from conftest import SHOTS
from test_report import LOOKS, VIEWS, looks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "serve"))
from service import Service  # noqa: E402
@pytest.fixture
def service(tmp_path):
    service = Service(tmp_path, 1000, 20)
    yield service
    log = service.stop()
    # Logs hold no query, no answer and no token.
    assert service.analyst not in log and "clerk" not in log
    assert all(json.loads(line)["event"] for line in log.splitlines())


def wait(page, condition):
    page.evaluate(f"new Promise(done => {{ const look = () => ({condition}) ? done() : setTimeout(look, 20); look(); }})")


def wait_for(condition):
    deadline = time.monotonic() + devtools.PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def enter(page, token):
    wait(page, "document.title.includes('approved')")
    page.evaluate(f"document.getElementById('token').value = {json.dumps(token)}")
    page.evaluate("document.querySelector('#token-form button').click()")


def text(page, name):
    return page.evaluate(f"document.getElementById('{name}').innerText")


def upload(page, path):
    document = page.call("DOM.getDocument")["root"]["nodeId"]
    node = page.call("DOM.querySelector", nodeId=document, selector="#file")["nodeId"]
    page.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])
    page.evaluate("document.querySelector('#many-form button').click()")
    wait(page, "!document.querySelector('#many-form button').disabled && document.getElementById('many-said').innerText != ''")


def readable(page, name):
    page.screenshot(SHOTS / f"serve-{name}.png")
    assert page.complaints() == []
    assert looks(page, "tooWide") == []
    assert looks(page, "crowdedLabels") == []
    assert looks(page, "faintTexts") == []


def questions(folder, clerks, nurses):
    rows = [f"{i % 10},{i},clerk" for i in range(clerks)] + [f"{50 + i},{i},nurse" for i in range(nurses)]
    path = folder / "questions.csv"
    path.write_text("age,income,job\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_ask_one(browser, service):
    with devtools.Page(browser, service.url) as page:
        enter(page, service.analyst)
        wait(page, "!document.getElementById('analyst').hidden")
        labels = page.evaluate("[...document.querySelectorAll('#fields [id]')].map(e => e.labels[0].innerText)")
        assert [label.split(" ")[0] for label in labels] == ["age", "income", "job"]
        page.evaluate("document.getElementById('field-0').value = '4'")
        page.evaluate("document.getElementById('field-1').value = '30000'")
        page.evaluate("document.getElementById('field-2').value = 'clerk'")
        # By keyboard: Enter in a field asks.
        page.evaluate("document.getElementById('field-0').focus()")
        for kind in ["rawKeyDown", "char", "keyUp"]:
            page.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
        wait(page, "document.getElementById('one-said').innerText.startsWith('approved')")
        assert text(page, "one-said") == "approved: no"
        wait(page, "document.getElementById('analyst-facts').innerText.includes('999')")
        readable(page, "one")
        assert all(address.startswith((service.url, "data:")) for address in page.requests())


def test_upload_fifty(browser, service):
    with devtools.Page(browser, service.url) as page:
        enter(page, service.analyst)
        wait(page, "!document.getElementById('analyst').hidden")
        upload(page, questions(service.folder, 47, 3))
        rows = page.evaluate("[...document.querySelectorAll('#many-table tbody tr')].map(tr => tr.lastChild.innerText)")
        assert rows == ["no"] * 47 + ["no answer"] * 3
        assert text(page, "many-said") == "47 of 50 answered; nothing can be said about the others."
        browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(service.folder))
        page.evaluate("document.getElementById('download').click()")
        file = service.folder / "answers.csv"
        wait_for(file.exists)
        lines = file.read_text(encoding="utf-8").splitlines()
        assert (lines[0], lines[1], lines[50], len(lines)) == ("age,income,job,answer", "0,0,clerk,no", "52,2,nurse,", 51)
        readable(page, "fifty")


def test_run_out_of_budget(browser, tmp_path):
    service = Service(tmp_path, 1000, 4)
    with devtools.Page(browser, service.url) as page:
        enter(page, service.analyst)
        wait(page, "!document.getElementById('analyst').hidden")
        upload(page, questions(service.folder, 20, 40))
        assert "The session has ended" in text(page, "many-said")
        assert "\n0" in text(page, "analyst-facts").replace("unanswerable ones left", "")
        page.evaluate("document.getElementById('field-0').value = '99'")
        page.evaluate("document.getElementById('field-1').value = '30000'")
        page.evaluate("document.querySelector('#one-form button').click()")
        wait(page, "document.getElementById('one-said').className == 'caution'")
        assert "has answered all that its budget pays for" in text(page, "one-said")
        said = page.complaints()
        assert all("410" in complaint for complaint in said), said
        page.screenshot(SHOTS / "serve-ended.png")
    service.stop()


def test_wrong_token(browser, service):
    with devtools.Page(browser, service.url) as page:
        enter(page, "discretion_" + "0" * 64)
        wait(page, "document.getElementById('token-said').innerText != ''")
        assert text(page, "token-said").startswith("This token is not known here")
        assert page.evaluate("document.getElementById('analyst').hidden && document.getElementById('custodian').hidden")
        page.screenshot(SHOTS / "serve-wrong-token.png")
        # The analyst's token opens nothing of the custodian's.
        enter(page, service.analyst)
        wait(page, "!document.getElementById('analyst').hidden")
        assert page.evaluate("document.getElementById('custodian').hidden")


@pytest.mark.parametrize("view", ["light", "dark", "phone"])
def test_the_custodian_sees_the_account(browser, service, view):
    with devtools.Page(browser, service.url, **VIEWS[view]) as page:
        enter(page, service.analyst)
        wait(page, "!document.getElementById('analyst').hidden")
        upload(page, questions(service.folder, 60, 6))
        readable(page, f"analyst-{view}")
    with devtools.Page(browser, service.url, **VIEWS[view]) as page:
        enter(page, service.custodian)
        wait(page, "!document.getElementById('custodian').hidden")
        facts = text(page, "custodian-facts")
        # Nobody agrees about the six nurses.
        assert "66 of 1,000" in facts and "\n6 of 20" in facts, facts
        assert page.evaluate("[...document.querySelectorAll('svg')].every(s => s.querySelector('title').textContent)")
        assert page.evaluate("document.querySelectorAll('svg .line').length") == 2
        assert "analyst" in text(page, "tokens")
        readable(page, f"custodian-{view}")


def test_structure_is_there_for_those_who_listen(browser, service):
    with devtools.Page(browser, service.url) as page:
        enter(page, service.analyst)
        wait(page, "!document.getElementById('analyst').hidden")
        assert page.evaluate("document.documentElement.lang") == "en"
        assert page.evaluate("document.querySelectorAll('h1').length") == 1
        assert page.evaluate("[...document.querySelectorAll('input, select, progress')].every(e => e.labels.length == 1)")
        assert page.evaluate("['one-said', 'many-said'].every(id => document.getElementById(id).ariaLive == 'polite')")
        assert page.evaluate("[...document.querySelectorAll('.scroll')].every(s => s.tabIndex == 0 && s.ariaLabel)")
        assert page.evaluate("document.activeElement.id") == "title", "the reader is taken to what has opened"
