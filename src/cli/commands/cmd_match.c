// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens match: the game master. Runs matches between our players, people, and players elsewhere. */
#include "analysis/draw.h"
#include "cli/commands/tally.h"
#include "cli/human.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "match/forfeit.h"
#include "match/record.h"
#include "net/remote.h"
#include "player/audition.h"
#include "player/thoughts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_START 10 /* seconds */

struct match_options {
    struct option_list seats, records;
    const char *others, *engine, *scramble, *forfeit;
    uint32_t forfeit_rules;
    struct match_budget budget;
    int64_t repeat;
    uint64_t seed;
    bool states, quiet, no_info;
};

struct master {
    const struct match_options *o;
    struct table table;
    const char *who[MCTS_MAX_ROLES];
    char names[MCTS_MAX_ROLES][160]; /* of the players, as records have them */
    const char *players[MCTS_MAX_ROLES];
    bool lines, people, scrambled;
    uint64_t scramble_seed; /* of the first match */
    struct post *post;      /* NULL: nobody is elsewhere */
    struct analysis *analysis;
    struct board_style style;
    struct tally tally;
    struct heap *heap;
    /* the match under way */
    int64_t number; /* from 0 */
    char id[100];
    struct progress progress;
};

/* ---- what can be seen of a match ---- */

static char *move_text(struct master *g, struct match *m, uint32_t role, uint32_t move)
{
    struct text t;
    text_init(&t, g->heap);
    reasoner_print_move(m->reasoner, role, move, false, &t);
    return t.s;
}

/* The line that overwrites itself: where the match is, what was moved last, who has answered since. */
static void show_progress(struct master *g, struct match *m, const char *who)
{
    struct heap_guard guard;
    struct error error;
    if (g->lines || g->people || !HEAP_ENTER(g->heap, &guard, &error)) return;
    struct text t;
    text_init(&t, g->heap);
    text_printf(&t, "match %" PRId64 " of %" PRId64 ", %.0f s, step %u", g->number + 1, g->o->repeat,
                m->began > 0 ? clock_now() - m->began : 0, m->nsteps + 1);
    for (uint32_t r = 0; m->nsteps && r < m->game->nroles; r++) {
        char *move = move_text(g, m, r, m->steps[m->nsteps - 1].joint[r]);
        text_printf(&t, "%s %s", r ? "," : " after", move);
        heap_release(g->heap, move);
    }
    if (who) text_printf(&t, "; %s has moved", who);
    int width = terminal_width(stderr) - 1;
    progress_show(&g->progress, "%.*s", width > 0 ? width : 1, text_str(&t));
    heap_release(g->heap, t.s);
    heap_leave(g->heap);
}

static void watch(void *data, struct match *m, uint32_t role)
{
    show_progress(data, m, m->game->role_names[role]);
}

static void print_remarks(struct master *g, struct match *m, uint32_t step)
{
    for (uint32_t i = 0; i < m->nremarks; i++) {
        const struct match_remark *e = &m->remarks[i];
        if (e->step != step) continue;
        progress_end(&g->progress);
        printf("      %s %s%s%s\n", m->game->role_names[e->role],
               e->kind == MATCH_LATE      ? "was late"
               : e->kind == MATCH_ILLEGAL ? "sent no legal move"
                                          : "failed",
               e->text && *e->text ? ": " : "", e->text ? e->text : "");
    }
}

/* What the seats' players chose on the start clock, as `think` says it. */
static void print_choices(struct master *g, struct match *m)
{
    for (uint32_t r = 0; r < m->game->nroles && !g->o->quiet; r++) {
        const struct player *p = seat_get_player(m->seats[r]);
        char name[400];
        if (!p || !player_audition(p)->arms) continue;
        progress_end(&g->progress);
        snprintf(name, sizeof name, "%s (%s)", m->game->role_names[r], g->players[r]);
        thoughts_choice(stdout, p, name);
    }
}

static void print_step(struct master *g, struct match *m)
{
    const struct match_step *s = &m->steps[m->nsteps - 1];
    struct heap_guard guard;
    struct error error;
    if (!HEAP_ENTER(g->heap, &guard, &error)) return;
    printf("%4u.", m->nsteps);
    for (uint32_t r = 0; r < m->game->nroles; r++) {
        char *text = move_text(g, m, r, s->joint[r]);
        printf("%s %s%s", r ? "," : "", text, s->error[r] ? " (by chance)" : "");
        heap_release(g->heap, text);
    }
    printf("   ");
    for (uint32_t r = 0; r < m->game->nroles; r++) printf(" %.2f", (double)s->seconds[r]);
    puts(" s");
    heap_leave(g->heap);
}

static void draw(struct master *g, struct match *m)
{
    struct error error;
    putchar('\n');
    board_draw(stdout, &g->style, g->analysis, m->reasoner, &m->state, NULL, &error);
    putchar('\n');
}

static void made(void *data, struct match *m)
{
    struct master *g = data;
    if (m->nsteps == 1) print_choices(g, m);
    if (g->lines || g->people) print_step(g, m);
    if (m->nsteps == 1) print_remarks(g, m, 0);
    print_remarks(g, m, m->nsteps);
    if (g->people) draw(g, m);
    fflush(stdout);
    show_progress(g, m, NULL);
}

static void print_result(const struct match *m)
{
    for (uint32_t r = 0; r < m->game->nroles; r++)
        if (m->forfeits >> r & 1) printf("Forfeited by %s. ", m->game->role_names[r]);
    bool decided = m->terminal || m->forfeits;
    printf(decided ? "Result:" : "Aborted");
    for (uint32_t r = 0; decided && r < m->game->nroles; r++) {
        printf("%s %s ", r ? "," : "", m->game->role_names[r]);
        if (m->goals[r] == GOAL_UNDEFINED)
            printf("undefined");
        else
            printf("%d", m->goals[r]);
    }
    printf(" (%u %s, %.1f s)\n", m->nsteps, m->nsteps == 1 ? "step" : "steps", clock_now() - m->began);
    fflush(stdout);
}

/* ---- one match ---- */

/* Better said before the match than after it. */
static bool records_can_be_written(const struct option_list *records, struct error *error)
{
    for (int i = 0; i < records->n; i++) {
        const char *path = records->v[i], *slash = strrchr(path, '/');
        char folder[4400];
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
        if (access(folder, W_OK | X_OK) != 0)
            return error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    }
    return true;
}

/* FILE.json, or FILE-07.json for the seventh of 50. */
static void record_path(const struct master *g, const char *given, char *path, size_t size)
{
    const char *slash = strrchr(given, '/'), *dot = strrchr(slash ? slash : given, '.');
    int stem = (int)(dot ? dot - given : (long)strlen(given)), width = 1;
    char number[20];
    for (int64_t n = g->o->repeat; n >= 10; n /= 10) width++;
    snprintf(number, sizeof number, "%07u", (unsigned)(g->number + 1) % 10000000);
    if (g->o->repeat == 1)
        snprintf(path, size, "%s", given);
    else
        snprintf(path, size, "%.*s-%s%s", stem, given, number + 7 - width, dot ? dot : "");
}

static bool write_records(struct master *g, struct match *m, struct error *error)
{
    const struct match_options *o = g->o;
    struct record_about about = {.id = g->id,
                                 .seed = o->seed + (uint64_t)g->number,
                                 .scrambled = g->scrambled,
                                 .scramble_seed = g->scramble_seed + (uint64_t)g->number,
                                 .states = o->states};
    if (o->records.n == 0) return true;
    struct record *r = record_of_match(m, &about, error);
    bool good = r != NULL;
    for (int i = 0; i < o->records.n && good; i++) {
        char path[4400];
        record_path(g, o->records.v[i], path, sizeof path);
        good = record_write(r, path, error);
    }
    record_free(r);
    return good;
}

static struct seat *take_seat(struct master *g, struct table_talk *talk, uint32_t role, struct error *error)
{
    if (post_is_url(g->who[role])) return seat_remote(talk, g->who[role], g->names[role], error);
    struct seat *s = seat_open(&g->table, g->who[role], role, g->o->seed + (uint64_t)g->number, error);
    struct human *h = s ? seat_get_human(s) : NULL;
    if (h) h->plain = true;
    return s;
}

/* An aborted match is none that failed: false only if the rules, the machine or the disk do. */
static bool play(struct master *g, struct seat **seats, struct error *error)
{
    const struct match_options *o = g->o;
    const struct game *game = g->table.session.game;
    uint64_t seed = o->seed + (uint64_t)g->number;
    struct match *m = match_new(game, g->table.engine, seats, &o->budget, seed, error);
    if (!m) return false;
    m->stop = &terminal_interrupted;
    m->watch = watch;
    m->made = made;
    m->watch_data = g;
    m->forfeit_rules = o->forfeit_rules;
    g->progress = (struct progress){.began = clock_now() - 1}; /* from the first moment on */
    if (!o->quiet || g->people) {
        printf("%s, match %" PRId64 " of %" PRId64 ":", game->name, g->number + 1, o->repeat);
        for (uint32_t r = 0; r < game->nroles; r++)
            printf("%s %s %s", r ? "," : "", game->role_names[r], g->players[r]);
        putchar('\n');
        fflush(stdout);
    }
    if (g->people) draw(g, m);
    show_progress(g, m, NULL);
    bool good = match_play(m, error);
    progress_end(&g->progress);
    if (m->nsteps == 0) print_remarks(g, m, 0);
    if (!o->quiet) print_result(m);
    tally_add(&g->tally, m);
    if (!good && error->code == ERROR_CANCELLED) good = true;
    struct error unwritten;
    if (!write_records(g, m, &unwritten)) {
        if (good) *error = unwritten;
        good = false;
    }
    match_free(m);
    return good;
}

static bool play_one(struct master *g, struct error *error)
{
    const struct game *game = g->table.session.game;
    struct seat *seats[MCTS_MAX_ROLES] = {0};
    struct table_talk *talk = NULL;
    struct table_talk_options how = {
        .id = g->id, .scramble = g->scrambled, .seed = g->scramble_seed + (uint64_t)g->number};
    snprintf(g->id, sizeof g->id, "ludens.%lld.%d.%" PRId64, (long long)time(NULL), (int)getpid(),
             g->number + 1);
    bool good = !g->post || (talk = table_talk_new(g->post, game, &how, error)) != NULL;
    for (uint32_t r = 0; r < game->nroles && good; r++)
        good = (seats[r] = take_seat(g, talk, r, error)) != NULL;
    good = good && play(g, seats, error);
    seats_free(seats, game->nroles);
    table_talk_free(talk);
    return good;
}

/* ---- before and after ---- */

/* Ask the players elsewhere who they are, all at once. Nobody there at all: better said now. */
static bool introduce(struct master *g, struct error *error)
{
    const struct game *game = g->table.session.game;
    struct letter *letters[MCTS_MAX_ROLES] = {0};
    bool good = true;
    for (uint32_t r = 0; r < game->nroles; r++) {
        g->players[r] = g->names[r];
        snprintf(g->names[r], sizeof g->names[r], "%s", g->who[r]);
        if (post_is_url(g->who[r]) && !g->o->no_info) letters[r] = remote_ask_info(g->post, g->who[r], 3);
    }
    for (uint32_t r = 0; r < game->nroles; r++) {
        if (!letters[r]) continue;
        const struct reply *reply = letter_wait(letters[r], &terminal_interrupted);
        struct remote_info info;
        remote_read_info(reply, &info);
        if (*info.name) snprintf(g->names[r], sizeof g->names[r], "%s (%s)", g->who[r], info.name);
        if (strcasecmp(info.status, "busy") == 0)
            fprintf(stderr, "ludens match: %s says it is busy\n", g->who[r]);
        if (reply->refused && good)
            good = error_set(error, ERROR_SYSTEM, "%s: %s", g->who[r], reply->error.text);
        letter_free(letters[r]);
    }
    return good;
}

static bool is_whole(double s)
{
    return s >= 1 && s == floor(s);
}

static bool set_up(struct master *g, struct match_options *o, struct error *error)
{
    const struct game *game = g->table.session.game;
    bool elsewhere = false;
    if (!forfeit_parse(o->forfeit, &o->forfeit_rules, error)) return false;
    if (!seats_named(g->who, game, &o->seats, o->others, error)) return false;
    if (!records_can_be_written(&o->records, error)) return false;
    for (uint32_t r = 0; r < game->nroles; r++) {
        elsewhere |= post_is_url(g->who[r]);
        for (uint32_t k = 0; k < r && post_is_url(g->who[r]); k++)
            if (strcmp(g->who[k], g->who[r]) == 0) /* it knows the match by its id alone */
                return error_set(error, ERROR_INPUT, "%s cannot have two seats in one match", g->who[r]);
        g->people |= strcmp(g->who[r], "human") == 0;
    }
    if (o->scramble) {
        char *end;
        g->scrambled = true;
        g->scramble_seed = strtoull(o->scramble, &end, 10);
        if (*end || end == o->scramble || *o->scramble == '-')
            return error_set(error, ERROR_INPUT, "--scramble wants a whole number, not '%s'", o->scramble);
    }
    if (elsewhere && (!is_whole(o->budget.start_seconds) || !is_whole(o->budget.seconds)))
        return error_set(error, ERROR_INPUT,
                         "players elsewhere are told the clocks in whole seconds: "
                         "--start and --clock must be 1, 2, ...");
    bool counted = o->budget.simulations || o->budget.steps || o->budget.expansions;
    if (counted && o->budget.start_seconds == DEFAULT_START) o->budget.start_seconds = 0; /* nobody asked */
    if (!elsewhere) budget_settle(&o->budget);
    if (elsewhere && !(g->post = post_new(error))) return false;
    if (!(g->heap = heap_new(0))) return error_set(error, ERROR_MEMORY, "out of memory");
    if (g->people) {
        struct analysis_options sample = {
            .games = 10, .states = 2000, .seconds = 1, .seed = 1, .cancel = &terminal_interrupted};
        g->style = terminal_style(stdout);
        if (!(g->analysis = analysis_new(g->table.session.reasoner, &sample, error))) return false;
    }
    g->lines = !o->quiet && !isatty(STDOUT_FILENO);
    return introduce(g, error);
}

int cmd_match(int argc, char **argv)
{
    struct match_options o = {.others = "champion",
                              .engine = "auto",
                              .repeat = 1,
                              .budget = {.seconds = 10, .start_seconds = DEFAULT_START, .grace = 1}};
    const struct option table[] = {
        {"seat", 0, OPTION_LIST, &o.seats, .value = "ROLE=WHO",
         .help = "who plays a role: http://host:port, a name of `ludens players`, random, human"},
        {"others", 0, OPTION_STRING, &o.others, .value = "WHO", .help = "who plays the other roles"},
        BUDGET_OPTIONS(o.budget),
        {"grace", 0, OPTION_REAL, &o.budget.grace, .min = 0, .max = 3600, .value = "S",
         .help = "seconds beyond the clock before a move is late"},
        {"forfeit", 0, OPTION_STRING, &o.forfeit, .value = "WHAT", .choices = "late|illegal|any",
         .help = "who is late (or silent), plays illegal moves, or any of it, loses at once"},
        {"scramble", 0, OPTION_STRING, &o.scramble, .value = "SEED",
         .help = "send scrambled rules, other words in each match"},
        {"repeat", 'r', OPTION_INT, &o.repeat, .min = 1, .max = 1e6, .value = "N",
         .help = "matches, one after the other"},
        {"record", 'o', OPTION_LIST, &o.records, .value = "FILE",
         .help = "write each match down: JSON, or text if FILE ends in .pgn"},
        {"states", 0, OPTION_FLAG, &o.states, .help = "put the states into the record, too"},
        {"no-info", 0, OPTION_FLAG, &o.no_info,
         .help = "do not ask players elsewhere who they are: old ones do not know INFO"},
        {"seed", 0, OPTION_SEED, &o.seed, .value = "N",
         .help = "seed of the random numbers; 0: another each time"},
        {"quiet", 'q', OPTION_FLAG, &o.quiet, .help = "print only the table at the end"},
        ENGINE_OPTION(&o.engine),
        {0}};
    int operands, status;
    if (!command_begin(
            "match GAME --seat ROLE=WHO... [OPTION...]",
            "Run matches as a game master: between players of ours, people, and players elsewhere that\n"
            "speak the GGP protocol. Late and illegal moves are replaced by random legal ones and counted.\n"
            "  ludens match connectFour --seat red=http://localhost:9147 --seat yellow=champion\n"
            "  ludens match ticTacToe --seat xplayer=nst --seat oplayer=random --sims 1000 --repeat 10\n"
            "With --repeat and --record games.json the files are games-1.json, games-2.json and so on.\n"
            "Ctrl-C aborts the match (status 130); the record is still written. Exit status: 0 all matches "
            "were\n"
            "completed, 1 one was aborted or forfeited, or somebody made no move of its own in one,\n"
            "2 it could not be done.",
            table, 1, 1, argc, argv, &operands, &status))
        return status;
    struct master g = {.o = &o};
    struct error error = {0};
    if (o.seed == 0) o.seed = seed_fresh();
    if (!table_open(&g.table, argv[0], argv[1], o.engine, 2, &status)) return status;
    terminal_catch_interrupt();
    bool good = set_up(&g, &o, &error);
    for (g.number = 0; good && g.number < o.repeat && !g.tally.aborted; g.number++)
        good = play_one(&g, &error);
    if (g.tally.completed + g.tally.aborted + g.tally.forfeited)
        tally_print(stdout, &g.tally, g.table.session.game, g.players);
    status = !good ? command_trouble(argv[0], &error) : tally_fine(&g.tally) ? EXIT_YES : EXIT_NO;
    post_free(g.post);
    analysis_free(g.analysis);
    heap_free(g.heap);
    table_close(&g.table);
    return status;
}
