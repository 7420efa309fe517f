// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

/* In a process group of its own, so that Ctrl-C in the terminal is the server's alone; with the usual
 * signals, which the server blocks to read them from a file descriptor. */
static int spawn(pid_t *pid, const char *what, int socket)
{
    char *const argv[] = {"ludens", "serve-worker", (char *)what, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", 1, 0); /* O_WRONLY */
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failed = posix_spawn(pid, "/proc/self/exe", &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

bool child_start(struct child *c, const char *what, struct error *error)
{
    int ends[2];
    *c = (struct child){.what = what, .frames.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return error_set(error, ERROR_SYSTEM, "no socket for a worker: %s", strerror(errno));
    int failed = spawn(&c->pid, what, ends[1]);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        c->pid = 0;
        return error_set(error, ERROR_SYSTEM, "no process for a worker: %s", strerror(failed));
    }
    frames_init(&c->frames, ends[0]);
    return true;
}

void child_kill(struct child *c)
{
    if (c->pid) kill(c->pid, SIGKILL);
    if (c->pid) frames_done(&c->frames);
    c->pid = 0;
}

bool child_wants(const struct child *c, struct pollfd *out)
{
    if (!c->pid || c->frames.socket < 0) return false;
    *out = (struct pollfd){c->frames.socket, POLLIN, 0};
    if (frames_waiting(&c->frames)) out->events |= POLLOUT;
    return true;
}

bool child_hear(struct child *c, short events, void (*on_message)(void *data, json_t *m), void *data)
{
    pid_t pid = c->pid;
    char *text;
    size_t n;
    if (!pid || c->frames.socket < 0) return true;
    bool good = !(events & POLLOUT) || frames_flush(&c->frames);
    if (events & (POLLIN | POLLHUP | POLLERR)) good = frames_fill(&c->frames) && good;
    while (c->pid == pid && (text = frames_take(&c->frames, &n))) {
        json_t *m = json_loadb(text, n, 0, NULL);
        if (m) on_message(data, m);
        json_decref(m);
    }
    return good || c->pid != pid;
}

void child_hasten(struct child *c)
{
    kill(c->pid, SIGKILL);
    frames_done(&c->frames);
}
