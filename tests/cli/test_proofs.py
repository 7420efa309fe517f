#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets whose games are over within a dozen moves: what can be proved of them is what looking at everything says."""
import csv
import os
import re
import subprocess
import unittest

import harness

PROOFS = os.environ.get("LUDENS_PROOFS", "build/tests/proofs")
LIBRARY = "ticTacToe", "nim", "goofspiel4", "goofspiel5", "pmcTrap", "blocksWorld", "raceTrack"
WIDE = "amazons", "amazons__v0", "ruleDepthExponential"  # one position takes longer than all others together


class Proofs(harness.Case):
    def walk(self, sheets):
        """How many were proved, and of how many everything was looked at."""
        run = subprocess.run([PROOFS, "-s", "20", "-p", "60000", "-c", "60000", *sheets], capture_output=True, text=True,
                             timeout=1800)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        print(run.stdout)
        counts = re.search(r"(\d+) proved, of these (\d+) as .* and 0 otherwise", run.stdout)
        return int(counts[1]), int(counts[2])

    def test_library(self):
        proved, agreed = self.walk([os.path.join(harness.GAMES, name + ".kif") for name in LIBRARY])
        self.assertGreaterEqual(proved, 6)
        self.assertGreaterEqual(agreed, 5)

    @unittest.skipUnless(harness.corpus(), "no corpus")
    def test_corpus(self):
        with open(os.path.join(harness.CORPUS, "MANIFEST.tsv")) as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        short = [row["game"] for row in rows if 0 < int(row["steps"]) <= 13 * int(row["playouts"])]
        proved, agreed = self.walk([os.path.join(harness.CORPUS, "games", name + ".kif") for name in short
                                    if name not in WIDE])
        self.assertGreaterEqual(proved, 33)
        self.assertGreaterEqual(agreed, 27)


if __name__ == "__main__":
    harness.main()
