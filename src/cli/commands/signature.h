/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_SIGNATURE_H
#define CLI_SIGNATURE_H

/* `ludens bench --signature`; returns the exit status. */
int signature_print(const char *command);

#endif
