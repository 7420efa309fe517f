#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules that would take hours or all memory: every command ends by itself, and says why.

Times are not measured; where a limit is missing, a command does not come back before the test is killed.
"""
import concurrent.futures
import resource

import harness

BASE = """(role robot) (init (step 0)) (<= (next (step 1)) (true (step 0))) (<= terminal (true (step 1)))
(goal robot 50) (legal robot a) (legal robot b)
"""
NUMBERS = " ".join(f"(num {i})" for i in range(10))
TWELVE = " ".join(f"?v{i}" for i in range(12))
ALL_TWELVE = " ".join(f"(num ?v{i})" for i in range(12))


class Limits(harness.Case):
    def sheet(self, name, text):
        return self.write(name + ".kif", BASE + text)

    def test_a_relation_without_end(self):
        path = self.write("endless.kif", """(role robot) (init (step 0)) (<= (next (step 1)) (true (step 0)))
            (<= terminal (true (step 1))) (goal robot 50) (p 0) (<= (p (s ?x)) (p ?x)) (<= (legal robot (m ?x)) (p ?x))""")
        spec = self.write("endless.yaml", f"games: [{path}]\nplayers: [cadia2007, random]\nnumber: 1\nbudget: {{sims: 10}}\n"
                                          "pairings: [[cadia2007]]\n")
        for command in (["think", path, "--sims", 10], ["think", path, "--clock", 1], ["match", path, "--sims", 10],
                        ["play", path, "--sims", 10], ["sim", path], ["sim", path, "--engine", "circuit"], ["info", path],
                        ["perft", path, "-d", 1]):
            with self.subTest(command):
                self.assertIn("grows without end", self.ludens(*command, status=2)[1])
        self.assertIn("grows without end", self.ludens("check", path, status=1)[0])
        self.assertIn("could not be played", self.ludens("lab", "run", spec, "--db", self.path("t.db"), status=2)[1])

    def test_more_moves_than_can_be_counted(self):
        path = self.sheet("legal", f"{NUMBERS}\n(<= (legal robot (m {TWELVE})) {ALL_TWELVE})")
        # some of the moves are found in time, and one of them is played
        out, err = self.ludens("think", path, "--clock", 1)
        self.assertRegex(out, r"the rules take too long to find all legal moves\n")
        self.assertRegex(out, r"robot plays (a|b|\(m .*\))\n$")
        self.assertIn("the position cannot be drawn", err)
        commands = ["match", path, "--clock", 1, "--start", 1], ["sim", path, "-n", 1], ["play", path, "--clock", 1], ["check", path]
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:  # each goes on until its time is up, beside others as well as alone
            running = [pool.submit(self.ludens, *command, status=1 if command[0] == "check" else 2) for command in commands]
        for command, run in zip(commands, running):
            with self.subTest(command):
                self.assertRegex("".join(run.result()), "out of time|of memory needed")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
        self.assertLess(peak, 2500)  # MB; 3.1 GB were seen

    def test_a_rule_with_many_variables(self):
        n = 60000 if harness.THREADS_WATCHED else 100000 if harness.SANITIZED else 300000  # at the cost of n² this would take an hour
        body = " ".join(f"(num ?x{i})" for i in range(n))
        path = self.sheet("many", f"(num 1) (<= (legal robot c) {body})")
        for command in "check", "sim":
            self.ludens(command, path)
        body += " " + " ".join(f"(distinct ?x{i} ?x{i + 1})" for i in range(n - 1))
        self.ludens("check", "--static", self.sheet("distinct", f"(num 1) (num 2) (<= (legal robot c) {body})"))

    def test_a_hundred_thousand_choices_in_one_rule(self):
        ors = " ".join(f"(or (true (step {i})) (true (step {i + 1})))" for i in range(100000))
        out, err = self.ludens("check", self.sheet("ors", f"(<= (legal robot c) {ors})"), status=1)
        self.assertIn("too-many-alternatives", out)
        # one inside the other they add up, and do not multiply
        nested = "".join(f"(or (true (step {i})) " for i in range(200)) + "(true (step 0))" + ")" * 200
        self.ludens("check", self.sheet("nested", f"(<= (legal robot c) {nested})"))

    def test_reading_ends_too(self):
        roles = "\n".join(f"(role r{i}) (legal r{i} a) (goal r{i} 0)" for i in range(150000))
        path = self.sheet("roles", roles)
        self.assertIn("take more than 10 s to read", self.ludens("check", path, status=2)[1])


if __name__ == "__main__":
    harness.main()
