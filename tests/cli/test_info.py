#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os

import harness
import small_sheets


class Info(harness.Case):
    def info(self, game, *arguments):
        return json.loads(self.ludens("info", "--json", "-n", 20, game, *arguments)[0])

    def test_the_rules_are_described(self):
        rules = self.info("ticTacToe")["rules"]
        self.assertEqual(rules["uses"], ["negation", "distinct", "base", "input"])
        self.assertEqual(rules["relations"], rules["static_relations"] + rules["state_relations"] + rules["move_relations"])
        sheet = self.write("uses.kif", """
(role p) (init (at (pos 1 (s 0)))) (legal p go)
(<= (reach ?x) (true (at ?x)))
(<= (reach ?x) (reach ?y) (or (edge ?x ?y) (edge ?y ?x)))
(edge 1 2)
(<= (next ?f) (true ?f))
(<= terminal (reach 2)) (<= terminal (true (at (pos 1 (s 0))))) (goal p 100)
""")
        self.assertEqual(self.info(sheet)["rules"]["uses"], ["recursion", "functions", "nested functions", "or"])

    def test_turns_are_observed(self):
        answer = self.info("ticTacToe")
        self.assertEqual((answer["turns"], answer["turn_order"]), ("alternating", ["xplayer", "oplayer"]))
        self.assertEqual((answer["control"], answer["counter"]), ("control", None))
        answer = self.info("moreMoney")
        self.assertEqual((answer["turns"], answer["turn_order"], answer["control"]), ("simultaneous", None, None))
        self.assertEqual(answer["joint_moves"], {"min": 4, "mean": 4.0, "max": 4})
        self.assertEqual(answer["constant_sum"], 100)
        answer = self.info("eightPuzzle")
        self.assertEqual(answer["turns"], "one role")

    def test_boards_are_found_whatever_they_are_called(self):
        plain = self.info("breakthrough")["boards"]
        self.assertEqual(len(plain), 1)
        sheet = os.path.join(harness.GAMES, "breakthrough.kif")
        scrambled = self.write("scrambled.kif", self.ludens("scramble", sheet, "--seed", 5, "--numbers")[0])
        disguised = self.info(scrambled)["boards"]
        self.assertEqual(len(disguised), 1)
        self.assertNotEqual(disguised[0]["name"], plain[0]["name"])
        for board in plain[0], disguised[0]:
            self.assertEqual((board["kind"], board["cells"], len(board["pieces"])), ("cells", 64, 2))
            self.assertEqual([(m["from"], m["to"]) for m in board["moves"]], [(0, 2)])
            self.assertEqual(len({p["owner"] for p in board["pieces"]} - {None}), 2)

    def test_coordinates_are_ordered_by_the_relation_that_chains_them(self):
        sheet = self.write("chain.kif", """
(role p) (role q)
(succ zig zag) (succ zag zog)
(index zig) (index zag) (index zog)
(init (control p)) (<= (init (cell ?x ?y nix)) (index ?x) (index ?y))
(<= (legal ?r (put ?x ?y)) (true (control ?r)) (true (cell ?x ?y nix)))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (next (control q)) (true (control p))) (<= (next (control p)) (true (control q)))
(<= (next (cell ?x ?y ?r)) (does ?r (put ?x ?y)))
(<= (next (cell ?x ?y ?z)) (true (cell ?x ?y ?z)) (distinct ?z nix))
(<= (next (cell ?x ?y nix)) (true (cell ?x ?y nix)) (not (chosen ?x ?y)))
(<= (chosen ?x ?y) (does ?r (put ?x ?y)))
(<= open (true (cell ?x ?y nix)))
(<= terminal (not open)) (goal p 50) (goal q 50)
""")
        board = self.info(sheet)["boards"][0]
        self.assertEqual(board["x"], {"order": "relation", "values": ["zig", "zag", "zog"]})
        pieces = {p["name"]: p for p in board["pieces"]}
        self.assertTrue(pieces["nix"]["blank"])
        self.assertEqual((pieces["p"]["owner"], pieces["q"]["owner"]), ("p", "q"))

    def test_games_that_fall_apart(self):
        text = small_sheets.lights_out(3, 3, 4)
        answer = self.info(self.write("lamps.kif", text))["subgames"]
        self.assertEqual([(p["bits"], p["moves"], p["counts"], p["stays"]) for p in answer["parts"]],
                         [(9, 9, True, True)] * 3)
        self.assertEqual((answer["terminal"], answer["at_once"], answer["idle_moves"]), ("and", False, 0))
        self.assertEqual({g["value"]: g["join"] for g in answer["goals"]}, {100: "and", 0: "or"})
        # a lamp of one board that goes on when one of another does
        joined = text + "(<= (next (lit 0 0 0)) (true (lit 1 2 2)))"
        self.assertEqual(len(self.info(self.write("joined.kif", joined))["subgames"]["parts"]), 2)
        lines = self.ludens("info", "-n", 5, "nim")[0].splitlines()
        self.assertIn("subgames    4, each move is one in one of them; the end depends on all of them", lines)
        lines = self.ludens("info", "-n", 5, "ticTacToe")[0].splitlines()
        self.assertIn("subgames    none: the game does not fall apart", lines)
        self.assertIsNone(self.info("nim", "--engine", "lifted")["subgames"])

    def test_symmetries(self):
        self.assertEqual([self.info(g)["symmetries"] for g in ("ticTacToe", "connectFour", "nim")], [7, 1, 0])
        self.assertIn("symmetries  7: ", self.ludens("info", "-n", 5, "ticTacToe")[0])

    def test_counters_and_heaps_are_not_boards(self):
        sheet = self.write("nim.kif", """
(role p) (init (heap a 3)) (init (heap b 2)) (init (step 1))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (legal p (take ?h)) (true (heap ?h ?n)) (distinct ?n 0))
(<= (next (heap ?h ?m)) (does p (take ?h)) (true (heap ?h ?n)) (succ ?m ?n))
(<= (next (heap ?h ?n)) (true (heap ?h ?n)) (does p (take ?g)) (distinct ?h ?g))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= more (true (heap ?h ?n)) (distinct ?n 0))
(<= terminal (not more)) (goal p 100)
""")
        answer = self.info(sheet)
        self.assertEqual((answer["boards"], answer["counter"], answer["length"]["max"]), ([], "step", 5))

    def test_text_for_people(self):
        out, err = self.ludens("info", "connectFour")
        for line in ["roles       red, yellow", "turns       alternating: red, yellow",
                     "sum         constant: the goals add up to 100", "board       cell/3, cells: 7 by 6"]:
            self.assertIn(line, out)

    def test_every_game_of_the_library_can_be_described(self):
        for path in harness.some(harness.games()):
            answer = json.loads(self.ludens("info", path, "--json", "-n", 2, "--seconds", 0.2)[0])
            self.assertIsNone(answer["fault"], path)
            self.assertGreater(answer["states"], 0)

    def test_bad_usage(self):
        self.assertIn("GAME is missing", self.ludens("info", status=2)[1])
        self.assertIn("noSuchGame", self.ludens("info", "noSuchGame", status=2)[1])


if __name__ == "__main__":
    harness.main()
