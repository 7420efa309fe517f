/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sitting.c (turns) and helpers.c (processes) know of each other. */
#ifndef NET_SITTING_INTERNAL_H
#define NET_SITTING_INTERNAL_H

#include "net/sitting.h"

/* sitting.c */
void sitting_note(struct sitting *s, const char *event, json_t *more); /* takes `more` over */
void sitting_say(const struct sitting *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sitting_ask(struct sitting *s, double arrival);
void sitting_settle(struct sitting *s, double now); /* answer if there is an answer */
void sitting_take_back(struct sitting *s);

/* sitting_record.c: write down what was played, beside the journal */
void sitting_record(struct sitting *s);

/* sitting_kept.c: what a server that is started after this one was killed needs to go on */
void sitting_keep(struct sitting *s);
void sitting_forget(struct sitting *s);

/* helpers.c */
void sitting_start_helper(struct sitting *s, int which);
void sitting_follow(struct sitting *s, uint32_t first); /* tell both the joint moves from `first` on */
void sitting_think(struct sitting *s);                  /* ask the search for a move by s->due */
void sitting_rest(struct sitting *s);                   /* no longer */
/* Start it again if it is time, give up on it if it hangs; returns when to look again. */
double sitting_tend_helper(struct sitting *s, int which, double now);

#endif
