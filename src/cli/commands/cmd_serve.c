// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens serve: play matches for game masters on the network. */
#include "cli/commands.h"
#include "cluster/alliance.h"
#include "cluster/ally.h"
#include "cluster/carrier.h"
#include "net/server.h"
#include "net/worker.h"
#include "player/config.h"
#include "web/worker.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static int64_t megabytes_of_machine(void)
{
    return (int64_t)((uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >> 20);
}

int cmd_serve(int argc, char **argv)
{
    struct server_options o = {
        .bind = "127.0.0.1",
        .port = 9147,
        .matches = sysconf(_SC_NPROCESSORS_ONLN),
        .name = "ludens",
        .max_clock = 1800,
        .guard.patience = HTTP_PATIENCE,
        .sitting = {.player = "champion", .margin = 1, .silence = 60},
    };
    int64_t memory = 0;
    struct option_list origins = {0}, addresses = {0};
    struct subnet subnets[sizeof addresses.v / sizeof *addresses.v];
    const struct option table[] = {
        {"port", 0, OPTION_INT, &o.port, .min = 0, .max = 65535, .value = "N",
         .help = "where to listen; 0: any free port, which is printed"},
        {"bind", 'b', OPTION_STRING, &o.bind, .value = "ADDRESS",
         .help = "of this machine; 0.0.0.0: whoever can reach it may play"},
        {"matches", 0, OPTION_INT, &o.matches, .min = 1, .max = 1000, .value = "N",
         .help = "seats: how many matches at once"},
        {"allow", 0, OPTION_LIST, &addresses, .value = "ADDRESS/BITS",
         .help = "who may ask besides this machine; may be repeated (default: everybody who gets here)"},
        {"per-address", 0, OPTION_INT, &o.per_address, .min = 0, .max = 1000, .value = "N",
         .help = "matches at once for one address; 0: half the seats, and all of them for this machine"},
        {"max-clock", 0, OPTION_REAL, &o.max_clock, .min = 1, .max = 1e6, .value = "S",
         .help = "matches with longer clocks are refused"},
        {"allow-origin", 0, OPTION_LIST, &origins, .value = "ORIGIN",
         .help =
             "web pages that may ask, such as https://example.org, or '*'; may be repeated (default: none)"},
        {"silence", 0, OPTION_REAL, &o.sitting.silence, .min = 0, .max = 1e6, .value = "S",
         .help = "a match without a message for so long and three play clocks is given up"},
        {"patience", 0, OPTION_REAL, &o.guard.patience, .min = 1, .max = 1e6, .value = "S",
         .help = "for a request to come in completely"},
        {"player", 0, OPTION_STRING, &o.sitting.player, .value = "PLAYER",
         .help = "who plays: a name of `ludens players`, with options"},
        {"margin", 0, OPTION_REAL, &o.sitting.margin, .min = 0, .max = 1000, .value = "S",
         .help =
             "seconds kept of every clock for the network; a fifth of clocks shorter than five times that"},
        {"memory", 0, OPTION_INT, &memory, .min = 0, .max = 1e9, .value = "MB",
         .help = "limit for the search of one match; 0: half the machine's, shared by the seats"},
        {"log", 'l', OPTION_STRING, &o.sitting.log, .value = "DIR",
         .help = "write what happens there as JSON lines, a file per match"},
        {"name", 0, OPTION_STRING, &o.name, .value = "NAME", .help = "what INFO answers"},
        {"seed", 0, OPTION_SEED, &o.sitting.seed, .value = "N",
         .help = "seed of the random numbers; 0: another each time"},
        {"quiet", 'q', OPTION_FLAG, &o.sitting.quiet, .help = "print only where it listens"},
        {0}};
    int operands, status;
    if (!command_begin("serve [OPTION...]",
                       "Play matches for game masters over HTTP (the GGP protocol), until Ctrl-C.\n"
                       "  ludens serve --port 9147 --matches 2 --log log",
                       table, 0, 0, argc, argv, &operands, &status))
        return status;
    struct error error = {0};
    struct player_config config;
    if (!player_config_parse(o.sitting.player, &config, &error)) return command_trouble(argv[0], &error);
    for (const char *c = o.name; *c; c++)
        if (*c <= ' ' || *c == '(' || *c == ')' || *c == ';' || *c == 127) {
            error_set(&error, ERROR_INPUT, "--name must be one word without parentheses, not '%s'", o.name);
            return command_trouble(argv[0], &error);
        }
    for (int i = 0; i < origins.n; i++)
        if (!origin_valid(origins.v[i], &error)) return command_trouble(argv[0], &error);
    for (int i = 0; i < addresses.n; i++)
        if (!subnet_parse(addresses.v[i], &subnets[i], &error)) return command_trouble(argv[0], &error);
    o.guard.origins = (struct origin_policy){origins.v, origins.n};
    o.guard.allowed = subnets;
    o.guard.nallowed = addresses.n;
    if (!memory) memory = megabytes_of_machine() / 2 / o.matches;
    o.sitting.megabytes = (uint64_t)(memory < 64 ? 64 : memory);
    if (!o.sitting.seed && getrandom(&o.sitting.seed, sizeof o.sitting.seed, 0) < 0) o.sitting.seed = 1;
    return server_run(&o, &error) ? EXIT_YES : command_trouble(argv[0], &error);
}

int cmd_serve_worker(int argc, char **argv)
{
    static const struct worker_kind kinds[] = {
        {"search", search_run, true}, {"keeper", keeper_run, false},   {"referee", referee_run, false},
        {"desk", desk_run, false},    {"courier", courier_run, false}, {"archive", archive_run, false},
        {"ally", ally_run, true},
    };
#ifdef LUDENS_MPI
    if (argc == 2 && strcmp(argv[1], "carrier") == 0) return carrier_lead();
#endif
    alliance_announce();
    for (size_t i = 0; argc == 2 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0) return worker_main(&kinds[i]);
    return EXIT_TROUBLE;
}
