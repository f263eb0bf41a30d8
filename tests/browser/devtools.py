"""Chromium without a window, driven over its DevTools protocol: as much of it as the tests need."""

import base64
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import websocket

PATIENCE = 60
# A name that the browser takes for this machine, as after DNS rebinding. Nobody can own it.
REBOUND = "rebound.invalid"


def find():
    """The browser's path, or None."""
    names = [os.environ.get("CHROMIUM", "chromium"), "chromium-browser", "google-chrome"]
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    """A running Chromium with a profile of its own."""

    def __init__(self, path):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [path, "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={self.profile.name}"]
        command += ["--no-first-run", "--disable-background-networking", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"]
        # Containers give it a small /dev/shm, and it refuses its sandbox to root.
        command += ["--disable-dev-shm-usage"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.socket = websocket.create_connection(self._address(), timeout=PATIENCE, suppress_origin=True)
        except BaseException:
            self._end()
            raise
        self.numbers = itertools.count(1)
        self.events = []
        self.empty_tab = None

    def _address(self):
        file = pathlib.Path(self.profile.name, "DevToolsActivePort")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert self.process.poll() is None, f"Chromium ended with {self.process.returncode}"
            if file.exists() and len(lines := file.read_text().split("\n")) >= 2:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            time.sleep(0.05)
        raise TimeoutError("Chromium did not say where to reach it")

    def call(self, method, session=None, **params):
        """The result of a command. Events that arrive meanwhile are kept."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        self.socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def wait(self, method, session):
        """The next event of a kind in a page, past or to come."""
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method and event.get("sessionId") == session:
                    return self.events.pop(i)
            self.events.append(json.loads(self.socket.recv()))

    def close(self):
        """Ends the browser."""
        try:
            self.call("Browser.close")
            self.socket.close()
        finally:
            self._end()

    def _end(self):
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()


class Page:
    """One open file or address. A file opens in the tab that the last closed file left empty: a new tab takes twice as long."""

    def __init__(self, browser, url, width=1200, height=900, dark=False, phone=False, scripts=True):
        self.browser = browser
        self.is_file = url.startswith("file:")
        if self.is_file and browser.empty_tab:
            (self.target, self.session), browser.empty_tab = browser.empty_tab, None
        else:
            self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
            for domain in ["Page", "Network", "Log", "Runtime"]:
                self.call(f"{domain}.enable")
        self.view(width, height, dark, phone)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Page.navigate", url=url)
        browser.wait("Page.loadEventFired", self.session)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.is_file and not self.browser.empty_tab:
            self.call("Page.navigate", url="about:blank")
            self.browser.wait("Page.loadEventFired", self.session)
            self.browser.empty_tab = self.target, self.session
        else:
            self.browser.call("Target.closeTarget", targetId=self.target)
        # Nobody asks for what was heard here any more, and everybody who waits looks at all that was.
        self.browser.events = [event for event in self.browser.events if event.get("sessionId") != self.session]

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def view(self, width=1200, height=900, dark=False, phone=False):
        """Where the page is looked at."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 2 if phone else 1, "mobile": phone}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)
        self.media(dark=dark)

    def media(self, dark=False, media=""):
        """What the page is told about its reader."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def evaluate(self, expression):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def heard(self, *methods):
        """The events of these kinds in this page so far."""
        self.evaluate("new Promise(done => setTimeout(done, 50))")
        mine = [event for event in self.browser.events if event.get("sessionId") == self.session]
        return [event["params"] for event in mine if event["method"] in methods]

    def complaints(self):
        """Everything the console says."""
        said = self.heard("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [json.dumps(event) for event in said]

    def requests(self):
        """Every address that was asked for."""
        return [event["request"]["url"] for event in self.heard("Network.requestWillBeSent")]

    def screenshot(self, path, asked=bool(os.environ.get("SHOTS"))):
        """The whole page as a picture, or as much of it as the browser takes. Only if somebody asks: nothing is checked with pictures,
        and they take as long as all the rest."""
        if not asked:
            return
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 8000), "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, path):
        """The page as it prints."""
        printed = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        path.write_bytes(base64.b64decode(printed["data"]))
