// SPDX-License-Identifier: GPL-3.0-or-later
/* A match between a player of Ludens and a function of ours, watched and written down: match [RECORD.json].
 */
#include <ludens.h>

#include <stdio.h>

/* Always the last of the legal moves. */
static bool choose(void *data, struct ludens_match *match, uint32_t role, uint32_t *move)
{
    struct ludens_state *state = ludens_state_copy(ludens_match_state(match), NULL);
    const uint32_t *moves;
    uint32_t count = 0;
    bool good = state && ludens_state_moves(state, role, &moves, &count, NULL) && count > 0;
    (void)data;
    if (good) *move = moves[count - 1];
    ludens_state_free(state);
    return good;
}

static void made(void *data, struct ludens_match *match)
{
    const struct ludens_game *game = data;
    uint32_t step = ludens_match_steps(match) - 1;
    printf("%3u.", step + 1);
    for (uint32_t role = 0; role < ludens_game_roles(game); role++) {
        char text[200];
        ludens_move_print(ludens_match_engine(match), role, ludens_match_joint(match, step)[role], text,
                          sizeof text);
        printf(" %s", text);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct ludens_error error;
    struct ludens_game *game = ludens_game_load("connectFour", &error);
    struct ludens_match_options options = {
        .budget = {.simulations = 500}, .seed = 1, .made = made, .data = game};
    struct ludens_match *match = game ? ludens_match_new(game, &options, &error) : NULL;
    struct ludens_seat ours = {.name = "the last move", .choose = choose};
    bool good = match && ludens_match_sit(match, 0, "champion", &error) &&
                ludens_match_sit_callback(match, 1, &ours, &error) && ludens_match_play(match, &error);
    for (uint32_t role = 0; good && role < ludens_game_roles(game); role++)
        printf("%s gets %d\n", ludens_game_role(game, role), ludens_match_goal(match, role));
    if (good && argc > 1) {
        struct ludens_record *record = ludens_match_record(match, false, &error);
        good = record && ludens_record_write(record, argv[1], &error);
        ludens_record_free(record);
    }
    if (!good) fprintf(stderr, "%s\n", error.text);
    ludens_match_free(match);
    ludens_game_free(game);
    return !good;
}
