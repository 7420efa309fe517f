#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import os

import harness

os.environ["LC_ALL"] = "C"
for name in "COLUMNS", "NO_COLOR":
    os.environ.pop(name, None)


class Play(harness.Case):
    def test_a_random_match_is_shown_to_its_end(self):
        out, err = self.ludens("play", "connectFour", "--seed", 3)
        self.assertIn("red: random, yellow: random", out)
        self.assertIn("6  . . . . . . .\n5  . . . . . . .\n", out)
        self.assertIn("   1 2 3 4 5 6 7\n", out)
        self.assertRegex(out, r"\nThe game is over after \d+ steps: red \d+, yellow \d+\.\n$")
        self.assertEqual(out, self.ludens("play", "connectFour", "--seed", 3)[0])
        self.assertNotIn("\033", out)

    def test_a_person_plays_by_number_and_by_word(self):
        moves = "1\nmark 2 1\n(mark 3 1)\n"
        out, err = self.ludens("play", "ticTacToe", "--seat", "xplayer=human", "--seed", 4, stdin=moves + "q\n")
        self.assertIn("   1  (mark 1 1)", out)
        self.assertIn("1. xplayer (mark 1 1)", out)

    def test_two_people_play_a_whole_game(self):
        game = ["mark 1 1", "mark 1 2", "mark 2 1", "mark 2 2", "nonsense", "mark 1 1", "99", "MARK 3 1"]
        out, err = self.ludens("play", "ticTacToe", "--others", "human", stdin="\n".join(game) + "\n")
        self.assertIn("'nonsense' is no move here", out)
        self.assertIn("'mark 1 1' is no move here", out)
        self.assertIn("'99' is no move here", out)
        self.assertIn("2  o o .\n1  x x x\n   1 2 3\n", out)
        self.assertIn("The game is over after 5 steps: xplayer 100, oplayer 0.", out)

    def test_leaving_the_game(self):
        for answer in "q\n", "":
            out, err = self.ludens("play", "ticTacToe", "--seat", "xplayer=human", stdin=answer)
            self.assertIn("The game was left.", out)

    def test_pieces_chess_and_letters(self):
        out, err = self.ludens("play", "speedChess", "--seed", 1, "--steps", 1)
        self.assertIn("P P P P P P P P", out.split("1. ")[0])
        self.assertIn("p p p p p p p p", out.split("1. ")[0])

    def test_facts_without_a_board_are_listed(self):
        out, err = self.ludens("play", "pmcTrap", "--seed", 1)
        self.assertIn("The game is over", out)

    def test_every_game_of_the_library_can_be_shown(self):
        for path in harness.games():
            out, err = self.ludens("play", path, "--seed", 1, "--steps", 2)
            self.assertNotIn("?", out, path)

    def test_bad_seats(self):
        for seat, message in [("red", "ROLE=PLAYER"), ("blue=random", "its roles are: red, yellow"),
                              ("red=wizard", "no player 'wizard'; there are: random, human")]:
            out, err = self.ludens("play", "connectFour", "--seat", seat, status=2)
            self.assertIn(message, err)


if __name__ == "__main__":
    harness.main()
