#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import re
import signal
import subprocess
import threading

import harness
from fake_player import FakePlayer, first_legal, http, polite

STEPS = 13
GAME = """; Two walkers. Who went in the last step has 100.
(role left) (role right)
(init (step 0))
(legal left (Go 1 up)) (legal left stay) (legal right (go 1 up)) (legal right stay)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (went ?r)) (does ?r (go 1 up)))
(<= terminal (true (step %d)))
(<= (goal ?r 100) (role ?r) (true (went ?r)))
(<= (goal ?r 0) (role ?r) (not (true (went ?r))))
"""


def game(steps):
    return GAME % steps + "\n".join(f"(succ {i} {i + 1})" for i in range(steps))


class Match(harness.Case):
    def fake(self, answer):
        player = FakePlayer(answer)
        self.addCleanup(player.close)
        return player

    def match(self, rules, *arguments, status=0):
        """Run a match; (record, standard output)."""
        path = self.path("record.json")
        out, err = self.ludens("match", self.write("walk.kif", rules), "--record", path, "--seed", 1, *arguments, status=status)
        self.assertEqual(err, "")
        with open(path, encoding="utf-8") as file:
            return json.load(file), out

    def test_the_role_random_is_chance(self):
        coin = """(role random) (role robot) (init start) (side 1) (side 2) (side 3) (side 4)
            (<= (legal random noop) (true start)) (<= (legal random (throw ?n)) (true (bet ?b)) (side ?n))
            (<= (legal robot ?b) (true start) (choice ?b)) (<= (legal robot wait) (true (bet ?b)))
            (choice safe) (choice gamble)
            (<= (next (bet ?b)) (does robot ?b) (true start))
            (<= (next (over ?b ?n)) (true (bet ?b)) (does random (throw ?n)))
            (<= terminal (true (over ?b ?n)))
            (<= (goal robot 50) (true (over safe ?n))) (<= (goal robot 100) (true (over gamble 1)))
            (<= (goal robot 0) (true (over gamble ?n)) (distinct ?n 1))"""
        path = self.write("coin.kif", coin)
        thrown = set()
        for seed in range(1, 30):
            self.ludens("match", path, "--sims", 50, "--seed", seed, "--record", self.path("r.json"), "--quiet")
            record = json.loads(self.read(self.path("r.json")))
            self.assertEqual(record["players"], ["random", "champion"])
            self.assertEqual(record["moves"][0], ["noop", "safe"])  # 50, and not one chance in four of 100
            thrown.add(record["moves"][1][0])
        self.assertEqual(len(thrown), 4)
        for command in ["match", path, "--quiet"], ["play", path]:
            err = self.ludens(*command, "--sims", 10)[1]
            self.assertEqual(err.count("the role random is chance"), 1)
            self.assertEqual(self.ludens(*command, "--sims", 10, "--seat", "random=nst")[1], "")
        self.assertIn("robot plays safe", self.ludens("think", path, "--sims", 500)[0])

    def test_the_table_has_the_95_percent_interval(self):
        out, err = self.ludens("match", self.write("walk.kif", game(1)), "--others", "random", "--sims", 1, "--repeat", 30, "--seed", 5,
                               "--record", self.path("r.json"), "--quiet")
        rewards = [json.loads(self.read(self.path(f"r-{i:02}.json")))["rewards"][0] for i in range(1, 31)]
        mean = sum(rewards) / 30
        half = 1.96 * (sum((x - mean) ** 2 for x in rewards) / 29 / 30) ** 0.5
        self.assertRegex(out, rf"(?m)^left +random +{mean:.2f} +{half:.2f} ")

    def test_players_of_ours(self):
        record, out = self.match(game(3), "--others", "random", "--sims", 10, "--states")
        self.assertEqual(len(record["moves"]), 3)
        self.assertEqual(record["roles"], ["left", "right"])
        self.assertEqual(record["players"], ["random", "random"])
        self.assertEqual(record["ending"], "completed")
        self.assertEqual(record["errors"], [])
        last = [move.lower() for move in record["moves"][-1]]
        self.assertEqual(record["rewards"], [100 if move == "(go 1 up)" else 0 for move in last])
        self.assertEqual(record["states"][0], ["(step 0)"])
        self.assertIn("(step 3)", record["states"][3])
        self.assertEqual(record["rules"], game(3))
        self.assertRegex(out, r"(?m)^   3\. ")
        self.assertIn("1 match completed", out)

    def test_what_searches_thought_is_in_the_record(self):
        record, out = self.match(game(3), "--seat", "left=nst", "--others", "random", "--sims", 50)
        for left, right in record["search"]:
            self.assertGreaterEqual(left["simulations"], 50)
            self.assertTrue(0 <= left["value"] <= 100)
            self.assertIsNone(right)
        self.ludens("replay", self.path("record.json"))

    def test_what_was_chosen_on_the_start_clock_is_told(self):
        how = ["match", "ticTacToe", "--seat", "xplayer=champion,threads=1", "--others", "random", "--sims", 20, "--start", 40000]
        out, err = self.ludens(*how)
        told = re.findall(r"(?m)^  (\w+) \(champion,threads=1\): matches with \d+ simulations a move for [\d.]+ s say (\w+); (.*) against its own way$", out)
        self.assertEqual([role for role, _, _ in told], ["xplayer"], out)
        self.assertRegex(told[0][2], r"rave [\d.]+ of \d+ \(\d+ expected\)")
        self.assertLess(out.index("matches with"), out.index("   1. "))
        self.assertNotIn("matches with", self.ludens(*how, "--quiet")[0])

    def test_the_messages_are_those_of_the_standard(self):
        player = self.fake(polite(first_legal))
        record, out = self.match(game(2), "--seat", f"left={player.url}", "--seat", "right=random", "--start", 2, "--clock", 3)
        match = record["match"]
        self.assertEqual(player.kinds(), ["INFO", "START", "PLAY", "PLAY", "STOP"])
        start, first, second, stop = player.messages[1:]
        self.assertEqual(start[:3] + start[4:], ["START", match, "left", "2", "3"])
        self.assertIn(["role", "left"], start[3])
        self.assertIn(["<=", "terminal", ["true", ["step", "2"]]], start[3])
        self.assertEqual(first, ["PLAY", match, "NIL"])
        right = [move[1] if move[1] == "stay" else ["Go", "1", "up"] for move in record["moves"]]
        self.assertEqual(second, ["PLAY", match, [["Go", "1", "up"], right[0]]])
        self.assertEqual(stop, ["STOP", match, [["Go", "1", "up"], right[1]]])
        for head in player.headers:
            self.assertTrue(head.startswith("POST / HTTP/1.0\r\n"), head)
            self.assertRegex(head, r"(?i)\r\ncontent-type: text/acl")
        self.assertEqual(record["players"][0], f"{player.url} (fake)")
        self.assertEqual(record["errors"], [])
        self.assertEqual(record["clocks"], {"start": 2, "play": 3})

    def test_whatever_a_player_answers_the_match_goes_on(self):
        huge = b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 300000
        slow = http("stay")
        slow = [slow[i:i + 1] if i < 20 else slow[i:i + 9] for i in [*range(20), *range(20, len(slow), 9)]]
        manners = [
            ("stay", None),
            ("  ( GO\t1\r\n UP )\n", None),                        # another case, blanks
            ([piece for b in slow for piece in (0.002, b)], None),  # byte by byte
            (http("stay")[:-4] + b"stay", None),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nstay\r\n0\r\n\r\n", None),
            (b"HTTP/1.0 200 OK\r\n\r\nstay", None),                 # ends where the connection does
            ("(fly 1 up)", "illegal"),
            (")) \x1b[2J \0 (", "illegal"),
            ("", "illegal"),
            (huge, "illegal"),
            (http("stay", "500 Oh"), "failed"),
            (None, "failed"),                                       # closes without a word
            ([http("stay")[:-1], 9], "late"),                       # never ends
        ]
        self.assertEqual(len(manners), STEPS)

        def move(player, message):
            return manners[player.matches[message[1]]["plays"] - 1][0]

        bad, good = self.fake(polite(move)), self.fake(polite(lambda *_: "stay"))
        record, out = self.match(game(STEPS), "--seat", f"left={bad.url}", "--seat", f"right={good.url}",
                                 "--start", 9, "--clock", 2, "--grace", 0.5)
        self.assertEqual([(e["step"], e["role"], e["kind"]) for e in record["errors"]],
                         [(i + 1, "left", kind) for i, (_, kind) in enumerate(manners) if kind])
        self.assertEqual([move[0].lower() for move in record["moves"][:6]], ["stay", "(go 1 up)"] + ["stay"] * 4)
        texts = {e["step"]: e["text"] for e in record["errors"]}
        self.assertIn("(fly 1 up)", texts[7])
        self.assertIn("HTTP status 500", texts[11])
        self.assertNotIn("\x1b", out)
        self.assertTrue(all(move[1] == "stay" for move in record["moves"]))
        self.assertEqual(record["ending"], "completed")
        for player in bad, good:  # both were told all moves, and the end
            self.assertEqual(player.kinds(), ["INFO", "START"] + ["PLAY"] * STEPS + ["STOP"])
            told = [[m if isinstance(m, str) else "(" + " ".join(m) + ")" for m in message[2]]
                    for message in player.messages[3:]]
            self.assertEqual(told, record["moves"])
        row = re.search(r"(?m)^left .*", out).group(0).split()
        self.assertEqual(row[-5:-2], ["1", "4", "2"])

    def test_forfeits_end_the_match_where_rules_for_them_say_so(self):
        def at_step(n, what):
            return self.fake(polite(lambda player, message: what if player.matches[message[1]]["plays"] == n else "stay"))

        silent = [9]
        for rule, what, ends in [("illegal", "(fly 1 up)", True), ("illegal", silent, False), ("late", silent, True),
                                 ("late", None, True), ("late", "(fly 1 up)", False), ("any", None, True),
                                 ("any", "(fly 1 up)", True)]:
            with self.subTest(rule, what=what):
                bad, good = at_step(2, what), self.fake(polite(lambda *_: "stay"))
                record, out = self.match(game(4), "--seat", f"left={bad.url}", "--seat", f"right={good.url}", "--start", 9,
                                         "--clock", 1, "--grace", 0, "--forfeit", rule, status=1 if ends else 0)
                self.assertEqual(len(record["moves"]), 2 if ends else 4)
                self.assertEqual(record["ending"], "forfeited" if ends else "completed")
                self.assertEqual(record.get("forfeits"), ["left"] if ends else None)
                last = "ABORT" if ends else "STOP"
                self.assertTrue(good.hears(last))
                if not ends:
                    continue
                self.assertEqual(record["rewards"], [0, 100])
                self.assertIn("Forfeited by left. Result: left 0, right 100", out)
                self.assertIn("0 matches completed, 1 forfeited", out)
                path = self.path("record.json")
                shown, err = self.ludens("replay", path)
                self.assertIn("Forfeited by left.", shown)
                text = self.write("record.pgn", self.ludens("replay", path, "--pgn")[0])
                again = json.loads(self.ludens("replay", text, "--json", "--game", self.path("walk.kif"))[0])
                for key in "ending", "forfeits", "rewards", "moves":
                    self.assertEqual(again[key], record[key])
        self.assertIn("one of late, illegal, any", self.ludens("match", "ticTacToe", "--forfeit", "never", status=2)[1])

    def test_who_makes_no_move_of_its_own_is_named(self):
        mute, good = self.fake(polite(lambda *_: "nonsense")), self.fake(polite(lambda *_: "stay"))
        record, out = self.match(game(3), "--seat", f"left={mute.url}", "--seat", f"right={good.url}", "--start", 9, "--clock", 9,
                                 status=1)
        self.assertEqual(record["ending"], "completed")
        self.assertIn("left made no move of its own in 1 match: its moves are by chance", out)
        self.assertNotIn("right made no move", out)

    def test_a_player_that_dies(self):
        def move(player, message):
            if player.matches[message[1]]["plays"] == 2:
                player.close()
                return None
            return "stay"

        dead, alive = self.fake(polite(move)), self.fake(polite(lambda *_: "stay"))
        record, out = self.match(game(4), "--seat", f"left={dead.url}", "--seat", f"right={alive.url}", "--start", 9, "--clock", 9)
        self.assertEqual([(e["step"], e["role"], e["kind"]) for e in record["errors"]],
                         [(step, "left", "failed") for step in (2, 3, 4)])
        self.assertTrue(alive.hears("STOP"))

    def test_a_bad_start_is_counted_and_the_match_goes_on(self):
        busy = self.fake(lambda player, message: "busy" if message[0] in ("START", "INFO") else polite(first_legal)(player, message))
        record, out = self.match(game(1), "--seat", f"left={busy.url}", "--others", "random", "--start", 9, "--clock", 9, "--no-info")
        self.assertEqual(busy.kinds()[0], "START")
        self.assertEqual([(e["step"], e["kind"]) for e in record["errors"]], [(0, "failed")])
        self.assertIn("answered START with 'busy'", out)

    def test_all_players_are_asked_at_once(self):
        # each answers only when both have been asked
        barrier = threading.Barrier(2, timeout=20)

        def answer(player, message):
            if message[0] in ("START", "PLAY", "STOP"):
                barrier.wait()
            return polite(first_legal)(player, message)

        left, right = self.fake(answer), self.fake(answer)
        record, out = self.match(game(3), "--seat", f"left={left.url}", "--seat", f"right={right.url}", "--start", 9, "--clock", 9)
        self.assertEqual(record["errors"], [])

    def test_scrambled_rules(self):
        plain = {"left", "right", "step", "went", "go", "up", "stay", "succ"}
        players = [self.fake(polite(first_legal)) for _ in range(2)]
        path = self.write("walk.kif", game(2))
        self.ludens("match", path, "--seat", f"left={players[0].url}", "--seat", f"right={players[1].url}", "--scramble", 5,
                    "--repeat", 2, "--record", self.path("r.json"), "--record", self.path("r.pgn"), "--start", 9, "--clock", 9)
        starts = [m for m in players[0].messages if m[0] == "START"]
        self.assertEqual(len(starts), 2)
        words = [set(re.findall(r"[a-zA-Z]+", str(m[2:]))) for m in starts]
        self.assertFalse(plain & (words[0] | words[1]))
        self.assertNotEqual(starts[0][2], starts[1][2])
        for number in 1, 2:
            record = json.loads(self.read(self.path(f"r-{number}.json")))
            self.assertEqual(record["moves"], [["(Go 1 up)", "(Go 1 up)"]] * 2)
            self.assertEqual(record["rewards"], [100, 100])
            self.assertEqual(record["errors"], [])
            self.assertEqual(record["scramble"], 4 + number)
            self.assertIn(b"1. (Go 1 up) (Go 1 up) {", self.read(self.path(f"r-{number}.pgn")))

    def interrupted(self, answer, *waits):
        """A match with a player that never moves, Ctrl-C after each of these events; (status, output, player)."""
        player = self.fake(answer)
        run = subprocess.Popen([harness.LUDENS, "match", self.write("walk.kif", game(2)), "--seat", f"left={player.url}",
                                "--others", "random", "--start", "1", "--clock", "60", "--record", self.path("r.json"), "--repeat", "9"],
                               stdout=subprocess.PIPE)
        for event in waits:
            self.assertTrue(event.wait(20))
            run.send_signal(signal.SIGINT)
        return run.wait(timeout=20), run.communicate()[0].decode(), player

    def test_ctrl_c_aborts_the_match(self):
        asked = threading.Event()

        def move(player, message):
            asked.set()
            return [30, b""]

        status, out, player = self.interrupted(polite(move), asked)
        self.assertEqual(status, 130)
        self.assertEqual(player.kinds(), ["INFO", "START", "PLAY", "ABORT"])
        self.assertIn("1 aborted", out)
        with open(self.path("r-1.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["ending"], "aborted")

    def test_ctrl_c_twice_does_not_wait(self):
        asked, aborted = threading.Event(), threading.Event()

        def answer(player, message):
            if message[0] not in ("PLAY", "ABORT"):
                return polite(None)(player, message)
            (asked if message[0] == "PLAY" else aborted).set()
            return [30, b""]

        self.assertEqual(self.interrupted(answer, asked, aborted)[0], 130)

    def test_rules_that_fail_abort_the_match(self):
        rules = game(3).replace("(legal right stay)", "").replace("(legal right (go 1 up))", "(<= (legal right stay) (true (step 0)))")
        player = self.fake(polite(first_legal))
        out, err = self.ludens("match", self.write("walk.kif", rules), "--seat", f"left={player.url}", "--others", "random",
                               "--start", 9, "--clock", 9, "--record", self.path("r.json"), status=2)
        self.assertIn("right has no legal move after 1 moves", err)
        self.assertTrue(player.hears("ABORT"))
        self.assertEqual(json.loads(self.read(self.path("r.json")))["ending"], "aborted")

    def test_a_person_in_a_match(self):
        path = self.write("walk.kif", game(2))
        out, err = self.ludens("match", path, "--seat", "left=human", "--others", "random", stdin="hint\nstay\n(go 1 up)\n")
        self.assertIn("'hint' is no move here", out)
        self.assertIn("left 100", out)
        out, err = self.ludens("match", path, "--seat", "left=human", "--others", "random", stdin="q\n", status=1)
        self.assertIn("1 aborted", out)

    def test_what_cannot_be_done(self):
        path = self.write("walk.kif", game(2))
        for arguments, message in [
                (["--seat", "left=http://127.0.0.1:1"], "onnect"),
                (["--seat", "left=http://127.0.0.1:1", "--seat", "right=http://127.0.0.1:1"], "cannot have two seats"),
                (["--seat", "up=random"], "its roles are: left, right"),
                (["--seat", "left=http://127.0.0.1:1", "--clock", "0.5"], "whole seconds"),
                (["--seat", "left=random", "--seat", "left=legal"], "--seat gives left to 'random' and to 'legal'"),
                (["--scramble", "x"], "--scramble wants a whole number"),
                (["--others", "random", "--record", "/nowhere/r.json", "--sims", "1"], "/nowhere/r.json")]:
            out, err = self.ludens("match", path, *arguments, status=2)
            self.assertIn(message, err)
            self.assertEqual(out, "")  # before anything is played

    def test_without_a_seed_matches_differ(self):
        path = self.write("walk.kif", game(12))
        shown = {re.sub(r" +[\d.]+ [\d.]+ s$|\(\d+ steps.*", "", self.ludens("match", path, "--others", "random")[0], flags=re.M)
                 for _ in range(4)}
        self.assertGreater(len(shown), 1)


if __name__ == "__main__":
    harness.main()
