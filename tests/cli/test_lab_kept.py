#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results kept as text: nothing is lost, nothing is played twice, nothing is mixed; the report over all tables."""
import json
import os
import re

import harness

TABLE = """
name: paper/{name}
games: [ticTacToe, {{game: connectFour, label: Connect Four}}]
players: {{UCT: "cadia2007,forced=on,lanes=1", MAST: "cadia2008,forced=on,lanes=1", Random: random}}
pairings:
{pairings}
number: 4
rates: rates/steps.yaml
clock: {{move: 2, start: 4}}
published:
  source: {name}
  columns: [{columns}]
  rows: {{ticTacToe: [{figures}], Connect Four: [{figures}]}}
  apart: [Connect Four]
"""
BOTH = "  - {players: [UCT, Random], label: plain}\n  - {players: [MAST, Random], label: guided}"
ONE = "  - {players: [UCT, Random], label: uct}"


class Kept(harness.Case):
    def setUp(self):
        super().setUp()
        os.environ["LUDENS_LAB"] = self.path("lab")
        self.addCleanup(os.environ.pop, "LUDENS_LAB")
        os.makedirs(self.path("lab/paper/rates"))
        self.write("lab/paper/rates/steps.yaml", "rates: {ticTacToe: 50, connectFour: 75.2}\n")
        self.write("lab/paper/a.yaml", TABLE.format(name="a", pairings=BOTH, columns="plain, guided",
                                                    figures="90 ± 3, 10 ± 3"))
        self.write("lab/paper/b.yaml", TABLE.format(name="b", pairings=ONE, columns="uct", figures="51 ± 3"))

    def lab_run(self, name, db, *arguments):
        return self.ludens("lab", "run", "paper/" + name, "--db", self.path(db), "-J", 1, *arguments)[1]

    def report(self, db):
        reports = json.loads(self.ludens("lab", "report", self.path(db), "--json")[0])
        return {(r["name"], c["game"], c["pairing"]): c for r in reports for c in r["cells"]}

    def test_seconds_become_steps_by_the_rates(self):
        self.lab_run("a", "a.db")
        budgets = {(key[1], p["budget"]) for key, c in self.report("a.db").items() for p in c["players"]}
        self.assertEqual(budgets, {("ticTacToe", "100 steps, start 200"), ("Connect Four", "150 steps, start 301")})
        self.lab_run("a", "a.db", "--times", "0.5", "--games", 2)
        halved = [p["budget"] for key, c in self.report("a.db").items() for p in c["players"] if ":times=0.5" in key[0]]
        self.assertIn("50 steps, start 100", halved)

    def test_what_is_wrong_with_rates_is_said_with_its_place(self):
        self.write("lab/paper/rates/steps.yaml", "rates: {ticTacToe: 50}\n")
        err = self.ludens("lab", "run", "paper/a", "--db", self.path("x.db"), status=2)[1]
        self.assertRegex(err, r"steps\.yaml:1:\d+: there is no rate for 'connectFour'")
        text = open(self.path("lab/paper/b.yaml")).read()
        self.write("lab/paper/b.yaml", text.replace("rates: rates/steps.yaml\n", ""))
        self.assertIn("a clock needs rates", self.ludens("lab", "run", "paper/b", "--db", self.path("x.db"), status=2)[1])

    def test_what_was_exported_and_imported_is_the_same(self):
        self.lab_run("a", "a.db")
        self.ludens("lab", "export", self.path("a.db"))
        lines = open(self.path("lab/results/paper/a.jsonl")).read().splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual([len(json.loads(line)["games"]) for line in lines], [4] * 4)
        self.assertIn("16 new games", self.ludens("lab", "import", "paper/a", "--db", self.path("b.db"))[0])
        before, after = self.report("a.db"), self.report("b.db")
        for key, cell in before.items():
            self.assertEqual(cell["rate"], after[key]["rate"])
            self.assertAlmostEqual(cell["steps"], after[key]["steps"], delta=4)  # a share each, in whole steps
            for one, two in zip(cell["players"], after[key]["players"]):
                self.assertEqual((one["simulations"], one["searches"], one["errors"]),
                                 (two["simulations"], two["searches"], two["errors"]))
        self.assertIn("16 of 16 games are there; 0 played now", self.lab_run("a", "b.db"))
        self.ludens("lab", "export", self.path("b.db"))
        self.assertEqual([json.loads(x)["games"] for x in lines],
                         [json.loads(x)["games"] for x in open(self.path("lab/results/paper/a.jsonl"))])

    def test_results_with_other_budgets_are_imported_as_such(self):
        self.lab_run("a", "a.db", "--times", 2)
        self.ludens("lab", "export", self.path("a.db"))
        self.assertIn("0 new games", self.ludens("lab", "import", "paper/a", "--db", self.path("b.db"))[0])
        out, _ = self.ludens("lab", "import", "paper/a", "--times", 2, "--db", self.path("b.db"))
        self.assertIn("16 new games", out)
        self.assertIn("16 of 16 games are there; 0 played now", self.lab_run("a", "b.db", "--times", 2))

    def test_results_by_the_clock_and_of_another_seed_are_imported_as_such(self):
        for changed in (["--seconds", "0.01"], ["--seed", "7"]):
            name = "".join(changed).strip("-")
            self.lab_run("a", name + ".db", *changed, "--games", 2)
            self.ludens("lab", "export", self.path(name + ".db"))
            out, _ = self.ludens("lab", "import", "paper/a", *changed, "--db", self.path(name + ".b.db"))
            self.assertIn("8 new games", out)
            self.assertIn("8 of 8 games are there; 0 played now",
                          self.lab_run("a", name + ".b.db", *changed, "--games", 2))
        self.assertIn("0 new games", self.ludens("lab", "import", "paper/a", "--db", self.path("b.db"))[0])

    def test_what_goes_on_elsewhere_is_the_undisturbed_run(self):
        self.lab_run("a", "whole.db", "--games", 8)
        self.lab_run("a", "part.db", "--games", 4)
        self.ludens("lab", "export", self.path("part.db"))
        self.ludens("lab", "import", "paper/a", "--db", self.path("on.db"))
        self.lab_run("a", "on.db", "--games", 8)
        for db in ("whole.db", "on.db"):
            self.ludens("lab", "export", self.path(db), "--into", self.path(db + ".d"))
        one, two = ([(json.loads(x)["goals"], json.loads(x)["games"]) for x in
                     open(self.path(db + ".d/paper/a.jsonl"))] for db in ("whole.db", "on.db"))
        self.assertEqual(one, two)

    def test_an_export_loses_nothing_that_was_kept(self):
        self.lab_run("a", "one.db", "--only", "ticTacToe", "--games", 6)
        self.ludens("lab", "export", self.path("one.db"))
        self.lab_run("a", "two.db", "--games", 2)
        self.ludens("lab", "export", self.path("two.db"))
        games = [len(json.loads(x)["games"]) for x in open(self.path("lab/results/paper/a.jsonl"))]
        self.assertEqual(games, [6, 6, 2, 2])

    def test_results_of_other_settings_are_not_taken(self):
        self.lab_run("a", "a.db")
        self.ludens("lab", "export", self.path("a.db"))
        self.write("lab/paper/rates/steps.yaml", "rates: {ticTacToe: 51, connectFour: 75.2}\n")
        self.assertIn("8 new games", self.ludens("lab", "import", "paper/a", "--db", self.path("b.db"))[0])

    def test_a_damaged_line_is_refused_with_its_place(self):
        os.makedirs(self.path("lab/results"))
        for text in ("[]", "{", '{"digest": "x"}', json.dumps(dict(
                digest="0" * 40, settings="s", goals=[[100, 0]], games="01", players=[{}, {}]))):
            self.write("lab/results/x.jsonl", "\n" + text + "\n")
            err = self.ludens("lab", "import", "paper/a", "--db", self.path("b.db"), status=2)[1]
            self.assertRegex(err, r"x\.jsonl:2: a line of results needs ")

    def test_cells_that_two_tables_share_are_played_once(self):
        self.lab_run("a", "a.db")
        self.assertIn("8 of 8 games are there; 0 played now", self.lab_run("b", "a.db"))
        cells = self.report("a.db")
        self.assertEqual(cells["paper/a", "ticTacToe", "plain"]["rate"], cells["paper/b", "ticTacToe", "uct"]["rate"])

    def test_the_report_over_all_takes_the_budget_that_most_games_are_kept_of(self):
        for times, games in ((2, 4), (3, 6), (5, 2)):
            self.lab_run("a", "a.db", "--times", times, "--games", games)
        self.lab_run("a", "a.db", "--times", 2, "--seed", 2, "--games", 8)
        self.ludens("lab", "export", self.path("a.db"))
        out = self.ludens("lab", "report", "paper", "--all")[0]
        self.assertRegex(out, r"(?m)^paper/a:times=3 .* 24 +[0-9.]+$")
        self.assertIn("\npaper/a:times=3: 24 of ", out)
        self.lab_run("a", "more.db", "--times", 5, "--games", 8)  # not kept, in a database
        out = self.ludens("lab", "report", "paper", "--all", "--db", self.path("more.db"))[0]
        self.assertRegex(out, r"(?m)^paper/a:times=5 .* 32 +[0-9.]+$")
        self.lab_run("a", "a.db", "--games", 1)
        self.ludens("lab", "export", self.path("a.db"))
        self.assertRegex(self.ludens("lab", "report", "paper", "--all")[0], r"(?m)^paper/a +.* 8 +[0-9.]+$")

    def test_the_report_over_all_counts_every_table(self):
        self.lab_run("a", "a.db", "--games", 40)
        self.ludens("lab", "export", self.path("a.db"))
        out = self.ludens("lab", "report", "paper", "--all")[0]
        self.assertIn("published: a", out)
        self.assertIn("published: b", out)
        # tic-tac-toe only: Connect Four is apart. UCT beats chance as published, MAST does where it should not
        self.assertRegex(out, r"(?m)^paper/a +2 +1 +0 +0 +0 +1 +0 +160 +[0-9.]+$")
        self.assertRegex(out, r"(?m)^paper/b +0 +0 +0 +0 +0 +0 +0 +80 +[0-9.]+$")  # the cells it shares
        self.assertRegex(out, r"(?m)^all +2 +1 +0 +0 +0 +1 +0 +240 +[0-9.]+$")
        self.assertIn("1 (50%) are on the published side, 1 of them significantly; 1 are reversed", out)
        self.assertRegex(out, r"reversed, significantly:\n  paper/a: ticTacToe: guided\n")
        far = re.search(r"(?s)\nHow far figures are from the published ones.*:\n(.*)", out)[1]
        self.assertRegex(far, r"^  ticTacToe +[0-9.]+ +3\n$")  # Connect Four is apart
        of = {name: float(mean) for name, mean in re.findall(r"(?m)^(paper/[ab]|all) .* ([0-9.]+)$", out)}
        self.assertAlmostEqual(of["all"], (2 * of["paper/a"] + of["paper/b"]) / 3, delta=0.011)
        self.assertAlmostEqual(float(far.split()[1]), of["all"], delta=0.006)
        cells = json.loads(self.ludens("lab", "report", "paper/a", "--db", self.path("a.db"), "--json")[0])[0]
        distances = [c["distance"] for c in cells["agreement"]["cells"]]
        self.assertAlmostEqual(of["paper/a"], sum(distances) / 2, delta=0.006)
        self.assertIn("there is no folder of experiments", self.ludens("lab", "report", "nowhere", "--all", status=2)[1])


if __name__ == "__main__":
    harness.main()
