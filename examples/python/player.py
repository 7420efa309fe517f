#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A player in fifty lines that sits in matches over the network: it tries each of its moves in thousands of random games, side
by side in lanes, and plays the one that does best.

    examples/python/player.py 9147 &
    ludens match connectFour --seat red=http://localhost:9147 --seat yellow=champion --start 2 --clock 2
"""
import sys
import time

import numpy as np

import ludens

LANES = 2048
env = None  # of the match under way


def playouts(state, role, numbers):
    """What random games bring that begin with our moves in turn, and with any moves of the others."""
    env.batch.put(0, state)
    env.load(np.repeat(env.packed[:1], LANES, axis=0))
    joint = np.stack([np.resize(moves if r == role else np.random.permutation(np.resize(moves, LANES)), LANES)
                      for r, moves in enumerate(numbers)], axis=1)
    rewards, ended = env.step(joint)
    while not ended.all():
        rewards, ended = env.step()
    return rewards[:, role]


def choose(state, role, seconds):
    global env
    end = time.monotonic() + 0.8 * seconds
    moves, numbers = state.legal(role), [np.array(numbers) for numbers in state.legal_numbers()]
    if len(moves) == 1:
        return moves[0]
    if env is None or env.game is not state.game:
        env = ludens.VectorEnv(state.game, LANES, keep=True, max_steps=500, seed=int(time.time()))
    total = np.zeros(LANES)
    while time.monotonic() < end:
        total += playouts(state, role, numbers)
    sums = [total[i::len(moves)].mean() for i in range(len(moves))]
    return moves[int(np.argmax(sums))]


if __name__ == "__main__":
    ludens.serve(choose, port=int(sys.argv[1]) if len(sys.argv) > 1 else 9147, name="fifty-lines",
                 ready=lambda port: print(f"playing on port {port}", flush=True))
