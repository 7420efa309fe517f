#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow every recorded game of the corpus, step by step: roles, states, legal moves, ends and goals."""
import concurrent.futures
import os
import re
import subprocess
import unittest

import harness

ENGINE = os.environ.get("LUDENS_ENGINE", "lifted")

# Traces that cannot be followed, with the reason. Each must still differ, or it does not belong here.
CANNOT = {
    "alexChess__v0": "nextfile and nextFile are one name to us, as the language says; two to the reference",
}


def follow(sheet):
    name = os.path.basename(sheet)[:-len(".kif")]
    trace = os.path.join(harness.CORPUS, "traces", name + ".json")
    run = subprocess.run([harness.LUDENS, "verify", sheet, trace, "--engine", ENGINE],
                         capture_output=True, text=True, timeout=600)
    return name, run.returncode, run.stdout + run.stderr


class Corpus(harness.Case):
    def test_every_recorded_game_is_followed_exactly(self):
        sheets = harness.some(harness.corpus())
        if not sheets:
            self.skipTest("there is no corpus at " + harness.CORPUS)
        games = playouts = steps = 0
        faults = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, status, text in pool.map(follow, sheets):
                if name in CANNOT:
                    print(f"{name}: not followed: {CANNOT[name]}")
                    if status != 1:
                        faults.append(f"{name} was expected to differ, status {status}\n{text}")
                    continue
                done = re.search(r"followed (\d+) playouts, (\d+) steps", text)
                if status != 0 or not done:
                    faults.append(f"{name}: status {status}\n{text}")
                    continue
                games += 1
                playouts += int(done.group(1))
                steps += int(done.group(2))
        print(f"followed {games} games, {playouts} playouts, {steps} steps")
        self.assertEqual(faults, [], "\n".join(faults))
        self.assertGreater(steps, 0)


if __name__ == "__main__":
    harness.main()
