// SPDX-License-Identifier: GPL-3.0-or-later
/* Invariant: a letter's easy handle, body and reply belong to the thread from letter_send until `done` is set
 * under the lock, and to the owner of the letter from then on. letter_free on a letter under way only marks
 * it `dropped`; the thread frees it. */
#include "net/post.h"

#include "base/clock.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CONNECT_MS = 5000, POLL_MS = 1000 };

struct letter {
    struct post *post;
    struct letter *next; /* in the queue, or among those under way */
    CURL *easy;
    struct curl_slist *headers;
    char *body;
    char why[CURL_ERROR_SIZE];
    double sent;
    bool under_way, done, dropped, too_long;
    struct reply reply;
    char text[POST_REPLY_MAX + 1];
};

struct post {
    CURLM *multi;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct letter *letters; /* all that are not done, or done but not yet seen by the thread */
    bool quit;
};

bool post_is_url(const char *text)
{
    return strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0;
}

/* ---- in the thread ---- */

static size_t take(char *data, size_t one, size_t n, void *to)
{
    struct letter *l = to;
    (void)one;
    size_t room = POST_REPLY_MAX - l->reply.size, keep = n < room ? n : room;
    memcpy(l->text + l->reply.size, data, keep);
    l->reply.size += keep;
    l->too_long = keep < n;
    return keep; /* fewer than n: the transfer ends with an error */
}

static void judge(struct letter *l, CURLcode code)
{
    struct reply *r = &l->reply;
    long status = 0;
    const char *why = l->why[0] ? l->why : curl_easy_strerror(code);
    curl_easy_getinfo(l->easy, CURLINFO_RESPONSE_CODE, &status);
    r->seconds = clock_now() - l->sent;
    l->text[r->size] = '\0';
    r->text = l->text;
    switch (code) {
    case CURLE_OK:
        if (status < 200 || status > 299) error_set(&r->error, ERROR_SYSTEM, "HTTP status %ld", status);
        break;
    case CURLE_OPERATION_TIMEDOUT:
        error_set(&r->error, ERROR_TIME, "no answer within %.2f s%s", r->seconds,
                  r->size ? ", only a part of one" : "");
        break;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_URL_MALFORMAT:
        r->refused = true;
        error_set(&r->error, ERROR_SYSTEM, "%s", why);
        break;
    case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9 is what curl takes for bytes that are no HTTP */
    case CURLE_WEIRD_SERVER_REPLY: error_set(&r->error, ERROR_INPUT, "the reply is not HTTP"); break;
    default:
        if (l->too_long)
            error_set(&r->error, ERROR_INPUT, "the reply has more than %d bytes", POST_REPLY_MAX);
        else
            error_set(&r->error, ERROR_SYSTEM, "%s", why);
    }
}

static void letter_destroy(struct letter *l)
{
    curl_easy_cleanup(l->easy);
    curl_slist_free_all(l->headers);
    free(l->body);
    free(l);
}

/* Take new letters up and dropped or finished ones out. With the lock held. */
static void sort_letters(struct post *p)
{
    for (struct letter **at = &p->letters; *at;) {
        struct letter *l = *at;
        if (!l->under_way && !l->dropped && !l->done) {
            curl_multi_add_handle(p->multi, l->easy);
            l->under_way = true;
        }
        if (!l->dropped && !l->done) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        if (l->under_way) curl_multi_remove_handle(p->multi, l->easy);
        l->under_way = false;
        if (l->dropped) letter_destroy(l);
    }
}

static void *run(void *data)
{
    struct post *p = data;
    /* Where we may: a busy machine must not make players late that are not. It takes next to no time. */
    setpriority(PRIO_PROCESS, (id_t)gettid(), -10);
    pthread_mutex_lock(&p->lock);
    while (!p->quit) {
        sort_letters(p);
        pthread_mutex_unlock(&p->lock);
        int running, left;
        curl_multi_perform(p->multi, &running);
        bool news = false;
        for (CURLMsg *m; (m = curl_multi_info_read(p->multi, &left));) {
            struct letter *l = NULL;
            if (m->msg != CURLMSG_DONE) continue;
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&l);
            judge(l, m->data.result);
            curl_multi_remove_handle(p->multi, l->easy);
            pthread_mutex_lock(&p->lock);
            l->under_way = false;
            l->done = news = true;
            pthread_mutex_unlock(&p->lock);
        }
        if (!news) curl_multi_poll(p->multi, NULL, 0, POLL_MS, NULL);
        pthread_mutex_lock(&p->lock);
        if (news) {
            sort_letters(p);
            pthread_cond_broadcast(&p->changed);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- for others ---- */

static void initialise_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

struct post *post_new(struct error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise_curl);
    struct post *p = calloc(1, sizeof *p);
    if (p) p->multi = curl_multi_init();
    if (!p || !p->multi) {
        free(p);
        return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    }
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&p->thread, NULL, run, p) != 0) {
        curl_multi_cleanup(p->multi);
        free(p);
        return error_set(error, ERROR_SYSTEM, "no thread for the network"), NULL;
    }
    return p;
}

void post_free(struct post *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_mutex_unlock(&p->lock);
    curl_multi_wakeup(p->multi);
    pthread_join(p->thread, NULL);
    sort_letters(p);
    curl_multi_cleanup(p->multi);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static bool address(struct letter *l, const char *url, size_t size, double seconds)
{
    static const char *const lines[] = {"Accept: text/delim", "Content-Type: text/acl", "Sender: GAMESERVER",
                                        "Expect:"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct curl_slist *longer = curl_slist_append(l->headers, lines[i]);
        if (!longer) return false;
        l->headers = longer;
    }
    CURL *e = l->easy;
    return !(curl_easy_setopt(e, CURLOPT_URL, url) ||
             curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https") ||
             curl_easy_setopt(e, CURLOPT_PROXY, "") ||
             curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_0) ||
             curl_easy_setopt(e, CURLOPT_HTTPHEADER, l->headers) || curl_easy_setopt(e, CURLOPT_POST, 1L) ||
             curl_easy_setopt(e, CURLOPT_POSTFIELDS, l->body) ||
             curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size) ||
             curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take) || curl_easy_setopt(e, CURLOPT_WRITEDATA, l) ||
             curl_easy_setopt(e, CURLOPT_PRIVATE, l) || curl_easy_setopt(e, CURLOPT_ERRORBUFFER, l->why) ||
             curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L) || curl_easy_setopt(e, CURLOPT_FORBID_REUSE, 1L) ||
             curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, 1L) ||
             curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS) ||
             curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)(seconds * 1000 + 1)));
}

struct letter *letter_send(struct post *p, const char *url, const char *text, size_t size, double seconds)
{
    struct letter *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->post = p;
    l->easy = curl_easy_init();
    l->body = malloc(size + 1);
    if (l->easy && l->body) memcpy(l->body, text, size);
    if (!l->easy || !l->body || !address(l, url, size, seconds)) {
        letter_destroy(l);
        return NULL;
    }
    l->sent = clock_now();
    pthread_mutex_lock(&p->lock);
    l->next = p->letters;
    p->letters = l;
    pthread_mutex_unlock(&p->lock);
    curl_multi_wakeup(p->multi);
    return l;
}

const struct reply *letter_wait(struct letter *l, const atomic_bool *stop)
{
    struct post *p = l->post;
    static const struct reply cancelled = {.error = {ERROR_CANCELLED, "cancelled"}, .text = ""};
    pthread_mutex_lock(&p->lock);
    while (!l->done && !(stop && atomic_load(stop))) {
        /* a signal handler cannot wake a condition: look at `stop` now and then */
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 50000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&p->changed, &p->lock, &until);
    }
    bool done = l->done;
    pthread_mutex_unlock(&p->lock);
    return done ? &l->reply : &cancelled;
}

void letter_free(struct letter *l)
{
    if (!l) return;
    struct post *p = l->post;
    pthread_mutex_lock(&p->lock);
    /* Once it is done and taken off the list the thread does not know it any more. */
    bool listed = false;
    for (struct letter *i = p->letters; i && !listed; i = i->next) listed = i == l;
    if (listed) l->dropped = true;
    pthread_mutex_unlock(&p->lock);
    if (listed)
        curl_multi_wakeup(p->multi);
    else
        letter_destroy(l);
}
