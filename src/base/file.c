// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        data += n, size -= (size_t)n;
    }
    return true;
}

/* Devices, pipes and the like stay what they are: nothing is put in their place. */
static bool write_into(const char *path, const char *data, size_t size, struct error *error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write_all(fd, data, size);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && good) good = false, why = errno;
    return good || error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(why));
}

static mode_t default_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

bool file_replace(const char *path, const char *data, size_t size, struct error *error)
{
    char target[PATH_MAX], temporary[PATH_MAX + 16];
    struct stat old;
    bool is_there = stat(path, &old) == 0;
    if (is_there && !S_ISREG(old.st_mode)) return write_into(path, data, size, error);
    if (!realpath(path, target)) snprintf(target, sizeof target, "%s", path); /* a new file */
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", target);
    int fd = mkstemp(temporary);
    if (fd < 0) return error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    bool good = fchmod(fd, is_there ? old.st_mode & 07777 : default_mode()) == 0 &&
                write_all(fd, data, size) && fsync(fd) == 0;
    int why = errno;
    if (close(fd) != 0 && good) good = false, why = errno;
    if (good && rename(temporary, target) != 0) good = false, why = errno;
    if (good) return true;
    unlink(temporary);
    return error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(why));
}
