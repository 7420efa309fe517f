#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tournaments as people run them: killed, resumed, shared, changed, reported."""
import contextlib
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time

import harness

# 400 games: 100 each of two pairings in two games
SMALL = """
name: small
title: A small tournament
description: |
  Four hundred <games> & "more".
games:
  - ticTacToe
  - game: connectFour
    label: Connect Four
players:
  UCT: cadia2007
  NST: {player: nst, speed: 0.5}
  Random: random
pairings:
  - [NST, UCT]
  - {players: [UCT, Random], label: "<UCT & co>"}
number: 100
budget: {sims: 40}
seed: 7
published:
  source: nowhere
  columns: [NST - UCT, <UCT & co>]
  rows:
    ticTacToe: [50.5 ± 3.1, 99 ± 0.5]
    connectFour: [20 ± 5, -]
"""


class Lab(harness.Case):
    def setUp(self):
        super().setUp()
        self.spec = self.write("small.yaml", SMALL)

    def run_lab(self, db, *arguments, status=0):
        return self.ludens("lab", "run", self.spec, "--db", self.path(db), *arguments, status=status)

    def report(self, db, *arguments):
        return self.ludens("lab", "report", self.path(db), *arguments)[0]

    def games(self, db):
        """Every game with what must be the same in every run."""
        with sqlite3.connect(self.path(db)) as sql:
            rows = sql.execute(
                "SELECT experiment.name, cell.game, pairing, number, game.seed, seats, goals, errors, simulations, thoughts,"
                " steps, moves FROM game JOIN cell ON cell.id = cell JOIN experiment ON experiment.id = experiment"
                " ORDER BY 1, 2, 3, 4").fetchall()
        self.assertEqual(len(rows), len({row[:4] for row in rows}))
        return rows

    def count(self, db):
        try:
            with sqlite3.connect(f"file:{self.path(db)}?mode=ro", uri=True) as sql:
                return sql.execute("SELECT count(*) FROM game").fetchone()[0]
        except sqlite3.OperationalError:
            return 0  # no file yet, or no tables

    def start(self, db, *arguments):
        return subprocess.Popen([harness.LUDENS, "lab", "run", self.spec, "--db", self.path(db), *arguments],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_ten_kills_leave_the_same_games_as_none(self):
        self.run_lab("whole.db", "--jobs", 2)
        rng = random.Random()
        for kill in range(10):
            run = self.start("killed.db", "--jobs", "2")
            if kill >= 2:  # the first two may strike before anything is there
                enough = self.count("killed.db") + rng.randrange(1, 30)
                while self.count("killed.db") < enough and run.poll() is None:
                    time.sleep(0.001)
            time.sleep(rng.random() * 0.01)
            self.assertIsNone(run.poll(), "it was over before it could be killed")
            run.send_signal(signal.SIGKILL)
            run.wait()
        self.assertLess(self.count("killed.db"), 400)
        out, err = self.run_lab("killed.db", "--jobs", 2)
        self.assertIn("400 of 400 games are there", err)
        self.assertEqual(self.games("killed.db"), self.games("whole.db"))
        with sqlite3.connect(self.path("killed.db")) as sql:
            self.assertEqual(sql.execute("PRAGMA integrity_check").fetchone()[0], "ok")
            self.assertEqual(sql.execute("SELECT count(*) FROM claim").fetchone()[0], 0)

    def test_the_number_of_jobs_does_not_matter(self):
        self.run_lab("one.db", "--jobs", 1, "--games", 20)
        self.run_lab("three.db", "--jobs", 3, "--games", 20)
        games = self.games("one.db")
        self.assertEqual(len(games), 80)
        self.assertEqual(games, self.games("three.db"))

    def test_two_runs_share_a_database(self):
        runs = [self.start("shared.db", "--jobs", "1") for _ in range(2)]
        for run in runs:
            self.assertEqual(run.wait(), 0)
        self.run_lab("whole.db")
        self.assertEqual(self.games("shared.db"), self.games("whole.db"))

    def test_interrupted_runs_end_in_order_and_go_on(self):
        run = self.start("stopped.db", "--jobs", "2", "--sims", "3000")
        while self.count("stopped.db") < 3 and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(), 130)
        with sqlite3.connect(self.path("stopped.db")) as sql:
            self.assertEqual(sql.execute("SELECT count(*) FROM claim").fetchone()[0], 0)
            self.assertEqual(sql.execute("SELECT count(*) FROM runner").fetchone()[0], 0)
        before = self.count("stopped.db")
        self.assertLess(before, 400)
        self.run_lab("stopped.db", "--games", 4, "--sims", 3000)
        self.assertGreaterEqual(self.count("stopped.db"), 16)

    def test_seats_rotate_and_everything_to_replay_is_there(self):
        self.run_lab("t.db", "--games", 6)
        for row in self.games("t.db"):
            seats, moves = json.loads(row[5]), json.loads(row[11])
            self.assertEqual(seats, [0, 1] if row[3] % 2 == 0 else [1, 0])
            self.assertEqual(len(moves), row[10])
        # the rules agree with what was written down: moves, end and rewards
        for number in range(6):
            for form in "json", "pgn":
                record = self.path(f"{number}.{form}")
                self.ludens("lab", "game", "small", "--game", "Connect Four", "--pairing", "NST - UCT", "--number", number,
                            "--db", self.path("t.db"), "--out", record)
                self.ludens("replay", record, "--all")
        record = json.loads(self.ludens("lab", "game", "small", "--number", 1, "--db", self.path("t.db"))[0])
        self.assertIn("cadia2007", json.dumps(record))
        err = self.ludens("lab", "game", "small", "--number", 99, "--db", self.path("t.db"), status=2)[1]
        self.assertIn("has no game 99 of small", err)

    def test_machines_divide_an_experiment_and_join_what_they_have(self):
        for part in 1, 2, 3:
            self.run_lab(f"{part}.db", "--games", 10, "--part", f"{part}/3")
            self.assertLess(self.count(f"{part}.db"), 20)
        out = self.ludens("lab", "merge", self.path("all.db"), *[self.path(f"{part}.db") for part in (1, 2, 3, 1)])[0]
        self.assertTrue(out.endswith("1.db: 0 new games\n"), out)
        self.run_lab("whole.db", "--games", 10)
        self.assertEqual(self.games("all.db"), self.games("whole.db"))
        self.assertEqual(self.report("all.db").splitlines()[:7], self.report("whole.db").splitlines()[:7])
        self.write("small.yaml", SMALL.replace("seed: 7", "seed: 8"))
        self.run_lab("other.db", "--games", 2)
        err = self.ludens("lab", "merge", self.path("all.db"), self.path("other.db"), status=2)[1]
        self.assertIn("played with other settings", err)
        self.assertEqual(self.games("all.db"), self.games("whole.db"))
        self.assertIn("cannot be merged into itself",
                      self.ludens("lab", "merge", self.path("all.db"), self.path("all.db"), status=2)[1])
        for wrong in "3", "0/3", "4/3", "1/3x":
            self.assertIn("--part wants K/N", self.run_lab("t.db", "--part", wrong, status=2)[1])

    def test_a_column_is_played_now_and_the_others_later(self):
        def numbers():
            report, = json.loads(self.report("a.db", "--json"))
            return [(cell["pairing"], cell["rate"]["games"], cell["target"]) for cell in report["cells"]]

        self.run_lab("a.db", "--column", "<UCT & co>", "--games", 4)
        self.assertEqual(numbers(), [("NST - UCT", 0, 4), ("<UCT & co>", 4, 4)] * 2)
        self.run_lab("a.db", "--column", "NST - UCT", "--games", 2)  # the number wanted of the other stays
        self.assertEqual(numbers(), [("NST - UCT", 2, 2), ("<UCT & co>", 4, 4)] * 2)
        self.run_lab("a.db", "--column", "NST - UCT", "--only", "ticTacToe", "--games", 6)
        self.assertEqual([n for _, n, _ in numbers()], [6, 4, 2, 4])
        _, err = self.run_lab("a.db", "--column", "NST", status=2)
        self.assertIn("the experiment has no column 'NST'; its first is 'NST - UCT'", err)

    def test_a_changed_experiment_is_refused(self):
        self.run_lab("t.db", "--games", 4)
        self.write("small.yaml", SMALL.replace("speed: 0.5", "speed: 0.6").replace("title: A", "title: Another"))
        err = self.run_lab("t.db", "--games", 4, status=2)[1]
        self.assertIn("the experiment has changed: ticTacToe, NST - UCT has 4 games played with", err)
        self.assertIn("20 simulations", err)
        self.assertIn("24 simulations", err)
        self.assertIn("--force", err)
        self.assertEqual(self.count("t.db"), 16)
        self.run_lab("t.db", "--games", 4, "--force")
        self.assertEqual(self.count("t.db"), 16)
        # more games, other titles and other columns are no change
        self.write("small.yaml", SMALL.replace("speed: 0.5", "speed: 0.6").replace("- [NST, UCT]", "- [NST, UCT]\n  - [NST, Random]"))
        self.run_lab("t.db", "--games", 6)
        self.assertEqual(self.count("t.db"), 36)

    def test_variants_live_side_by_side(self):
        self.run_lab("t.db", "--games", 2)
        self.run_lab("t.db", "--games", 2, "--sims", 10)
        self.run_lab("t.db", "--quick", "--games", 2)
        self.assertEqual(self.count("t.db"), 24)
        out = self.ludens("lab", "report", self.spec, "--db", self.path("t.db"), "--json")[0]
        self.assertEqual([e["name"] for e in json.loads(out)], ["small", "small:sims=10", "small:quick"])
        page = self.report("t.db", "--html", "-")
        # what the foot says is what was run: running it again plays nothing new
        commands = re.findall("<code>ludens lab run small(.*?)</code>", page)
        self.assertEqual(commands, [" --games 2", " --sims 10 --games 2", " --quick --games 2"])
        for command in commands:
            self.assertIn("; 0 played now", self.run_lab("t.db", *command.split())[1])
        self.assertEqual(self.count("t.db"), 24)
        # headlines do not promise another budget
        self.assertEqual(re.findall("<h1>(.*?)</h1>", page),
                         ["A small tournament", "A small tournament, played with --sims 10", "A small tournament, played with --quick"])

    def test_experiments_are_known_by_their_name_in_the_database(self):
        self.run_lab("t.db", "--games", 2)
        self.run_lab("t.db", "--games", 2, "--sims", 10)
        os.remove(self.spec)
        for name, found in ("small", ["small", "small:sims=10"]), ("small:sims=10", ["small:sims=10"]):
            out = self.ludens("lab", "report", name, "--db", self.path("t.db"), "--json")[0]
            self.assertEqual([e["name"] for e in json.loads(out)], found)
            self.ludens("lab", "game", name, "--db", self.path("t.db"))
        err = self.ludens("lab", "report", "smal", "--db", self.path("t.db"), status=2)[1]
        self.assertIn("there is no experiment 'smal'", err)

    def test_few_games_have_the_interval_of_few_games(self):
        self.spec = self.write("few.yaml", "games: [ticTacToe]\nplayers: [cadia2007, random]\nnumber: 2\nbudget: {sims: 200}\n")
        self.run_lab("t.db")
        cell = json.loads(self.report("t.db", "--json"))[0]["cells"][0]["rate"]
        self.assertEqual(cell["mean"], 100)
        low = 100 * 2 / (2 + 1.96 ** 2)  # Wilson's, for two of two
        self.assertAlmostEqual(cell["low"], low, 6)
        for page in self.report("t.db"), self.report("t.db", "--details"), self.report("t.db", "--html", "-"):
            self.assertIn(f"({low:.0f}–100)", page)
            self.assertNotIn("±0.0", page)
        self.assertIn("Wilson", self.report("t.db"))

    def test_names_in_plots_are_not_cut_off(self):
        names = ["i", "A name with twenty-six chars", "WWWWWWWWWWWWWWWWWWWW"]
        games = "\n".join(f"  - {{game: ticTacToe, label: {name}}}" for name in names)
        self.spec = self.write("names.yaml", f"games:\n{games}\nplayers: [legal, random]\nnumber: 1\n")
        self.run_lab("t.db")
        page = self.report("t.db", "--html", "-")
        labels = re.findall('<text x="([0-9.]+)" y="[0-9.]+" text-anchor="end">(.*?)</text>', page)
        self.assertEqual([text for _, text in labels], ["i", "A name with twenty-six cha…", "W" * 20])
        for x, text in labels:  # 11 px: 6.2 are the average of a sans-serif face, a W has 10.9
            self.assertGreaterEqual(float(x) - (10.9 if "W" in text else 6.2) * len(text), 0, text)

    def test_a_plot_for_each_game_shows_what_more_thinking_does(self):
        self.spec = self.write("more.yaml", """
games: [{game: ticTacToe, label: "Noughts & Crosses"}, {game: nim, label: Nim}]
players: {A: "cadia2007,lanes=1", B: "cadia2008,lanes=1", C: "cadia2007,lanes=1"}
pairings:
  - {players: [B, A], label: hundred, times: 100, only: [ticTacToe]}
  - {players: [B, A], label: once}
  - {players: [B, A], label: ten, times: 10, only: [ticTacToe]}
  - {players: [C, A], label: other}
number: 4
budget: {steps: 20}
""")
        self.run_lab("t.db")
        written = self.report("t.db", "--svg", self.path("more"))
        self.assertEqual(written.split(), [self.path("more-noughts-crosses.svg")])  # Nim has one budget only
        picture = self.read(self.path("more-noughts-crosses.svg")).decode()
        for text in "Noughts &amp; Crosses", "4 games a point", "steps a move", ">100<", ">1000<":
            self.assertIn(text, picture)
        lines = re.findall('<path class="l c0" d="M([0-9.]+) [0-9.]+L([0-9.]+) [0-9.]+L([0-9.]+) [0-9.]+"/>', picture)
        self.assertEqual(len(lines), 1)  # one line through three points, from left to right, a decade between them
        left, middle, right = map(float, lines[0])
        self.assertGreater(middle, left)
        self.assertAlmostEqual(right - middle, middle - left, delta=0.2)
        self.assertNotIn('"l c1"', picture)
        self.assertEqual(self.report("t.db", "--html", "-").count('class="plot"'), 1)

    def test_reports_say_the_same_in_every_format(self):
        self.run_lab("t.db", "--games", 40)
        text = self.report("t.db")
        self.assertIn("small: 160 of 160 games, seed 7; published: nowhere", text)
        table = list(csv.DictReader(io.StringIO(self.report("t.db", "--csv"))))
        data = json.loads(self.report("t.db", "--json"))[0]
        self.assertEqual([len(table), len(data["cells"])], [4, 4])
        points = {}
        for _, game, pairing, _, _, seats, goals, *_ in self.games("t.db"):
            seats, goals = json.loads(seats), json.loads(goals)
            mine, other = goals[seats.index(0)], goals[seats.index(1)]
            points.setdefault((game, pairing), []).append(1 if mine > other else 0.5 if mine == other else 0)
        for row, cell in zip(table, data["cells"]):
            score = points[row["game"], row["pairing"]]
            mean = 100 * sum(score) / 40
            half = 196 * (sum((x - mean / 100) ** 2 for x in score) / 39 / 40) ** 0.5
            self.assertAlmostEqual(float(row["rate"]), mean, 3)
            self.assertAlmostEqual(float(row["interval"]), half, 3)
            self.assertAlmostEqual(cell["rate"]["mean"], mean, 3)
            self.assertEqual(cell["players"][0]["errors"], 0)
            seats = [s["rate"] for s in cell["seats"]]
            self.assertEqual([s["games"] for s in seats], [20, 20])
            self.assertAlmostEqual(sum(s["mean"] for s in seats) / 2, mean, 3)
            self.assertIn(f"{mean:.1f} ±{half:.1f}" if half else f"{mean:.1f} (", text)
        self.assertEqual(data["cells"][0]["published"], {"value": 50.5, "interval": 3.1})
        self.assertIn("50.5 ±3.1", text)
        # a player with half the speed has half the simulations
        per_move = [p["simulations"] / p["searches"] for p in data["cells"][0]["players"]]
        self.assertEqual([round(x) for x in per_move], [20, 40])
        details = self.report("t.db", "--details")
        self.assertIn("as xplayer", details)
        page = self.report("t.db", "--html", "-")
        self.assertIn("A small tournament", page)
        self.assertIn("&lt;UCT &amp; co&gt;", page)
        self.assertNotIn("<UCT", page)
        self.assertNotRegex(page, r"(src|href)=.?https?:")
        for row in table:
            self.assertIn(f"{float(row['rate']):.1f}", page)

    def test_nothing_that_a_database_brings_along_is_run(self):
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT "
        columns = "1 cell, 0 number, 1 seed, 1 seats, 1 goals, 1 errors, x simulations"
        hostile = {
            "view": f"ALTER TABLE game RENAME TO games; CREATE VIEW game AS {endless}{columns} FROM n",
            "trigger": "CREATE TRIGGER t AFTER INSERT ON runner BEGIN DELETE FROM game; END",
            "index": "CREATE INDEX i ON game (hex(seed))",
            "table": "CREATE TABLE more (x)",
            "game": "DROP TABLE game; CREATE TABLE game (cell, number, seed, seats, goals, errors, simulations, thoughts,"
                    " thinking, steps, seconds AS (length(hex(zeroblob(400000000)))), moves, version, host, finished)"}
        self.run_lab("good.db", "--games", 2)
        for name, sql in hostile.items():
            with self.subTest(name):
                path = self.path(name + ".db")
                shutil.copy(self.path("good.db"), path)
                with contextlib.closing(sqlite3.connect(path)) as db:
                    db.executescript(sql)
                before = self.read(path)
                for command in (["report", path], ["game", "small", "--db", path], ["merge", self.path("mine.db"), path],
                                ["run", self.spec, "--games", 3, "--db", path]):
                    out, err = self.ludens("lab", *command, status=2)
                    self.assertIn("the laboratory did not make", err)
                self.assertEqual(self.read(path), before)
        self.run_lab("good.db", "--games", 3)  # and the good one is still one

    def test_what_cannot_be_written_can_be_read(self):
        self.run_lab("t.db", "--games", 2)
        folder = self.path("media")
        os.mkdir(folder)
        shutil.copy(self.path("t.db"), folder)
        os.chmod(self.folder, 0o755)
        os.chmod(os.path.join(folder, "t.db"), 0o444)
        os.chmod(folder, 0o555)
        self.addCleanup(os.chmod, folder, 0o755)
        whole = self.report("t.db", "--json")
        somebody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            subprocess.run([harness.LUDENS, "--version"], check=True, stdout=subprocess.DEVNULL, **somebody)
        except (OSError, subprocess.SubprocessError):
            self.skipTest("nobody may not run the program")
        for command, expected in [(["report", "t.db", "--json"], whole), (["report", "small.yaml", "--db", "t.db", "--json"], whole),
                                  (["game", "small", "--db", "t.db"], None)]:
            where = [os.path.join(folder, c) if c == "t.db" else self.spec if c == "small.yaml" else c for c in command]
            run = subprocess.run([harness.LUDENS, "lab", *where], capture_output=True, text=True, **somebody)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertEqual(run.stdout, expected or run.stdout)
        self.assertEqual(os.listdir(folder), ["t.db"])
        self.assertIn("new games", self.ludens("lab", "merge", self.path("m.db"), os.path.join(folder, "t.db"))[0])

    def test_games_claimed_elsewhere_are_left_alone_while_the_heart_beats(self):
        self.run_lab("t.db", "--games", 2)
        with contextlib.closing(sqlite3.connect(self.path("t.db"))) as sql:
            sql.execute("DELETE FROM game WHERE number = 1")
            gone, = sql.execute("SELECT count(*) FROM cell").fetchone()
            for age in 60, 180:
                sql.execute("INSERT INTO runner (host, pid, born, beat) VALUES ('elsewhere', 1, 'then', ?)", (int(time.time()) - age,))
            young, old = (row[0] for row in sql.execute("SELECT id FROM runner ORDER BY id"))
            cells = [row[0] for row in sql.execute("SELECT id FROM cell ORDER BY id")]
            for cell in cells:
                sql.execute("INSERT INTO claim (cell, number, runner) VALUES (?, 1, ?)", (cell, young if cell == cells[0] else old))
            sql.commit()
        out, err = self.run_lab("t.db", "--games", 2)
        self.assertIn(f"; {gone - 1} played now", err)
        self.assertIn("1 in the hands of others", err)

    def test_a_file_that_is_too_large_is_refused(self):
        path = self.write("large.yaml", SMALL + "# " + "x" * (5 << 20) + "\n")
        self.assertIn("too large for an experiment", self.ludens("lab", "run", path, "--db", self.path("t.db"), status=2)[1])

    def test_one_player_alone_has_a_mean_goal(self):
        self.spec = self.write("alone.yaml", "games: [queens8]\nplayers: [cadia2007, random]\npairings: [[cadia2007], [random]]\n"
                                             "number: 5\nbudget: {sims: 50}\n")
        self.run_lab("t.db")
        cells = json.loads(self.report("t.db", "--json"))[0]["cells"]
        for cell in cells:
            goals = [json.loads(row[6])[0] for row in self.games("t.db") if row[2] == cell["pairing"]]
            self.assertAlmostEqual(cell["rate"]["mean"], sum(goals) / 5)
            self.assertEqual(cell["side"], 0)

    def test_four_seats_rotate_through_14_assignments(self):
        self.spec = self.write("four.yaml", "games: [rolit4]\nplayers: [random, legal]\nnumber: 15\n")
        self.run_lab("t.db")
        seats = [row[5] for row in self.games("t.db")]
        self.assertEqual(len(seats), 28)
        self.assertEqual(len(set(seats)), 14)
        self.assertEqual(seats[:14], seats[14:])

    def test_what_comes_with_ludens_can_be_listed_and_named(self):
        out = self.ludens("lab", "list")[0]
        for name in "first", "paper/000-table-11", "paper/002-table-4.1":
            self.assertIn(name, out)
        self.assertNotIn("broken", out)
        err = self.ludens("lab", "run", "paper/000-table-12", "--db", self.path("t.db"), status=2)[1]
        self.assertIn("there is no experiment 'paper/000-table-12'; did you mean paper/000-table-1", err)
        self.assertFalse(os.path.exists(self.path("t.db")))

    def test_mistakes_are_explained(self):
        self.assertIn("t.yaml:3:1: an experiment has no key 'gmaes'; did you mean games?",
                      self.ludens("lab", "run", self.write("t.yaml", "name: t\n\ngmaes: [hex]\n"), status=2)[1])
        self.assertIn("there is no", self.ludens("lab", "report", self.spec, "--db", self.path("none.db"), status=2)[1])
        self.write("other.db", b"this is no database at all, but long enough to be looked at" * 20)
        self.assertIn("not a database of the laboratory", self.run_lab("other.db", status=2)[1])
        with sqlite3.connect(self.path("foreign.db")) as sql:
            sql.execute("CREATE TABLE game (x)")
        self.assertIn("is a database of something else", self.run_lab("foreign.db", status=2)[1])
        self.run_lab("t.db", "--games", 2)
        self.assertIn("has no games of first", self.ludens("lab", "report", "first", "--db", self.path("t.db"), status=2)[1])
        self.assertIn("ludens lab run: --jobs wants", self.run_lab("t.db", "--jobs", 100000, status=2)[1])
        self.assertIn("usage: ludens lab", self.ludens("lab", status=2)[1])
        self.assertIn("usage: ludens lab", self.ludens("lab", "--help")[0])

    def test_the_sequential_test_stops_when_the_evidence_is_in(self):
        sprt = ["lab", "sprt", "cadia2007", "random", "--game", "ticTacToe", "--game", "connectFour", "--sims", 30, "--db",
                self.path("t.db"), "--jobs", 2]
        out, err = self.ludens(*sprt)
        self.assertIn("it is better", out)
        games = self.count("t.db")
        self.assertLess(games, 200)
        verdict = json.loads(self.ludens(*sprt, "--json")[0])  # nothing is played again
        self.assertEqual(self.count("t.db"), games)
        self.assertEqual(verdict["verdict"], "better")
        self.assertGreater(verdict["llr"], verdict["upper"])
        out = self.ludens("lab", "sprt", "random", "cadia2007", "--game", "ticTacToe", "--sims", 30, "--db", self.path("t.db"),
                          status=1)[0]
        self.assertIn("it is not better", out)
        out = self.ludens("lab", "sprt", "nst", "nst", "--game", "ticTacToe", "--sims", 5, "--games", 4, "--db", self.path("t.db"),
                          status=1)[0]
        self.assertIn("undecided", out)
        self.assertIn("in which game?", self.ludens("lab", "sprt", "nst", "nst", status=2)[1])
        self.assertIn("elo0 must be below elo1",
                      self.ludens("lab", "sprt", "nst", "nst", "--game", "hex", "--elo0", 5, "--elo1", 5, status=2)[1])

    def test_the_sequential_test_has_every_budget(self):
        for budget, name in ((["--sims", 5, "--start", 70], "5 simulations, start 70"), (["--steps", 200], "200 steps"),
                             (["--steps", 200, "--start", 400], "200 steps, start 400"), (["--expansions", 5], "5 expansions"),
                             (["--seconds", 0.005, "--start", 0.01], "0.005 s, start 0.01 s"),
                             (["--start", 30], "1000 simulations, start 30")):
            with self.subTest(name):
                self.ludens("lab", "sprt", "cadia2007,forced=on", "nst", "--game", "ticTacToe", "--games", 2, "--db",
                            self.path(name + ".db"), *budget, status=1)
                cells = json.loads(self.ludens("lab", "report", self.path(name + ".db"), "--json")[0])[0]["cells"]
                self.assertEqual([p["budget"] for p in cells[0]["players"]], [name, name])
                self.assertEqual(cells[0]["rate"]["games"], 2)
        self.assertIn("start goes with sims", self.ludens("lab", "sprt", "nst", "nst", "--game", "ticTacToe", "--expansions", 5, "--start",
                                                          9, "--db", self.path("t.db"), status=2)[1])

    def test_who_is_elsewhere_plays_too(self):
        serve = subprocess.Popen([harness.LUDENS, "serve", "--port", "0", "--player", "random", "--quiet"], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(serve.stdout.close)
        self.addCleanup(serve.wait)
        self.addCleanup(serve.kill)
        port = re.search(r"port (\d+)", serve.stdout.readline()).group(1)
        self.spec = self.write("far.yaml", f"games: [ticTacToe]\nplayers: {{Far: 'http://127.0.0.1:{port}', Near: random}}\n"
                                           "number: 4\nbudget: {seconds: 2, start: 2}\n")
        self.run_lab("t.db", "--jobs", 2)
        far, near = json.loads(self.report("t.db", "--json"))[0]["cells"][0]["players"]
        self.assertEqual([far["rate"]["games"], far["errors"], near["errors"]], [4, 0, 0])

    def test_who_cannot_be_reached_loses_no_games(self):
        self.spec = self.write("far.yaml", "games: [ticTacToe]\nplayers: {Far: 'http://127.0.0.1:9', Near: random}\n"
                                           "number: 20\nbudget: {seconds: 1, start: 1}\n")
        err = self.run_lab("t.db", status=2)[1]
        self.assertIn("20 could not be played", err)
        self.assertRegex(err, "ticTacToe, Far - Near, game .*: Far as .player: ")
        self.assertEqual(self.count("t.db"), 0)


if __name__ == "__main__":
    harness.main()
