// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/info_circuit.h"

#include "cli/commands.h"
#include "game/engine.h"

#include <jansson.h>

#define MB(bytes) ((double)(bytes) / (1 << 20))

static const char *const phase_names[PHASE_COUNT] = {
    [PHASE_VIEW] = "view", [PHASE_GOAL] = "goal", [PHASE_STEP] = "step"};

struct phase_size {
    uint32_t gates, inputs, loops, loop_gates;
};

static struct phase_size phase_size(const struct circuit *c, enum circuit_phase phase)
{
    uint32_t first = phase ? c->phase_end[phase - 1] : 0, end = c->phase_end[phase];
    struct phase_size size = {.gates = end - first};
    for (uint32_t g = first; g < end; g++) size.inputs += c->gates.v[g].n;
    for (uint32_t l = 0; l < c->loops.n; l++)
        if (c->loops.v[l].first >= first && c->loops.v[l].first < end)
            size.loops++, size.loop_gates += c->loops.v[l].n;
    return size;
}

static size_t batch_bytes(const struct code *code, uint32_t lanes)
{
    return (size_t)code->nslots * lanes / 8;
}

static void print_text(const struct game *game, const struct code *code, const struct engine_report *r)
{
    const struct circuit *c = code->circuit;
    printf("%s\n\n%-24s %9s %9s %10s %9s\n", game->name, "", "bits", "gates", "inputs", "ms");
    for (uint32_t i = 0; i < c->stages.n; i++) {
        const struct circuit_stage *s = &c->stages.v[i];
        printf("%-24s %9u %9u %10u %9.2f\n", s->name, s->bits, s->gates, s->edges, 1e3 * s->seconds);
    }
    printf("\n%-24s %9s %9s %10s %9s\n", "phase", "", "gates", "inputs", "loops");
    for (enum circuit_phase p = PHASE_VIEW; p < PHASE_COUNT; p++) {
        struct phase_size size = phase_size(c, p);
        printf("%-24s %9s %9u %10u %9u", phase_names[p], "", size.gates, size.inputs, size.loops);
        if (size.loops) printf(" of %u gates", size.loop_gates);
        puts("");
    }
    printf("\nfacts       %u, of which %u bits\n", c->nfacts, c->nbits);
    printf("moves       %u", c->nmoves);
    for (uint32_t role = 0; role < c->nroles; role++)
        printf("%s%s %u", role ? ", " : ": ", game->role_names[role],
               c->move_base[role + 1] - c->move_base[role]);
    printf("\ndepth       %u\n", c->depth);
    printf("code        %u words in %u runs, %u slots: %.1f kB for 64 lanes, %.1f kB for 512\n", code->ops.n,
           code->runs, code->nslots, (double)batch_bytes(code, 64) / 1024,
           (double)batch_bytes(code, 512) / 1024);
    printf("grounding   %.2f ms, %.1f MB at most, %u rules taken apart\n", 1e3 * r->ground_seconds,
           MB(r->ground.peak_bytes), r->ground.split_rules);
    printf("circuit     %.2f ms, %.1f MB at most\n", 1e3 * r->circuit_seconds, MB(r->circuit_bytes));
    printf("layout      %.2f ms, %.1f MB\n", 1e3 * r->code_seconds, MB(r->code_bytes));
    if (r->machine_bytes)
        printf("machine     %.2f ms, %.1f kB for all numbers of lanes\n", 1e3 * r->machine_seconds,
               (double)r->machine_bytes / 1024);
}

static void print_json(const struct game *game, const struct code *code, const struct engine_report *r)
{
    const struct circuit *c = code->circuit;
    json_t *stages = json_array(), *phases = json_object();
    for (uint32_t i = 0; i < c->stages.n; i++) {
        const struct circuit_stage *s = &c->stages.v[i];
        json_array_append_new(stages, json_pack("{s:s, s:I, s:I, s:I, s:f}", "name", s->name, "bits",
                                                (json_int_t)s->bits, "gates", (json_int_t)s->gates, "inputs",
                                                (json_int_t)s->edges, "ms", 1e3 * s->seconds));
    }
    for (enum circuit_phase p = PHASE_VIEW; p < PHASE_COUNT; p++) {
        struct phase_size size = phase_size(c, p);
        json_object_set_new(phases, phase_names[p],
                            json_pack("{s:I, s:I, s:I, s:I}", "gates", (json_int_t)size.gates, "inputs",
                                      (json_int_t)size.inputs, "loops", (json_int_t)size.loops, "loop_gates",
                                      (json_int_t)size.loop_gates));
    }
    json_t *root =
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:{s:I, s:I, s:I}, s:{s:f, s:I, s:I}, s:{s:f, s:I}, "
                  "s:{s:f, s:I}}",
                  "game", game->name, "facts", (json_int_t)c->nfacts, "bits", (json_int_t)c->nbits, "moves",
                  (json_int_t)c->nmoves, "depth", (json_int_t)c->depth, "stages", stages, "phases", phases,
                  "code", "words", (json_int_t)code->ops.n, "runs", (json_int_t)code->runs, "slots",
                  (json_int_t)code->nslots, "grounding", "ms", 1e3 * r->ground_seconds, "peak_bytes",
                  (json_int_t)r->ground.peak_bytes, "split_rules", (json_int_t)r->ground.split_rules,
                  "circuit", "ms", 1e3 * r->circuit_seconds, "peak_bytes", (json_int_t)r->circuit_bytes,
                  "layout", "ms", 1e3 * r->code_seconds, "bytes", (json_int_t)r->code_bytes);
    json_object_set_new(
        root, "machine",
        json_pack("{s:f, s:I}", "ms", 1e3 * r->machine_seconds, "bytes", (json_int_t)r->machine_bytes));
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(root);
}

int info_circuit(const char *command, const struct game *game, bool json)
{
    struct error error;
    struct ground_limits limits = {.seconds = 600, .bytes = (size_t)4 << 30};
    struct engine *engine = engine_start(game, &limits, &error);
    if (!engine) return command_trouble(command, &error);
    if (engine_wait(engine, -1) != ENGINE_READY) {
        error = *engine_error(engine);
        engine_free(engine);
        return command_trouble(command, &error);
    }
    if (json)
        print_json(game, engine_code(engine), engine_report(engine));
    else
        print_text(game, engine_code(engine), engine_report(engine));
    engine_free(engine);
    return EXIT_YES;
}
