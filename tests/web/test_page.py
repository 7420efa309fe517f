#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of `ludens web` in a real browser: what a person can do, done by clicks, drags and keys.

A test fails if the browser's console has anything to say, also about the page's policy."""
import json
import random
import unittest

from browser import AVAILABLE, Browser
from service import Service, harness

BROKEN = """(role hero)
(init (at 1))
(<= (legal hero (go ?y)) (true (at ?x)) (path ?x ?y))
(<= (next (at ?y)) (does hero (go ?z)))
(<= terminal (true (at 3)))
(goal hero 100)
(path 1 2) (path 2 3) (path 1 3)
"""
YOURS = "return document.querySelector('.status.yours') ? 'yours' : document.querySelector('#rematch') ? 'over' : null"


@unittest.skipUnless(AVAILABLE, "there is no chromium: scripts/setup browser installs it")
class Page(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        super().setUp()
        self.web = Service(self, "--db", self.path("lab.db"))
        self.browser.resize(1280, 900)
        self.rng = random.Random(5)
        self.open("")
        self.browser.run("localStorage.clear()")
        self.browser.console()
        self.addCleanup(self.silence)

    def silence(self):
        said = self.browser.console()
        self.browser.go("about:blank")
        self.assertEqual(said, [])

    def open(self, path):
        self.browser.go("about:blank")
        self.browser.go(self.web.url + path)

    def start(self, game, *seats):
        """Choose a game by its card and seats in the dialog: "person" or a player's name, with the shortest clock."""
        b = self.browser
        self.open("")
        b.wait(f"[data-name={game}]")
        b.click(f"[data-name={game}]")
        b.wait("#start:not([disabled])")
        for i, who in enumerate(seats):
            row = f".seat-row:nth-child({i + 1}) "
            b.select(row + ".who", who)
            if who != "person":
                b.select(row + ".time", "0.2")
        b.click("#start")
        b.wait(".page-table .seat")
        b.wait(".boards svg, .boards.none ~ .actions")

    def some(self, css):
        """Any element of these, as a selector; None: there is none (any more)."""
        cells = self.browser.run("return [...document.querySelectorAll(arguments[0])].map(e => [e.dataset.board, e.dataset.cell])", css)
        if not cells:
            return None
        board, cell = self.rng.choice(cells)
        return f'[data-board="{board}"][data-cell="{cell}"]'

    def click_move(self):
        """A move by clicks alone: on the board, in the menu, or on a button."""
        b = self.browser
        first = self.some(".place.can")
        if not first:
            b.click(".actions .moves .move")
            return
        b.click(first)
        for _ in range(4):
            target = self.some(".place.target")
            if b.count(".menu"):
                b.click(".menu button")
            elif target:
                b.click(target)
            else:
                return

    def play_on(self, steps=400):
        """By clicks until the game is over; how many moves that took."""
        b = self.browser
        for n in range(steps):
            if b.until(YOURS, seconds=60) == "over":
                return n
            turn = b.run("return document.querySelectorAll('.history li').length + ':' + document.querySelector('.status').textContent")
            self.click_move()
            b.until("return document.querySelectorAll('.history li').length + ':' + document.querySelector('.status').textContent !== arguments[0]", turn, seconds=60)
        self.fail("the game did not end")

    def goals(self):
        return self.browser.run("return [...document.querySelectorAll('.seat .points')].map(e => Number(e.textContent))")

    # ---- whole games

    def test_tic_tac_toe_by_clicks(self):
        self.start("ticTacToe", "person", "random")
        self.assertGreaterEqual(self.play_on(), 3)
        self.assertEqual(sum(self.goals()), 100)

    def test_connect_four_by_clicks(self):
        self.start("connectFour", "person", "champion")
        self.browser.click('[data-cell="38"]')  # the top of a column means the column
        self.browser.until("return document.querySelectorAll('.history li').length >= 3 && document.querySelector('.status.yours') != null")
        self.assertEqual(self.browser.count(".pieces .piece"), 2)
        self.assertGreaterEqual(self.play_on(), 3)
        self.assertEqual(sum(self.goals()), 100)

    def test_breakthrough_by_clicks(self):
        self.start("breakthrough", "person", "random")
        self.assertGreaterEqual(self.play_on(), 6)
        self.assertEqual(sorted(self.goals()), [0, 100])

    def test_checkers_by_clicks(self):
        self.start("checkers", "person", "random")
        self.assertGreaterEqual(self.play_on(), 8)
        self.assertEqual(sum(self.goals()), 100)

    def test_a_game_for_three(self):
        self.start("chineseCheckers3", "person", "random", "random")
        self.assertEqual(self.browser.count(".seat"), 3)
        self.assertGreaterEqual(self.play_on(), 5)

    def test_a_simultaneous_game_for_two_at_one_screen(self):
        b = self.browser
        self.start("goofspiel4", "person", "person")
        first = b.wait(".actions .move")
        self.assertTrue(first)
        self.assertIn("Nobody sees it", b.text("#status"))
        chosen = b.run("return document.querySelector('.actions .move').dataset.move")
        b.click(".actions .move")
        b.until("return [...document.querySelectorAll('.seat .note')].some(e => e.textContent === 'has chosen')")
        self.assertEqual(b.count(".history li"), 1)
        self.assertNotIn(chosen.strip("()"), b.run("return document.querySelector('.side').innerText + document.querySelector('#status').innerText"))
        self.play_on()

    def test_a_puzzle_with_undo(self):
        b = self.browser
        self.start("lightsOut", "person")
        before = b.run("return document.querySelector('.boards').innerHTML.replace(/ (changed|can|from)/g, '').replace(/aria-label=\"[^\"]*\"|tabindex=\"[^\"]*\"/g, '')")
        for n in (2, 3, 4):
            b.click(self.some(".place.can"))
            b.until("return document.querySelectorAll('.history li').length === arguments[0]", n)
        for n in (3, 2, 1):
            b.click("#back")
            b.until("return document.querySelectorAll('.history li').length === arguments[0]", n)
        b.until("return document.querySelector('.boards').innerHTML.replace(/ (changed|can|from)/g, '').replace(/aria-label=\"[^\"]*\"|tabindex=\"[^\"]*\"/g, '') === arguments[0]", before)

    # ---- help on the way

    def test_take_back_and_start_over(self):
        b = self.browser
        self.start("ticTacToe", "person", "champion")
        b.click('[data-cell="4"]')
        b.until("return document.querySelectorAll('.history li').length === 3 && document.querySelector('.status.yours') !== null")
        b.click("#back")
        b.until("return document.querySelectorAll('.history li').length === 1 && document.querySelectorAll('.pieces .piece').length === 0")
        b.click('[data-cell="0"]')
        b.until("return document.querySelectorAll('.history li').length === 3 && document.querySelector('.status.yours') !== null")
        b.click("#again")
        b.until("return document.querySelectorAll('.history li').length === 1")
        self.assertEqual(b.text("#status"), "Your move, xplayer.")

    def test_a_hint_is_shown_on_the_board(self):
        b = self.browser
        self.start("breakthrough", "person", "random")
        b.wait(".status.yours")
        b.click("#hint")
        b.wait(".marks circle.hint", script="return document.querySelectorAll(arguments[0]).length === 2")
        self.assertIn("Hint:", b.text("#status"))

    def test_drag_and_drop(self):
        b = self.browser
        self.start("breakthrough", "person", "random")
        b.wait(".status.yours")
        b.drag('[data-cell="8"]', '[data-cell="16"]')
        b.until("return document.querySelectorAll('.history li').length >= 2")
        b.until("return [...document.querySelectorAll('.history .made')].some(e => /move 1 2 1 3/.test(e.textContent))")

    def test_keys_alone_play_a_move(self):
        b = self.browser
        self.start("breakthrough", "person", "random")
        b.wait(".status.yours")
        b.run("document.querySelector('[data-cell=\"0\"]').focus()")
        b.press("Up", "Enter")
        self.assertEqual(b.run("return document.activeElement.dataset.cell"), "8")
        self.assertIn("selected", b.run("return document.activeElement.getAttribute('aria-label')"))
        b.press("Up")
        self.assertIn("can go here", b.run("return document.activeElement.getAttribute('aria-label')"))
        b.press("Enter")
        b.until("return document.querySelectorAll('.history li').length >= 2")
        b.until("return document.getElementById('live').textContent.includes('move')")

    def test_moves_can_be_picked_from_a_list(self):
        b = self.browser
        self.start("breakthrough", "person", "random")
        b.wait(".status.yours")
        b.click(".all-moves summary")
        b.click(".all-moves .move")
        b.until("return document.querySelectorAll('.history li').length >= 2")

    # ---- thinking

    def test_the_search_can_be_watched(self):
        b = self.browser
        self.start("breakthrough", "person", "person")
        b.wait(".status.yours")
        b.click("#analyse")
        b.wait(".bars li")
        self.assertGreaterEqual(b.count(".bars li"), 10)
        first = b.text(".figures")
        b.until("return document.querySelector('.figures').textContent !== arguments[0]", first)
        b.until("return document.querySelectorAll('.plot circle').length > 0")
        before = b.run("return document.querySelector('.pieces').innerHTML")
        b.hover(".line .step")
        b.wait(".boards.preview")
        b.until("return document.querySelector('.pieces').innerHTML !== arguments[0]", before)
        b.hover("#status")
        b.until("return document.querySelector('.boards.preview') === null && document.querySelector('.pieces').innerHTML === arguments[0]", before)
        b.click("#tab-tree")
        b.wait(".tree .node")
        self.assertLessEqual(b.count(".tree .node"), 12)
        b.click(".tree .node[aria-expanded]")
        b.wait(".tree .below .node")
        b.click("#analyse")
        b.until("return document.querySelector('#analyse').getAttribute('aria-pressed') === 'false'")

    # ---- records

    def test_a_record_is_replayed_and_played_on(self):
        b = self.browser
        path = self.path("game.json")
        self.ludens("match", "connectFour", "--others", "champion", "--sims", 50, "--seed", 1, "--quiet", "--record", path)
        record = json.loads(self.read(path))
        self.open("#/replay")
        b.wait("#record-text")
        b.run("document.querySelector('#record-text').value = arguments[0]", json.dumps(record))
        b.click("#open-record")
        b.wait(".history")
        b.until("return document.querySelectorAll('.history li').length === arguments[0]", len(record["moves"]) + 1)
        b.until("return document.querySelectorAll('.pieces .piece').length === 0")
        b.press("Right", "Right", "Right")
        b.until("return document.querySelectorAll('.pieces .piece').length === 3")
        self.assertTrue(b.count(".history .worth") > 0)
        b.click('.history [data-turn="5"]')
        b.until("return document.querySelectorAll('.pieces .piece').length === 5")
        self.assertEqual(b.text("#status"), f"Position 5 of {len(record['moves'])}")
        b.click("#continue")
        b.wait("dialog #start")
        b.select(".seat-row:nth-child(1) .who", "random")
        b.select(".seat-row:nth-child(2) .who", "person")
        b.click("dialog #start")
        b.wait(".status.yours")
        self.assertEqual(b.count(".history li"), 6)
        self.play_on()

    def test_links_lead_to_positions(self):
        b = self.browser
        self.open("#/at/ticTacToe/" + "(mark%202%202)%7Cnoop%3Bnoop%7C(mark%201%201)")
        b.until("return document.querySelectorAll('.pieces .piece').length === 2")
        self.assertEqual(b.count(".history li"), 3)

    # ---- rules

    def test_a_broken_sheet_is_mended_and_played(self):
        b = self.browser
        b.wait(".card")
        b.run("""const data = new DataTransfer(); data.setData("text", arguments[0]);
            document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}))""", BROKEN)
        b.wait(".findings .error")
        self.assertIn("4:", b.text(".findings .error .place"))
        self.assertTrue(b.count(".sheet-copy .found.error") > 0)
        self.assertEqual(b.run("return document.querySelector('#play-sheet').disabled"), True)
        b.click(".findings .error button")
        b.run("const a = document.querySelector('#sheet'); const i = a.value.indexOf('?z'); a.setSelectionRange(i, i + 2)")
        b.run("const a = document.querySelector('#sheet'); a.setRangeText('?y', a.selectionStart, a.selectionEnd, 'end'); a.dispatchEvent(new InputEvent('input', {bubbles: true}))")
        b.wait(".verdict.good")
        self.assertEqual(b.count(".findings .error"), 0)
        b.click("#random")
        b.until("return /random game ended/.test(document.querySelector('.caption').textContent)")
        b.click("#play-sheet")
        b.wait("#start:not([disabled])")
        b.click("#start")
        b.wait(".status.yours")
        self.play_on()
        self.assertEqual(self.goals(), [100])
        self.open("#/write")  # kept in the browser
        b.wait(".verdict.good")
        self.assertIn("?y", b.run("return document.querySelector('#sheet').value"))

    def test_typing_checks_and_redraws(self):
        b = self.browser
        self.open("#/write/ticTacToe")
        b.wait(".verdict.good")
        self.assertEqual(b.count(".right [data-cell]"), 9)
        b.run("const a = document.querySelector('#sheet'); a.focus(); a.setSelectionRange(a.value.length, a.value.length)")
        b.press("(")
        b.wait(".verdict.bad")
        b.press("\ue003")  # backspace
        b.wait(".verdict.good")
        text = b.run("return document.querySelector('#sheet').value")
        b.run("const a = document.querySelector('#sheet'); a.value = a.value.replaceAll('\\n', ' \\n   '); a.dispatchEvent(new InputEvent('input', {bubbles: true}))")
        b.click("#format")
        b.until("return document.querySelector('#sheet').value === arguments[0]", self.ludens("fmt", self.write("t.kif", text))[0])

    # ---- the laboratory

    def test_an_experiment_is_watched(self):
        b = self.browser
        self.open("#/lab")
        b.wait("#no-lab")
        b.console()  # the browser tells of the missing database, as it should
        run = ("lab", "run", "first", "--quick", "--sims", 5, "--db", self.path("lab.db"), "--games")
        self.ludens(*run, 1)
        b.wait(".experiments a", seconds=20)
        b.click(".experiments a")
        b.wait(".results")
        played = b.text("#played")
        b.click(".results .cell-button")
        b.wait("#open-game")
        b.click("#open-game")
        b.wait(".page-table .history")
        b.until("return document.querySelectorAll('.history li').length > 2")
        self.assertTrue(played.split(" of ")[0].isdigit())
        self.open("#/lab")
        b.wait(".experiments li")
        self.ludens("lab", "run", "first", "--quick", "--sims", 6, "--games", 1, "--db", self.path("lab.db"))
        b.until("return document.querySelectorAll('.experiments li').length === 2", seconds=20)

    # ---- sizes and looks

    def test_phone_size(self):
        b = self.browser
        b.resize(390, 844)
        self.start("connectFour", "person", "random")
        b.wait(".status.yours")
        wide = b.run("return document.documentElement.scrollWidth")
        self.assertLessEqual(wide, 390)
        board = b.run("const r = document.querySelector('.boards svg').getBoundingClientRect(); return [r.left, r.right, r.height]")
        self.assertGreater(board[1] - board[0], 300)
        self.play_on()
        for page in ("#/", "#/replay", "#/write", "#/lab"):
            self.open(page)
            b.wait("main > *")
            self.assertLessEqual(b.run("return document.documentElement.scrollWidth"), 390, page)
        b.console()  # the laboratory has no database here

    def test_nothing_jumps_while_playing(self):
        b = self.browser
        self.start("ticTacToe", "person", "random")
        b.wait(".status.yours")
        place = "const r = document.querySelector('.boards svg').getBoundingClientRect(); return [r.left, r.top, r.width]"
        before = b.run(place)
        b.click('[data-cell="4"]')
        b.until("return document.querySelectorAll('.history li').length === 3 && document.querySelector('.status.yours') !== null")
        self.assertEqual(b.run(place), before)

    def test_every_control_has_a_name(self):
        b = self.browser
        self.start("checkers", "person", "random")
        b.wait(".status.yours")
        nameless = b.run("""return [...document.querySelectorAll("button, a, input, select, textarea, [role=button]")]
            .filter(e => !(e.textContent.trim() || e.getAttribute("aria-label") || e.title || e.labels?.length)).map(e => e.outerHTML.slice(0, 100))""")
        self.assertEqual(nameless, [])
        b.scheme("dark")
        dark = b.run("return getComputedStyle(document.body).backgroundColor")
        b.scheme("light")
        self.assertNotEqual(dark, b.run("return getComputedStyle(document.body).backgroundColor"))

    def test_a_session_that_is_gone_says_so(self):
        b = self.browser
        self.open("#/table/" + "0" * 32)
        b.wait("[role=alert]")
        self.assertIn("cleared", b.text("[role=alert]"))
        b.console()  # the browser tells of the 404 itself


if __name__ == "__main__":
    harness.main()
