// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/human.h"

#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct offer {
    uint32_t move;
    char *text;
};

static int compare_offers(const void *a, const void *b)
{
    return strverscmp(((const struct offer *)a)->text, ((const struct offer *)b)->text);
}

/* The legal moves in an order a person finds things in. */
static struct offer *make_offers(struct heap *heap, struct reasoner *reasoner, uint32_t role,
                                 const struct list *legal)
{
    struct offer *offers = heap_alloc(heap, legal->n * sizeof *offers);
    for (uint32_t i = 0; i < legal->n; i++) {
        struct text t;
        text_init(&t, heap);
        reasoner_print_move(reasoner, role, legal->v[i], false, &t);
        offers[i] = (struct offer){legal->v[i], t.s};
    }
    qsort(offers, legal->n, sizeof *offers, compare_offers);
    return offers;
}

static void print_offers(const struct offer *offers, uint32_t n)
{
    int widest = 0, width = terminal_width(stdout);
    for (uint32_t i = 0; i < n; i++)
        if ((int)strlen(offers[i].text) > widest) widest = (int)strlen(offers[i].text);
    uint32_t columns = (uint32_t)(width / (widest + 7));
    if (columns == 0) columns = 1;
    uint32_t rows = (n + columns - 1) / columns;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t i = row; i < n; i += rows)
            printf("%4u  %-*s", i + 1, i + rows < n ? widest + 1 : 0, offers[i].text);
        putchar('\n');
    }
}

/* The move a line means: its number, or the move itself, with or without the outer parentheses. */
static bool read_offer(struct heap *heap, const struct offer *offers, uint32_t n, const char *line,
                       uint32_t *which)
{
    char *end;
    struct text t;
    unsigned long number = strtoul(line, &end, 10);
    if (end != line && !*end) {
        *which = (uint32_t)number - 1;
        return number >= 1 && number <= n;
    }
    text_init(&t, heap);
    text_printf(&t, line[0] == '(' || !strchr(line, ' ') ? "%s" : "(%s)", line);
    for (*which = 0; *which < n; ++*which)
        if (strcasecmp(offers[*which].text, text_str(&t)) == 0) return true;
    return false;
}

static char *trim(char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    while (*line == ' ' || *line == '\t') line++;
    size_t n = strlen(line);
    while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\t')) line[--n] = '\0';
    return line;
}

/* Does the line begin with this word? Then what follows it. */
static const char *after_word(const char *line, const char *word)
{
    size_t n = strlen(word);
    if (strncasecmp(line, word, n) != 0 || (line[n] != '\0' && line[n] != ' ')) return NULL;
    return line + n + strspn(line + n, " ");
}

/* A command instead of a move. */
static bool read_wish(struct human *h, const char *said)
{
    const char *rest;
    if (strcmp(said, "q") == 0 || strcmp(said, "quit") == 0)
        h->wish = HUMAN_LEAVES;
    else if (h->plain)
        return false;
    else if (strcmp(said, "hint") == 0)
        h->wish = HUMAN_WANTS_HINT;
    else if (strcmp(said, "back") == 0 || strcmp(said, "undo") == 0)
        h->wish = HUMAN_TAKES_BACK;
    else if ((rest = after_word(said, "save")) && *rest && strlen(rest) < sizeof h->file) {
        h->wish = HUMAN_SAVES;
        strcpy(h->file, rest);
    } else
        return false;
    return true;
}

static void print_help(const struct human *h, uint32_t n)
{
    printf("type a number from 1 to %u, or the move; ? shows the moves%s, q leaves\n", n,
           h->plain ? "" : ", hint asks the champion, back takes back,\nsave FILE writes the game down");
}

static bool ask(struct human *h, struct match *m, uint32_t role, const struct list *legal, struct heap *heap,
                uint32_t *move)
{
    struct offer *offers = make_offers(heap, m->reasoner, role, legal);
    uint32_t which;
    char line[1000];
    print_offers(offers, legal->n);
    for (;;) {
        printf("%s> ", m->game->role_names[role]);
        fflush(stdout);
        h->wish = HUMAN_LEAVES;
        if (!fgets(line, sizeof line, stdin) || atomic_load(&terminal_interrupted)) {
            putchar('\n');
            return false;
        }
        if (!isatty(STDIN_FILENO)) putchar('\n');
        char *said = trim(line);
        if (*said == '\0' || strcmp(said, "?") == 0) {
            print_offers(offers, legal->n);
            print_help(h, legal->n);
            continue;
        }
        if (read_wish(h, said)) return false;
        if (read_offer(heap, offers, legal->n, said, &which)) {
            h->wish = HUMAN_PLAYS;
            *move = offers[which].move;
            return true;
        }
        printf("'%s' is no move here: ", said);
        print_help(h, legal->n);
    }
}

static bool answer(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                   uint32_t *move, struct error *error)
{
    (void)budget;
    struct human *h = (struct human *)s;
    struct list legal = {0};
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    bool good = heap && m->reasoner->ops->legal(m->reasoner, &m->state, role, &legal) && legal.n > 0;
    if (good && legal.n == 1) {
        *move = legal.v[0]; /* nothing to decide */
    } else if (good && HEAP_ENTER(heap, &guard, error)) {
        good = ask(h, m, role, &legal, heap, move);
        m->interrupted = !good;
        heap_leave(heap);
    }
    heap_free(heap);
    list_done(&legal);
    return good;
}

static void human_free(struct seat *s)
{
    free(s);
}

static const struct seat_ops ops = {.answer = answer, .free = human_free, .patient = true};

struct human *human_new(void)
{
    struct human *h = calloc(1, sizeof *h);
    if (h) h->seat = (struct seat){&ops, "human"};
    return h;
}

struct human *seat_get_human(struct seat *s)
{
    return s->ops == &ops ? (struct human *)s : NULL;
}
