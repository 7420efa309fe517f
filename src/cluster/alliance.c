// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/alliance.h"

#include "base/clock.h"
#include "cluster/rank.h"
#include "cluster/tally.h"
#include "net/frame.h"

#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LEAD 0.05         /* of the time: theirs ends so much before ours, */
#define LONGEST_LEAD 0.03 /* or so many seconds: their last word has to get here */
/* Where simulations are counted, whoever is alive is awaited: so many seconds longer than our own part took,
 * and three times that; more for the first word, as games have to be read. */
#define PATIENCE 10
#define FIRST_PATIENCE 40

struct partner { /* a rank */
    char *tally; /* its last, of the position; NULL: none yet */
    uint32_t order;
    bool final, lost, heard;
};

struct alliance {
    struct allies allies;
    struct frames frames;     /* closed: the carrier is gone */
    struct partner *partners; /* by rank; ours is not used */
    struct tally_names names;
    uint32_t serial, order;
    struct state here; /* what serial stands for */
    double asked;
};

/* ---- telling ---- */

static bool facts_text(struct reasoner *r, const struct state *s, FILE *out)
{
    struct list facts = {0};
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    volatile bool good = false;
    if (heap && r->ops->facts(r, s, &facts) && HEAP_ENTER(heap, &guard, &error)) {
        struct text t;
        text_init(&t, heap);
        for (uint32_t i = 0; i < facts.n; i++) {
            t.n = 0;
            term_print(r->terms, facts.v[i], true, NULL, &t);
            fprintf(out, "\n%s", text_str(&t));
        }
        heap_leave(heap);
        good = true;
    }
    list_done(&facts);
    heap_free(heap);
    return good;
}

/* Another position: what they know of the last one is of no use any more. */
static void move_on(struct alliance *a, const struct state *s)
{
    if (a->serial && state_equal(&a->here, s)) return;
    a->serial++;
    state_copy(&a->here, s);
    for (uint32_t i = 0; i < a->allies.parts; i++) {
        free(a->partners[i].tally);
        a->partners[i].tally = NULL;
    }
}

static void think(struct allies *base, struct reasoner *r, const struct state *s, uint32_t plies,
                  const struct budget *b)
{
    struct alliance *a = (struct alliance *)base;
    char *text = NULL;
    size_t size = 0;
    double left = b->deadline > 0 ? b->deadline - clock_now() : 0;
    double lead = LEAD * left < LONGEST_LEAD ? LEAD * left : LONGEST_LEAD;
    move_on(a, s);
    a->order++;
    a->asked = clock_now();
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    fprintf(out, "think %u %u %u %u %.6f %" PRIu64 " %" PRIu64 " %" PRIu64, a->order, a->serial, plies,
            a->allies.parts, left - lead, b->simulations, b->steps, b->expansions);
    bool good = facts_text(r, s, out);
    if (fclose(out) == 0 && good && a->frames.socket >= 0) frames_send(&a->frames, text, size, NULL, 0);
    free(text);
}

static void rest(struct allies *base)
{
    struct alliance *a = (struct alliance *)base;
    if (a->frames.socket >= 0) frames_send(&a->frames, "rest", 4, NULL, 0);
}

/* ---- listening ---- */

static void hear(struct alliance *a, char *text, size_t size)
{
    char *end, *body = memchr(text, '\n', size);
    unsigned long rank = strtoul(text, &end, 10);
    struct tally_head head;
    if (rank == 0 || rank >= a->allies.parts || *end != ' ') return;
    struct partner *p = &a->partners[rank];
    if (strncmp(end, " lost", 5) == 0) p->lost = true;
    if (strncmp(end, " back", 5) == 0) p->lost = false;
    if (strncmp(end, " tally\n", 7) != 0 || !body) return;
    size_t n = size - (size_t)(++body - text);
    p->heard = true;
    p->lost = false;
    if (!tally_read(body, n, &head) || head.serial != a->serial) return;
    char *copy = malloc(n);
    if (!copy) return;
    memcpy(copy, body, n);
    free(p->tally);
    p->tally = copy;
    p->order = head.order;
    p->final = head.final;
}

static void listen_in(struct alliance *a)
{
    char *text;
    size_t size;
    if (a->frames.socket < 0) return;
    bool good = frames_flush(&a->frames) && frames_fill(&a->frames);
    while ((text = frames_take(&a->frames, &size))) hear(a, text, size);
    if (!good) frames_done(&a->frames);
}

/* Is somebody alive who has not done what was ordered? */
static bool wanting(const struct alliance *a, double own)
{
    double waited = clock_now() - a->asked;
    for (uint32_t i = 1; i < a->allies.parts && a->frames.socket >= 0; i++) {
        const struct partner *p = &a->partners[i];
        bool done = p->tally && p->final && p->order == a->order;
        double patience = (p->heard ? PATIENCE : FIRST_PATIENCE) + 3 * own;
        if (!done && !p->lost && waited - own < patience) return true;
    }
    return false;
}

/* Who did not answer is not awaited again until it is heard. */
static void await_all(struct alliance *a, const struct budget *b)
{
    double own = clock_now() - a->asked;
    while (wanting(a, own) && !budget_over(b)) {
        struct pollfd fd = {a->frames.socket, POLLIN, 0};
        poll(&fd, 1, 20);
        listen_in(a);
    }
    for (uint32_t i = 1; i < a->allies.parts; i++) {
        struct partner *p = &a->partners[i];
        if (!budget_over(b)) p->lost |= !p->tally || !p->final || p->order != a->order;
    }
}

static void gather(struct allies *base, struct mcts *m, const struct budget *b)
{
    struct alliance *a = (struct alliance *)base;
    a->allies.pooled = 1;
    a->allies.nodes = 0;
    listen_in(a);
    if (budget_counts(b)) await_all(a, b);
    if (!m->pool || !tally_name(&a->names, m)) return;
    for (uint32_t i = 1; i < a->allies.parts; i++) {
        struct partner *p = &a->partners[i];
        struct tally_head head;
        if (!p->tally) continue;
        memcpy(&head, p->tally, sizeof head);
        /* simulations are told once, what they found as often as wanted */
        if (p->order != a->order) memset(p->tally + offsetof(struct tally_head, stats), 0, sizeof head.stats);
        tally_pour(p->tally, m, &a->names);
        a->allies.nodes += head.nodes;
        a->allies.pooled++;
    }
}

/* ---- coming and going ---- */

static void free_alliance(struct allies *base)
{
    struct alliance *a = (struct alliance *)base;
    for (uint32_t i = 0; i < a->allies.parts; i++) free(a->partners[i].tally);
    free(a->partners);
    tally_names_done(&a->names);
    state_done(&a->here);
    frames_done(&a->frames);
    free(a);
}

static const struct allies_ops ops = {think, gather, rest, free_alliance};

static int call_carrier(const char *name)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = strlen(name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || n + 1 > sizeof to.sun_path) return -1;
    memcpy(to.sun_path + 1, name, n); /* in front of it a NUL: the name of no file */
    if (connect(fd, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)) == 0)
        return fd;
    close(fd);
    return -1;
}

static bool introduce(struct alliance *a, const struct allies_call *call)
{
    char *head = NULL, ranks[40];
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >> 20;
    uint64_t megabytes = call->megabytes ? 2 * call->megabytes : machine / 2 / a->allies.sharers;
    int n = asprintf(&head, "start %" PRIu64 " %" PRIu64 " 0 %s\n%s\n", call->seed, megabytes, call->player,
                     call->role);
    int m = snprintf(ranks, sizeof ranks, "call %u", a->allies.parts);
    bool good = n > 0 && frames_send(&a->frames, ranks, (size_t)m, NULL, 0) &&
                frames_send(&a->frames, head, (size_t)n, call->rules, call->rules_size);
    if (n > 0) free(head);
    return good;
}

static struct allies *muster(const struct allies_call *call)
{
    const char *text = getenv(ALLIANCE_VARIABLE);
    struct rank rank;
    int at = 0;
    if (!text || sscanf(text, "%u %u %u %n", &rank.number, &rank.size, &rank.local, &at) != 3 || !at)
        return NULL;
    int fd = call_carrier(text + at);
    struct alliance *a = fd >= 0 ? calloc(1, sizeof *a) : NULL;
    if (!a) {
        if (fd >= 0) close(fd);
        return NULL;
    }
    uint32_t parts = call->ranks && call->ranks < rank.size ? call->ranks : rank.size;
    a->allies =
        (struct allies){.ops = &ops, .parts = parts, .cores = rank_cores(&rank), .sharers = rank.local};
    frames_init(&a->frames, fd);
    a->partners = calloc(parts, sizeof *a->partners);
    if (a->partners && introduce(a, call)) return &a->allies;
    a->allies.parts = a->partners ? parts : 0;
    free_alliance(&a->allies);
    return NULL;
}

void alliance_announce(void)
{
    if (getenv(ALLIANCE_VARIABLE)) allies_muster = muster;
}
