// SPDX-License-Identifier: GPL-3.0-or-later
/* Writes the device code of rule sheets as PTX, one file each, and tells how large it is: what an assembler
 * is given to look at where there is no device.
 *
 *     build/bench/ptx FOLDER BLOCKS GAME...      (0 blocks: as the program would choose) */
#include "gpu/ptx.h"
#include "base/clock.h"
#include "game/engine.h"

#include <stdio.h>
#include <stdlib.h>

static bool write_text(const char *folder, const char *name, const struct ptx *ptx)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.ptx", folder, name);
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(ptx->text, 1, ptx->length, f) == ptx->length;
    return (f ? fclose(f) == 0 : false) && good;
}

static bool one_game(const char *folder, const char *path, uint32_t blocks, struct error *error)
{
    struct game *game = game_load(path, 0, NULL, error);
    struct ground_limits limits = {.seconds = 60, .bytes = (size_t)4 << 30};
    struct engine *engine = game ? engine_start(game, &limits, error) : NULL;
    bool good = engine && engine_wait(engine, -1) == ENGINE_READY;
    if (engine && !good) *error = *engine_error(engine);
    struct heap *heap = heap_new((size_t)8 << 30);
    struct heap_guard guard;
    if (good && HEAP_ENTER(heap, &guard, error)) {
        const struct circuit *c = engine_code(engine)->circuit;
        double began = clock_thread();
        struct gpu_plan *plan = gpu_plan_new(heap, c, gpu_setup_initial(c));
        struct ptx ptx = ptx_write_for(plan, &PTX_MEMORY_H200, &(struct ptx_options){.blocks = blocks});
        printf("%-24s %5u bits %6u moves %7u inputs, %u turns %.0f steps: %7u gates %6u loads %6u stores a "
               "round, %u wires, %u + %u slots, %u blocks of %u threads, %.2f s\n",
               game->name, c->nbits, c->nmoves, c->edges.n, ptx.turns, c->length, ptx.gates, ptx.loads,
               ptx.stores, ptx.most, ptx.shared_slots, ptx.local_slots, ptx.blocks, ptx.threads,
               clock_thread() - began);
        good = write_text(folder, game->name, &ptx) ||
               error_set(error, ERROR_SYSTEM, "cannot write to %s", folder);
        heap_leave(heap);
    } else {
        good = false;
    }
    heap_free(heap);
    engine_free(engine);
    game_free(game);
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s FOLDER BLOCKS GAME...\n", argv[0]);
        return 2;
    }
    int status = 0;
    for (int i = 3; i < argc; i++) {
        struct error error;
        if (!one_game(argv[1], argv[i], (uint32_t)atoi(argv[2]), &error)) {
            fprintf(stderr, "%s: %s\n", argv[i], error.text);
            status = 1;
        }
        fflush(stdout);
    }
    return status;
}
