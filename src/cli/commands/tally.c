// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/tally.h"

#include "cli/terminal.h"
#include "match/forfeit.h"

#include <math.h>

void tally_add(struct tally *t, const struct match *m)
{
    if (m->forfeits)
        t->forfeited++;
    else if (m->terminal)
        t->completed++;
    else
        t->aborted++;
    for (uint32_t r = 0; r < m->game->nroles; r++) {
        struct tally_row *row = &t->row[r];
        row->forfeits += m->forfeits >> r & 1;
        row->mute += forfeit_mute(m, r);
        for (uint32_t i = 0; i < m->nsteps; i++) {
            double s = (double)m->steps[i].seconds[r];
            row->moves++;
            row->seconds += s;
            if (s > row->longest) row->longest = s;
        }
        if (m->goals[r] == GOAL_UNDEFINED) continue;
        row->rewards++;
        row->sum += m->goals[r];
        row->squares += (double)m->goals[r] * m->goals[r];
    }
    for (uint32_t i = 0; i < m->nremarks; i++) t->row[m->remarks[i].role].errors[m->remarks[i].kind]++;
}

static int widest(const char *const *words, uint32_t n, int at_least)
{
    for (uint32_t i = 0; i < n; i++)
        if (text_columns(words[i]) > at_least) at_least = text_columns(words[i]);
    return at_least;
}

void tally_print(FILE *out, const struct tally *t, const struct game *game, const char *const *players)
{
    int role_width = widest((const char *const *)game->role_names, game->nroles, 4),
        player_width = widest(players, game->nroles, 6);
    fprintf(out, "\n%u %s completed", t->completed, t->completed == 1 ? "match" : "matches");
    if (t->forfeited) fprintf(out, ", %u forfeited", t->forfeited);
    if (t->aborted) fprintf(out, ", %u aborted", t->aborted);
    fprintf(out, "\n\n%-*s  %-*s   reward   +-95%%   late illegal failed   s/move  longest\n", role_width,
            "role", player_width, "player");
    for (uint32_t r = 0; r < game->nroles; r++) {
        const struct tally_row *row = &t->row[r];
        double n = row->rewards, mean = n > 0 ? row->sum / n : NAN;
        double variance = n > 1 ? (row->squares - n * mean * mean) / (n - 1) : NAN;
        fprintf(out, "%-*s  %-*s  ", role_width, game->role_names[r], player_width, players[r]);
        if (n > 0)
            fprintf(out, "%7.2f", mean);
        else
            fprintf(out, "%7s", "-");
        if (n > 1)
            fprintf(out, " %7.2f", 1.96 * sqrt((variance > 0 ? variance : 0) / n));
        else
            fprintf(out, " %7s", "-");
        fprintf(out, " %6u %7u %6u %8.2f %8.2f\n", row->errors[MATCH_LATE], row->errors[MATCH_ILLEGAL],
                row->errors[MATCH_FAILED], row->moves ? row->seconds / (double)row->moves : 0, row->longest);
    }
    for (uint32_t r = 0; r < game->nroles; r++) {
        const struct tally_row *row = &t->row[r];
        if (row->forfeits)
            fprintf(out, "%s lost %u %s by a forfeit\n", game->role_names[r], row->forfeits,
                    row->forfeits == 1 ? "match" : "matches");
        if (row->mute)
            fprintf(out, "%s made no move of its own in %u %s: its moves are by chance\n",
                    game->role_names[r], row->mute, row->mute == 1 ? "match" : "matches");
    }
}

bool tally_fine(const struct tally *t)
{
    bool fine = !t->aborted && !t->forfeited;
    for (uint32_t r = 0; r < MCTS_MAX_ROLES; r++) fine &= !t->row[r].mute;
    return fine;
}
