/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files about sessions share. */
#ifndef WEB_SESSION_INTERNAL_H
#define WEB_SESSION_INTERNAL_H

#include "web/session.h"

#define FAILURES_MAX 3 /* of a search in a row */

/* session.c */
void session_tell(struct session *t, const char *event, json_t *taken); /* to all streams */
void session_die(struct session *t, const char *why);
const char *session_text(const json_t *m, const char *key); /* "" if there is none */

bool session_line(const char *s);                            /* one line: nothing that ends one is in it */
bool session_moves(const json_t *list, struct error *error); /* joint moves, as the page sends them */
/* Whoever sat there leaves. False and an error if nobody can sit there like that. */
bool session_seat(const struct session *t, const json_t *from, struct web_seat *s, struct error *error);

/* session_turn.c: choices and turns */
void session_position(struct session *t, json_t *position); /* the referee has shown where we are */
void session_random(struct session *t, const json_t *moves);
void session_choose(struct session *t, uint32_t role, const char *move, json_t *thoughts, double seconds);
void session_go_on(struct session *t); /* ask who has to choose; move when all have */
/* Does a person choose at the same time as this role? Then nobody may see what it thinks. */
bool session_choosing(const struct session *t, uint32_t role);
void session_step_back(struct session *t, uint32_t turn);
bool session_push(struct session *t, json_t *moves, json_t *thoughts, json_t *seconds);
void session_cut(struct session *t, uint32_t turn);
void session_replace(struct session *t, uint32_t role, const char *why); /* choose for a seat that cannot */
void session_advice(struct session *t, uint32_t turn, uint32_t role, double seconds, struct error *error);

/* session_work.c */
bool work_referee(struct session *t, struct error *error);
void work_tell_referee(struct session *t, const char *order, double seconds);
void work_follow(struct session *t,
                 uint32_t first); /* the referee: forget what came after, then these steps */
void work_random(struct session *t, uint64_t seed);
void work_prepare(struct session *t);  /* let those who will think read the rules already */
void work_farewell(struct session *t); /* tell players elsewhere that it is over */
/* Have it think about this turn for so long; starts it if need be. */
void work_think(struct session *t, struct thinker *k, uint32_t turn, uint32_t role, double seconds);
void work_rest(struct session *t, struct thinker *k);
void work_end(struct thinker *k);
const struct web_seat *work_seat(const struct session *t, const struct thinker *k); /* NULL: the adviser */
void work_put(struct session *t, struct thinker *k);                   /* put the question: its clock runs */
void work_bury(struct session *t, struct thinker *k, const char *why); /* it died, or will not do */
struct thinker *work_thinker(struct session *t, uint32_t worker);
void work_ask(struct session *t, struct request *r, uint32_t worker, const char *verb, const char *rest,
              double seconds);

/* session_hear.c */
void hear_referee(struct session *t, json_t *m);
void hear_thinker(struct session *t, struct thinker *k, json_t *m);

#endif
