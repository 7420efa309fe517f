// SPDX-License-Identifier: GPL-3.0-or-later
/* What is written is there, whole, and whatever else a path may lead to stays what it was. */
#include "../testing.h"

#include "base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/ludens-file-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[2][100];
    static int next;
    next = 1 - next;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static bool put(const char *path, const char *text)
{
    struct error error;
    return file_replace(path, text, strlen(text), &error);
}

static void holds(const char *path, const char *text)
{
    char found[100] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(found, text);
}

static mode_t mode(const char *path)
{
    struct stat s;
    assert_int_equal(lstat(path, &s), 0);
    return s.st_mode;
}

static void files_are_made_and_replaced_with_their_permissions(void **unused)
{
    (void)unused;
    const char *path = in_folder("file");
    assert_true(put(path, "one"));
    holds(path, "one");
    assert_int_equal(chmod(path, 0640), 0);
    assert_true(put(path, "another"));
    holds(path, "another");
    assert_int_equal(mode(path) & 07777, 0640);
}

static void links_are_followed(void **unused)
{
    (void)unused;
    const char *link = in_folder("link");
    assert_int_equal(symlink("behind", link), 0);
    assert_true(put(in_folder("behind"), "old"));
    assert_true(put(link, "new"));
    assert_true(S_ISLNK(mode(link)));
    holds(in_folder("behind"), "new");
}

static void what_is_no_file_stays_what_it_is(void **unused)
{
    (void)unused;
    const char *path = in_folder("pipe");
    char read_from[10] = "";
    assert_int_equal(mkfifo(path, 0600), 0);
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_true(put(path, "text"));
    assert_int_equal(read(fd, read_from, sizeof read_from), 4);
    assert_string_equal(read_from, "text");
    assert_true(S_ISFIFO(mode(path)));
    close(fd);
    assert_true(put("/dev/null", "text"));
    assert_true(S_ISCHR(mode("/dev/null")));
    assert_false(put("/dev/full", "text")); /* no space left */
    assert_true(S_ISCHR(mode("/dev/full")));
    assert_false(put(folder, "text"));
}

static int make_folder(void **unused)
{
    (void)unused;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    static const char *const names[] = {"file", "link", "behind", "pipe"};
    for (int i = 0; i < 4; i++) unlink(in_folder(names[i]));
    return rmdir(folder); /* nothing else was left there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_made_and_replaced_with_their_permissions),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(what_is_no_file_stays_what_it_is),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
