#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Games on a GPU, on a driver library that runs device code on the processor and fails when it is told to."""
import json
import os
import time
import unittest.mock

import harness

FAKE = os.environ.get("LUDENS_FAKE_CUDA", "build/tests/libfake_cuda.so")


class Gpu(harness.Case):
    def with_gpu(self, *arguments, fails="", library=FAKE, **how):
        with unittest.mock.patch.dict(os.environ, {"LUDENS_CUDA": library, "FAKE_CUDA": fails}):
            return self.ludens(*arguments, **how)

    def bench(self, *arguments, **how):
        out, err = self.with_gpu("bench", "--device", "gpu", "--seconds", "0.06", "--json", *arguments, **how)
        return json.loads(out)["games"], err

    def test_bench_plays_on_the_device_and_replays_on_the_processor(self):
        (game,), err = self.bench("connectFour", "--replay", 5000)
        self.assertEqual(err, "")
        self.assertEqual([r["engine"] for r in game["runs"]], ["machine", "gpu"])
        for run in game["runs"]:
            self.assertGreater(run["games"], 0)
            self.assertGreater(run["transitions"], 7 * run["games"])
        self.assertGreaterEqual(game["gpu"]["replayed"], 5000)
        self.assertEqual(game["runs"][1]["lanes"], 32 * game["gpu"]["words"])

    def test_bench_says_so_when_the_device_plays_other_games(self):
        err = self.with_gpu("bench", "--device", "gpu", "ticTacToe", fails="wrong", status=2)[1]
        self.assertIn("processor", err)
        self.assertNotIn("going on", err)

    def test_without_a_device_one_line_says_so_and_the_processor_goes_on(self):
        for how, words in [({"library": "/no/such/library.so"}, "driver is not installed"),
                           ({"library": os.path.realpath("/proc/self/exe")}, "no GPU"),
                           ({"fails": "no-device"}, "the driver finds none"),
                           ({"fails": "old"}, "Fake GPU is too old"),
                           ({"fails": "no-memory"}, "not enough memory"),
                           ({"fails": "bad-code"}, "as you wished"),
                           ({"fails": "launch"}, "unspecified launch failure"),
                           ({"fails": "lost"}, "unspecified launch failure")]:
            (game,), err = self.bench("ticTacToe", "--threads", 1, **how)
            self.assertIn(words, err)
            self.assertEqual(err.count("\n"), 1, err)
            self.assertTrue(err.endswith("going on with the processor\n"), err)
            engines = {r["engine"] for r in game["runs"]}
            self.assertIn("machine", engines)
            self.assertNotIn("gpu", engines)

    def sim(self, *arguments, **how):
        out, err = self.with_gpu("sim", "--device", "gpu", "--json", *arguments, **how)
        self.assertEqual(err, "")
        return json.loads(out)

    def test_sim_gives_the_means_of_the_processor(self):
        for game, games in ("ticTacToe", "1e5"), ("connectFour", "2e4"), ("tron", "5e3"):
            device = self.sim(game, "-n", games)
            one = json.loads(self.ludens("sim", "--json", game, "-n", games)[0])
            self.assertGreaterEqual(device["games"], int(float(games)))
            self.assertEqual(device["cut_off"], 0)
            self.assertAlmostEqual(device["length"]["mean"] / one["length"]["mean"], 1, delta=0.02)
            for role, goal in one["goals"].items():
                mine = device["goals"][role]
                self.assertEqual(mine["games"], device["games"])
                self.assertEqual(sum(v["games"] for v in mine["values"]), device["games"])
                # the same by 95% intervals; 4 standard errors of the difference
                self.assertLess(abs(mine["mean"] - goal["mean"]), 2.04 * (mine["margin95"]**2 + goal["margin95"]**2)**0.5)

    def test_sim_gives_the_same_games_for_the_same_seed(self):
        first = self.sim("ticTacToe", "-n", "1e4", "--seed", 7)
        self.assertEqual(first, self.sim("ticTacToe", "-n", "1e4", "--seed", 7))
        self.assertNotEqual(first["goals"], self.sim("ticTacToe", "-n", "1e4", "--seed", 8)["goals"])

    def test_sim_gives_up_games_that_get_too_long(self):
        result = self.sim("ticTacToe", "-n", "1e4", "--steps", 4)
        self.assertGreater(result["cut_off"], 0)
        self.assertLess(result["games"], result["cut_off"] * 10)

    def test_sim_goes_on_with_the_processor(self):
        games = 100000 if harness.SANITIZED else 1000000
        for fails in "no-device", "lost":
            out, err = self.with_gpu("sim", "--device", "gpu", "ticTacToe", "-n", games, fails=fails)
            self.assertEqual(err.count("\n"), 1, err)
            self.assertIn("going on with the processor", err)
            self.assertIn(f"{games} random games", out)

    def test_sim_in_words(self):
        out = self.with_gpu("sim", "--device", "gpu", "ticTacToe", "-n", "1e4")[0]
        self.assertRegex(out, r"ticTacToe: \d+ random games on Fake GPU, 4096 lanes, seed 1")
        self.assertRegex(out, r"length   mean 7\.\d+ steps")
        self.assertRegex(out, r"goals    xplayer +\d+\.\d+ \+- \d+\.\d+ .* 100: \d+\.\d+%")

    def think(self, *arguments, **how):
        return self.with_gpu("think", "--device", "gpu", "--json", *arguments, **how)

    def test_think_finds_what_random_games_are_worth_after_each_move(self):
        out, err = self.think("ticTacToe", "--sims", "3e4", "-m", "(mark 2 2); (mark 1 2)")
        self.assertEqual(err, "")
        result = json.loads(out)
        self.assertEqual(result["role"], "xplayer")
        self.assertEqual(len(result["moves"]), 7)
        means = [m["mean"] for m in result["moves"]]
        self.assertEqual(means, sorted(means, reverse=True))
        self.assertEqual(result["moves"][0]["move"], result["best"])
        self.assertGreaterEqual(sum(m["games"] for m in result["moves"]), 30000)
        # on the processor: the moves counted out, x in the middle, o on an edge
        best = json.loads(self.ludens("think", "--json", "--player", "cadia2007", "--sims", 3000, "ticTacToe", "-m",
                                      "(mark 2 2); (mark 1 2)")[0])
        self.assertEqual({m["move"] for m in best["moves"]}, {m["move"] for m in result["moves"]})

    def test_think_wins_at_once(self):
        out = self.with_gpu("think", "--device", "gpu", "ticTacToe", "--sims", "1e4", "-m",
                            "(mark 1 1); (mark 2 1); (mark 1 2); (mark 2 2)")[0]
        self.assertRegex(out, r"xplayer: flat Monte Carlo on Fake GPU, \d+ random games in .* s\n *100\.0000 \+- 0\.0000 .*\(mark 1 3\)")

    def test_think_draws_replies_where_all_move_at_once(self):
        result = json.loads(self.think("goofspiel4", "--sims", "2e4", "--role", "right")[0])
        self.assertEqual(len(result["moves"]), 4)
        self.assertTrue(all(0 < m["mean"] < 100 for m in result["moves"]))

    def test_think_goes_on_with_the_processor(self):
        out, err = self.think("ticTacToe", "--sims", 1000, fails="no-device")
        self.assertIn("going on with the processor", err)
        self.assertIn("best", json.loads(out))

    WIN = "(drop 1); (drop 7); (drop 1); (drop 7); (drop 1); (drop 6)"

    def search(self, *arguments, player="champion,arm=off,threads=1,device=gpu,playouts=64", **how):
        out, err = self.with_gpu("think", "--player", player, "--json", *arguments, **how)
        self.assertEqual(err, "")
        return json.loads(out)

    def test_a_search_has_its_leaves_sampled_on_the_device(self):
        first = self.search("connectFour", "--sims", 400)
        self.assertNotIn("remark", first)
        self.assertEqual(first["simulations"], 400)
        self.assertGreater(first["playouts"], 50 * 400)
        self.assertEqual(first["best"], "(drop 4)")
        again = self.search("connectFour", "--sims", 400)
        self.assertEqual(again["moves"], first["moves"])
        # what is there to win or to parry at once is seen, whoever plays out
        wins = self.search("connectFour", "--sims", 400, "-m", self.WIN)
        self.assertEqual(wins["best"], "(drop 1)")
        parries = self.search("connectFour", "--sims", 400, "-m", "(drop 1); (drop 7); (drop 1); (drop 7); (drop 1)")
        self.assertEqual(parries["best"], "(drop 1)")

    def test_a_search_by_the_clock_and_with_threads(self):
        for player in "champion,arm=off,threads=1,device=gpu,playouts=32", "champion,arm=off,threads=2,device=gpu,playouts=32":
            result = self.search("ticTacToe", "--clock", 0.5, "-m", "(mark 1 1)", player=player)
            self.assertGreater(result["simulations"], 0)
            self.assertEqual(result["best"], "(mark 2 2)")

    def test_a_search_by_the_clock_does_not_wait_for_a_slow_device(self):
        result = self.search("connectFour", "--clock", 0.5, fails="slow")
        self.assertGreater(result["simulations"], 0)
        self.assertLess(result["seconds"], 4)

    def test_a_player_that_tries_ways_to_search_does_not_wait_for_code_that_is_late(self):
        began = time.monotonic()
        result = self.search("connectFour", "--start", 2, "--clock", 0.5, fails="late", player="champion,threads=1,device=gpu,playouts=32")
        self.assertGreater(result["simulations"], 0)
        self.assertLess(time.monotonic() - began, 25)  # what was begun is waited for once, in the end

    def test_a_search_where_several_choose_at_once(self):
        result = self.search("goofspiel4", "--sims", 300)
        self.assertGreater(result["playouts"], 20 * 300)

    def test_a_search_goes_on_with_the_processor(self):
        for fails, words in [("no-device", "the driver finds none"), ("no-memory", "not enough memory"),
                             ("bad-code", "as you wished"), ("launch", "unspecified launch failure"),
                             ("lost", "unspecified launch failure")]:
            result = self.search("connectFour", "--sims", 1500, "-m", self.WIN, fails=fails)
            self.assertIn(words, result["remark"])
            self.assertTrue(result["remark"].endswith("; going on with the processor"), result["remark"])
            self.assertEqual(result["best"], "(drop 1)")
        out = self.with_gpu("think", "--player", "champion,arm=off,device=gpu", "ticTacToe", "--sims", 100, library="/none")[0]
        self.assertEqual(out.count("no GPU: its driver is not installed"), 1, out)

    def test_think_refuses_positions_and_roles_that_are_not_there(self):
        self.assertIn("no role", self.think("ticTacToe", "--role", "nobody", status=2)[1])
        self.assertIn("over", self.think("ticTacToe", "-m", "(mark 1 1); (mark 2 1); (mark 1 2); (mark 2 2); (mark 1 3)", status=2)[1])


if __name__ == "__main__":
    harness.main()
