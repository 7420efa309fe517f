// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/line.h"

#include "cli/terminal.h"

#include <stdio.h> /* before readline's, which needs it */

#include <readline/history.h>
#include <readline/readline.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

static const char *const *offered;
static size_t noffered;

void line_offer(const char *const *words, size_t n)
{
    offered = words;
    noffered = n;
}

/* The next word that begins with the text; readline asks again and again, from state 0 on. */
static char *next_word(const char *text, int state)
{
    static size_t at;
    size_t n = strlen(text);
    if (state == 0) at = 0;
    while (at < noffered) {
        const char *word = offered[at++];
        const char *plain = word[0] == '(' && text[0] != '(' ? word + 1 : word; /* parentheses are optional */
        if (strncasecmp(plain, text, n) == 0) return strdup(word);
    }
    return NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start, (void)end;
    rl_attempted_completion_over = 1; /* no names of files */
    rl_completion_append_character = '\0';
    return rl_completion_matches(text, next_word);
}

static int leave_at_interrupt(void)
{
    if (atomic_load(&terminal_interrupted)) rl_done = 1;
    return 0;
}

static void set_up(void)
{
    static bool done;
    if (done) return;
    done = true;
    rl_readline_name = "ludens";
    rl_attempted_completion_function = complete;
    rl_completer_word_break_characters = ""; /* a move is one word, blanks and all */
    rl_basic_word_break_characters = "";
    rl_signal_event_hook = leave_at_interrupt;
    rl_variable_bind("enable-bracketed-paste", "off");
}

static char *trim(char *line)
{
    char *from = line + strspn(line, " \t");
    size_t n = strlen(from);
    while (n > 0 && strchr(" \t\r\n", from[n - 1])) n--;
    memmove(line, from, n);
    line[n] = '\0';
    return line;
}

static char *read_plain(const char *prompt, bool echo)
{
    char *line = NULL;
    size_t cap = 0;
    printf("%s", prompt);
    fflush(stdout);
    ssize_t n = getline(&line, &cap, stdin);
    if (n < 0 || atomic_load(&terminal_interrupted)) {
        free(line);
        return NULL;
    }
    if (!echo || !isatty(STDIN_FILENO)) putchar('\n');
    return trim(line);
}

static char *read_secretly(const char *prompt)
{
    struct termios shown, hidden;
    bool terminal = tcgetattr(STDIN_FILENO, &shown) == 0;
    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    if (terminal) tcsetattr(STDIN_FILENO, TCSANOW, &hidden);
    char *line = read_plain(prompt, false);
    if (terminal) tcsetattr(STDIN_FILENO, TCSANOW, &shown);
    return line;
}

char *line_read(const char *prompt, bool secret)
{
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (secret && terminal) return read_secretly(prompt);
    if (!terminal) return read_plain(prompt, true);
    set_up();
    fflush(stdout);
    char *line = readline(prompt);
    if (!line || atomic_load(&terminal_interrupted)) {
        free(line);
        return NULL;
    }
    trim(line);
    if (*line) add_history(line);
    return line;
}
