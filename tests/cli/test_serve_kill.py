#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever happens to the processes of a match, every move is legal and in time.

Without LUDENS_SLOW a few cases are tried, with it all: search, keeper or both, killed or stopped, at the start, in the
middle of a turn, or while the others think.
"""
import ctypes
import itertools
import json
import os
import resource
import signal
import threading
import time

import harness
from serving import NODES, TREE, Server, node, steps

CLOCK = 2
SLOW = "LUDENS_SLOW" in os.environ


UNSOLVED = "--player", "champion,solver=off,puzzle=off"  # one that has solved the tree answers before it can be struck


class Kill(harness.Case):
    def pids(self, server, match, what):
        """The processes of a match that were started last."""
        last = {}
        for e in server.log(match):
            if e["event"] in ("started", "restarted"):
                last[e["helper"]] = e["pid"]
        return [pid for helper, pid in last.items() if what in (helper, "both")]

    def strike(self, server, match, what, sign):
        for pid in self.pids(server, match, what):
            try:
                os.kill(pid, sign)
            except ProcessLookupError:
                pass  # between two lives

    def play(self, server, match, events, pause=0.2):
        """One match; events[turn, "turn" or "ponder"] is called at that moment. Turn -1 is the start."""
        def ask(message, turn):
            if (turn, "turn") in events:
                threading.Timer(0.5, events[turn, "turn"]).start()
            began = time.monotonic()
            answer = server.post(message)
            self.assertLess(time.monotonic() - began, CLOCK, message[:40])
            if (turn, "ponder") in events:
                events[turn, "ponder"]()
                time.sleep(pause)
            return answer
        self.assertEqual(ask(f"(START {match} robot ({TREE}) {CLOCK} {CLOCK})", -1), "ready")
        at, moves, turn = 0, "NIL", 0
        while at < NODES:
            move = ask(f"(PLAY {match} {moves})", turn)
            self.assertIn(move, steps(at))
            at, moves, turn = node(move), f"({move})", turn + 1
        self.assertEqual(server.post(f"(STOP {match} {moves})"), "done")
        time.sleep(0.5)
        summary = server.events(match, "summary")[0]
        self.assertEqual(summary["goal"], at)
        return summary

    def test_one_match_with_many_deaths(self):
        server = Server(self, *UNSOLVED)
        summary = self.play(server, "m", {
            (-1, "turn"): lambda: self.strike(server, "m", "both", signal.SIGKILL),
            (0, "turn"): lambda: self.strike(server, "m", "search", signal.SIGKILL),
            (1, "turn"): lambda: self.strike(server, "m", "search", signal.SIGSTOP),
            (1, "ponder"): lambda: self.strike(server, "m", "search", signal.SIGSTOP),
            (2, "turn"): lambda: self.strike(server, "m", "keeper", signal.SIGSTOP),
            (3, "turn"): lambda: self.strike(server, "m", "both", signal.SIGKILL)})
        self.assertEqual(summary["restarts"], 8)
        self.assertEqual(len(server.events("m", "lost")), 8)
        self.assertEqual(summary["by_nobody"], 0)

    @harness.unittest.skipUnless(SLOW, "slow")
    def test_every_kind_of_death(self):
        server = Server(self, *UNSOLVED, "--matches", 2)
        cases = itertools.product(("search", "keeper", "both"), (signal.SIGKILL, signal.SIGSTOP), ("turn", "ponder"), (-1, 0, 2))
        for i, (what, sign, when, turn) in enumerate(cases):
            with self.subTest(what=what, sign=sign, when=when, turn=turn):
                match = f"m{i}"
                summary = self.play(server, match, {(turn, when): lambda: self.strike(server, match, what, sign)})
                self.assertEqual(summary["restarts"], 2 if what == "both" else 1)
                self.assertEqual(summary["by_nobody"], 0)

    @harness.unittest.skipUnless(SLOW, "slow")
    def test_deaths_of_searches_with_several_threads(self):
        for way in "tree", "root", "leaf":
            with self.subTest(way=way):
                server = Server(self, "--player", f"{UNSOLVED[1]},threads=3,parallel={way}")
                summary = self.play(server, "m", {
                    (-1, "turn"): lambda: self.strike(server, "m", "search", signal.SIGKILL),
                    (0, "ponder"): lambda: self.strike(server, "m", "search", signal.SIGSTOP),
                    (1, "turn"): lambda: self.strike(server, "m", "search", signal.SIGSTOP),
                    (2, "turn"): lambda: self.strike(server, "m", "both", signal.SIGKILL)})
                self.assertEqual(summary["restarts"], 5)
                self.assertEqual(summary["by_nobody"], 0)

    @harness.unittest.skipUnless(SLOW, "slow")
    def test_a_search_that_hangs(self):
        """Its thread is held by ptrace, which is not reported to the server as a stop is."""
        server = Server(self, *UNSOLVED)
        libc = ctypes.CDLL(None, use_errno=True)
        seize, interrupt = 0x4206, 0x4207
        held = []

        def hold():
            pid = self.pids(server, "m", "search")[0]
            held.append(libc.ptrace(seize, pid, None, None) == 0 and libc.ptrace(interrupt, pid, None, None) == 0)
        summary = self.play(server, "m", {(1, "ponder"): hold}, pause=0)
        if not held[0]:
            self.skipTest("ptrace is not allowed here")
        self.assertIn(summary["by_keeper"], (1, 2))
        self.assertEqual(summary["restarts"], 1)
        self.assertIn("does not answer", server.events("m", "lost")[0]["why"])

    @harness.unittest.skipUnless(SLOW, "slow")
    def test_memory_runs_out(self):
        """The search of a whole match is short of memory again and again."""
        server = Server(self, *UNSOLVED, "--memory", 200)
        over = threading.Event()

        def shrink():
            while not over.wait(3):
                match = [name for name in os.listdir(server.folder) if name != "server.jsonl"]
                for pid in self.pids(server, match[0][:-6], "search") if match else []:
                    try:
                        resource.prlimit(pid, resource.RLIMIT_DATA, (1 << 20, 1 << 20))
                    except ProcessLookupError:
                        pass
        thread = threading.Thread(target=shrink)
        thread.start()
        try:
            record = self.path("record.json")
            self.ludens("match", "breakthrough", "--seat", f"white={server.url}", "--others", "random", "--start", 2,
                        "--clock", CLOCK, "--record", record, "--seed", 1)
        finally:
            over.set()
            thread.join()
        with open(record, encoding="utf-8") as file:
            record = json.load(file)
        self.assertEqual((record["ending"], record["errors"]), ("completed", []))

    def test_the_server_dies_and_takes_everybody_along(self):
        server = Server(self, *UNSOLVED)
        self.assertEqual(server.post(f"(START m robot ({TREE}) 0 2)"), "ready")
        children = server.children()
        self.assertEqual(len(children), 2)
        server.process.kill()
        server.process.wait()
        for _ in range(100):
            if not any(os.path.exists(f"/proc/{pid}") for pid in children):
                break
            time.sleep(0.05)
        self.assertFalse([pid for pid in children if os.path.exists(f"/proc/{pid}")])


if __name__ == "__main__":
    harness.main()
