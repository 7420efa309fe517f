# SPDX-License-Identifier: GPL-3.0-or-later
"""Games in lanes as NumPy arrays, and the shapes other libraries know."""
import threading

import numpy as np
import pytest

import ludens
from ludens.adapters import AECEnv, GymnasiumVectorEnv, ParallelEnv


def test_arrays_are_views_not_copies():
    env = ludens.VectorEnv("connectFour", 100)
    legal, states = env.legal, env.observations
    assert legal.shape == (100, env.actions) and states.shape == (100, len(env.plane_names))
    before = states.copy()
    env.step()
    assert env.legal is legal and env.observations is states and (states != before).any()
    assert not legal.flags.owndata and not legal.flags.writeable and legal.strides[0] == 1
    with pytest.raises(ValueError):
        legal[0, 0] = 1
    del env  # arrays keep what they lie in
    assert legal.sum() > 0


def test_lanes_agree_with_states():
    env = ludens.VectorEnv("ticTacToe", 65, seed=2)
    game, rng = env.game, np.random.default_rng(1)
    names = env.plane_names
    states = [game.start() for _ in range(65)]
    for _ in range(30):
        actions = env.random_actions(rng)
        assert env.legal[np.arange(65), actions].all()
        for lane, state in enumerate(states):
            role = int(env.player[lane])
            assert [i for i in range(env.actions) if env.legal[lane, i]] == sorted(state.legal_numbers(role))
            assert env.counts[lane] == len(state.legal(role))
            moves = [legal[0] for legal in state.legal_numbers()]
            moves[role] = int(actions[lane])
            states[lane] = state.play(moves)
        rewards, ended = env.step(actions)
        for lane, state in enumerate(states):
            assert bool(ended[lane]) == state.terminal
            if state.terminal:
                assert tuple(rewards[lane]) == pytest.approx([g / 100 for g in state.goals])
                assert tuple(env.goals[lane]) == state.goals
                states[lane] = game.start()
            else:
                assert rewards[lane].sum() == 0 and (env.goals[lane] == -1).all()
            assert env[lane] == states[lane]
            for plane, name in zip(env.observations[lane], names):
                fact = name[5:-1] if name.startswith("(not ") else name
                assert (fact in states[lane]) == (bool(plane) == (fact == name))
    assert (np.unpackbits(env.packed.view(np.uint8), axis=1, bitorder="little")[:, :len(names)] == env.observations).all()
    planes = np.unpackbits(env.bit_planes.view(np.uint8), axis=1, bitorder="little")[:, :65]
    assert (planes.T == env.observations).all()


def test_random_actions_are_uniform():
    env = ludens.VectorEnv("connectFour", 7000)
    counts = np.bincount(env.random_actions(np.random.default_rng(3)), minlength=env.actions)
    legal = env.legal[0].astype(bool)
    assert (counts[~legal] == 0).all() and (abs(counts[legal] - 1000) < 150).all()


def test_wrong_moves_are_refused():
    env = ludens.VectorEnv("ticTacToe", 10)
    for wrong in [np.full(10, 99), np.full(10, -3), np.full(9, 0), np.zeros((10, 3), int), np.zeros(10), "abc",
                  np.full(10, 2 ** 40), np.full(10, 2 ** 64 - 1, dtype=np.uint64)]:
        with pytest.raises((ludens.InputError, ValueError, TypeError)):
            env.step(wrong)
    assert env[0] == env.game.start()
    for kind in np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64:
        env.reset()
        env.step(env.random_actions(np.random.default_rng(1)).astype(kind))
    with pytest.raises(IndexError):
        env[10]
    with pytest.raises(ludens.InputError):
        ludens.VectorEnv("ticTacToe", 0)


def test_states_can_be_put_into_lanes():
    env = ludens.VectorEnv("ticTacToe", 3)
    state = env.game.start().play("(mark 1 1)")
    env[1] = state
    assert env[1] == state and env.player.tolist() == [0, 1, 0]
    env.reset(which=[False, True, False])
    assert env[1] == env.game.start()


def test_seeds_and_threads():
    def after(threads, seed):
        env = ludens.VectorEnv("breakthrough", 2000, threads=threads, seed=seed)
        for _ in range(20):
            env.step()
        return env.packed.copy()
    assert (after(1, 5) == after(2, 5)).all() and (after(1, 5) != after(1, 6)).any()


def test_random_games_inside():
    env = ludens.VectorEnv("ticTacToe", 1000, threads=0)
    games, steps, undefined, goals = env.play(1000)
    assert undefined == 0 and 64 < goals[0] / games < 65.7 and 7.4 < steps / games < 7.8


def test_the_lock_is_released():
    env = ludens.VectorEnv("breakthrough", 4096)
    thread = threading.Thread(target=env.play, args=(2 ** 60,))
    thread.start()
    with pytest.raises(RuntimeError):  # two threads at once
        while True:
            env.step()
    env.batch.stop()
    thread.join(timeout=30)
    assert not thread.is_alive()


def test_roles_that_choose_at_once():
    env = ludens.VectorEnv("goofspiel5", 50)
    with pytest.raises(ludens.InputError, match="several roles"):
        env.step(np.zeros(50, int))
    joint = np.stack([env.legal_of(role).argmax(axis=1) for role in range(2)], axis=1)
    rewards, ended = env.step(joint)
    assert rewards.shape == (50, 2) and not ended.any()


# The shapes of others. What their documentation names is there, and is called as they call it.

def test_gymnasium_vector_shape():
    for role in 0, 1:
        env = GymnasiumVectorEnv("ticTacToe", 32, role)
        observations, infos = env.reset(seed=1)
        rng, wins, ends = np.random.default_rng(1), 0.0, 0
        assert observations.shape == (32,) + env.single_observation_space.shape
        over = np.zeros(32, bool)
        for _ in range(60):
            mask = infos["action_mask"]
            assert mask.shape == (32, env.single_action_space.n)
            assert (env.env.player[~over] == role).all() and (mask[~over].sum(axis=1) > 0).all()
            actions = np.array([rng.choice(np.flatnonzero(row)) if row.any() else 0 for row in mask])
            observations, rewards, terminations, truncations, infos = env.step(actions)
            assert rewards.shape == terminations.shape == truncations.shape == (32,) and not truncations.any()
            assert (rewards[~terminations] == 0).all() and (rewards[over] == 0).all() and not (terminations & over).any()
            wins, ends, over = wins + rewards.sum(), ends + terminations.sum(), terminations.copy()
        assert ends > 100 and abs(wins / ends - (0.65 if role == 0 else 0.35)) < 0.1
        env.close()


def test_gymnasium_opponent_is_asked():
    asked = []
    env = GymnasiumVectorEnv("ticTacToe", 4, 0, opponent=lambda e: asked.append(1) or e.legal.argmax(axis=1), max_steps=3)
    _, infos = env.reset()
    _, _, terminations, truncations, infos = env.step(infos["action_mask"].argmax(axis=1))
    assert asked and not terminations.any()
    _, _, terminations, truncations, infos = env.step(infos["action_mask"].argmax(axis=1))
    assert truncations.all() and not terminations.any()


def test_parallel_shape():
    for name in "goofspiel5", "ticTacToe":
        env = ParallelEnv(name)
        observations, infos = env.reset(seed=3)
        assert set(observations) == set(infos) == set(env.agents) == set(env.possible_agents)
        total = {a: 0.0 for a in env.agents}
        while env.agents:
            actions = {a: env.action_space(a).sample(observations[a]["action_mask"]) for a in env.agents}
            observations, rewards, terminations, truncations, infos = env.step(actions)
            for a in rewards:
                total[a] += rewards[a]
        assert all(terminations.values()) and sum(total.values()) == pytest.approx(1)
        assert env.observation_space(env.possible_agents[0]).contains(observations[env.possible_agents[0]]["observation"])


def test_aec_shape():
    for name in "ticTacToe", "goofspiel5", "chineseCheckers3":
        env = AECEnv(name, max_steps=200)
        env.reset(seed=1)
        total, steps = {a: 0.0 for a in env.possible_agents}, 0
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            total[agent] += reward
            if termination or truncation:
                action = None
            else:
                action = env.action_space(agent).sample(observation["action_mask"])
            env.step(action)
            steps += 1
        assert not env.agents and steps > 5
        if name == "ticTacToe":
            assert sum(total.values()) == pytest.approx(1)
            assert isinstance(env.render(), str)
