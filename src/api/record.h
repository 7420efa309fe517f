/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef API_RECORD_H
#define API_RECORD_H

#include "api/api.h"
#include "match/record.h"

/* Takes the record over; NULL: `why` is told. */
struct ludens_record *record_wrap(struct record *record, const struct error *why, struct ludens_error *error);

#endif
