#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fifty games at once, a person against our champion with one second a move: nobody is late, memory is bounded, and all
of it is given back. `python3 tests/web/test_load.py` prints the figures."""
import json
import os
import random
import threading
import time
import urllib.request

from service import Service, PERSON, player, harness, serving

SESSIONS = int(os.environ.get("LUDENS_SESSIONS", "50"))
MOVES = int(os.environ.get("LUDENS_MOVES", "10"))
MEGABYTES = 128
GAMES = ["ticTacToe", "connectFour", "breakthrough", "checkers", "othello", "hex", "speedChess", "nim", "clobber", "chineseCheckers3"]


def resident(pid):
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096 / 2 ** 20
    except OSError:
        return 0


class Guest(threading.Thread):
    """Plays the first role at random, and listens to the events as the page does."""

    def __init__(self, web, number):
        super().__init__(daemon=True)
        self.web, self.rng = web, random.Random(number)
        self.game = GAMES[number % len(GAMES)]
        self.times, self.remarks, self.trouble, self.thoughts = [], [], None, 0

    def run(self):
        try:
            roles = 3 if self.game == "chineseCheckers3" else 2
            self.session = self.web.session(game=self.game, seats=[PERSON] + [player(clock=1)] * (roles - 1))
            with urllib.request.urlopen(self.web.url + f"api/sessions/{self.session}/events", timeout=120) as stream:
                self.follow(stream)
        except Exception as error:  # pylint: disable=broad-except
            self.trouble = repr(error)

    def follow(self, stream):
        name, asked, moves = None, {}, 0
        for line in stream:
            text = line.decode().rstrip("\n")
            if text.startswith("event: "):
                name = text[7:]
            if not text.startswith("data: "):
                continue
            data = json.loads(text[6:])
            if name == "remark":
                self.remarks.append(f"{self.game} turn {len(self.times)}: {data['text']}")
            elif name == "dead":
                self.trouble = data["why"]
                return
            elif name == "thoughts":
                self.thoughts += 1
            elif name == "thinking":
                asked[data["role"]] = time.monotonic()
            elif name == "chosen" and data["role"] in asked:
                self.times.append(time.monotonic() - asked.pop(data["role"]))
            elif name in ("table", "position") and data.get("position"):
                position = data["position"]
                if position["terminal"] or moves >= MOVES:
                    return
                legal = position["legal"][0]
                if len(legal) > 1 or legal[0]["move"] != "noop":
                    moves += 1
                    self.web.move(self.session, data["turn"], 0, self.rng.choice(legal)["move"])


class Load(harness.Case):
    def test_fifty_games_at_once(self):
        web = Service(self, "--sessions", SESSIONS, "--memory", MEGABYTES)
        guests = [Guest(web, i) for i in range(SESSIONS)]
        for guest in guests:
            guest.start()
            time.sleep(0.1)  # people do not sit down in the same moment
        most, processes = 0, 0
        while any(guest.is_alive() for guest in guests):
            children = web.children()
            processes = max(processes, len(children))
            most = max(most, resident(web.process.pid) + sum(map(resident, children)))
            time.sleep(0.5)
        times = sorted(t for guest in guests for t in guest.times)
        own = resident(web.process.pid)
        print(f"{SESSIONS} sessions, {len(times)} moves of ours, 1 s each: median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s; "
              f"{processes} processes, {most:.0f} MB resident at most, the server {own:.0f} MB; {sum(g.thoughts for g in guests)} reports of thoughts", flush=True)
        self.assertEqual([guest.trouble for guest in guests if guest.trouble], [])
        self.assertEqual([remark for guest in guests for remark in guest.remarks], [])  # late, or without a move
        self.assertGreater(len(times), SESSIONS)
        self.assertLess(most, SESSIONS * 2 * (MEGABYTES + 64))
        for guest in guests:
            web.call("api/sessions/" + guest.session, method="DELETE", status=200)
        end = time.monotonic() + 30
        while (web.children() or web.call("api/status")[1]["sessions"]) and time.monotonic() < end:
            time.sleep(0.2)
        self.assertEqual(web.children(), [])
        self.assertEqual(web.call("api/status", status=200)["sessions"], 0)


if __name__ == "__main__":
    harness.main()
