# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of commands share: they run the real program and look at what a user would see.

A test is a file test_NAME.py that ends in `harness.main()`. Meson sets LUDENS (the program), LUDENS_GAMES (our
games) and LUDENS_CORPUS (other people's, which may be missing), and LUDENS_SANITIZED, which ones the program has. Results are printed the way cmocka prints
them, so that each case is counted.
"""
import glob
import os
import subprocess
import sys
import tempfile
import time
import unittest

LUDENS = os.environ.get("LUDENS", "build/src/ludens")
GAMES = os.environ.get("LUDENS_GAMES", "games")
CORPUS = os.environ.get("LUDENS_CORPUS", "../shared/corpus")
# Then the program takes ten times as long, and what it finds is what it finds without: once is enough.
SANITIZED = "LUDENS_SANITIZED" in os.environ
THREADS_WATCHED = os.environ.get("LUDENS_SANITIZED") == "thread"  # then it is slower still: what a clock brings is not what it should


def games():
    return sorted(glob.glob(os.path.join(GAMES, "*.kif")))


def corpus():
    return sorted(glob.glob(os.path.join(CORPUS, "games", "*.kif")))


def some(many):
    """All of many games; under the sanitizers a part. (Under the address sanitizer the fuzz targets go through all games of the library.)"""
    return many[::8 if THREADS_WATCHED else 4 if SANITIZED else 1]


class Result(unittest.TextTestResult):
    def line(self, word, test):
        print(f"[ {word:>8} ] {test._testMethodName}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.line("OK", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line("FAILED", test)

    addError = addFailure

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line("SKIPPED", test)
        print(f"left out: {reason}", flush=True)


class Case(unittest.TestCase):
    """A test with a scratch folder, and `self.ludens(...)` to run the program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        data = text if isinstance(text, bytes) else text.encode()
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def beside(self, *command):
        """Start a program that is ended with the test; `said` what it has written to standard error so far."""
        log = open(self.path(f"log{time.monotonic_ns()}"), "w+", encoding="utf-8")
        self.addCleanup(log.close)
        run = subprocess.Popen(command, stderr=log)
        run.log = log
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def said(self, run):
        run.log.seek(0)
        return run.log.read()

    def ludens(self, *arguments, status=0, stdin=b"", text=True):
        """Run the program, demand the exit status, return (standard output, standard error)."""
        if isinstance(stdin, str):
            stdin = stdin.encode()
        run = subprocess.run([LUDENS, *map(str, arguments)], input=stdin, capture_output=True, timeout=300)
        out, err = run.stdout, run.stderr
        if run.returncode != status:
            self.fail(f"ludens {' '.join(map(str, arguments))}: status {run.returncode}, not {status}\n"
                      f"{out.decode(errors='replace')}\n{err.decode(errors='replace')}")
        return (out.decode(), err.decode()) if text else (out, err)


def main():
    runner = unittest.TextTestRunner(stream=sys.stdout, resultclass=Result, verbosity=0)
    unittest.main(module="__main__", testRunner=runner)
