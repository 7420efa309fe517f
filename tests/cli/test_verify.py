#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os

import harness

GAME = os.path.join(harness.GAMES, "ticTacToe.kif")


class Verify(harness.Case):
    def setUp(self):
        super().setUp()
        self.trace = self.path("trace.json")
        self.ludens("sim", "ticTacToe", "-n", "3", "--seed", "7", "--trace", self.trace)
        self.recorded = json.loads(self.read(self.trace))

    def altered(self):
        return self.write("altered.json", json.dumps(self.recorded))

    def step(self, playout, number):
        return self.recorded["playouts"][playout]["steps"][number]

    def differs(self, *words):
        out, _ = self.ludens("verify", GAME, self.altered(), status=1)
        for word in words:
            self.assertIn(word, out)

    def test_what_we_recorded_is_followed(self):
        steps = sum(len(p["steps"]) for p in self.recorded["playouts"])
        out, err = self.ludens("verify", GAME, self.trace)
        self.assertIn(f"3 playouts, {steps} steps", out)
        self.assertEqual(err, "")
        out, _ = self.ludens("verify", "ticTacToe", self.trace, "--quiet", "--engine", "lifted")
        self.assertEqual(out, "")

    def test_records_of_matches_are_followed(self):
        record, text = self.path("match.json"), self.path("match.pgn")
        self.ludens("match", "ticTacToe", "--others", "random", "--sims", 1, "--seed", 3, "--states", "--record", record,
                    "--record", text)
        whole = json.loads(self.read(record))
        for path in record, text:
            self.assertIn(f"followed a match, {len(whole['moves'])} steps", self.ludens("verify", GAME, path)[0])
            self.assertEqual(self.ludens("verify", GAME, path, "--quiet")[0], "")
        for change, word in [({"rewards": [99, 1]}, "the record gives xplayer 99"), ({"moves": [["(mark 9 9)", "noop"]], "states": None}, "mark 9 9"),
                             ({"roles": ["a", "b"]}, "the roles differ"), ({"ending": "aborted"}, "the game is over by the rules"),
                             ({"moves": whole["moves"][:-1], "states": None, "times": None, "seconds": None, "search": None},
                              "not by the rules"),
                             ({"states": [["(cell 1 1 x)"]] + whole["states"][1:]}, "the state after 0 moves")]:
            altered = {k: v for k, v in {**whole, **change}.items() if v is not None}
            if len(altered["moves"]) != len(whole["moves"]):
                altered = {k: v for k, v in altered.items() if k not in ("times", "seconds", "search", "errors")}
            out, err = self.ludens("verify", GAME, self.write("altered.json", json.dumps(altered)), status=1)
            self.assertIn(word, out)
        out, err = self.ludens("verify", GAME, self.write("other.json", "{}"), status=2)
        self.assertIn("neither a trace", err)

    def test_a_different_state_is_shown_from_both_sides(self):
        step = self.step(0, 1)
        gone = step["state"].pop(0)
        step["state"].append("(cell 9 9 z)")
        step["state_hash"] = "0" * 16
        self.differs("playout 1, step 2", "missing: (cell 9 9 z)", "extra:   " + gone)

    def test_different_moves_are_shown(self):
        step = self.step(0, 0)
        role = self.recorded["roles"][0]
        step["legal_moves"][role].append("(mark 4 4)")
        step["legal_hash"] = "0" * 16
        self.differs("playout 1, step 1", f"missing: {role} (mark 4 4)")

    def test_an_end_at_another_step_is_a_difference(self):
        self.step(1, 2)["terminal"] = True
        self.differs("playout 2, step 3", "over in the trace")

    def test_other_goals_are_a_difference(self):
        last = self.recorded["playouts"][2]["steps"][-1]
        role = self.recorded["roles"][1]
        last["goals"][role] = 7
        self.differs("playout 3", f"goal of {role}", "7")

    def test_an_illegal_move_is_a_difference(self):
        self.step(0, 0)["moves"][0] = "(mark 9 9)"
        self.differs("playout 1, step 1", "not legal", "(mark 9 9)")

    def test_other_roles_are_a_difference(self):
        self.recorded["roles"].reverse()
        self.differs("the roles differ")

    def test_traces_without_lists_are_compared_by_hash(self):
        for playout in self.recorded["playouts"]:
            for step in playout["steps"]:
                step.pop("state", None)
                step.pop("legal_moves", None)
        self.ludens("verify", GAME, self.altered())
        self.step(1, 1)["state_hash"] = "0" * 16
        self.differs("playout 2, step 2", "0000000000000000", "ours:")

    def test_what_cannot_be_read_is_trouble(self):
        for text in ("", "{", "[]", "{}", '{"roles": ["xplayer", "oplayer"], "playouts": 3}'):
            _, err = self.ludens("verify", GAME, self.write("bad.json", text), status=2)
            self.assertIn("bad.json", err)
        del self.step(0, 1)["moves"]
        _, err = self.ludens("verify", GAME, self.altered(), status=2)
        self.assertIn("playout 1, step 2: no moves", err)
        self.ludens("verify", GAME, self.path("missing.json"), status=2)
        self.ludens("verify", "noSuchGame", self.trace, status=2)
        self.ludens("verify", GAME, self.trace, "--engine", "steam", status=2)
        self.ludens("verify", GAME, status=2)

    def test_every_trace_is_followed_and_the_worst_status_counts(self):
        self.step(0, 0)["moves"][0] = "(mark 9 9)"
        out, _ = self.ludens("verify", GAME, self.altered(), self.trace, status=1)
        self.assertIn("trace.json: followed 3 playouts", out)


if __name__ == "__main__":
    harness.main()
