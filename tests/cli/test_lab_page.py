#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of results in a real browser: headless Chromium (scripts/setup browser installs it)."""
import os
import re
import shutil
import subprocess
import unittest

import harness

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--enable-logging=stderr"]


@unittest.skipUnless(CHROMIUM, "there is no chromium")
class Page(harness.Case):
    def browse(self, path, *flags):
        """The page as the browser has understood it, and what it complained about."""
        profile = os.path.join(self.folder, "profile")
        shutil.rmtree(profile, ignore_errors=True)
        os.mkdir(profile)
        run = subprocess.run([CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *flags, "file://" + path], capture_output=True,
                             text=True, timeout=120)
        return run.stdout, [line for line in run.stderr.splitlines() if "CONSOLE" in line]

    def test_complaints_would_be_noticed(self):
        page = self.write("bad.html", "<!doctype html><script src=missing.js></script><script>nonsense()</script>")
        self.assertGreaterEqual(len(self.browse(page, "--dump-dom")[1]), 1)

    def test_the_page_is_understood_without_a_complaint(self):
        db, page = self.path("t.db"), self.path("t.html")
        self.ludens("lab", "run", "paper/000-table-11", "--db", db, "--sims", 5, "--games", 2)
        self.ludens("lab", "report", "paper/000-table-11", "--db", db, "--html", page)
        dom, complaints = self.browse(page, "--dump-dom")
        self.assertEqual(complaints, [])
        self.assertEqual(len(re.findall("<svg", dom)), 4)  # one plot for each pairing
        rows = re.findall(r"<tr><th>Connect5</th>(.*?)</tr>", dom)
        self.assertEqual(len(re.findall("<td", rows[0])), 4)
        for name in "narrow", "wide":
            shot = self.path(name + ".png")
            self.browse(page, f"--screenshot={shot}", "--window-size=" + ("400,900" if name == "narrow" else "1300,1500"))
            self.assertGreater(os.path.getsize(shot), 20000)


if __name__ == "__main__":
    harness.main()
