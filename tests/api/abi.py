#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: abi.py LIBRARY PROGRAM [--write]
The library has the symbols, and its structures the layout, that tests/api/abi.txt says: nothing is changed by mistake. What
is changed on purpose is written with --write, and is a new version if something went or changed.
"""
import os
import subprocess
import sys

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "abi.txt")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def symbols(library):
    lines = (line.split()[-1] for line in run("nm", "-D", "--defined-only", "--with-symbol-versions", library).split("\n") if line)
    return sorted(name.replace("@@", "@") for name in lines if not name.startswith("LUDENS_"))


def main():
    library, program = sys.argv[1:3]
    found = symbols(library) + run(program).rstrip("\n").split("\n")
    if "--write" in sys.argv:
        with open(RECORDED, "w", encoding="utf-8") as file:
            file.write("\n".join(found) + "\n")
        return 0
    with open(RECORDED, encoding="utf-8") as file:
        recorded = file.read().rstrip("\n").split("\n")
    for line in sorted(set(recorded) - set(found)):
        print(f"gone or changed: {line}")
    for line in sorted(set(found) - set(recorded)):
        print(f"new: {line}")
    if set(found) != set(recorded):
        print("If that is meant to be so: tests/api/abi.py LIBRARY PROGRAM --write")
    return set(found) != set(recorded)


sys.exit(main())
