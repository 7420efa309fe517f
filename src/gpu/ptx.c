// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/ptx.h"

#define FEW_COUNTERS 12 /* so many are kept in registers */

struct writer {
    struct text t;
    const struct gpu_plan *plan;
    const struct gpu_places *places;
    uint32_t nshared, ncounters; /* slots in shared memory; the others are in local memory */
    uint32_t threads;            /* of a block */
    uint32_t since_sync;         /* instructions */
    bool in_loop;
};

/* Local memory: slots, then the counters where there are many. */
static uint32_t local_words(const struct writer *w)
{
    return w->places->nslots - w->nshared + (w->ncounters > FEW_COUNTERS ? w->ncounters : 0);
}

static uint32_t counter_place(const struct writer *w, uint32_t counter)
{
    return 4 * (w->places->nslots - w->nshared + counter);
}

struct parameter {
    const char *type, *name;
};
static const struct parameter play_parameters[] = {{"u64", "state"}, {"u64", "waiting"}, {"u64", "young"},
                                                   {"u64", "start"}, {"u64", "sums"},    {"u32", "roots"},
                                                   {"u32", "words"}, {"u32", "rounds"},  {"u64", "step"},
                                                   {"u32", "last"},  {"u32", "give_up"}};
static const struct parameter row_parameters[] = {{"u64", "in"},   {"u64", "more"},  {"u64", "out"},
                                                  {"u64", "sums"}, {"u32", "words"}, {"u64", "step"}};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void head(struct writer *w, uint32_t blocks)
{
    struct text *t = &w->t;
    bool rows = w->plan->rows;
    const struct parameter *p = rows ? row_parameters : play_parameters;
    text_printf(t,
                ".version 6.4\n.target sm_70\n.address_size 64\n\n"
                ".extern .shared .align 16 .b8 near[];\n\n.visible .entry %s(\n",
                rows ? PTX_ROWS_ENTRY : PTX_ENTRY);
    for (size_t i = 0; i < (rows ? LENGTH(row_parameters) : LENGTH(play_parameters)); i++)
        text_printf(t, "\t.param .%s %s,\n", p[i].type, p[i].name);
    for (uint32_t i = 0; i < 2 * PHILOX_ROUNDS; i++)
        text_printf(t, "\t.param .u32 key%u%s\n", i, i + 1 < 2 * PHILOX_ROUNDS ? "," : "");
    text_printf(t, ")\n.maxntid %u, 1, 1\n", w->threads);
    if (blocks) text_printf(t, ".minnctapersm %u\n", blocks);
    text_puts(t, "{\n");
    text_printf(t, "\t.reg .b32 %%r<%u>;\n\t.reg .b32 %%x<%u>;\n\t.reg .b32 %%c<%u>;\n\t.reg .b32 %%t<8>;\n",
                w->places->registers + 1, 4 * (PHILOX_ROUNDS + 1) + 1, w->ncounters + 1);
    text_printf(t, "\t.reg .b32 %%word, %%words, %%rounds, %%low, %%high, %%near, %%far, %%changed;\n"
                   "\t.reg .b64 %%d<8>;\n\t.reg .b64 %%step, %%start, %%more, %%out, %%p<4>;\n"
                   "\t.reg .pred %%go;\n");
    if (local_words(w)) text_printf(t, "\t.local .align 4 .b8 far[%u];\n", 4 * local_words(w));
}

/* A register gets the address of this thread's word in an array. */
static void array_address(struct writer *w, const char *to, const char *parameter)
{
    text_printf(&w->t,
                "\tld.param.u64 %%%s, [%s];\n\tcvta.to.global.u64 %%%s, %%%s;\n"
                "\tmul.wide.u32 %%p0, %%word, 4;\n\tadd.u64 %%%s, %%%s, %%p0;\n",
                to, parameter, to, to, to, to);
}

/* Addresses of this thread's word of each array. */
static void find_word(struct writer *w)
{
    text_puts(&w->t, "\n\tmov.u32 %t0, %ctaid.x;\n\tmov.u32 %t1, %ntid.x;\n\tmov.u32 %t2, %tid.x;\n"
                     "\tmad.lo.u32 %word, %t0, %t1, %t2;\n"
                     "\tshl.b32 %t2, %t2, 2;\n\tmov.u32 %near, near;\n\tadd.u32 %near, %near, %t2;\n"
                     "\tld.param.u32 %words, [words];\n\tld.param.u64 %step, [step];\n");
    if (w->plan->rows) {
        array_address(w, "start", "in");
        array_address(w, "more", "more");
        array_address(w, "out", "out");
    } else if (w->plan->setup.starts)
        array_address(w, "start", "start");
    /* An address that is not known when the driver translates: else it would think of these words as
     * registers, and put them aside as it likes. */
    if (local_words(w))
        text_puts(&w->t, "\tshr.u32 %t3, %words, 31;\n\tshl.b32 %t3, %t3, 2;\n\tmov.u32 %far, far;\n"
                         "\tadd.u32 %far, %far, %t3;\n");
}

/* p1 runs through this word of all bits. */
static void first_bit(struct writer *w)
{
    array_address(w, "p1", "state");
    text_puts(&w->t, "\tmul.wide.u32 %p2, %words, 4;\n");
}

static void slot_access(struct writer *w, bool load, uint32_t reg, uint32_t slot)
{
    uint32_t place = w->places->rank[slot];
    bool shared = place < w->nshared;
    char address[40];
    if (shared)
        snprintf(address, sizeof address, "[%%near+%u]", place * 4 * w->threads);
    else
        snprintf(address, sizeof address, "[%%far+%u]", (place - w->nshared) * 4);
    const char *space = shared ? "shared" : "local";
    if (load)
        text_printf(&w->t, "\tld.%s.b32 %%r%u, %s;\n", space, reg, address);
    else
        text_printf(&w->t, "\tst.%s.b32 %s, %%r%u;\n", space, address, reg);
}

static void slot_set(struct writer *w, uint32_t slot, bool ones)
{
    text_printf(&w->t, "\tmov.b32 %%r%u, %d;\n", w->places->registers, ones ? -1 : 0);
    slot_access(w, false, w->places->registers, slot);
}

/* A register goes where the round expects the input. */
static void begin_input(struct writer *w, uint32_t k, const char *from)
{
    if (from) text_printf(&w->t, "\tmov.b32 %%r%u, %s;\n", k, from);
    if (w->places->home[k] != GPU_NOTHING) slot_access(w, false, k, w->places->home[k]);
}

/* Those given up are counted and wait from the beginning, and then all are old. */
static void load_masks(struct writer *w)
{
    const struct gpu_plan *plan = w->plan;
    array_address(w, "p1", "young");
    text_puts(&w->t, "\tld.global.b32 %t1, [%p1];\n");
    array_address(w, "p1", "waiting");
    text_puts(&w->t,
              "\tld.global.b32 %t0, [%p1];\n\tld.param.u32 %t2, [give_up];\n\tsetp.ne.u32 %go, %t2, 0;\n"
              "\tlop3.b32 %t3, %t0, %t1, %t1, 0x03;\n\tselp.b32 %t3, %t3, 0, %go;\n"
              "\txor.b32 %t0, %t0, %t3;\n\tselp.b32 %t1, 0, %t1, %go;\n\tpopc.b32 %t3, %t3;\n");
    begin_input(w, gpu_waiting(plan), "%t0");
    begin_input(w, gpu_young(plan), "%t1");
    if (w->ncounters <= FEW_COUNTERS)
        text_printf(&w->t, "\tmov.b32 %%c%u, %%t3;\n", GPU_GIVEN_UP);
    else
        text_printf(&w->t, "\tst.local.b32 [%%far+%u], %%t3;\n", counter_place(w, GPU_GIVEN_UP));
    text_puts(&w->t,
              "\tld.param.u32 %t0, [last];\n\tsetp.ne.u32 %go, %t0, 0;\n\tselp.b32 %t0, -1, 0, %go;\n");
    begin_input(w, gpu_last(plan), "%t0");
}

/* The inputs, from the device's memory to where the round expects them. */
static void load_inputs(struct writer *w)
{
    const struct gpu_plan *plan = w->plan;
    load_masks(w);
    first_bit(w);
    for (uint32_t b = 0; b < plan->circuit->nbits; b++) {
        if (plan->out[b] != GPU_NOTHING) {
            text_printf(&w->t, "\tld.global.b32 %%r%u, [%%p1];\n", b);
            begin_input(w, b, NULL);
        }
        text_puts(&w->t, "\tadd.u64 %p1, %p1, %p2;\n");
    }
}

static void save_input(struct writer *w, uint32_t k)
{
    if (w->places->home[k] != GPU_NOTHING) slot_access(w, true, k, w->places->home[k]);
    text_printf(&w->t, "\tst.global.b32 [%%p1], %%r%u;\n", k);
}

static void save_inputs(struct writer *w)
{
    const struct gpu_plan *plan = w->plan;
    first_bit(w);
    for (uint32_t b = 0; b < plan->circuit->nbits; b++) {
        if (plan->out[b] != GPU_NOTHING) save_input(w, b);
        text_puts(&w->t, "\tadd.u64 %p1, %p1, %p2;\n");
    }
    array_address(w, "p1", "waiting");
    save_input(w, gpu_waiting(plan));
    array_address(w, "p1", "young");
    save_input(w, gpu_young(plan));
}

static void philox_call(struct writer *w, uint32_t to, uint32_t step, uint32_t group)
{
    struct text *t = &w->t;
    text_printf(t,
                "\tmov.b32 %%x0, %%word;\n\tadd.u32 %%x1, %%low, %u;\n\tmov.b32 %%x2, %%high;\n"
                "\tmov.b32 %%x3, %u;\n",
                step, group);
    for (uint32_t i = 0; i < PHILOX_ROUNDS; i++) {
        uint32_t x = 4 * i, y = 4 * (i + 1);
        text_printf(t, "\tmul.wide.u32 %%d0, %%x%u, 0x%x;\n\tmul.wide.u32 %%d1, %%x%u, 0x%x;\n", x, PHILOX_M0,
                    x + 2, PHILOX_M1);
        text_printf(t, "\tmov.b64 {%%x%u, %%t0}, %%d0;\n\tmov.b64 {%%x%u, %%t1}, %%d1;\n", y + 3, y + 1);
        text_printf(t, "\tld.param.u32 %%t2, [key%u];\n\tld.param.u32 %%t3, [key%u];\n", 2 * i, 2 * i + 1);
        text_printf(
            t, "\tlop3.b32 %%x%u, %%t1, %%x%u, %%t2, 0x96;\n\tlop3.b32 %%x%u, %%t0, %%x%u, %%t3, 0x96;\n", y,
            x + 1, y + 2, x + 3);
    }
    for (uint32_t k = 0; k < 4; k++)
        text_printf(t, "\tmov.b32 %%r%u, %%x%u;\n", to + k, 4 * PHILOX_ROUNDS + k);
}

static void write_row(struct writer *w, uint32_t row, uint32_t reg)
{
    text_printf(&w->t,
                "\tmul.wide.u32 %%p3, %%words, %u;\n\tadd.u64 %%p3, %%p3, %%out;\n"
                "\tst.global.b32 [%%p3], %%r%u;\n",
                4 * row, reg);
}

static void count(struct writer *w, uint32_t counter, uint32_t reg)
{
    if (counter >= GPU_ROW) {
        write_row(w, counter - GPU_ROW, reg);
        return;
    }
    text_printf(&w->t, "\tpopc.b32 %%t0, %%r%u;\n", reg);
    if (w->ncounters <= FEW_COUNTERS)
        text_printf(&w->t, "\tadd.u32 %%c%u, %%c%u, %%t0;\n", counter, counter);
    else
        text_printf(&w->t,
                    "\tld.local.b32 %%t1, [%%far+%u];\n\tadd.u32 %%t1, %%t1, %%t0;\n\tst.local.b32 "
                    "[%%far+%u], %%t1;\n",
                    counter_place(w, counter), counter_place(w, counter));
}

static void instruction(struct writer *w, const struct gpu_instruction *i)
{
    struct text *t = &w->t;
    switch (i->kind) {
    case GPU_LOGIC:
        text_printf(t, "\tlop3.b32 %%r%u, %%r%u, %%r%u, %%r%u, 0x%x;\n", i->to, i->in[0], i->in[1], i->in[2],
                    i->table);
        break;
    case GPU_START: {
        bool more = w->plan->rows && i->slot >= w->plan->first_more;
        text_printf(t,
                    "\tmul.wide.u32 %%p3, %%words, %u;\n\tadd.u64 %%p3, %%p3, %s;\n"
                    "\tld.global.b32 %%r%u, [%%p3];\n",
                    4 * (more ? i->slot - w->plan->first_more : i->slot), more ? "%more" : "%start", i->to);
        break;
    }
    case GPU_LOAD: slot_access(w, true, i->to, i->slot); break;
    case GPU_STORE: slot_access(w, false, i->in[0], i->slot); break;
    case GPU_SET: slot_set(w, i->slot, i->table); break;
    case GPU_PHILOX: philox_call(w, i->to, i->in[0], i->in[1]); break;
    case GPU_COUNT: count(w, i->slot, i->in[0]); break;
    case GPU_SWEEP: text_printf(t, "SWEEP%u:\n", i->in[0]); break;
    case GPU_CHANGE:
        if (i->table)
            text_printf(t, "\txor.b32 %%changed, %%r%u, %%r%u;\n", i->in[0], i->in[1]);
        else
            text_printf(t, "\tlop3.b32 %%changed, %%r%u, %%r%u, %%changed, 0xbe;\n", i->in[0], i->in[1]);
        break;
    case GPU_AGAIN:
        text_printf(t,
                    "\tsetp.ne.u32 %%go, %%changed, 0;\n\tvote.sync.any.pred %%go, %%go, 0xffffffff;\n"
                    "\t@%%go bra SWEEP%u;\n",
                    i->in[0]);
        break;
    case GPU_OUT: text_printf(t, "\tmov.b32 %%r%u, %%r%u;\n", i->slot, i->in[0]); break;
    case GPU_OUT_SET: text_printf(t, "\tmov.b32 %%r%u, %d;\n", i->slot, i->table ? -1 : 0); break;
    }
}

/* Not within loops: warps may need more sweeps or fewer. */
static void wait_for_others(struct writer *w, const struct gpu_instruction *i, uint32_t sync)
{
    const uint32_t PHILOX = 9 * PHILOX_ROUNDS;
    if (i->kind == GPU_SWEEP) w->in_loop = true;
    if (i->kind == GPU_AGAIN) w->in_loop = false;
    w->since_sync += i->kind == GPU_PHILOX ? PHILOX : 1;
    if (!sync || w->since_sync < sync || w->in_loop) return;
    text_puts(&w->t, "\tbar.sync 0;\n");
    w->since_sync = 0;
}

/* Where all lanes of the warp wait, nothing more will happen. */
static void stop_if_all_wait(struct writer *w)
{
    uint32_t waiting = gpu_waiting(w->plan), home = w->places->home[waiting];
    if (home != GPU_NOTHING) slot_access(w, true, waiting, home);
    text_printf(&w->t,
                "\tsetp.ne.and.u32 %%go, %%r%u, 0xffffffff, %%go;\n"
                "\tvote.sync.any.pred %%go, %%go, 0xffffffff;\n",
                waiting);
}

static void rounds(struct writer *w, uint32_t sync)
{
    struct text *t = &w->t;
    if (!w->plan->rows)
        text_puts(t, "\n\tld.param.u32 %rounds, [rounds];\n\tsetp.eq.u32 %go, %rounds, 0;\n"
                     "\t@%go bra DONE;\nROUND:\n");
    text_puts(t, "\tmov.b64 {%low, %high}, %step;\n");
    for (uint32_t i = 0; i < w->places->code.n; i++) {
        instruction(w, &w->places->code.v[i]);
        wait_for_others(w, &w->places->code.v[i], sync);
    }
    if (w->plan->rows) return;
    text_printf(t,
                "\tadd.u64 %%step, %%step, %u;\n\tsub.u32 %%rounds, %%rounds, 1;\n"
                "\tsetp.ne.u32 %%go, %%rounds, 0;\n",
                w->plan->setup.turns);
    if (!sync) stop_if_all_wait(w); /* else all warps go on for as long as one does */
    text_puts(t, "\t@%go bra ROUND;\nDONE:\n\n");
}

static void begin_counters(struct writer *w)
{
    bool few = w->ncounters <= FEW_COUNTERS;
    if (!few) text_puts(&w->t, "\tmov.b32 %t0, 0;\n");
    for (uint32_t c = 0; c < w->ncounters; c++)
        if (few)
            text_printf(&w->t, "\tmov.b32 %%c%u, 0;\n", c);
        else
            text_printf(&w->t, "\tst.local.b32 [%%far+%u], %%t0;\n", counter_place(w, c));
}

/* What is counted in one step is added up in the warp: many threads at one address wait for each other. */
static void sum_of_warp(struct writer *w)
{
    for (uint32_t k = 16; k; k /= 2)
        text_printf(&w->t,
                    "\tshfl.sync.bfly.b32 %%t1, %%t0, %u, 0x1f, 0xffffffff;\n\tadd.u32 %%t0, %%t0, %%t1;\n",
                    k);
}

static void add_counters(struct writer *w)
{
    bool rows = w->plan->rows, few = w->ncounters <= FEW_COUNTERS;
    if (w->ncounters == 0) return;
    text_puts(&w->t, "\tld.param.u64 %p1, [sums];\n\tcvta.to.global.u64 %p1, %p1;\n");
    if (w->plan->setup.roots)
        text_printf(&w->t,
                    "\tld.param.u32 %%t0, [roots];\n\trem.u32 %%t0, %%word, %%t0;\n"
                    "\tmul.wide.u32 %%p0, %%t0, %u;\n\tadd.u64 %%p1, %%p1, %%p0;\n",
                    8 * w->ncounters);
    if (rows) text_puts(&w->t, "\tand.b32 %t2, %word, 31;\n\tsetp.eq.u32 %go, %t2, 0;\n");
    for (uint32_t c = 0; c < w->ncounters; c++) {
        if (few)
            text_printf(&w->t, "\tmov.b32 %%t0, %%c%u;\n", c);
        else
            text_printf(&w->t, "\tld.local.b32 %%t0, [%%far+%u];\n", counter_place(w, c));
        if (rows) sum_of_warp(w);
        text_printf(&w->t, "\tcvt.u64.u32 %%d0, %%t0;\n\t%sred.global.add.u64 [%%p1+%u], %%d0;\n",
                    rows ? "@%go " : "", 8 * c);
    }
}

void ptx_list_row_arguments(struct ptx_row_arguments *a, void *list[PTX_ROW_ARGUMENTS])
{
    void *first[] = {&a->in, &a->more, &a->out, &a->sums, &a->words, &a->step};
    memcpy(list, first, sizeof first);
    for (uint32_t i = 0; i < 2 * PHILOX_ROUNDS; i++) list[LENGTH(first) + i] = &a->keys[i];
}

void ptx_list_arguments(struct ptx_arguments *a, void *list[PTX_ARGUMENTS])
{
    void *first[] = {&a->state, &a->waiting, &a->young, &a->start, &a->sums,   &a->roots,
                     &a->words, &a->rounds,  &a->step,  &a->last,  &a->give_up};
    memcpy(list, first, sizeof first);
    for (uint32_t i = 0; i < 2 * PHILOX_ROUNDS; i++) list[LENGTH(first) + i] = &a->keys[i];
}

struct ptx ptx_write(const struct gpu_plan *plan, const struct ptx_options *options)
{
    struct writer w = {.plan = plan,
                       .ncounters = plan->ncounters,
                       .threads = options->threads ? options->threads : PTX_BLOCK};
    struct gpu_order order = gpu_order(plan);
    uint32_t room = options->registers;
    if (w.ncounters <= FEW_COUNTERS && room > 2 * w.ncounters) room -= w.ncounters;
    struct gpu_places places = gpu_place(plan, &order, room, options->shared_slots);
    vec_free(plan->heap, &order.ops);
    w.places = &places;
    text_init(&w.t, plan->heap);
    w.nshared = places.nslots < options->shared_slots ? places.nslots : options->shared_slots;
    head(&w, options->blocks);
    find_word(&w);
    begin_counters(&w);
    if (!plan->rows) load_inputs(&w);
    rounds(&w, options->sync);
    if (!plan->rows) save_inputs(&w);
    add_counters(&w);
    text_puts(&w.t, "\tret;\n}\n");
    return (struct ptx){.text = w.t.s,
                        .length = w.t.n,
                        .entry = plan->rows ? PTX_ROWS_ENTRY : PTX_ENTRY,
                        .shared_slots = w.nshared,
                        .local_slots = places.nslots - w.nshared,
                        .gates = places.logic,
                        .loads = places.loads,
                        .stores = places.stores,
                        .most = places.most,
                        .turns = plan->setup.turns,
                        .blocks = options->blocks,
                        .threads = w.threads};
}
