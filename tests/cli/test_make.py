#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets made from pictures of boards: sound, laid out, and with the rules that the help describes. The rules are
written down here a second time, in Python, and sequences of moves are counted with both."""
import json
import random
import re
import subprocess

import harness


def parse(text):
    """The board as a dict (x, y) -> letter or '', and the cost of squares; x and y count from 1 at the lower left."""
    squares, costs = {}, {}
    rows = text.split("/")
    for y, row in zip(range(len(rows), 0, -1), rows):
        x = 1
        for token in re.findall(r"\(\d+\w?\)|\d+|\w", row):
            if token.isdigit():
                for _ in range(int(token)):
                    squares[x, y] = ""
                    x += 1
                continue
            if token[0] == "(":
                costs[x, y] = int(re.search(r"\d+", token)[0])
                token = re.sub(r"[(\d)]", "", token)
            squares[x, y] = token
            x += 1
    return squares, costs


class Game:
    """Positions are tuples (pieces, player to move, moves made, points of White, points of Black)."""

    def __init__(self, text, goals, score, limit):
        squares, self.costs = parse(text)
        self.walls = {s for s, c in squares.items() if c == "X"}
        self.flags = {s: c for s, c in squares.items() if c in tuple("Ff")}
        self.squares = squares.keys()
        self.rows = max(y for x, y in squares)
        self.goals, self.score, self.limit = goals, score, limit
        self.start = (frozenset((s, c) for s, c in squares.items() if c and c not in "XFf"), 0, 0, 0, 0)

    def moves(self, position, player):
        pieces = dict(position[0])
        found = []
        for (x, y), letter in pieces.items():
            if letter.islower() != bool(player):
                continue
            if "flag" not in self.goals and self.flags.get((x, y)) == "Ff"[player]:
                continue
            y2 = y - 1 if player else y + 1
            kind = letter.upper()
            free = lambda s: s in self.squares and s not in self.walls and s not in pieces
            if kind == "I":
                found.append(((x, y), (x, y)))
            if kind in "PR" and free((x, y2)):
                found.append(((x, y), (x, y2)))
            if kind == "P":
                for s in ((x - 1, y2), (x + 1, y2)):
                    if free(s) or pieces.get(s, letter).islower() != letter.islower():
                        found.append(((x, y), s))
            if kind == "H":
                for way in (-1, 1):
                    x2 = x
                    while (x2, y2) in self.squares and (x2, y2) not in self.walls:
                        if (x2 != x or way == 1) and free((x2, y2)):
                            found.append(((x, y), (x2, y2)))
                        x2 += way
        return found

    def make(self, position, move):
        pieces, player, made, *points = position
        if move:
            pieces = dict(pieces)
            letter = pieces.pop(move[0])
            if move[1] in pieces and self.score == "pieces":
                points[1 - player] += 1
            if move[0] != move[1] and self.score == "penalties":
                points[player] += self.costs.get(move[1], 0)
            pieces[move[1]] = letter
            pieces = frozenset(pieces.items())
        return (pieces, 1 - player, made + 1, *points)

    def won(self, position, player):
        mine = [s for s, c in position[0] if c.islower() == bool(player)]
        theirs = [s for s, c in position[0] if c.islower() != bool(player)]
        return ("rank" in self.goals and any(y == (1 if player else self.rows) for x, y in mine)
                or "flag" in self.goals and any(self.flags.get(s) == "Ff"[player] for s in mine)
                or "capture" in self.goals and not theirs)

    def over(self, position):
        return (self.won(position, 0) or self.won(position, 1) or self.limit and position[2] >= self.limit
                or not self.moves(position, 0) and not self.moves(position, 1))

    def goal(self, position):
        for player in (0, 1):
            if self.won(position, player):
                return 0 if player else 100
        white, black = position[3:]
        if self.score == "pieces":
            army = [sum(c.islower() == bool(p) for s, c in position[0]) for p in (0, 1)]
            white, black = army[1], army[0]
        return 50 if self.score == "draw" or white == black else 100 if white < black else 0

    def perft(self, depth):
        level, counts = {self.start: 1}, []
        for _ in range(depth + 1):
            ended = sum(n for p, n in level.items() if self.over(p))
            counts.append((sum(level.values()), ended))
            following = {}
            for p, n in level.items():
                if not self.over(p):
                    for move in self.moves(p, p[1]) or [None]:
                        q = self.make(p, move)
                        following[q] = following.get(q, 0) + n
            if not following:
                break
            level = following
        return counts


def random_board(rng):
    """A board, its goals, score and limit; or None where the picture makes no sound game."""
    columns, rows = rng.randint(1, 5), rng.randint(2, 5)
    costs = rng.random() < 0.4
    hurdlers = [1, 1]
    text = []
    for y in range(rows, 0, -1):
        row = ""
        for x in range(columns):
            roll = rng.random()
            if roll < 0.45:
                row += rng.choice(["1", "(%d)" % rng.randint(1, 30)]) if costs else "1"
            elif roll < 0.55:
                row += "X"
            elif roll < 0.7:
                row += rng.choice("Ff")
            else:
                player = rng.randint(0, 1) if rng.random() < 0.3 else int(y > rows / 2)
                kind = rng.choice("PPPRRIH")
                if kind == "H" and not hurdlers[player]:
                    kind = "P"
                hurdlers[player] -= kind == "H"
                row += kind.lower() if player else kind
        text.append(re.sub("1+", lambda m: str(len(m[0])), re.sub(r"\(\d+\)", lambda m: m[0].replace("1", "~"), row))
                    .replace("~", "1"))
    goals = rng.sample(["rank", "flag", "capture"], rng.randint(0, 2))
    score = "penalties" if any("(" in r for r in text) else rng.choice(["draw", "pieces"])
    return "/".join(text), goals, score, rng.choice([0, 3, 8, 20])


def arguments(text, goals, score, limit):
    return ["make", "board", text, "--goal", ",".join(goals) or "none", "--score", score, "--limit", limit]


class Make(harness.Case):
    def perft(self, sheet, depth):
        out, _ = self.ludens("perft", sheet, "-d", depth, "--engine", "lifted", "--json")
        return [(d["sequences"], d["ended"]) for d in json.loads(out)["depths"]]

    def test_random_boards_are_clean_and_count_as_the_rules_say(self):
        rng = random.Random(7)
        sheets, depth = 0, 5
        paths = []
        while sheets < 60:
            text, goals, score, limit = random_board(rng)
            run = subprocess.run([harness.LUDENS, *map(str, arguments(text, goals, score, limit))], capture_output=True)
            if run.returncode:
                self.assertEqual(run.returncode, 2)
                continue
            path = self.write(f"board{sheets}.kif", run.stdout)
            expected = Game(text, goals, score, limit).perft(depth)
            self.assertEqual(self.perft(path, depth)[:len(expected)], expected, f"{text} {goals} {score} {limit}")
            paths.append(path)
            sheets += 1
        out, _ = self.ludens("check", *paths)
        self.assertIn(f"{sheets} clean", out)
        self.ludens("fmt", "--check", *paths)

    def test_scores_are_those_of_the_rules(self):
        """Random games to the end: the sheet's goals are those of the second set of rules."""
        for text, goals, score, limit in [("pp/2/PP", ["capture"], "pieces", 6),
                                          ("h(2)(7)/(1)(3)1/1(5)(1)/H(9)(4)", [], "penalties", 0),
                                          ("r1f/1X1/F1R", ["flag"], "draw", 0)]:
            game = Game(text, goals, score, limit)
            path = self.path("b.kif")
            self.ludens(*arguments(text, goals, score, limit), "-o", path)
            out, _ = self.ludens("sim", path, "-n", 400, "--json")
            seen = {tuple(o["goals"])[0] for o in json.loads(out)["outcomes"]}
            reachable, stack, known = set(), [game.start], set()
            while stack:
                p = stack.pop()
                if p in known:
                    continue
                known.add(p)
                if game.over(p):
                    reachable.add(game.goal(p))
                    continue
                stack += [game.make(p, m) for m in game.moves(p, p[1]) or [None]]
            self.assertEqual(seen, reachable, text)

    def test_the_two_rows_of_pawns_counted_by_hand(self):
        # White has 4 moves. After a1-a2 Black has a3-b2, b3-b2 and b3xa2; after a1-b2, a3-a2, a3xb2 and b3-a2.
        path = self.path("pawns.kif")
        self.ludens("make", "board", "pp/2/PP", "-o", path)
        self.assertEqual([n for n, _ in self.perft(path, 2)], [1, 4, 12])

    def test_races_have_as_many_moves_as_lanes(self):
        path = self.path("race.kif")
        self.ludens("make", "board", "--like", "shock-step", "--lanes", 3, "--length", 3, "-o", path)
        self.assertEqual(self.perft(path, 6), [(1, 0), (3, 0), (9, 0), (27, 0), (81, 81)])
        # and with --trail no two of them lead to the same position
        out, _ = self.ludens("perft", path, "-d", 4, "--unique")
        self.assertRegex(out, r"(?m)^ +4 +81 +81 +81 +81$")

    def test_progression_ends_at_its_limit_or_at_a_flag(self):
        path = self.path("progression.kif")
        self.ludens("make", "board", "--like", "progression", "--active", 1, "--factor", 1, "-o", path)
        self.assertEqual([n for n, _ in self.perft(path, 3)], [1, 10, 100, 1000])
        out, _ = self.ludens("sim", path, "-n", 200, "--json")
        self.assertEqual(json.loads(out)["length"]["max"], 18)

    def test_every_named_board_is_sound(self):
        paths = []
        for name, *options in [("penalties",), ("shock-step", "--lanes", 2, "--length", 4), ("punishment", "--lanes", 20,
                               "--length", 20), ("progression",), ("progression", "--active", 10, "--factor", 16),
                               ("optimistic",), ("optimistic", "--pawns", 1)]:
            paths.append(self.path(f"{len(paths)}.kif"))
            self.ludens("make", "board", "--like", name, *options, "-o", paths[-1])
            string, _ = self.ludens("make", "board", "--like", name, *options, "--string")
            self.assertIn(string.strip()[:60], self.read(paths[-1]).decode())
        out, _ = self.ludens("check", "-n", 5, *paths)
        self.assertIn(f"{len(paths)} clean", out)
        self.ludens("fmt", "--check", *paths)

    def test_a_bad_string_is_shown_with_a_caret(self):
        _, err = self.ludens("make", "board", "pp/p?/PP", status=2)
        self.assertIn("column 5: '?' is not allowed", err)
        self.assertIn("\n    pp/p?/PP\n        ^", err)

    def test_a_dash_is_standard_output(self):
        self.assertEqual(self.ludens("make", "board", "pp/2/PP", "-o", "-"), self.ludens("make", "board", "pp/2/PP"))

    def test_unknown_names_are_answered_with_the_list(self):
        _, err = self.ludens("make", "board", "--like", "chess", status=2)
        self.assertIn("penalties, shock-step, punishment, progression, optimistic", err)
        _, err = self.ludens("make", "castle", status=2)
        self.assertIn("usage: ludens make WORD", err)
        _, err = self.ludens("make", "board", status=2)
        self.assertIn("either a board string or the name", err)

    def test_help_explains_the_letters(self):
        out, _ = self.ludens("make", "board", "--help")
        for word in ("pawn", "runner", "idle runner", "hurdler", "wall", "flag", "punishment", "optimistic"):
            self.assertIn(word, out)
        # the drawing in the help is what the program draws
        text = re.search(r"ludens make board '(.*?)'", out)[1]
        drawn, _ = self.ludens("make", "board", text, "--draw")
        for line in drawn.splitlines():
            self.assertIn(line.strip(), out)


if __name__ == "__main__":
    harness.main()
