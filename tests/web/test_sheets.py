#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every game of the library and every sheet of the corpus opened in the browser: no error, a board where there is one, no word on
the console. With LUDENS_SHOTS=FOLDER a screenshot of each is kept there, to be looked at."""
import os
import unittest

from browser import AVAILABLE, Browser, Trouble
from service import Service, PERSON, harness


@unittest.skipUnless(AVAILABLE, "there is no chromium: scripts/setup browser installs it")
class Sheets(harness.Case):
    def open_all(self, sheets, steps):
        browser, faults = Browser(1100, 950), []
        self.addCleanup(browser.close)
        web, shots = Service(self), os.environ.get("LUDENS_SHOTS")
        for path in sheets:
            name = os.path.basename(path)[:-len(".kif")]
            with open(path, encoding="utf-8", errors="replace") as file:
                rules = file.read()
            status, answer = web.call("api/sessions", {"rules": rules, "name": name, "seats": [PERSON] * 64, "random": 7})
            if status != 201:
                faults.append(f"{name}: {answer}")
                continue
            session = answer["id"]
            state = web.wait(session, lambda s: s["stage"] in ("over", "dead") or (s["stage"] == "waiting" and s["turn"] > 0), seconds=120)
            if state["stage"] == "dead":
                faults.append(f"{name}: {state['trouble']}")
                continue
            turn = min(state["turn"], steps)
            try:
                browser.go("about:blank")
                browser.go(web.url + f"#/table/{session}/{turn}")
                browser.wait(".page-table .seat", seconds=60)
                boards = len(state["game"]["layout"]["boards"])
                browser.until("return document.querySelectorAll('.boards svg').length === arguments[0]", boards)
                if boards and not browser.count(".boards [data-cell]"):
                    faults.append(f"{name}: a board without cells")
                if browser.count("[role=alert]"):
                    faults.append(f"{name}: {browser.text('[role=alert]')}")
                if shots:
                    browser.screenshot(os.path.join(shots, name + ".png"))
            except Trouble as trouble:
                faults.append(f"{name}: {trouble}")
            faults += [f"{name}: {line}" for line in browser.console()]
            browser.go("about:blank")
            web.call("api/sessions/" + session, method="DELETE")
        return faults

    def test_every_game_of_the_library(self):
        self.assertEqual(self.open_all(harness.games(), 12), [])

    def test_every_sheet_of_the_corpus(self):
        sheets = harness.corpus()
        if not sheets:
            self.skipTest("there is no corpus at " + harness.CORPUS)
        faults = self.open_all(sheets, 6)
        for fault in faults:
            print(fault[:300])
        self.assertEqual(faults, [])


if __name__ == "__main__":
    harness.main()
