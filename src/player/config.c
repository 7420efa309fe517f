// SPDX-License-Identifier: GPL-3.0-or-later
#include "player/config.h"

#include "player/script.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* CadiaPlayer's own source, which is public, has what the papers do not say: in games for two it plays for
 * the difference of the goals (docs/reproduction.md). */
#define AHEAD "goals=difference"

/* The programs of the papers with their parameters: 002 §4.3.1 (C, tau, thresholds, TD), 000 §V-B (k,
 * epsilon), 001 §VI (decay), 004 (Ary). */
const struct player_preset player_presets[] = {
    {"champion",
     "rave=500,playout=nst,sampler=greedy,epsilon=0.2,k=7,solver=s,scout=4,decisive=parry,arm=auto,"
     "puzzle=race",
     "the strongest we can measure, and the default: N-grams, RAVE, the solver, or what wins matches on the "
     "start clock; alone a race of searches"},
    {"random", "kind=random", "any legal move"},
    {"legal", "kind=legal", "the first legal move"},
    {"script", "kind=script", "the first legal move that fits the option prefer"},
    {"ary2007", "tree=off,discount=1", "Ary in the qualification of 2007: pure Monte Carlo"},
    {"ary", "c=50,discount=1", "Ary afterwards: UCT with C = 50"},
    {"cadia2007", AHEAD, "CadiaPlayer 2007: UCT, uniform playouts"},
    {"cadia2008", AHEAD ",playout=mast,sampler=gibbs,tau=10", "CadiaPlayer 2008: MAST with Gibbs sampling"},
    {"mastg", AHEAD ",playout=mast,sampler=greedy,epsilon=0.4", "MAST with epsilon-greedy"},
    {"tomast", AHEAD ",playout=tomast,sampler=gibbs,tau=10", "MAST that learns from the tree only"},
    {"past", AHEAD ",playout=past,sampler=gibbs,tau=8,threshold=3", "averages of pairs of a fact and a move"},
    {"fast", AHEAD ",playout=fast,sampler=gibbs,tau=10", "learned piece and cell values"},
    {"rave", AHEAD ",rave=500", "UCT with RAVE in the tree"},
    {"cadia2009", AHEAD ",rave=500,playout=mast,sampler=gibbs,tau=10", "CadiaPlayer 2009: RAVE and MAST"},
    {"cadia2010", AHEAD ",rave=500,playout=mast+fast,sampler=gibbs,tau=10,weight=1",
     "CadiaPlayer 2010: RAVE, MAST and FAST"},
    {"cadia2011", AHEAD ",rave=500,playout=mast+fast,sampler=gibbs,tau=10,weight=1,parallel=root",
     "CadiaPlayer 2011: the agent of 2010, root-parallel over threads and machines"},
    {"cadia2012", AHEAD ",rave=500,playout=mast+fast,sampler=gibbs,tau=10,weight=1,cutoff=on,urgency=on",
     "CadiaPlayer 2012: the same with early cutoffs and urgency"},
    {"nst", AHEAD ",playout=nst,sampler=greedy,epsilon=0.2,k=7", "N-grams of moves with epsilon-greedy"},
    {"wires", "rave=500,playout=nst:wires,sampler=greedy,epsilon=0.5,k=7,solver=s,scout=4,puzzle=race",
     "like champion, with several playouts on the wires from each new position"},
    {"lgr-mast", AHEAD ",lgr=on,playout=mast,sampler=greedy,epsilon=0.2", "last good reply, else MAST"},
    {"lgr-nst", AHEAD ",lgr=on,playout=nst,sampler=greedy,epsilon=0.2,k=7", "last good reply, else N-grams"},
    {"suct", "solver=s", "UCT with the solver of 002: proved values, simulations end at what is solved"},
    {"euct", "solver=e", "the same, simulations avoid what is solved"},
    {"nst-decay", AHEAD ",playout=nst,sampler=greedy,epsilon=0.2,k=7,decay=move:0.6",
     "N-grams that fade with every move"},
    {"mast-decay", AHEAD ",playout=mast,sampler=gibbs,tau=10,decay=move:0.4",
     "MAST that fades with every move"},
    {"maxn", "kind=minimax,minimax=maxn", "max^n: everybody plays for himself, in full to some depth"},
    {"paranoid", "kind=minimax,minimax=paranoid", "alpha-beta as if all others played together against us"},
    {"brs", "kind=minimax,minimax=brs", "Best-Reply Search: of the others only the strongest answer"},
    {"alphabeta", "kind=minimax,minimax=alphabeta", "for two players all three of them are alpha-beta"},
    {"cadia2007-solo", "puzzle=ida-start",
     "CadiaPlayer 2007 alone: memory-enhanced IDA* on the start clock, else UCT"},
    {"ida", "puzzle=ida", "alone: memory-enhanced IDA*"},
    {"plan", "puzzle=plan", "alone: A* bounded in time, led by relaxed plans (CadiaPlayer 2008)"},
    {"nested", "puzzle=nested", "alone: nested Monte-Carlo search"},
    {0},
};

#define AT(field) offsetof(struct player_config, field)

const struct player_option player_options[] = {
    {"kind", PLAYER_CHOICE, AT(kind), 0, 0, "search|random|legal|script|minimax", "what decides"},
    {"tree", PLAYER_BOOL, AT(tree), 0, 0, NULL, "grow a tree; off: pure Monte Carlo"},
    {"c", PLAYER_REAL, AT(c), 0, 1e6, NULL, "exploration constant of UCT, on rewards 0..100"},
    {"discount", PLAYER_REAL, AT(discount), 0, 1, NULL,
     "of rewards per step; one-player games are never discounted"},
    {"goals", PLAYER_CHOICE, AT(goals), 0, 0, "own|difference",
     "what a simulation is worth in games for two: one's own goal, or half of 100 and what one is ahead; "
     "with a solver the former. With several players difference tells FAST that all others are opponents"},
    {"rave", PLAYER_INT, AT(rave), 0, 1e9, NULL, "equivalence parameter of RAVE; 0: off"},
    {"mix", PLAYER_CHOICE, AT(rave_mix), 0, 0, "thesis|mean|short",
     "RAVE with all of UCT, with its mean alone, or so and for a shorter time"},
    {"prior", PLAYER_INT, AT(prior), 0, 1e6, NULL,
     "simulations that RAVE begins with in a new position, worth what playouts know of its moves; 0: none"},
    {"urgency", PLAYER_CHOICE, AT(urgency), 0, 0, "off|on|rave|policy",
     "exploit before every move was tried, when it seems worth it: by the thesis' rule, or by RAVE's values, "
     "those not tried in their order or in that of playouts"},
    {"cutoff", PLAYER_BOOL, AT(cutoff), 0, 0, NULL,
     "break playouts off early where sampling shows that it makes sense"},
    {"final", PLAYER_CHOICE, AT(final), 0, 0, "mean|visits|robust",
     "the move played: best mean, most visits, or the best mean of those visited often"},
    {"window", PLAYER_INT, AT(window), 0, 1e9, NULL,
     "means in the tree are over so many simulations, the older fading; 0: over all"},
    {"carry", PLAYER_INT, AT(carry), 0, 1e9, NULL,
     "visits that a position keeps at most when the match moves on; 0: all"},
    {"forced", PLAYER_BOOL, AT(forced), 0, 0, NULL, "think also when there is only one legal move"},
    {"playout", PLAYER_CHOICE, AT(playout), 0, 0,
     "uniform|mast|tomast|past|fast|nst|mast+fast|uniform:wires|mast:wires|tomast:wires|nst:wires",
     "what guides playouts; on the wires they are many times as fast, and not quite the same"},
    {"sampler", PLAYER_CHOICE, AT(sampler), 0, 0, "uniform|gibbs|greedy",
     "how moves are drawn from their values"},
    {"tau", PLAYER_REAL, AT(tau), 1e-3, 1e6, NULL, "temperature of Gibbs sampling"},
    {"epsilon", PLAYER_REAL, AT(epsilon), 0, 1, NULL, "share of random moves in epsilon-greedy"},
    {"k", PLAYER_INT, AT(k), 0, 1e6, NULL, "visits before a longer N-gram counts"},
    {"turns", PLAYER_BOOL, AT(turns), 0, 0, NULL,
     "N-grams follow who moved, not the order of the roles, where these differ"},
    {"threshold", PLAYER_INT, AT(threshold), 0, 1e6, NULL, "samples before a PAST average counts"},
    {"weight", PLAYER_REAL, AT(weight), 0, 1e6, NULL, "of FAST beside MAST"},
    {"cells", PLAYER_REAL, AT(cells), 0, 1e6, NULL, "FAST's factor for cell features"},
    {"lgr", PLAYER_BOOL, AT(lgr), 0, 0, NULL, "last good reply first (LGRF-2)"},
    {"learn", PLAYER_INT, AT(learn), 0, 1e6, NULL,
     "of so many simulations one teaches what guides playouts, after the first 5000; 0: all"},
    {"decay", PLAYER_DECAY, AT(decay), 0, 0, NULL,
     "forget: move:G, batch:G:N, sim:W, or several joined by '+'; off in one-player games"},
    {"solo", PLAYER_BOOL, AT(solo), 0, 0, NULL, "let decay work in one-player games, too"},
    {"solver", PLAYER_CHOICE, AT(solver), 0, 0, "off|s|e",
     "prove values in the tree; simulations end at what is solved (S-UCT) or avoid it (E-UCT)"},
    {"scout", PLAYER_INT, AT(scout), 0, 1e9, NULL,
     "with a solver: visits after which a position's moves are looked at for ends; 0: never"},
    {"outlook", PLAYER_BOOL, AT(outlook), 0, 0, NULL,
     "with scout: see which goals can still come of a position, by what lasts of it"},
    {"symmetry", PLAYER_BOOL, AT(symmetry), 0, 0, NULL,
     "with a solver, for two: of moves that are each other's mirror images search one"},
    {"decisive", PLAYER_CHOICE, AT(decisive), 0, 0, "off|win|parry",
     "playouts take a win in one move, and take back moves that allow one, where that can be seen cheaply"},
    {"finish", PLAYER_REAL, AT(finish), 0, 0.9, NULL,
     "with a solver, for two in turn: share of the time in which the end is to be proved before the tree is "
     "asked, where it is near; 0: none"},
    {"implicit", PLAYER_REAL, AT(implicit), 0, 1, NULL,
     "for two: weight of minimax over judged positions beside the means in the tree; 0: none"},
    {"horizon", PLAYER_INT, AT(horizon), -1, 1e6, NULL,
     "for two: playouts end after so many moves, those of both, with what the position seems worth; -1: "
     "never"},
    {"sharpness", PLAYER_REAL, AT(sharpness), 0.1, 100, NULL,
     "with implicit or horizon: how much more of an advantage is made than in random games"},
    {"prefer", PLAYER_PATTERNS, AT(prefer), 0, 0, NULL,
     "moves of a script, as (move 1 ? ? ?); ? is any term; several with ';' between them, best first"},
    {"lanes", PLAYER_INT, AT(lanes), 0, 512, NULL,
     "simulations in flight at once, per thread; 0: 64 by the clock, 1 where simulations are counted"},
    {"threads", PLAYER_INT, AT(threads), 0, 256, NULL,
     "threads that search; 0: every core by the clock, 1 where simulations are counted"},
    {"parallel", PLAYER_CHOICE, AT(parallel), 0, 0, "tree|root|leaf",
     "threads share one tree, have one each that are pooled in the end, or do playouts for the first"},
    {"ranks", PLAYER_INT, AT(ranks), 0, 1e6, NULL,
     "processes of an MPI job that search for it, each for itself; 0: all there are; 1: it is alone"},
    {"playouts", PLAYER_INT, AT(playouts), 0, 1e5, NULL,
     "playouts from each new node, on the wires, on a GPU and with parallel=leaf; 0: as is best"},
    {"device", PLAYER_CHOICE, AT(device), 0, 0, "cpu|gpu",
     "who plays out: a GPU plays hundreds of uniform playouts from each new node"},
    {"memory", PLAYER_INT, AT(memory), 0, 1e7, NULL, "MB for the tree; 0: a quarter of the machine's"},
    {"arm", PLAYER_CHOICE, AT(arm), 0, 0, "off|auto|own|minimax|brs|rave|cutoff|wires|many|plain|judge",
     "another way to search: the one named, or the one that wins short matches on the start clock"},
    {"control", PLAYER_INT, AT(control), 0, 1e6, NULL,
     "of so many simulations one plays out uniformly, to see what guidance does; 0: none"},
    {"alarm", PLAYER_CHOICE, AT(alarm), 0, 0, "off|forget|uniform",
     "with control: when guided playouts say something else than uniform ones, forget or give up guidance"},
    {"adapt", PLAYER_CHOICE, AT(adapt), 0, 0, "off|own|each",
     "parameters drawn for every simulation by what pays: for the role that is played, or for each"},
    {"factors", PLAYER_CHOICE, AT(factors), 0, 0, "playout|tree|both",
     "with adapt: epsilon and N-grams' length, C and RAVE's parameter, or both"},
    {"puzzle", PLAYER_CHOICE, AT(puzzle), 0, 0, SOLO_WAYS,
     "what searches games for one; off: the same as others"},
    {"parts", PLAYER_BOOL, AT(parts), 0, 0, NULL,
     "with puzzle=race: games that fall apart, part by part as well"},
    {"minimax", PLAYER_CHOICE, AT(minimax), 0, 0, MINIMAX_POLICIES,
     "with kind=minimax: what others are taken for"},
    {"eval", PLAYER_CHOICE, AT(eval), 0, 0, MINIMAX_EVALS,
     "what minimax and implicit judge positions by; auto: by the game's shape, else what is learned before "
     "the first "
     "move"},
    {"table", PLAYER_BOOL, AT(table), 0, 0, NULL, "minimax: two-deep transposition table"},
    {"history", PLAYER_BOOL, AT(history), 0, 0, NULL, "minimax: history heuristic"},
    {"killers", PLAYER_BOOL, AT(killers), 0, 0, NULL, "minimax: killer moves"},
    {"order", PLAYER_BOOL, AT(order), 0, 0, NULL, "minimax: promising moves first"},
    {"depth", PLAYER_INT, AT(depth), 0, MINIMAX_MAX_PLY, NULL, "minimax: plies at most; 0: no limit"},
    {"noise", PLAYER_REAL, AT(noise), 0, 100, NULL,
     "minimax: random number up to this added to what positions seem worth, 0..100"},
    {0},
};

static const struct player_config defaults = {.tree = true,
                                              .c = 40,
                                              .discount = 0.999,
                                              .tau = 10,
                                              .epsilon = 0.2,
                                              .k = 7,
                                              .threshold = 3,
                                              .weight = 1,
                                              .cells = 5,
                                              .horizon = -1,
                                              .sharpness = 1,
                                              .parts = true,
                                              .table = true,
                                              .history = true,
                                              .killers = true,
                                              .order = true,
                                              .noise = 0.001,
                                              .decay = {1, 1, 50, 1}};

/* The index of the word in "a|b|c", or -1. */
static int choice_index(const char *choices, const char *word)
{
    int index = 0;
    for (const char *at = choices; *at; index++) {
        size_t n = strcspn(at, "|");
        if (n == strlen(word) && strncasecmp(at, word, n) == 0) return index;
        at += n + (at[n] == '|');
    }
    return -1;
}

static bool factor(const char *s, char **end, float *out)
{
    double x = strtod(s, end);
    *out = (float)x;
    return *end != s && x >= 0 && x <= 1;
}

static bool parse_decay(const char *value, struct decay *d)
{
    *d = defaults.decay;
    if (strcmp(value, "off") == 0) return true;
    for (const char *at = value;;) {
        char *end;
        if (strncmp(at, "move:", 5) == 0) {
            if (!factor(at + 5, &end, &d->move)) return false;
        } else if (strncmp(at, "sim:", 4) == 0) {
            if (!factor(at + 4, &end, &d->simulation)) return false;
        } else if (strncmp(at, "batch:", 6) == 0) {
            if (!factor(at + 6, &end, &d->batch) || *end != ':') return false;
            const char *size = end + 1;
            unsigned long n = strtoul(size, &end, 10);
            if (end == size || n == 0 || n > UINT32_MAX) return false;
            d->batch_size = (uint32_t)n;
        } else {
            return false;
        }
        if (!*end) return true;
        if (*end != '+') return false;
        at = end + 1;
    }
}

static bool set_value(struct player_config *c, const struct player_option *o, const char *value,
                      struct error *error)
{
    void *at = (char *)c + o->offset;
    char *end;
    errno = 0;
    switch (o->type) {
    case PLAYER_BOOL: {
        int on = choice_index("off|on", value);
        if (on < 0) return error_set(error, ERROR_INPUT, "%s is on or off, not '%s'", o->name, value);
        *(bool *)at = on;
        return true;
    }
    case PLAYER_CHOICE: {
        int index = choice_index(o->choices, value);
        if (index < 0)
            return error_set(error, ERROR_INPUT, "%s is one of %s, not '%s'", o->name, o->choices, value);
        *(int64_t *)at = index;
        return true;
    }
    case PLAYER_REAL: {
        double x = strtod(value, &end);
        if (*end || end == value || !(x >= o->min && x <= o->max))
            return error_set(error, ERROR_INPUT, "%s is a number from %g to %g, not '%s'", o->name, o->min,
                             o->max, value);
        *(double *)at = x;
        return true;
    }
    case PLAYER_INT: {
        long long x = strtoll(value, &end, 10);
        if (*end || end == value || errno || (double)x < o->min || (double)x > o->max)
            return error_set(error, ERROR_INPUT, "%s is a whole number from %.0f to %.0f, not '%s'", o->name,
                             o->min, o->max, value);
        *(int64_t *)at = x;
        return true;
    }
    case PLAYER_PATTERNS: {
        char *prefer = at;
        if (strlen(value) >= sizeof c->prefer)
            return error_set(error, ERROR_INPUT, "%s is longer than %zu characters", o->name,
                             sizeof c->prefer - 1);
        return script_check(value, error) && strcpy(prefer, value);
    }
    case PLAYER_DECAY:
        return parse_decay(value, at) || error_set(error, ERROR_INPUT,
                                                   "decay is off, or move:G, batch:G:N, sim:W (G and W from "
                                                   "0 to 1), or several joined by '+', not '%s'",
                                                   value);
    }
    return false;
}

static bool set_option(struct player_config *c, const char *name, const char *value, struct error *error)
{
    char all[600] = "";
    for (const struct player_option *o = player_options; o->name; o++) {
        if (strcasecmp(o->name, name) == 0) return set_value(c, o, value, error);
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", o->name);
    }
    return error_set(error, ERROR_INPUT, "players have no option '%s'; they have:%s", name, all);
}

static bool set_options(struct player_config *c, const char *options, struct error *error)
{
    char copy[400];
    if (strlen(options) >= sizeof copy) return error_set(error, ERROR_INPUT, "too many options");
    strcpy(copy, options);
    char *save = NULL;
    for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        char *equals = strchr(word, '=');
        if (!equals) return error_set(error, ERROR_INPUT, "'%s' is not of the form option=value", word);
        *equals = '\0';
        if (!set_option(c, word, equals + 1, error)) return false;
    }
    return true;
}

bool player_config_apply(struct player_config *c, const char *options, struct error *error)
{
    return set_options(c, options, error);
}

bool player_config_parse(const char *spec, struct player_config *out, struct error *error)
{
    *out = defaults;
    if (strlen(spec) >= sizeof out->spec)
        return error_set(error, ERROR_INPUT, "the player's name is longer than %zu characters",
                         sizeof out->spec - 1);
    strcpy(out->spec, spec);
    size_t n = strcspn(spec, ",");
    char all[400] = "";
    for (const struct player_preset *p = player_presets; p->name; p++) {
        if (strlen(p->name) == n && strncasecmp(p->name, spec, n) == 0)
            return set_options(out, p->options, error) &&
                   set_options(out, spec[n] ? spec + n + 1 : "", error);
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", p->name);
    }
    return error_set(error, ERROR_INPUT, "there is no player '%.*s'; there are:%s", (int)n, spec, all);
}

void player_option_default(const struct player_option *o, char *out, size_t size)
{
    const void *at = (const char *)&defaults + o->offset;
    switch (o->type) {
    case PLAYER_BOOL: snprintf(out, size, "%s", *(const bool *)at ? "on" : "off"); break;
    case PLAYER_CHOICE: snprintf(out, size, "%.*s", (int)strcspn(o->choices, "|"), o->choices); break;
    case PLAYER_REAL: snprintf(out, size, "%g", *(const double *)at); break;
    case PLAYER_INT: snprintf(out, size, "%" PRId64, *(const int64_t *)at); break;
    case PLAYER_DECAY: snprintf(out, size, "off"); break;
    case PLAYER_PATTERNS: snprintf(out, size, "none"); break;
    }
}
