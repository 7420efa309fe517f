#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import subprocess

import harness

GAMES = 200 if os.environ.get("LUDENS_SLOW") else 20  # random games played of each


class Games(harness.Case):
    def library(self):
        return json.loads(self.ludens("games", "--json")[0])

    def run_in(self, folder, *arguments):
        """The command with another library: (status, standard output, standard error)."""
        run = subprocess.run([harness.LUDENS, "games", *arguments], capture_output=True,
                             env={**os.environ, "LUDENS_GAMES": folder})
        return run.returncode, run.stdout.decode(), run.stderr.decode()

    def test_every_sheet_is_described(self):
        described = [g["name"] for g in self.library() if "title" in g]
        sheets = [os.path.basename(path)[:-4] for path in harness.games()]
        self.assertEqual(sorted(described), sorted(sheets))
        with open(os.path.join(harness.GAMES, "index.json")) as file:
            self.assertEqual(sorted(g["name"] for g in json.load(file)["games"]), sorted(sheets))

    def test_titles_are_those_of_the_sheets(self):
        for game in self.library():
            with open(os.path.join(harness.GAMES, game["name"] + ".kif")) as file:
                self.assertEqual(file.readline().lstrip("; ").strip(), game["title"], game["name"])

    def test_the_descriptions_are_true(self):
        turns = {"one role": "alone"}
        for game in harness.some(self.library()):
            with self.subTest(game["name"]):
                info = json.loads(self.ludens("info", game["name"], "--json", "-n", GAMES, "--seconds", 60, "-e", "lifted")[0])
                self.assertGreaterEqual(info["games"], GAMES / 4)
                self.assertEqual(game["players"], len(info["roles"]))
                self.assertEqual(game["turns"], turns.get(info["turns"], info["turns"]))
                self.assertEqual(game["sum"] == "none", game["players"] == 1)
                length = info["length"]
                self.near(game["length"], length["mean"], (length["max"] - length["min"]) / info["games"]**0.5)
                choices = [r["branching"]["mean"] for r in info["roles"] if r["branching"]["max"] > 1]
                self.near(game["branching"], sum(choices) / len(choices), 0.2 * game["branching"])
                if game["sum"] == "constant":
                    sim = json.loads(self.ludens("sim", game["name"], "--json", "-n", GAMES, "-e", "lifted")[0])
                    sums = [sum(o["goals"]) for o in sim["outcomes"]]
                    self.assertLessEqual(max(sums) - min(sums), 1, "thirds may be rounded, no more")

    def test_the_circuits_have_the_size_told(self):
        for game in harness.some(self.library()):
            with self.subTest(game["name"]):
                circuit = json.loads(self.ludens("info", game["name"], "--circuit", "--json")[0])
                gates = sum(phase["gates"] for phase in circuit["phases"].values())
                self.near(game["gates"], gates, 10 + 0.3 * game["gates"])  # the reductions may get better

    def near(self, told, seen, doubt):
        """The index tells what was seen, but for the few games played here."""
        self.assertLessEqual(abs(told - seen), 0.1 + 0.05 * told + doubt, "run scripts/survey-games index")

    def test_the_table_has_a_line_for_each(self):
        lines = self.ludens("games")[0].splitlines()
        names = [line.split()[0] for line in lines[1:] if line][:-1]
        self.assertEqual(names, [g["name"] for g in self.library()])
        self.assertIn("connectFour", names)
        self.assertEqual(lines[-1], f"{len(names)} games")

    def test_words_and_filters_select(self):
        out = json.loads(self.ludens("games", "GOOF", "--json")[0])
        self.assertEqual([g["name"] for g in out], ["goofspiel4", "goofspiel5", "goofspiel6", "goofspiel9"])
        out = json.loads(self.ludens("games", "cards", "9", "--json")[0])
        self.assertEqual([g["name"] for g in out], ["goofspiel9"])
        for game in json.loads(self.ludens("games", "--players", 3, "--json")[0]):
            self.assertEqual(game["players"], 3)
        out = json.loads(self.ludens("games", "--players", 2, "-t", "simultaneous", "--json")[0])
        self.assertIn("battle", [g["name"] for g in out])
        self.assertNotIn("connectFour", [g["name"] for g in out])

    def test_nothing_found_is_status_1(self):
        out, _ = self.ludens("games", "no-such-game", status=1)
        self.assertIn("0 games", out)

    def test_sheets_without_a_description_are_listed_by_name(self):
        self.write("mine.kif", "(role white)\n")
        status, out, _ = self.run_in(self.folder)
        self.assertEqual(status, 0)
        self.assertRegex(out, r"(?m)^mine +- +- ")
        self.assertIn("1 game\n", out)

    def test_a_broken_index_is_told_with_its_place(self):
        self.write("mine.kif", "(role white)\n")
        self.write("index.json", '{"games": [\n{"name": \n')
        status, _, err = self.run_in(self.folder)
        self.assertEqual(status, 2)
        self.assertIn("index.json:", err)
        self.write("index.json", "[]")
        status, _, err = self.run_in(self.folder)
        self.assertEqual(status, 2)
        self.assertIn("no list of games", err)

    def test_a_full_disk_does_not_look_like_success(self):
        for arguments in ["games"], ["players"], ["help"], ["make", "board", "pp/2/PP"]:
            with open("/dev/full", "wb") as full:
                run = subprocess.run([harness.LUDENS, *arguments], stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(run.returncode, 2)
            self.assertEqual(run.stderr.count(b"standard output: cannot write"), 1)


harness.main()
