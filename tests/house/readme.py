#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The README tells the truth: every `$ ludens ...` in a ```console block prints what stands below it.

A line `...` stands for any lines. Files the README links to exist.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BROKEN = """(role robot) (init (step 1))
(<= (legal robot go) (true (step ?n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?k))
(succ 1 2) (succ 2 3) (goal robot 100)
(<= terminal (true (step 3)))
"""


def sessions(text):
    """(command, expected lines) of every command in a console block."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *expected = part.rstrip("\n").split("\n")
            yield command, expected


def matches(expected, lines):
    if not expected:
        return not lines
    if expected[0] == "...":
        return any(matches(expected[1:], lines[i:]) for i in range(len(lines) + 1))
    return bool(lines) and expected[0].rstrip() == lines[0].rstrip() and matches(expected[1:], lines[1:])


def main():
    program = os.environ["LUDENS"]
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        text = file.read()
    failed = count = 0
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        if not os.path.exists(os.path.join(ROOT, target)):
            print(f"README.md: there is no {target}")
            failed = 1
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(ROOT, "games"), os.path.join(folder, "games"))
        with open(os.path.join(folder, "broken.kif"), "w", encoding="utf-8") as file:
            file.write(BROKEN)
        for command, expected in sessions(text):
            words = shlex.split(command)
            assert words[0] == "ludens", command
            run = subprocess.run([program] + words[1:], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, timeout=300)
            count += 1
            if not matches(expected, run.stdout.rstrip("\n").split("\n")):
                print(f"README.md: `{command}` prints something else now:\n{run.stdout}")
                failed = 1
    if count == 0:
        print("README.md shows no command")
        failed = 1
    return failed


sys.exit(main())
