/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the standard asks of a rule sheet beyond what normalisation already sees to (Love, Hinrichs, Haley,
 * Schkufza, Genesereth: "General Game Playing: Game Description Language Specification", 2008). */
#ifndef LOGIC_VALIDATE_H
#define LOGIC_VALIDATE_H

#include "logic/program.h"

/* Report what is wrong with a program to `diags`: errors where the sheet describes no game, warnings where it
 * is odd but has a clear meaning. Call inside a guard of diags->heap, after program_build. */
void validate_program(const struct program *p, struct diags *diags);

/* Its parts. vocabulary.c: names with two arities or spellings, keywords as names of things, and, if the
 * program is complete, names never defined or never used. */
void validate_vocabulary(const struct program *p, struct diags *diags, bool complete);
/* recursion.c: the recursion restriction, without which proofs may not end; rules given twice. */
void validate_rules(const struct program *p, struct diags *diags);

/* Report about a node of the sheet; node 0 is the sheet as a whole. */
void validate_report(const struct program *p, struct diags *diags, bool error, const char *id, uint32_t node,
                     const char *hint, const char *format, ...) __attribute__((format(printf, 7, 8)));

#endif
