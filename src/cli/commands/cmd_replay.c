// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens replay: a recorded match, move by move; and whether the rules agree with what was recorded. */
#include "analysis/draw.h"
#include "cli/engine.h"
#include "cli/terminal.h"
#include "game/trace.h"
#include "match/follow.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct replay_options {
    const char *game;
    int64_t at;
    bool all, json, pgn;
};

struct replay {
    const struct replay_options *o;
    struct record *record;
    struct game *game;
    struct reasoner *reasoner;
    struct analysis *analysis;
    struct board_style style;
    struct state *states; /* record->nsteps + 1 */
    bool differs;         /* the rules say something else than the record */
};

/* ---- following ---- */

static void differs(void *data, const char *text)
{
    struct replay *p = data;
    fprintf(stderr, "ludens replay: %s\n", text);
    p->differs = true;
}

static bool follow(struct replay *p, struct error *error)
{
    p->states = calloc((size_t)p->record->nsteps + 1, sizeof *p->states);
    if (!p->states) return error_set(error, ERROR_MEMORY, "out of memory");
    return record_follow(p->record, p->reasoner, p->states, differs, p, error);
}

/* The facts of every state, put into the record. */
static void fill_states(struct replay *p)
{
    struct record *r = p->record;
    struct trace_lines lines;
    r->states = heap_zalloc(r->heap, (r->nsteps + 1) * sizeof *r->states);
    for (uint32_t i = 0; i <= r->nsteps; i++) {
        trace_lines_init(&lines, r->heap);
        if (!trace_facts(p->reasoner, &p->states[i], &lines))
            heap_fail(r->heap, p->reasoner->error.code, "%s", p->reasoner->error.text);
        r->states[i] = (struct record_state){(const char **)lines.v.v, lines.v.n};
    }
}

/* ---- showing ---- */

static void print_title(const struct replay *p)
{
    const struct record *r = p->record;
    printf("%s", p->game->name);
    if (*r->match) printf(", match %s", r->match);
    if (*r->date) printf(", %s", r->date);
    putchar('\n');
    for (uint32_t i = 0; i < r->nroles; i++)
        printf("%s%s: %s", i ? ", " : "", r->roles[i], *r->players[i] ? r->players[i] : "?");
    putchar('\n');
    if (r->start_clock > 0 || r->play_clock > 0)
        printf("clocks: %g s to start, %g s a move\n", r->start_clock, r->play_clock);
}

static void print_errors(const struct record *r, uint32_t step)
{
    for (uint32_t i = 0; i < r->nerrors; i++)
        if (r->errors[i].step == step)
            printf("   %s %s: %s\n", r->roles[r->errors[i].role], match_error_names[r->errors[i].kind],
                   r->errors[i].text);
}

/* The move that led here, and what went wrong with it. */
static void print_step(const struct record *r, uint32_t n)
{
    if (n > 0) {
        const struct record_step *s = &r->steps[n - 1];
        printf("%u.", n);
        for (uint32_t i = 0; i < r->nroles; i++) {
            printf("%s %s %s", i ? "," : "", r->roles[i], s->moves[i]);
            if (s->seconds) printf(" (%.2f s", s->seconds[i]);
            if (s->seconds && s->search && s->search[i].simulations)
                printf(", %llu simulations, expects %.1f", (unsigned long long)s->search[i].simulations,
                       (double)s->search[i].value);
            if (s->seconds) putchar(')');
        }
        if (s->at >= 0) printf("  at %.1f s", s->at);
        putchar('\n');
    }
    print_errors(r, n);
}

static void print_end(const struct record *r)
{
    if (r->ending != RECORD_COMPLETED && r->ending != RECORD_FORFEITED) {
        printf("The match was %s after %u moves.\n", r->ending == RECORD_ABORTED ? "aborted" : "left",
               r->nsteps);
        return;
    }
    for (uint32_t i = 0; i < r->nroles && r->forfeits; i++)
        if (r->forfeits[i]) printf("Forfeited by %s. ", r->roles[i]);
    printf("The game is over after %u moves:", r->nsteps);
    for (uint32_t i = 0; i < r->nroles; i++) {
        printf("%s %s ", i ? "," : "", r->roles[i]);
        if (r->rewards[i] == GOAL_UNDEFINED)
            printf("undefined");
        else
            printf("%d", r->rewards[i]);
    }
    puts(".");
}

static bool show(struct replay *p, uint32_t n, struct error *error)
{
    print_step(p->record, n);
    putchar('\n');
    if (!board_draw(stdout, &p->style, p->analysis, p->reasoner, &p->states[n], n ? &p->states[n - 1] : NULL,
                    error))
        return false;
    putchar('\n');
    if (n == p->record->nsteps) print_end(p->record);
    return true;
}

/* With the keys of the keyboard. */
static bool browse(struct replay *p, uint32_t at, struct error *error)
{
    const struct record *r = p->record;
    bool good = true;
    if (!terminal_keys_begin()) return error_set(error, ERROR_SYSTEM, "the keyboard cannot be read");
    for (bool more = true; more && good;) {
        fputs("\033[H\033[2J", stdout);
        print_title(p);
        putchar('\n');
        good = show(p, at, error);
        printf("\n%u of %u   n next  p previous  f first  l last  q quit ", at, r->nsteps);
        fflush(stdout);
        switch (terminal_key()) {
        case 'n':
        case ' ':
        case '\n':
        case KEY_RIGHT:
        case KEY_DOWN: at += at < r->nsteps; break;
        case 'p':
        case 'b':
        case 127:
        case KEY_LEFT:
        case KEY_UP: at -= at > 0; break;
        case 'f':
        case KEY_HOME: at = 0; break;
        case 'l':
        case KEY_END: at = r->nsteps; break;
        case 'q':
        case KEY_NONE: more = false; break;
        default: break;
        }
    }
    terminal_keys_end();
    putchar('\n');
    return good;
}

static bool show_all(struct replay *p, struct error *error)
{
    const struct record *r = p->record;
    bool one = p->o->at >= 0;
    uint32_t from = one ? (uint32_t)p->o->at : 0, to = one ? from : r->nsteps;
    print_title(p);
    putchar('\n');
    for (uint32_t n = from; n <= to; n++)
        if (!show(p, n, error)) return false;
    return true;
}

static bool print_record(struct replay *p, struct error *error)
{
    struct record *r = p->record;
    struct heap_guard guard;
    if (!HEAP_ENTER(r->heap, &guard, error)) return false;
    struct text text;
    text_init(&text, r->heap);
    record_print(r, p->o->pgn ? RECORD_PGN : RECORD_JSON, &text);
    fputs(text_str(&text), stdout);
    heap_leave(r->heap);
    return true;
}

static bool replay(struct replay *p, const char *path, struct error *error)
{
    const struct replay_options *o = p->o;
    struct analysis_options sample = {.games = 10, .states = 2000, .seconds = 1, .seed = 1};
    struct heap_guard guard;
    bool same;
    if (!(p->record = record_read(path, error))) return false;
    if (!(p->game = record_game(p->record, o->game, &same, error))) return error_prefix(error, "%s", path);
    if (!same) fprintf(stderr, "ludens replay: %s was recorded with another version of the rules\n", path);
    if (o->at > p->record->nsteps)
        return error_set(error, ERROR_INPUT, "--at %lld: the match has %u moves", (long long)o->at,
                         p->record->nsteps);
    if (!(p->reasoner = engine_open(p->game, "lifted", error))) return false;
    if (!follow(p, error)) return error_prefix(error, "%s", path);
    if (!HEAP_ENTER(p->record->heap, &guard, error)) return false;
    if (o->json) fill_states(p);
    heap_leave(p->record->heap);
    if (o->json || o->pgn) return print_record(p, error);
    p->style = terminal_style(stdout);
    if (!(p->analysis = analysis_new(p->reasoner, &sample, error))) return false;
    if (o->all || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return show_all(p, error);
    return browse(p, o->at > 0 ? (uint32_t)o->at : 0, error);
}

int cmd_replay(int argc, char **argv)
{
    struct replay_options o = {.at = -1};
    const struct option table[] = {
        {"at", 0, OPTION_INT, &o.at, .min = -1, .max = 1e9, .value = "N",
         .help = "show the position after N moves, or begin there; -1: all"},
        {"all", 'a', OPTION_FLAG, &o.all, .help = "show everything at once, also on a terminal"},
        {"game", 'g', OPTION_STRING, &o.game, .value = "GAME",
         .help = "follow it by these rules, not its own"},
        {"json", 'j', OPTION_FLAG, &o.json, .help = "print the record as JSON, with all states"},
        {"pgn", 0, OPTION_FLAG, &o.pgn, .help = "print the record as text"},
        {0}};
    int operands, status;
    if (!command_begin(
            "replay FILE [OPTION...]",
            "Show a match that was written down by `ludens match --record` or by the save command\n"
            "of `ludens play`, move by move. The record is followed by the rules first.\n"
            "Exit status: 0 it was shown; 1 the rules disagree about states, end or rewards; 2 it cannot be\n"
            "followed.",
            table, 1, 1, argc, argv, &operands, &status))
        return status;
    struct replay p = {.o = &o};
    struct error error = {0};
    bool good = replay(&p, argv[1], &error);
    status = !good ? command_trouble(argv[0], &error) : p.differs ? EXIT_NO : EXIT_YES;
    for (uint32_t i = 0; p.states && i <= p.record->nsteps; i++) state_done(&p.states[i]);
    free(p.states);
    analysis_free(p.analysis);
    reasoner_free(p.reasoner);
    game_free(p.game);
    record_free(p.record);
    return status;
}
