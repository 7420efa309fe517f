#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tournaments on a PostgreSQL server: the games of SQLite, whoever is killed."""
import json
import random
import signal
import sqlite3
import subprocess
import time
import unittest

import harness
import postgres

# 240 games: 60 each of two pairings in two games
SMALL = """
name: small
games: [ticTacToe, connectFour]
players: {UCT: cadia2007, NST: nst, Random: random}
pairings:
  - [NST, UCT]
  - {players: [UCT, Random], label: "UCT's"}
number: 60
budget: {sims: 300}
seed: 7
"""

COLUMNS = ("experiment.name, cell.game, pairing, number, game.seed, seats, goals, errors, simulations, thoughts, steps, moves"
           " FROM game JOIN cell ON cell.id = cell JOIN experiment ON experiment.id = experiment")


def lacking():
    """What is missing for these tests; None: nothing."""
    if not postgres.folder_of_programs():
        return "no PostgreSQL server is installed (package postgresql)"
    said = subprocess.run([harness.LUDENS, "lab", "report", "--db", "postgresql://127.0.0.1:1/x", "x"], capture_output=True, text=True)
    return "ludens was built without PostgreSQL (package libpq-dev)" if "built without" in said.stderr else None


@unittest.skipIf(lacking(), lacking())
class Server(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Server()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        super().setUp()
        self.server.query("DROP SCHEMA IF EXISTS ludens CASCADE")
        self.spec = self.write("small.yaml", SMALL)

    def run_lab(self, db, *arguments, status=0):
        return self.ludens("lab", "run", self.spec, "--db", db, *arguments, status=status)

    def start(self, *arguments):
        """A worker."""
        return self.beside(harness.LUDENS, "lab", "run", self.spec, "--db", self.server.url, "--jobs", "1", *arguments)

    def games(self):
        """Every game with what must be the same in every run, as texts."""
        rows = self.server.query(f"SELECT {COLUMNS} ORDER BY experiment.name COLLATE \"C\", cell.game COLLATE \"C\","
                                 " pairing COLLATE \"C\", number")
        self.assertEqual(len(rows), len({row[:4] for row in rows}))
        return rows

    def games_of_file(self, name):
        with sqlite3.connect(self.path(name)) as sql:
            return [tuple(map(str, row)) for row in sql.execute(f"SELECT {COLUMNS} ORDER BY 1, 2, 3, 4")]

    def undisturbed(self):
        self.run_lab(self.path("whole.db"))
        return self.games_of_file("whole.db")

    def count(self):
        there = self.server.query("SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'ludens' AND tablename = 'game'")
        return int(self.server.query("SELECT count(*) FROM game")[0][0]) if there else 0

    def await_games(self, n, run):
        while self.count() < n:
            self.assertIsNone(run.poll(), "it was over before it could be disturbed")
            time.sleep(0.01)

    def test_games_and_reports_are_those_of_a_file(self):
        whole = self.undisturbed()
        self.assertEqual(len(whole), 240)
        self.run_lab(self.server.url)
        self.assertEqual(self.games(), whole)
        here, there = (json.loads(self.ludens("lab", "report", self.spec, "--db", db, "--json")[0])
                       for db in (self.server.url, self.path("whole.db")))
        for one, other in zip(here[0]["cells"], there[0]["cells"]):
            self.assertEqual([one["rate"], one["seats"]], [other["rate"], other["seats"]])
        records = [json.loads(self.ludens("lab", "game", "small", "--number", 7, "--db", db)[0])
                   for db in (self.server.url, self.path("whole.db"))]
        self.assertEqual(records[0]["moves"], records[1]["moves"])
        self.assertIn("; 0 played now", self.run_lab(self.server.url)[1])

    def test_four_workers_two_killed_and_the_server_once(self):
        whole = self.undisturbed()
        workers = [self.start("--together", "8") for _ in range(4)]
        self.await_games(20, workers[0])
        workers[0].send_signal(signal.SIGKILL)
        self.await_games(60, workers[1])
        self.server.kill()
        time.sleep(random.random())
        self.server.start()
        self.await_games(100, workers[1])
        workers[1].send_signal(signal.SIGKILL)
        for worker in workers[2:]:
            self.assertEqual(worker.wait(), 0, self.said(worker))
            self.assertIn("the connection is lost", self.said(worker))
            self.assertIn("connected again after", self.said(worker))
            self.assertIn("240 of 240 games are there", self.said(worker))
        self.assertEqual(self.games(), whole)

    def test_who_comes_to_a_new_database_at_once_shares_it(self):
        workers = [self.start("--games", "10") for _ in range(5)]
        for worker in workers:
            self.assertEqual(worker.wait(), 0, self.said(worker))
        games = self.games()
        self.assertEqual(len(games), 40)
        self.run_lab(self.path("whole.db"), "--games", 10)
        self.assertEqual(games, self.games_of_file("whole.db"))

    def test_a_claim_is_the_lock_of_a_row_and_ends_with_its_connection(self):
        self.run_lab(self.server.url, "--games", 2)
        cell = self.server.query("SELECT min(id) FROM cell")[0][0]
        holder = subprocess.Popen(self.server.as_user("psql", "-h", self.server.folder, "-p", str(self.server.port), "-U", "ludens", "lab",
                                                      "-qAt"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/tmp")
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        self.addCleanup(holder.stdin.close)
        self.addCleanup(holder.stdout.close)
        self.run_lab(self.server.url, "--games", 2)  # plans its rows
        self.server.query(f"INSERT INTO slot VALUES ({cell}, 3)")
        holder.stdin.write(f"BEGIN;\nSELECT number FROM ludens.slot WHERE cell = {cell} AND number = 3 FOR UPDATE;\n")
        holder.stdin.flush()
        self.assertEqual(holder.stdout.readline(), "3\n")
        worker = self.start("--games", "4")
        self.await_games(15, worker)
        time.sleep(1)
        self.assertIsNone(worker.poll(), "it did not wait for the game of another")
        self.assertEqual(len(self.games()), 15)
        holder.kill()
        self.assertEqual(worker.wait(), 0)
        self.assertEqual(len(self.games()), 16)

    def test_databases_of_both_kinds_are_joined(self):
        whole = self.undisturbed()
        self.run_lab(self.server.url, "--games", 10)
        self.assertIn("200 new games", self.ludens("lab", "merge", self.server.url, self.path("whole.db"))[0])
        self.assertEqual(self.games(), whole)
        self.ludens("lab", "merge", self.path("back.db"), self.server.url)
        self.assertEqual(self.games_of_file("back.db"), whole)
        self.assertIn("cannot be merged into itself", self.ludens("lab", "merge", self.server.url, self.server.url, status=2)[1])
        self.write("small.yaml", SMALL.replace("seed: 7", "seed: 8"))
        self.run_lab(self.path("other.db"), "--games", 2)
        self.assertIn("played with other settings", self.ludens("lab", "merge", self.server.url, self.path("other.db"), status=2)[1])
        self.assertEqual(self.games(), whole)

    def test_a_changed_experiment_is_refused_here_too(self):
        self.run_lab(self.server.url, "--games", 2)
        self.write("small.yaml", SMALL.replace("sims: 300", "sims: 10"))
        self.assertIn("the experiment has changed", self.run_lab(self.server.url, "--games", 2, status=2)[1])
        self.run_lab(self.server.url, "--games", 2, "--force")
        self.assertEqual(len(self.games()), 8)

    def test_experiments_with_boards_go_there_too(self):
        arguments = ["lab", "run", "boards/penalties", "--quick", "--games", 1, "--steps", 200, "--db"]
        reports = []
        for db in self.server.url, self.path("boards.db"):
            self.ludens(*arguments, db)
            table = self.ludens("lab", "report", "boards/penalties", "--db", db, "--csv")[0]
            reports.append([line.rsplit(",", 1)[0] for line in table.splitlines()])  # the last column is time
        self.assertEqual(*reports)

    def test_mistakes_are_explained_and_passwords_kept(self):
        err = self.run_lab("postgresql://me:secret@127.0.0.1:1/lab?password=secret", status=2)[1]
        self.assertIn("postgresql://me@127.0.0.1:1/lab: connection to server", err)
        self.assertNotIn("secret", err)
        self.assertIn("has no laboratory yet", self.ludens("lab", "report", self.spec, "--db", self.server.url, status=2)[1])


if __name__ == "__main__":
    harness.main()
