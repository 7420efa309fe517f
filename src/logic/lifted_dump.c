// SPDX-License-Identifier: GPL-3.0-or-later
/* The plans of the engine as text, for whoever wonders what it does. Compiled with -DLIFTED_COUNT it also
 * counts how often each op was run. */
#include "logic/lifted_internal.h"

#include <inttypes.h>

static const char *const names[] = {
    [OP_EQUAL] = "equal",
    [OP_DISTINCT] = "distinct",
    [OP_BUILD] = "build",
    [OP_UNPACK] = "unpack",
    [OP_STATIC] = "static",
    [OP_FACTS] = "facts",
    [OP_CALL] = "call",
    [OP_DOES] = "does",
    [OP_ALL_FACTS] = "all-facts",
    [OP_IS_STATIC] = "is-static",
    [OP_IS_FACTS] = "is-facts",
    [OP_HOLDS] = "holds",
    [OP_NOT_STATIC] = "not-static",
    [OP_NOT_FACTS] = "not-facts",
    [OP_NOT_HOLDS] = "not-holds",
    [OP_NOT_DOES] = "not-does",
    [OP_IS_FACT] = "is-fact",
    [OP_NOT_IS_FACT] = "not-is-fact",
    [OP_EMIT] = "emit",
};

static void print_operand(const struct lifted *e, operand x, struct text *out)
{
    if (x >= 0)
        text_printf(out, " %d", x);
    else
        text_char(out, ' '), term_print(e->terms, (term)~x, true, NULL, out);
}

static void print_name(const struct lifted *e, uint32_t relation, const char *pattern, struct text *out)
{
    const struct relation *r = &e->program->relations.v[relation];
    text_printf(out, " %s/%.*s", symbol_name(e->terms, r->name), (int)r->arity, pattern);
}

static void print_op(const struct lifted *e, const struct plan *plan, const struct op *op, struct text *out)
{
#ifdef LIFTED_COUNT
    text_printf(out, "%12" PRIu64 " ", op->hits);
#endif
    text_printf(out, "      %s", names[op->code]);
    switch (op->code) {
    case OP_CALL:
    case OP_HOLDS:
    case OP_NOT_HOLDS: print_name(e, op->proc->relation, op->proc->pattern, out); break;
    case OP_STATIC:
    case OP_IS_STATIC:
    case OP_NOT_STATIC: print_name(e, op->facts_always->relation, op->facts_always->pattern, out); break;
    case OP_FACTS:
    case OP_IS_FACTS:
    case OP_NOT_FACTS:
        text_printf(out, " %s/%s", symbol_name(e->terms, op->facts->group->functor), op->facts->pattern);
        break;
    case OP_BUILD:
    case OP_UNPACK: text_printf(out, " %s", symbol_name(e->terms, op->functor)); break;
    default: break;
    }
    for (uint32_t i = 0; i < op->nin; i++) print_operand(e, op->in[i], out);
    text_puts(out, " ->");
    if (op->code == OP_BUILD) text_printf(out, " %u", op->slot);
    for (uint32_t i = 0; i < op->nout; i++) switch (op->out[i].kind) {
        case ACTION_SKIP: text_puts(out, " _"); break;
        case ACTION_BIND: text_printf(out, " %u", op->out[i].x); break;
        case ACTION_SAME: text_printf(out, " =%u", op->out[i].x); break;
        default: print_operand(e, OPERAND_CONST(op->out[i].x), out);
        }
    text_printf(out, "   [fail %d, back %d]\n", op->fail ? (int)(op->fail - plan->ops) : -1,
                op->back ? (int)(op->back - plan->ops) : -1);
}

static void print_plan(const struct lifted *e, const struct plan *plan, struct text *out)
{
    text_puts(out, "    ");
    term_print(e->terms, plan->rule->head, false, plan->rule->names, out);
    text_char(out, '\n');
    for (uint32_t i = 0; i < plan->nops; i++) print_op(e, plan, &plan->ops[i], out);
}

void lifted_dump(const struct lifted *e, struct text *out)
{
    for (uint32_t i = 0; i < e->procs.n; i++) {
        const struct proc *p = e->procs.v[i];
        if (!p->compiled) continue;
        print_name(e, p->relation, p->pattern, out);
        text_printf(out, " keys %u, calls %" PRIu64 ", rows %" PRIu64 ", steps %" PRIu64 "\n", p->calls.n,
                    p->opened, p->answers, p->steps);
        for (uint32_t k = 0; k <= p->constants.n; k++)
            for (struct plan **list = p->plans[k]; *list; list++) print_plan(e, *list, out);
    }
}
