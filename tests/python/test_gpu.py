# SPDX-License-Identifier: GPL-3.0-or-later
"""Games in lanes that stay on a GPU, and what other libraries see of them. The driver library is one whose device is the
processor, so a tensor "there" can be read here: `there` is a small library for tensors like those that people use."""
import ctypes
import gc
import os
import weakref

import numpy as np
import pytest

import ludens

KINDS = {(0, 32): np.int32, (0, 64): np.int64, (0, 16): np.int16, (1, 8): np.uint8, (2, 32): np.float32}


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("number", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    pass


Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def view(tensor):
    kind = np.dtype(KINDS[tensor.code, tensor.bits])
    shape = [tensor.shape[i] for i in range(tensor.ndim)]
    strides = [tensor.strides[i] * kind.itemsize for i in range(tensor.ndim)]
    size = sum((n - 1) * s for n, s in zip(shape, strides)) + kind.itemsize
    memory = (ctypes.c_char * size).from_address(tensor.data)
    return np.ndarray(shape, kind, memory, strides=strides)


class There:
    """What torch.from_dlpack() would be: takes the capsule over, and deletes the tensor when it goes."""

    def __init__(self, producer):
        assert producer.__dlpack_device__() == (2, 0)
        capsule = producer.__dlpack__(stream=1)
        self.managed = Managed.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor"))
        api.PyCapsule_SetName(capsule, b"used_dltensor")
        assert self.managed.tensor.device == 2 and self.managed.tensor.lanes == 1
        self.here = view(self.managed.tensor)
        weakref.finalize(self, self.managed.deleter, ctypes.pointer(self.managed))


class Given:
    """A tensor of moves on the device, made by somebody else."""

    def __init__(self, values, strides=None):
        self.values = np.ascontiguousarray(values)
        n = self.values.ndim
        self.shape = (ctypes.c_int64 * n)(*self.values.shape)
        self.deleted = 0
        code = 0 if self.values.dtype.kind == "i" else 2
        tensor = Tensor(self.values.ctypes.data, 2, 0, n, code, 8 * self.values.itemsize, 1, self.shape,
                        (ctypes.c_int64 * n)(*strides) if strides else None, 0)
        self.deleter = Deleter(self.delete)
        self.managed = Managed(tensor, None, self.deleter)

    def delete(self, managed):
        self.deleted += 1

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **how):
        return api.PyCapsule_New(ctypes.addressof(self.managed), b"dltensor", None)


@pytest.fixture(autouse=True)
def driver(monkeypatch):
    monkeypatch.setenv("LUDENS_CUDA", os.environ["LUDENS_FAKE_CUDA"])


def pair(game, lanes, **how):
    here = ludens.VectorEnv(game, lanes, **how)
    return here, ludens.VectorEnv(here.game, lanes, device="gpu", wrap=There, **how)


def agree(here, there, roles=2):
    lanes = here.lanes
    for name in "legal", "counts", "player", "observations", "packed", "goals":
        assert (getattr(there, name).here == getattr(here, name)).all(), name
    for role in range(roles):
        assert (there.legal_of(role).here == here.legal_of(role)).all()
    bits = np.unpackbits(there.bit_planes.here.view(np.uint8), axis=1, bitorder="little")[:, :lanes]
    assert (bits.T == here.observations).all()


@pytest.mark.parametrize("game, keep, max_steps", [("ticTacToe", False, 0), ("ticTacToe", True, 7), ("connectFour", False, 11),
                                                   ("ticTacToe", False, 2 ** 32 - 1)])
def test_the_same_moves_give_the_same_arrays(game, keep, max_steps):
    here, there = pair(game, 70, keep=keep, max_steps=max_steps)
    rng = np.random.default_rng(1)
    ends = 0
    for turn in range(16):
        actions = here.random_actions(rng) if turn % 5 else np.where(here.counts > 0, here.legal.argmax(1), 0).astype(np.int32)
        rewards, ended = here.step(actions)
        there_rewards, there_ended = there.step(Given(actions.astype(np.int32)) if turn % 2 else actions)
        assert (there_rewards.here == rewards).all() and (there_ended.here == ended).all()
        ends += (ended > 0).sum()
        agree(here, there)
    assert ends > 0


def test_joint_moves_from_the_device():
    here, there = pair("goofspiel4", 65)
    rng = np.random.default_rng(2)
    for _ in range(8):
        joint = np.stack([[rng.choice(np.flatnonzero(lane)) for lane in here.legal_of(role)] for role in (0, 1)], axis=1)
        rewards, ended = here.step(joint)
        there_rewards, there_ended = there.step(Given(joint.astype(np.int32)))
        assert (there_rewards.here == rewards).all() and (there_ended.here == ended).all()
        agree(here, there)


def test_tensors_stay_where_they_are_and_keep_what_they_lie_in():
    env = ludens.VectorEnv("ticTacToe", 10, device="gpu", wrap=There)
    legal, before = env.legal, env.legal.here.copy()
    env.step()
    assert env.legal is legal and (legal.here != before).any()
    batch = env.batch
    assert batch.device == "gpu" and "on a GPU" in repr(env)
    gc.collect()
    del env, batch
    gc.collect()
    assert legal.here.sum() == 80


def test_an_array_can_be_copied_here():
    env = ludens.VectorEnv("connectFour", 33, device="gpu")
    legal = env.legal
    assert isinstance(legal, ludens.Array) and legal.shape == (33, env.actions)
    copy = np.asarray(legal.copy())
    env.step()
    assert copy.shape == (33, env.actions) and (copy.sum(1) == 7).all()
    assert np.asarray(env.packed.copy()).shape == env.packed.shape
    with pytest.raises(BufferError, match="copy"):
        memoryview(legal)
    with pytest.raises(BufferError, match="tensor"):
        env.batch.array("legal")
    with pytest.raises(BufferError, match="step"):
        env.random_actions(np.random.default_rng(1))


def test_capsules_as_the_standard_wants_them():
    batch = ludens.Batch(ludens.Game("ticTacToe"), 5, device="gpu")
    array = batch.tensor("rewards")
    capsule = array.__dlpack__(max_version=(1, 1), dl_device=(2, 0), copy=False)
    versioned = Versioned.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor_versioned"))
    assert (versioned.major, versioned.flags) == (1, 1) and view(versioned.tensor).shape == (5, 2)
    del capsule  # nobody took it: it is deleted
    for wrong in {"dl_device": (1, 0)}, {"copy": True}:
        with pytest.raises(BufferError):
            array.__dlpack__(**wrong)
    with pytest.raises(TypeError):
        array.__dlpack__(max_version="new")


def test_numpy_takes_what_is_here():
    env = ludens.VectorEnv("connectFour", 40)
    assert env.batch.tensor("legal").__dlpack_device__() == (1, 0)
    legal = np.from_dlpack(env.batch.tensor("legal"))
    assert (legal == env.legal).all() and legal.ctypes.data == env.legal.ctypes.data
    assert (np.asarray(env.batch.tensor("states").copy()) == env.observations).all()


def test_wrong_moves_are_refused_wherever_they_lie():
    env = ludens.VectorEnv("ticTacToe", 3, device="gpu")
    before = bytes(env.packed.copy())
    for moves, error, words in [(Given(np.full(3, 77, np.int32)), ludens.InputError, "lane 0: move 77 is not legal"),
                                (Given(np.zeros(3, np.int64)), TypeError, "32 bits"),
                                (Given(np.zeros(3, np.float32)), TypeError, "whole numbers"),
                                (Given(np.zeros(4, np.int32)), ValueError, "3 moves"),
                                (Given(np.zeros((3, 3), np.int32)), ValueError, "3 by 2"),
                                (Given(np.zeros(3, np.int32), strides=[2]), TypeError, "gaps"),
                                ([1, 2], ValueError, "3 moves")]:
        with pytest.raises(error, match=words):
            env.step(moves)
    assert bytes(env.packed.copy()) == before


def test_states_there_and_back():
    here, there = pair("connectFour", 20)
    for _ in range(6):
        here.step()
    there.load(here.packed)
    agree(here, there)
    there.step()
    assert there[3] != here[3]
    there.load(Given(here.packed.view(np.int64)))
    agree(here, there)
    there[3] = here.game.start()
    assert there[3] == here.game.start() and there[4] == here[4]
    there.reset(which=np.arange(20) == 4)
    assert there[4] == here.game.start() and there[5] == here[5]


def test_random_games_are_those_of_the_seed():
    runs = [ludens.VectorEnv("ticTacToe", 1000, device="gpu", seed=seed).play(50) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    games, steps, undefined, goals = runs[0]
    assert games > 6000 and steps == 50000 and undefined == 0
    assert 63 < goals[0] / games < 67 and goals[0] + goals[1] == 100 * games


@pytest.mark.parametrize("fails, words", [("no-device", "the driver finds none"), ("no-memory", "not enough memory")])
def test_no_gpu_is_one_line(monkeypatch, fails, words):
    monkeypatch.setenv("FAKE_CUDA", fails)
    with pytest.raises(ludens.Error, match=words) as error:
        ludens.VectorEnv("ticTacToe", 10, device="gpu")
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="'cpu' or 'gpu'"):
        ludens.VectorEnv("ticTacToe", 10, device="tpu")


def test_a_gpu_whose_memory_is_full_for_a_while(monkeypatch):
    env = ludens.VectorEnv("ticTacToe", 10, device="gpu")
    monkeypatch.setenv("FAKE_CUDA", "no-memory")
    with pytest.raises(ludens.MemoryLimitError, match="not enough memory"):
        env.observations
    monkeypatch.delenv("FAKE_CUDA")
    env.reset()
    assert env.observations.shape[0] == 10


def test_a_gpu_that_is_taken_away(monkeypatch):
    env = ludens.VectorEnv("ticTacToe", 10, device="gpu")
    monkeypatch.setenv("FAKE_CUDA", "lost")
    with pytest.raises(ludens.SystemFailure, match="unspecified launch failure"):
        for _ in range(5):
            env.step()
    for broken in env.reset, env.step, lambda: env.legal, lambda: env.play(1), lambda: env[0]:
        with pytest.raises(ludens.SystemFailure, match="unspecified launch failure"):
            broken()
