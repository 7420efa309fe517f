#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import re

import harness

# A game of one step, complete and silent. The tests below add a line to it or take one away.
SOUND = """\
(role white)
(role black)
(init (control white))
(<= (legal white (pick ?x))
    (true (control white))
    (number ?x))
(<= (legal black noop)
    (true (control white)))
(number 1)
(number 2)
(<= (next (picked ?x))
    (does white (pick ?x)))
(<= terminal
    (true (picked ?x)))
(<= (goal white 100)
    (true (picked 1)))
(<= (goal white 50)
    (true (picked 2)))
(<= (goal black 0)
    (true (picked ?x)))
"""


with open(os.path.join(harness.GAMES, "..", "docs", "rule-tools.md"), encoding="utf-8") as manual:
    EXPLAINED = set(re.findall(r"`([a-z0-9-]+)`", manual.read()))


class Check(harness.Case):
    def findings(self, text, status):
        """(severity, id, line) of everything said about a sheet."""
        out, _ = self.ludens("check", "--static", "--json", self.write("game.kif", text), status=status)
        (report,) = json.loads(out)["files"]
        found = [(f["severity"], f["id"], f.get("line")) for f in report["findings"]]
        self.assertLessEqual({f[1] for f in found}, EXPLAINED)
        self.assertEqual(report["errors"], sum(f[0] == "error" for f in found))
        self.assertEqual(report["warnings"], sum(f[0] == "warning" for f in found))
        return found

    def added(self, text):
        return len(SOUND.splitlines()) + 1, SOUND + text + "\n"

    def expect(self, severity, id, text):
        """A line added to the sound sheet brings up exactly this."""
        line, sheet = self.added(text)
        self.assertEqual(self.findings(sheet, 1 if severity == "error" else 0), [(severity, id, line)], text)

    def expect_without(self, severity, id, pattern):
        sheet, n = re.subn(pattern, "", SOUND, flags=re.S)
        self.assertGreater(n, 0)
        self.assertIn((severity, id, None), self.findings(sheet, 1 if severity == "error" else 0))

    def test_hidden_information_is_refused_and_a_relation_of_that_name_is_not(self):
        sees = "(<= (sees black ?m) (does white ?m))\n"
        self.assertIn(("error", "hidden-information", 21), self.findings(SOUND + sees, 1))
        for command in "sim", "think", "info":
            err = self.ludens(command, self.write("sees.kif", SOUND + sees), status=2)[1]
            self.assertIn("GDL-II", err)
        used = SOUND.replace("(<= (legal black noop)", "(sees black white)\n(<= (legal black noop) (sees black white)")
        self.assertEqual(self.findings(used, 0), [])

    def test_chance_needs_no_goal(self):
        goal = "(<= (goal black 0)\n    (true (picked ?x)))\n"
        chance = SOUND.replace(goal, "").replace("black", "random")
        self.assertEqual(self.findings(chance, 0), [])
        self.assertIn("1 clean", self.ludens("check", self.write("chance.kif", chance))[0])
        self.assertEqual([f[1] for f in self.findings(SOUND.replace(goal, ""), 0)], ["role-without-goal"])

    def test_a_sound_sheet_is_passed_in_silence(self):
        self.assertEqual(self.findings(SOUND, 0), [])
        out, err = self.ludens("check", self.write("game.kif", SOUND))
        self.assertEqual((len(out.splitlines()), err), (1, ""))

    def test_messages_look_like_a_compilers(self):
        line, sheet = self.added("(<= (goal black 101) (true (picked ?y)))")
        path = self.write("game.kif", sheet)
        out, _ = self.ludens("check", path, status=1)
        lines = out.splitlines()
        self.assertEqual(lines[0], f"{path}:{line}:5: error: goal value 101 is not within 0..100 [goal-out-of-range]")
        self.assertEqual(lines[1], "    (<= (goal black 101) (true (picked ?y)))")
        self.assertEqual(lines[2], "        ^~~~~~~~~~~~~~~~")
        self.assertTrue(lines[-1].startswith("1 sheet: 0 clean, 0 with warnings, 1 with errors (1 error, 0 warnings)"))

    def test_status_tells_errors_from_trouble(self):
        good, bad = self.write("good.kif", SOUND), self.write("bad.kif", "(role a")
        self.ludens("check", good)
        self.ludens("check", good, bad, status=1)
        _, err = self.ludens("check", good, bad, self.path("missing.kif"), status=2)
        self.assertIn("missing.kif", err)
        self.ludens("check", status=2)

    def test_what_must_be_there(self):
        self.expect_without("error", "no-role", r"\(role \w+\)\n")
        self.expect_without("error", "no-legal", r"\(<= \(legal.*?\)\)\n(?=\()")
        self.expect_without("error", "no-goal", r"\(<= \(goal.*?\)\)\n")
        self.expect_without("error", "no-terminal", r"\(<= terminal.*?\)\)\n")
        self.expect_without("warning", "no-next", r"\(<= \(next.*?\)\)\)\n")
        self.assertIn(("warning", "no-init", None), self.findings(
            SOUND.replace("(init (control white))", "").replace("(<= (next (picked ?x))", "(<= (next (picked ?x)) (true (control white))"), 0))

    def test_keywords_have_their_places(self):
        self.expect("error", "keyword-arity", "(role a b)")
        self.expect("error", "keyword-arity", "(<= (legal white) (true (picked 1)))")
        self.expect("error", "keyword-arity", "(<= (next (picked 2)) (true picked 2))")
        self.expect("error", "keyword-arity", "(<= (goal white 5) (not (true (picked 1)) (true (picked 2))))")
        self.expect("error", "forbidden-head", "(<= (true (picked 1)) (number 1))")
        self.expect("error", "forbidden-head", "(<= (does white noop) (number 1))")
        self.expect("error", "forbidden-head", "(<= (distinct 1 2) (number 1))")
        self.expect("error", "forbidden-head", "(not (number 1))")
        self.expect("error", "keyword-as-function", "(<= terminal (true (or (picked 1) (picked 2))))")
        self.expect("warning", "keyword-as-function", "(init (legal 1))")
        line, sheet = self.added("(<= (next (control ?x)) (next (picked ?x)))")
        self.assertIn(("warning", "next-in-body", line), self.findings(sheet, 0))
        self.expect("warning", "init-in-body", "(<= (next (control ?x)) (init (control ?x)))")

    def test_variables_must_be_bound(self):
        self.expect("error", "unsafe-head", "(<= (next (picked ?y)) (number ?x))")
        self.expect("error", "unsafe-head", "(init (picked ?y))")
        self.expect("error", "unsafe-distinct", "(<= terminal (number ?x) (distinct ?x ?y))")
        self.expect("error", "unsafe-head", "(<= (next (picked ?y)) (not (number ?y)))")

    def test_negation_must_be_stratified(self):
        self.expect("error", "unstratified", "(<= (next (picked ?x)) (number ?x) (odd ?x)) "
                    "(<= (odd ?x) (number ?x) (not (odd ?x)))")
        self.expect("warning", "unstratified-relation", "(<= (goal black 7) (not (goal black 0)))")

    def test_recursion_must_end(self):
        self.expect("warning", "endless-recursion", "(<= (number (s ?x)) (number ?x))")
        self.expect("warning", "recursion-restriction",
                    "(<= (number ?x) (number ?x) (number ?y) (distinct ?x ?y))")
        line, sheet = self.added("(<= (less ?x ?y) (step ?x ?y)) (<= (less ?x ?z) (step ?x ?y) (less ?y ?z)) "
                                 "(step 1 2) (<= (next (picked ?x)) (less ?x 2))")
        self.assertEqual(self.findings(sheet, 0), [])

    def test_who_may_depend_on_what(self):
        self.expect("error", "depends-on-true", "(<= (role red) (true (picked 1)))")
        self.expect("error", "depends-on-true", "(<= (init (picked ?x)) (late ?x)) (<= (late ?x) (true (picked ?x)))")
        self.expect("error", "depends-on-does", "(<= (legal black noop) (does white ?x))")
        self.expect("error", "depends-on-does", "(<= terminal (does white ?x))")
        self.expect("error", "depends-on-does", "(<= (goal black 10) (not (idle))) (<= idle (does black noop))")
        self.expect("warning", "depends-on-true", "(<= (base (picked ?x)) (true (picked ?x)))")

    def test_dependencies_are_explained(self):
        _, sheet = self.added("(<= (goal black 10) (busy)) (<= (busy) (hurried)) (<= (hurried) (does black noop))")
        out, _ = self.ludens("check", self.write("game.kif", sheet), status=1)
        self.assertIn("goal -> busy -> hurried -> does", out)

    def test_names_and_arities(self):
        self.expect("warning", "two-arities", "(number 3 odd) (<= (next (picked ?x)) (number ?x odd))")
        self.expect("warning", "two-arities", "(init (control white black))")
        self.expect("warning", "undefined-relation", "(<= terminal (nubmer 3))")
        self.expect("warning", "undefined-relation", "(<= terminal (number 3 4))")
        self.expect("warning", "never-true", "(<= terminal (true (pickd ?x)))")
        self.expect("warning", "never-done", "(<= (next (picked 1)) (does white (pcik 1)))")
        self.expect("warning", "unused-relation", "(colour red)")
        self.expect("warning", "duplicate-rule", "(<= (next (picked ?other)) (does white (pick ?other)))")
        self.expect("warning", "two-spellings", "(Number 3)")
        self.expect("warning", "not-a-role", "(<= (goal wite 100) (true (picked 1)))")
        self.expect("error", "goal-not-a-number", "(<= (goal white win) (true (picked 2)))")
        out, _ = self.ludens("check", self.write("game.kif", self.added("(<= terminal (nubmer 3))")[1]))
        self.assertIn("did you mean 'number'?", out)

    def test_roles_need_moves_and_goals(self):
        found = self.findings(SOUND + "(role red)\n", 1)
        line = len(SOUND.splitlines()) + 1
        self.assertEqual(found, [("error", "role-without-moves", line), ("warning", "role-without-goal", line)])

    def test_dialects_are_warned_of(self):
        self.expect("warning", "parentheses", "(<= (terminal) (true (picked 2)))")
        self.expect("warning", "empty-body", "(<= (number 3))")
        self.expect("warning", "and-in-body", "(<= terminal (and (true (picked 1)) (true (picked 2))))")
        self.expect("warning", "empty-connective", "(<= terminal (or))")
        self.expect("warning", "keyword-arity", "(base picked 1 2)")
        self.expect("warning", "keyword-arity", "(input white)")
        self.expect("warning", "constant-legal", "(legal black (wait 1))")
        self.expect("warning", "constant-next", "(next (control black))")
        self.expect("warning", "unsafe-negation", "(<= terminal (not (true (control ?anybody))))")

    def test_dialects_with_one_meaning_are_accepted(self):
        for text in ("(<= terminal (or (true (picked 1)) (or (true (picked 2)) (true (picked 3)))))",
                     "(<= terminal (true (picked ?x)) (not (distinct ?x 2)))",
                     "(<= terminal (true (control black)) (not (or (true (picked 1)) (true (picked 2)))))",
                     "(<= (next (control black)) (not (not (true (picked 1)))))",
                     "(base (picked 1)) (input white (pick 1))"):
            self.assertEqual(self.findings(self.added(text)[1], 0), [], text)

    def test_syntax_errors_are_findings(self):
        self.assertEqual(self.findings("(role a)\n(role \x01)", 1)[0], ("error", "control-character", 2))

    def simulated(self, text, *options, status):
        out, _ = self.ludens("check", "--json", self.write("game.kif", text), *options, status=status)
        (report,) = json.loads(out)["files"]
        self.assertLessEqual({f["id"] for f in report["findings"]}, EXPLAINED)
        return report

    def expect_simulated(self, severity, id, text, *options):
        report = self.simulated(text, *options, status=1 if severity == "error" else 0)
        self.assertEqual([(f["severity"], f["id"]) for f in report["findings"]], [(severity, id)], text)
        return report["findings"][0]

    def test_games_are_played(self):
        report = self.simulated(SOUND, "--games", 7, status=0)
        self.assertEqual(report["simulation"], {"games": 7, "ended": 7, "shortest": 1, "longest": 1})
        self.assertNotIn("simulation", self.simulated(SOUND, "--static", status=0))

    def test_every_role_must_always_have_a_move(self):
        text = SOUND.replace("(<= terminal\n    (true (picked ?x)))", "(<= terminal (true (picked 1)))")
        found = self.expect_simulated("error", "no-legal-move", text)
        self.assertIn("role white has no legal move", found["text"])
        self.assertRegex(found["note"], r"^first in game \d+ of seed 1 \(engine \w+\) after 1 step, where these are true: \(picked 2\)$")

    def test_games_must_end(self):
        loop = SOUND.replace("(<= terminal\n    (true (picked ?x)))", "(<= terminal (true (picked 3)))")
        loop += "(<= (next (control white)) (true (control white)))"
        found = self.expect_simulated("error", "endless", loop, "--steps", 30)
        self.assertIn("comes again", found["text"])

    def test_long_games_are_warned_of(self):
        count = "(init (step 0)) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) "
        count += " ".join(f"(succ {i} {i + 1})" for i in range(40))
        text = SOUND.replace("(true (picked ?x)))\n(<= (goal white 100)", "(true (step 35)))\n(<= (goal white 100)")
        text += count + "(<= (next (control white)) (true (control white)))"
        self.assertEqual(self.simulated(text, status=0)["simulation"]["longest"], 35)
        self.expect_simulated("warning", "too-long", text, "--steps", 30)

    def test_every_role_needs_exactly_one_goal_at_the_end(self):
        self.expect_simulated("error", "no-goal-value", SOUND.replace("(true (picked 2))", "(true (picked 1)) (true (picked 2))"))
        self.expect_simulated("error", "several-goal-values", SOUND + "(<= (goal black 10) (true (picked 2)))")
        self.expect_simulated("error", "goal-out-of-range", "(bonus 101)" + SOUND.replace(
            "(goal black 0)\n    (true", "(goal black ?y)\n    (bonus ?y) (true"))

    def test_rules_that_cannot_be_evaluated_are_an_error(self):
        report = self.simulated(SOUND + "(<= (number (s ?x)) (number ?x))", status=1)
        self.assertEqual({f["id"] for f in report["findings"]}, {"gave-up", "endless-recursion"})
        for grown in ("(f ?x)", "(f ?x ?x)"):  # deeper and deeper; twice as large in every step
            sheet = f"""(role a) (init (s 0)) (<= (legal a noop) (true (s ?x))) (<= (next (s {grown})) (true (s ?x)))
                (<= terminal (true (s end))) (<= (goal a 0) (true (s ?x)))"""
            self.expect_simulated("error", "gave-up", sheet, "--steps", 5000)

    def test_strict_also_watches_goals_during_the_game(self):
        falls = SOUND + "(<= (goal black 70) (true (control white))) (<= (goal white 0) (true (control white)))"
        self.assertEqual(self.simulated(falls, status=0)["findings"], [])
        self.expect_simulated("warning", "goal-falls", falls, "--strict")
        self.assertEqual({f["id"] for f in self.simulated(SOUND, "--strict", status=0)["findings"]}, {"goal-undefined"})

    def test_the_seed_decides_the_games(self):
        text = SOUND + "(<= (goal black 10) (true (picked 2)))"
        first, again = (self.simulated(text, "--seed", 9, status=1) for _ in range(2))
        self.assertEqual(first, again)
        self.assertIn("of seed 9 ", first["findings"][0]["note"])

    def test_dialects_are_played(self):
        odd = """(role white)
            (init (control 1))
            (<= (legal white (pick ?x)) (or (number ?x) (or (extra ?x) (extra ?x))) (not (or (never) (distinct ?x ?x))))
            (legal white noop)
            (number 1) (<= (extra 2))
            (<= (next (picked ?x)) (and (does white (pick ?x)) (true (control 1))))
            (<= (next (picked 3)) (does white noop))
            (next (done))
            (<= never (true (control 7)))
            (base picked 1)
            (<= (terminal) (true (done)))
            (<= (goal white 100) (true (picked ?x)) (not (distinct ?x 2)))
            (<= (goal white 0) (not (goal white 100)))"""
        report = self.simulated(odd, "--games", 50, status=0)
        self.assertEqual(report["simulation"]["ended"], 50)
        self.assertGreaterEqual({f["id"] for f in report["findings"]},
                                {"constant-legal", "constant-next", "and-in-body", "keyword-arity", "parentheses",
                                 "empty-body", "unstratified-relation"})

    def test_our_games_are_passed_in_silence(self):
        out, _ = self.ludens("check", "--json", "--games", 3, *harness.games())
        report = json.loads(out)
        self.assertEqual((report["errors"], report["warnings"]), (0, 0), out)

    def test_the_corpus_is_checked_without_a_crash(self):
        if not harness.corpus():
            self.skipTest("no corpus")
        out, _ = self.ludens("check", "--static", "--json", *harness.corpus())
        self.assertEqual(json.loads(out)["errors"], 0)


harness.main()
