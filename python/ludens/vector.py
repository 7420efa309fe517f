# SPDX-License-Identifier: GPL-3.0-or-later
"""Many games at once as NumPy arrays that lie where the library put them: nothing is copied, and each step makes new what is
looked at again."""
import numpy as np

from ._core import Batch, Game

RANDOM, WAIT = -1, -2


class VectorEnv:
    """`lanes` games of `game` side by side.

        env = VectorEnv("connectFour", 4096)
        env.reset()
        while learning:
            actions = policy(env.observations, env.legal)   # one for each lane, of whoever is to move (env.player)
            rewards, ended = env.step(actions)              # lanes by roles; lanes

    Games that end begin anew at once, so what one sees after a step is never over; with keep=True they stay until reset().
    Arrays are the library's own, read-only, and change with the next step: copy what you want to keep. Lanes come first in
    their shapes but lie side by side in memory, so work over all lanes of one move or plane is fast (`env.legal.T`).

    The interpreter lock is released while the library works; threads=0 takes every core. One thread at a time may use it.

    With device="gpu" everything stays in a GPU's memory. `wrap` makes of each array, once, what you want to work with:

        env = VectorEnv("connectFour", 1 << 20, device="gpu", wrap=torch.from_dlpack)
        actions = policy(env.observations, env.legal)       # tensors of torch, on the GPU
        rewards, ended = env.step(actions.int())

    Without it they are ludens.Array: copy() brings one here.
    """

    def __init__(self, game, lanes, *, threads=1, seed=1, keep=False, max_steps=0, device="cpu", wrap=None):
        self.game = game if isinstance(game, Game) else Game(game)
        self.batch = Batch(self.game, lanes, threads, seed, keep, max_steps, device)
        self.device = device
        self._wrap = wrap
        self.lanes = lanes
        self.num_envs = lanes
        self.actions = self.batch.actions
        self.roles = self.game.roles
        self._arrays = {}
        self._legal = self._array("legal")
        self._ended = self._array("ended")
        self._rewards = self._array("rewards")

    def _look(self, what, role):
        if self._wrap:
            return self._wrap(self.batch.tensor(what, role))
        return self.batch.tensor(what, role) if self.device == "gpu" else np.asarray(self.batch.array(what, role))

    def _array(self, what, role=-1):
        """The array, brought up to date; it is made once."""
        found = self._arrays.get((what, role))
        if found is None:
            found = self._arrays[what, role] = self._look(what, role)
        else:
            self.batch.fill(what, role)
        return found

    def reset(self, seed=None, which=None):
        """Begin anew: all lanes, or those where `which` is true."""
        if seed is not None:
            self.batch.seed(seed)
        self.batch.reset(None if which is None else np.ascontiguousarray(which, dtype=np.bool_))
        return self

    def load(self, packed):
        """States for all lanes, as `packed` has them: of another VectorEnv of the game, or kept from before."""
        self.batch.load(packed if self._is_there(packed) else np.ascontiguousarray(packed, dtype=np.uint64))

    def step(self, actions=None):
        """A move in every lane: of whoever is to move (lanes), or of every role (lanes by roles). -1 is a random move, -2
        waits, None is random everywhere. Returns rewards (lanes by roles, 0 to 1, 0 where nothing ended) and ended
        (lanes: 1 the game is over, 2 it was given up)."""
        if actions is not None and not self._is_there(actions):
            actions = np.ascontiguousarray(actions)
        self.batch.step(actions)
        self.batch.fill("ended")
        self.batch.fill("rewards")
        return self._rewards, self._ended

    def _is_there(self, tensor):
        """Something that a GPU is to read where it is."""
        return self.device == "gpu" and not isinstance(tensor, np.ndarray) and hasattr(tensor, "__dlpack__")

    def play(self, sweeps):
        """Random games, chosen and counted inside: games, steps, games without goals, sums of goals by role."""
        return self.batch.play(sweeps)

    @property
    def legal(self):
        """Lanes by moves: 1 where the move is legal for whoever is to move."""
        self.batch.fill("legal")
        return self._legal

    def legal_of(self, role):
        """Lanes by moves of this role."""
        return self._array("legal", role)

    @property
    def counts(self):
        """Lanes: how many legal moves whoever is to move has."""
        return self._array("counts")

    @property
    def player(self):
        """Lanes: the role that is to move."""
        return self._array("player")

    @property
    def observations(self):
        """Lanes by planes: 0 or 1, see plane_names."""
        return self._array("states")

    @property
    def packed(self):
        """Lanes by words: the same, 64 planes a word."""
        return self._array("packed")

    @property
    def bit_planes(self):
        """Planes by words: the same, 64 lanes a word."""
        return self._array("planes")

    @property
    def goals(self):
        """Lanes by roles: what the games brought that ended with the last step; -1 elsewhere."""
        return self._array("goals")

    @property
    def plane_names(self):
        """The fact that each plane stands for."""
        return self.batch.plane_names()

    def random_actions(self, rng):
        """A legal move for each lane, each as likely, chosen by a NumPy generator."""
        if self.device == "gpu":
            raise BufferError("on a GPU the library draws random moves: step()")
        kind = np.uint8 if self.actions < 256 else np.uint32
        rank = (rng.random(self.lanes, dtype=np.float32) * self.counts).astype(kind)
        seen, actions, before = np.zeros(self.lanes, kind), np.zeros(self.lanes, np.int32), np.empty(self.lanes, np.bool_)
        for legal in self.legal.T:  # the move behind which `rank` legal ones lie
            np.add(seen, legal, out=seen)
            np.less_equal(seen, rank, out=before)
            np.add(actions, before, out=actions)
        return actions

    def __len__(self):
        return self.lanes

    def __getitem__(self, lane):
        """The state of a lane."""
        if not 0 <= lane < self.lanes:
            raise IndexError(lane)
        return self.batch.get(lane)

    def __setitem__(self, lane, state):
        self.batch.put(lane, state)

    def __repr__(self):
        where = "on a GPU" if self.device == "gpu" else f"{self.batch.threads} threads"
        return f"<ludens.VectorEnv {self.game.name}, {self.lanes} lanes, {where}>"
