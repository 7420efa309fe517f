# SPDX-License-Identifier: GPL-3.0-or-later
"""A player of the GGP protocol for tests of the game master: on a socket, with manners to order.

`FakePlayer(answer)` listens on a free port of loopback. For every message `answer(player, message)` says what to
do: a string is sent as a proper reply; bytes are sent as they are and the connection is closed; a list is sent
piece by piece, where numbers are seconds to wait; None closes the connection without a word.
"""
import re
import socket
import threading
import time


def parse(text):
    """An s-expression as nested lists of words."""
    stack = [[]]
    for token in re.findall(r"[()]|[^()\s]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    assert len(stack) == 1, text
    return stack[0][0] if len(stack[0]) == 1 else stack[0]


def show(term):
    return term if isinstance(term, str) else "(" + " ".join(map(show, term)) + ")"


class FakePlayer:
    def __init__(self, answer):
        self.answer = answer
        self.messages = []  # everything received, parsed
        self.headers = []
        self.matches = {}  # id: {"role":, "rules":, "plays":}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        with connection:
            data = b""
            while b"\r\n\r\n" not in data:
                more = connection.recv(65536)
                if not more:
                    return
                data += more
            head, body = data.split(b"\r\n\r\n", 1)
            length = int(re.search(rb"content-length: *(\d+)", head, re.I).group(1))
            while len(body) < length:
                body += connection.recv(65536)
            message = parse(body.decode())
            self.headers.append(head.decode())
            self.messages.append(message)
            self.note(message)
            try:
                self.reply(connection, self.answer(self, message))
            except OSError:
                pass  # the master had enough

    def note(self, message):
        if message[0] == "START":
            self.matches[message[1]] = {"role": message[2], "rules": message[3], "plays": 0}
        elif message[0] == "PLAY" and message[1] in self.matches:
            self.matches[message[1]]["plays"] += 1

    def reply(self, connection, what):
        if what is None:
            return
        if isinstance(what, str):
            what = http(what)
        for piece in what if isinstance(what, list) else [what]:
            if isinstance(piece, (int, float)):
                time.sleep(piece)
            else:
                connection.sendall(piece)

    def kinds(self):
        return [message[0] for message in self.messages]

    def hears(self, kind, seconds=5):
        """Whether such a message comes. What was sent when the sender ended may still be on its way, and what was sent
        at the same time over two connections may come in any order."""
        until = time.monotonic() + seconds
        while kind not in self.kinds() and time.monotonic() < until:
            time.sleep(0.01)
        return kind in self.kinds()


def http(body, status="200 OK"):
    data = body.encode()
    return f"HTTP/1.0 {status}\r\nContent-Type: text/acl\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data


def polite(move):
    """Answers everything properly, and `move(player, message)` when asked to play."""
    def answer(player, message):
        if message[0] == "START":
            return "ready"
        if message[0] == "PLAY":
            return move(player, message)
        return {"STOP": "done", "ABORT": "aborted"}.get(message[0], "((name fake) (status available))")
    return answer


def first_legal(player, message):
    """The first move that the rule sheet calls legal without conditions."""
    match = player.matches[message[1]]
    for rule in match["rules"]:
        if rule[0] == "legal" and rule[1] == match["role"]:
            return show(rule[2])
    raise AssertionError("no such rule")
