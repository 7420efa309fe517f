#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import collections
import hashlib
import json
import os

import harness


def fingerprint(lines):
    return hashlib.sha1("\n".join(sorted(lines)).encode()).hexdigest()[:16]


class Sim(harness.Case):
    def results(self, *arguments):
        return json.loads(self.ludens("sim", "--json", *arguments)[0])

    def trace(self, game, *arguments):
        self.ludens("sim", game, "--trace", self.path("trace.json"), *arguments)
        return json.loads(self.read(self.path("trace.json")))

    def test_the_seed_decides(self):
        one = self.ludens("sim", "connectFour", "-n", 200, "--seed", 7)[0]
        self.assertEqual(one, self.ludens("sim", "connectFour", "-n", 200, "--seed", 7)[0])
        self.assertNotEqual(one, self.ludens("sim", "connectFour", "-n", 200, "--seed", 8)[0])
        # Not the same games in another order, either.
        lengths = {self.results("connectFour", "-n", 256, "--seed", seed)["length"]["mean"] for seed in range(4)}
        self.assertEqual(len(lengths), 4)

    def test_the_first_games_do_not_depend_on_how_many_follow(self):
        few = self.trace("ticTacToe", "-n", 2)["playouts"]
        many = self.trace("ticTacToe", "-n", 5)["playouts"]
        self.assertEqual(few, many[:2])
        self.assertNotEqual(many[0], many[1])

    def test_both_engines_play_the_same_games(self):
        for game in ["ticTacToe", "connectFour", "breakthrough", "checkers", "battle", "chinook", "ticTacToe3d"]:
            traces = []
            for engine in "lifted", "circuit":
                self.ludens("sim", game, "-n", 4, "--engine", engine, "--trace", self.path(engine))
                traces.append(self.read(self.path(engine)))
            self.assertEqual(traces[0], traces[1], game)

    def test_the_number_of_lanes_does_not_matter(self):
        widths = [1, *(n for n in (64, 256, 512) if self.supported(n)), 0]
        for game in "ticTacToe", "connectFour", "battle", "chinook", "goofspiel5", "eightPuzzle", "rolit4":
            for n, more in (1, []), (3, []), (70 if harness.SANITIZED else 700, []), (300, ["--steps", 7]):
                runs = {self.ludens("sim", game, "-n", n, "--seed", 5, "--engine", "circuit", "--lanes", lanes, *more)[0]
                        for lanes in widths}
                self.assertEqual(len(runs), 1, (game, n))
            lifted = self.ludens("sim", game, "-n", 30, "--seed", 5, "--engine", "lifted")[0]
            circuit = self.ludens("sim", game, "-n", 30, "--seed", 5, "--engine", "circuit")[0]
            self.assertEqual(lifted.replace("lifted", "circuit"), circuit)

    def supported(self, lanes):
        try:
            self.ludens("sim", "ticTacToe", "-n", 1, "--lanes", lanes)
            return True
        except AssertionError:
            self.assertIn("--lanes is one of", self.ludens("sim", "ticTacToe", "-n", 1, "--lanes", lanes, status=2)[1])
            return False

    def test_a_fault_is_found_in_the_same_game_whatever_the_lanes(self):
        # whoever draws 7 three times in a row is stuck
        path = self.write("stuck.kif", """(role robot) (init (step 0)) (init (sevens 0)) %s %s
            (<= (legal robot (pick ?x)) (num ?x) (not (true (sevens 3))))
            (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
            (<= (next (sevens ?n)) (does robot (pick 7)) (true (sevens ?m)) (succ ?m ?n))
            (<= (next (sevens 0)) (not (does robot (pick 7))))
            (<= terminal (true (step 12))) (goal robot 50)""" % (
                " ".join(f"(num {i})" for i in range(10)), " ".join(f"(succ {i} {i + 1})" for i in range(12))))
        errors = {self.ludens("sim", path, "-n", 5000, "--engine", "circuit", "--lanes", lanes, status=2)[1] for lanes in (1, 64, 0)}
        self.assertEqual(len(errors), 1, errors)
        self.assertRegex(errors.pop(), r"game \d+: role robot has no legal move after \d+ steps")

    def test_every_move_is_as_likely(self):
        trace = self.trace("ticTacToe", "-n", 9000, "--steps", 0)
        count = collections.Counter(playout["steps"][0]["moves"][0] for playout in trace["playouts"])
        self.assertEqual(len(count), 9)
        for move, n in count.items():  # 1000 expected, standard deviation 30
            self.assertLess(abs(n - 1000), 150, move)

    def test_results_add_up(self):
        r = self.results("ticTacToe", "-n", 1000)
        self.assertEqual((r["games"], r["cut_off"]), (1000, 0))
        self.assertEqual(sum(o["games"] for o in r["outcomes"]), 1000)
        self.assertEqual({tuple(o["goals"]) for o in r["outcomes"]}, {(100, 0), (0, 100), (50, 50)})
        mean = sum(o["games"] * o["goals"][0] for o in r["outcomes"]) / 1000
        self.assertAlmostEqual(r["goals"]["xplayer"]["mean"], mean, places=3)
        self.assertTrue(5 <= r["length"]["min"] <= r["length"]["mean"] <= r["length"]["max"] <= 9)
        squares = sum(o["games"] * (o["goals"][0] - mean) ** 2 for o in r["outcomes"]) / 999
        self.assertAlmostEqual(r["goals"]["xplayer"]["margin95"], 1.96 * (squares / 1000) ** 0.5, places=3)
        # Random play gives x 58.5%, o 28.8%, draws 12.7%: a mean of 64.9, known exactly.
        self.assertLess(abs(mean - 64.86), 2 * r["goals"]["xplayer"]["margin95"])

    def test_games_are_given_up_at_the_limit(self):
        r = self.results("breakthrough", "-n", 3, "--steps", 5)
        self.assertEqual((r["games"], r["cut_off"], r["length"]), (0, 3, None))
        trace = self.trace("breakthrough", "-n", 1, "--steps", 5)
        self.assertTrue(trace["truncated"] and trace["playouts"][0]["truncated"])
        self.assertEqual(len(trace["playouts"][0]["steps"]), 6)

    def test_traces_have_the_form_of_the_corpus(self):
        trace = self.trace("ticTacToe", "-n", 2)
        with open(os.path.join(harness.GAMES, "ticTacToe.kif"), "rb") as sheet:
            self.assertEqual(trace["kif_sha1"], hashlib.sha1(sheet.read()).hexdigest())
        self.assertEqual(trace["roles"], ["xplayer", "oplayer"])
        self.assertFalse(trace["truncated"])
        first = trace["playouts"][0]["steps"][0]
        self.assertEqual(list(first), ["state_size", "state_hash", "legal", "legal_hash", "moves", "terminal",
                                       "goals", "state", "legal_moves"])
        self.assertEqual(first["legal"], {"xplayer": 9, "oplayer": 1})
        self.assertIn("(mark 2 3)", first["legal_moves"]["xplayer"])
        for step in trace["playouts"][0]["steps"]:
            self.assertEqual(step["state_hash"], fingerprint(step["state"]))
            if not step["terminal"]:
                lines = [f"{role} {move}" for role, moves in step["legal_moves"].items() for move in moves]
                self.assertEqual(step["legal_hash"], fingerprint(lines))
        last = trace["playouts"][1]["steps"][-1]
        self.assertEqual(list(last), ["state_size", "state_hash", "terminal", "goals"])
        self.assertEqual(sum(last["goals"].values()), 100)

    def test_traces_can_be_followed(self):
        for game in ["ticTacToe", "connectFour", "breakthrough", "checkers"]:
            trace = self.path("trace.json")
            self.ludens("sim", game, "-n", 3, "--steps", 60, "--trace", trace)
            out, err = self.ludens("verify", game, trace)
            self.assertIn("followed 3 playouts", out)

    def test_a_changed_trace_is_found_out(self):
        trace = self.trace("ticTacToe", "-n", 1)
        trace["playouts"][0]["steps"][1]["state_hash"] = "0" * 16
        path = self.write("changed.json", json.dumps(trace))
        out, err = self.ludens("verify", "ticTacToe", path, status=1)
        self.assertIn("step 2", out)

    def test_a_trace_goes_to_standard_output(self):
        out, err = self.ludens("sim", "ticTacToe", "-n", 1, "--json", "--trace", "-")
        self.assertIn('"kif_sha1"', out)

    def test_faulty_games_are_told(self):
        sheet = self.write("stuck.kif", """
(role white) (init (step 1))
(<= (legal white go) (true (step 1)))
(<= (next (step 2)) (does white go))
(<= terminal (true (step 3))) (goal white 0)
""")
        out, err = self.ludens("sim", sheet, status=2)
        self.assertIn("white has no legal move after 1 step", err)

    def test_goals_that_are_missing_are_undefined(self):
        sheet = self.write("nothing.kif", """
(role white) (init (step 1)) (legal white go)
(<= (next (step 2)) (does white go))
(<= terminal (true (step 2))) (<= (goal white 100) (true (step 1)))
""")
        r = self.results(sheet, "-n", 4)
        self.assertEqual(r["outcomes"], [{"goals": [None], "games": 4}])
        self.assertIn("undefined", self.ludens("sim", sheet)[0])

    def test_bad_usage(self):
        for arguments, message in [(["sim"], "GAME is missing"),
                                   (["sim", "ticTacToe", "connectFour"], "'connectFour' is too much"),
                                   (["sim", "tictactoo"], "tictactoo"),
                                   (["sim", "ticTacToe", "-n", "0"], "from 1"),
                                   (["sim", "ticTacToe", "--seed", "-3"], "not negative"),
                                   (["sim", "ticTacToe", "--trace", "/no/such/folder/x"], "/no/such/folder/x"),
                                   (["sim", "ticTacToe", "--engine", "steam"], "lifted")]:
            out, err = self.ludens(*arguments, status=2)
            self.assertIn(message, err)

    def test_rules_with_errors_are_shown_with_their_place(self):
        sheet = self.write("broken.kif", "(role white)\n(<= (legal white ?x) (true (step 1)))\n")
        out, err = self.ludens("sim", sheet, status=2)
        self.assertIn("broken.kif:2:", err)


if __name__ == "__main__":
    harness.main()
