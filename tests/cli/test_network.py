#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both ends together: `ludens match` with `ludens serve` in its seats. tests/network/fifty has many more."""
import json
import time

import harness
from fake_player import FakePlayer, show
from serving import TREE, Server, node, steps


class Network(harness.Case):
    def match(self, game, *arguments):
        path = self.path("record.json")
        self.ludens("match", game, "--record", path, "--states", "--start", 1, "--clock", 1, "--seed", 1, *arguments)
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        self.ludens("replay", path)  # the rules agree with the record
        return record

    def goal(self, server, match):
        """What the player believes to have got; it finds out after the master has its `done`."""
        for _ in range(200):
            for event in server.events(match, "summary"):
                return event["goal"]
            time.sleep(0.05)
        self.fail("no summary in the log")

    def test_two_servers_play_at_once_with_scrambled_rules(self):
        seats = [Server(self), Server(self)]
        record = self.match("goofspiel4", *[word for role, server in zip(("left", "right"), seats)
                                            for word in ("--seat", f"{role}={server.url}")], "--scramble", 3)
        self.assertEqual(record["errors"], [])
        self.assertEqual(record["ending"], "completed")
        for i, server in enumerate(seats):
            self.assertEqual(self.goal(server, record["match"]), record["rewards"][i])

    def test_a_player_follows_the_match_when_its_moves_are_replaced(self):
        server = Server(self)
        sent = []  # by ours, before somebody meddled with it

        def meddle(proxy, message):
            answer = server.post(show(message))
            if message[0] != "PLAY":
                return answer
            sent.append(answer)
            if len(sent) == 1:
                return "nonsense"  # the master draws another
            at = node(show(message[2][0])) if message[2] != "NIL" else 0
            if len(sent) < 4:
                return [move for move in steps(at) if move != answer][0]  # as if we had said so
            return answer

        proxy = FakePlayer(meddle)
        self.addCleanup(proxy.close)
        record = self.match(self.write("tree.kif", TREE), "--seat", f"robot={proxy.url}")
        self.assertEqual([(e["step"], e["kind"]) for e in record["errors"]], [(1, "illegal")])
        at = 0
        for answer, (made,) in zip(sent, record["moves"], strict=True):
            self.assertIn(answer, steps(at))  # it knew where it was
            at = node(made)
        self.assertNotEqual(sent[1:3], [move for move, in record["moves"][1:3]])
        self.assertEqual(sent[3:], [move for move, in record["moves"][3:]])
        self.assertEqual(self.goal(server, record["match"]), record["rewards"][0])
        self.assertEqual(record["rewards"], [at])


if __name__ == "__main__":
    harness.main()
