"""A headless Chromium, driven through its own debugging pipe with nothing but Python's standard library."""

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

SECONDS = 60  # for one answer


class Trouble(Exception):
    """What the browser said, or did not say."""


class Page:
    """One tab. What its console, its exceptions and its requests said is kept."""

    def __init__(self, to_browser, from_browser):
        self.to, self.source = to_browser, from_browser
        self.numbers, self.rest, self.session = itertools.count(1), b"", None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility", "DOM"):
            self.call(f"{domain}.enable")

    def receive(self, deadline):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.source], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.source, 1 << 20) if ready else b""
            if not chunk:
                raise Trouble("no answer from the browser" if not ready else "the browser ended")
            self.rest += chunk
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        number, deadline = next(self.numbers), time.monotonic() + SECONDS
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == number:
                if "error" in answer:
                    raise Trouble(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def run(self, script):
        """What the expression, or what it promises, comes to."""
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise Trouble(f"{script}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def size(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, url, ready):
        """Seconds until the expression `ready` holds."""
        self.call("Page.navigate", url="about:blank")
        start = time.monotonic()
        self.call("Page.navigate", url=url)
        while not self.run(f"location.href.startsWith({json.dumps(url.split('#')[0])}) && Boolean({ready})"):
            if time.monotonic() - start > SECONDS:
                raise Trouble(f"{url} is not ready after {SECONDS} s; it said {self.complaints()}")
            time.sleep(0.02)
        return time.monotonic() - start

    def press(self, key):
        text = {"Enter": "\r", "Space": " "}.get(key, key if len(key) == 1 else None)
        name = {"Space": " "}.get(key, key)
        code = {"Enter": 13, "Tab": 9, "Space": 32, "ArrowDown": 40, "ArrowUp": 38, "Home": 36, "End": 35}.get(
            key, ord(key[0].upper())
        )
        down = {"key": name, "windowsVirtualKeyCode": code, **({"text": text} if text else {})}
        self.call("Input.dispatchKeyEvent", type="keyDown", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code)

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                button="none" if kind == "mouseMoved" else "left",
                clickCount=1,
            )

    def screenshot(self, path, clip=None):
        parameters = {"clip": {**clip, "scale": 1}, "captureBeyondViewport": True} if clip else {}
        data = self.call("Page.captureScreenshot", format="png", **parameters)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def accessible(self):
        """Nodes of the accessibility tree as (role, name)."""
        for node in self.call("Accessibility.getFullAXTree")["nodes"]:
            if not node.get("ignored"):
                yield node["role"]["value"], node.get("name", {}).get("value", "")

    def complaints(self):
        """Errors and warnings of the console, and exceptions, so far."""
        said = []
        for event in self.events:
            method, of = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                said.append(
                    of["exceptionDetails"].get("exception", {}).get("description") or of["exceptionDetails"]["text"]
                )
            elif method == "Runtime.consoleAPICalled" and of["type"] in ("error", "warning", "assert"):
                said.append(" ".join(str(a.get("value", a.get("description"))) for a in of["args"]))
            elif method == "Log.entryAdded" and of["entry"]["level"] in ("error", "warning"):
                said.append(of["entry"]["text"])
        return said

    def requests(self):
        """Addresses that were asked for, so far."""
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]


@contextlib.contextmanager
def browser():
    """A page of a fresh browser, which ends with the block."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        raise Trouble("no Chromium here: apt-get install chromium")
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    profile = tempfile.TemporaryDirectory(prefix="attest-chromium-", ignore_cleanup_errors=True)
    flags = [
        "--headless=new",
        "--remote-debugging-pipe",
        f"--user-data-dir={profile.name}",
        "--no-first-run",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
    ]

    def ends():  # the browser reads from 3 and writes to 4
        os.dup2(to_read, 200), os.dup2(from_write, 201)
        os.dup2(200, 3), os.dup2(201, 4)

    process = subprocess.Popen(
        [program, *flags],
        preexec_fn=ends,
        close_fds=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_read), os.close(from_write)
    try:
        yield Page(to_write, from_read)
    finally:
        os.close(to_write)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(from_read)
        profile.cleanup()
