#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What takes long: eight matches at once with clocks of five seconds, where nobody is late (a master with no grace at all
watches), and a match that its master forgot."""
import json
import re
import subprocess
import time

import harness
from serving import TREE, Server

GAMES = ["connectFour", "ticTacToe3d", "breakthrough", "nim", "goofspiel5", "ttcc4ThreePlayers", "ticTacToe", "pawnWhopping"]


class Load(harness.Case):
    def test_eight_matches_at_once(self):
        server = Server(self, "--matches", len(GAMES))
        masters = {}
        for game in GAMES:
            with open(f"{harness.GAMES}/{game}.kif", encoding="utf-8") as file:
                role = re.search(r"\(role (\S+)\)", file.read()).group(1)
            masters[game] = subprocess.Popen([harness.LUDENS, "match", game, "--seat", f"{role}={server.url}", "--others",
                                              "random", "--start", "5", "--clock", "5", "--grace", "0", "--quiet",
                                              "--record", self.path(game)], stdout=subprocess.DEVNULL)
        for game, master in masters.items():
            self.assertEqual(master.wait(900), 0, game)
            with open(self.path(game), encoding="utf-8") as file:
                record = json.load(file)
            self.assertEqual((record["ending"], record["errors"]), ("completed", []), game)
        server.end()

    def test_a_forgotten_match_frees_its_seat(self):
        server = Server(self, "--matches", 1, "--player", "random")
        self.assertEqual(server.post(f"(START m1 robot ({TREE}) 0 1)"), "ready")
        self.assertEqual(server.post(f"(START m2 robot ({TREE}) 0 1)"), "busy")
        time.sleep(70)  # a minute and three play clocks, and some
        self.assertEqual(server.events("m1", "summary")[0]["how"], "abandoned")
        self.assertEqual(server.post(f"(START m2 robot ({TREE}) 0 1)"), "ready")


if __name__ == "__main__":
    harness.main()
