#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import fcntl
import json
import os
import pty
import struct
import subprocess
import tempfile
import termios

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
        for path in harness.some(harness.games()):
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

    def test_resigning_ends_the_game(self):
        out, err = self.ludens("play", "connectFour", "--seat", "red=human", "--others", "random", "--seed", 1, stdin="4\nresign\n")
        self.assertIn("red resigns.\nThe game is over after 2 steps: red 0, yellow 100.", out)
        self.assertNotIn("was left", out)

    def test_a_saved_game_goes_on(self):
        path = self.path("game.json")
        game = ("play", "connectFour", "--seat", "red=human", "--others", "random", "--seed", 1)
        self.ludens(*game, stdin=f"4\n4\nsave {path}\nq\n")
        saved = json.loads(self.read(path))["moves"]
        self.assertEqual(len(saved), 4)
        out, err = self.ludens(*game, "--at", path, stdin=f"back\n1\nsave {path}\nq\n")
        moves = json.loads(self.read(path))["moves"]
        self.assertEqual((moves[:2], moves[2][0]), (saved[:2], "(drop 1)"))
        out, err = self.ludens(*game, "--at", path, "--ply", 2, "--moves", "(drop 7); (drop 7)", stdin=f"save {path}\nq\n")
        self.assertEqual(json.loads(self.read(path))["moves"], saved[:2] + [["(drop 7)", "noop"], ["noop", "(drop 7)"]])
        self.ludens("verify", "connectFour", path)
        for options, message in [(["--at", path, "--ply", 9], "has 4 moves"), (["--ply", 1], "--at"), (["--moves", "(drop 9)"], "drop 9"),
                                 (["--at", self.path("none.json")], "none.json")]:
            self.assertIn(message, self.ludens(*game, *options, status=2)[1])
        # a computer that sits there knows where it begins
        out, err = self.ludens("play", "ticTacToe", "--sims", 300, "--seed", 1, "--moves",
                               "(mark 1 1); (mark 2 1); (mark 1 2); (mark 2 2)", "--until", 5)
        self.assertIn("5. xplayer (mark 1 3)", out)

    def test_what_can_be_typed_is_said(self):
        out, err = self.ludens("play", "ticTacToe", "--others", "human", stdin="q\n")
        help_text = self.ludens("play", "--help")[0]
        with open(os.path.join(harness.GAMES, "..", "docs", "commands.md"), encoding="utf-8") as file:
            manual = file.read()
        for word in "hint", "back", "undo", "save FILE", "resign", "quit", "? WORD":
            for text in out, help_text, manual:
                self.assertIn(word, text)
        again = self.ludens("play", "ticTacToe", "--others", "human", stdin="1\n?\n? mark 2\nq\n")[0].split("oplayer> ")
        self.assertNotIn("resign", again[0].split("xplayer> ")[1])  # at first sight only, and when asked
        self.assertIn("resign", again[1])
        self.assertRegex(again[2], r"^\n +\d  \(mark 2 1\) +\d  \(mark 2 2\) +\d  \(mark 2 3\)\n$")

    def terminal(self, arguments, says, rows=24):
        """Play on a terminal of our own; what was on the screen."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
        env = {**os.environ, "TERM": "dumb", "INPUTRC": "/dev/null"}
        run = subprocess.Popen([harness.LUDENS, *map(str, arguments)], stdin=slave, stdout=slave, stderr=slave, env=env, close_fds=True)
        os.close(slave)
        screen = b""
        for wait, text in says:
            while wait.encode() not in screen.rsplit(b"\x00", 1)[-1]:
                screen += os.read(master, 4096)
            screen += b"\x00"  # what comes now is new
            os.write(master, text.encode())
        try:
            while True:
                more = os.read(master, 4096)
                if not more:
                    break
                screen += more
        except OSError:
            pass  # it has ended
        self.assertEqual(run.wait(60), 0)
        os.close(master)
        return screen.replace(b"\x00", b"").decode(errors="replace").replace("\r\n", "\n")

    def test_lines_are_edited_and_completed_on_a_terminal(self):
        # TAB completes as far as it is clear; the arrow brings the line back; moves may be typed without parentheses
        out = self.terminal(["play", "ticTacToe", "--others", "human"],
                            [("xplayer> ", "mark 1\t1)\n"), ("oplayer> ", "(ma\t2 2)\n"), ("xplayer> ", "res\t\n")])
        self.assertIn("1. xplayer (mark 1 1)", out)
        self.assertIn("2. oplayer (mark 2 2)", out)
        self.assertIn("xplayer resigns.", out)

    def test_the_board_stays_on_the_screen(self):
        out = self.terminal(["play", "amazons6x6", "--others", "human"], [("> ", "?\n"), ("> ", "q\n")], rows=12)
        first, then = out.split("> ")[0], out.split("> ")[1]
        self.assertRegex(first, r"\d+ moves, such as \(.*\): \? lists them all")
        self.assertNotIn("  2  (", first)
        self.assertIn("  2  (", then)

    def test_what_two_people_choose_at_the_same_time_is_not_shown(self):
        out = self.terminal(["play", "goofspiel5", "--others", "human"], [("left> ", "5\n"), ("right> ", "4\n"), ("left> ", "q\n")])
        self.assertNotIn("5", out.split("left> ")[1].split("right> ")[0].replace("(show 5)", "").split("\n")[0])
        self.assertIn("1. left (show 5), right (show 4)", out)

    def test_bad_seats(self):
        for seat, message in [("red", "ROLE=PLAYER"), ("blue=random", "its roles are: red, yellow"),
                              ("red=http://localhost:1", "`ludens match`"),
                              ("red=wizard", "no player 'wizard'; there are: champion random")]:
            out, err = self.ludens("play", "connectFour", "--seat", seat, status=2)
            self.assertIn(message, err)


if __name__ == "__main__":
    harness.main()
