#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: docs.py [--program-only] [PAGE...]

README and docs tell the truth: every `$ command` in a ```console block prints what stands below it.

A line `...` stands for any lines, `...` within a line for any text. Commands of one page run one after the other in one shell, in a folder of their own in which
games/, docs/ and lab/ can be found; what they leave running is ended with the page. A block of code with a name behind its
language, as in ```lisp nim.kif, is a file of that name. What a page links to exists, and papers that are called by number are
linked to where they are cited. With --program-only pages that compile something with the library are not run: under sanitizers
what others compile cannot load it.
"""
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MARK = "=== the end of a command ==="


def steps(text):
    """What a page does, in order: ("file", name, text), or ("run", command, expected lines)."""
    for words, body in re.findall(r"^```(\S* *\S*)\n(.*?)^```", text, re.M | re.S):
        language, _, name = words.partition(" ")
        if name:
            yield "file", name, body
        elif language == "console":
            for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
                command, *expected = re.sub(r"\\\n", "", part.rstrip("\n")).split("\n")
                yield "run", command, expected


def matches(expected, lines):
    if not expected:
        return not lines
    if expected[0] == "...":
        return any(matches(expected[1:], lines[i:]) for i in range(len(lines) + 1))
    line = ".*".join(re.escape(part) for part in expected[0].rstrip().split("..."))
    return bool(lines) and bool(re.fullmatch(line, lines[0].rstrip())) and matches(expected[1:], lines[1:])


def environment(folder):
    """The program by its name, the library by what pkg-config says, Python's module where there is one."""
    program = os.path.abspath(os.environ["LUDENS"])
    build = os.path.dirname(os.path.dirname(program))
    os.mkdir(os.path.join(folder, ".bin"))
    os.symlink(program, os.path.join(folder, ".bin", "ludens"))
    return dict(os.environ, PATH=f"{folder}/.bin:{os.environ['PATH']}", TERM="dumb",
                PKG_CONFIG_PATH=os.path.join(build, "meson-uninstalled"), LD_LIBRARY_PATH=os.path.join(build, "src"),
                PYTHONPATH=os.path.join(build, "python"))


def run(script, folder):
    """What a shell says about a script; nothing of it stays behind."""
    shell = subprocess.Popen(["bash"], cwd=folder, env=environment(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        return shell.communicate(script, timeout=300)[0]
    finally:
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def wrong_steps(text):
    with tempfile.TemporaryDirectory() as folder:
        for name in "games", "docs", "lab":
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        script, runs = "exec 2>&1\n", []
        for kind, name, body in steps(text):
            if kind == "file":
                script += f"cat >'{name}' <<'{MARK}'\n{body}{MARK}\n"
            else:
                runs.append((name, body))
                script += f"{{ {name}\n}} </dev/null; echo '{MARK}'\n"
        said = run(script + "kill $(jobs -p) 2>/dev/null\nexit\n", folder).split(MARK + "\n")
        for (command, expected), out in zip(runs, said + [""] * len(runs)):
            if not matches(expected, out.rstrip("\n").split("\n") if out.strip() else []):
                yield f"`{command}` prints something else now:\n{out}"


def missing_links(path, text):
    folder = os.path.dirname(path)
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        if not os.path.exists(os.path.join(folder, target)):
            yield f"there is no {target}"
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.M | re.S)
    if not path.endswith("papers.md"):
        for paper in re.findall(r"(?<!\[)\b[Dd]ocuments? 00\d[^\n]*|(?<![\[\w.,#/-])00[0-4] (?:table|chapter|§)[^\n]*", prose):
            yield f"does not link to where it is cited: {paper}"


def main():
    program_only = "--program-only" in sys.argv
    pages = [a for a in sys.argv[1:] if a != "--program-only"] or [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))]
    failed, count = 0, 0
    for path in pages:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        count += sum(1 for step in steps(text) if step[0] == "run")
        skipped = program_only and any(kind == "run" and "pkg-config" in command for kind, command, _ in steps(text))
        for fault in [*missing_links(path, text), *([] if skipped else wrong_steps(text))]:
            print(f"{os.path.relpath(path, ROOT)}: {fault}")
            failed = 1
    if count < 10 and len(pages) > 1:
        print("the docs show hardly any command")
        failed = 1
    return failed


sys.exit(main())
