#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: manual.py BUILD-FOLDER

The manual has a page for every command with every option, for the library, the language and experiments; man and mandoc find
nothing wrong with any of them. The version is the same wherever it is written.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
faults = []


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def commands(table, before="ludens"):
    for command in table:
        name = f"{before}-{command['name']}"
        yield name, command
        yield from commands(command.get("commands", []), name)


def check_contents(folder, tables):
    for name, command in commands(tables["commands"]):
        path = os.path.join(folder, "man1", name + ".1")
        if not os.path.exists(path):
            faults.append(f"{name} has no page")
            continue
        page = read(path).replace("\\-", "-")
        faults.extend(f"{name}.1 does not know --{o['name']}" for o in command.get("options", []) if f"--{o['name']}\\fR" not in page)
        if command["summary"].split(",")[0] not in page:
            faults.append(f"{name}.1 does not say what the command is for")
    public = {name for path in glob.glob(os.path.join(ROOT, "include", "**", "*.h"), recursive=True)
              for name in re.findall(r"^LUDENS_API [^;]*?\b(ludens_\w+)\(", read(path), re.M)}
    library = read(folder, "man3", "ludens.3")
    for name in sorted(public):
        if name + "(" not in library or not os.path.exists(os.path.join(folder, "man3", name + ".3")):
            faults.append(f"ludens(3) does not know {name}")
    for name, word in ("gdl.5", "distinct"), ("ludens-lab.5", "pairings"):
        if word not in read(folder, "man5", name):
            faults.append(f"{name} says nothing of {word}")


def check_layout(folder):
    tools = [["mandoc", "-Tlint", "-W", "warning"], ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"]]
    for page in sorted(glob.glob(os.path.join(folder, "man?", "*"))):
        if read(page).startswith(".so "):
            continue
        for tool in tools:
            if shutil.which(tool[0]):
                run = subprocess.run([*tool, page], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                     env=dict(os.environ, LC_ALL="C.UTF-8"))
                said = run.stdout if tool[0] == "mandoc" else run.stderr
                if said:
                    faults.append(said)


def check_version(version):
    places = {"meson.build": r"version: '([^']+)'", "NEWS": r"(?m)^(\d\S*) \(", "debian/changelog": r"\Aludens \(([^)-]+)"}
    for path, pattern in places.items():
        if os.path.exists(os.path.join(ROOT, path)) and re.search(pattern, read(ROOT, path))[1] != version:
            faults.append(f"{path} has another version than `ludens --version`: {version}")


def main():
    program, folder = os.environ["LUDENS"], os.path.join(os.path.abspath(sys.argv[1]), "man")
    tables = json.loads(subprocess.run([program, "help", "--json"], check=True, capture_output=True, text=True).stdout)
    check_contents(folder, tables)
    check_layout(folder)
    check_version(tables["version"])
    said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split("\n")
    if said[0] != f"ludens {tables['version']}" or not re.match(r"build +\S", said[1]) or "games a sweep" not in said[2]:
        faults.append(f"--version says {said}")
    print("\n".join(faults))
    return bool(faults)


sys.exit(main())
