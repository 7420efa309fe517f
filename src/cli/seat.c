// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/seat.h"

#include "cli/terminal.h"
#include "game/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool choose_random(struct seat *seat, struct playout *p, uint32_t *move, struct error *error)
{
    *move = playout_pick(p, seat->role);
    return true;
}

/* ---- a person */

struct offer {
    uint32_t move;
    char *text;
};

static int compare_offers(const void *a, const void *b)
{
    return strverscmp(((const struct offer *)a)->text, ((const struct offer *)b)->text);
}

/* The legal moves in an order a person finds things in. */
static struct offer *make_offers(struct heap *heap, struct playout *p, uint32_t role)
{
    const struct list *legal = &p->legal[role];
    struct offer *offers = heap_alloc(heap, legal->n * sizeof *offers);
    for (uint32_t i = 0; i < legal->n; i++) {
        struct text t;
        text_init(&t, heap);
        reasoner_print_move(p->reasoner, role, legal->v[i], false, &t);
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

static bool ask(struct seat *seat, struct playout *p, struct heap *heap, uint32_t *move, struct error *error)
{
    uint32_t n = p->legal[seat->role].n, which;
    struct offer *offers = make_offers(heap, p, seat->role);
    char line[1000];
    print_offers(offers, n);
    for (;;) {
        printf("%s> ", p->reasoner->game->role_names[seat->role]);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin) || atomic_load(&terminal_interrupted)) {
            putchar('\n');
            return error_set(error, ERROR_CANCELLED, "the game was left");
        }
        if (!isatty(STDIN_FILENO)) putchar('\n');
        char *said = trim(line);
        if (strcmp(said, "q") == 0 || strcmp(said, "quit") == 0)
            return error_set(error, ERROR_CANCELLED, "the game was left");
        if (*said == '\0' || strcmp(said, "?") == 0) {
            print_offers(offers, n);
            continue;
        }
        if (read_offer(heap, offers, n, said, &which)) {
            *move = offers[which].move;
            return true;
        }
        printf("'%s' is no move here: type a number from 1 to %u, or the move; ? shows them, q leaves\n",
               said, n);
    }
}

static bool choose_human(struct seat *seat, struct playout *p, uint32_t *move, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    bool ok = false;
    if (!heap) return error_set(error, ERROR_MEMORY, "no memory");
    if (HEAP_ENTER(heap, &guard, error)) {
        ok = ask(seat, p, heap, move, error);
        heap_leave(heap);
    }
    heap_free(heap);
    return ok;
}

/* ---- the table */

static const struct seat_player players[] = {
    {"random", "any legal move", choose_random},
    {"human", "a person at the keyboard, by number or by typing the move", choose_human},
};
#define NPLAYERS (sizeof players / sizeof *players)

static const struct seat_player *find_player(const char *text, struct error *error)
{
    char known[200] = "";
    for (size_t i = 0; i < NPLAYERS; i++) {
        size_t n = strlen(players[i].name), have = strlen(known);
        if (strncmp(text, players[i].name, n) == 0 && (text[n] == '\0' || text[n] == ':')) return &players[i];
        snprintf(known + have, sizeof known - have, "%s%s", i ? ", " : "", players[i].name);
    }
    error_set(error, ERROR_INPUT, "there is no player '%s'; there are: %s", text, known);
    return NULL;
}

static bool no_role(const struct game *game, const char *name, int n, struct error *error)
{
    char known[300] = "";
    for (uint32_t role = 0; role < game->nroles; role++) {
        size_t have = strlen(known);
        snprintf(known + have, sizeof known - have, "%s%s", role ? ", " : "", game->role_names[role]);
    }
    return error_set(error, ERROR_INPUT, "%s has no role '%.*s'; its roles are: %s", game->name, n, name,
                     known);
}

bool seats_assign(struct seat *seats, const struct game *game, const struct option_list *given,
                  const char *others, struct error *error)
{
    for (uint32_t role = 0; role < game->nroles; role++) {
        seats[role] = (struct seat){.player = find_player(others, error), .text = others, .role = role};
        if (!seats[role].player) return false;
    }
    for (int i = 0; i < given->n; i++) {
        char name[200];
        const char *text = given->v[i];
        size_t n = strcspn(text, "=");
        if (text[n] != '=') return error_set(error, ERROR_INPUT, "--seat wants ROLE=PLAYER, not '%s'", text);
        snprintf(name, sizeof name, "%.*s", (int)n, text);
        int role = game_role(game, name);
        if (role < 0) return no_role(game, text, (int)n, error);
        seats[role].text = text + n + 1;
        seats[role].player = find_player(seats[role].text, error);
        if (!seats[role].player) return false;
    }
    return true;
}

bool seats_have(const struct seat *seats, uint32_t n, const char *player)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(seats[i].player->name, player) == 0) return true;
    return false;
}
