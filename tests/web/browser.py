# SPDX-License-Identifier: GPL-3.0-or-later
"""A real browser for tests: headless Chromium, driven by chromedriver over the WebDriver protocol, with nothing but the
standard library. `scripts/setup browser` installs both."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
AVAILABLE = bool(CHROMIUM and DRIVER)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--force-prefers-reduced-motion"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015",
        "Space": " ", "Control": "\ue009"}


class Trouble(Exception):
    pass


class Browser:
    def __init__(self, width=1280, height=900):
        self.profile = tempfile.mkdtemp(prefix="browser")
        self.driver = subprocess.Popen([DRIVER, "--port=0", "--log-level=SEVERE"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                       env={**os.environ, "HOME": self.profile})
        self.port = None
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.port = int(line.split("port")[-1].strip(" .\n"))
                break
        options = {"binary": CHROMIUM, "args": FLAGS + [f"--user-data-dir={self.profile}/data", f"--window-size={width},{height}"]}
        self.base = f"http://127.0.0.1:{self.port}/session"
        answer = self.ask("POST", "", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += "/" + answer["sessionId"]

    def close(self):
        try:
            self.ask("DELETE", "")
        except (Trouble, OSError):
            pass
        self.driver.terminate()
        self.driver.wait(20)
        self.driver.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else (b"{}" if method == "POST" else None)
        request = urllib.request.Request(self.base + path, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Trouble(json.load(error)["value"]["message"].split("\n")[0]) from None

    # ---- looking

    def go(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, css):
        return [element[ELEMENT] for element in self.ask("POST", "/elements", {"using": "css selector", "value": css})]

    def text(self, css):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? null", css)

    def count(self, css):
        return self.run("return document.querySelectorAll(arguments[0]).length", css)

    def wait(self, what, seconds=30, script=None):
        """Until there is such an element, or the script returns something true; returns it."""
        code = script or "return [...document.querySelectorAll(arguments[0])].some(e => e.getClientRects().length > 0)"
        end = time.monotonic() + seconds
        while True:
            found = self.run(code, what)
            if found:
                return found
            if time.monotonic() > end:
                raise Trouble(f"waited in vain for {what}; the page says: {self.run('return document.body.innerText')[:1500]}")
            time.sleep(0.05)

    def until(self, script, *arguments, seconds=30):
        end = time.monotonic() + seconds
        while True:
            found = self.run(script, *arguments)
            if found:
                return found
            if time.monotonic() > end:
                raise Trouble(f"waited in vain for: {script} {arguments}; the page says: {self.run('return document.body.innerText')[:1500]}")
            time.sleep(0.05)

    def console(self):
        """What was written to the console since the last time, or was refused by the page's policy."""
        return [entry["level"] + " " + entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def resize(self, width, height):
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}})

    def scheme(self, name):
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "features": [{"name": "prefers-color-scheme", "value": name}]}})

    # ---- acting, by real input events

    def place(self, css):
        """The middle of an element, scrolled into view."""
        at = self.run("""const e = document.querySelector(arguments[0]); if (!e) return null;
            const r0 = e.getBoundingClientRect(); if (r0.top < 60 || r0.bottom > innerHeight) e.scrollIntoView({block: 'center'});
            const r = e.getBoundingClientRect(); return [Math.round(r.left + r.width / 2), Math.round(r.top + r.height / 2)]""", css)
        if at is None:
            raise Trouble(f"there is no {css}")
        return at

    def pointer(self, *steps):
        self.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(steps)}]})

    def click(self, css):
        x, y = self.place(css)
        self.pointer({"type": "pointerMove", "duration": 0, "x": x, "y": y}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})

    def hover(self, css):
        x, y = self.place(css)
        self.pointer({"type": "pointerMove", "duration": 0, "x": x, "y": y})

    def drag(self, from_css, to_css):
        x, y = self.place(from_css)
        to_x, to_y = self.place(to_css)
        self.pointer({"type": "pointerMove", "duration": 0, "x": x, "y": y}, {"type": "pointerDown", "button": 0},
                     {"type": "pointerMove", "duration": 60, "x": (x + to_x) // 2, "y": (y + to_y) // 2},
                     {"type": "pointerMove", "duration": 60, "x": to_x, "y": to_y}, {"type": "pointerUp", "button": 0})

    def press(self, *keys):
        for key in keys:
            value = KEYS.get(key, key)
            self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]}]})

    def type(self, css, text):
        element = self.find(css)[0]
        self.ask("POST", f"/element/{element}/value", {"text": text})

    def select(self, css, value):
        self.run("const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change', {bubbles: true}))", css, value)
