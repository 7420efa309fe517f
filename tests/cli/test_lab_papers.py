#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the papers as experiments: they are there, they can be played, and figures stand beside them."""
import json
import os
import re
import tempfile

import harness

TABLES = ([f"000-table-{n}" for n in range(1, 12)] + [f"001-table-{n}" for n in range(2, 14)] +
          [f"002-table-{n}" for n in ("4.1", "4.2", "4.3", "4.4", "5.1", "5.2", "6.1", "6.2", "6.3", "6.4")])


LAB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lab")


class Papers(harness.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = os.path.join(folder.name, "lab.db")

    def test_every_table_is_an_experiment(self):
        listed = re.findall(r"(?m)^paper/(\S+) ", self.ludens("lab", "list")[0])
        for table in TABLES:
            self.assertIn(table, listed)

    def test_everybody_thinks_on_every_turn_one_simulation_at_a_time(self):
        for table in TABLES:
            if "-6." in table:  # at once, by printed counts
                continue
            with open(os.path.join(LAB, "paper", table + ".yaml")) as file:
                text = file.read()
            players = re.search(r"(?ms)^players:\n(.*?)^pairings:", text).group(1)
            texts = re.findall(r"(?m)^  .*: (?!0\.)([a-z]\S*)$", players)
            self.assertGreater(len(texts), 0, table)
            for player in texts:
                self.assertTrue(player.endswith(",forced=on,lanes=1"), f"{table}: {player}")
            self.assertRegex(text, r"(?m)^clock: \{move: \d+, start: \d+\}", table)

    def test_every_table_has_a_quick_part_that_plays(self):
        for table in TABLES:
            game = {"001-table-6": "queens"}.get(table, "goofspiel6" if "-6." in table else "connect5")
            # two games a cell with hardly any thought: enough to see that names, players and figures fit
            self.ludens("lab", "run", "paper/" + table, "--quick", "--sims", 3, "--games", 2, "--only", game,
                        "--db", self.db)
            with self.subTest(table):
                self.check_what_was_played(table)

    def check_what_was_played(self, table):
        reports = json.loads(self.ludens("lab", "report", f"paper/{table}:quick:sims=3", "--db", self.db, "--json")[0])
        self.assertEqual(len(reports), 1)
        cells = [cell for cell in reports[0]["cells"] if cell["rate"]["games"]]
        self.assertGreater(len(cells), 0)
        self.assertEqual(len({cell["game"] for cell in cells}), 1)
        self.assertTrue(any("published" in cell for cell in cells))
        for cell in cells:
            self.assertEqual(cell["rate"]["games"], 2)
            self.assertEqual(sum(player["errors"] for player in cell["players"]), 0)
            self.assertEqual(len({player["name"] for player in cell["players"]}), len(cell["players"]))
            for player in cell["players"]:
                if player["searches"]:  # the budget that was asked for, or the part of it that a slower player has
                    self.assertLessEqual(player["simulations"] / player["searches"], 3)
                    self.assertGreater(player["simulations"], 0)

    def test_only_the_games_named_are_played_now(self):
        self.ludens("lab", "run", "paper/000-table-11", "--sims", 3, "--games", 2, "--only", "runners,Sheep and Wolf",
                    "--db", self.db)
        out, err = self.ludens("lab", "run", "paper/000-table-11", "--only", "tetris", "--db", self.db, status=2)
        self.assertIn("the experiment has no game 'tetris'", err)
        report, = json.loads(self.ludens("lab", "report", self.db, "--json")[0])
        played = {cell["game"] for cell in report["cells"] if cell["rate"]["games"]}
        self.assertEqual(played, {"Runners", "Sheep and Wolf"})
        agreement = report["agreement"]
        # table XI by hand: without Runners, which is not counted, 37 of its 48 figures are clear of 50%
        self.assertEqual((agreement["significant"], agreement["open"]), (37, 11))
        # of MAST, NST, LGR-MASTG, LGR-NST in Sheep and Wolf two
        self.assertEqual(agreement["missing"], 35)


if __name__ == "__main__":
    harness.main()
