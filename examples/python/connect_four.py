#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Learn Connect Four from nothing but playing against oneself, in a minute of one core, and play against `cadia2007`.

The value of a position is a linear function of what stands on each of the 69 lines of four, squashed to -1 .. 1: a weight for
each line and each of the 81 ways in which its cells can be empty, ours or theirs; a line and its mirror image share them.
It is learned by temporal differences: the value of a position should be the opposite of the value of the next one, and that of
the last one is the result. Many games are played side by side (ludens.VectorEnv); for each, all moves are tried at
once in further lanes, and the one that looks best is made.

The player that comes out of it looks DEPTH moves ahead, at no more than 7^DEPTH positions, in as many lanes. The opponent has as
many simulations for each of its moves.
"""
import argparse
import math
import time

import numpy as np

import ludens
from ludens.vector import WAIT

WIDTH, HEIGHT = 7, 6


def lines_of_four():
    """69 lines of cells, cell = column * HEIGHT + row; and the table of each: lines that mirror each other share one."""
    lines, tables = [], []
    for column in range(WIDTH):
        for row in range(HEIGHT):
            for dx, dy in (1, 0), (0, 1), (1, 1), (1, -1):
                cells = [(column + i * dx, row + i * dy) for i in range(4)]
                if all(0 <= x < WIDTH and 0 <= y < HEIGHT for x, y in cells):
                    lines.append(cells)
    known = {}
    ordered = []
    for cells in lines:
        mirror = [(WIDTH - 1 - x, y) for x, y in cells]
        for form in mirror, mirror[::-1]:
            if tuple(form) in known:
                tables.append(known[tuple(form)])
                cells = cells if form is mirror else cells[::-1]
                break
        else:
            known[tuple(cells)] = len(known)
            tables.append(known[tuple(cells)])
        ordered.append([x * HEIGHT + y for x, y in cells])
    return np.array(ordered), np.array(tables), len(known)


class Value:
    """The value function, for the player who moved last."""

    def __init__(self, env):
        names = list(env.plane_names)
        self.planes = [np.array([names.index(f"(cell {x + 1} {y + 1} {colour})") for x in range(WIDTH)
                                 for y in range(HEIGHT)]) for colour in env.roles]
        self.cells, tables, count = lines_of_four()
        self.base = (tables * 81).astype(np.int32)[:, None]
        self.size = count * 81
        self.weights = np.zeros(2 * self.size, dtype=np.float32)  # one table for each colour

    def features(self, env, mover):
        """Lines by lanes: which weight of the table each line has."""
        planes = env.observations.T
        red, yellow = planes[self.planes[0]], planes[self.planes[1]]
        cell = np.where(mover == 0, red + 2 * yellow, yellow + 2 * red)
        a, b, c, d = (cell[self.cells[:, i]] for i in range(4))
        return (a + 3 * b + 9 * c + 27 * d).astype(np.int32) + self.base + mover.astype(np.int32) * self.size

    def of(self, features):
        return np.tanh(self.weights[features].sum(axis=0))

    def learn(self, features, error, rate):
        """Move each weight by the mean error of the positions it was part of."""
        flat = features.ravel()
        total = np.bincount(flat, np.broadcast_to(error, features.shape).ravel(), self.weights.size)
        times = np.bincount(flat, minlength=self.weights.size)
        self.weights += (rate * total / np.maximum(times, 1)).astype(np.float32)


def learn(game, seconds, games=128, seed=1, rate=0.01, whims=0.1):
    rng = np.random.default_rng(seed)
    moves = np.arange(WIDTH)  # in the order of their numbers; noop comes behind them
    tries = ludens.VectorEnv(game, games * WIDTH, keep=True)
    value, lane = Value(tries), np.arange(games)
    first = tries.packed[0].copy()
    states, mover = np.tile(first, (games, 1)), np.zeros(games, dtype=np.uint8)
    before, was, known = np.zeros((len(value.cells), games), np.int32), np.zeros(games, np.float32), np.zeros(games, bool)
    began, played, ended_games = time.process_time(), 0, 0
    while (share := (time.process_time() - began) / seconds) < 1:
        # all moves of all games, each in a lane of its own
        tries.load(np.repeat(states, WIDTH, axis=0))
        legal = tries.legal[:, :WIDTH].reshape(games, WIDTH, WIDTH)[:, moves, moves].astype(bool)
        goals, ended = tries.step(np.where(legal, moves, WAIT).ravel())
        who = np.repeat(mover, WIDTH)
        features = value.features(tries, who)
        result = np.where(who == 0, goals[:, 0], goals[:, 1]) * 2 - 1
        worth = np.where(ended == 1, result, value.of(features)).reshape(games, WIDTH)
        # the best one, or now and then any
        explore = rng.random(games) < whims
        noise = rng.random((games, WIDTH), dtype=np.float32)
        choice = np.where(legal, np.where(explore[:, None], noise, worth + 1e-4 * noise), -9).argmax(axis=1)
        chosen = lane * WIDTH + choice
        now = worth[lane, choice].astype(np.float32)
        # what came is what should have been expected, unless it was a whim
        error = np.where(known & ~explore, (-now - was) * (1 - was * was), 0)
        value.learn(before, error, rate * (1 - share) + rate / 20)
        over = ended[chosen] == 1
        states = np.where(over[:, None], first, tries.packed[chosen])
        before, was, known = features[:, chosen], now, ~over
        mover = np.where(over, 0, 1 - mover).astype(np.uint8)
        played, ended_games = played + games, ended_games + int(over.sum())
    print(f"{ended_games} games with {played} moves in {seconds:.0f} s")
    return value


class Player:
    """Looks ahead in lanes: lane i is where the moves lead that are the digits of i to the base of 7."""

    def __init__(self, game, value, depth):
        self.value, self.depth, self.game = value, depth, game
        self.env = ludens.VectorEnv(game, WIDTH ** depth, keep=True)
        digits = np.indices((WIDTH,) * depth).reshape(depth, -1)
        self.moves = list(digits)

    def choose(self, state, role):
        env = self.env
        env.batch.put(0, state)
        env.load(np.repeat(env.packed[:1], env.lanes, axis=0))
        possible = np.ones(env.lanes, dtype=bool)
        late = np.zeros(env.lanes)  # wins are better soon, losses late
        for move in self.moves:
            over = env._array("ended") == 1
            legal = env.legal[np.arange(env.lanes), move].astype(bool)
            possible &= legal | over
            late += ~over
            env.step(np.where(legal & ~over, move, WAIT))
        last = role if self.depth % 2 else 1 - role
        guess = self.value.of(self.value.features(env, np.full(env.lanes, last))) * (0.9 if last == role else -0.9)
        result = (env.goals[:, role] / 50 - 1) * (1 - 0.01 * late)
        worth = np.where(env._array("ended") == 1, result, guess).reshape((WIDTH,) * self.depth)
        possible = possible.reshape(worth.shape)
        for ply in range(self.depth - 1, 0, -1):
            ours = ply % 2 == 0
            worth = np.where(possible, worth, -9 if ours else 9)
            worth = worth.max(axis=ply) if ours else worth.min(axis=ply)
            possible = possible.any(axis=ply)
        return int(np.where(possible, worth, -9).argmax())


def compare(game, value, depth, games, opponent, seed=1):
    """What the learned player gets, 0 to 1 for each game: every second one with the other colour."""
    player, points = Player(game, value, depth), []
    for number in range(games):
        role = number % 2
        state, moves = game.start(), game.moves(0)
        with ludens.Player(game, 1 - role, opponent, seed=seed * 1000003 + number) as other:
            while not state.terminal:
                joint, turn = ["noop", "noop"], 0 if "(control red)" in state else 1
                if turn == role:
                    joint[turn] = moves[player.choose(state, role)]
                else:
                    joint[turn] = other.think(simulations=WIDTH ** depth)
                state = state.play(joint)
                other.advance(joint)
        points.append(state.goals[role] / 100)
    return np.array(points)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="of processor time for learning")
    parser.add_argument("--games", type=int, default=200, help="against the opponent")
    parser.add_argument("--depth", type=int, default=3, help="how far to look ahead; the opponent has 7^DEPTH simulations")
    parser.add_argument("--opponent", default="cadia2007", help="a name of `ludens players`")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = ludens.Game("connectFour", engine="circuit")
    value = learn(game, options.seconds, seed=options.seed)
    points = compare(game, value, options.depth, options.games, options.opponent, options.seed)
    error = 1.96 * points.std(ddof=1) / math.sqrt(len(points)) if len(points) > 1 else 1
    print(f"{100 * points.mean():.1f}% ± {100 * error:.1f} of {len(points)} games against {options.opponent}, both with "
          f"{WIDTH ** options.depth} positions or simulations a move")


if __name__ == "__main__":
    main()
