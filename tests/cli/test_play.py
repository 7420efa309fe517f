#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import tempfile

import harness

os.environ["LC_ALL"] = "C"
for name in "COLUMNS", "NO_COLOR":
    os.environ.pop(name, None)


class Play(harness.Case):
    def test_a_random_match_is_shown_to_its_end(self):
        random = ("play", "connectFour", "--seed", 3, "--others", "random")
        out, err = self.ludens(*random)
        self.assertIn("red: random, yellow: random", out)
        self.assertIn("6  . . . . . . .\n5  . . . . . . .\n", out)
        self.assertIn("   1 2 3 4 5 6 7\n", out)
        self.assertRegex(out, r"\nThe game is over after \d+ steps: red \d+, yellow \d+\.\n$")
        self.assertEqual(out, self.ludens(*random)[0])
        self.assertNotIn("\033", out)

    def test_a_person_plays_by_number_and_by_word(self):
        moves = "1\nmark 2 1\n(mark 3 1)\n"
        out, err = self.ludens("play", "ticTacToe", "--seat", "xplayer=human", "--others", "random", "--seed", 4,
                               stdin=moves + "q\n")
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
        out, err = self.ludens("play", "speedChess", "--seed", 1, "--until", 1, "--sims", 10)
        self.assertIn("P P P P P P P P", out.split("1. ")[0])
        self.assertIn("p p p p p p p p", out.split("1. ")[0])

    def test_facts_without_a_board_are_listed(self):
        out, err = self.ludens("play", "pmcTrap", "--seed", 1, "--sims", 100)
        self.assertIn("The game is over", out)

    def test_every_game_of_the_library_can_be_shown(self):
        for path in harness.games():
            out, err = self.ludens("play", path, "--seed", 1, "--until", 2, "--sims", 50)
            self.assertNotIn("?", out, path)

    def test_searches_show_what_they_think(self):
        out, err = self.ludens("play", "connectFour", "--seat", "red=nst", "--seat", "yellow=rave,lanes=1", "--sims", 300,
                               "--seed", 2, "--until", 2)
        self.assertRegex(out, r"red \(nst\): 300 simulations in .* expects \d")
        self.assertRegex(out, r"yellow \(rave,lanes=1\): 300 simulations")
        self.assertRegex(out, r"\(drop \d\) +\d+ visits +\d+\.\d")

    def test_nothing_of_a_step_is_seen_before_all_have_chosen(self):
        # the other seat comes first in the rules, and has chosen when the person is asked
        for lines in [], ["--lines", 5]:
            game = ("play", "goofspiel5", "--seat", "right=human", "--others", "nst", "--sims", 100, "--seed", 3, *lines)
            asked, shown = self.ludens(*game, stdin="1\nq\n")[0].split("right> ", 2)[:2]
            self.assertNotIn("visits", asked)
            self.assertNotIn("simulations", asked)
            self.assertNotIn("show", asked.split("\n   1  ")[0])
            self.assertRegex(shown, r"\n1\. left \(show \d\), right \(show 1\)")
            self.assertEqual("left (nst): 100 simulations" in shown.split("\n1. ")[0], bool(lines))

    def test_hint_take_back_and_save(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "game.json")
            says = ["hint", "4", "back", "1", f"save {path}", "q"]
            out, err = self.ludens("play", "connectFour", "--seat", "red=human", "--others", "cadia2007", "--sims", 200,
                                   "--seed", 3, stdin="\n".join(says) + "\n")
            self.assertIn("champion: 200 simulations", out)
            self.assertIn("1. red (drop 4)", out)
            self.assertIn("1. red (drop 1)", out)
            with open(path, encoding="utf-8") as f:
                saved = json.load(f)
            self.assertEqual(saved["moves"][0], ["(drop 1)", "noop"])
            out, err = self.ludens("think", "connectFour", "--at", path, "--sims", 200, "--json")
            self.assertEqual(json.loads(out)["role"], "red")

    def test_bad_seats(self):
        for seat, message in [("red", "ROLE=PLAYER"), ("blue=random", "its roles are: red, yellow"),
                              ("red=http://localhost:1", "`ludens match`"),
                              ("red=wizard", "no player 'wizard'; there are: champion random")]:
            out, err = self.ludens("play", "connectFour", "--seat", seat, status=2)
            self.assertIn(message, err)


if __name__ == "__main__":
    harness.main()
