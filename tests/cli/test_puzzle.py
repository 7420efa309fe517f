#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Games for one, as users meet them: who found what, which presets there are, how much memory is used, and what is left
when the search is killed."""
import json
import os
import random
import re
import signal
import subprocess
import time

import harness
from serving import Server

# Each press switches two neighbouring lamps: an odd number of lamps is never lit, but only who counts them knows. 2^41
# states can be reached.
LAMPS = 42
PAIRS = "\n".join([
    "(role robot)",
    *(f"(succ {i} {i + 1})" for i in range(1, LAMPS)),
    *(f"(lamp {i})" for i in range(1, LAMPS + 1)),
    "(<= (base (lit ?x)) (lamp ?x)) (<= (input robot (press ?x)) (succ ?x ?y))",
    "(<= (legal robot (press ?x)) (succ ?x ?y))",
    "(<= (switched ?x) (does robot (press ?x)))",
    "(<= (switched ?y) (does robot (press ?x)) (succ ?x ?y))",
    "(<= (next (lit ?x)) (true (lit ?x)) (not (switched ?x)))",
    "(<= (next (lit ?x)) (lamp ?x) (not (true (lit ?x))) (switched ?x))",
    "(<= done %s (not (true (lit %d))))" % (" ".join(f"(true (lit {i}))" for i in range(1, LAMPS)), LAMPS),
    "(<= terminal done) (<= (goal robot 100) done) (<= (goal robot 0) (not done))"])


class Puzzle(harness.Case):
    def think(self, *arguments):
        return json.loads(self.ludens("think", *arguments, "--json")[0])

    def goal(self, game, who, *arguments):
        record = self.path("record.json")
        self.ludens("match", game, "--others", who, "--seed", 1, "--record", record, "--quiet", *arguments)
        with open(record, encoding="utf-8") as file:
            return json.load(file)["rewards"][0]

    def test_think_tells_who_found_what(self):
        text = self.ludens("think", "hanoi", "--steps", 2000000)[0]
        self.assertRegex(text, r"goal 100 in 31 moves, the best there is, found by [a-z-]+ after")
        for name in "breadth-first", "plan", "goal count", "ida", "beam", "nested", "nrpa", "tree":
            self.assertRegex(text, rf"\n    {name} +\d+ positions")
        found = self.think("hanoi", "--steps", 2000000)["puzzle"]
        self.assertEqual((found["goal"], found["length"], found["solved"]), (100, 31, True))
        self.assertEqual(len(re.findall(r"\(", found["line"])), 31)
        self.assertIn(found["by"], [search["name"] for search in found["searches"]])

    def test_a_counted_think_is_the_same_every_time(self):
        def think():
            found = self.think("pegSolitaire", "--sims", 2000, "--seed", 3)
            found["puzzle"].pop("after")
            found.pop("seconds", None)
            return found
        self.assertEqual(think(), think())

    def test_every_preset_for_puzzles_plays(self):
        for who in "ida", "plan", "cadia2007-solo", "champion":
            self.assertEqual(self.goal("blocksWorld", who, "--steps", 200000, "--start", 200000), 100, who)
        self.assertGreaterEqual(self.goal("blocksWorld", "nested", "--steps", 200000, "--start", 200000), 75)
        self.assertEqual(self.goal("eightPuzzle", "champion", "--steps", 6000000), 100)

    def test_other_games_do_not_notice(self):
        one = self.think("ticTacToe", "--player", "champion", "--sims", 500)
        two = self.think("ticTacToe", "--player", "champion,puzzle=off", "--sims", 500)
        one.pop("seconds"), two.pop("seconds")
        self.assertEqual(one, two)
        self.assertNotIn("puzzle", one)

    def test_there_is_a_way_without_a_circuit(self):
        found = self.think("hanoi", "--engine", "lifted", "--steps", 100000)
        self.assertEqual((found["engine"], found["puzzle"]["goal"], found["puzzle"]["length"]), ("lifted", 100, 31))

    def test_memory_is_obeyed_with_more_states_than_there_will_ever_be_room_for(self):
        if harness.SANITIZED:
            self.skipTest("the sanitizer keeps what is freed")
        sheet, megabytes = self.write("pairs.kif", PAIRS), 20

        def peak(player, *arguments):
            process = subprocess.Popen([harness.LUDENS, "think", sheet, "--player", player, "--json", *arguments],
                                       stdout=subprocess.PIPE)
            text = process.stdout.read()
            process.stdout.close()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            self.assertEqual(status, 0)
            return json.loads(text), usage.ru_maxrss / 1024
        _, idle = peak("champion", "--steps", "1000")
        for way in "race", "breadth", "ida", "plan", "beam", "fill":
            steps = {"race": 1500000, "breadth": 2500000, "ida": 1500000}.get(way, 200000)
            found, used = peak(f"champion,puzzle={way},memory={megabytes}", "--steps", str(steps))
            self.assertLess(used, idle + 1.5 * megabytes, way)
            self.assertLess(found["puzzle"]["goal"], 100)

    @harness.unittest.skipIf(harness.THREADS_WATCHED, "too slow for its clock")
    def test_lights_go_out_from_starts_all_over_the_board(self):
        with open(os.path.join(harness.GAMES, "lightsOut.kif"), encoding="utf-8") as file:
            rules = file.read()
        all_lit = re.compile(r"\(<= \(init \(lit \?x \?y\)\)\s+\(index \?x\)\s+\(index \?y\)\)")
        self.assertEqual(len(all_lit.findall(rules)), 1)
        board = [(x, y) for x in range(1, 6) for y in range(1, 6)]
        draw = random.Random(18)
        for presses in [1, 5, 8, 12, 15, 20, 25]:
            lit = set()
            for x, y in draw.sample(board, presses):
                lit ^= {(x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)} & set(board)
            start = " ".join(f"(init (lit {x} {y}))" for x, y in sorted(lit))
            sheet = self.write(f"lights{presses}.kif", all_lit.sub(start, rules))
            answer = json.loads(self.ludens("solve", sheet, "--json")[0])
            self.assertEqual((answer["proved"], answer["values"]["player"]["low"]), (True, 100), start)
            self.assertLessEqual(len(answer["line"]), 15)  # later ones bring less

    @harness.unittest.skipIf(harness.THREADS_WATCHED, "too slow for its clock")
    def test_a_killed_search_goes_on_with_the_line_it_had(self):
        server = Server(self, "--player", "champion")
        with open(os.path.join(harness.GAMES, "eightPuzzle.kif"), encoding="utf-8") as file:
            rules = file.read()
        self.assertEqual(server.post(f"(START m player ({rules}) 6 2)"), "ready")
        lines = server.events("m", "line")
        self.assertEqual(lines[-1]["goal"], 100)
        moves = "NIL"
        for turn in range(31):
            if turn in (3, 10):  # the next process has no start clock
                for pid in server.children("search"):
                    os.kill(pid, signal.SIGKILL)
            move = server.post(f"(PLAY m {moves})")
            moves = f"({move})"
        self.assertEqual(server.post(f"(STOP m {moves})"), "done")
        time.sleep(0.5)
        summary = server.events("m", "summary")[0]
        self.assertEqual(summary["goal"], 100)
        self.assertEqual(summary["restarts"], 2)
        told = [move for move in server.events("m", "move") if "puzzle" in move]
        self.assertIn("an earlier process", {move["puzzle"]["by"] for move in told})

    @harness.unittest.skipIf(harness.THREADS_WATCHED, "too slow for its clock")
    def test_a_server_that_is_killed_and_started_again_goes_on_with_the_match(self):
        server = Server(self, "--player", "champion")
        with open(os.path.join(harness.GAMES, "eightPuzzle.kif"), encoding="utf-8") as file:
            rules = file.read()
        self.assertEqual(server.post(f"(START m player ({rules}) 6 2)"), "ready")
        self.assertEqual(server.events("m", "line")[-1]["goal"], 100)
        moves = "NIL"
        for turn in range(31):
            if turn in (0, 4, 20):  # before the first move, and later
                server.process.kill()
                server.process.wait()
                server = Server(self, "--player", "champion", folder=server.folder)
            if turn == 10:  # the answer got lost with the server: the master asks again
                server.post(f"(PLAY m {moves})")
                server.process.kill()
                server.process.wait()
                server = Server(self, "--player", "champion", folder=server.folder)
            move = server.post(f"(PLAY m {moves})")
            moves = f"({move})"
        self.assertEqual(server.post(f"(STOP m {moves})"), "done")
        time.sleep(0.5)
        self.assertEqual(server.events("m", "summary")[0]["goal"], 100)
        self.assertEqual([event["turn"] for event in server.events("m", "taken up")], [0, 3, 10, 19])
        self.assertEqual(server.events("m", "out of step") + server.events("m", "replaced"), [])
        # over is over
        self.assertEqual(server.post(f"(PLAY m {moves})"), "busy")
        self.assertEqual([name for name in os.listdir(server.folder) if "under-way" in name], [])


harness.main()
