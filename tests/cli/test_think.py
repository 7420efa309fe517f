#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import re

import harness


class Think(harness.Case):
    def think(self, *arguments):
        return json.loads(self.ludens("think", *arguments, "--json")[0])

    def test_pure_monte_carlo_falls_into_the_trap_and_uct_does_not(self):
        # document 004, table 2: at every seed tried
        for seed in range(1, 3 if harness.SANITIZED else 21):
            self.assertEqual(self.think("pmcTrap", "--player", "ary2007", "--sims", 1000, "--seed", seed)["best"], "(goto c)")
            self.assertEqual(self.think("pmcTrap", "--player", "ary", "--sims", 1000, "--seed", seed)["best"], "(goto b)")
            self.assertEqual(self.think("pmcTrap", "--player", "cadia2007", "--sims", 1000, "--seed", seed)["best"], "(goto b)")

    def test_the_move_it_would_play_is_said_and_stands_first(self):
        for player in "champion", "cadia2007", "nst,final=visits", "rave":
            for sims in (100,) if harness.SANITIZED else (30, 100, 700):
                best = self.think("connectFour", "--player", player, "--sims", sims)["best"]
                lines = self.ludens("think", "connectFour", "--player", player, "--sims", sims)[0].splitlines()
                self.assertEqual(lines[-1], f"red plays {best}")
                rows = [re.match(r"    (\(drop \d\)) +(\d+) visits +([\d.]+)(?:  with RAVE +([\d.]+))?", line) for line in lines]
                rows = [row for row in rows if row]
                self.assertEqual(rows[0].group(1), best)
                by = [float(r.group(2) if "visits" in player else r.group(4) or r.group(3)) for r in rows]
                self.assertEqual(by, sorted(by, reverse=True))
                self.assertEqual("with RAVE" in lines[-2], player in ("rave", "champion"))

    def test_guidance_that_runs_away_is_noticed_and_said(self):
        # N-grams make the empty Hex board a win for one or the other; uniform playouts know better
        player = "champion,arm=off,lanes=64,control=8"
        if harness.SANITIZED:  # too few for it to run away
            self.assertIn("control", self.think("hex", "--player", f"{player},alarm=forget", "--sims", 1000)["adapt"])
            return
        control = self.think("hex", "--player", player, "--sims", 20000)["adapt"]["control"]
        self.assertGreater(abs(control["guided"] - control["uniform"]), 10)
        self.assertEqual((control["alarms"], control["off"]), (0, False))
        for alarm, said in ("forget", "guidance was forgotten"), ("uniform", "all are uniform now"):
            lines = self.ludens("think", "hex", "--player", f"{player},alarm={alarm}", "--sims", 20000)[0].splitlines()
            self.assertIn(said, next(line for line in lines if "guided playouts" in line))

    def test_what_is_drawn_for_each_simulation_is_said(self):
        player = "champion,arm=off,adapt=each,factors=both"
        drawn = self.think("connectFour", "--player", player, "--sims", 3000)["adapt"]
        for factor, own in ("epsilon", 0.2), ("grams", 3), ("c", 40), ("rave", 500):
            arms = drawn[factor]
            self.assertAlmostEqual(arms[0]["value"], own, 5)
            self.assertEqual(sum(arm["drawn"] for arm in arms), 3000)
            self.assertTrue(all(0 < arm["reward"] < 100 for arm in arms))
        text = self.ludens("think", "connectFour", "--player", player, "--sims", 3000)[0]
        self.assertRegex(text, r"drawn for each simulation; epsilon [\d.]+ in \d+% for [\d.]+; grams \d in")
        self.assertNotIn("adapt", self.think("connectFour", "--sims", 100))

    def test_boards_have_the_squares_that_moves_can_reach(self):
        for game, squares in ("queens", 100), ("maxKnights", 64), ("pegSolitaire", 33), ("ticTacToe", 9):
            board = self.ludens("think", game, "--sims", 20)[0].split("\n\n")[0].splitlines()
            rows = [line.split()[1:] for line in board if re.match(r" ?\d+  ", line)]
            self.assertEqual(sum(len(row) for row in rows), squares, game)

    def test_mirror_images_are_searched_once(self):
        def moves(player, *position):
            answer = self.think("ticTacToe", "--player", player, "--sims", 300, *position)
            return sum(m["visits"] > 0 for m in answer["moves"])
        self.assertEqual(moves("champion,arm=off,symmetry=on"), 3)
        self.assertEqual(moves("champion,arm=off,symmetry=off"), 9)
        # a corner taken: the diagonal is left; with its neighbour, nothing
        self.assertEqual(moves("champion,arm=off,symmetry=on", "--role", "oplayer", "--moves", "(mark 1 1)"), 5)

    def test_connect_four_opens_in_the_centre(self):
        for player in "cadia2007", "cadia2008", "champion":
            if harness.SANITIZED:
                self.think("connectFour", "--player", player, "--sims", 2000)
                continue
            moves = [self.think("connectFour", "--player", player, "--sims", 20000, "--seed", seed)["best"]
                     for seed in range(1, 6)]
            self.assertLessEqual(set(moves), {"(drop 3)", "(drop 4)", "(drop 5)"}, player)
            self.assertIn("(drop 4)", moves, player)

    def test_the_same_seed_gives_the_same_search(self):
        for player in "cadia2007,lanes=1", "nst,lanes=1", "rave", "lgr-nst", "cadia2010", "past", "cadia2012":
            sims = 100 if harness.SANITIZED else 500
            one = self.think("breakthrough", "--player", player, "--sims", sims, "--seed", 7)
            two = self.think("breakthrough", "--player", player, "--sims", sims, "--seed", 7)
            one.pop("seconds"), two.pop("seconds")
            self.assertEqual(one, two, player)

    def test_decay_rests_in_games_for_one_unless_asked_for(self):
        def think(player):
            found = self.think("queens", "--player", player, "--sims", 500, "--seed", 3)
            return found.pop("seconds") and found

        plain = think("nst")
        self.assertEqual(think("nst,decay=batch:0.5:10"), plain)
        self.assertNotEqual(think("nst,decay=batch:0.5:10,solo=on"), plain)

    def test_the_signature_of_the_search_never_changes_by_itself(self):
        one = self.ludens("bench", "--signature")[0]
        if not harness.SANITIZED:
            self.assertEqual(one, self.ludens("bench", "--signature")[0])
        self.assertRegex(one, r"\nsignature +\d+ nodes  [0-9a-f]{16}\n$")

    def test_a_tiny_memory_limit_is_enough_for_any_number_of_simulations(self):
        # Three roles with forty moves each: more joint moves than a megabyte has room for.
        many = self.write("many.kif", """(role a) (role b) (role c) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
            (low 1) (low 7) (low 9) %s
            (<= (legal ?r (pick ?x)) (role ?r) (num ?x))
            (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
            (<= (next (has ?r ?x)) (does ?r (pick ?x)) (low ?x))
            (<= terminal (true (step 3)))
            (<= (goal ?r 100) (true (has ?r 7)))
            (<= (goal ?r 0) (role ?r) (not (true (has ?r 7))))""" % " ".join(f"(num {i})" for i in range(40)))
        for game in many, "connectFour", "goofspiel9":
            for lanes in 1, 64:
                player = f"cadia2007,memory=1,lanes={lanes}"
                sims = 4000 if harness.SANITIZED else 20000
                found = self.think(game, "--player", player, "--sims", sims)
                self.assertEqual(found["simulations"], sims)
                self.assertLess(found["nodes"], 10000)

    def test_every_preset_thinks_about_every_kind_of_game(self):
        players = [line.split()[0] for line in self.ludens("players")[0].split("\nOptions")[0].splitlines()[1:]
                   if line.startswith("  ") and not line.startswith("   ")]
        self.assertIn("champion", players)
        self.assertGreaterEqual(len(players), 18)
        games = "ticTacToe", "skirmish", "battle", "ttcc4ThreePlayers", "eightPuzzle", "chinook"
        for i, game in enumerate(games):
            for k, player in enumerate(players):
                if player in ("random", "legal", "script"):
                    continue
                if harness.SANITIZED and (i + k) % len(games) > 1:  # two games a player
                    continue
                found = self.think(game, "--player", player, "--sims", 60)
                if game == "eightPuzzle" and player in ("champion", "ida", "plan", "nested"):
                    self.assertIn("puzzle", found, player)  # alone they search in a way of their own
                    continue
                self.assertEqual(found["simulations"], 60, (game, player))
                self.assertIn(found["best"], [m["move"] for m in found["moves"]], (game, player))

    def test_players_that_do_not_search_are_refused(self):
        for player in "random", "legal", "script":
            out, err = self.ludens("think", "ticTacToe", "--player", player, "--json", status=2)
            self.assertEqual(out, "")
            self.assertIn(f"'{player}' does not search", err)

    def test_the_lifted_engine_thinks_too(self):
        found = self.think("ticTacToe", "--engine", "lifted", "--sims", 300)
        self.assertEqual((found["engine"], found["simulations"]), ("lifted", 300))
        for player in "fast", "past", "cadia2010":  # they look at states, which have no fixed size here
            for game in "quad", "pegSolitaire", "checkers":
                found = self.think(game, "--engine", "lifted", "--player", player, "--sims", 20)
                self.assertEqual((found["engine"], found["simulations"]), ("lifted", 20))

    def test_rules_that_take_hours_do_not_make_the_answer_late(self):
        # Fourteen pigeons do not fit into thirteen holes, but it takes long to see that rule by rule.
        pigeons = range(14)
        hard = " ".join([f"(true (hole ?p{i}))" for i in pigeons]
                        + [f"(distinct ?p{k} ?p{i})" for i in pigeons for k in range(i)])
        sheet = """(role robot) (init (step 0)) (legal robot a) (legal robot b)
            (<= (next (step 1)) (true (step 0))) (<= (next (hole ?h)) (true (hole ?h)))
            (<= terminal (true (step 1))) (<= hard %s)
            (<= (goal robot 100) hard) (<= (goal robot 0) (not hard)) %s""" % (
                hard, " ".join(f"(init (hole {i}))" for i in pigeons[1:]))
        path = self.write("slow.kif", sheet)
        for player in "champion", "cadia2012":
            found = self.think(path, "--player", player, "--clock", 0.2)
            self.assertIn(found["best"], ["a", "b"])
            self.assertEqual((found["engine"], found["simulations"]), ("lifted", 0))

    def test_bad_input_says_what_is_allowed(self):
        for arguments, message in [
            (["--player", "wizard"], "there is no player 'wizard'; there are: champion"),
            (["--player", "nst,speed=9"], "players have no option 'speed'; they have: kind tree c"),
            (["--player", "nst,epsilon=2"], "epsilon is a number from 0 to 1, not '2'"),
            (["--player", "nst,decay=half"], "decay is off, or move:G"),
            (["--player", "nst,playout=magic"], "playout is one of uniform|mast|"),
            (["--moves", "(drop 9)"], "drop 9"),
            (["--moves", "(drop 4) (drop 4)"], "not legal"),
            (["--role", "blue"], "its roles are: red, yellow"),
            (["--clock", "0"], "--clock wants a number from 0.001 to 1000000, not '0'"),  # it would never end
            (["--at", "no/such/file.json"], "no/such/file.json"),
        ]:
            out, err = self.ludens("think", "connectFour", *arguments, "--sims", 10, status=2)
            self.assertIn(message, err)

    def test_positions_of_a_record_and_typed_in(self):
        path = self.path("r.json")
        self.ludens("match", "ticTacToe", "--others", "random", "--sims", 1, "--seed", 3, "--record", path, "--states")
        record = json.loads(self.read(path))
        for ply in 0, 1, 2, 3:
            at = self.ludens("think", "ticTacToe", "--at", path, "--ply", ply, "--sims", 50)[0]
            typed = self.ludens("think", "ticTacToe", "--state", " ".join(record["states"][ply]), "--sims", 50)[0]
            self.assertEqual(re.sub(r" in .*?, tree", "", at), re.sub(r" in .*?, tree", "", typed))
            self.assertIn(["xplayer", "oplayer"][ply % 2] + " plays", at)
        # one that no game leads to: o has two in a row, and x nothing
        found = self.think("ticTacToe", "--state", "(cell 1 1 o) (cell 1 2 o) (control oplayer)", "--sims", 500)
        self.assertEqual((found["role"], found["best"]), ("oplayer", "(mark 1 3)"))
        for options, message in [(["--state", "(cell 1"], "is no fact"), (["--state", " "], "has no facts"), (["--ply", 1], "--at"),
                                 (["--at", path, "--ply", 99], "99"), (["--at", path, "--state", "a"], "exclude")]:
            self.assertIn(message, self.ludens("think", "ticTacToe", *options, status=2)[1])

    def test_expansions_are_a_budget_too(self):
        self.assertLessEqual(self.think("connectFour", "--player", "cadia2007,lanes=1", "--nodes", 100)["nodes"], 102)


if __name__ == "__main__":
    harness.main()
