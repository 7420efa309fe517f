// SPDX-License-Identifier: GPL-3.0-or-later
/* Which first move is best if everybody plays at random? A million games in lanes: batch [GAME]. */
#include <ludens.h>

#include <stdio.h>
#include <stdlib.h>

enum { LANES = 4096, GAMES = 1000000 };

struct first { /* by move */
    double sum;
    uint32_t games;
};

/* Random games in all lanes, until so many have ended; what they brought the first role, by first move. */
static bool play(struct ludens_batch *batch, struct first *first, struct ludens_error *error)
{
    static int32_t moved[LANES]; /* the first move of each lane's game, -1: it begins with this step */
    uint32_t games = 0, stride = ludens_batch_stride(batch);
    for (uint32_t lane = 0; lane < LANES; lane++) moved[lane] = -1;
    while (games < GAMES) {
        static int32_t actions[LANES];
        const uint8_t *legal = ludens_batch_legal(batch, LUDENS_PLAYER, error);
        if (!legal) return false;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            actions[lane] = LUDENS_RANDOM; /* chosen inside, but the first ones here */
            while (moved[lane] < 0) {
                uint32_t move = (uint32_t)rand() % ludens_batch_actions(batch);
                if (legal[move * stride + lane]) moved[lane] = actions[lane] = (int32_t)move;
            }
        }
        if (!ludens_batch_step(batch, actions, error)) return false;
        const uint8_t *ended = ludens_batch_ended(batch);
        const int16_t *goals = ludens_batch_goals(batch);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (!ended[lane]) continue;
            first[moved[lane]].sum += goals[lane]; /* of role 0 */
            first[moved[lane]].games++;
            moved[lane] = -1;
            games++;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct ludens_error error;
    struct ludens_game *game = ludens_game_load(argc > 1 ? argv[1] : "connectFour", &error);
    struct ludens_engine *engine = game ? ludens_engine_open(game, LUDENS_CIRCUIT, &error) : NULL;
    struct ludens_batch_options options = {.lanes = LANES, .seed = 1};
    struct ludens_batch *batch = engine ? ludens_batch_new(game, &options, &error) : NULL;
    struct first *first = batch ? calloc(ludens_batch_actions(batch), sizeof *first) : NULL;
    bool good = first && play(batch, first, &error);
    for (uint32_t move = 0; good && move < ludens_batch_moves(batch, 0); move++) {
        char text[200];
        if (!first[move].games) continue;
        ludens_move_print(engine, 0, move, text, sizeof text);
        printf("%-12s %5.1f in %u games\n", text, first[move].sum / first[move].games, first[move].games);
    }
    if (!good) fprintf(stderr, "%s\n", error.text);
    free(first);
    ludens_batch_free(batch);
    ludens_engine_free(engine);
    ludens_game_free(game);
    return !good;
}
