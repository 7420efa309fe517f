// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/carrier.h"

#include "base/clock.h"
#include "cluster/alliance.h"
#include "cluster/rank.h"
#include "net/child.h"

#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define BEAT 1.0       /* seconds between two signs of life */
#define SILENCE 5.0    /* after which a rank counts as lost */
#define DESERTED 120.0 /* after which the others give up rank 0 */
#define FAREWELL 3.0   /* for all to take their leave */
#define LONGEST_PAUSE 30.0
#define NAP_MS 1        /* MPI has nothing to wait on: it is asked so often */
#define MOST_UNSENT 256 /* messages to one rank */

enum tag { TAG_ORDER = 1, TAG_CLOSE, TAG_NEWS, TAG_BEAT, TAG_LEAVE, TAG_GO };

struct parcel { /* a message on its way */
    struct parcel *next;
    MPI_Request request;
    int to;
    char bytes[];
};

struct peer {
    double heard; /* when; 0: never */
    bool lost, left;
    uint32_t unsent;
};

/* A player of rank 0, or an ally of another rank. */
struct line {
    struct line *next;
    uint32_t id;
    uint32_t ranks;      /* rank 0: whom it wants, 0..ranks-1 */
    struct frames *wire; /* of the player, or of the child */
    struct frames player;
    struct child child;
    double start_at; /* the child: when to start it again; 0: it runs */
    uint32_t failures;
    char *start, *last; /* what it must know: the first order, and the latest */
    size_t nstart, nlast;
};

static struct rank me;
static struct peer *peers;
static struct parcel *parcels;
static struct line *lines;
static uint32_t next_id = 1;
static uint32_t complete; /* what rank 0 said in the end: all are there to finish in order */

static void say(uint32_t rank, const char *text)
{
    fprintf(stderr, "ludens, rank %u: %s\n", rank, text);
}

/* ---- MPI ---- */

static void send_parcel(int to, enum tag tag, uint32_t id, const char *bytes, size_t n)
{
    struct parcel *p;
    if (peers[to].unsent >= MOST_UNSENT || !(p = malloc(sizeof *p + sizeof id + n))) return;
    p->to = to;
    memcpy(p->bytes, &id, sizeof id);
    if (n) memcpy(p->bytes + sizeof id, bytes, n);
    if (MPI_Isend(p->bytes, (int)(sizeof id + n), MPI_BYTE, to, tag, MPI_COMM_WORLD, &p->request) !=
        MPI_SUCCESS) {
        free(p);
        return;
    }
    peers[to].unsent++;
    p->next = parcels;
    parcels = p;
}

static void forget_delivered(void)
{
    for (struct parcel **at = &parcels; *at;) {
        struct parcel *p = *at;
        int done = 0;
        if (MPI_Test(&p->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) done = 1;
        if (!done) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        peers[p->to].unsent--;
        free(p);
    }
}

/* ---- lines ---- */

static struct line *find_line(uint32_t id)
{
    struct line *l = lines;
    while (l && l->id != id) l = l->next;
    return l;
}

static struct line *new_line(uint32_t id)
{
    struct line *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->id = id;
    l->ranks = me.size;
    l->next = lines;
    lines = l;
    return l;
}

static void end_line(struct line *l)
{
    struct line **at = &lines;
    while (*at != l) at = &(*at)->next;
    *at = l->next;
    child_kill(&l->child);
    frames_done(&l->player);
    free(l->start);
    free(l->last);
    free(l);
}

static void keep(char **at, size_t *n, const char *bytes, size_t size)
{
    char *copy = realloc(*at, size + 1);
    if (!copy) return;
    memcpy(copy, bytes, size);
    *at = copy;
    *n = size;
}

/* Remember what whoever is started again, or comes back, has to be told. */
static void note_order(struct line *l, const char *bytes, size_t n)
{
    if (n > 6 && memcmp(bytes, "start ", 6) == 0)
        keep(&l->start, &l->nstart, bytes, n);
    else
        keep(&l->last, &l->nlast, bytes, n);
}

/* ---- rank 0: players ---- */

static void tell_players(uint32_t rank, const char *verb)
{
    char text[40];
    int n = snprintf(text, sizeof text, "%u %s", rank, verb);
    for (struct line *l = lines; l; l = l->next)
        if (rank < l->ranks) frames_send(&l->player, text, (size_t)n, NULL, 0);
}

static void welcome_back(uint32_t rank)
{
    for (struct line *l = lines; l; l = l->next) {
        if (rank >= l->ranks || !l->start) continue;
        send_parcel((int)rank, TAG_ORDER, l->id, l->start, l->nstart);
        if (l->last) send_parcel((int)rank, TAG_ORDER, l->id, l->last, l->nlast);
    }
    tell_players(rank, "back");
}

static void on_order(struct line *l, const char *bytes, size_t n)
{
    if (n > 5 && memcmp(bytes, "call ", 5) == 0) {
        l->ranks = (uint32_t)strtoul(bytes + 5, NULL, 10);
        if (l->ranks > me.size) l->ranks = me.size;
        return;
    }
    note_order(l, bytes, n);
    for (uint32_t k = 1; k < l->ranks; k++)
        if (!peers[k].lost) send_parcel((int)k, TAG_ORDER, l->id, bytes, n);
}

static void on_player(struct line *l, short events)
{
    char *text;
    size_t n;
    bool good = !(events & POLLOUT) || frames_flush(&l->player);
    if (events & (POLLIN | POLLHUP | POLLERR)) good = frames_fill(&l->player) && good;
    while ((text = frames_take(&l->player, &n))) on_order(l, text, n);
    if (good) return;
    for (uint32_t k = 1; k < l->ranks; k++)
        if (!peers[k].lost) send_parcel((int)k, TAG_CLOSE, l->id, NULL, 0);
    end_line(l);
}

/* Only processes of our own user have players. */
static void accept_player(int listener)
{
    struct ucred who;
    socklen_t size = sizeof who;
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) return;
    bool ours = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == getuid();
    struct line *l = ours ? new_line(next_id++) : NULL;
    if (!l) {
        close(fd);
        return;
    }
    frames_init(&l->player, fd);
    l->wire = &l->player;
}

/* ---- the other ranks: allies ---- */

static void start_ally(struct line *l)
{
    struct error error;
    l->start_at = 0;
    if (!child_start(&l->child, "ally", &error)) {
        say(me.number, error.text);
        l->start_at = clock_now() + LONGEST_PAUSE;
        return;
    }
    l->wire = &l->child.frames;
    frames_send(l->wire, l->start, l->nstart, NULL, 0);
    if (l->last) frames_send(l->wire, l->last, l->nlast, NULL, 0);
}

static void on_ally(struct line *l, short events)
{
    char *text;
    size_t n;
    bool good = !(events & POLLOUT) || frames_flush(l->wire);
    if (events & (POLLIN | POLLHUP | POLLERR)) good = frames_fill(l->wire) && good;
    while ((text = frames_take(l->wire, &n))) {
        l->failures = 0;
        send_parcel(0, TAG_NEWS, l->id, text, n);
    }
    if (good) return;
    say(me.number, "a search has died; it is started again");
    child_kill(&l->child);
    l->wire = NULL;
    l->start_at = clock_now() + fmin(0.25 * exp2(l->failures++), LONGEST_PAUSE);
}

static void tend_allies(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    for (struct line *l = lines; l; l = l->next)
        if (!l->child.pid && l->start_at > 0 && clock_now() >= l->start_at) start_ally(l);
}

/* ---- messages ---- */

static void on_ordered(uint32_t id, const char *bytes, size_t n)
{
    struct line *l = find_line(id);
    bool start = n > 6 && memcmp(bytes, "start ", 6) == 0;
    if (start == (l != NULL)) return; /* known already; or we missed its beginning */
    if (start && !(l = new_line(id))) return;
    note_order(l, bytes, n);
    if (start)
        start_ally(l);
    else if (l->wire)
        frames_send(l->wire, bytes, n, NULL, 0);
}

static void on_news(uint32_t rank, uint32_t id, const char *bytes, size_t n)
{
    struct line *l = find_line(id);
    char head[40];
    int size = snprintf(head, sizeof head, "%u tally\n", rank);
    if (l) frames_send(&l->player, head, (size_t)size, bytes, n);
}

/* False: rank 0 says good-bye. */
static bool on_message(uint32_t from, int tag, const char *bytes, size_t n)
{
    uint32_t id = 0;
    struct line *l;
    if (n < sizeof id) return true;
    memcpy(&id, bytes, sizeof id);
    peers[from].heard = clock_now();
    if (me.number == 0 && peers[from].lost) {
        peers[from].lost = false;
        say(from, "is back");
        welcome_back(from);
    }
    switch ((enum tag)tag) {
    case TAG_ORDER:
        if (me.number) on_ordered(id, bytes + sizeof id, n - sizeof id);
        break;
    case TAG_CLOSE:
        if (me.number && (l = find_line(id))) end_line(l);
        break;
    case TAG_NEWS:
        if (!me.number) on_news(from, id, bytes + sizeof id, n - sizeof id);
        break;
    case TAG_LEAVE: /* both ways: time to go, and ready to */
        peers[from].left = true;
        if (me.number) send_parcel(0, TAG_LEAVE, 0, NULL, 0);
        break;
    case TAG_GO: complete = id; return false;
    case TAG_BEAT: break;
    }
    return true;
}

static bool receive_all(void)
{
    bool stay = true;
    int there = 0;
    MPI_Status status;
    while (stay && MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) == MPI_SUCCESS &&
           there) {
        int n = 0;
        MPI_Get_count(&status, MPI_BYTE, &n);
        char *bytes = n >= 0 ? malloc((size_t)n + 1) : NULL;
        if (!bytes || MPI_Recv(bytes, n, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                               MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            free(bytes);
            return stay;
        }
        stay = on_message((uint32_t)status.MPI_SOURCE, status.MPI_TAG, bytes, (size_t)n);
        free(bytes);
    }
    return stay;
}

/* Tell each other that we live. False: rank 0 has not been heard of for too long. */
static bool beat(double *beaten, double began)
{
    double now = clock_now();
    bool leads = me.number == 0;
    if (now - *beaten < BEAT) return true;
    *beaten = now;
    for (uint32_t k = leads ? 1 : 0; k < (leads ? me.size : 1); k++) {
        struct peer *p = &peers[k];
        if (p->unsent < 8) send_parcel((int)k, TAG_BEAT, 0, NULL, 0); /* also to those that are lost */
        double silent = now - (p->heard > 0 ? p->heard : began);
        if (!leads && silent > DESERTED) return false;
        if (!leads || p->lost || silent < SILENCE) continue;
        p->lost = true;
        say(k, "has not been heard of for 5 s; going on without it");
        tell_players(k, "lost");
    }
    return true;
}

/* ---- the loop ---- */

enum { MOST_LINES = 1000 };

/* What sockets want. False: the program has ended (rank 0). */
static bool serve_sockets(int lifeline, int listener)
{
    struct pollfd fds[MOST_LINES + 2];
    struct line *of[MOST_LINES + 2];
    nfds_t n = 0;
    if (lifeline >= 0) fds[n++] = (struct pollfd){lifeline, POLLIN, 0};
    if (listener >= 0) fds[n++] = (struct pollfd){listener, POLLIN, 0};
    nfds_t first = n;
    for (struct line *l = lines; l && n < MOST_LINES; l = l->next) {
        if (!l->wire || l->wire->socket < 0) continue;
        of[n] = l;
        fds[n++] = (struct pollfd){l->wire->socket, POLLIN | (frames_waiting(l->wire) ? POLLOUT : 0), 0};
    }
    if (poll(fds, n, NAP_MS) <= 0) return true;
    for (nfds_t i = first; i < n; i++) {
        if (!fds[i].revents) continue;
        if (me.number == 0)
            on_player(of[i], fds[i].revents);
        else
            on_ally(of[i], fds[i].revents);
    }
    if (listener >= 0 && fds[1].revents) accept_player(listener);
    return lifeline < 0 || !fds[0].revents;
}

static void let_go(double seconds)
{
    for (double end = clock_now() + seconds; parcels && clock_now() < end; poll(NULL, 0, NAP_MS))
        forget_delivered();
}

/* Rank 0: all take their leave, and hear whether all have. MPI ends in order only if nobody is missing. */
static void take_leave(void)
{
    double end = clock_now() + FAREWELL;
    uint32_t left = 0;
    for (uint32_t k = 1; k < me.size; k++) send_parcel((int)k, TAG_LEAVE, 0, NULL, 0);
    while (left < me.size - 1 && clock_now() < end) {
        receive_all();
        forget_delivered();
        left = 0;
        for (uint32_t k = 1; k < me.size; k++) left += peers[k].left;
        poll(NULL, 0, NAP_MS);
    }
    complete = left == me.size - 1;
    for (uint32_t k = 1; k < me.size; k++)
        if (peers[k].left) send_parcel((int)k, TAG_GO, complete, NULL, 0);
    let_go(0.5);
}

static int carry(int lifeline, int listener)
{
    int size, number;
    signal(SIGPIPE, SIG_IGN);
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    me.number = (uint32_t)number;
    me.size = (uint32_t)size;
    peers = calloc(me.size, sizeof *peers);
    if (!peers) MPI_Abort(MPI_COMM_WORLD, 1);
    double beaten = 0, began = clock_now();
    bool stay = true, alone = false;
    while (stay && !alone) {
        stay = receive_all();
        forget_delivered();
        alone = !beat(&beaten, began);
        if (me.number) tend_allies();
        stay = serve_sockets(lifeline, listener) && stay;
    }
    if (alone) say(me.number, "rank 0 has not been heard of for two minutes; giving up");
    while (lines) end_line(lines);
    if (me.number == 0) take_leave();
    if (!complete && me.number == 0) MPI_Abort(MPI_COMM_WORLD, 0); /* ends those that hang */
    if (!complete) _exit(alone);
    MPI_Finalize();
    return 0;
}

/* ---- the door ---- */

static struct child carrier;

/* A socket by a name of no file that only this job has; -1: none. */
static int listen_for_players(char name[60])
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int n = snprintf(name, 60, "ludens-%d-%.0f", (int)getpid(), clock_now() * 1e9);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    memcpy(at.sun_path + 1, name, (size_t)n);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 && listen(fd, 100) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static void lead(void)
{
    char name[60], text[120];
    struct error error;
    int fd = listen_for_players(name);
    if (fd < 0) {
        say(0, "no socket for players; playing without the other ranks");
        return;
    }
    snprintf(text, sizeof text, "%d", fd);
    setenv("LUDENS_CARRIER", text, 1);
    snprintf(text, sizeof text, "0 %u %u %s", me.size, me.local, name);
    setenv(ALLIANCE_VARIABLE, text, 1);
    bool good = child_start(&carrier, "carrier", &error);
    close(fd);
    unsetenv("LUDENS_CARRIER");
    if (!good) say(0, error.text);
    if (good) alliance_announce();
    if (getenv("OMPI_COMM_WORLD_SIZE") && !getenv("OMPI_MCA_orte_enable_recovery"))
        say(0, "when a process dies mpirun ends all; with mpirun --enable-recovery the others go on");
}

bool cluster_begin(int *status)
{
    if (!rank_find(&me)) return false;
    if (me.number == 0) {
        lead();
        return false;
    }
    *status = carry(-1, -1);
    return true;
}

void cluster_end(void)
{
    if (!carrier.pid) return;
    frames_done(&carrier.frames);
    for (double end = clock_now() + 4 * FAREWELL; clock_now() < end; poll(NULL, 0, 10))
        if (waitpid(carrier.pid, NULL, WNOHANG) != 0) return;
    kill(carrier.pid, SIGKILL);
}

int carrier_lead(void)
{
    const char *text = getenv("LUDENS_CARRIER");
    return text && rank_find(&me) ? carry(0, atoi(text)) : 1;
}
