// SPDX-License-Identifier: GPL-3.0-or-later
/* What pooling costs the rank that plays, by the number of ranks: a carrier that is none (a thread) sends
 * what so many ranks would send, and the time of the real player's end is taken, as processor time of its
 * thread.
 *
 *     bench/pooling [GAME...]
 */
#include "base/clock.h"
#include "cluster/alliance.h"
#include "cluster/tally.h"
#include "net/frame.h"
#include "player/player.h"

#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROUNDS = 20 };

struct post {
    int listener;
    uint32_t ranks;
    struct mcts *search; /* whose tally all have */
};

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One tally of every rank for every order. */
static void answer(struct frames *f, const struct post *p, const char *order)
{
    struct tally_names names = {0};
    struct tally_head head = {.final = 1};
    size_t size;
    if (sscanf(order, "think %u %u", &head.order, &head.serial) != 2 || !tally_name(&names, p->search))
        return;
    char *bytes = tally_write(p->search, &names, &head, &size);
    for (uint32_t i = 1; i < p->ranks && bytes; i++) {
        char line[40];
        int n = snprintf(line, sizeof line, "%u tally\n", i);
        frames_send(f, line, (size_t)n, bytes, size);
    }
    free(bytes);
    tally_names_done(&names);
}

static void *carry(void *data)
{
    const struct post *p = data;
    struct frames f;
    frames_init(&f, accept(p->listener, NULL, NULL));
    for (bool open = true; open;) {
        struct pollfd fd = {f.socket, POLLIN | (frames_waiting(&f) ? POLLOUT : 0), 0};
        char *text;
        size_t n;
        poll(&fd, 1, -1);
        open = frames_flush(&f) && (!(fd.revents & (POLLIN | POLLHUP)) || frames_fill(&f));
        while ((text = frames_take(&f, &n))) answer(&f, p, text);
    }
    frames_done(&f);
    return NULL;
}

static int listen_as(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    memcpy(at.sun_path + 1, name, strlen(name));
    bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name)));
    listen(fd, 1);
    return fd;
}

/* Seconds of processor time for one pooling of so many ranks: until all have answered, as counted simulations
 * want it, so that what is awaited is in it. */
static double measure(uint32_t ranks, struct player *player, struct state *state)
{
    char name[60], text[120];
    struct mcts *m = player_search(player);
    struct post post = {.ranks = ranks, .search = m};
    struct budget b = {.simulations = 1};
    struct allies_call call = {.rules = "", .player = "", .role = ""};
    pthread_t thread;
    snprintf(name, sizeof name, "ludens-pooling-%d-%u", (int)getpid(), ranks);
    snprintf(text, sizeof text, "0 %u 1 %s", ranks, name);
    setenv(ALLIANCE_VARIABLE, text, 1);
    post.listener = listen_as(name);
    pthread_create(&thread, NULL, carry, &post);
    alliance_announce();
    struct allies *a = allies_muster(&call);
    double spent = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double before = cpu();
        a->ops->think(a, player_reasoner(player), state, 0, &b);
        mcts_pool(m, NULL, 0);
        a->ops->gather(a, m, &b);
        spent += cpu() - before;
        if (a->pooled != ranks) fprintf(stderr, "only %u of %u ranks answered\n", a->pooled, ranks);
    }
    a->ops->free(a);
    pthread_join(thread, NULL);
    close(post.listener);
    return spent / ROUNDS;
}

static bool bench(const char *name, struct error *error)
{
    struct game *game = game_load(name, 0, NULL, error);
    struct engine *engine = game ? engine_start(game, NULL, error) : NULL;
    struct player_config config;
    struct state state = {0};
    struct budget b = {.simulations = 5000};
    struct player *player = NULL;
    if (!engine || !player_config_parse("nst,ranks=1", &config, error)) return false;
    engine_wait(engine, 10);
    player = player_new(&config, game, engine, 0, 1, error);
    if (!player || !player_ponder(player, &b, error)) return false;
    struct reasoner *r = player_reasoner(player);
    r->ops->initial(r, &state);
    printf("%-16s %5u moves %6zu bytes ", name, mcts_actions(player_search(player)),
           sizeof(struct tally_head) + mcts_actions(player_search(player)) * sizeof(struct tally_move));
    for (uint32_t ranks = 16; ranks <= 4096; ranks *= 4)
        printf(" %9.3f", 1e3 * measure(ranks, player, &state));
    putchar('\n');
    player_free(player);
    state_done(&state);
    engine_free(engine);
    game_free(game);
    return true;
}

int main(int argc, char **argv)
{
    static char *games[] = {"connectFour", "breakthrough", "othello", "checkers", "hex", "amazons8x8"};
    char **list = argc > 1 ? argv + 1 : games;
    size_t n = argc > 1 ? (size_t)(argc - 1) : sizeof games / sizeof *games;
    struct error error = {0};
    printf("%-42s  ms of processor time for pooling 16, 64, 256, 1024, 4096 ranks\n", "");
    for (size_t i = 0; i < n; i++)
        if (!bench(list[i], &error)) return fprintf(stderr, "bench/pooling: %s\n", error.text), 1;
    return 0;
}
