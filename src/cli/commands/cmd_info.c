// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens info: what a game is like, from its rules and from random games. */
#include "analysis/analysis.h"
#include "analysis/features.h"
#include "analysis/symmetry.h"
#include "cli/commands/info_circuit.h"
#include "cli/commands/info_factors.h"
#include "cli/engine.h"
#include "cli/terminal.h"
#include "game/engine.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#define PIECES_SHOWN 40

struct info_options {
    int64_t games;
    double seconds;
    uint64_t seed;
    const char *engine;
    bool json, circuit;
};

static const char *const turns_names[] = {[TURNS_ONE_ROLE] = "one role",
                                          [TURNS_ALTERNATE] = "alternating",
                                          [TURNS_TAKEN] = "one at a time",
                                          [TURNS_SIMULTANEOUS] = "simultaneous"};
static const char *const order_names[] = {[AXIS_NUMBERS] = "number",
                                          [AXIS_SUCCESSOR] = "relation",
                                          [AXIS_NAMES] = "name",
                                          [AXIS_SHEET] = "mention"};
static const char *const kind_names[] = {
    [BOARD_CELLS] = "cells", [BOARD_TOKENS] = "tokens", [BOARD_MARKS] = "marks"};

static const char *word(const struct analysis *a, term x)
{
    return symbol_name(a->terms, term_get(a->terms, x)->head);
}

/* The contents of a piece, blanks between them; the name of the board if there are none. */
static const char *piece_name(const struct analysis *a, const struct board *b, const struct piece *p,
                              char out[100])
{
    size_t n = 0;
    snprintf(out, 100, "%s", symbol_name(a->terms, b->name));
    for (uint32_t i = 0; i < b->ncontents && n < 100; i++)
        n += (size_t)snprintf(out + n, 100 - n, "%s%s", i ? " " : "", word(a, p->contents[i]));
    return out;
}

/* ---- text */

static void print_rules(const struct game *game, const struct features *f)
{
    printf("%s\n\nroles       ", game->name);
    for (uint32_t role = 0; role < game->nroles; role++)
        printf("%s%s", role ? ", " : "", game->role_names[role]);
    printf("\nrules       %u rules and %u facts, %u bytes\n", f->rules, f->facts, f->bytes);
    printf("relations   %u: %u static, %u depend on the state, %u on the moves\nuses        ", f->relations,
           f->static_relations, f->state_relations, f->move_relations);
    bool any = false;
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (!f->uses[i]) continue;
        printf("%s%s", any ? ", " : "", feature_names[i]);
        any = true;
    }
    puts(any ? "" : "nothing special");
}

static void print_spread(const char *name, const struct spread *s, const char *unit)
{
    printf("%-11s ", name);
    if (s->n == 0)
        puts("none seen");
    else if (s->min == s->max)
        printf("%" PRIu64 " %s\n", s->min, unit);
    else
        printf("%" PRIu64 " to %" PRIu64 " %s, mean %.1f\n", s->min, s->max, unit, s->mean);
}

static void print_role(const struct analysis *a, uint32_t role)
{
    const struct role_analysis *r = &a->roles[role];
    printf("\nrole        %s\n", a->game->role_names[role]);
    if (r->chose)
        print_spread("  chooses", &r->branching, "moves");
    else
        puts("  chooses   never");
    printf("  goals    ");
    for (uint32_t i = 0; i < r->goals.n; i++) printf(" %d", r->goals.v[i].value);
    if (r->goals.n > 1) printf(", mean %.1f", r->goal_mean);
    puts(r->goals.n ? "" : " none seen");
}

static void print_play(const struct analysis *a)
{
    const struct game *game = a->game;
    printf("\nsampled     %" PRIu64 " random games, %" PRIu64 " states", a->games, a->states);
    if (a->cut) printf("; %" PRIu64 " more games not played to the end", a->cut);
    printf("\nturns       %s", turns_names[a->turns]);
    for (uint32_t i = 0; a->turn_order && i < game->nroles; i++)
        printf("%s%s", i ? ", " : ": ", game->role_names[a->turn_order[i]]);
    if (a->control) printf("; %s tells", symbol_name(a->terms, a->control));
    putchar('\n');
    if (a->counter) printf("counter     %s\n", symbol_name(a->terms, a->counter));
    print_spread("length", &a->length, "steps");
    print_spread("state", &a->state_size, "facts");
    print_spread("branching", &a->joint, "joint moves");
    if (a->games && !a->goals_defined)
        puts("sum         undefined: some role had no goal or several at an end");
    else if (a->games && game->nroles > 1 && a->constant_sum)
        printf("sum         constant: the goals add up to %d\n", a->sum);
    else if (a->games && game->nroles > 1)
        puts("sum         not constant");
    if (a->fault.code != ERROR_NONE) printf("stopped     %s\n", a->fault.text);
    for (uint32_t role = 0; role < game->nroles; role++) print_role(a, role);
}

/* As far as a short look finds them. */
static uint32_t count_symmetries(struct reasoner *r, const struct circuit *circuit)
{
    struct symmetry s = {0};
    struct symmetry_limits limits = {.cancel = &terminal_interrupted};
    symmetry_look(&s, r, circuit, &limits);
    uint32_t n = s.n;
    symmetry_done(&s);
    return n;
}

static void print_symmetries(struct reasoner *r, const struct circuit *circuit)
{
    uint32_t n = circuit ? count_symmetries(r, circuit) : 0;
    if (n) printf("symmetries  %u: turned or mirrored positions that the rules do not tell apart\n", n);
}

static void print_axis(const struct analysis *a, const char *name, const struct axis *axis)
{
    printf("  %-9s %s to %s, by %s", name, word(a, axis->value[0]), word(a, axis->value[axis->n - 1]),
           order_names[axis->order]);
    if (axis->order == AXIS_SUCCESSOR) printf(" %s", symbol_name(a->terms, axis->relation));
    putchar('\n');
}

static void print_board(const struct analysis *a, const struct board *b)
{
    char name[100];
    printf("\nboard       %s/%u, %s: %u by %u", symbol_name(a->terms, b->name), b->arity, kind_names[b->kind],
           b->x.n, b->y.n);
    if (b->planes > 1) printf(", %u planes", b->planes);
    printf(", %u cells seen", b->nexists);
    const struct board *parent = &a->boards.v[b->parent];
    if (parent != b) printf(", on the same cells as %s", symbol_name(a->terms, parent->name));
    putchar('\n');
    print_axis(a, "across", &b->x);
    print_axis(a, b->star ? "down" : "up", &b->y);
    for (uint32_t i = 0; i < b->npieces && i < PIECES_SHOWN; i++) {
        const struct piece *p = &b->pieces[i];
        printf("  %-9s %-12s up to %u", i ? "" : "pieces", piece_name(a, b, p, name), p->most);
        if (p->blank) printf(", the empty cell");
        if (p->owner >= 0) printf(", of %s", a->game->role_names[p->owner]);
        putchar('\n');
    }
    if (b->npieces > PIECES_SHOWN) printf("            ... and %u more\n", b->npieces - PIECES_SHOWN);
    for (uint32_t i = 0; i < b->nactions; i++) {
        const struct action *m = &b->actions[i];
        printf("  %-9s %s/%u", i ? "" : "moves", symbol_name(a->terms, m->name), m->arity);
        if (m->from >= 0) printf(" from argument %d", m->from + 1);
        printf(" to argument %d\n", m->to + 1);
    }
}

/* ---- JSON */

static json_t *spread_json(const struct spread *s)
{
    if (s->n == 0) return json_null();
    return json_pack("{s:I, s:f, s:I}", "min", (json_int_t)s->min, "mean", s->mean, "max",
                     (json_int_t)s->max);
}

static json_t *name_json(const struct analysis *a, symbol name)
{
    return name ? json_string(symbol_name(a->terms, name)) : json_null();
}

static json_t *axis_json(const struct analysis *a, const struct axis *axis)
{
    json_t *values = json_array();
    for (uint32_t i = 0; i < axis->n; i++)
        json_array_append_new(values, json_string(word(a, axis->value[i])));
    return json_pack("{s:s, s:o}", "order", order_names[axis->order], "values", values);
}

static json_t *board_json(const struct analysis *a, const struct board *b)
{
    char name[100];
    json_t *pieces = json_array(), *moves = json_array();
    for (uint32_t i = 0; i < b->npieces; i++) {
        const struct piece *p = &b->pieces[i];
        json_t *owner = p->owner < 0 ? json_null() : json_string(a->game->role_names[p->owner]);
        json_array_append_new(pieces,
                              json_pack("{s:s, s:I, s:b, s:o}", "name", piece_name(a, b, p, name), "most",
                                        (json_int_t)p->most, "blank", p->blank, "owner", owner));
    }
    for (uint32_t i = 0; i < b->nactions; i++) {
        const struct action *m = &b->actions[i];
        json_t *from = m->from < 0 ? json_null() : json_integer(m->from);
        json_array_append_new(moves, json_pack("{s:s, s:i, s:o, s:i}", "name", symbol_name(a->terms, m->name),
                                               "arity", (int)m->arity, "from", from, "to", m->to));
    }
    return json_pack("{s:s, s:i, s:s, s:i, s:i, s:o, s:o, s:s, s:o, s:o}", "name",
                     symbol_name(a->terms, b->name), "arity", (int)b->arity, "kind", kind_names[b->kind],
                     "planes", (int)b->planes, "cells", (int)b->nexists, "x", axis_json(a, &b->x), "y",
                     axis_json(a, &b->y), "drawn_on", symbol_name(a->terms, a->boards.v[b->parent].name),
                     "pieces", pieces, "moves", moves);
}

static json_t *roles_json(const struct analysis *a)
{
    json_t *roles = json_array();
    for (uint32_t role = 0; role < a->game->nroles; role++) {
        const struct role_analysis *r = &a->roles[role];
        json_t *goals = json_array();
        for (uint32_t i = 0; i < r->goals.n; i++)
            json_array_append_new(goals, json_pack("{s:i, s:I}", "value", r->goals.v[i].value, "games",
                                                   (json_int_t)r->goals.v[i].count));
        json_array_append_new(roles, json_pack("{s:s, s:o, s:o}", "name", a->game->role_names[role],
                                               "branching", spread_json(&r->branching), "goals", goals));
    }
    return roles;
}

static json_t *rules_json(const struct features *f)
{
    json_t *uses = json_array();
    for (int i = 0; i < FEATURE_COUNT; i++)
        if (f->uses[i]) json_array_append_new(uses, json_string(feature_names[i]));
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "bytes", (int)f->bytes, "rules",
                     (int)f->rules, "facts", (int)f->facts, "relations", (int)f->relations,
                     "static_relations", (int)f->static_relations, "state_relations", (int)f->state_relations,
                     "move_relations", (int)f->move_relations, "uses", uses);
}

static json_t *symmetries_json(struct reasoner *r, const struct circuit *circuit)
{
    return circuit ? json_integer(count_symmetries(r, circuit)) : json_null();
}

static json_t *info_json(const struct game *game, const struct features *f, const struct analysis *a)
{
    json_t *order = a->turn_order ? json_array() : json_null(), *boards = json_array();
    for (uint32_t i = 0; a->turn_order && i < game->nroles; i++)
        json_array_append_new(order, json_string(game->role_names[a->turn_order[i]]));
    for (uint32_t i = 0; i < a->boards.n; i++) json_array_append_new(boards, board_json(a, &a->boards.v[i]));
    json_t *fault = a->fault.code == ERROR_NONE ? json_null() : json_string(a->fault.text);
    json_t *sum = a->goals_defined && a->constant_sum ? json_integer(a->sum) : json_null();
    json_t *root = json_pack("{s:s, s:s, s:o, s:o}", "game", game->name, "kif_sha1", game->digest, "rules",
                             rules_json(f), "roles", roles_json(a));
    json_t *play = json_pack("{s:I, s:I, s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "games",
                             (json_int_t)a->games, "cut", (json_int_t)a->cut, "states", (json_int_t)a->states,
                             "fault", fault, "turns", turns_names[a->turns], "turn_order", order, "control",
                             name_json(a, a->control), "counter", name_json(a, a->counter), "length",
                             spread_json(&a->length), "state_size", spread_json(&a->state_size),
                             "joint_moves", spread_json(&a->joint), "constant_sum", sum, "boards", boards);
    json_object_update_new(root, play);
    return root;
}

int cmd_info(int argc, char **argv)
{
    struct info_options o = {.games = 100, .seconds = 5, .seed = 1, .engine = "auto"};
    const struct option table[] = {
        {"games", 'n', OPTION_INT, &o.games, .min = 1, .max = 1e6, .value = "N",
         .help = "random games to look at"},
        {"seconds", 0, OPTION_REAL, &o.seconds, .min = 0.01, .max = 1e6, .value = "S",
         .help = "most time to spend on them, and on looking for subgames"},
        {"seed", 's', OPTION_SEED, &o.seed, .value = "S", .help = "seed of the random numbers"},
        ENGINE_OPTION(&o.engine),
        {"circuit", 0, OPTION_FLAG, &o.circuit, .help = "look at the circuit of the rules instead"},
        {"json", 'j', OPTION_FLAG, &o.json, .help = "print everything as JSON"},
        {0}};
    int operands, status;
    if (!command_begin(
            "info GAME [OPTION...]",
            "Tell what a game is like: what its rules use, who moves when, how long games are and how\n"
            "many moves there are, which goals occur, and the boards found in its states.\n"
            "What is told about play is what was seen in random games; subgames that have nothing to\n"
            "do with each other, and symmetries, are proved on the rules. With --circuit: the boolean\n"
            "circuit the rules become, its size after each reduction, and what it took to make it.",
            table, 1, 1, argc, argv, &operands, &status))
        return status;
    struct session session;
    struct error error;
    if (!session_open(&session, argv[0], argv[1], o.circuit ? "lifted" : o.engine, &status)) return status;
    if (o.circuit) {
        status = info_circuit(argv[0], session.game, o.json);
        session_close(&session);
        return status;
    }
    terminal_catch_interrupt();
    struct analysis_options options = {.games = (uint32_t)o.games,
                                       .states = 20000,
                                       .seconds = o.seconds,
                                       .seed = o.seed,
                                       .cancel = &terminal_interrupted};
    struct analysis *a = analysis_new(session.reasoner, &options, &error);
    if (a) {
        struct features f = features_of(session.game);
        const struct code *code = reasoner_code(session.reasoner);
        const struct circuit *circuit = code ? code->circuit : NULL;
        const char **names = session.game->role_names;
        if (o.json) {
            json_t *root = info_json(session.game, &f, a);
            json_object_set_new(root, "subgames",
                                info_factors_json(circuit, names, o.seconds, &terminal_interrupted));
            json_object_set_new(root, "symmetries", symmetries_json(session.reasoner, circuit));
            json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
            putchar('\n');
            json_decref(root);
        } else {
            print_rules(session.game, &f);
            print_play(a);
            info_factors_print(circuit, names, o.seconds, &terminal_interrupted);
            print_symmetries(session.reasoner, circuit);
            for (uint32_t i = 0; i < a->boards.n; i++) print_board(a, &a->boards.v[i]);
        }
    }
    status = a ? EXIT_YES : command_trouble(argv[0], &error);
    analysis_free(a);
    session_close(&session);
    return status;
}
