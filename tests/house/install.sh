#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: install.sh BUILD-FOLDER
# What is installed works far from the source: the program finds its games and experiments, and a stranger's program compiles
# with what pkg-config says and plays one of them. The manual, completion and documents come with it; what was installed can be
# uninstalled, and then nothing is left.
set -eu
build=$(cd "$1" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$root"
unset LUDENS_GAMES
cd "$root"

bin=$(find "$root" -name ludens -path '*/bin/*')
"$bin" --version | grep -q '^ludens [0-9]'
game=$(find "$root" -name ticTacToe.kif)
"$bin" check "$game"
"$bin" lab list | grep -q '^paper/000-table-11 '
"$bin" lab run first --games 1 --sims 2 --db lab.db 2>&1 | grep -q ' games are there'

for name in man/man1/ludens-lab-run.1 man/man3/ludens.3 man/man5/gdl.5 bash-completion/completions/ludens zsh/site-functions/_ludens \
    fish/vendor_completions.d/ludens.fish doc/ludens/guide/README.md doc/ludens/NEWS; do
    find "$root" -path "*/share/$name" | grep -q . || { echo "share/$name is not installed"; exit 1; }
done

cat >stranger.c <<'C'
#include <ludens.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    struct ludens_error error;
    struct ludens_game *game = ludens_game_load(argv[argc - 1], &error);
    struct ludens_engine *engine = game ? ludens_engine_new(game, &error) : NULL;
    struct ludens_state *state = engine ? ludens_state_new(engine, &error) : NULL;
    bool over = false;
    int steps = 0;
    if (!state) return fprintf(stderr, "%s\n", error.text), 1;
    while (ludens_state_terminal(state, &over, &error) && !over) {
        uint32_t joint[16], count;
        const uint32_t *moves;
        for (uint32_t role = 0; role < ludens_game_roles(game); role++) {
            if (!ludens_state_moves(state, role, &moves, &count, &error)) return 1;
            joint[role] = moves[0];
        }
        if (!ludens_state_play(state, joint, &error)) return 1;
        steps++;
    }
    printf("%s is over after %d steps\n", ludens_game_name(game), steps);
    ludens_state_free(state);
    ludens_engine_free(engine);
    ludens_game_free(game);
    return 0;
}
C
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name ludens.pc)")
PKG_CONFIG_SYSROOT_DIR=$root
LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libludens.so)")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR LD_LIBRARY_PATH
# shellcheck disable=SC2046 # words on purpose
cc -std=c11 -Wall -Wextra -Wpedantic -Werror stranger.c -o stranger $(pkg-config --cflags --libs ludens)
./stranger "$game" | grep -x 'ticTacToe is over after [5-9] steps'

# The Python module, where it was built, finds the library beside it.
core=$(find "$root" -name _core.abi3.so)
if [ -n "$core" ]; then
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$(dirname "$core")") /usr/bin/python3 - "$game" <<'PYTHON'
import sys
import ludens
assert "dist-packages" in ludens.__file__
assert ludens.Game(sys.argv[1]).start().play("(mark 2 2)").player == 1
PYTHON
fi

rm -f stranger stranger.c lab.db*
ninja -C "$build" --quiet uninstall >/dev/null
if [ -e "$root" ] && find "$root" ! -type d | grep .; then
    echo "uninstalling left this behind"
    exit 1
fi
