#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import signal
import subprocess

import harness

# Nobody can move: the rules forget black.
STUCK = """
(role white) (role black) (init (step 1))
(<= (legal white go) (true (step 1)))
(<= (legal black go) (true (step 2)))
(<= (next (step 2)) (does white go))
(<= terminal (true (step 3)))
(goal white 0) (goal black 0)
"""


class Perft(harness.Case):
    def counts(self, *arguments):
        return json.loads(self.ludens("perft", "--json", *arguments)[0])

    def sequences(self, game, depth):
        return [row["sequences"] for row in self.counts(game, "-d", depth)["depths"]]

    def test_all_of_tic_tac_toe(self):
        answer = self.counts("ticTacToe", "-d", 0, "--unique")
        self.assertTrue(answer["exhausted"])
        self.assertEqual(answer["games"], 255168)
        self.assertEqual(answer["positions"], 5478)
        self.assertEqual([row["sequences"] for row in answer["depths"]],
                         [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872])
        self.assertEqual([row["ended"] for row in answer["depths"]],
                         [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872])

    def test_known_counts_of_connect_four_and_its_positions(self):
        answer = self.counts("connectFour", "-d", 7, "--unique")
        self.assertEqual([row["sequences"] for row in answer["depths"]],
                         [1, 7, 49, 343, 2401, 16807, 117649, 823536])
        self.assertEqual([row["positions"] for row in answer["depths"]], [1, 7, 49, 238, 1120, 4263, 16422, 54859])
        self.assertFalse(answer["exhausted"])

    def test_known_counts_of_breakthrough(self):
        self.assertEqual(self.sequences("breakthrough", 3), [1, 22, 484, 11132])

    def test_the_engines_agree(self):
        for game, depth in [("connectFour", 5), ("chinook", 2), ("checkers", 5), ("othello", 4)]:
            lifted, circuit = (self.counts(game, "-d", depth, "-u", "--engine", e)["depths"]
                               for e in ("lifted", "circuit"))
            self.assertEqual(lifted, circuit, game)

    def test_simultaneous_moves_count_as_one_joint_move(self):
        sheet = self.write("pennies.kif", """
(role a) (role b) (init (round 1)) (coin head) (coin tail) (coin edge)
(<= (legal a ?c) (coin ?c)) (legal b head) (legal b tail)
(<= (next (round 2)) (true (round 1)))
(<= (next (shown ?r ?c)) (does ?r ?c))
(<= terminal (true (round 2)))
(goal a 50) (goal b 50)
""")
        answer = self.counts(sheet, "-d", 0, "--unique")
        self.assertEqual([row["sequences"] for row in answer["depths"]], [1, 6])
        self.assertEqual((answer["games"], answer["positions"]), (6, 7))

    def test_positions_that_come_back_are_counted_once(self):
        sheet = self.write("round.kif", """
(role p) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 1)
(legal p go) (legal p stay)
(<= (next (at ?y)) (does p go) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?x)) (does p stay) (true (at ?x)))
(<= terminal (true (at 4))) (goal p 0)
""")
        answer = self.counts(sheet, "-d", 5, "--unique")
        self.assertEqual([row["sequences"] for row in answer["depths"]], [1, 2, 4, 8, 16, 32])
        self.assertEqual([row["new_positions"] for row in answer["depths"]], [1, 1, 1, 0, 0, 0])
        self.assertEqual(answer["positions"], 3)

    def test_table_for_people(self):
        out, err = self.ludens("perft", "ticTacToe", "-d", 0)
        self.assertRegex(out, r"(?m)^ +9 +127872 +127872$")
        self.assertIn("255168 different games", out)
        self.assertEqual(err, "")

    def test_a_role_without_a_move_is_named(self):
        out, err = self.ludens("perft", self.write("stuck.kif", STUCK), "-d", 3, status=2)
        self.assertIn("black has no legal move", err)

    def test_the_memory_limit_is_an_error_not_a_crash(self):
        out, err = self.ludens("perft", "connectFour", "-d", 12, "--memory", 2, status=2)
        self.assertIn("memory", err)

    def test_interrupting_keeps_the_rows_that_are_done(self):
        run = subprocess.Popen([harness.LUDENS, "perft", "breakthrough", "-d", "40"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        first = [run.stdout.readline() for _ in range(3)]
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertIn("22", first[2])
        self.assertIn("interrupted", err)

    def test_bad_usage(self):
        for arguments, message in [(["perft"], "GAME is missing"),
                                   (["perft", "noSuchGame"], "noSuchGame"),
                                   (["perft", "ticTacToe", "-d", "x"], "whole number"),
                                   (["perft", "ticTacToe", "-d", "-1"], "from 0"),
                                   (["perft", "ticTacToe", "--engine", "steam"], "lifted, circuit, auto, not 'steam'"),
                                   (["perft", "ticTacToe", "--uniqe"], "did you mean --unique")]:
            out, err = self.ludens(*arguments, status=2)
            self.assertIn(message, err)


if __name__ == "__main__":
    harness.main()
