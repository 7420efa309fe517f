#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion: what the program offers, and what bash, zsh and fish make of it when somebody presses TAB."""
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import harness

SCRIPTS = os.path.abspath(os.path.join(harness.GAMES, "..", "completion"))


class Completion(harness.Case):
    def offered(self, *words):
        out, err = self.ludens("complete", *words)
        self.assertEqual(err, "")
        return dict(line.split("\t") for line in out.splitlines() if not line.startswith("\t")), \
            [line[1:] for line in out.splitlines() if line.startswith("\t")]

    def test_every_command_and_option_is_offered(self):
        out, _ = self.ludens("help")
        names = set(re.findall(r"(?m)^  ([a-z-]+)  +\S", out))
        words, _ = self.offered("")
        self.assertEqual(names, {w for w in words if not w.startswith("-")})
        self.assertEqual(words["sim"], "play random games and tell what came out")
        for name in names - {"lab", "make", "help"}:
            options = {"--" + o for o in re.findall(r"(?m)^  (?:-\w, |    )--([a-z0-9-]+)", self.ludens(name, "--help")[0])}
            self.assertEqual(options, set(self.offered(name, "--")[0]), name)

    def test_values_by_what_they_are(self):
        for line, expected, others in (
                (["play", "conn"], {"connect5", "connectFour", "connectFourSuicide"}, ["files"]),
                (["check", "x.kif", "ticTacToe3"], {"ticTacToe3d"}, ["files"]),
                (["play", "connectFour", "--seat", ""], {"red=", "yellow="}, []),
                (["play", "--seat", "r", "connectFour"], {"connectFour", "connectFourSuicide"}, ["files"]),
                (["play", "connectFour", "--seat", "red=hu"], {"red=human"}, []),
                (["play", "connectFour", "--seat=red=nst-"], {"--seat=red=nst-decay"}, []),
                (["think", "hex", "-p", "nst,eps"], {"nst,epsilon="}, []),
                (["think", "hex", "-p", "nst,k=3,lgr="], {"nst,k=3,lgr=on", "nst,k=3,lgr=off"}, []),
                (["sim", "hex", "--engine", ""], {"lifted", "circuit", "auto"}, []),
                (["solve", "hex", "--role", "w"], set(), []),
                (["think", "connectFour", "--role", "y"], {"yellow"}, []),
                (["lab", "run", "fir"], {"first"}, ["files"]),
                (["lab", "s"], {"sprt"}, []),
                (["lab", "sprt", "nst", "cadia2007"], {"cadia2007", "cadia2007-solo"}, []),
                (["help", "lab", "m"], {"merge"}, []),
                (["make", "board", "--like", "p"], {"penalties", "punishment", "progression"}, []),
                (["serve", "--log", ""], set(), ["folders"]),
                (["replay", "-g", "hanoi", ""], set(), ["files"]),
                (["sim", "--", "--"], set(), ["files"]),
                (["nonsense", ""], set(), []), (["serve-worker", ""], set(), [])):
            words, rest = self.offered(*line)
            self.assertEqual((set(words), rest), (expected, others), line)

    def test_nonsense_is_no_trouble(self):
        self.write("broken.kif", "(role ")
        for line in ([], ["-"], ["play", "--seat"], ["play", "-"], ["play", "--=", ""], ["play", "=", "="], ["play", "=,=,"],
                     ["play", self.path("broken.kif"), "--seat", ""], ["think", "x", "-p", "," * 1000],
                     ["think", "x", "--player=" + "y" * 5000 + "="], ["think", "x", "-p", "nst," + "z" * 5000 + "="],
                     ["match", "hex", "--seat", "q" * 5000 + "=nst,"]):
            self.ludens("complete", *line)

    def shell(self, name):
        if not shutil.which(name):
            raise unittest.SkipTest(f"there is no {name}")
        os.symlink(os.path.abspath(harness.LUDENS), self.path("ludens"))
        self.write("other.json", "{}")
        os.mkdir(self.path("logs"))
        return dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", HOME=self.folder, ZDOTDIR=self.folder, TERM="dumb",
                    PS1="", HISTFILE="/dev/null", LUDENS_GAMES=os.path.abspath(harness.GAMES))

    def type(self, command, environment, setup, lines):
        """What the shell makes of each line when TAB is pressed at its end and the line is then run."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe(command[0], command, environment)
        seen = b""

        def until(mark, seconds=30):
            nonlocal seen
            end = time.monotonic() + seconds
            while mark not in seen:
                ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
                self.assertTrue(ready, f"{command[0]} did not say {mark!r}: {seen!r}")
                seen += os.read(terminal, 65536)
            before, seen = seen.split(mark, 1)
            return before.decode(errors="replace")

        os.write(terminal, setup.encode() + b"\necho rea''dy\n")
        until(b"\nready\r\n")
        got = []
        for line in lines:
            os.write(terminal, line.encode())
            until(line[-3:].encode())  # a TAB that is already there when a shell begins to read is not pressed
            os.write(terminal, b"\t")
            self.assertTrue(select.select([terminal], [], [], 30)[0], line)
            os.write(terminal, b"\n")
            until(b"[[")
            got.append(until(b"]]"))
        os.write(terminal, b"exit\n")
        os.close(terminal)
        os.waitpid(pid, 0)
        return got

    LINES = {
        "ludens play connectFourS": "play connectFourSuicide",
        "ludens play --seat=red=cadia2010": "play --seat=red=cadia2010",
        "ludens play connectFour --seat re": "play connectFour --seat red=",
        "ludens play connectFour --seat red=hum": "play connectFour --seat red=human",
        "ludens sim hex --engine lif": "sim hex --engine lifted",
        "ludens lab run paper/002-table-6.4": "lab run paper/002-table-6.4",
        "ludens serve --log lo": "serve --log logs",
        "ludens replay oth": "replay other.json",
        "ludens lab repo": "lab report",
    }

    def pressed(self, name, command, setup):
        environment = self.shell(name)
        # what is run is not the program but this, which shows its words; completion asks the program
        show = "ludens() { if [ \"$1\" = complete ]; then command ludens \"$@\"; else echo \"[[$*]]\"; fi; }"
        got = self.type(command, environment, f"{setup}\n{show}", self.LINES)
        self.assertEqual([words.rstrip("/ ") for words in got], list(self.LINES.values()))

    def test_bash(self):
        self.pressed("bash", ["bash", "--norc", "--noprofile", "-i"], f"source '{SCRIPTS}/ludens.bash'")

    def test_zsh(self):
        self.pressed("zsh", ["zsh", "-f", "-i"], f"unset zle_bracketed_paste; autoload -U compinit; "
                     f"fpath=('{SCRIPTS}' $fpath); compinit -u -D; PS1=''")

    def test_fish(self):
        environment = self.shell("fish")
        for line, want in (("ludens play conn", {"connect5", "connectFour", "connectFourSuicide"}),
                           ("ludens play connectFour --seat red=hum", {"red=human"}),
                           ("ludens think hex -p nst,eps", {"nst,epsilon="}), ("ludens lab run fir", {"first"}),
                           ("ludens replay oth", {"other.json"}), ("ludens serve --log lo", {"logs/"}),
                           ("ludens sim hex --engine=li", {"--engine=lifted"})):
            run = subprocess.run(["fish", "--no-config", "-c", f"source {SCRIPTS}/ludens.fish; complete -C '{line}'"],
                                 env=environment, cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertEqual({word.split("\t")[0] for word in run.stdout.splitlines()}, want, run.stderr)


if __name__ == "__main__":
    harness.main()
