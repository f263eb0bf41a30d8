"""Who is let in to `discretion studio`, asked by a real browser: other sites, names that were made to point here, a missing token."""

import functools
import http.server
import json
import threading

import pytest

import devtools
from test_studio import begin, folder  # noqa: F401


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def elsewhere(tmp_path):
    """The address of another site, with one page."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<!doctype html><title>elsewhere</title>", encoding="utf-8")
    handler = functools.partial(Quiet, directory=tmp_path / "site")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()


def ask(page, address, token, mode="cors"):
    """Asks for the state of a studio from a page: what it heard, or that it heard nothing."""
    options = {"method": "POST", "mode": mode, "body": "{}", "headers": {"X-Discretion-Token": token} if mode == "cors" else {}}
    script = f"fetch({json.dumps(address + '/api/state')}, {json.dumps(options)}).then((a) => a.text(), () => 'heard nothing')"
    return page.evaluate(script)


def test_another_site_hears_nothing_even_with_the_token(browser, begin, folder, elsewhere):  # noqa: F811
    running = begin()
    with devtools.Page(browser, elsewhere) as page:
        assert page.evaluate("document.title") == "elsewhere"
        assert ask(page, running.url, running.token) == "heard nothing"
        assert ask(page, running.url, "", mode="no-cors") == "heard nothing"
        # Nor does it get the page into a frame, or its scripts.
        framed = "new Promise((done) => { const f = document.createElement('iframe'); f.onload = () => done(f.contentDocument === null); f.src = %s; document.body.append(f); })"
        assert page.evaluate(framed % json.dumps(running.url + "/"))
        script = "new Promise((done) => { const s = document.createElement('script'); s.onload = () => done('loaded'); s.onerror = () => done('refused'); s.src = %s; document.body.append(s); })"
        assert page.evaluate(script % json.dumps(running.url + "/server.js")) == "refused"
    # Nothing was done by the requests that were refused: the studio ends as it began.
    assert list(folder.iterdir()) == [] and running.ask("state")["run"] is None


def test_a_name_that_points_here_and_a_missing_token_are_refused(browser, begin, folder):  # noqa: F811
    running = begin()
    port = running.url.rsplit(":", 1)[1]
    # The browser takes this name for this machine, as after DNS rebinding: what it loads is of the same origin as what it asks.
    with devtools.Page(browser, f"http://{devtools.REBOUND}:{port}/") as page:
        assert "refused" in page.evaluate("document.body.innerText") and page.evaluate("document.querySelector('#main')") is None
        assert "refused" in ask(page, f"http://{devtools.REBOUND}:{port}", running.token)
    with devtools.Page(browser, running.url + "/") as page:
        for token in ("", "0" * 64):
            assert "refused" in ask(page, running.url, token)
        assert "folder" in ask(page, running.url, running.token), "the page's own origin, with the token"
