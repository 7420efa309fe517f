#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: embed.py OUT.c FILE...

Write a C file with the files of the page as arrays, for struct page (web/web.h).
"""
import hashlib
import os
import sys

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


def main():
    out, *files = sys.argv[1:]
    lines = ["/* made by embed.py */", '#include "web/web.h"', ""]
    table = []
    for number, path in enumerate(sorted(files, key=os.path.basename)):
        with open(path, "rb") as file:
            data = file.read()
        name = os.path.basename(path)
        kind = TYPES[os.path.splitext(name)[1]]
        lines.append(f"static const unsigned char page_{number}[] = {{")
        for at in range(0, len(data), 24):
            lines.append(",".join(map(str, data[at:at + 24])) + ",")
        lines.append("0};")
        etag = '\\"' + hashlib.sha256(data).hexdigest()[:20] + '\\"'
        table.append(f'{{"/{name}", "{kind}", "{etag}", page_{number}, {len(data)}}},')
    lines += ["const struct page web_pages[] = {", *table, "{0}};", ""]
    with open(out, "w", encoding="ascii") as file:
        file.write("\n".join(lines))


main()
