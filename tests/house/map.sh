#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/architecture.md is the map: it names every source file, in the section of its folder. `name.[ch]`
# stands for a pair.
set -eu
cd "$(dirname "$0")/../.."
python3 - docs/architecture.md <<'PYTHON'
import os, re, subprocess, sys

named, folder, headings, wrong = set(), None, set(), False
for line in open(sys.argv[1], encoding="utf-8"):
    if m := re.match(r"#+ `?([\w./-]+)`?", line):
        if m.group(1) in headings:
            print(f"{m.group(1)} is on the map twice (docs/architecture.md)")
            wrong = True
        headings.add(m.group(1))
        folder = m.group(1).rstrip("/") if "/" in m.group(1) or os.path.isdir(m.group(1)) else None
    elif folder and (m := re.match(r"- ((?:`[^`]+`(?:, )?)+)", line)):
        for name in re.findall(r"`([^`]+)`", m.group(1)):
            for suffix in "ch" if name.endswith(".[ch]") else "-":
                named.add(os.path.join(folder, name.replace("[ch]", suffix)))

there = {f for f in subprocess.run(["scripts/c-files"], capture_output=True, text=True).stdout.split()
         if f.startswith(("src/", "include/", "bench/"))}
for f in sorted(there - named):
    print(f"{f} is not on the map (docs/architecture.md)")
for f in sorted(f for f in named if f.endswith((".c", ".h")) and not os.path.exists(f)):
    print(f"{f} is on the map, but is not there")
    wrong = True
sys.exit(wrong or not there <= named)
PYTHON
