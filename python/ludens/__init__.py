# SPDX-License-Identifier: GPL-3.0-or-later
"""Ludens for Python: games written in GDL, their states, players, matches, records and boards, and thousands of games at a
time as NumPy arrays.

    >>> import ludens
    >>> game = ludens.Game("ticTacToe")
    >>> state = game.start().play("(mark 2 2)")
    >>> with ludens.Player(game, "oplayer") as player:
    ...     player.goto(state)
    ...     move = player.think(simulations=1000)

VectorEnv and the adapters want NumPy; nothing else does.
"""
from ._core import (Array, Batch, Board, Error, Game, InputError, InternalError, Match, MemoryLimitError, Player, Record,
                    State, StoppedError, SystemFailure, TimeLimitError, serve, version as __version__)

__all__ = ["Array", "Batch", "Board", "Error", "Game", "InputError", "InternalError", "Match", "MemoryLimitError", "Player",
           "Record", "State", "StoppedError", "SystemFailure", "TimeLimitError", "VectorEnv", "serve"]


def __getattr__(name):
    if name == "VectorEnv":  # imports NumPy when it is wanted
        from .vector import VectorEnv
        return VectorEnv
    raise AttributeError(f"module 'ludens' has no attribute '{name}'")
