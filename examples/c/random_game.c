// SPDX-License-Identifier: GPL-3.0-or-later
/* A random game, drawn move by move: random_game [GAME]. */
#include <ludens.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct ludens_error error;
    struct ludens_game *game = ludens_game_load(argc > 1 ? argv[1] : "ticTacToe", &error);
    struct ludens_engine *engine = game ? ludens_engine_new(game, &error) : NULL;
    struct ludens_board *board = engine ? ludens_board_new(engine, &error) : NULL;
    struct ludens_state *state = board ? ludens_state_new(engine, &error) : NULL;
    bool good = state != NULL, over = false;
    char text[10000];
    srand(1);
    while (good && ludens_state_terminal(state, &over, &error) && !over) {
        uint32_t joint[64], count;
        const uint32_t *moves;
        for (uint32_t role = 0; role < ludens_game_roles(game) && good; role++) {
            good = ludens_state_moves(state, role, &moves, &count, &error) && count > 0;
            if (!good) break;
            joint[role] = moves[(uint32_t)rand() % count];
            ludens_move_print(engine, role, joint[role], text, sizeof text);
            printf("%s%s %s", role ? ", " : "", ludens_game_role(game, role), text);
        }
        good = good && ludens_state_play(state, joint, &error);
        if (good) ludens_board_text(board, state, 80, text, sizeof text);
        if (good) printf("\n\n%s\n", text);
    }
    for (uint32_t role = 0; good && role < ludens_game_roles(game); role++) {
        int goal;
        if (ludens_state_goal(state, role, &goal, &error))
            printf("%s gets %d\n", ludens_game_role(game, role), goal);
    }
    if (!good) fprintf(stderr, "%s\n", error.text);
    ludens_state_free(state);
    ludens_board_free(board);
    ludens_engine_free(engine);
    ludens_game_free(game);
    return !good;
}
