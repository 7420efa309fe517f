// SPDX-License-Identifier: GPL-3.0-or-later
/* The courier: stands for a player elsewhere in a seat of a table, by the GGP protocol. To the server it
 * looks like a search. */
#include "base/clock.h"
#include "net/remote.h"
#include "web/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_SECONDS 10.0
#define STOP_SECONDS 3.0

struct courier {
    struct inbox *inbox;
    struct post *post;
    const struct assignment *a;
    char id[40];
    uint32_t turn;
    char *said; /* the joint move last announced, as "(a b)"; NULL: none yet */
};

/* Send and wait; the text of the answer is the caller's. NULL and an error: none came. */
static char *ask(struct courier *c, const char *text, double seconds, struct error *error)
{
    struct letter *l = letter_send(c->post, c->a->player, text, strlen(text), seconds);
    if (!l) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    const struct reply *r = letter_wait(l, NULL);
    char *answer = r->error.code ? NULL : strndup(r->text, r->size);
    if (r->error.code) *error = r->error;
    letter_free(l);
    return answer;
}

static char *ask_play(struct courier *c, double seconds, struct error *error)
{
    char *text = NULL, *answer = NULL;
    if (asprintf(&text, "( PLAY %s %s )", c->id, c->said ? c->said : "NIL") < 0) return NULL;
    answer = ask(c, text, seconds, error);
    free(text);
    return answer;
}

static bool begin(struct courier *c, struct error *error)
{
    struct heap *heap = heap_new((size_t)c->a->megabytes << 20);
    struct heap_guard guard;
    char *volatile answer = NULL;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory");
    if (HEAP_ENTER(heap, &guard, error)) {
        struct source *source = source_copy(heap, "match", c->a->rules, c->a->rules_size);
        struct diags diags;
        struct text text;
        diags_init(&diags, heap, source);
        text_init(&text, heap);
        text_printf(&text, "( START %s %s (", c->id, c->a->role);
        remote_print_rules(syntax_parse(heap, source, &diags), &text);
        text_printf(&text, ") %d %d )", (int)START_SECONDS, (int)fmax(1, ceil(c->a->seconds)));
        answer = ask(c, text_str(&text), START_SECONDS + 1, error);
        heap_leave(heap);
    }
    heap_free(heap);
    bool good = answer != NULL;
    free(answer);
    return good;
}

static void announce(struct courier *c, struct order *l, uint32_t roles)
{
    char *text = NULL, *line;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) inbox_lost(c->inbox, "out of memory");
    fputc('(', out);
    for (uint32_t i = 0; i < roles && (line = order_line(l)); i++) fprintf(out, i ? " %s" : "%s", line);
    fputc(')', out);
    fclose(out);
    free(c->said);
    c->said = text;
    c->turn++;
}

/* Several joint moves: a player elsewhere can only be told by asking it about every turn. */
static void on_follow(struct courier *c, struct order *l)
{
    char *head = order_line(l), *end = head;
    uint32_t first = head ? (uint32_t)strtoul(end, &end, 10) : 0, lines = 0;
    uint32_t count = head ? (uint32_t)strtoul(end, &end, 10) : 0;
    for (const char *p = l->rest; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) lines++;
    if (first != c->turn) inbox_lost(c->inbox, "a player elsewhere cannot go back");
    for (uint32_t i = 0; i < count; i++) {
        struct error error;
        announce(c, l, lines / count);
        if (i + 1 < count) free(ask_play(c, c->a->seconds + 1, &error));
    }
}

static void on_think(struct courier *c, struct order *l)
{
    char *head = order_line(l), *end = head;
    if (!head || strtoul(end, &end, 10) != c->turn) inbox_lost(c->inbox, "asked about another turn");
    struct error error = {0};
    double left = fmax(0.1, strtod(end, NULL) - clock_now()), asked = clock_now();
    char *answer = ask_play(c, left, &error);
    json_t *move = answer ? json_string(answer) : NULL;
    json_t *m =
        json_pack("{s:s, s:i, s:f}", "type", "move", "turn", (int)c->turn, "seconds", clock_now() - asked);
    if (move)
        json_object_set_new(m, "move", move);
    else
        json_object_set_new(m, "trouble", json_string(answer ? "the answer is no text" : error.text));
    inbox_send(c->inbox, m);
    free(answer);
}

static void on_stop(struct courier *c)
{
    char *text = NULL;
    struct error error;
    if (asprintf(&text, "( STOP %s %s )", c->id, c->said ? c->said : "NIL") < 0) _exit(0);
    free(ask(c, text, STOP_SECONDS, &error));
    _exit(0);
}

void courier_run(struct inbox *b, const struct assignment *a)
{
    struct courier c = {.inbox = b, .a = a};
    struct error error = {0};
    snprintf(c.id, sizeof c.id, "web.%llx", (unsigned long long)(a->seed ^ (uint64_t)getpid() << 40));
    c.post = post_is_url(a->player) ? post_new(&error) : NULL;
    if (!c.post) {
        error_set(&error, ERROR_INPUT, "'%.200s' is no address of a player: http://host:port", a->player);
        inbox_refuse(b, &error);
        return;
    }
    if (!begin(&c, &error)) {
        error.code = ERROR_INPUT;
        inbox_refuse(b, &error);
        return;
    }
    inbox_send(b, json_pack("{s:s}", "type", "here"));
    for (;;) {
        struct order *l = inbox_take(b, true);
        if (!l) continue;
        if (strcmp(l->verb, "follow") == 0) on_follow(&c, l);
        if (strcmp(l->verb, "think") == 0) on_think(&c, l);
        if (strcmp(l->verb, "stop") == 0) on_stop(&c);
        free(l);
    }
}
