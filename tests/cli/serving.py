# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of `ludens serve` share: the server as a process, messages over raw sockets, a game to play.

The game is a walk down a binary tree: from node x to 2x+1 or 2x+2. So a test knows what is legal, and an answer
tells where the player believes to be.
"""
import glob
import json
import os
import re
import socket
import subprocess
import time

import harness

DEPTH = 5
NODES = 2 ** DEPTH - 1
TREE = "\n".join([
    "(role Robot) (init (at 0))",
    "(<= (legal Robot (Go ?y)) (true (at ?x)) (edge ?x ?y))",
    "(<= (next (at ?y)) (does Robot (Go ?y)))",
    "(<= terminal (true (at ?x)) (leaf ?x))",
    "(<= (goal Robot ?v) (true (at ?x)) (worth ?x ?v))",
    *(f"(edge {x} {2 * x + 1}) (edge {x} {2 * x + 2})" for x in range(NODES)),
    *(f"(leaf {x}) (worth {x} {x})" for x in range(NODES, 2 * NODES + 1))])


def steps(x):
    return [f"(Go {2 * x + 1})", f"(Go {2 * x + 2})"]


def node(move):
    return int(re.fullmatch(r"\(Go (\d+)\)", move).group(1))


class Server:
    """`ludens serve` on a free port, with `with`; ends with a check that nothing of it is left."""

    def __init__(self, case, *arguments, folder=None):
        self.case, self.folder = case, folder or case.path(f"log{id(self)}")
        if "--player" not in arguments:  # alone the champion has solved this game before anything can happen to it
            arguments = ("--player", "champion,puzzle=off", *arguments)
        self.process = subprocess.Popen([harness.LUDENS, "serve", "--port", "0", "--log", self.folder, "--seed", "1",
                                         *map(str, arguments)], stdout=subprocess.PIPE, stderr=open(case.path(f"err{id(self)}"), "w"), text=True)
        self.port = int(re.search(r"port (\d+)", self.process.stdout.readline()).group(1))
        self.url = f"http://127.0.0.1:{self.port}"
        case.addCleanup(self.end)

    def end(self):
        if self.process.poll() is None:
            children = self.children()
            self.process.terminate()
            self.case.assertEqual(self.process.wait(10), 0)
            for _ in range(100):
                if not any(alive(pid) for pid in children):
                    break
                time.sleep(0.05)
            self.case.assertFalse([pid for pid in children if alive(pid)])
        self.process.stdout.close()

    def errors(self):
        with open(self.case.path(f"err{id(self)}"), encoding="utf-8") as file:
            return file.read()

    def children(self, what=""):
        """Process ids of the workers, "search" or "keeper" or both."""
        return [pid for pid in descendants(self.process.pid) if what in command(pid)]

    def connect(self, timeout=20):
        s = socket.create_connection(("127.0.0.1", self.port))
        s.settimeout(timeout)
        return s

    def raw(self, data, pause=0, half_close=False, timeout=20):
        """Send bytes (one by one if there is to be a pause), return everything that comes back."""
        with self.connect(timeout) as s:
            try:
                for piece in [data[i:i + 1] for i in range(len(data))] if pause else [data]:
                    s.sendall(piece)
                    time.sleep(pause)
            except OSError:
                pass  # refused before it had everything
            if half_close:
                s.shutdown(socket.SHUT_WR)
            return receive(s)

    def post(self, message, **more):
        """A message as the reference game server sends it; the answer's body."""
        return body(self.raw(request(message), **more))

    def log(self, name):
        """The events of a match, or of the "server"."""
        with open(os.path.join(self.folder, name + ".jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def events(self, name, event):
        return [e for e in self.log(name) if e["event"] == event]


def own_addresses():
    """IPv4 addresses of this machine, as a name lookup and the routing table tell them."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))  # nothing is sent
            found.append(s.getsockname()[0])
        except OSError:
            pass
    try:
        found += socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:
        pass
    return found


def request(message):
    data = message.encode()
    return (f"POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMESERVER\r\nReceiver: x\r\nContent-type: text/acl\r\n"
            f"Content-length: {len(data)}\r\n\r\n").encode() + data


def receive(s):
    answer = b""
    while True:
        try:
            more = s.recv(65536)
        except ConnectionResetError:
            return answer
        if not more:
            return answer
        answer += more


def status(answer):
    return int(re.match(rb"HTTP/1\.[01] (\d+) ", answer).group(1))


def body(answer):
    head, text = answer.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"(?i)content-length: *(\d+)", head).group(1))
    assert len(text) == length, answer
    return text.decode()


def descendants(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with open(path, encoding="ascii") as file:
            found += map(int, file.read().split())
    return found


def command(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
            return file.read().replace("\0", " ")
    except OSError:
        return ""


def alive(pid):
    return "serve-worker" in command(pid)
