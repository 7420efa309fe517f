// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens web: the page to play, watch and write games in a browser. */
#include "cli/commands.h"
#include "web/web.h"

#include <string.h>
#include <unistd.h>

static int64_t megabytes_of_machine(void)
{
    return (int64_t)((uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >> 20);
}

/* What may stand in an address without being written in another way. */
static bool is_token(const char *s)
{
    return !s || (strlen(s) < 64 &&
                  s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")] == '\0');
}

int cmd_web(int argc, char **argv)
{
    struct web_options o = {
        .door = {.bind = "127.0.0.1", .max_body = 16 << 20}, .sessions = 16, .database = "lab.db"};
    int64_t port = 8080, memory = 0, rules = 1024;
    double think = 60, idle = 1800;
    struct option_list hosts = {.n = 0};
    const struct option table[] = {
        {"port", 0, OPTION_INT, &port, .min = 0, .max = 65535, .value = "N",
         .help = "where to listen; 0: any free port, which is printed"},
        {"bind", 'b', OPTION_STRING, &o.door.bind, .value = "ADDRESS",
         .help = "of this machine; 0.0.0.0: others can reach it, if they know the token in the address that "
                 "is printed"},
        {"token", 0, OPTION_STRING, &o.door.token, .value = "WORD",
         .help = "the token; by default a random one if others can reach it, else none"},
        {"host", 0, OPTION_LIST, &hosts, .value = "NAME",
         .help = "a name by which browsers may ask for this machine"},
        {"sessions", 0, OPTION_INT, &o.sessions, .min = 1, .max = 1000, .value = "N",
         .help = "games at once"},
        {"think", 0, OPTION_REAL, &think, .min = 0.1, .max = 86400, .value = "S",
         .help = "longest time for a move"},
        {"idle", 0, OPTION_REAL, &idle, .min = 1, .max = 1e6, .value = "S",
         .help = "a game that nothing was asked of for so long is cleared"},
        {"memory", 0, OPTION_INT, &memory, .min = 0, .max = 1e9, .value = "MB",
         .help =
             "for each process of a game; 0: three quarters of the machine's, shared by two for every game"},
        {"rules", 0, OPTION_INT, &rules, .min = 1, .max = 65536, .value = "KB", .help = "longest rule sheet"},
        {"db", 0, OPTION_STRING, &o.database, .value = "FILE", .help = "the laboratory's database"},
        {"quiet", 'q', OPTION_FLAG, &o.quiet, .help = "print only the address"},
        {0}};
    int operands, status;
    struct error error = {0};
    if (!command_begin(
            "web [OPTION...]",
            "Play, watch and write games in a browser, until Ctrl-C. Open the address that is printed.\n"
            "  ludens web --port 8080",
            table, 0, 0, argc, argv, &operands, &status))
        return status;
    if (!is_token(o.door.token)) {
        error_set(&error, ERROR_INPUT, "--token must be made of letters, digits, - and _");
        return command_trouble(argv[0], &error);
    }
    if (o.door.token && !*o.door.token) o.door.token = NULL;
    if (!memory) memory = megabytes_of_machine() * 3 / 4 / o.sessions / 2;
    o.door.port = (int)port;
    o.door.hosts = hosts.v;
    o.rules_bytes = (size_t)rules << 10;
    o.limits = (struct session_limits){
        .think = think, .idle = idle, .megabytes = (uint64_t)(memory < 96 ? 96 : memory)};
    if (o.door.max_body < 2 * o.rules_bytes) o.door.max_body = 2 * o.rules_bytes;
    return web_run(&o, &error) ? EXIT_YES : command_trouble(argv[0], &error);
}
