#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/test: what failed by bad luck gets a second try and is named; what fails always fails, a crash at once."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ONCE = "test -e FILE || (touch FILE; %s)"
faults = []


def check(expected, unsteady, **programs):
    """A project with these tests, each a line of shell, closes with `expected` and names `unsteady`."""
    with tempfile.TemporaryDirectory() as folder:
        lines = ["project('tries')"]
        for name, line in programs.items():
            line = line.replace("FILE", os.path.join(folder, name))
            lines.append(f"test('{name}', find_program('sh'), args: ['-c', '{line}'], suite: 'quick')")
        with open(os.path.join(folder, "meson.build"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        build = os.path.join(folder, "build")
        subprocess.run(["meson", "setup", build, folder], check=True, capture_output=True)
        run = subprocess.run([os.path.join(ROOT, "scripts", "test"), build, "--no-suite", "slow"], capture_output=True, text=True)
        out = run.stdout.splitlines()
        named = sorted(line.split()[-1] for line in out if line.startswith("unsteady: "))
        if out[-1] != expected or named != unsteady or (run.returncode == 0) != expected.endswith(" 0 failed"):
            faults.append(f"expected '{expected}' and {unsteady}, found '{out[-1]}', {named} and status {run.returncode}")


check("3 passed, 0 failed", ["slow"], good="true", fine="true", slow=ONCE % "false")
check("2 passed, 1 failed", ["slow"], good="true", bad="false", slow=ONCE % "false")
check("1 passed, 1 failed", [], good="true", crash=ONCE % "kill -SEGV $$")
check("1 passed, 1 failed", [], good="true", race=ONCE % "echo ThreadSanitizer: data race; false")
check("0 passed, 6 failed", [], **{f"all{i}": ONCE % "false" for i in range(6)})
print("\n".join(faults))
sys.exit(1 if faults else 0)
