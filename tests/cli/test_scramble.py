#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import re

import harness

KEYWORDS = set("role init true does legal next terminal goal base input distinct not or and <= ( )".split())


def tokens(text):
    return re.findall(r"[()]|[^\s()]+", re.sub(r";[^\r\n]*", "", text))


class Scramble(harness.Case):
    def scramble(self, path, *options):
        out, _ = self.ludens("scramble", path, "--map", self.path("map.json"), *options)
        with open(self.path("map.json"), encoding="utf-8") as file:
            return out, json.load(file)["names"]

    def check(self, path, *options, numbers):
        out, names = self.scramble(path, *options)
        before, after = tokens(self.read(path).decode()), tokens(out)
        self.assertEqual(len(before), len(after), path)
        self.assertEqual(len({n.lower() for n in names.values()}), len(names), "not one to one")
        for a, b in zip(before, after):
            if a.lower() in KEYWORDS:
                self.assertEqual(a, b)
                continue
            self.assertEqual(names[a].lower(), b.lower())
            self.assertEqual(a[0] == "?", b[0] == "?")
            if not re.fullmatch(r"\d+", a):
                self.assertNotIn(b.lower(), KEYWORDS)
                self.assertNotIn(b, before)
            elif not numbers:
                self.assertEqual(a, b)
        for value in re.findall(r"\(goal \S+ ([^?)]+)\)", out):
            self.assertRegex(value, r"^\d+$", path)
        self.assertEqual(self.ludens("fmt", "-", stdin=out)[0], out)
        return out

    def test_our_games_are_disguised_one_to_one(self):
        for path in harness.some(harness.games()):
            self.check(path, "--seed", 5, numbers=False)
            self.check(path, "--seed", 5, "--numbers", numbers=True)

    def test_the_seed_decides(self):
        game = harness.games()[0]
        one, again, two = (self.scramble(game, "--seed", s)[0] for s in (1, 1, 2))
        self.assertEqual(one, again)
        self.assertNotEqual(one, two)

    def test_numbers_stay_unless_asked_for(self):
        game = self.write("game.kif", "(succ 1 2) (<= (p ?x) (succ ?x 2))")
        self.assertRegex(self.scramble(game)[0], r"^\([a-z]+ 1 2\)\n")
        self.assertRegex(self.scramble(game, "--numbers")[0], r"^\([a-z]+ [a-z]+ [a-z]+\)\n")

    def test_numbers_on_their_way_to_a_goal_stay(self):
        game = self.write("game.kif", """
            (points 12 90) (points 11 80) (rank 7) (worth 30) (coin 40) (same 55 60)
            (<= (goal ?r ?v) (true (pieces ?r ?n)) (points ?n ?v))
            (<= (goal ?r ?v) (true (purse ?r ?v)))
            (<= (next (purse ?r ?v)) (does ?r (take ?v)))
            (<= (legal ?r (take ?v)) (coin ?v) (rank ?x))
            (<= (goal ?r ?v) (role ?r) (worth ?v) (not (distinct ?v 31)))
            (<= (goal ?r 5) (same ?x ?r))""")
        names = self.scramble(game, "--numbers")[1]
        kept = {n for n in names if n == names[n]}
        self.assertEqual(kept, {"90", "80", "30", "31", "40", "5"})

    def test_moves_are_translated_in_both_directions(self):
        game = self.write("game.kif", "(legal robot (put A 1)) (legal robot noop)")
        _, names = self.scramble(game)
        kept = ["scramble", "--map", self.path("map.json")]
        there, _ = self.ludens(*kept, "--translate", "( PUT a 1)")
        self.assertEqual(there, f"({names['put']} {names['A']} 1)\n")
        self.assertEqual(self.ludens(*kept, "--restore", there)[0], "(put A 1)\n")
        self.assertEqual(self.ludens(*kept, "--restore", "(legal " + names["robot"].upper() + " 1)")[0], "(legal robot 1)\n")
        _, err = self.ludens(*kept, "--restore", "(put A 1)", status=2)
        self.assertIn("'put' is not a name of the game", err)
        self.ludens(*kept, "--restore", "(put", status=2)

    def test_what_cannot_be_done_is_said(self):
        self.assertIn("bad.kif:1:1", self.ludens("scramble", self.write("bad.kif", "(role"), status=2)[1])
        self.ludens("scramble", status=2)
        self.ludens("scramble", "--translate", "noop", status=2)
        for text in ("{", "[]", "{}", '{"names": {"a": 1}}', '{"names": {"a": "b", "c": "B"}}', '{"names": {"true": "b"}}'):
            self.ludens("scramble", "--map", self.write("map.json", text), "--translate", "noop", status=2)


harness.main()
