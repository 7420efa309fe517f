#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples do what they say. EXAMPLES is where those in C are built."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES, LUDENS = os.environ["EXAMPLES"], os.environ["LUDENS"]


def run(*command, **options):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, timeout=300, check=True,
                          **options).stdout


def c_example(name, *arguments):
    return run(os.path.join(EXAMPLES, "example_" + name), *arguments)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("nobody listens")


class Examples(unittest.TestCase):
    def test_random_game(self):
        out = c_example("random_game")
        self.assertRegex(out, r"xplayer gets (0|50|100)\noplayer gets (0|50|100)\n$")

    def test_match(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "match.json")
            out = c_example("match", path)
            self.assertIn("red gets 100", out)
            run(LUDENS, "replay", path, "--all")

    def test_batch(self):
        means = {line.split()[1].rstrip(")"): float(line.split()[2]) for line in c_example("batch").splitlines()}
        self.assertEqual(len(means), 7)
        self.assertEqual(max(means, key=means.get), "4")  # the middle
        self.assertTrue(63 < means["4"] < 65 and 50 < means["1"] < 52)

    def check_player(self, *command):
        """It sits in a match with nothing to complain of, and beats somebody who plays at random."""
        source = command[-1] if command[-1].endswith(".py") else os.path.join(ROOT, "examples", "c", "player.c")
        with open(source, encoding="utf-8") as file:
            self.assertLessEqual(len(file.readlines()), 50)
        port = free_port()
        with subprocess.Popen([*command, str(port)], stdout=subprocess.DEVNULL) as player:
            try:
                wait_for(port)
                run(LUDENS, "match", "ticTacToe", "--seat", f"oplayer=http://127.0.0.1:{port}", "--seat", "xplayer=random",
                    "--start", 1, "--clock", 1, "--seed", 1)  # one after the other
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "match.json")
                    run(LUDENS, "match", "connectFour", "--seat", f"red=http://127.0.0.1:{port}", "--seat", "yellow=random",
                        "--start", 2, "--clock", 1, "--seed", 1, "--no-info", "--record", path)
                    with open(path, encoding="utf-8") as file:
                        record = json.load(file)
            finally:
                player.kill()
        self.assertEqual(record["errors"], [])
        self.assertEqual(record["rewards"], [100, 0])

    def test_player_in_c(self):
        self.check_player(os.path.join(EXAMPLES, "example_player"))

    @unittest.skipUnless("PYTHONPATH" in os.environ, "there is no Python module")
    def test_player_in_python(self):
        self.check_player(sys.executable, os.path.join(ROOT, "examples", "python", "player.py"))

    @unittest.skipUnless("PYTHONPATH" in os.environ, "there is no Python module")
    def test_connect_four_is_learned(self):
        program = os.path.join(ROOT, "examples", "python", "connect_four.py")
        out = run(sys.executable, program, "--seconds", 2, "--games", 20, "--depth", 2, "--opponent", "random")
        self.assertGreater(float(out.splitlines()[1].split("%")[0]), 80)


unittest.main()
