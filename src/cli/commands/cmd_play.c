// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens play: a match in the terminal, its boards drawn, with what the searches think. */
#include "analysis/draw.h"
#include "cli/human.h"
#include "cli/position.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "match/record.h"
#include "player/thoughts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct play_options {
    uint64_t seed;
    int64_t steps, lines;
    double delay;
    const char *engine, *others;
    struct option_list seats;
    struct position_options position;
    struct match_budget budget;
};

struct play {
    struct play_options *o;
    struct table table;
    struct match *match;
    struct seat *seats[MCTS_MAX_ROLES];
    struct analysis *analysis;
    struct board_style style;
    struct state before; /* the state the last move was made in */
    struct heap *heap;
};

/* Only when all have chosen: who still has to choose must not see what the others think. */
static void print_thoughts(struct play *p)
{
    struct match *m = p->match;
    for (uint32_t role = 0; role < m->game->nroles && p->o->lines > 0; role++) {
        struct player *player = seat_get_player(m->seats[role]);
        char name[300];
        if (!player) continue;
        snprintf(name, sizeof name, "%s (%s)", m->game->role_names[role], m->seats[role]->name);
        thoughts_print(stdout, player, role, name, (uint32_t)p->o->lines);
    }
}

/* What everybody did, except those who had to. */
static void print_moves(struct play *p)
{
    struct match *m = p->match;
    const struct match_step *s = &m->steps[m->nsteps - 1];
    struct list legal[MCTS_MAX_ROLES] = {0};
    bool choice = false;
    for (uint32_t r = 0; r < m->game->nroles; r++) {
        m->reasoner->ops->legal(m->reasoner, &p->before, r, &legal[r]);
        choice |= legal[r].n > 1;
    }
    printf("\n%u. ", m->nsteps);
    const char *comma = "";
    for (uint32_t r = 0; r < m->game->nroles; r++) {
        if (!choice || legal[r].n > 1) {
            struct text t;
            text_init(&t, p->heap);
            reasoner_print_move(m->reasoner, r, s->joint[r], false, &t);
            printf("%s%s %s%s", comma, m->game->role_names[r], text_str(&t),
                   s->error[r] ? " (in place of an illegal or late one)" : "");
            comma = ", ";
        }
        list_done(&legal[r]);
    }
    puts("\n");
}

static void print_goals(const struct match *m)
{
    printf("\nThe game is over after %u steps:", m->nsteps);
    for (uint32_t r = 0; r < m->game->nroles; r++) {
        printf("%s %s ", r ? "," : "", m->game->role_names[r]);
        if (m->goals[r] == GOAL_UNDEFINED)
            printf("undefined");
        else
            printf("%d", m->goals[r]);
    }
    puts(".");
}

static void wait_a_little(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
    fflush(stdout);
    nanosleep(&t, NULL);
}

/* The match so far, as a record that `ludens replay` shows and `ludens think --at` reads. */
static void save(struct play *p, const char *path)
{
    struct error error;
    struct record *r = record_of_match(p->match, &(struct record_about){.seed = p->o->seed}, &error);
    if (r && record_write(r, path, &error))
        printf("saved to %s\n", path);
    else
        printf("could not save: %s\n", error.text);
    record_free(r);
}

/* What the champion would do with the same budget (a second, where there is none). */
static void hint(struct play *p, uint32_t role)
{
    struct player_config config;
    struct error error = {0};
    uint32_t move;
    const struct match_budget *mb = &p->o->budget;
    double seconds = mb->seconds > 0 ? mb->seconds : 1;
    bool counted = mb->simulations || mb->steps || mb->expansions;
    struct budget b = {.deadline = counted ? 0 : clock_now() + seconds,
                       .simulations = mb->simulations,
                       .steps = mb->steps,
                       .expansions = mb->expansions};
    struct player *champion = NULL;
    if (player_config_parse("champion", &config, &error))
        champion = player_new(&config, p->match->game, p->table.engine, role, p->o->seed, &error);
    if (champion && player_goto(champion, p->match->reasoner, &p->match->state, &error) &&
        player_think(champion, &b, &move, &error))
        thoughts_print(stdout, champion, role, "champion", 5);
    else
        printf("no hint: %s\n", error.text);
    player_free(champion);
}

/* Someone interrupted the step: a person with a wish, or Ctrl-C. False: leave. */
static bool fulfil(struct play *p, struct error *error)
{
    struct match *m = p->match;
    for (uint32_t r = 0; r < m->game->nroles; r++) {
        struct human *h = seat_get_human(m->seats[r]);
        enum human_wish wish = h ? h->wish : HUMAN_PLAYS;
        if (h) h->wish = HUMAN_PLAYS;
        switch (wish) {
        case HUMAN_PLAYS: continue;
        case HUMAN_LEAVES: return false;
        case HUMAN_WANTS_HINT: hint(p, r); return true;
        case HUMAN_SAVES: save(p, h->file); return true;
        case HUMAN_RESIGNS: m->forfeits |= (uint64_t)1 << r; return true;
        case HUMAN_TAKES_BACK: {
            /* back to where this person last had a choice */
            struct list legal = {0};
            if (m->nsteps == 0) puts("there is nothing to take back");
            bool found = m->nsteps == 0;
            while (!found && m->nsteps > 0) {
                if (!match_take_back(m, 1, error)) return false;
                legal.n = 0;
                found = m->reasoner->ops->legal(m->reasoner, &m->state, r, &legal) && legal.n > 1;
            }
            list_done(&legal);
            return true;
        }
        }
    }
    return false;
}

static bool resigned(struct play *p, struct error *error)
{
    struct match *m = p->match;
    if (!match_finish(m, error)) return false;
    for (uint32_t r = 0; r < m->game->nroles; r++)
        if (m->forfeits >> r & 1) printf("\n%s resigns.", m->game->role_names[r]);
    print_goals(m);
    return true;
}

/* ---- moves made before the match ---- */

/* Sits in every seat while they are made, and answers with them. */
struct stand_in {
    struct seat seat;
    const uint32_t *joint;
};

static bool stand_in_answer(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                            uint32_t *move, struct error *error)
{
    (void)m, (void)budget, (void)error;
    *move = ((struct stand_in *)s)->joint[role];
    return true;
}

static bool make_steps(struct match *m, const struct list *made, struct error *error)
{
    static const struct seat_ops ops = {.answer = stand_in_answer, .patient = true};
    struct stand_in stand_in = {.seat = {&ops, ""}};
    struct seat *all[MCTS_MAX_ROLES], **seats = m->seats;
    uint32_t n = m->game->nroles;
    bool good = true;
    for (uint32_t r = 0; r < n; r++) all[r] = &stand_in.seat;
    m->seats = all;
    m->began = clock_now();
    for (uint32_t i = 0; good && i + n <= made->n; i += n) {
        stand_in.joint = made->v + i;
        good = match_step(m, error);
    }
    m->seats = seats;
    for (uint32_t r = 0; r < n && good; r++)
        if (seats[r]->ops->rewind) seats[r]->ops->rewind(seats[r], m, r);
    return good;
}

static bool begin_there(struct play *p, struct error *error)
{
    struct list made = {0};
    struct state there = {0};
    bool good = position_reach(p->match->reasoner, &p->o->position, &there, &made, error) &&
                make_steps(p->match, &made, error);
    if (good && p->match->terminal && made.n)
        good = error_set(error, ERROR_INPUT, "the game is over in this position");
    list_done(&made);
    state_done(&there);
    return good;
}

static bool play(struct play *p, struct error *error)
{
    struct match *m = p->match;
    bool first = true;
    if (!begin_there(p, error) || !match_start(m, error)) return false;
    for (;;) {
        if (!board_draw(stdout, &p->style, p->analysis, m->reasoner, &m->state, first ? NULL : &p->before,
                        error))
            return false;
        if (m->terminal) {
            if (!match_finish(m, error)) return false;
            print_goals(m);
            return true;
        }
        if (p->o->steps > 0 && m->nsteps >= p->o->steps) {
            printf("\nStopped after %u steps.\n", m->nsteps);
            return true;
        }
        if (p->o->delay > 0) wait_a_little(p->o->delay);
        if (atomic_load(&terminal_interrupted)) return error_set(error, ERROR_CANCELLED, "the game was left");
        if (!state_copy(&p->before, &m->state))
            return error_set(error, ERROR_MEMORY, "no memory for a state");
        while (!match_step(m, error)) {
            if (error->code != ERROR_CANCELLED || atomic_load(&terminal_interrupted)) return false;
            uint32_t steps = m->nsteps;
            if (!fulfil(p, error)) return false;
            if (m->forfeits) return resigned(p, error);
            if (m->nsteps != steps &&
                !board_draw(stdout, &p->style, p->analysis, m->reasoner, &m->state, NULL, error))
                return false;
            if (!state_copy(&p->before, &m->state))
                return error_set(error, ERROR_MEMORY, "no memory for a state");
        }
        print_thoughts(p);
        print_moves(p);
        first = false;
    }
}

static uint32_t people(const struct play *p)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < p->table.session.game->nroles; r++) n += seat_get_human(p->seats[r]) != NULL;
    return n;
}

static bool set_up_and_play(struct play *p, struct error *error)
{
    const struct play_options *o = p->o;
    const struct game *game = p->table.session.game;
    struct analysis_options sample = {
        .games = 10, .states = 2000, .seconds = 1, .seed = 1, .cancel = &terminal_interrupted};
    struct heap_guard guard;
    bool ok = false;
    p->style = terminal_style(stdout);
    p->heap = heap_new(0);
    if (!p->heap) return error_set(error, ERROR_MEMORY, "no memory");
    if (!seats_open(p->seats, &p->table, &o->seats, o->others, o->seed, error)) return false;
    if (p->o->lines < 0) p->o->lines = people(p) ? 0 : 3;
    if (!(p->analysis = analysis_new(p->table.session.reasoner, &sample, error))) return false;
    if (!(p->match = match_new(game, p->table.engine, p->seats, &o->budget, o->seed, error))) return false;
    p->match->stop = &terminal_interrupted;
    if (HEAP_ENTER(p->heap, &guard, error)) {
        printf("%s, seed %" PRIu64 "\n", game->name, o->seed);
        for (uint32_t r = 0; r < game->nroles; r++)
            printf("%s%s: %s", r ? ", " : "", game->role_names[r], p->seats[r]->name);
        puts("\n");
        ok = play(p, error);
        heap_leave(p->heap);
    }
    return ok;
}

int cmd_play(int argc, char **argv)
{
    struct play_options o = {.steps = 1000,
                             .delay = -1,
                             .lines = -1,
                             .engine = "auto",
                             .others = "champion",
                             .position.ply = -1,
                             .budget = {.seconds = 1, .grace = -1}};
    char about[2000];
    snprintf(about, sizeof about,
             "Play a match in the terminal, or watch one between players.\n"
             "  ludens play connectFour --seat red=human\n"
             "  ludens play breakthrough --seat white=champion --seat black=nst --clock 0.5\n\n"
             "What a person can type:\n%s",
             human_commands);
    const struct option table[] = {
        {"seat", 0, OPTION_LIST, &o.seats, .value = "ROLE=PLAYER",
         .help = "who plays a role: human (you), or a name of `ludens players`"},
        {"others", 0, OPTION_STRING, &o.others, .value = "PLAYER", .help = "who plays the other roles"},
        POSITION_OPTIONS(o.position),
        BUDGET_OPTIONS(o.budget),
        {"lines", 0, OPTION_INT, &o.lines, .min = -1, .max = 100, .value = "N",
         .help = "moves shown of what a search thinks; -1: three, and nothing where a person plays"},
        {"seed", 0, OPTION_SEED, &o.seed, .value = "N",
         .help = "seed of the random numbers; 0: another each time"},
        {"delay", 0, OPTION_REAL, &o.delay, .min = -1, .max = 3600, .value = "S",
         .help = "seconds between moves; -1: half a second when random players are watched"},
        {"until", 0, OPTION_INT, &o.steps, .min = 0, .max = 1e9, .value = "LIMIT",
         .help = "stop after so many steps; 0: never"},
        ENGINE_OPTION(&o.engine),
        {0}};
    int operands, status;
    if (!command_begin("play GAME [OPTION...]", about, table, 1, 1, argc, argv, &operands, &status))
        return status;
    struct play p = {.o = &o};
    struct error error = {0};
    budget_settle(&o.budget);
    if (!table_open(&p.table, argv[0], argv[1], o.engine, 2, &status)) return status;
    if (o.seed == 0) o.seed = seed_fresh();
    if (o.delay < 0)
        o.delay = isatty(STDOUT_FILENO) && o.seats.n == 0 && strcmp(o.others, "random") == 0 ? 0.5 : 0;
    terminal_catch_interrupt();
    bool ok = set_up_and_play(&p, &error);
    bool left = !ok && error.code == ERROR_CANCELLED; /* which is no trouble */
    if (left) puts("The game was left.");
    status = ok || left ? EXIT_YES : command_trouble(argv[0], &error);
    match_free(p.match);
    seats_free(p.seats, p.table.session.game->nroles);
    state_done(&p.before);
    analysis_free(p.analysis);
    heap_free(p.heap);
    table_close(&p.table);
    return status;
}
