#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments with boards: played, stopped and resumed, reported, drawn."""
import json
import os
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

import harness

RACE = """
name: race
title: A < race & more
description: about "it"
board: {like: shock-step}
across: {lanes: [2, 3], label: lanes}
along: {length: 4-6, label: length}
opponent: "(run {columns} ?)"
budget: {steps: 300}
number: 40
together: 16
show: contours
says: what the text says
quick: {number: 8, along: [4, 6]}
"""
RUNNERS = """
name: runners
board: {like: progression}
across: {factor: [1, 2], label: depth factor}
along: {active: [1, 10], label: active}
opponent: (move 11 ? 11 ?)
budget: {sims: 40}
number: 12
together: 12
"""
PAWNS = """
name: pawns
board: {like: optimistic}
across: {steps: [1000, 4000]}
along: {pawns: [1, 6]}
number: 10
together: 10
measure: moves
"""


class Boards(harness.Case):
    def run_lab(self, spec, *options, status=0):
        return self.ludens("lab", "run", spec, "--db", self.path("lab.db"), "--jobs", 1, *options, status=status)

    def report(self, spec, *options, status=0, db="lab.db"):
        return self.ludens("lab", "report", spec, "--db", self.path(db), *options, status=status)

    def points(self, spec, db="lab.db"):
        data = json.loads(self.report(spec, "--json", db=db)[0])
        for p in data["points"]:
            del p["seconds"]
        return data

    def test_an_experiment_is_played_and_reported(self):
        spec = self.write("race.yaml", RACE)
        self.run_lab(spec)
        data = self.points(spec)
        self.assertEqual(data["games"], 240)
        self.assertEqual([(p["lanes"], p["length"], p["games"]) for p in data["points"]],
                         [(lanes, length, 40) for length in (4, 5, 6) for lanes in (2, 3)])
        for p in data["points"]:
            # the opponent never loses; a search of 300 steps a move makes no more than that and one simulation
            self.assertLessEqual(p["rate"], 0.5)
            self.assertGreaterEqual(p["total_steps"], 40 * 300 * (p["length"] - 1))
            self.assertLess(p["total_steps"], 40 * (300 + 10) * (p["length"] - 1))
        self.assertGreater(data["points"][0]["rate"], 0.4)  # the smallest race is easy
        out, _ = self.report(spec)
        self.assertIn("what the text says", out)
        csv, _ = self.report(spec, "--csv")
        self.assertEqual(len(csv.splitlines()), 7)

    def test_it_is_resumed_and_comes_out_the_same(self):
        spec = self.write("race.yaml", RACE.replace("steps: 300", f"steps: {2000 if harness.SANITIZED else 12000}"))
        self.run_lab(spec)
        whole = self.points(spec)
        kills = 0
        for attempt in range(40):
            run = subprocess.Popen([harness.LUDENS, "lab", "run", spec, "--db", self.path("killed.db"), "--jobs", "2"],
                                   stderr=subprocess.PIPE)
            try:
                run.wait(0.05 * (attempt + 1))
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGKILL if attempt % 2 else signal.SIGINT)
                kills += 1
            run.communicate()
            if run.returncode == 0 and self.done("killed.db") == 240:
                break
        self.assertGreater(kills, 0)
        self.ludens("lab", "run", spec, "--db", self.path("killed.db"))  # a slow machine has not got to the end yet
        self.assertEqual(self.points(spec, db="killed.db"), whole)

    def done(self, db):
        run = subprocess.run([harness.LUDENS, "lab", "report", self.path("race.yaml"), "--db", self.path(db), "--json"],
                             capture_output=True)
        return json.loads(run.stdout)["games"] if run.returncode == 0 else 0

    def test_more_games_leave_the_first_ones_alone(self):
        spec = self.write("race.yaml", RACE)
        _, err = self.run_lab(spec, "--quick")
        self.assertIn("4 points, 32 games", err)
        out, _ = self.report(spec)
        self.assertRegex(out, r"(?m)^ +2 +3$")  # only lengths that were played
        self.assertNotRegex(out, r"(?m)^ +5 ")
        self.run_lab(spec)
        resumed = self.points(spec)
        os.remove(self.path("lab.db"))
        self.run_lab(spec)
        self.assertEqual(resumed, self.points(spec))

    def test_databases_are_joined(self):
        spec = self.write("race.yaml", RACE)
        self.run_lab(spec)
        whole = self.points(spec)
        for part in (1, 2):
            self.ludens("lab", "run", spec, "--db", self.path(f"part{part}.db"), "--part", f"{part}/2")
            self.assertLess(self.done(f"part{part}.db"), 240)
        self.ludens("lab", "merge", self.path("part1.db"), self.path("part2.db"))
        self.assertEqual(self.points(spec, db="part1.db"), whole)
        self.write("race.yaml", RACE.replace("shock-step", "penalties"))
        self.run_lab(spec, "--quick", "--force")
        _, err = self.ludens("lab", "merge", self.path("part1.db"), self.path("lab.db"), status=2)
        self.assertIn("other settings", err)

    def test_changed_settings_are_not_mixed(self):
        spec = self.write("race.yaml", RACE)
        self.run_lab(spec, "--quick")
        self.write("race.yaml", RACE.replace("shock-step", "penalties"))
        _, err = self.run_lab(spec, "--quick", status=2)
        self.assertIn("--force", err)
        self.run_lab(spec, "--quick", "--force")
        # another budget is another experiment, and reported under its own name
        self.run_lab(spec, "--quick", "--steps", 100)
        out, _ = self.report(spec + ":100steps")
        self.assertIn("race:100steps", out)
        # and with the experiment it is a variant of
        out, _ = self.report(spec)
        self.assertEqual([line.split(": ")[0] for line in out.splitlines() if line.startswith("race")], ["race", "race:100steps"])
        self.assertEqual([e["name"] for e in json.loads(self.report(spec, "--json")[0])], ["race", "race:100steps"])
        self.assertEqual(len({line.split(",")[0] for line in self.report(spec, "--csv")[0].splitlines()}), 3)  # one header
        page, _ = self.report(spec, "--html", "-")
        self.assertEqual(re.findall("<code>(.*?)</code>", page), ["ludens lab run race", "ludens lab run race --steps 100"])
        self.assertEqual(page.count("<!doctype"), 1)
        out, _ = self.report(spec, "--svg", self.path("figure"))
        self.assertTrue(all(os.path.exists(path) for path in out.split()))
        self.assertEqual(len(set(out.split())), len(out.split()))
        self.assertTrue(any("-100steps-" in path for path in out.split()))
        # in the whole database it is only known where its file can be found
        _, err = self.ludens("lab", "report", self.path("lab.db"))
        self.assertIn("race:100steps: there is no experiment", err)

    def test_figures_are_well_formed_and_show_the_numbers(self):
        race, runners = self.write("race.yaml", RACE), self.write("runners.yaml", RUNNERS)
        self.run_lab(race, "--quick")
        self.run_lab(runners)
        out, _ = self.report(race, "--svg", self.path("race"))
        self.assertEqual(out.split(), [self.path("race-contours.svg"), self.path("race-sizes.svg")])
        tree = ElementTree.fromstring(self.read(self.path("race-contours.svg")))
        texts = ["".join(t.itertext()) for t in tree.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("A < race & more", texts)
        self.assertIn("lanes", texts)
        self.assertNotIn(b"nan", self.read(self.path("race-contours.svg")))
        self.report(runners, "--svg", self.path("runners"))
        for name in ("factor", "natural", "active"):
            ElementTree.fromstring(self.read(self.path(f"runners-{name}.svg")))
        # one marker in the legend, and one for each point
        svg = self.read(self.path("runners-factor.svg")).decode()
        self.assertEqual(len(re.findall(r'class="d\d', svg)), 2 + 4)

    def test_the_page_needs_nothing_from_elsewhere(self):
        spec = self.write("race.yaml", RACE)
        self.run_lab(spec, "--quick")
        self.report(spec, "--html", self.path("race.html"))
        page = self.read(self.path("race.html")).decode()
        self.assertIn("A &lt; race &amp; more", page)
        self.assertEqual(set(re.findall(r"https?://[^\"' ]+", page)), {"http://www.w3.org/2000/svg"})

    def test_first_moves_are_counted(self):
        spec = self.write("pawns.yaml", PAWNS)
        self.run_lab(spec)
        for p in self.points(spec)["points"]:
            self.assertEqual(sum(p["first"].values()), 10)
            self.assertIn(p["steps"], (1000, 4000))
            self.assertGreaterEqual(p["total_steps"], 10 * p["steps"])
        out, _ = self.report(spec)
        self.assertRegex(out, r"pawns 6, steps 1000:  [a-l]\d-[a-l]\d \d")

    def test_what_is_wrong_is_told_with_its_place(self):
        for change, words in [(("lanes: [2, 3]", "lines: [2, 3]"), "did you mean"),
                              (("length: 4-6", "lanes: 4-6"), "same parameter"),
                              (("steps: 300", "steps: many"), "steps"),
                              (("like: shock-step", "like: chess"), "there is no board 'chess'"),
                              (("like: shock-step", "string: 'pq/PP'"), "'q' is not allowed"),
                              (("(run {columns} ?)", "(run"), "not a pattern"),
                              (("number: 40", "player: nst"), "plain UCT"),
                              (("across: {lanes: [2, 3], label: lanes}", ""), "across")]:
            self.assertIn(change[0], RACE)
            spec = self.write("bad.yaml", RACE.replace(*change, 1))
            _, err = self.run_lab(spec, status=2)
            self.assertIn(words, err)

    def test_the_experiments_of_chapter_7_are_listed(self):
        out, _ = self.ludens("lab", "list")
        for name in ("penalties", "shock-step", "punishment", "progression", "progression-sims", "optimistic"):
            self.assertRegex(out, rf"(?m)^boards/{name} ")


if __name__ == "__main__":
    harness.main()
