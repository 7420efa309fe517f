#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look for boards in every rule sheet of the corpus, and draw each."""
import concurrent.futures
import json
import os
import subprocess

import harness

# What people see as boards in these games: (cells, names of the empty cell, kinds of pieces).
KNOWN = {
    "breakthrough": (64, [], 2),
    "checkers": (64, ["b"], 5),
    "chess": (64, ["b"], 13),
    "chineseCheckers3": (37, [], 3),
    "connectFour": (48, [], 2),
    "hex": (81, [], 2),
    "knightThrough": (64, [], 2),
    "reversi": (64, [], 2),
    "skirmish": (64, [], 12),
    "ticTacToe": (9, ["b"], 3),
    "tictactoex9": (81, ["b"], 3),
}


def look(sheet):
    command = [harness.LUDENS, "info", sheet, "--json", "-n", "20", "--seconds", "3", "--engine", "lifted"]
    info = subprocess.run(command, capture_output=True, text=True, timeout=300)
    command = [harness.LUDENS, "play", sheet, "--seed", "1", "--until", "3", "--engine", "lifted"]
    play = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return os.path.basename(sheet)[:-len(".kif")], info, play


class Boards(harness.Case):
    def test_boards_are_found_and_drawn_in_the_corpus(self):
        sheets = harness.corpus()
        if not sheets:
            self.skipTest("there is no corpus at " + harness.CORPUS)
        found, faults = 0, []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, info, play in pool.map(look, sheets):
                if info.returncode != 0 or play.returncode != 0:
                    faults.append(f"{name}: {info.stderr}{play.stderr}")
                    continue
                boards = json.loads(info.stdout)["boards"]
                found += len(boards) > 0
                if name in KNOWN and (not boards or KNOWN[name] != (
                        boards[0]["cells"], [p["name"] for p in boards[0]["pieces"] if p["blank"]],
                        len(boards[0]["pieces"]))):
                    faults.append(f"{name}: {boards[:1]}")
        print(f"{found} of {len(sheets)} sheets have a board")
        self.assertEqual(faults, [], "\n".join(faults))
        if len(sheets) >= 244:
            self.assertGreaterEqual(found, 190)


if __name__ == "__main__":
    harness.main()
