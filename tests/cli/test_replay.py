#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import pty
import re
import select
import subprocess

import harness

os.environ["LC_ALL"] = "C"
for name in "COLUMNS", "NO_COLOR":
    os.environ.pop(name, None)


class Replay(harness.Case):
    def record(self, name="r.json", game="connectFour", *arguments):
        self.ludens("match", game, "--others", "random", "--seed", 7, "--record", self.path(name), "--states", "--sims", 1, *arguments)
        return self.path(name)

    def load(self, path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def change(self, path, **members):
        record = self.load(path)
        for name, value in members.items():
            if value is None:
                del record[name]
            else:
                record[name] = value
        return self.write("changed.json", json.dumps(record))

    def test_everything_at_once(self):
        path = self.record()
        moves = self.load(path)["moves"]
        out, err = self.ludens("replay", path)
        self.assertIn("connectFour, match ludens.", out)
        self.assertIn("red: random, yellow: random\n", out)
        self.assertEqual(out.count("1 2 3 4 5 6 7"), len(moves) + 1)
        for number, (red, yellow) in enumerate(moves, 1):
            line = rf"\n{number}\. red {re.escape(red)} \(\d\.\d\d s\), yellow {re.escape(yellow)} \(\d\.\d\d s\)  at \d\.\d s\n"
            self.assertRegex(out, line)
        self.assertRegex(out, r"The game is over after \d+ moves: red \d+, yellow \d+\.\n$")

    def test_one_position(self):
        path = self.record()
        out, err = self.ludens("replay", path, "--at", 2)
        self.assertEqual(out.count("1 2 3 4 5 6 7"), 1)
        self.assertIn("\n2. red noop", out)
        out, err = self.ludens("replay", path, "--at", 500, status=2)
        self.assertIn("--at 500: the match has", err)

    def test_the_text_form_says_the_same(self):
        for game in "connectFour", "ttcc4ThreePlayers", "eightPuzzle", "goofspiel4":
            path = self.record("r.json", game)
            text, err = self.ludens("replay", path, "--pgn")
            pgn = self.write("r.pgn", text)
            again, err = self.ludens("replay", pgn, "--json")
            ours, theirs = self.load(path), json.loads(again)
            for member in set(ours) - {"rules"}:
                self.assertEqual(ours[member], theirs[member], member)
            self.assertEqual(self.ludens("replay", pgn)[0], self.ludens("replay", path)[0])

    def test_a_record_carries_its_rules(self):
        rules = "(role you) (init one) (legal you (hop 1)) (<= (next two) (true one)) (<= terminal (true two)) (goal you 77)"
        path = self.record("r.json", self.write("own.kif", rules))
        os.remove(self.path("own.kif"))
        out, err = self.ludens("replay", path)
        self.assertIn("The game is over after 1 moves: you 77.", out)
        out, err = self.ludens("replay", path, "--pgn")
        out, err = self.ludens("replay", self.write("r.pgn", out), status=2)
        self.assertIn("own", err)

    def test_a_saved_game_is_a_record(self):
        path = self.path("saved.json")
        self.ludens("play", "ticTacToe", "--others", "human", stdin=f"mark 1 1\nmark 2 2\nsave {path}\nq\n")
        out, err = self.ludens("replay", path)
        self.assertIn("2. xplayer noop", out)
        self.assertIn("The match was left after 2 moves.", out)
        out, err = self.ludens("replay", self.write("old.json", json.dumps({
            "game": "ticTacToe", "roles": ["xplayer", "oplayer"], "moves": [["(mark 1 1)", "noop"]]})))
        self.assertIn("1. xplayer (mark 1 1), oplayer noop\n", out)

    def test_a_record_that_the_rules_contradict(self):
        path = self.record("r.json", "ticTacToe")
        record = self.load(path)
        for members, message in [
                ({"rewards": [1, 2]}, "the record gives xplayer 1, the rules"),
                ({"ending": "aborted"}, "over by the rules, but not in the record"),
                ({"states": [[]] + record["states"][1:]}, "the state after 0 moves is another one"),
                ({"moves": record["moves"][:-1], "times": None, "seconds": None, "states": None},
                 "over in the record, but not by the rules")]:
            out, err = self.ludens("replay", self.change(path, **members), status=1)
            self.assertIn(message, err)
        for members, message in [
                ({"moves": record["moves"] + record["moves"][:1], "times": None, "seconds": None, "states": None}, "the game is over after"),
                ({"moves": [["(mark 1 1)", "(mark 1 1)"]], "times": None, "seconds": None, "states": None}, "step 1: '(mark 1 1)' is not legal for oplayer"),
                ({"moves": [[")", "noop"]], "times": None, "seconds": None, "states": None}, "step 1"),
                ({"roles": ["xplayer", "zplayer"]}, "other roles")]:
            out, err = self.ludens("replay", self.change(path, **members), status=2)
            self.assertIn(message, err)

    def test_files_that_are_no_records(self):
        path = self.record("r.json", "ticTacToe")
        steps = len(self.load(path)["moves"])
        for members, message in [
                ({"roles": None}, 'there is no "roles"'), ({"roles": []}, "1 to 64 roles"), ({"roles": "x"}, "wrong type"),
                ({"roles": ["x"] * 65}, "1 to 64 roles"), ({"roles": [1, 2]}, "no string"),
                ({"moves": None}, 'there is no "moves"'), ({"moves": [["noop"]]}, "lists of"), ({"moves": [[1, 2]], "times": None, "seconds": None}, "no string"),
                ({"times": [1]}, f"lists of {steps} entries"), ({"times": ["x"] * steps}, "no time"),
                ({"seconds": [[-1, 0]] * steps}, "no time"), ({"seconds": [[1]] * steps}, "lists of 2"),
                ({"errors": [{"step": 99, "role": "xplayer", "kind": "late"}]}, "unknown kind or step"),
                ({"errors": [{"step": 1, "role": "xplayer", "kind": "lazy"}]}, "unknown kind or step"),
                ({"errors": [{"step": 1, "role": "nobody", "kind": "late"}]}, "no role 'nobody'"),
                ({"search": [[None, 3]] * steps}, "that is none"), ({"search": [[None]] * steps}, "lists of 2"),
                ({"search": [[None, {"simulations": 1, "nodes": 1, "value": "x"}]] * steps}, "that is none"),
                ({"errors": [3]}, "no object"), ({"states": [[]]}, "lists of"), ({"rewards": [1]}, "lists of 2"),
                ({"rewards": [1, -5]}, "no reward"), ({"ending": "happy"}, "unknown"), ({"seed": -1}, "whole number"),
                ({"players": ["a\x1b[2J", "b"]}, "control characters"), ({"clocks": {"start": -1}}, "no time")]:
            out, err = self.ludens("replay", self.change(path, **members), status=2)
            self.assertIn(message, err)
            self.assertIn("changed.json", err)
        pgn = self.ludens("replay", path, "--pgn")[0]
        for was, becomes, message in [
                ("[Role1", "[Rolf1", "there is no [Role1"), ("1. ", "2. ", "here should be the next move"), ('"]\n\n', "\n\n", "a tag"),
                ("noop", "(noop", "here should be"), ("@", "@x", "no time"),
                ('[Seed "', '[Seed "-', "whole number"), ("-", "+", ""), (pgn[pgn.index("@"):], "@", "a comment does not end")]:
            self.assertIn(was, pgn)
            out, err = self.ludens("replay", self.write("changed.pgn", pgn.replace(was, becomes)), status=2)
            self.assertIn(message, err)
        for text in "", "{", "[]", "[[", "null", "\0", '{"roles": ["a"], "roles": ["b"], "moves": []}':
            out, err = self.ludens("replay", self.write("bad", text), status=2)
        self.assertIn("cannot be opened", self.ludens("replay", self.path("nothing"), status=2)[1])

    def test_keys(self):
        path = self.record("r.json", "ticTacToe")
        count = len(self.load(path)["moves"])
        master, slave = pty.openpty()
        run = subprocess.Popen([harness.LUDENS, "replay", path], stdin=slave, stdout=slave, env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        self.addCleanup(os.close, master)

        def screen():
            text = ""
            while "q quit" not in text:
                self.assertTrue(select.select([master], [], [], 20)[0], text)
                text += os.read(master, 65536).decode()
            return text

        self.assertIn(f"0 of {count} ", screen())
        for key, at in [(b"n", 1), (b" ", 2), (b"\033[C", 3), (b"p", 2), (b"\033[D", 1), (b"l", count), (b"n", count),
                        (b"f", 0), (b"p", 0), (b"\033[F", count), (b"x", count)]:
            os.write(master, key)
            self.assertIn(f"\n{at} of {count} ", screen().replace("\r", ""))
        os.write(master, b"q")
        self.assertEqual(run.wait(timeout=20), 0)


if __name__ == "__main__":
    harness.main()
