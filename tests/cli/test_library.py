#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import os

import harness

GAMES = 20 if os.environ.get("LUDENS_SLOW") else 2  # random games played of each


class Library(harness.Case):
    def test_both_engines_play_our_games_alike(self):
        for path in harness.some(harness.games()):
            with self.subTest(os.path.basename(path)):
                self.ludens("sim", path, "-n", GAMES, "--seed", 5, "--engine", "lifted", "--trace", self.path("trace"))
                out, _ = self.ludens("verify", path, self.path("trace"), "--engine", "circuit", "--quiet")
                self.assertEqual(out, "")

    def test_headers_tell_source_and_differences(self):
        for path in harness.games():
            with open(path) as file:
                header = file.read().split("(role ")[0]
            self.assertRegex(header, r"(?m)^; Source: ", path)
            self.assertRegex(header, r"(?m)^; Differences", path)


harness.main()
