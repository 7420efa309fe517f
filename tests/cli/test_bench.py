#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing here looks at how fast anything is, only at what is told about it."""
import json

import harness


class Bench(harness.Case):
    def results(self, *arguments):
        return json.loads(self.ludens("bench", "--json", "--seconds", "0.06", *arguments)[0])

    def test_every_engine_is_measured_with_one_thread_and_with_many(self):
        (game,) = self.results("ticTacToe", "--threads", 2)["games"]
        engines = {(r["engine"], r.get("lanes"), r["threads"]) for r in game["runs"]}
        for threads in 1, 2:
            self.assertLessEqual({("lifted", None, threads), ("event", None, threads), ("circuit", 64, threads)},
                                 engines)
        self.assertGreater(game["ratio_to_event"], 0)
        for run in game["runs"]:
            self.assertGreater(run["games"], 0)
            # Tic-Tac-Toe takes five to nine moves; games still going on count their moves only
            self.assertGreater(run["transitions"], 5 * run["games"])

    def test_the_profile_accounts_for_everything(self):
        (game,) = self.results("connectFour", "--threads", 1, "--profile")["games"]
        for run in game["runs"]:
            if run["engine"] == "circuit":
                self.assertEqual(set(run["profile"]), {"view", "choose", "step", "goal", "bookkeeping"})
                self.assertAlmostEqual(sum(run["profile"].values()), 1, places=3)

    def test_a_game_that_does_not_ground_in_time_is_played_by_the_lifted_engine(self):
        (game,) = self.results("skirmish", "--threads", 1, "--ground", "0.001")["games"]
        self.assertIn("out of time", game["not_grounded"])
        self.assertEqual({r["engine"] for r in game["runs"]}, {"lifted"})

    def test_text_names_the_games_and_their_mean(self):
        out = self.ludens("bench", "--seconds", "0.1", "-J", 1, "ticTacToe", "connectFour")[0]
        self.assertIn("ticTacToe: ", out)
        self.assertIn("geometric mean of 2 games", out)

    def test_a_game_that_is_not_there_is_trouble(self):
        err = self.ludens("bench", "noSuchGame", status=2)[1]
        self.assertIn("noSuchGame", err)


class InfoCircuit(harness.Case):
    def test_sizes_go_down_from_stage_to_stage(self):
        info = json.loads(self.ludens("info", "--circuit", "--json", "breakthrough")[0])
        stages = info["stages"]
        self.assertLess(stages[-1]["gates"], stages[0]["gates"])
        self.assertEqual(stages[-1]["bits"], info["bits"])
        self.assertEqual(set(info["phases"]), {"view", "goal", "step"})

    def test_text_has_a_line_for_each_phase(self):
        out = self.ludens("info", "--circuit", "ticTacToe")[0]
        for word in "view", "goal", "step", "depth", "grounding":
            self.assertRegex(out, rf"(?m)^{word} ")


harness.main()
