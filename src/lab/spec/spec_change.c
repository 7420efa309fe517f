// SPDX-License-Identifier: GPL-3.0-or-later
/* What the command line changes in an experiment: --quick, other numbers, budgets, seeds. */
#include "lab/spec/spec_internal.h"

#include <inttypes.h>
#include <string.h>

static void replace_budgets(struct spec *s, const struct match_budget *b)
{
    s->budget = *b;
    for (uint32_t i = 0; i < s->ngames; i++) s->games[i].own_budget = false;
    for (uint32_t i = 0; i < s->npairings; i++) s->pairings[i].own_budget = false;
    for (uint32_t i = 0; i < s->nplayers; i++) s->players[i].own_budget = false;
}

static void scale_budgets(struct spec *s, double factor)
{
    spec_scale(&s->budget, factor, true);
    for (uint32_t i = 0; i < s->ngames; i++) spec_scale(&s->games[i].budget, factor, true);
    for (uint32_t i = 0; i < s->npairings; i++) spec_scale(&s->pairings[i].budget, factor, true);
    for (uint32_t i = 0; i < s->nplayers; i++) spec_scale(&s->players[i].budget, factor, true);
}

static void replace_numbers(struct spec *s, uint32_t number)
{
    s->number = number;
    for (uint32_t i = 0; i < s->ngames; i++) s->games[i].number = 0;
}

static void keep(struct spec_reader *r, const struct doc_node *list, const char *what, uint32_t n, bool *kept,
                 uint32_t (*find)(const struct spec *s, const char *name))
{
    for (uint32_t i = 0; i < n; i++) kept[i] = !list;
    if (!list) return;
    doc_expect(r->heap, list, DOC_LIST, what);
    if (list->n == 0) doc_fail(r->heap, list, "%s is empty", what);
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t k = find(r->spec, doc_text(r->heap, list->items[i], what));
        if (k == UINT32_MAX)
            doc_fail(r->heap, list->items[i], "'%.60s' is not among the %s", list->items[i]->text, what);
        kept[k] = true;
    }
}

/* Only some rows and columns remain. */
static void narrow(struct spec_reader *r, const bool *rows, const bool *columns)
{
    struct spec *s = r->spec;
    uint32_t cell = 0, games = 0, pairings = 0;
    for (uint32_t g = 0; g < s->ngames; g++)
        for (uint32_t p = 0; p < s->npairings; p++)
            if (rows[g] && columns[p]) {
                s->empty[cell] = s->empty[g * s->npairings + p];
                s->published[cell++] = s->published[g * s->npairings + p];
            }
    for (uint32_t g = 0; g < s->ngames; g++)
        if (rows[g]) s->games[games++] = s->games[g];
    for (uint32_t p = 0; p < s->npairings; p++)
        if (columns[p]) s->pairings[pairings++] = s->pairings[p];
    s->ngames = games;
    s->npairings = pairings;
}

void spec_read_quick(struct spec_reader *r, const struct doc_node *root)
{
    static const char *const keys[] = {"number", "budget", "times", "games", "pairings", NULL};
    struct spec *s = r->spec;
    const struct doc_node *quick = doc_get(root, "quick"), *budget = NULL, *games = NULL, *pairings = NULL,
                          *times;
    struct match_budget b;
    uint32_t number = 20;
    double factor = 0.1;
    if (quick) {
        doc_expect_keys(r->heap, quick, "quick", keys);
        number = spec_read_number(r, quick, number);
        budget = doc_get(quick, "budget");
        games = doc_get(quick, "games");
        pairings = doc_get(quick, "pairings");
        if (budget) b = spec_read_budget(r, budget);
        if ((times = doc_get(quick, "times"))) factor = doc_real(r->heap, times, "times", 1e-3, 1e3);
        if (budget && times) doc_fail(r->heap, times, "either another budget or a part of it, not both");
    }
    bool *rows = heap_zalloc(r->heap, s->ngames), *columns = heap_zalloc(r->heap, s->npairings);
    keep(r, games, "games", s->ngames, rows, spec_row);
    keep(r, pairings, "pairings", s->npairings, columns, spec_column);
    if (!r->changes || !r->changes->quick) return; /* now it is known to be right */
    narrow(r, rows, columns);
    replace_numbers(s, number);
    if (budget)
        replace_budgets(s, &b);
    else
        scale_budgets(s, factor);
}

/* What is played otherwise than written is another experiment, and its name says so. */
void spec_apply(struct spec *s, const struct spec_changes *c)
{
    struct text name;
    if (!c) return;
    text_init(&name, s->heap);
    text_puts(&name, s->name);
    if (c->quick) text_puts(&name, ":quick");
    if (c->number) replace_numbers(s, c->number);
    if (c->budget.simulations || c->budget.steps || c->budget.seconds > 0 || c->budget.expansions)
        replace_budgets(s, &c->budget);
    if (c->budget.simulations) text_printf(&name, ":sims=%" PRIu64, c->budget.simulations);
    if (c->budget.steps) text_printf(&name, ":steps=%" PRIu64, c->budget.steps);
    if (c->budget.seconds > 0) text_printf(&name, ":seconds=%g", c->budget.seconds);
    if (c->budget.expansions) text_printf(&name, ":expansions=%" PRIu64, c->budget.expansions);
    if (c->times > 0 && c->times != 1) scale_budgets(s, c->times), text_printf(&name, ":times=%g", c->times);
    if (c->new_seed) s->seed = c->seed, text_printf(&name, ":seed=%" PRIu64, c->seed);
    if (name.n == strlen(s->name)) return;
    /* A title may speak of the budget that was replaced. */
    struct text title;
    text_init(&title, s->heap);
    text_printf(&title, "%s, played with", s->title);
    for (const char *part = text_str(&name) + strlen(s->name); *part; part++)
        if (*part == ':')
            text_puts(&title, " --");
        else
            text_char(&title, *part == '=' ? ' ' : *part);
    s->title = text_str(&title);
    s->name = text_str(&name);
}
