# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python module as people use it: games, states, players, matches, records, boards, the network."""
import gc
import inspect
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import ludens

LUDENS = os.environ["LUDENS"]


@pytest.fixture
def game():
    return ludens.Game("ticTacToe")


def test_a_game_tells_what_it_is(game):
    assert game.name == "ticTacToe" and game.roles == ("xplayer", "oplayer")
    assert game.chance is None and game.warnings == [] and "(role xplayer)" in game.rules
    assert game.engine == "circuit" and "(mark 1 1)" in game.moves("xplayer") and "(cell 1 1 x)" in game.facts
    assert "ticTacToe" in repr(game)


def test_exceptions_carry_line_and_column():
    with pytest.raises(ludens.InputError) as caught:
        ludens.Game.parse("(role me)\n  (<= (legal me go)\n", name="broken")
    assert (caught.value.line, caught.value.column) == (2, 3) and "broken:2:3" in str(caught.value)
    with pytest.raises(ValueError):  # the way of the language
        ludens.Game("noSuchGameAnywhere")
    with pytest.raises(ludens.Error) as caught:
        ludens.Game("ticTacToe").start().play("(mark 7 7)")
    assert caught.value.line is None


def test_states_do_not_change(game):
    start = game.start()
    after = start.play("(mark 2 2)")
    assert start == game.start() and start != after and hash(start) == hash(game.start())
    assert len({start, game.start(), after}) == 2
    assert list(after) == ["(cell 2 2 x)", "(control oplayer)"] == list(after.facts) and len(after) == 2
    assert "(cell 2 2 x)" in after and "(cell 2 2 x)" not in start
    assert game.state(after) == after == game.state("(CELL 2 2 x) (control oplayer)")
    assert {game.facts[i] for i in after.numbers} == set(after)
    bits = int.from_bytes(after.bits(), "little")
    assert {i for i in range(len(game.facts)) if bits >> i & 1} == set(after.numbers)


def test_moves_come_in_many_ways(game):
    start = game.start()
    assert len(start.legal("xplayer")) == 9 and start.legal(1) == ["noop"]
    assert [len(moves) for moves in start.legal()] == [9, 1]
    one, two, three = start.play("(mark 1 1)"), start.play(["(mark 1 1)", "noop"]), start.play(
        [game.moves(0).index("(mark 1 1)"), game.moves(1).index("noop")])
    assert one == two == three and start.player == 0 and one.player == 1
    for wrong in ["(mark 1 1)", ["noop"], ["noop", "noop"], 10 ** 6, 3.5, None]:
        with pytest.raises((ludens.InputError, ValueError, TypeError)):
            one.play(wrong)
    with pytest.raises(ValueError):
        start.legal("nobody")


def test_a_game_can_be_played_to_the_end(game):
    state = game.start()
    while not state.terminal:
        state = state.play([moves[0] for moves in state.legal()])
    assert sum(state.goals) == 100


def test_the_circuit_is_taken_when_it_is_ready():
    game = ludens.Game("ticTacToe", engine="background")
    state = game.start().play("(mark 3 3)")
    assert game.ready(wait=20) and game.engine == "circuit"
    assert state == game.start().play("(mark 3 3)")
    assert ludens.Game("ticTacToe", engine="lifted").engine == "lifted"
    with pytest.raises(ValueError):
        ludens.Game("ticTacToe", engine="steam")


def test_states_show_their_board(game):
    state = game.start().play("(mark 1 3)")
    assert repr(state).split("\n")[1] == "3  x · ·"
    assert state._repr_svg_().startswith("<svg ")
    board = ludens.Board(game)
    assert board.shapes == (("cell", 1, 3, 3),) and board.squares(state) == [(0, 2, 0, "x")]
    assert board.layout["boards"][0]["name"] == "cell" and board.position(state)["boards"][0][0][0] == 6
    assert board.text(state, columns=40) in repr(state)
    with pytest.raises(TypeError):
        board.svg(ludens.Game("connectFour").start())


def test_every_game_can_be_drawn():
    import xml.etree.ElementTree as ElementTree
    for name in ["checkers", "hex", "chineseCheckers3", "amazons6x6", "ticTacToe3d", "nim", "sudoku", "focus2", "hanoi"]:
        ElementTree.fromstring(ludens.Game(name).start()._repr_svg_())


def test_players_think(game):
    state = game.state("(cell 1 1 x) (cell 2 2 x) (cell 1 2 o) (cell 1 3 o) (control xplayer)")
    with ludens.Player(game, "xplayer", "cadia2007", seed=3) as player:
        player.goto(state)
        assert player.think(simulations=300) == "(mark 3 3)"
        thoughts = player.thoughts
        assert thoughts["simulations"] >= 300 and any(m["move"] == "(mark 3 3)" for m in thoughts["moves"])
        player.advance(["(mark 3 3)", "noop"])
        with pytest.raises(ValueError):
            player.think()
        with pytest.raises(ValueError):
            player.advance(["noop"])
    with pytest.raises(ValueError):
        player.think(simulations=10)
    with pytest.raises(ludens.InputError):
        ludens.Player(game, 0, "nobody")


def test_budgets_that_would_never_end_are_refused(game):
    with ludens.Player(game, 0, "nst") as player:
        for words, error in (({"seconds": float("nan")}, ludens.InputError), ({"simulations": -1}, OverflowError),
                             ({"steps": 1 << 64}, OverflowError), ({"expansions": 1.5}, TypeError)):
            with pytest.raises(error):
                player.think(**words)
            with pytest.raises(error):
                ludens.Match(game, ["random", "random"], **words)
    with pytest.raises(OverflowError):
        ludens.Batch(game, 64).play(-1)


def test_pondering_is_stopped_by_another_thread():
    player = ludens.Player(ludens.Game("connectFour"), 0, "nst")
    thread = threading.Thread(target=player.ponder)
    thread.start()
    time.sleep(0.2)
    with pytest.raises(RuntimeError):  # it is busy
        player.think(simulations=1)
    player.stop()
    thread.join(timeout=20)
    assert not thread.is_alive()
    assert player.think(simulations=10).startswith("(drop ")


def test_matches_between_players_and_functions(game, tmp_path):
    seen = []

    def first(state, role):
        assert state.game is game and not state.terminal
        return state.legal(role)[0]

    with ludens.Match(game, ["cadia2007", first], simulations=20, seed=4, on_move=lambda m: seen.append(m.state)) as match:
        moves = list(match)
        assert sum(match.goals) == 100 and match.moves == moves and match.errors == (0, 0)
        assert seen[-1].terminal and len(seen) == len(moves)
        record = match.record(states=True)
    record.write(tmp_path / "match.json")
    again = ludens.Record.read(tmp_path / "match.json")
    assert list(again) == moves and again[0] == moves[0] and len(again) == len(moves)
    assert again.players == ("cadia2007", "first") and again.roles == game.roles and again.ending == "completed"
    assert again.rewards == seen[-1].goals and again.check() == []
    assert again.state() == again.game.state(seen[-1].facts) and again.state(0) == again.game.start()
    assert list(ludens.Record.parse(str(again))) == moves and list(ludens.Record.parse(again.json())) == moves
    with pytest.raises(IndexError):
        again[len(moves)]
    with pytest.raises(ludens.Error):
        ludens.Record.parse("nonsense")
    with pytest.raises(ValueError):
        match.play()


def test_the_program_plays_the_same_match(game, tmp_path):
    goals = ludens.Match(game, ["nst", "cadia2007"], simulations=30, seed=11).play()
    path = tmp_path / "match.json"
    subprocess.run([LUDENS, "match", "ticTacToe", "--seat", "xplayer=nst", "--seat", "oplayer=cadia2007", "--sims", "30",
                    "--seed", "11", "-q", "--record", path], check=True, stdout=subprocess.DEVNULL)
    match = ludens.Match(game, ["nst", "cadia2007"], simulations=30, seed=11)
    match.play()
    assert list(ludens.Record.read(path)) == match.moves and match.goals == goals


def test_what_a_seat_raises_ends_the_match(game):
    def broken(state, role):
        raise KeyError("lost")

    match = ludens.Match(game, {"oplayer": broken}, simulations=1)
    with pytest.raises(KeyError, match="lost"):
        match.play()
    match = ludens.Match(game, ["random", lambda state, role: "(mark 9 9)"], simulations=1)
    match.play()
    assert match.errors[1] == len(match.moves)
    for seats in ["random"], ["random", 3], {"nobody": "random"}, ["random", "nobody"]:
        with pytest.raises((ValueError, TypeError)):
            ludens.Match(game, seats)


def test_a_function_sits_in_a_match_over_the_network():
    program = "import ludens; ludens.serve(lambda s, role, t: s.legal(role)[-1], port=0, ready=lambda p: print(p, flush=True))"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline())
            out = subprocess.run([LUDENS, "match", "ticTacToe", "--seat", f"xplayer=http://127.0.0.1:{port}", "--seat",
                                  "oplayer=random", "--start", "1", "--clock", "2", "--seed", "5"], text=True,
                                 stdout=subprocess.PIPE, timeout=120)
            assert out.returncode == 0, out.stdout  # nothing was replaced
            assert "Result:" in out.stdout
            server.send_signal(signal.SIGINT)  # as Ctrl-C does
            assert server.wait(timeout=20) != 0
        finally:
            server.kill()


def test_threads_may_ask_at_the_same_time(game):
    def wander():
        for i in range(50):
            state = game.start()
            while not state.terminal:
                state = state.play([moves[i % len(moves)] for moves in state.legal()])
    threads = [threading.Thread(target=wander) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_nothing_leaks(game):
    import resource

    def work():
        for _ in range(300):
            state = game.start().play("(mark 1 1)")
            list(state), repr(state), state.legal(), state.bits()
            with pytest.raises(ludens.Error):
                state.play("nonsense")
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work()
    before = work()
    assert work() - before < 2000  # kB


def test_arrays_with_gaps_are_not_taken_for_plain_ones():
    batch = ludens.Batch(ludens.Game("connectFour"), 64)
    goals = batch.tensor("goals")
    assert not memoryview(goals).c_contiguous
    with pytest.raises(BufferError, match="by their strides"):
        batch.step(goals)


def test_the_docs_tell_the_truth(tmp_path, monkeypatch, capsys):
    import re
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "docs", "library.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(block, names)
    assert len(blocks) > 1 and (tmp_path / "match.json").exists()
    assert capsys.readouterr().out.endswith("2 1\n")


def test_everything_is_documented_and_in_the_stubs():
    stubs = open(os.path.join(os.path.dirname(ludens.__file__), "__init__.pyi"), encoding="utf-8").read()
    compile(stubs, "__init__.pyi", "exec")
    for name in ludens.__all__:
        thing = getattr(ludens, name)
        assert inspect.getdoc(thing), name
        if name == "VectorEnv" or not isinstance(thing, type):
            continue
        assert f"class {name}" in stubs
        for part in vars(thing):
            if not part.startswith("_") and not issubclass(thing, Exception):
                assert f"def {part}(" in stubs, f"{name}.{part}"
                assert inspect.getdoc(getattr(thing, part)), f"{name}.{part}"
