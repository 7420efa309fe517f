// SPDX-License-Identifier: GPL-3.0-or-later
/* A player in fifty lines: it tries its moves in random games and plays what did best. `player 9147`, and
 * then ludens match connectFour --seat red=http://localhost:9147 --seat yellow=champion --start 2 --clock 2
 */
#include <ludens.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What a random game brings us that begins with this move. */
static int playout(const struct ludens_sitting *s, uint32_t first)
{
    struct ludens_state *state = ludens_state_copy(s->state, NULL);
    uint32_t joint[64], count;
    const uint32_t *moves;
    bool over = false, good = state != NULL;
    int goal = 0;
    for (bool begin = true; good && !over; begin = false) {
        for (uint32_t r = 0; r < ludens_game_roles(s->game) && good; r++)
            if ((good = ludens_state_moves(state, r, &moves, &count, NULL) && count > 0))
                joint[r] = begin && r == s->role ? first : moves[(uint32_t)rand() % count];
        good = good && ludens_state_play(state, joint, NULL) && ludens_state_terminal(state, &over, NULL);
    }
    if (over) ludens_state_goal(state, s->role, &goal, NULL);
    ludens_state_free(state);
    return goal;
}

static bool choose(void *data, struct ludens_sitting *s, double time, uint32_t *move, struct ludens_error *e)
{
    double sum[4096] = {0}, games[4096] = {0};
    const uint32_t *moves;
    uint32_t n, best = 0;
    struct timespec from, now;
    if (!ludens_state_moves(s->state, s->role, &moves, &n, e) || n == 0 || n > 4096) return false;
    timespec_get(&from, TIME_UTC);
    for (uint32_t i = 0; timespec_get(&now, TIME_UTC), n > 1; i = (i + 1) % n) {
        if (difftime(now.tv_sec, from.tv_sec) + 1e-9 * (double)(now.tv_nsec - from.tv_nsec) > time) break;
        sum[i] += playout(s, moves[i]), games[i]++;
    }
    for (uint32_t i = 1; i < n; i++)
        if (sum[i] * games[best] > sum[best] * games[i]) best = i;
    return *move = moves[best], true;
}

int main(int argc, char **argv)
{
    struct ludens_server server = {.port = argc > 1 ? atoi(argv[1]) : 9147, .choose = choose};
    return ludens_serve(&server, NULL, NULL) ? 0 : (perror("player"), 1);
}
