// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens complete: what shells ask when somebody presses TAB. It reads no options: all words belong to the
 * line. */
#include "cli/commands.h"
#include "cli/complete.h"

int cmd_complete(int argc, char **argv)
{
    complete_words(argc - 1, argv + 1);
    return EXIT_YES;
}
