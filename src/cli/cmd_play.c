// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens play: a match in the terminal, its boards drawn. */
#include "cli/board.h"
#include "cli/engine.h"
#include "cli/seat.h"
#include "cli/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct play_options {
    uint64_t seed;
    int64_t steps;
    double delay;
    const char *engine, *others;
    struct option_list seats;
};

struct match {
    struct session session;
    struct playout playout;
    struct analysis *analysis;
    struct seat *seats;
    struct board_style style;
    struct state before; /* the state the last move was made in */
};

/* What everybody did, except those who had to. */
static void print_moves(struct match *m, struct heap *heap)
{
    struct playout *p = &m->playout;
    struct text t;
    bool choice = false;
    for (uint32_t role = 0; role < m->session.game->nroles; role++) choice |= p->legal[role].n > 1;
    printf("\n%u. ", p->ply + 1);
    const char *comma = "";
    for (uint32_t role = 0; role < m->session.game->nroles; role++) {
        if (choice && p->legal[role].n == 1) continue;
        text_init(&t, heap);
        reasoner_print_move(p->reasoner, role, p->joint[role], false, &t);
        printf("%s%s %s", comma, m->session.game->role_names[role], text_str(&t));
        comma = ", ";
    }
    puts("\n");
}

static bool choose(struct match *m, struct error *error)
{
    struct playout *p = &m->playout;
    for (uint32_t role = 0; role < m->session.game->nroles; role++) {
        p->joint[role] = p->legal[role].v[0];
        if (p->legal[role].n > 1 &&
            !m->seats[role].player->choose(&m->seats[role], p, &p->joint[role], error))
            return false;
    }
    return true;
}

static void wait(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
    fflush(stdout);
    nanosleep(&t, NULL);
}

static bool print_goals(struct match *m, struct error *error)
{
    int goal;
    struct playout *p = &m->playout;
    printf("\nThe game is over after %u steps:", p->ply);
    for (uint32_t role = 0; role < m->session.game->nroles; role++) {
        if (!reasoner_goal(p->reasoner, &p->state, role, &goal)) {
            *error = p->reasoner->error;
            return false;
        }
        printf("%s %s ", role ? "," : "", m->session.game->role_names[role]);
        if (goal == GOAL_UNDEFINED)
            printf("undefined");
        else
            printf("%d", goal);
    }
    puts(".");
    return true;
}

static bool play(struct match *m, const struct play_options *o, struct heap *heap, struct error *error)
{
    struct playout *p = &m->playout;
    bool first = true;
    if (!playout_begin(p, o->seed, 0)) {
        *error = p->reasoner->error;
        return false;
    }
    for (;;) {
        if (!board_draw(stdout, &m->style, m->analysis, p->reasoner, &p->state, first ? NULL : &m->before,
                        error))
            return false;
        if (p->terminal) return print_goals(m, error);
        if (o->steps > 0 && p->ply >= o->steps) {
            printf("\nStopped after %u steps.\n", p->ply);
            return true;
        }
        if (o->delay > 0) wait(o->delay);
        if (atomic_load(&terminal_interrupted)) return error_set(error, ERROR_CANCELLED, "the game was left");
        if (!choose(m, error)) return false;
        print_moves(m, heap);
        if (!state_copy(&m->before, &p->state))
            return error_set(error, ERROR_MEMORY, "no memory for a state");
        if (!playout_move(p)) {
            *error = p->reasoner->error;
            return false;
        }
        first = false;
    }
}

static bool set_up_and_play(struct match *m, const struct play_options *o, struct error *error)
{
    struct analysis_options sample = {
        .games = 10, .states = 2000, .seconds = 1, .seed = 1, .cancel = &terminal_interrupted};
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    bool ok = false;
    m->style = board_style_for(stdout);
    m->seats = calloc(m->session.game->nroles, sizeof *m->seats);
    if (!m->seats || !heap) {
        heap_free(heap);
        return error_set(error, ERROR_MEMORY, "no memory");
    }
    if (seats_assign(m->seats, m->session.game, &o->seats, o->others, error) &&
        (m->analysis = analysis_new(m->session.reasoner, &sample, error)) != NULL &&
        HEAP_ENTER(heap, &guard, error)) {
        printf("%s, seed %" PRIu64 "\n", m->session.game->name, o->seed);
        for (uint32_t role = 0; role < m->session.game->nroles; role++)
            printf("%s%s: %s", role ? ", " : "", m->session.game->role_names[role], m->seats[role].text);
        puts("\n");
        ok = play(m, o, heap, error);
        heap_leave(heap);
    }
    heap_free(heap);
    return ok;
}

int cmd_play(int argc, char **argv)
{
    struct play_options o = {.steps = 1000, .delay = -1, .engine = "auto", .others = "random"};
    const struct option table[] = {
        {"seat", 's', OPTION_LIST, &o.seats, .value = "ROLE=PLAYER",
         .help = "who plays a role: random, or human (you, at the keyboard)"},
        {"others", 0, OPTION_STRING, &o.others, .value = "PLAYER", .help = "who plays the other roles"},
        {"seed", 0, OPTION_SEED, &o.seed, .value = "N",
         .help = "seed of the random numbers; 0: another each time"},
        {"delay", 'd', OPTION_REAL, &o.delay, .min = -1, .max = 3600, .value = "S",
         .help = "seconds between moves; -1: half a second on a terminal"},
        {"steps", 0, OPTION_INT, &o.steps, .min = 0, .max = 1e9, .value = "LIMIT",
         .help = "stop after so many steps; 0: never"},
        ENGINE_OPTION(&o.engine),
        {0}};
    int operands, status;
    if (!command_begin("play GAME [OPTION...]",
                       "Play a match in the terminal. With no seats given, watch a random one.\n"
                       "  ludens play connectFour --seat red=human",
                       table, 1, 1, argc, argv, &operands, &status))
        return status;
    struct match m = {0};
    struct error error;
    if (!session_open(&m.session, argv[0], argv[1], o.engine, &status)) return status;
    if (o.seed == 0) o.seed = (uint64_t)time(NULL);
    if (o.delay < 0) o.delay = isatty(STDOUT_FILENO) ? 0.5 : 0;
    terminal_catch_interrupt();
    bool ok = playout_init(&m.playout, m.session.reasoner);
    if (!ok) error = m.session.reasoner->error;
    ok = ok && set_up_and_play(&m, &o, &error);
    bool left = !ok && error.code == ERROR_CANCELLED; /* which is no trouble */
    if (left) puts("The game was left.");
    status = ok || left ? EXIT_YES : command_trouble(argv[0], &error);
    if (m.playout.legal) playout_done(&m.playout);
    state_done(&m.before);
    analysis_free(m.analysis);
    free(m.seats);
    session_close(&m.session);
    return status;
}
