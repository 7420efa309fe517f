# SPDX-License-Identifier: GPL-3.0-or-later
"""The same in the shapes that learning programs know: Gymnasium's vector API and PettingZoo's two. Neither has to be
installed; where Gymnasium is, its spaces are used, else small ones with the same names.

In all of them an observation is the state as 0 and 1 (VectorEnv.plane_names tells what is what), and `action_mask` says
which of the numbered moves are legal.
"""
import numpy as np

from .vector import RANDOM, WAIT, VectorEnv

try:
    from gymnasium.spaces import Discrete, MultiBinary
except ImportError:

    class Discrete:
        """The numbers 0 to n - 1."""

        def __init__(self, n, seed=None):
            self.n, self.shape, self.dtype = int(n), (), np.dtype(np.int64)
            self._rng = np.random.default_rng(seed)

        def sample(self, mask=None):
            choices = np.flatnonzero(mask) if mask is not None else np.arange(self.n)
            return int(self._rng.choice(choices))

        def contains(self, x):
            return 0 <= int(x) < self.n

        __contains__ = contains

        def __repr__(self):
            return f"Discrete({self.n})"

    class MultiBinary:
        """Rows of n bits."""

        def __init__(self, n, seed=None):
            self.n, self.shape, self.dtype = n, (n,), np.dtype(np.int8)
            self._rng = np.random.default_rng(seed)

        def sample(self):
            return self._rng.integers(0, 2, self.shape).astype(self.dtype)

        def contains(self, x):
            x = np.asarray(x)
            return x.shape == self.shape and bool(((x == 0) | (x == 1)).all())

        __contains__ = contains

        def __repr__(self):
            return f"MultiBinary({self.n})"


class GymnasiumVectorEnv:
    """Gymnasium's vector API: `lanes` games in which we play one role against `opponent`, a function of the VectorEnv that
    returns an action for each lane (None: random moves). A game that has ended is begun anew by the next step, which
    takes no action there (Gymnasium's AutoresetMode.NEXT_STEP)."""

    metadata = {"render_modes": ["ansi"], "autoreset_mode": "NextStep"}

    def __init__(self, game, lanes, role=0, opponent=None, *, threads=1, seed=1, max_steps=0):
        self.env = VectorEnv(game, lanes, threads=threads, seed=seed, keep=True, max_steps=max_steps)
        self.num_envs = lanes
        self.role = self.env.roles.index(role) if isinstance(role, str) else role
        self.opponent = opponent
        self.single_observation_space = MultiBinary(self.env.observations.shape[1])
        self.single_action_space = Discrete(self.env.actions)
        self.render_mode = None
        self.closed = False
        self._over = np.zeros(lanes, dtype=bool)

    def _ours(self):
        return (self.env.player == self.role) | self._over

    def _wait_for_turn(self):
        """The others move until everybody waits for us, or is over."""
        total = np.zeros(self.num_envs, dtype=np.float32)
        while not (ours := self._ours()).all():
            actions = np.full(self.num_envs, RANDOM) if self.opponent is None else np.array(self.opponent(self.env))
            rewards, ended = self.env.step(np.where(ours, WAIT, actions))
            total += np.where(self._over, 0, rewards[:, self.role])
            self._over |= ended != 0
        return total

    def _look(self):
        return self.env.observations.astype(np.int8), {"action_mask": self.env.legal.astype(np.int8)}

    def reset(self, *, seed=None, options=None):
        self.env.reset(seed=seed)
        self._over[:] = False
        self._wait_for_turn()
        return self._look()

    def step(self, actions):
        begins = self._over.copy()
        if begins.any():
            self.env.reset(which=begins)
            self._over[:] = False
        rewards, ended = self.env.step(np.where(begins, WAIT, np.asarray(actions)))
        reward = np.where(begins, 0, rewards[:, self.role]).astype(np.float32)
        self._over |= (ended != 0) & ~begins
        reward += self._wait_for_turn()
        truncated = (self.env._array("ended") == 2) & self._over
        observations, infos = self._look()
        return observations, reward, self._over & ~truncated, truncated, infos

    def render(self):
        return tuple(str(self.env[lane]) for lane in range(self.num_envs))

    def close(self):
        self.closed = True


class _PettingZoo:
    """What the two shapes of PettingZoo share: one game, roles as agents."""

    render_mode = "ansi"

    def __init__(self, game, *, seed=1, max_steps=0):
        self.env = VectorEnv(game, 1, seed=seed, keep=True, max_steps=max_steps)
        self.possible_agents = list(self.env.roles)
        self.agents = []
        self.metadata = {"name": self.env.game.name, "render_modes": ["ansi"], "is_parallelizable": True}
        self._moves = [self.env.legal_of(role).shape[1] for role in range(len(self.possible_agents))]

    @property
    def num_agents(self):
        return len(self.agents)

    @property
    def max_num_agents(self):
        return len(self.possible_agents)

    @property
    def unwrapped(self):
        return self

    def observation_space(self, agent):
        return MultiBinary(self.env.observations.shape[1])

    def action_space(self, agent):
        return Discrete(self._moves[self.possible_agents.index(agent)])

    def observe(self, agent):
        role = self.possible_agents.index(agent)
        return {"observation": self.env.observations[0].astype(np.int8),
                "action_mask": self.env.legal_of(role)[0].astype(np.int8)}

    def state(self):
        return self.env.observations[0].astype(np.int8)

    def render(self):
        return str(self.env[0])

    def close(self):
        pass

    def _forced(self):
        """The only move of each role, -1 where there are several or none."""
        legal = [self.env.legal_of(role)[0] for role in range(len(self.possible_agents))]
        return [int(row.argmax()) if row.sum() == 1 else RANDOM for row in legal]

    def _result(self):
        """Rewards, terminations, truncations by agent, after a step."""
        ended = int(self.env._array("ended")[0])
        rewards = {a: float(self.env._rewards[0, i]) for i, a in enumerate(self.possible_agents)}
        return rewards, {a: ended == 1 for a in self.possible_agents}, {a: ended == 2 for a in self.possible_agents}


class ParallelEnv(_PettingZoo):
    """PettingZoo's parallel API: every role moves at every step; who has no choice may be left out."""

    def reset(self, seed=None, options=None):
        self.env.reset(seed=seed)
        self.agents = list(self.possible_agents)
        return {a: self.observe(a) for a in self.agents}, {a: {} for a in self.agents}

    def step(self, actions):
        joint = self._forced()
        for agent, action in actions.items():
            joint[self.possible_agents.index(agent)] = action
        self.env.step(np.array([joint]))
        rewards, terminations, truncations = self._result()
        observations = {a: self.observe(a) for a in self.agents}
        infos = {a: {} for a in self.agents}
        if any(terminations.values()) or any(truncations.values()):
            self.agents = []
        return observations, rewards, terminations, truncations, infos


class AECEnv(_PettingZoo):
    """PettingZoo's AEC API: one agent after the other. Where roles choose at once they are asked in their order, and the
    step is made when the last has answered; who has no choice is not asked."""

    def reset(self, seed=None, options=None):
        self.env.reset(seed=seed)
        self.agents = list(self.possible_agents)
        self.rewards = {a: 0.0 for a in self.agents}
        self._cumulative_rewards = {a: 0.0 for a in self.agents}
        self.terminations = {a: False for a in self.agents}
        self.truncations = {a: False for a in self.agents}
        self.infos = {a: {} for a in self.agents}
        self._ask()

    def _ask(self):
        """Whom to ask in this state."""
        self._joint = self._forced()
        self._asked = [r for r, move in enumerate(self._joint) if move == RANDOM] or [int(self.env.player[0])]
        self.agent_selection = self.possible_agents[self._asked[0]]

    def last(self, observe=True):
        a = self.agent_selection
        return (self.observe(a) if observe else None, self._cumulative_rewards[a], self.terminations[a],
                self.truncations[a], self.infos[a])

    def agent_iter(self, max_iter=2 ** 63):
        while self.agents and max_iter > 0:
            yield self.agent_selection
            max_iter -= 1

    def _leave(self):
        """Who is over steps once more, with None, and is gone."""
        self.agents.remove(self.agent_selection)
        if self.agents:
            self.agent_selection = self.agents[0]

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise ValueError(f"{agent} is over: its action is None")
            self._leave()
            return
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {a: 0.0 for a in self.agents}
        self._joint[self._asked.pop(0)] = action
        if self._asked:
            self.agent_selection = self.possible_agents[self._asked[0]]
            return
        self.env.step(np.array([self._joint]))
        self.rewards, self.terminations, self.truncations = self._result()
        for a in self.agents:
            self._cumulative_rewards[a] += self.rewards[a]
        if any(self.terminations.values()) or any(self.truncations.values()):
            self.agent_selection = self.agents[0]
        else:
            self._ask()
