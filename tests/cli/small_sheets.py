# SPDX-License-Identifier: GPL-3.0-or-later
"""Games of our library on smaller boards: their own sheets with other numbers in them."""
import os
import re

import harness


def sheet(game):
    with open(os.path.join(harness.GAMES, game + ".kif")) as file:
        return file.read()


def numbers(name, n):
    return "\n".join(f"({name} {i})" for i in range(1, n + 1)) + "\n"


def chain(n):
    return "\n".join(f"(succ {i} {i + 1})" for i in range(1, n)) + "\n"


def replace(text, pattern, by):
    """Exactly one place (or one run of lines)."""
    out, n = re.subn(pattern, by, text, flags=re.M)
    assert n == 1, (pattern, n)
    return out


def connect_four(columns, rows):
    text = sheet("connectFour")
    text = replace(text, r"(^\(column \d\)\n)+", numbers("column", columns))
    text = replace(text, r"(^\(row \d\)\n)+", numbers("row", rows))
    text = replace(text, r"(^\(succ \d \d\)\n)+", chain(max(columns, rows)))
    # steps off the board must stay off it
    text = replace(text, r"\(succ \?column \?column2\)\n    \(column \?column2\)\n    \(row \?row\)",
                   "(succ ?column ?column2)\n    (column ?column2)\n    (row ?row)")
    text = text.replace("(succ ?column ?column2)\n    (succ", "(succ ?column ?column2)\n    (column ?column2)\n    (succ")
    text, n = re.subn(r"\(free \?column 6\)", f"(free ?column {rows})", text)
    assert n == 2
    return text


def breakthrough(columns, rows):
    text = sheet("breakthrough")
    text = replace(text, r"(^\(index \d\)\n)+", numbers("column", columns) + numbers("row", rows))
    text = replace(text, r"(^\(succ \d \d\)\n)+", chain(max(columns, rows)))
    text = text.replace("(index ?column)", "(column ?column)").replace("(index ?row)", "(row ?row)")
    text = text.replace("(home black 7)", f"(home black {rows - 1})").replace("(home black 8)", f"(home black {rows})")
    text = text.replace("(target white 8)", f"(target white {rows})")
    text = replace(text, r"^\(<= \(forward white \?row \?row2\)\n", "(<= (forward white ?row ?row2)\n    (row ?row)\n    (row ?row2)\n")
    text = replace(text, r"^\(<= \(forward black \?row \?row2\)\n", "(<= (forward black ?row ?row2)\n    (row ?row)\n    (row ?row2)\n")
    text, n = re.subn(r"(\(<= \(slant \?player \?column \?row \?column2 \?row2\)\n)",
                      r"\1    (column ?column)\n    (column ?column2)\n", text)
    assert n == 2
    return text


if __name__ == "__main__":
    import sys
    print({"connectFour": connect_four, "breakthrough": breakthrough}[sys.argv[1]](int(sys.argv[2]), int(sys.argv[3])))


def lights_out(boards, size, presses):
    """Boards of lamps side by side, on which so many presses are to be taken back; all must be dark."""
    chosen = [(z, 7 * i % size, 3 * (z + i) % size) for z in range(boards) for i in range(presses)]
    lit = set()
    for z, x, y in chosen:
        lit ^= {(z, a, b) for a, b in ((x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
                if 0 <= a < size and 0 <= b < size}
    facts = [f"(init (lit {z} {x} {y}))" for z, x, y in sorted(lit)]
    facts += [f"(board {z})" for z in range(boards)] + [f"(index {x})" for x in range(size)]
    facts += [f"(near {x} {x + 1}) (near {x + 1} {x})" for x in range(size - 1)]
    return "(role robot)\n" + "\n".join(facts) + """
(<= (legal robot (press ?z ?x ?y)) (board ?z) (index ?x) (index ?y))
(<= (flips ?z ?x ?y) (does robot (press ?z ?x ?y)))
(<= (flips ?z ?x ?y) (does robot (press ?z ?v ?y)) (near ?v ?x))
(<= (flips ?z ?x ?y) (does robot (press ?z ?x ?w)) (near ?w ?y))
(<= (next (lit ?z ?x ?y)) (flips ?z ?x ?y) (not (true (lit ?z ?x ?y))))
(<= (next (lit ?z ?x ?y)) (true (lit ?z ?x ?y)) (not (flips ?z ?x ?y)))
(<= bright (true (lit ?z ?x ?y)))
(<= terminal (not bright))
(<= (goal robot 100) (not bright)) (<= (goal robot 0) bright)
"""
