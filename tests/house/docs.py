#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""README and docs tell the truth: every `$ ludens ...` in a ```console block prints what stands below it.

A line `...` stands for any lines. Files that a page links to exist. Commands of one page run one after the other in a folder
of their own, in which games/ and docs/ can be found.
"""
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


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


def missing_links(path, text):
    folder = os.path.dirname(path)
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        if not os.path.exists(os.path.join(folder, target)):
            yield f"there is no {target}"


def wrong_sessions(program, text):
    with tempfile.TemporaryDirectory() as folder:
        for name in "games", "docs":
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        for command, expected in sessions(text):
            words = shlex.split(command)
            assert words[0] == "ludens", command
            run = subprocess.run([program] + words[1:], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, timeout=300)
            if not matches(expected, run.stdout.rstrip("\n").split("\n")):
                yield f"`{command}` prints something else now:\n{run.stdout}"


def main():
    program, failed, count = os.environ["LUDENS"], 0, 0
    for path in [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")))]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        count += sum(1 for _ in sessions(text))
        for fault in [*missing_links(path, text), *wrong_sessions(program, text)]:
            print(f"{os.path.relpath(path, ROOT)}: {fault}")
            failed = 1
    if count < 10:
        print("the docs show hardly any command")
        failed = 1
    return failed


sys.exit(main())
