#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A day of a cluster in small: two hosts play a tournament on a third one's server, the network of one is cut for a minute, later that
host is gone for good. Hosts are network namespaces with cables between them, which only root may lay."""
import os
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

import harness
import postgres
import test_lab_server

SPEC = test_lab_server.SMALL.replace("sims: 300", "sims: 1500")
GAMES = 240
HOSTS = {"a": "10.213.1", "b": "10.213.2"}


def ip(*arguments):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True)


def lacking():
    if test_lab_server.lacking():
        return test_lab_server.lacking()
    name = f"ludens-try-{os.getpid()}"
    try:
        laid = ip("netns", "add", name)
    except FileNotFoundError:
        return "there is no ip (package iproute2)"
    ip("netns", "delete", name)
    return None if laid.returncode == 0 else "network namespaces are not permitted here"


@unittest.skipIf(lacking(), lacking())
class Hosts(harness.Case):
    def setUp(self):
        super().setUp()
        self.spec = self.write("small.yaml", SPEC)
        self.names = {host: f"ludens-{host}-{os.getpid()}" for host in "sab"}
        for name in self.names.values():
            self.must("netns", "add", name)
            self.addCleanup(ip, "netns", "delete", name)
            self.must("-n", name, "link", "set", "lo", "up")
        for host, net in HOSTS.items():  # a cable from the server to each
            self.must("-n", self.names["s"], "link", "add", f"to-{host}", "type", "veth", "peer", "eth0", "netns", self.names[host])
            for name, link, number in (self.names["s"], f"to-{host}", 1), (self.names[host], "eth0", 2):
                self.must("-n", name, "address", "add", f"{net}.{number}/24", "dev", link)
                self.must("-n", name, "link", "set", link, "up")
        self.server = postgres.Server("0.0.0.0", wrap=["ip", "netns", "exec", self.names["s"]])
        self.addCleanup(self.server.stop)

    def must(self, *arguments):
        done = ip(*arguments)
        self.assertEqual(done.returncode, 0, f"ip {' '.join(arguments)}: {done.stderr}")

    def cable(self, host, state):
        self.must("-n", self.names["s"], "link", "set", f"to-{host}", state)

    def start(self, host):
        return self.beside("ip", "netns", "exec", self.names[host], harness.LUDENS, "lab", "run", self.spec, "--jobs", "1", "--together",
                           "8", "--db", f"postgresql://ludens@{HOSTS[host]}.1/lab")

    def await_words(self, run, words, seconds):
        end = time.monotonic() + seconds
        while words not in self.said(run):
            self.assertTrue(run.poll() is None and time.monotonic() < end, f"not '{words}' but:\n{self.said(run)}")
            time.sleep(0.2)

    def count(self):
        there = self.server.query("SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'ludens' AND tablename = 'game'")
        return int(self.server.query("SELECT count(*) FROM game")[0][0]) if there else 0

    def await_games(self, n, seconds=300):
        end = time.monotonic() + seconds
        while self.count() < n:
            self.assertLess(time.monotonic(), end, "nobody plays")
            time.sleep(0.2)

    def test_a_cut_and_a_loss_leave_every_game_once(self):
        self.ludens("lab", "run", self.spec, "--db", self.path("whole.db"))
        with sqlite3.connect(self.path("whole.db")) as sql:
            whole = [tuple(map(str, row)) for row in sql.execute(f"SELECT {test_lab_server.COLUMNS} ORDER BY 1, 2, 3, 4")]
        a, b = self.start("a"), self.start("b")
        self.await_games(20)
        self.cable("b", "down")
        a.send_signal(signal.SIGSTOP)  # or all would be over before the minute is
        time.sleep(45)
        a.send_signal(signal.SIGCONT)
        time.sleep(15)
        self.cable("b", "up")
        self.await_words(b, "connected again after", 60)
        self.assertLess(self.count(), GAMES - 20)
        self.await_games(self.count() + 10)
        self.cable("b", "down")  # nothing it says on its way out gets through
        b.send_signal(signal.SIGKILL)
        self.assertEqual(a.wait(300), 0, self.said(a))
        self.assertIn("the connection is lost", self.said(b))
        self.assertIn(f"{GAMES} of {GAMES} games are there", self.said(a))
        games = self.server.query(f"SELECT {test_lab_server.COLUMNS} ORDER BY experiment.name COLLATE \"C\", cell.game COLLATE \"C\","
                                  " pairing COLLATE \"C\", number")
        self.assertEqual(games, whole)
        print("host a:", self.said(a), "host b:", self.said(b), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    harness.main()
