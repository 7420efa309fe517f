# SPDX-License-Identifier: GPL-3.0-or-later
"""`ludens web` as a process for tests, and its API."""
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import harness  # noqa: E402
import serving  # noqa: E402


class Service:
    """Ends with a check that nothing of it is left."""

    def __init__(self, case, *arguments, folder=None):
        self.case = case
        self.process = subprocess.Popen([harness.LUDENS, "web", "--port", "0", *map(str, arguments)], stdout=subprocess.PIPE, text=True,
                                        cwd=folder or case.folder)
        self.url = re.search(r"http://\S+", self.process.stdout.readline()).group(0)
        self.port = int(re.search(r":(\d+)/", self.url).group(1))
        case.addCleanup(self.end)

    def end(self):
        if self.process.poll() is None:
            children = self.children()
            self.process.terminate()
            self.case.assertEqual(self.process.wait(20), 0)
            for _ in range(100):
                if not any(serving.alive(pid) for pid in children):
                    break
                time.sleep(0.05)
            self.case.assertFalse([pid for pid in children if serving.alive(pid)])
        self.process.stdout.close()

    def children(self, what=""):
        return [pid for pid in serving.descendants(self.process.pid) if what in serving.command(pid)]

    def call(self, path, body=None, method=None, headers=None, status=None):
        """(status, answer); demands the status if one is given, and then returns the answer alone."""
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method, headers={"Content-Type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                found, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            found, text = error.code, error.read()
        try:
            content = json.loads(text)
        except ValueError:
            content = text
        if status is None:
            return found, content
        self.case.assertEqual(found, status, content)
        return content

    def session(self, **what):
        return self.call("api/sessions", what, status=201)["id"]

    def state(self, session):
        return self.call("api/sessions/" + session, status=200)

    def wait(self, session, reached, seconds=60):
        """Until the session is as wanted: its stage, or whatever a function says of it."""
        test = reached if callable(reached) else lambda state: state["stage"] == reached
        end = time.monotonic() + seconds
        while True:
            state = self.state(session)
            if test(state):
                return state
            if time.monotonic() > end:
                self.case.fail(f"waited in vain: {json.dumps(state)[:800]}")
            time.sleep(0.03)

    def move(self, session, turn, role, move, status=200):
        return self.call(f"api/sessions/{session}/move", {"turn": turn, "role": role, "move": move}, status=status)


PERSON = {"kind": "person"}


def player(name="champion", clock=0.2):
    return {"kind": "player", "player": name, "clock": clock}
