#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wins in one and blocks in one, over many games. In every position there is exactly one move that wins at once, or
exactly one after which the opponent cannot win at once."""
import json
import os

import harness

SIMULATIONS = 5000
PLAYERS = "champion", "cadia2007", "nst"

POSITIONS = [
    ("ticTacToe", "win",
     "(mark 2 2); (mark 3 1); (mark 3 3); (mark 3 2)", "(mark 1 1)"),
    ("ticTacToe", "block",
     "(mark 3 1); (mark 1 3); (mark 3 2)", "(mark 3 3)"),
    ("connectFour", "win",
     "(drop 3); (drop 7); (drop 3); (drop 4); (drop 3); (drop 1)", "(drop 3)"),
    ("connectFour", "block",
     "(drop 3); (drop 7); (drop 3); (drop 4); (drop 3)", "(drop 3)"),
    ("connect5", "win",
     "(mark 7 5); (mark 7 7); (mark 7 4); (mark 8 2); (mark 3 3); (mark 3 2); (mark 7 6); (mark 4 5); "
     "(mark 7 3); (mark 1 1)", "(mark 7 2)"),
    ("connect5", "block",
     "(mark 7 5); (mark 7 7); (mark 7 4); (mark 8 2); (mark 3 3); (mark 3 2); (mark 7 6); (mark 4 5); "
     "(mark 7 3)", "(mark 7 2)"),
    ("breakthrough", "win",
     "(move 7 2 6 3); (move 3 7 4 6); (move 6 3 6 4); (move 1 7 1 6); (move 6 4 6 5); (move 2 8 3 7); "
     "(move 8 1 7 2); (move 6 7 7 6); (move 6 5 7 6); (move 5 7 6 6); (move 7 6 8 7); (move 6 8 6 7)", "(move 8 7 7 8)"),
    ("breakthrough", "block",
     "(move 7 2 6 3); (move 3 7 4 6); (move 6 3 6 4); (move 1 7 1 6); (move 6 4 6 5); (move 2 8 3 7); "
     "(move 8 1 7 2); (move 6 7 7 6); (move 6 5 7 6); (move 5 7 6 6); (move 7 6 8 7)", "(move 7 8 8 7)"),
    ("knightthrough", "win",
     "(move 3 2 2 4); (move 3 8 2 6); (move 2 4 1 6); (move 3 7 2 5)", "(move 1 6 2 8)"),
    ("knightthrough", "block",
     "(move 3 2 4 4); (move 6 7 7 5); (move 6 2 7 4); (move 7 5 8 3)", "(move 7 1 8 3)"),
    ("ttcc4", "win",
     "(drop 3); (drop 3); (move checker 1 4 2 5); (drop 3); (drop 5)", "(drop 3)"),
    ("ttcc4", "block",
     "(drop 5); (drop 5); (move pawn 1 5 2 5); (drop 5)", "(drop 5)"),
    ("quad", "win",
     "(mark 1 6); (mark 5 1); (mark 5 4); (mark 2 5); (mark 4 7); (mark 5 6)", "(mark 2 3)"),
    ("quad", "block",
     "(mark 1 3); (mark 5 6); (block 5 5); (block 2 1); (mark 5 7); (mark 1 4); (block 7 5); "
     "(block 7 6); (block 5 1); (mark 3 6); (mark 2 7)", "(mark 4 3)"),
    ("ticTacToe3d", "win",
     "(mark 2 2 2); (mark 2 3 1); (mark 3 2 3); (mark 1 1 3); (mark 4 2 4); (mark 2 4 1)", "(mark 1 2 1)"),
    ("ticTacToe3d", "block",
     "(mark 2 2 2); (mark 2 3 1); (mark 3 2 3); (mark 1 1 3); (mark 4 2 4)", "(mark 1 2 1)"),
    ("clobber", "win",
     "(move 3 1 2 1); (move 2 3 3 3); (move 2 2 1 2); (move 5 2 5 1); (move 2 4 1 4); (move 4 3 4 2)", "(move 4 4 5 4)"),
    ("sheepAndWolf", "win",
     "(move 4 8 3 7); (move 5 1 4 2); (move 3 7 2 6); (move 7 1 8 2); (move 2 6 1 5); (move 4 2 3 3); "
     "(move 1 5 2 4); (move 1 1 2 2); (move 2 4 1 3)", "(move 3 3 2 4)"),
    ("sheepAndWolf", "block",
     "(move 4 8 3 7); (move 7 1 6 2); (move 3 7 4 6); (move 6 2 5 3); (move 4 6 5 7); (move 5 3 4 4); "
     "(move 5 7 4 6); (move 1 1 2 2); (move 4 6 3 5); (move 3 1 4 2); (move 3 5 2 4); (move 4 2 3 3); "
     "(move 2 4 1 5); (move 4 4 3 5); (move 1 5 2 4); (move 3 5 2 6)", "(move 2 4 3 5)"),
    ("miniChess", "win",
     "(move 4 2 4 3); (move 3 4 3 3); (move 5 1 4 2)", "(move 3 3 4 2)"),
    ("miniChess", "block",
     "(move 2 1 1 3); (move 2 5 3 3); (move 1 3 3 4)", "(move 4 5 3 4)"),
    ("hex", "win",
     "(place 9 4); (place 4 6); (place 4 9); (place 9 3); (place 2 7); (place 4 3); (place 5 6); "
     "(place 6 9); (place 3 3); (place 5 8); (place 3 8); (place 3 1); (place 2 8); (place 8 1); "
     "(place 7 1); (place 2 4); (place 1 9); (place 4 5); (place 4 7); (place 4 8); (place 6 6); "
     "(place 8 4); (place 7 8); (place 6 3); (place 5 5); (place 9 7); (place 3 9); (place 3 6); "
     "(place 7 5); (place 3 7)", "(place 8 5)"),
    ("hex", "block",
     "(place 9 4); (place 4 6); (place 4 9); (place 9 3); (place 2 7); (place 4 3); (place 5 6); "
     "(place 6 9); (place 3 3); (place 5 8); (place 3 8); (place 3 1); (place 2 8); (place 8 1); "
     "(place 7 1); (place 2 4); (place 1 9); (place 4 5); (place 4 7); (place 4 8); (place 6 6); "
     "(place 8 4); (place 7 8); (place 6 3); (place 5 5); (place 9 7); (place 3 9); (place 3 6); "
     "(place 7 5)", "(place 8 5)"),
    ("merrills", "win",
     "(place 2 6); (place 4 6); (place 2 4); (place 3 3); (place 5 5); (place 4 2); (place 6 6); "
     "(place 4 3); (place 6 2); (place 2 2); (place 5 4); (place 7 4); (place 5 3); (remove 4 3); "
     "(place 4 5); (place 4 3); (place 1 1); (place 6 4); (remove 2 2); (place 3 4); (move 2 4 2 2)", "(move 3 4 2 4)"),
    ("othello", "win",
     "(place 5 6); (place 6 6); (place 3 4); (place 3 5); (place 3 6); (place 4 6); (place 7 6); "
     "(place 3 3)", "(place 2 2)"),
    ("nim", "win",
     "(take a 1); (take b 3); (take d 7)", "(take c 5)"),
    ("speedChess", "win",
     "(move 2 1 1 3); (move 6 7 6 5); (move 1 3 2 5); (move 8 7 8 6); (move 7 1 6 3); (move 5 7 5 6); "
     "(move 7 2 7 3); (move 7 8 6 6); (move 6 1 8 3); (move 6 5 6 4); (move 6 3 7 5); (move 6 8 1 3); "
     "(move 7 5 6 7); (move 1 3 2 4); (move 6 2 6 3); (move 2 4 4 2); (move 2 5 1 3)", "(move 4 2 5 1)"),
    ("chineseCheckers3", "win",
     "(move 6 2 6 3); (move 2 7 3 7); (move 7 6 6 6); (move 6 3 5 4); (move 1 7 3 5); (move 6 6 6 5); "
     "(move 7 2 7 3); noop; (move 6 7 5 7); (move 7 3 7 4); (move 3 5 4 4); (move 7 7 6 7); "
     "(move 5 4 5 5); (move 3 7 4 6); (move 6 5 4 3); (move 7 4 7 5); (move 4 6 6 4); (move 4 3 3 3); "
     "(move 7 5 6 6); (move 6 4 7 3); (move 5 7 5 6); (move 7 1 7 2); (move 7 3 8 3); (move 5 6 3 4); "
     "(move 7 2 7 3); (move 2 6 3 6)", "(move 6 7 4 3)"),
]


class Tactics(harness.Case):
    def find(self, kind):
        for i, (game, what, moves, best) in enumerate(POSITIONS):
            if what != kind:
                continue
            for player in [PLAYERS[i // 2 % len(PLAYERS)]] if harness.SANITIZED else PLAYERS:
                out = self.ludens("think", game, "--moves", moves, "--player", player, "--sims", SIMULATIONS, "--json")[0]
                self.assertEqual(json.loads(out)["best"].lower(), best, (game, kind, player))

    def test_a_win_in_one_is_played_in_every_game(self):
        self.find("win")

    def test_a_threat_to_win_in_one_is_met_in_every_game(self):
        self.find("block")

    def test_deeper_ones_that_solve_has_found_are_found_and_wins_are_proved(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tactics.txt")) as file:
            rows = [[field.strip() for field in line.split("|")] for line in file if line[0] != "#"]
        for game, kind, plies, moves, best in harness.some(rows):
            out = json.loads(self.ludens("think", game, "--moves", moves, "--sims", SIMULATIONS, "--json")[0])
            self.assertEqual(out["best"], best, (game, kind, moves))
            if kind == "win" and int(plies) == 3:
                self.assertRegex(out.get("proved", ""), r"wins in \d+$", (game, moves))
                self.assertLess(out["simulations"], SIMULATIONS)  # a proved win is played at once


if __name__ == "__main__":
    harness.main()
