// SPDX-License-Identifier: GPL-3.0-or-later
/* Can the players be trusted with any game? Plays a few moves of one game after the other, from the beginning
 * or from the middle of a random game, with a different preset in every seat, one second a move, and looks at
 * what a game master would: is the answer there in time, is it legal, and does memory stay within bounds.
 *
 *     soak [-m MINUTES] [-c SECONDS] [-n MOVES] [-M MEGABYTES] [-t THREADS] [-s SEED] [-p PART/PARTS] GAME...
 *
 * With -t every seat has so many threads, on one tree, with a tree each, and for playouts only in turn.
 * Between moves seats ponder in a thread for a moment and are stopped: the time until they have is measured,
 * too. Exits with 1 if anything was wrong. Several processes may take a part of the games each. */
#include "player/player.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    double minutes, clock;
    int moves, memory, threads, part, parts;
    uint64_t seed;
} opt = {10, 1, 2, 64, 0, 0, 1, 1};

static struct {
    uint32_t games, answers, late, illegal, silent, slow_stops, fat, refused;
    double worst, worst_stop; /* least time left over; longest time to stop */
} total = {.worst = 1e9};

static const char *const presets[] = {"champion", "cadia2012", "nst", "cadia2010", "cadia2007",  "lgr-nst",
                                      "rave",     "past",      "ary", "fast",      "mast-decay", "tomast"};
enum { PRESETS = sizeof presets / sizeof *presets };

enum {
    GROUND_MEGABYTES = 1024, /* what grounding may take */
    OTHER_MEGABYTES = 512,   /* engines, tables of the policies, and the rest of the program */
    SLOW_STOP = 50,          /* milliseconds */
};

static double resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long size = 0, pages = 0;
    if (f && fscanf(f, "%ld %ld", &size, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

struct table {
    struct game *game;
    struct engine *engine;
    struct reasoner *referee;
    struct state state;
    struct player *players[MCTS_MAX_ROLES];
    struct rng rng;
    bool terminal;
    /* for the line about it */
    const char *engine_name;
    uint64_t simulations, collections;
    double seconds, worst, worst_stop, resident;
    uint32_t answers;
    char trouble[400];
};

static void complain(struct table *t, uint32_t *count, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void complain(struct table *t, uint32_t *count, const char *format, ...)
{
    va_list args;
    size_t n = strlen(t->trouble);
    va_start(args, format);
    vsnprintf(t->trouble + n, sizeof t->trouble - n, format, args);
    va_end(args);
    if (count) ++*count;
}

static bool contains(const struct list *l, uint32_t x)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->v[i] == x) return true;
    return false;
}

/* --- The referee ---------------------------------------------------------------------------------------- */

static bool random_joint(struct table *t, uint32_t *joint)
{
    struct list legal = {0};
    bool good = true;
    for (uint32_t r = 0; r < t->game->nroles && good; r++) {
        good = t->referee->ops->legal(t->referee, &t->state, r, &legal) && legal.n > 0;
        if (good) joint[r] = legal.v[rng_below(&t->rng, legal.n)];
    }
    list_done(&legal);
    return good;
}

static bool make(struct table *t, const uint32_t *joint)
{
    struct state next = {0};
    bool good = t->referee->ops->next(t->referee, &t->state, joint, &next);
    if (good) {
        struct state swap = t->state;
        t->state = next;
        next = swap;
        good = t->referee->ops->terminal(t->referee, &t->state, &t->terminal);
    }
    state_done(&next);
    return good;
}

/* Somewhere in a random game, as far as half a second goes; every second match begins at the beginning. */
static void go_somewhere(struct table *t)
{
    struct reasoner *r = t->referee;
    uint32_t joint[MCTS_MAX_ROLES], steps = rng_below(&t->rng, 2) ? rng_below(&t->rng, 60) : 0;
    struct state before = {0};
    r->ops->initial(r, &t->state);
    r->ops->terminal(r, &t->state, &t->terminal);
    r->deadline = clock_now() + 0.5;
    while (steps-- && !t->terminal && state_copy(&before, &t->state) && random_joint(t, joint) &&
           make(t, joint) && clock_now() < r->deadline)
        ;
    r->deadline = 0;
    if (t->terminal) { /* one step back */
        state_copy(&t->state, &before);
        t->terminal = false;
    }
    state_done(&before);
}

/* --- The players ---------------------------------------------------------------------------------------- */

struct pondering {
    struct player *player;
    atomic_bool stop;
    double stopped, cpu; /* when; processor time that it took in all */
};

static void *ponder(void *data)
{
    struct pondering *p = data;
    struct error error;
    player_ponder(p->player, &(struct budget){.stop = &p->stop}, &error);
    p->stopped = clock_now();
    p->cpu = clock_thread();
    return NULL;
}

static void ponder_a_moment(struct table *t, uint32_t role)
{
    struct pondering p = {.player = t->players[role]};
    pthread_t thread;
    atomic_init(&p.stop, false);
    if (pthread_create(&thread, NULL, ponder, &p) != 0) return;
    usleep(rng_below(&t->rng, 100000));
    double told = clock_now();
    atomic_store(&p.stop, true);
    pthread_join(thread, NULL);
    double took = p.stopped - told;
    if (took > t->worst_stop) t->worst_stop = took;
    if (took * 1000 > SLOW_STOP)
        complain(t, &total.slow_stops, " %s stopped after %.0f ms (%.2f s of processor time in all, %s);",
                 player_config(p.player)->spec, took * 1000, p.cpu, player_report(p.player)->engine);
}

/* Ask a seat; the move, or a random one if the answer is no good. */
static bool ask(struct table *t, uint32_t role, uint32_t *move)
{
    struct player *p = t->players[role];
    struct error error = {0};
    uint32_t mine = 0;
    double asked = clock_now(), cpu = clock_thread();
    bool good = player_think(p, &(struct budget){.deadline = asked + opt.clock}, &mine, &error);
    double left = asked + opt.clock - clock_now();
    cpu = clock_thread() - cpu;
    const struct player_report *report = player_report(p);
    t->answers++;
    t->simulations += report->stats.simulations;
    t->seconds += report->stats.seconds;
    t->engine_name = report->engine;
    if (left < t->worst) t->worst = left;
    if (left < 0)
        complain(t, &total.late, " %s late by %.1f ms (%.2f s of processor time, %s);",
                 player_config(p)->spec, -left * 1000, cpu, report->engine);
    if (!good) complain(t, &total.silent, " %s: %s;", player_config(p)->spec, error.text);
    struct list legal = {0};
    bool known = t->referee->ops->legal(t->referee, &t->state, role, &legal) && legal.n > 0;
    if (good && known && !reasoner_carry_move(t->referee, player_reasoner(p), role, mine, move)) good = false;
    if (known && !(good && contains(&legal, *move))) {
        if (good) complain(t, &total.illegal, " %s: illegal move;", player_config(p)->spec);
        *move = legal.v[rng_below(&t->rng, legal.n)];
    }
    list_done(&legal);
    return known;
}

static void look_at_memory(struct table *t)
{
    double now = resident();
    double allowed = GROUND_MEGABYTES + OTHER_MEGABYTES + (double)opt.memory * t->game->nroles;
    if (now > t->resident) t->resident = now;
    if (now > allowed) complain(t, &total.fat, " %.0f MB resident, allowed are %.0f;", now, allowed);
}

static bool seat_players(struct table *t, uint32_t number, struct error *error)
{
    for (uint32_t r = 0; r < t->game->nroles; r++) {
        struct player_config config;
        static const char *const ways[] = {"tree", "root", "leaf"};
        char spec[100];
        int length = snprintf(spec, sizeof spec, "%s,memory=%d", presets[(number + r) % PRESETS], opt.memory);
        if (opt.threads)
            snprintf(spec + length, sizeof spec - (size_t)length, ",threads=%d,parallel=%s", opt.threads,
                     ways[(number / PRESETS + number + r) % 3]);
        if (!player_config_parse(spec, &config, error)) return false;
        t->players[r] = player_new(&config, t->game, t->engine, r, opt.seed + number, error);
        if (!t->players[r] || !player_goto(t->players[r], t->referee, &t->state, error)) return false;
    }
    return true;
}

static void play(struct table *t)
{
    uint32_t joint[MCTS_MAX_ROLES];
    struct error error;
    for (int i = 0; i < opt.moves && !t->terminal; i++) {
        for (uint32_t r = 0; r < t->game->nroles; r++) {
            if (!ask(t, r, &joint[r])) {
                complain(t, &total.refused, " the referee gave up: %s;", t->referee->error.text);
                return;
            }
            look_at_memory(t);
        }
        ponder_a_moment(t, rng_below(&t->rng, t->game->nroles));
        for (uint32_t r = 0; r < t->game->nroles; r++)
            if (!player_advance(t->players[r], t->referee, joint, &error))
                complain(t, &total.illegal, " a move was not understood: %s;", error.text);
        if (!make(t, joint)) {
            complain(t, &total.refused, " the referee gave up: %s;", t->referee->error.text);
            return;
        }
    }
}

static void free_table(struct table *t)
{
    for (uint32_t r = 0; t->game && r < t->game->nroles; r++) {
        struct mcts *m = t->players[r] ? player_search(t->players[r]) : NULL;
        if (m) t->collections += m->tree->collections;
        player_free(t->players[r]);
    }
    state_done(&t->state);
    reasoner_free(t->referee);
    engine_free(t->engine);
    game_free(t->game);
}

static void visit(const char *path, uint32_t number)
{
    struct error error = {0};
    struct table t = {.engine_name = "-", .worst = opt.clock};
    struct ground_limits limits = {.bytes = (size_t)GROUND_MEGABYTES << 20};
    rng_init(&t.rng, opt.seed * 1000003 + number);
    t.game = game_load(path, 0, NULL, &error);
    if (t.game && t.game->nroles <= MCTS_MAX_ROLES) {
        t.referee = reasoner_lifted(t.game, 0, &error);
        t.engine = engine_start(t.game, &limits, &error);
        if (t.referee) go_somewhere(&t);
        if (t.referee && t.engine && seat_players(&t, number, &error)) {
            play(&t);
            total.games++;
        } else {
            complain(&t, &total.refused, " %s;", error.text);
        }
    } else {
        complain(&t, &total.refused, " not playable: %s;", error.text);
    }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    uint32_t nroles = t.game ? t.game->nroles : 0;
    free_table(&t);
    malloc_trim(0);
    printf("%-36.36s %-7s %2u roles %3u answers %9.0f sims/s  %7.1f ms left  stop %5.1f ms  %4lu collections "
           "%5.0f MB, then %4.0f%s\n",
           name, t.engine_name, nroles, t.answers, t.seconds > 0 ? (double)t.simulations / t.seconds : 0,
           t.worst * 1000, t.worst_stop * 1000, (unsigned long)t.collections, t.resident, resident(),
           t.trouble);
    fflush(stdout);
    total.answers += t.answers;
    if (t.worst < total.worst) total.worst = t.worst;
    if (t.worst_stop > total.worst_stop) total.worst_stop = t.worst_stop;
}

int main(int argc, char **argv)
{
    for (int c; (c = getopt(argc, argv, "m:c:n:M:t:s:p:")) != -1;) switch (c) {
        case 'm': opt.minutes = atof(optarg); break;
        case 'c': opt.clock = atof(optarg); break;
        case 'n': opt.moves = atoi(optarg); break;
        case 'M': opt.memory = atoi(optarg); break;
        case 't': opt.threads = atoi(optarg); break;
        case 's': opt.seed = strtoull(optarg, NULL, 0); break;
        case 'p':
            if (sscanf(optarg, "%d/%d", &opt.part, &opt.parts) == 2 && opt.parts > 0) break;
            /* fall through */
        default:
            fprintf(stderr, "usage: soak [-m MINUTES] [-c SECONDS] [-n MOVES] [-M MEGABYTES] [-t THREADS] "
                            "[-s SEED] [-p PART/PARTS] GAME...\n");
            return 2;
        }
    int games = argc - optind;
    if (games == 0) return fprintf(stderr, "soak: which games?\n"), 2;
    /* In an order that brings all kinds of games early. */
    uint32_t *order = malloc((size_t)games * sizeof *order);
    struct rng rng;
    rng_init(&rng, opt.seed);
    for (uint32_t i = 0, k; order && i < (uint32_t)games; i++) {
        k = rng_below(&rng, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    double end = clock_now() + 60 * opt.minutes;
    for (uint32_t i = (uint32_t)opt.part; order && clock_now() < end; i += (uint32_t)opt.parts)
        visit(argv[optind + (int)order[i % (uint32_t)games]], i);
    free(order);
    printf(
        "%u games, %u answers: %u late, %u illegal, %u silent, %u slow to stop, %u times too much memory, %u "
        "games refused; at least %.1f ms left, stopped within %.1f ms\n",
        total.games, total.answers, total.late, total.illegal, total.silent, total.slow_stops, total.fat,
        total.refused, total.worst * 1000, total.worst_stop * 1000);
    return total.late || total.illegal || total.silent || total.slow_stops || total.fat;
}
