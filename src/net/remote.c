// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/remote.h"

#include "gdl/scramble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { STOP_SECONDS = 5, NO_CLOCK_SECONDS = 60, QUOTED = 160 };

struct table_talk {
    struct post *post;
    const struct game *game;
    struct heap *heap;
    const char *id;
    struct scramble *scramble; /* NULL: everything in plain words */
    struct text rules;         /* in one line, without comments */
};

struct remote {
    struct seat seat;
    struct table_talk *talk;
    struct letter *letter; /* under way, or answered but not read; NULL: none */
    bool started;          /* it knows about the match */
    char name[100], url[];
};

/* ---- words ---- */

/* A stranger's text in a remark: printable, in one line, not too long. */
static void quote(const char *text, size_t size, char out[QUOTED + 4])
{
    size_t n = size < QUOTED ? size : QUOTED;
    for (size_t i = 0; i < n; i++) out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    while (n > 0 && (out[n - 1] == '?' || out[n - 1] == ' ') && size <= QUOTED) n--; /* a line's end */
    strcpy(out + n, size > QUOTED ? "..." : "");
}

static void print_node(const struct syntax *s, uint32_t node, struct text *out)
{
    const struct node *n = &s->nodes.v[node];
    if (n->kind != NODE_LIST) {
        text_add(out, node_text(s, node), n->length);
        return;
    }
    text_char(out, '(');
    for (uint32_t c = n->first; c; c = s->nodes.v[c].next) {
        print_node(s, c, out);
        if (s->nodes.v[c].next) text_char(out, ' ');
    }
    text_char(out, ')');
}

void remote_print_rules(const struct syntax *s, struct text *out)
{
    for (uint32_t i = 0; i < s->top.n; i++) {
        print_node(s, s->top.v[i], out);
        text_char(out, ' ');
    }
}

static void print_rules(struct table_talk *t)
{
    const struct syntax *syntax = t->game->syntax;
    text_init(&t->rules, t->heap);
    if (t->scramble) {
        struct text sheet;
        struct diags diags;
        text_init(&sheet, t->heap);
        scramble_sheet(t->scramble, syntax, &sheet);
        struct source *source = source_copy(t->heap, "scrambled", text_str(&sheet), sheet.n);
        diags_init(&diags, t->heap, source);
        syntax = syntax_parse(t->heap, source, &diags);
    }
    remote_print_rules(syntax, &t->rules);
}

/* Append words of the game as the players elsewhere know them. Unwinds if they are none, which cannot be. */
static void say(struct table_talk *t, const char *words, struct text *out)
{
    struct error error;
    if (!t->scramble)
        text_puts(out, words);
    else if (!scramble_translate(t->scramble, words, strlen(words), out, &error))
        heap_fail(t->heap, ERROR_INTERNAL, "%s", error.text);
}

static void say_moves(struct table_talk *t, struct match *m, struct text *out)
{
    if (m->nsteps == 0) {
        text_puts(out, "NIL");
        return;
    }
    text_char(out, '(');
    for (uint32_t r = 0; r < m->game->nroles; r++) {
        struct text move;
        text_init(&move, t->heap);
        reasoner_print_move(m->reasoner, r, m->steps[m->nsteps - 1].joint[r], false, &move);
        say(t, text_str(&move), out);
        text_char(out, ' ');
        heap_release(t->heap, move.s);
    }
    text_char(out, ')');
}

/* ---- letters ---- */

enum message { START, PLAY, STOP, ABORT };

static int whole_seconds(double s)
{
    return s < 1 ? 1 : s < 1e6 ? (int)ceil(s) : 1000000;
}

static void compose(struct table_talk *t, struct match *m, uint32_t role, enum message what, struct text *out)
{
    static const char *const words[] = {"START", "PLAY", "STOP", "ABORT"};
    text_printf(out, "( %s %s ", words[what], t->id);
    if (what == START) {
        say(t, m->game->role_names[role], out);
        text_puts(out, " (");
        text_add(out, text_str(&t->rules), t->rules.n);
        text_printf(out, ") %d %d ", whole_seconds(m->budget.start_seconds),
                    whole_seconds(m->budget.seconds));
    } else if (what != ABORT) {
        say_moves(t, m, out);
        text_char(out, ' ');
    }
    text_char(out, ')');
}

/* Break off what is under way and send another. */
static void send_letter(struct remote *r, struct match *m, uint32_t role, enum message what, double seconds)
{
    struct table_talk *t = r->talk;
    struct heap_guard guard;
    struct error error;
    letter_free(r->letter);
    r->letter = NULL;
    if (HEAP_ENTER(t->heap, &guard, &error)) {
        struct text text;
        text_init(&text, t->heap);
        compose(t, m, role, what, &text);
        r->letter = letter_send(t->post, r->url, text_str(&text), text.n, seconds);
        heap_release(t->heap, text.s);
        heap_leave(t->heap);
    }
}

static double seconds_left(const struct match *m, const struct budget *b)
{
    double left = b->deadline > 0 ? b->deadline - clock_now() + fmax(m->budget.grace, 0) : NO_CLOCK_SECONDS;
    return left > 0 ? left : 0;
}

/* ---- the seat ---- */

static bool start(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                  struct error *error)
{
    struct remote *r = (struct remote *)s;
    send_letter(r, m, role, START, seconds_left(m, budget));
    if (!r->letter) return error_set(error, ERROR_MEMORY, "no memory for a message");
    r->started = true;
    return true;
}

/* The answer to START, STOP or ABORT. Only the first can be wrong: it is late to complain at the end. */
static void settle(struct seat *s, struct match *m, uint32_t role)
{
    struct remote *r = (struct remote *)s;
    if (!r->letter) return;
    const struct reply *reply = letter_wait(r->letter, m->starting ? m->stop : NULL);
    if (m->starting && reply->error.code != ERROR_CANCELLED) {
        char said[QUOTED + 4], text[QUOTED + 40];
        quote(reply->text, reply->size, said);
        snprintf(text, sizeof text, "answered START with '%s'", said);
        if (reply->error.code)
            match_remark(m, role, reply->error.code == ERROR_TIME ? MATCH_LATE : MATCH_FAILED,
                         reply->error.text);
        else if (strcasecmp(said + strspn(said, " ?"), "ready") != 0)
            match_remark(m, role, MATCH_FAILED, text);
    }
    letter_free(r->letter);
    r->letter = NULL;
}

static void ask(struct seat *s, struct match *m, uint32_t role, const struct budget *budget)
{
    send_letter((struct remote *)s, m, role, PLAY, seconds_left(m, budget));
}

/* Which legal move is meant? The reply is read into a store of its own, and the legal moves beside it. */
static bool find_move(struct table_talk *t, struct heap *heap, struct match *m, const struct list *legal,
                      uint32_t role, const struct reply *reply, uint32_t *move, struct error *error)
{
    struct text plain;
    struct terms *terms = terms_new(heap);
    text_init(&plain, heap);
    if (t->scramble) {
        if (!scramble_restore(t->scramble, reply->text, reply->size, &plain, error)) return false;
    } else {
        text_add(&plain, reply->text, reply->size);
    }
    term said = term_read(terms, text_str(&plain), plain.n, error);
    if (!said) return false;
    for (uint32_t i = 0; i < legal->n; i++) {
        term offered = m->reasoner->ops->move_term(m->reasoner, role, legal->v[i]);
        if (term_import(terms, m->reasoner->terms, offered) == said) return *move = legal->v[i], true;
    }
    return error_set(error, ERROR_INPUT, "no legal move");
}

static bool read_move(struct remote *r, struct match *m, uint32_t role, const struct reply *reply,
                      uint32_t *move, struct error *error)
{
    struct list legal = {0};
    struct heap *heap = heap_new((size_t)256 << 20);
    struct heap_guard guard;
    volatile bool good = false;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory");
    if (!m->reasoner->ops->legal(m->reasoner, &m->state, role, &legal)) {
        *error = m->reasoner->error;
    } else if (HEAP_ENTER(heap, &guard, error)) {
        good = find_move(r->talk, heap, m, &legal, role, reply, move, error);
        heap_leave(heap);
    }
    heap_free(heap);
    list_done(&legal);
    if (!good) {
        char said[QUOTED + 4], why[sizeof error->text];
        quote(reply->text, reply->size, said);
        quote(error->text, strnlen(error->text, QUOTED), why);
        error_set(error, ERROR_INPUT, "'%s': %s", said, why);
    }
    return good;
}

static bool answer(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                   uint32_t *move, struct error *error)
{
    (void)budget;
    struct remote *r = (struct remote *)s;
    if (!r->letter) return error_set(error, ERROR_MEMORY, "no memory for a message");
    const struct reply *reply = letter_wait(r->letter, m->stop);
    m->steps[m->nsteps].seconds[role] = (float)reply->seconds;
    bool good = false;
    if (reply->error.code)
        *error = reply->error;
    else
        good = read_move(r, m, role, reply, move, error);
    letter_free(r->letter);
    r->letter = NULL;
    return good;
}

static void stop(struct seat *s, struct match *m, uint32_t role, bool aborted)
{
    struct remote *r = (struct remote *)s;
    if (r->started) send_letter(r, m, role, aborted ? ABORT : STOP, STOP_SECONDS);
}

static void remote_free(struct seat *s)
{
    letter_free(((struct remote *)s)->letter);
    free(s);
}

static const struct seat_ops ops = {
    .start = start, .ask = ask, .answer = answer, .stop = stop, .free = remote_free, .settle = settle};

struct seat *seat_remote(struct table_talk *t, const char *url, const char *name, struct error *error)
{
    struct remote *r = calloc(1, sizeof *r + strlen(url) + 1);
    if (!r) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    r->talk = t;
    strcpy(r->url, url);
    snprintf(r->name, sizeof r->name, "%s", name);
    r->seat = (struct seat){&ops, r->name};
    return &r->seat;
}

struct table_talk *table_talk_new(struct post *post, const struct game *game,
                                  const struct table_talk_options *options, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    if (heap && HEAP_ENTER(heap, &guard, error)) {
        struct table_talk *t = heap_zalloc(heap, sizeof *t);
        *t = (struct table_talk){.post = post, .game = game, .heap = heap};
        t->id = heap_strdup(heap, options->id, strlen(options->id));
        if (options->scramble)
            t->scramble = scramble_new(heap, game->syntax, (struct scramble_options){.seed = options->seed});
        print_rules(t);
        heap_leave(heap);
        return t;
    }
    if (!heap) error_set(error, ERROR_MEMORY, "out of memory");
    heap_free(heap);
    return NULL;
}

void table_talk_free(struct table_talk *t)
{
    if (t) heap_free(t->heap);
}

/* ---- who is there ---- */

struct letter *remote_ask_info(struct post *post, const char *url, double seconds)
{
    static const char text[] = "( INFO )";
    return letter_send(post, url, text, sizeof text - 1, seconds);
}

/* ((name x) (status y) ...): the first word behind `key`. */
static void find_word(const struct syntax *s, uint32_t list, const char *key, char *out, size_t size)
{
    for (uint32_t pair = s->nodes.v[list].first; pair; pair = s->nodes.v[pair].next) {
        const struct node *n = &s->nodes.v[pair];
        uint32_t value = n->kind == NODE_LIST && n->first ? s->nodes.v[n->first].next : 0;
        if (!value || s->nodes.v[value].kind == NODE_LIST || !node_is(s, n->first, key)) continue;
        char word[QUOTED + 4];
        quote(node_text(s, value), s->nodes.v[value].length, word);
        snprintf(out, size, "%s", word);
        return;
    }
}

void remote_read_info(const struct reply *reply, struct remote_info *info)
{
    struct heap *heap = heap_new((size_t)64 << 20);
    struct heap_guard guard;
    struct error error;
    *info = (struct remote_info){0};
    if (heap && !reply->error.code && HEAP_ENTER(heap, &guard, &error)) {
        struct diags diags;
        struct source *source = source_copy(heap, "info", reply->text, reply->size);
        diags_init(&diags, heap, source);
        struct syntax *s = syntax_parse(heap, source, &diags);
        if (!diags.errors && s->top.n == 1 && s->nodes.v[s->top.v[0]].kind == NODE_LIST) {
            find_word(s, s->top.v[0], "name", info->name, sizeof info->name);
            find_word(s, s->top.v[0], "status", info->status, sizeof info->status);
        }
        heap_leave(heap);
    }
    heap_free(heap);
}
