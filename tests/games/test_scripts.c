// SPDX-License-Identifier: GPL-3.0-or-later
/* Rules against facts from outside: plays the scripts tests/games/NAME.script on games/NAME.kif with every
 * engine. What a script may say is in tests/games/README.md. One test per script and engine.
 *
 *     test_scripts [slow] FOLDER [NAME] */
#include "game/engine.h"
#include "game/trace.h"
#include "testing.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>

static struct reasoner *open_lifted(const struct game *game, struct error *error)
{
    return reasoner_lifted(game, 0, error);
}

static struct reasoner *open_circuit(const struct game *game, struct error *error)
{
    return reasoner_ground(game, NULL, error);
}

static const struct way {
    const char *name;
    struct reasoner *(*open)(const struct game *game, struct error *error);
} ways[] = {
    {"lifted", open_lifted},
    {"circuit", open_circuit},
};

static bool slow; /* also do what takes more than a few seconds */

/* What one test works on. */
struct script {
    const char *path;
    int line; /* of the statement being done */
    struct heap *heap;
    struct game *game;
    struct reasoner *r;
    struct state now;
    bool skipping;            /* the engine does not know the position: on to the next one */
    struct trace_lines words; /* of the statement: symbols, (terms), [ and ] */
    struct trace_lines seen;  /* facts or moves, for comparison */
};

static void show_position(struct script *t)
{
    struct trace_lines facts;
    trace_lines_init(&facts, t->heap);
    if (!trace_facts(t->r, &t->now, &facts)) return;
    print_error("position:");
    for (uint32_t i = 0; i < facts.v.n; i++) print_error(" %s", facts.v.v[i]);
    print_error("\n");
}

#define complain(t, ...)                              \
    do {                                              \
        print_error("%s:%d: ", (t)->path, (t)->line); \
        print_error(__VA_ARGS__);                     \
        print_error("\n");                            \
        show_position(t);                             \
        fail();                                       \
    } while (0)

#define ask(t, call)                                                            \
    do {                                                                        \
        if (!(call)) complain(t, "the engine gave up: %s", (t)->r->error.text); \
    } while (0)

/* ---- reading ---- */

static term read_term(struct script *t, const char *word)
{
    struct error error = {0};
    term x = term_read(t->r->terms, word, strlen(word), &error);
    if (!x) complain(t, "%s: %s", word, error.text);
    return x;
}

/* A fact or move the way the engine prints it. */
static char *canonical(struct script *t, const char *word)
{
    struct text line;
    text_init(&line, t->heap);
    term_print(t->r->terms, read_term(t, word), true, NULL, &line);
    return line.s;
}

static uint32_t read_role(struct script *t, const char *word)
{
    int role = game_role(t->game, word);
    if (role < 0) complain(t, "there is no role %s", word);
    return (uint32_t)role;
}

static uint64_t read_number(struct script *t, const char *word)
{
    char *end;
    uint64_t n = strtoull(word, &end, 10);
    if (end == word || *end) complain(t, "%s is not a number", word);
    return n;
}

/* Cut `text` into words; a parenthesised term is one word. */
static void split_words(struct script *t, const char *text)
{
    const char *s = text;
    for (;;) {
        s += strspn(s, " \t\n");
        if (!*s) return;
        const char *begin = s;
        int depth = 0;
        do {
            if (*s == '(') depth++;
            if (*s == ')') depth--;
            s++;
        } while (*s && (depth > 0 || !strchr(" \t\n", *s)));
        if (depth != 0) complain(t, "unbalanced parentheses");
        trace_lines_add(&t->words, heap_strdup(t->heap, begin, (size_t)(s - begin)));
    }
}

/* ---- doing ---- */

static bool has_seen(const struct script *t, const char *line)
{
    for (uint32_t i = 0; i < t->seen.v.n; i++) {
        if (strcmp(t->seen.v.v[i], line) == 0) return true;
    }
    return false;
}

/* Go to the state after these moves, one per role, each of them legal. */
static void make_joint_move(struct script *t, const char *const *moves)
{
    struct state next = {0};
    uint32_t joint[64];
    for (uint32_t role = 0; role < t->game->nroles; role++) {
        ask(t, trace_moves(t->r, &t->now, role, &t->seen));
        if (!has_seen(t, moves[role]))
            complain(t, "%s is not legal for %s", moves[role], t->game->role_names[role]);
        ask(t, reasoner_read_move(t->r, role, moves[role], &joint[role]));
    }
    ask(t, t->r->ops->next(t->r, &t->now, joint, &next));
    state_done(&t->now);
    t->now = next;
}

/* One move, made by the role that has it. Nobody else may have a choice; if nobody at all has one, the move
 * (a pass) may be anybody's. */
static void make_single_move(struct script *t, const char *word)
{
    char *wanted = canonical(t, word);
    const char *moves[64];
    uint32_t nroles = t->game->nroles, mover = nroles;
    for (uint32_t role = 0; role < nroles; role++) {
        ask(t, trace_moves(t->r, &t->now, role, &t->seen));
        if (has_seen(t, wanted) && (mover == nroles || t->seen.v.n > 1)) mover = role;
    }
    if (mover == nroles) complain(t, "%s is legal for nobody", wanted);
    for (uint32_t role = 0; role < nroles; role++) {
        ask(t, trace_moves(t->r, &t->now, role, &t->seen));
        if (role != mover && t->seen.v.n != 1) {
            complain(t, "%s has %u moves: give the moves of all in [ ]", t->game->role_names[role],
                     t->seen.v.n);
        }
        moves[role] = role == mover ? wanted : heap_strdup(t->heap, t->seen.v.v[0], strlen(t->seen.v.v[0]));
    }
    make_joint_move(t, moves);
}

static void do_play(struct script *t)
{
    char **w = t->words.v.v;
    for (uint32_t i = 1; i < t->words.v.n; i++) {
        if (strcmp(w[i], "[") != 0) {
            make_single_move(t, w[i]);
            continue;
        }
        const char *moves[64];
        uint32_t n = 0;
        for (i++; i < t->words.v.n && strcmp(w[i], "]") != 0 && n < 64; i++) moves[n++] = canonical(t, w[i]);
        if (n != t->game->nroles) complain(t, "%u moves in [ ] for %u roles", n, t->game->nroles);
        make_joint_move(t, moves);
    }
}

static void do_start(struct script *t)
{
    ask(t, t->r->ops->initial(t->r, &t->now));
}

static bool assemble(struct script *t)
{
    term facts[1000];
    uint32_t n = 0;
    for (uint32_t i = 1; i < t->words.v.n && n < 1000; i++) facts[n++] = read_term(t, t->words.v.v[i]);
    return t->r->ops->assemble(t->r, facts, n, &t->now);
}

static void do_position(struct script *t)
{
    ask(t, assemble(t));
}

/* An engine may know only what play can reach. It says so, or it takes the position and must be right. */
static void do_unreachable(struct script *t)
{
    t->skipping = !assemble(t);
    if (t->skipping && t->r->error.code != ERROR_INPUT) complain(t, "%s", t->r->error.text);
}

static void do_add(struct script *t)
{
    for (uint32_t i = 1; i < t->words.v.n; i++) {
        ask(t, reasoner_add_fact(t->r, &t->now, read_term(t, t->words.v.v[i])));
    }
}

static void do_remove(struct script *t)
{
    for (uint32_t i = 1; i < t->words.v.n; i++) {
        ask(t, reasoner_remove_fact(t->r, &t->now, read_term(t, t->words.v.v[i])));
    }
}

/* ---- expecting ---- */

/* The words from `first` on, compared with what was seen: all of them there, or none. */
static void compare_seen(struct script *t, uint32_t first, bool there)
{
    for (uint32_t i = first; i < t->words.v.n; i++) {
        char *line = canonical(t, t->words.v.v[i]);
        if (has_seen(t, line) != there) complain(t, "%s %s", line, there ? "is missing" : "is there");
    }
}

static uint32_t look_at_moves(struct script *t)
{
    if (t->words.v.n < 2) complain(t, "a role is missing");
    uint32_t role = read_role(t, t->words.v.v[1]);
    ask(t, trace_moves(t->r, &t->now, role, &t->seen));
    return role;
}

static void do_legal(struct script *t)
{
    look_at_moves(t);
    compare_seen(t, 2, true);
    if (t->seen.v.n == t->words.v.n - 2) return;
    for (uint32_t i = 0; i < t->seen.v.n; i++) print_error("legal: %s\n", t->seen.v.v[i]);
    complain(t, "%u moves are legal, not %u", t->seen.v.n, t->words.v.n - 2);
}

static void do_allows(struct script *t)
{
    look_at_moves(t);
    compare_seen(t, 2, true);
}

static void do_forbids(struct script *t)
{
    look_at_moves(t);
    compare_seen(t, 2, false);
}

static void do_choices(struct script *t)
{
    if (t->words.v.n - 1 != t->game->nroles) complain(t, "one number for each role is needed");
    for (uint32_t role = 0; role < t->game->nroles; role++) {
        ask(t, trace_moves(t->r, &t->now, role, &t->seen));
        if (t->seen.v.n != read_number(t, t->words.v.v[role + 1])) {
            for (uint32_t i = 0; i < t->seen.v.n; i++) print_error("legal: %s\n", t->seen.v.v[i]);
            complain(t, "%s has %u moves, not %s", t->game->role_names[role], t->seen.v.n,
                     t->words.v.v[role + 1]);
        }
    }
}

static void do_facts(struct script *t)
{
    ask(t, trace_facts(t->r, &t->now, &t->seen));
    compare_seen(t, 1, true);
}

static void do_lacks(struct script *t)
{
    ask(t, trace_facts(t->r, &t->now, &t->seen));
    compare_seen(t, 1, false);
}

static void do_goals(struct script *t)
{
    if (t->words.v.n - 1 != t->game->nroles) complain(t, "one number for each role is needed");
    for (uint32_t role = 0; role < t->game->nroles; role++) {
        int goal;
        ask(t, reasoner_goal(t->r, &t->now, role, &goal));
        if (goal != (int)read_number(t, t->words.v.v[role + 1])) {
            complain(t, "the goal of %s is %d, not %s", t->game->role_names[role], goal,
                     t->words.v.v[role + 1]);
        }
    }
}

static bool is_over(struct script *t, const struct state *s)
{
    bool over;
    ask(t, t->r->ops->terminal(t->r, s, &over));
    return over;
}

static void do_over(struct script *t)
{
    if (!is_over(t, &t->now)) complain(t, "the game is not over");
}

static void do_open(struct script *t)
{
    if (is_over(t, &t->now)) complain(t, "the game is over");
}

/* ---- counting ---- */

/* All joint moves of a state: the legal lists of the roles and an odometer over them. */
struct joints {
    uint32_t nroles, at[64], joint[64];
    struct list legal[64];
};

static void joints_begin(struct script *t, const struct state *s, struct joints *j)
{
    *j = (struct joints){.nroles = t->game->nroles};
    for (uint32_t role = 0; role < j->nroles; role++) {
        ask(t, t->r->ops->legal(t->r, s, role, &j->legal[role]));
        if (j->legal[role].n == 0) complain(t, "%s has no move", t->game->role_names[role]);
        j->joint[role] = j->legal[role].v[0];
    }
}

static bool joints_next(struct joints *j)
{
    for (uint32_t role = 0; role < j->nroles; role++) {
        bool carry = ++j->at[role] == j->legal[role].n;
        if (carry) j->at[role] = 0;
        j->joint[role] = j->legal[role].v[j->at[role]];
        if (!carry) return true;
    }
    return false;
}

static void joints_end(struct joints *j)
{
    for (uint32_t role = 0; role < j->nroles; role++) list_done(&j->legal[role]);
}

static uint64_t perft(struct script *t, const struct state *s, uint32_t depth)
{
    if (depth == 0) return 1;
    if (is_over(t, s)) return 0;
    struct joints j;
    struct state next = {0};
    uint64_t n = depth == 1;
    joints_begin(t, s, &j);
    if (depth == 1) {
        for (uint32_t role = 0; role < j.nroles; role++) n *= j.legal[role].n;
    } else {
        do {
            ask(t, t->r->ops->next(t->r, s, j.joint, &next));
            n += perft(t, &next, depth - 1);
        } while (joints_next(&j));
    }
    state_done(&next);
    joints_end(&j);
    return n;
}

static void do_perft(struct script *t)
{
    for (uint32_t depth = 1; depth < t->words.v.n; depth++) {
        uint64_t n = perft(t, &t->now, depth);
        if (n != read_number(t, t->words.v.v[depth])) {
            complain(t, "perft %u is %" PRIu64 ", not %s", depth, n, t->words.v.v[depth]);
        }
    }
}

static void do_slow_perft(struct script *t)
{
    if (slow) do_perft(t);
}

/* The positions met, each with the number of games that go on from it. */
struct known {
    struct state s;
    uint64_t games;
};

struct tree {
    VEC(struct known) known;
    uint32_t slots[1 << 16]; /* number of a position + 1; 0: free */
};

static uint64_t count_games(struct script *t, struct tree *tree, const struct state *s)
{
    uint32_t mask = (1 << 16) - 1, slot = (uint32_t)state_hash(s) & mask;
    for (; tree->slots[slot]; slot = (slot + 1) & mask) {
        struct known *k = &tree->known.v[tree->slots[slot] - 1];
        if (state_equal(&k->s, s)) return k->games;
    }
    uint64_t games = 1;
    if (!is_over(t, s)) {
        struct joints j;
        struct state next = {0};
        games = 0;
        joints_begin(t, s, &j);
        do {
            ask(t, t->r->ops->next(t->r, s, j.joint, &next));
            games += count_games(t, tree, &next);
        } while (joints_next(&j));
        state_done(&next);
        joints_end(&j);
    }
    struct known mine = {.games = games};
    if (!state_copy(&mine.s, s) || tree->known.n > mask / 2) complain(t, "too many positions");
    vec_push(t->heap, &tree->known, mine);
    for (slot = (uint32_t)state_hash(s) & mask; tree->slots[slot];) slot = (slot + 1) & mask;
    tree->slots[slot] = tree->known.n;
    return games;
}

static void do_tree(struct script *t)
{
    if (t->words.v.n != 3) complain(t, "two numbers are needed: games and positions");
    struct tree *tree = heap_zalloc(t->heap, sizeof *tree);
    uint64_t games = count_games(t, tree, &t->now), positions = tree->known.n;
    for (uint32_t i = 0; i < tree->known.n; i++) state_done(&tree->known.v[i].s);
    if (games != read_number(t, t->words.v.v[1]) || positions != read_number(t, t->words.v.v[2])) {
        complain(t, "%" PRIu64 " games and %" PRIu64 " positions", games, positions);
    }
}

/* ---- a script ---- */

static const struct statement {
    const char *name;
    void (*run)(struct script *t);
} statements[] = {
    {"start", do_start},
    {"position", do_position},
    {"unreachable", do_unreachable},
    {"add", do_add},
    {"remove", do_remove},
    {"play", do_play},
    {"legal", do_legal},
    {"allows", do_allows},
    {"forbids", do_forbids},
    {"choices", do_choices},
    {"facts", do_facts},
    {"lacks", do_lacks},
    {"goals", do_goals},
    {"over", do_over},
    {"open", do_open},
    {"perft", do_perft},
    {"slow-perft", do_slow_perft},
    {"tree", do_tree},
};

static void run_statement(struct script *t, const char *text)
{
    trace_lines_clear(&t->words);
    split_words(t, text);
    if (t->words.v.n == 0) return;
    const struct statement *s = statements, *end = s + sizeof statements / sizeof *statements;
    while (s < end && strcmp(s->name, t->words.v.v[0]) != 0) s++;
    if (s == end) complain(t, "there is no statement %s", t->words.v.v[0]);
    if (s->run == do_start || s->run == do_position || s->run == do_unreachable) t->skipping = false;
    if (!t->skipping) s->run(t);
}

/* Statements begin in the first column and go on in lines that begin with a blank; # starts a comment. */
static void run_lines(struct script *t, FILE *file)
{
    struct text statement;
    char *line = NULL;
    size_t cap = 0;
    int number = 0;
    text_init(&statement, t->heap);
    while (getline(&line, &cap, file) >= 0) {
        number++;
        line[strcspn(line, "#\n")] = '\0';
        if (line[0] != ' ') {
            run_statement(t, text_str(&statement));
            text_clear(&statement);
            t->line = number;
        }
        text_puts(&statement, line);
    }
    run_statement(t, text_str(&statement));
    free(line);
}

struct task {
    char path[1000], game[200], title[300];
    const struct way *way;
};

static void run_task(void **state)
{
    const struct task *task = *state;
    struct error error = {0};
    struct heap_guard guard;
    struct script t = {.path = task->path, .heap = heap_new(0)};
    t.game = game_load(task->game, 0, NULL, &error);
    if (!t.game) fail_msg("%s: %s", task->path, error.text);
    t.r = task->way->open(t.game, &error);
    if (!t.r) fail_msg("%s: %s", task->path, error.text);
    FILE *file = fopen(task->path, "r");
    assert_non_null(file);
    trace_lines_init(&t.words, t.heap);
    trace_lines_init(&t.seen, t.heap);
    if (!HEAP_ENTER(t.heap, &guard, &error)) fail_msg("%s: %s", task->path, error.text);
    do_start(&t);
    run_lines(&t, file);
    heap_leave(t.heap);
    fclose(file);
    state_done(&t.now);
    reasoner_free(t.r);
    game_free(t.game);
    heap_free(t.heap);
}

int main(int argc, char **argv)
{
    slow = argc > 1 && strcmp(argv[1], "slow") == 0;
    argv += slow;
    argc -= slow;
    const char *folder = argc > 1 ? argv[1] : "tests/games", *only = argc > 2 ? argv[2] : "*";
    char pattern[1000];
    glob_t found;
    size_t n = 0, nways = sizeof ways / sizeof *ways;
    snprintf(pattern, sizeof pattern, "%s/%s.script", folder, only);
    if (glob(pattern, 0, NULL, &found) != 0) return 1;
    struct task *tasks = calloc(found.gl_pathc * nways, sizeof *tasks);
    struct CMUnitTest *tests = calloc(found.gl_pathc * nways, sizeof *tests);
    for (size_t i = 0; i < found.gl_pathc * nways; i++, n++) {
        struct task *task = &tasks[n];
        task->way = &ways[i % nways];
        snprintf(task->path, sizeof task->path, "%s", found.gl_pathv[i / nways]);
        const char *base = strrchr(task->path, '/') + 1;
        snprintf(task->game, sizeof task->game, "%.*s", (int)(strlen(base) - strlen(".script")), base);
        snprintf(task->title, sizeof task->title, "%s_follows_its_script_on_the_%s_engine", task->game,
                 task->way->name);
        tests[n] = (struct CMUnitTest){task->title, run_task, NULL, NULL, task};
    }
    int failed = _cmocka_run_group_tests("scripts", tests, n, NULL, NULL);
    free(tests);
    free(tasks);
    globfree(&found);
    return failed;
}
