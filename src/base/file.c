// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"

#include <errno.h>
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
    return fsync(fd) == 0;
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
    if (!realpath(path, target)) snprintf(target, sizeof target, "%s", path); /* a new file */
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", target);
    int fd = mkstemp(temporary);
    if (fd < 0) return error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    struct stat old;
    bool good = fchmod(fd, stat(target, &old) == 0 ? old.st_mode & 07777 : default_mode()) == 0 &&
                write_all(fd, data, size);
    int why = errno;
    if (close(fd) != 0 && good) good = false, why = errno;
    if (good && rename(temporary, target) != 0) good = false, why = errno;
    if (good) return true;
    unlink(temporary);
    return error_set(error, ERROR_SYSTEM, "%s: %s", path, strerror(why));
}
