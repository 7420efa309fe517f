// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/terminal.h"

#include "base/clock.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

atomic_bool terminal_interrupted;

bool terminal_colour(FILE *out)
{
    const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(fileno(out)) && !(no && *no) && kind && strcmp(kind, "dumb") != 0;
}

bool terminal_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

int terminal_width(FILE *out)
{
    struct winsize size;
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    int n = columns ? atoi(columns) : 0;
    return n > 0 ? n : 80;
}

int terminal_height(FILE *out)
{
    struct winsize size;
    return isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

struct board_style terminal_style(FILE *out)
{
    return (struct board_style){terminal_colour(out), terminal_utf8(), terminal_width(out)};
}

static void end_now(int signal_number)
{
    _exit(128 + signal_number);
}

static void on_interrupt(int signal_number)
{
    /* Who presses it twice does not want to wait. */
    if (atomic_exchange(&terminal_interrupted, true)) end_now(signal_number);
}

void terminal_end_on_interrupt(void)
{
    struct sigaction action = {.sa_handler = end_now}, before;
    /* Whoever started us in the background may have it ignored. */
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

void terminal_catch_interrupt(void)
{
    /* No SA_RESTART: a read from the keyboard ends. */
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
}

static struct termios before_keys;

bool terminal_keys_begin(void)
{
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, &before_keys) != 0) return false;
    raw = before_keys;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    terminal_catch_interrupt();
    return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

void terminal_keys_end(void)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &before_keys);
}

/* The next byte of a sequence that is under way; -1 if there is none. */
static int byte_soon(void)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char c;
    return poll(&p, 1, 50) == 1 && read(STDIN_FILENO, &c, 1) == 1 ? c : -1;
}

int terminal_key(void)
{
    unsigned char c;
    if (atomic_load(&terminal_interrupted) || read(STDIN_FILENO, &c, 1) != 1) return KEY_NONE;
    if (c != 27) return c == '\r' ? '\n' : c;
    int next = byte_soon();
    if (next != '[' && next != 'O') return KEY_OTHER;
    switch (byte_soon()) {
    case 'A': return KEY_UP;
    case 'B': return KEY_DOWN;
    case 'C': return KEY_RIGHT;
    case 'D': return KEY_LEFT;
    case 'H': return KEY_HOME;
    case 'F': return KEY_END;
    case '1': return byte_soon(), KEY_HOME;
    case '4': return byte_soon(), KEY_END;
    default: return KEY_OTHER;
    }
}

void progress_show(struct progress *p, const char *format, ...)
{
    double now = clock_now();
    if (p->began == 0) p->began = now;
    if (now - p->began < 1 || now - p->shown < 0.2 || !isatty(STDERR_FILENO)) return;
    va_list args;
    va_start(args, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, args);
    fflush(stderr);
    va_end(args);
    p->shown = now;
    p->visible = true;
}

void progress_end(struct progress *p)
{
    if (p->visible) fputs("\r\033[K", stderr);
    p->visible = false;
}
