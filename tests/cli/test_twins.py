#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our sheets of the games of the best-reply article, and of Checkers as in the articles on simulation, beside twins
written from the rules in plain Python.

Random games are recorded on the sheets; the twins follow them and must agree on every fact of every state, on the
legal moves of every role, on the end and on the goals (by the fingerprints that trace files carry). The twin of
Checkers follows the games of the public sheet as well, in its words: what is recorded of them comes from another program.
"""
import hashlib
import json
import os

import harness

GAMES = 20 if os.environ.get("LUDENS_SLOW") else 3  # recorded of each


class Twin:
    """A game with turns. `colours` are the roles in the order of turns."""

    def __init__(self, colours):
        self.colours, self.turn = colours, 0

    def mover(self):
        return self.colours[self.turn % len(self.colours)]

    def rounds(self):
        return self.turn // len(self.colours)

    def move(self, words):
        if words != ["noop"]:
            self.change(words)
        self.turn += 1


class Rolit(Twin):
    STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]

    def __init__(self, players):
        super().__init__(["red", "green", "yellow", "blue"][:players])
        self.balls = {(4, 5): "red", (5, 5): "green", (5, 4): "yellow", (4, 4): "blue"}

    def turned(self, x, y):
        """The balls that the mover would turn from here."""
        found = []
        for dx, dy in self.STEPS:
            line, u, v = [], x + dx, y + dy
            while self.balls.get((u, v), self.mover()) != self.mover():
                line.append((u, v))
                u, v = u + dx, v + dy
            found += line if (u, v) in self.balls else []
        return found

    def moves(self):
        empty = [(x, y) for x in range(1, 9) for y in range(1, 9) if (x, y) not in self.balls]
        good = [p for p in empty if self.turned(*p)]
        touching = [(x, y) for x, y in empty if any((x + dx, y + dy) in self.balls for dx, dy in self.STEPS)]
        return [f"(put {x} {y})" for x, y in good or touching]

    def change(self, words):
        cell = int(words[1]), int(words[2])
        for p in self.turned(*cell) + [cell]:
            self.balls[p] = self.mover()

    def facts(self):
        return [f"(cell {x} {y} {c})" for (x, y), c in self.balls.items()] + [f"(control {self.mover()})"]

    def over(self):
        return len(self.balls) == 64

    def goals(self):
        count = {c: list(self.balls.values()).count(c) for c in self.colours}
        best = [c for c in self.colours if count[c] == max(count.values())]
        return {c: 100 // len(best) if c in best else 0 for c in self.colours}


class Focus(Twin):
    STEPS = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}

    def __init__(self, players, facts):
        super().__init__(["red", "green", "blue", "yellow"][:players])
        self.stacks = {(x, y): [] for x in range(1, 9) for y in range(1, 9)
                       if min(x, 9 - x) + min(y, 9 - y) > 3}
        for fact in facts:  # the article shows the first position in a figure: it is ours
            if fact.startswith("(stack "):
                _, x, y, _, colour = fact.strip("()").split()
                self.stacks[int(x), int(y)].append(colour)
        self.reserve = {c: int(players == 3) for c in self.colours}
        self.captured = {c: {d: 0 for d in self.colours if d != c} for c in self.colours}

    def target(self, x, y, count, direction):
        dx, dy = self.STEPS[direction]
        return x + count * dx, y + count * dy

    def moves(self):
        found = []
        for (x, y), stack in self.stacks.items():
            if stack and stack[-1] == self.mover():
                found += [f"(move {x} {y} {count} {d})" for count in range(1, len(stack) + 1) for d in self.STEPS
                          if self.target(x, y, count, d) in self.stacks]
        if self.reserve[self.mover()]:
            found += [f"(place {x} {y})" for x, y in self.stacks]
        return found

    def change(self, words):
        me, cell = self.mover(), (int(words[1]), int(words[2]))
        if words[0] == "place":
            self.reserve[me] -= 1
            hand, to = [me], cell
        else:
            count = int(words[3])
            hand, to = self.stacks[cell][-count:], self.target(*cell, count, words[4])
            self.stacks[cell] = self.stacks[cell][:-count]
        stack = self.stacks[to] + hand
        for colour in stack[:-5]:
            if colour == me:
                self.reserve[me] += 1
            else:
                self.captured[me][colour] += 1
        self.stacks[to] = stack[-5:]

    def enough(self):
        """Captures in all, and from each opponent."""
        return {2: (6, 6), 3: (10, 3), 4: (10, 2)}[len(self.colours)]

    def facts(self):
        found = [f"(stack {x} {y} {i + 1} {c})" for (x, y), stack in self.stacks.items()
                 for i, c in enumerate(stack)]
        found += [f"(control {self.mover()})", f"(round {self.rounds()})"]
        total, each = self.enough()
        for colour in self.colours:
            found.append(f"(reserve {colour} {self.reserve[colour]})")
            found.append(f"(captured {colour} {min(total, sum(self.captured[colour].values()))})")
            if len(self.colours) > 2:
                found += [f"(capturedFrom {colour} {c} {min(each, n)})" for c, n in self.captured[colour].items()]
        return found

    def winners(self):
        total, each = self.enough()
        return [c for c in self.colours
                if sum(self.captured[c].values()) >= total or min(self.captured[c].values()) >= each]

    def over(self):
        return bool(self.winners()) or self.turn == 300

    def goals(self):
        won = self.winners()
        return {c: 100 // len(self.colours) if not won else 100 * (c in won) for c in self.colours}


class ChineseCheckers(Twin):
    STEPS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]
    # The star is two large triangles across each other.
    FIELDS = {(x, y) for x in range(1, 14) for y in range(1, 14)
              if (x <= 10 and y <= 10 and x + y >= 11) or (x >= 4 and y >= 4 and x + y <= 17)}
    CORNERS = {"south": lambda x, y: y < 4, "southwest": lambda x, y: x + y < 11, "northwest": lambda x, y: x < 4,
               "north": lambda x, y: y > 10, "northeast": lambda x, y: x + y > 17, "southeast": lambda x, y: x > 10}
    SEATS = {2: ["south", "north"], 3: ["south", "northwest", "northeast"],
             4: ["southwest", "northwest", "northeast", "southeast"], 6: list(CORNERS)}

    def __init__(self, players):
        super().__init__(["red", "green", "blue", "yellow", "orange", "purple"][:players])
        self.pieces, self.home = {}, {}
        for colour, seat in zip(self.colours, self.SEATS[players]):
            start = {p for p in self.FIELDS if self.CORNERS[seat](*p)}
            self.home[colour] = {(14 - x, 14 - y) for x, y in start}
            self.pieces.update(dict.fromkeys(start, colour))

    def free(self, p):
        return p in self.FIELDS and p not in self.pieces

    def reach(self, x, y):
        """Where the piece on this field can go, the rules about homes apart."""
        found = {(x + dx, y + dy) for dx, dy in self.STEPS if self.free((x + dx, y + dy))}
        colour, todo, seen = self.pieces.pop((x, y)), [(x, y)], {(x, y)}
        while todo:
            u, v = todo.pop()
            for dx, dy in self.STEPS:
                to = u + 2 * dx, v + 2 * dy
                if (u + dx, v + dy) in self.pieces and self.free(to) and to not in seen:
                    seen.add(to)
                    todo.append(to)
        self.pieces[x, y] = colour
        return (found | seen) - {(x, y)}

    def moves(self):
        home = self.home[self.mover()]
        return [f"(move {x} {y} {u} {v})" for (x, y), colour in list(self.pieces.items()) if colour == self.mover()
                for u, v in self.reach(x, y) if (x, y) not in home or (u, v) in home]

    def change(self, words):
        x, y, u, v = map(int, words[1:])
        self.pieces[u, v] = self.pieces.pop((x, y))

    def facts(self):
        return [f"(cell {x} {y} {c})" for (x, y), c in self.pieces.items()] + [
            f"(control {self.mover()})", f"(round {self.rounds()})"]

    def at_home(self, colour):
        return sum(self.pieces.get(p) == colour for p in self.home[colour])

    def winners(self):
        return [c for c in self.colours if self.at_home(c) and all(p in self.pieces for p in self.home[c])]

    def over(self):
        return bool(self.winners()) or self.rounds() == 50

    def goals(self):
        won = self.winners()
        return {c: 100 * (c in won) if won else 10 * self.at_home(c) for c in self.colours}


class Checkers(Twin):
    """Without the duty to jump; up to three jumps are one move."""
    COLOURS, COLUMNS = ["black", "white"], "12345678"
    PIECES = [["blackMan", "blackKing"], ["whiteMan", "whiteKing"]]
    WORDS, COUNT = ["move", "doubleJump", "tripleJump"], "pieces"

    def __init__(self):
        super().__init__(self.COLOURS)
        self.pieces = {(x, y): (int(y > 4), False) for x in range(1, 9) for y in (1, 2, 3, 6, 7, 8)
                       if (x + y) % 2 == 0}  # whose, a king or not

    def count(self, side):
        return sum(whose == side for whose, _ in self.pieces.values())

    def free(self, p):
        return min(p) >= 1 and max(p) <= 8 and p not in self.pieces

    def ways(self, piece):
        side, king = piece
        return [(dx, dy) for dx in (-1, 1) for dy in ((-1, 1) if king else (1 - 2 * side,))]

    def jumps(self, piece, path, taken):
        """Every chain of jumps that begins with this path."""
        (x, y), found = path[-1], []
        for dx, dy in self.ways(piece):
            over, to = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if self.pieces.get(over, piece)[0] != piece[0] and over not in taken and self.free(to):
                found.append(path + [to])
                if len(path) < 3:
                    found += self.jumps(piece, path + [to], taken | {over})
        return found

    def moves(self):
        paths = []
        for (x, y), piece in self.pieces.items():
            if piece[0] == self.turn % 2:
                steps = [[(x, y), (x + dx, y + dy)] for dx, dy in self.ways(piece) if self.free((x + dx, y + dy))]
                paths += [(piece, path) for path in steps + self.jumps(piece, [(x, y)], set())]
        return [f"({self.WORDS[len(path) - 2]} {self.name(piece)} {' '.join(map(self.cell, path))})"
                for piece, path in paths]

    def name(self, piece):
        side, king = piece
        return self.PIECES[side][king]

    def cell(self, p):
        return f"{self.COLUMNS[p[0] - 1]} {p[1]}"

    def change(self, words):
        path = [(self.COLUMNS.index(x) + 1, int(y)) for x, y in zip(words[2::2], words[3::2])]
        side, king = self.pieces.pop(path[0])
        for (x, y), (u, v) in zip(path, path[1:]):
            if abs(u - x) == 2:
                del self.pieces[(x + u) // 2, (y + v) // 2]
        self.pieces[path[-1]] = side, king or path[-1][1] == (8, 1)[side]

    def facts(self):
        return [f"(cell {self.cell(p)} {self.name(piece)})" for p, piece in self.pieces.items()] + [
            f"({self.COUNT} {colour} {self.count(side)})" for side, colour in enumerate(self.colours)] + [
            f"(control {self.mover()})", f"(step {self.turn + 1})"]

    def over(self):
        return not self.moves() or self.turn == 101

    def goals(self):
        lead = self.count(0) - self.count(1)
        return dict(zip(self.colours, (50, 50) if lead == 0 else (100, 0) if lead > 0 else (0, 100)))


class PublicCheckers(Checkers):
    """The same in the words of the public sheet, seen from the other side, with facts for empty squares."""
    COLOURS, COLUMNS = ["red", "black"], "hgfedcba"
    PIECES = [["wp", "wk"], ["bp", "bk"]]
    WORDS, COUNT = ["move", "doublejump", "triplejump"], "piece_count"

    def facts(self):  # the squares nobody uses are there before the first move only
        return super().facts() + [f"(cell {self.cell((x, y))} b)" for x in range(1, 9) for y in range(1, 9)
                                  if (x, y) not in self.pieces and ((x + y) % 2 == 0 or self.turn == 0)]


def fingerprint(lines):
    return hashlib.sha1("\n".join(sorted(line.lower() for line in lines)).encode()).hexdigest()[:16]


class Twins(harness.Case):
    def record(self, name):
        self.ludens("sim", name, "-n", GAMES, "--seed", 11, "--trace", self.path("trace"))
        return json.loads(self.read(self.path("trace")))

    def follow(self, name, twin, trace=None):
        """Let the twin, made anew from the facts of the first state, follow each game: recorded now, or before."""
        trace = trace or self.record(name)
        first = trace["playouts"][0]["steps"][0]["state"]
        for number, playout in enumerate(trace["playouts"]):
            game = twin(first)
            for step, seen in enumerate(playout["steps"]):
                with self.subTest(game=name, playout=number, step=step):
                    self.assertEqual(fingerprint(game.facts()), seen["state_hash"])
                    self.assertEqual(game.over(), seen["terminal"])
                    if game.over():
                        self.assertEqual(game.goals(), seen["goals"])
                        break
                    legal = {c: ["noop"] for c in game.colours}
                    legal[game.mover()] = game.moves() or ["noop"]
                    self.assertEqual({c: len(m) for c, m in legal.items()}, seen["legal"])
                    lines = [f"{c} {m}" for c, moves in legal.items() for m in moves]
                    self.assertEqual(fingerprint(lines), seen["legal_hash"])
                moves = dict(zip(trace["roles"], seen["moves"]))
                game.move(moves[game.mover()].strip("()").split())

    def test_rolit(self):
        for players in 2, 3, 4:
            self.follow(f"rolit{players}", lambda facts: Rolit(players))

    def test_focus(self):
        for players in 2, 3, 4:
            self.follow(f"focus{players}", lambda facts: Focus(players, facts))

    def test_chinese_checkers(self):
        for players in 2, 3, 4, 6:
            self.follow(f"chineseCheckersStar{players}", lambda facts: ChineseCheckers(players))

    def test_checkers_without_the_duty_to_jump(self):
        self.follow("checkersFree", lambda facts: Checkers())

    def test_checkers_as_in_the_public_sheet(self):
        path = os.path.join(harness.CORPUS, "traces", "checkers.json")
        if not os.path.exists(path):
            self.skipTest("no corpus")
        with open(path) as file:
            self.follow("checkers of the corpus", lambda facts: PublicCheckers(), json.load(file))


harness.main()
