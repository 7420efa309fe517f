// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/human.h"

#include "cli/line.h"
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

static bool begins_with(const char *move, const char *text)
{
    size_t n = strlen(text);
    return strncasecmp(move, text, n) == 0 || (move[0] == '(' && strncasecmp(move + 1, text, n) == 0);
}

/* In columns, with their numbers. On a terminal at most `most` rows, so that the board stays in sight. */
static void print_offers(const struct offer *offers, uint32_t n, const char *prefix, uint32_t most)
{
    int widest = 0, width = terminal_width(stdout);
    uint32_t *shown = malloc((n + 1) * sizeof *shown), count = 0;
    if (!shown) return;
    for (uint32_t i = 0; i < n; i++) {
        if (!begins_with(offers[i].text, prefix)) continue;
        shown[count++] = i;
        if ((int)strlen(offers[i].text) > widest) widest = (int)strlen(offers[i].text);
    }
    uint32_t columns = (uint32_t)(width / (widest + 7));
    if (columns == 0) columns = 1;
    uint32_t rows = (count + columns - 1) / columns;
    if (rows > most) {
        printf("%u moves, such as %s: ? lists them all, ? WORD those that begin with it\n", count,
               offers[shown[0]].text);
        rows = 0;
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t i = row; i < count; i += rows)
            printf("%4u  %-*s", shown[i] + 1, i + rows < count ? widest + 1 : 0, offers[shown[i]].text);
        putchar('\n');
    }
    if (count == 0) printf("no move begins with '%s'\n", prefix);
    free(shown);
}

/* A third of the screen; where there is no screen, everything. */
static uint32_t rows_allowed(void)
{
    int height = terminal_height(stdout);
    return height > 0 ? (uint32_t)(height / 3 > 4 ? height / 3 : 4) : UINT32_MAX;
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

/* Does the line begin with this word? Then what follows it. */
static const char *after_word(const char *line, const char *word)
{
    size_t n = strlen(word);
    if (strncasecmp(line, word, n) != 0 || (line[n] != '\0' && line[n] != ' ')) return NULL;
    return line + n + strspn(line + n, " ");
}

const char human_commands[] =
    "  NUMBER, MOVE   make a move: its number, or the move itself, with or without parentheses\n"
    "  ?, help        list all moves, and these commands\n"
    "  ? WORD         list the moves that begin with it\n"
    "  hint           ask the champion\n"
    "  back, undo     take back to your last choice\n"
    "  save FILE      write the game down; `ludens play GAME --at FILE` goes on with it\n"
    "  resign         give the game up: 0 for you, 100 for the others\n"
    "  q, quit        leave\n";

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
    else if (strcmp(said, "resign") == 0)
        h->wish = HUMAN_RESIGNS;
    else if ((rest = after_word(said, "save")) && *rest && strlen(rest) < sizeof h->file) {
        h->wish = HUMAN_SAVES;
        strcpy(h->file, rest);
    } else
        return false;
    return true;
}

static void print_help(const struct human *h)
{
    if (h->plain)
        puts("a move is made by its number or by typing it; ? lists the moves, q leaves");
    else
        fputs(human_commands, stdout);
}

/* TAB knows the moves and the commands. */
static const char **completions(struct heap *heap, const struct human *h, const struct offer *offers,
                                uint32_t n, size_t *count)
{
    static const char *const words[] = {"?", "help", "quit", "hint", "back", "undo", "save ", "resign"};
    size_t nwords = h->plain ? 3 : sizeof words / sizeof *words;
    const char **all = heap_alloc(heap, (n + nwords) * sizeof *all);
    for (uint32_t i = 0; i < n; i++) all[i] = offers[i].text;
    memcpy(all + n, words, nwords * sizeof *words);
    *count = n + nwords;
    return all;
}

/* Is somebody else at this keyboard to choose in the same step? */
static bool others_choose(struct match *m, uint32_t role)
{
    struct list legal = {0};
    bool found = false;
    for (uint32_t r = 0; r < m->game->nroles && !found; r++) {
        if (r == role || !seat_get_human(m->seats[r])) continue;
        legal.n = 0;
        found = m->reasoner->ops->legal(m->reasoner, &m->state, r, &legal) && legal.n > 1;
    }
    list_done(&legal);
    return found;
}

/* What a line says. True: it is a move, or a wish; false: ask again. */
static bool obey(struct human *h, struct heap *heap, const struct offer *offers, uint32_t n, char *said,
                 bool secret, uint32_t *which)
{
    const char *prefix = said[0] == '?' ? said + 1 + strspn(said + 1, " ") : "";
    if (*said == '\0' || *said == '?' || strcmp(said, "help") == 0) {
        print_offers(offers, n, prefix, UINT32_MAX);
        if (!*prefix) print_help(h);
        return false;
    }
    if (read_wish(h, said)) return true;
    if (read_offer(heap, offers, n, said, which)) {
        h->wish = HUMAN_PLAYS;
        return true;
    }
    if (secret)
        puts("that is no move here; ? helps");
    else
        printf("'%s' is no move here; ? helps\n", said);
    return false;
}

static bool ask(struct human *h, struct match *m, uint32_t role, const struct list *legal, struct heap *heap,
                uint32_t *move)
{
    struct offer *offers = make_offers(heap, m->reasoner, role, legal);
    bool secret = others_choose(m, role), done = false;
    uint32_t which = 0;
    size_t count;
    char prompt[300];
    const char **words = completions(heap, h, offers, legal->n, &count);
    print_offers(offers, legal->n, "", rows_allowed());
    static bool greeted; /* once is enough, whoever sits at the keyboard */
    if (!greeted) print_help(h);
    greeted = true;
    snprintf(prompt, sizeof prompt, "%.200s> ", m->game->role_names[role]);
    line_offer(words, count);
    while (!done) {
        h->wish = HUMAN_LEAVES;
        char *said = line_read(prompt, secret);
        if (!said) {
            putchar('\n');
            break;
        }
        done = obey(h, heap, offers, legal->n, said, secret, &which);
        free(said);
    }
    line_offer(NULL, 0);
    if (h->wish == HUMAN_PLAYS) *move = offers[which].move;
    return h->wish == HUMAN_PLAYS;
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
