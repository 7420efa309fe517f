/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion: what may stand where the cursor is, from the tables that also parse and print help.
 *
 * A shell hands over the words of the line up to the cursor; the last one, which may be empty, is to be
 * completed. A line comes back for each word that fits, with what it means after a tab; a line that begins
 * with a tab asks the shell for names of its own: "\tfiles", "\tfolders". Words that end in '=' or ',' go on.
 *
 *     ludens complete play conn            connectFour\tConnect Four
 *                                          \tfiles
 *
 * What an operand or value is, its name in the usage or the table tells: GAME, FILE, DIR, PLAYER, ROLE,
 * EXPERIMENT, COMMAND, and combinations such as FILE|GAME and ROLE=PLAYER. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

void complete_words(int n, char **words);

#endif
