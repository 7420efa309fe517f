#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Eight matches at once with clocks of five seconds: nobody is late. A master with no grace at all watches."""
import json
import re
import subprocess

import harness
from serving import Server

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


if __name__ == "__main__":
    harness.main()
