/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs PTX on the processor: just the instructions our device code consists of, warp by warp, so that its
 * very text is tested where there is no device. Strict on purpose: what it does not know, a branch that
 * divides a warp, an address outside of what was allocated, a register read before it was written are errors.
 */
#ifndef TESTS_PTX_MACHINE_H
#define TESTS_PTX_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_machine;

/* NULL and a message (of at most `size` characters) for a text it does not understand. */
struct ptx_machine *ptx_machine_new(const char *text, char *message, size_t size);
void ptx_machine_free(struct ptx_machine *m);

/* Is there an entry of this name? */
bool ptx_machine_entry(const struct ptx_machine *m, const char *name);

/* Memory of the device as the machine sees it: addresses are those of the process. */
void ptx_machine_allow(struct ptx_machine *m, const void *begin, size_t size);
void ptx_machine_forget(struct ptx_machine *m);

/* `rows` times so many blocks of `threads` threads (a multiple of 32) with so much dynamic shared memory;
 * `arguments` points to one value for each parameter. False and a message if something goes wrong on the way.
 */
bool ptx_machine_launch(struct ptx_machine *m, uint32_t blocks, uint32_t rows, uint32_t threads,
                        uint32_t shared_bytes, void **arguments, char *message, size_t size);

#endif
