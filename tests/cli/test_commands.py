#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for all commands: help, letters of options, exit status, Ctrl-C."""
import os
import re
import signal
import subprocess
import time

import harness

SUMMARY = re.compile(r"(?m)^  ([a-z-]+)  +\S")
OPTION = re.compile(r"(?m)^  -(\w), --([a-z-]+)")
# one meaning, though the long names differ: where to write
SAME = {"out": "output", "record": "output", "threads": "jobs", "repeat": "repeat"}


def listens(run):
    """It has become ludens and takes SIGINT, which may be a while on a busy machine."""
    for _ in range(600):
        with open(f"/proc/{run.pid}/status", encoding="utf-8") as file:
            status = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
        if status["Name"] == "ludens" and int(status.get("SigCgt", "0"), 16) & 1 << signal.SIGINT - 1:
            return True
        time.sleep(0.1)
    return False


class Commands(harness.Case):
    def commands(self):
        groups = "lab", "make"
        names = [[name] for name in SUMMARY.findall(self.ludens("help")[0]) if name not in groups]
        names += [[group, name] for group in groups for name in SUMMARY.findall(self.ludens(group, "--help")[0])]
        self.assertGreater(len(names), 20)
        return names

    def test_help_is_asked_for_in_every_way(self):
        self.assertEqual(self.ludens("help"), self.ludens("--help"))
        for name in self.commands():
            text = self.ludens(*name, "--help")[0]
            self.assertTrue(text.startswith(f"usage: ludens {' '.join(name)}"), text)
            self.assertEqual(self.ludens("help", *name)[0], text)
        self.assertIn("no command 'nonsense'", self.ludens("help", "nonsense", status=2)[1])

    def test_what_is_missing_too_much_or_misspelt_is_named(self):
        for arguments, words in [(["info"], "GAME is missing"), (["verify", "ticTacToe"], "TRACE is missing"),
                                 (["check"], "FILE|GAME is missing"), (["fmt"], "FILE|GAME is missing"),
                                 (["lab", "report"], "lab report: EXPERIMENT|DATABASE is missing"),
                                 (["perft", "ticTacToe", "-d", 1, "chess"], "'chess' is too much"), (["players", "nst"], "'nst' is too much"),
                                 (["thnik", "ticTacToe"], "did you mean think?"), (["nonsense"], "`ludens help` lists them"),
                                 (["think", "connectFour", "--moves", "drop 4"], "'drop 4' is not legal for red here; (drop 1) is\n")]:
            self.assertIn(words, self.ludens(*arguments, status=2)[1])

    def test_a_letter_means_the_same_everywhere(self):
        meaning = {}
        for name in self.commands():
            for letter, option in OPTION.findall(self.ludens(*name, "--help")[0]):
                meaning.setdefault(letter, {}).setdefault(SAME.get(option, option), []).append(" ".join(name))
        self.assertGreater(len(meaning), 10)
        for letter, options in meaning.items():
            self.assertEqual(len(options), 1, f"-{letter}: {options}")
        with open(os.path.join(harness.GAMES, "..", "docs", "commands.md"), encoding="utf-8") as file:
            manual = file.read()
        for letter, options in meaning.items():
            self.assertRegex(manual, rf"\| `-{letter}` \|.*`--{next(iter(options))}`")

    def test_status_2_is_for_what_cannot_be_done(self):
        for name in self.commands():
            out, err = self.ludens(*name, "--no-such-option", status=2)
            self.assertIn("unknown option --no-such-option", err)
            self.assertEqual(out, "")
        for command in ([], ["nonsense"], ["sim"], ["sim", "no-such-game"], ["games", "-t", "nonsense"], ["fmt", "no-such-game"],
                        ["scramble", "no-such-game"], ["lab", "nonsense"]):
            self.ludens(*command, status=2)
        self.assertIn("--turns wants one of alone, alternating", self.ludens("games", "-t", "nonsense", status=2)[1])
        self.ludens("games", "no game has such words", status=1)

    def test_sheets_go_by_their_names_in_the_library(self):
        path = os.path.join(harness.GAMES, "ticTacToe.kif")
        for command in "fmt", "scramble", "check":
            self.assertEqual(self.ludens(command, "ticTacToe")[0], self.ludens(command, path)[0].replace(path, "ticTacToe"))

    def test_ctrl_c_ends_everything_with_130(self):
        spec = self.write("long.yaml", "games: [connectFour]\nplayers: [cadia2007, nst]\nnumber: 100000\nbudget: {sims: 2000}\n")
        for command in (["sim", "connectFour", "-n", 10 ** 11], ["sim", "connectFour", "-n", 10 ** 11, "--engine", "lifted"],
                        ["think", "connectFour", "--sims", 10 ** 12], ["perft", "connectFour", "-d", 40],
                        ["match", "connectFour", "--sims", 10 ** 10], ["play", "connectFour", "--sims", 10 ** 10],
                        ["play", "connectFour", "--seat", "red=human"], ["bench", "connectFour", "--seconds", 1000],
                        ["check", "speedChess", "-n", 10 ** 6, "--seconds", 1000], ["check", "-"], ["fmt", "-"],
                        ["lab", "run", spec, "--db", self.path("t.db")]):
            with self.subTest(command):
                run = subprocess.Popen([harness.LUDENS, *map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
                self.assertTrue(listens(run), command)
                time.sleep(0.5)  # well into its work
                self.assertIsNone(run.poll(), command)
                run.send_signal(signal.SIGINT)
                run.communicate(timeout=100)
                self.assertEqual(run.returncode, 130, command)


if __name__ == "__main__":
    harness.main()
