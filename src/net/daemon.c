// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/daemon.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

int daemon_signals(struct error *error)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGCHLD);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) error_set(error, ERROR_SYSTEM, "no signals: %s", strerror(errno));
    return fd;
}

void daemon_raise_limits(void)
{
    enum { FILES = 4096 };
    struct rlimit files;
    if (getpriority(PRIO_PROCESS, 0) == 0) setpriority(PRIO_PROCESS, 0, -10);
    if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= FILES) return;
    files.rlim_cur = files.rlim_max < FILES ? files.rlim_max : FILES;
    setrlimit(RLIMIT_NOFILE, &files);
}
