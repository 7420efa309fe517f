#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ludens solve`: values that are known, by every method that suits; limits; what a user sees."""
import json
import os
import signal
import subprocess
import time

import harness
import small_sheets

# Rock, paper, scissors, where scissors count double.
WEAPONS = """
(role left) (role right) (init fresh)
(weapon rock) (weapon paper) (weapon scissors)
(<= (legal ?r ?w) (role ?r) (weapon ?w))
(<= (next (shown ?r ?w)) (does ?r ?w))
(<= terminal (not (true fresh)))
(beats rock scissors 75) (beats paper rock 75) (beats scissors paper 100)
(<= (goal ?r ?v) (true (shown ?r ?a)) (true (shown ?s ?b)) (distinct ?r ?s) (beats ?a ?b ?v))
(<= (goal left 25) (true (shown left ?a)) (true (shown right ?b)) (beats ?b ?a 75))
(<= (goal right 25) (true (shown right ?a)) (true (shown left ?b)) (beats ?b ?a 75))
(<= (goal left 0) (true (shown left ?a)) (true (shown right ?b)) (beats ?b ?a 100))
(<= (goal right 0) (true (shown right ?a)) (true (shown left ?b)) (beats ?b ?a 100))
(<= (goal ?r 50) (role ?r) (true (shown left ?a)) (true (shown right ?a)))
"""

# Three players; each takes 1 or 2 of four stones, who takes the last gets 100, who took before 50, the third 0.
THREE = """
(role a) (role b) (role c) (init (turn a)) (init (stones 4))
(after a b) (after b c) (after c a) (minus 4 1 3) (minus 4 2 2) (minus 3 1 2) (minus 3 2 1) (minus 2 1 1) (minus 2 2 0)
(minus 1 1 0)
(<= (legal ?r (take ?n)) (true (turn ?r)) (true (stones ?s)) (minus ?s ?n ?t))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (stones ?t)) (does ?r (take ?n)) (true (stones ?s)) (minus ?s ?n ?t))
(<= (next (turn ?q)) (true (turn ?r)) (after ?r ?q))
(<= terminal (true (stones 0)))
(<= (goal ?r 100) (true (turn ?q)) (after ?r ?q))
(<= (goal ?r 50) (true (turn ?q)) (after ?s ?q) (after ?r ?s))
(<= (goal ?r 0) (true (turn ?r)))
"""


class Solve(harness.Case):
    def solve(self, *arguments, status=0):
        if harness.THREADS_WATCHED and "--seconds" not in arguments:
            arguments += "--seconds", 300
        return json.loads(self.ludens("solve", "--json", *arguments, status=status)[0])

    def value(self, *arguments):
        answer = self.solve(*arguments)
        self.assertTrue(answer["proved"])
        values = list(answer["values"].values())
        for v in values:
            self.assertAlmostEqual(v["low"], v["high"], delta=1e-5)
        return round(values[0]["low"], 4)

    def test_games_whose_value_is_known(self):
        known = {"ticTacToe": 50, "nim": 0, "sheepAndWolf": 0, "goofspiel4": 50, "goofspiel5": 50, "goofspiel6": 50,
                 "biddingTicTacToe": 50, "clobber": 100}
        for game, value in known.items():
            self.assertEqual(self.value(game), value, game)

    def test_every_method_says_the_same(self):
        for game in "ticTacToe", "nim", "goofspiel4":
            values = {self.value(game, "--method", m) for m in ("depth-first", "proof-number", "backward")}
            self.assertEqual(len(values), 1, game)
        for game in "ticTacToe", "nim":  # max^n looks at everything
            self.assertEqual(self.value(game, "--method", "max-n"), self.value(game))

    def test_connect_four_on_small_boards_is_drawn(self):
        for columns, rows in ((4, 4),) if harness.THREADS_WATCHED else ((4, 4), (5, 4)):
            sheet = self.write(f"c{columns}x{rows}.kif", small_sheets.connect_four(columns, rows))
            self.assertEqual(self.value(sheet), 50)
            self.assertEqual(self.value(sheet, "--method", "max-n"), 50)  # by looking at everything

    def test_breakthrough_on_small_boards(self):
        for columns, rows in (2, 5), (3, 5):
            sheet = self.write(f"b{columns}x{rows}.kif", small_sheets.breakthrough(columns, rows))
            self.assertEqual(self.value(sheet), self.value(sheet, "--method", "max-n"))

    def test_symmetric_positions_are_one(self):
        sheet = self.write("c4x4.kif", small_sheets.connect_four(4, 4))
        for game, symmetries in ("ticTacToe", 7), (sheet, 1):
            plain, folded = (self.solve(game, "--symmetry", s) for s in ("off", "on"))
            self.assertEqual((plain["symmetries"], folded["symmetries"]), (0, symmetries))
            self.assertEqual(plain["values"], folded["values"])
            self.assertLess(folded["opened"], 0.7 * plain["opened"])
            self.assertTrue(folded["line_ends"])

    def test_mirrored_positions_differ_where_a_tie_is_not_one_for_the_other(self):
        generous = small_sheets.replace(small_sheets.sheet("ticTacToe"), r"\(goal \?player 50\)", "(goal ?player 60)")
        self.assertEqual(self.solve(self.write("generous.kif", generous))["symmetries"], 0)

    def test_the_engines_agree(self):
        self.assertEqual(self.value("ticTacToe", "--engine", "lifted"), 50)

    def test_a_depth_is_refused_where_one_plays_alone(self):
        self.assertIn("--shortest", self.ludens("solve", "lightsOut", "--depth", 3, status=2)[1])

    def test_a_win_comes_with_a_shortest_line(self):
        moves = "(drop 4); (drop 7); (drop 3); (drop 6); (drop 7); (drop 7)"
        answer = self.solve("connectFour", "--moves", moves, "--shortest")
        self.assertEqual(answer["values"]["red"], {"low": 100.0, "high": 100.0})
        self.assertEqual(answer["depth"], 3)
        self.assertEqual(len(answer["line"]), 3)
        self.assertEqual(answer["line"][0][0], "(drop 2)")
        self.assertTrue(answer["line_ends"])

    def test_both_choose_at_once(self):
        answer = self.solve(self.write("weapons.kif", WEAPONS))
        self.assertTrue(answer["at_once"])
        self.assertAlmostEqual(answer["values"]["left"]["low"], 50, delta=1e-5)
        shares = {(m["role"], m["move"]): m["share"] for m in answer["moves"]}
        # what each wins by, the other two must make up for: rock : paper : scissors = 2 : 1 : 1
        for role in "left", "right":
            for weapon, share in ("rock", 0.5), ("paper", 0.25), ("scissors", 0.25):
                self.assertAlmostEqual(shares[role, weapon], share, delta=1e-6)

    def test_one_role(self):
        answer = self.solve("hanoi")
        self.assertEqual(answer["method"], "race")
        self.assertEqual(answer["values"]["player"]["low"], 100)
        self.assertTrue(answer["line_ends"])
        for how in ["--method", "breadth-first"], ["--shortest"]:
            answer = self.solve("hanoi", *how)
            self.assertEqual((answer["method"], len(answer["line"])), ("breadth-first", 31))

    def test_one_role_by_searches_that_need_not_see_everything(self):
        # far more positions than there is room for, but a line that brings the most there is
        answer = self.solve("pegSolitaire", "--memory", 200, "--positions", 300000000)
        self.assertEqual((answer["proved"], answer["values"]["player"]["low"]), (True, 100))

    def test_one_role_part_by_part(self):
        # 512 states a board, 134 million together; moves of other boards do nothing on this one
        sheet = self.write("lamps.kif", small_sheets.lights_out(6, 3, 5))
        apart = self.solve(sheet, "--positions", 20000)
        self.assertEqual((apart["proved"], apart["parts"], apart["values"]["robot"]["low"]), (True, 6, 100))
        self.assertLess(apart["opened"], 20000)
        whole = self.solve(sheet, "--positions", 20000, "--parts", "off", status=1)
        self.assertEqual((whole["proved"], whole["parts"]), (False, 0))

    def test_one_role_whose_best_is_less_than_the_rules_promise(self):
        # two moves are not enough for three switches: only who has seen everything knows
        sheet = self.write("three.kif", """(role p) (init (step 0)) (succ 0 1) (succ 1 2) (s a) (s b) (s c)
            (<= (legal p (put ?x)) (s ?x)) (<= (next (on ?x)) (does p (put ?x))) (<= (next (on ?x)) (true (on ?x)))
            (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 2)))
            (<= all (true (on a)) (true (on b)) (true (on c))) (<= (goal p 100) all)
            (<= two (true (on a)) (true (on b)) (not all)) (<= (goal p 60) two) (<= (goal p 5) (not two) (not all))""")
        for how in [], ["--engine", "lifted"], ["--shortest"]:
            answer = self.solve(sheet, *how)
            self.assertEqual((answer["proved"], answer["values"]["p"]), (True, {"low": 60.0, "high": 60.0}), how)
            self.assertEqual(len(answer["line"]), 2)

    def test_three_roles_play_for_themselves(self):
        answer = self.solve(self.write("three.kif", THREE))
        self.assertEqual(answer["method"], "max-n")
        # a takes 1: b faces 3 and takes 1 or 2, c takes the last; a takes 2: b takes both.
        self.assertTrue(answer["proved"])
        self.assertEqual(sorted(v["low"] for v in answer["values"].values()), [0, 50, 100])

    def test_limits_are_kept_and_told(self):
        answer = self.solve("connectFour", "--positions", 1000, status=1)
        self.assertFalse(answer["proved"])
        self.assertEqual(answer["why"], "positions")
        self.assertEqual(answer["values"]["red"], {"low": 0.0, "high": 100.0})
        self.assertEqual(self.solve("connectFour", "--seconds", 0.5, status=1)["why"], "time")
        self.assertEqual(self.solve("connectFour", "--depth", 5, status=1)["why"], "depth")
        self.assertEqual(self.solve("lightsOut", "--memory", 1, status=1)["why"], "memory")
        out, _ = self.ludens("solve", "connectFour", "--positions", 1000, status=1)
        self.assertIn("not proved: as many positions were opened as allowed", out)

    def test_people_see_values_moves_and_a_line(self):
        out, _ = self.ludens("solve", "nim")
        self.assertIn("first        0   loses", out)
        self.assertIn("second       100   wins", out)
        self.assertIn("line: (take", out)
        out, _ = self.ludens("solve", "goofspiel4")
        self.assertIn("how often to play what:", out)

    def test_a_position_of_a_record(self):
        path = self.path("match.json")
        self.ludens("match", "ticTacToe", "--seat", "xplayer=legal", "--seat", "oplayer=legal", "--quiet",
                    "--record", path)
        answer = self.solve("ticTacToe", "--at", path)
        self.assertTrue(answer["proved"])
        self.assertEqual(answer["opened"], 0)  # it is over

    def test_what_is_wrong_is_said(self):
        for arguments, words in ((["noSuchGame"], "noSuchGame"), (["ticTacToe", "--method", "guess"], "not 'guess'"),
                                 (["ticTacToe", "--moves", "(mark 9 9)"], "mark 9 9")):
            _, err = self.ludens("solve", *arguments, status=2)
            self.assertIn(words, err)

    def test_ctrl_c_shows_how_far_it_came(self):
        run = subprocess.Popen([harness.LUDENS, "solve", "connectFour", "--seconds", "0"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        time.sleep(1.5)
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertIn(b"not proved: interrupted", out)

    def test_tactical_positions_are_what_they_were_found_to_be(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tactics.txt")) as file:
            rows = [[field.strip() for field in line.split("|")] for line in file if line[0] != "#"]
        self.assertGreaterEqual(len(rows), 20)
        for game, kind, plies, moves, best in rows:
            if kind != "win":
                continue
            answer = self.solve(game, "--moves", moves, "--depth", plies)
            self.assertEqual(answer["depth"], int(plies), (game, moves))
            first = [m for m in answer["line"][0] if m.lower() != "noop"]
            self.assertEqual(first, [best], (game, moves))


if __name__ == "__main__":
    harness.main()
