// SPDX-License-Identifier: GPL-3.0-or-later
/* PostgreSQL: a server that many machines share. Only what differs from other databases is here.
 *
 *     talk   statements and transactions, as with any database
 *     locks  one long transaction that holds a row of `slot` for each game under way: a claim ends when this
 *            connection does, whatever has become of its machine. A row cannot be unlocked alone, but who is
 *            done with a game has written it down, and nobody asks for it again; when we hold none at all the
 *            transaction is ended and another begun.
 *
 * Either end notices within half a minute that the other is gone. We connect again then, take back what we
 * hold, if nobody else has it, and do the transaction once more: every one of them may be done twice. */
#include "lab/database/db_internal.h"

#include "base/clock.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATEMENTS = 64, LONGEST_PAUSE = 4 /* seconds */ };
enum { TYPE_INTEGER = 20, TYPE_REAL = 701, TYPE_TEXT = 25 }; /* int8, float8, text: by their numbers */

struct rows {
    struct db_rows rows;
    PGresult *result;
    int at;
};

struct held {
    int64_t cell;
    uint32_t number;
};

struct server {
    PGconn *talk, *locks;
    const char *prepared[STATEMENTS]; /* known to `talk` as s0, s1, ... */
    uint32_t nprepared;
    bool locking; /* the transaction of `locks` is open */
    struct held *held;
    uint32_t nheld, room;
    bool lost;    /* a connection is gone */
    bool crossed; /* two transactions were in each other's way */
};

static struct server *server_of(struct db *db)
{
    return db->link;
}

/* ---- what may go wrong ---- */

static bool begins(const char *code, const char *class)
{
    return code && strncmp(code, class, strlen(class)) == 0;
}

/* The server's words: the first line of them. */
static bool trouble(struct db *db, PGconn *conn, const PGresult *result, struct error *error)
{
    struct server *s = server_of(db);
    const char *code = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    const char *text = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    if (!text) text = PQerrorMessage(conn);
    s->crossed |= begins(code, "40");
    s->lost |= PQstatus(conn) == CONNECTION_BAD || begins(code, "57P") || begins(code, "08");
    int n = (int)strcspn(text, "\n");
    return error_set(error, ERROR_SYSTEM, "%.200s: %.*s", db->name, n < 300 ? n : 300, text);
}

static bool fine(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static bool run(struct db *db, PGconn *conn, const char *text, struct error *error)
{
    PGresult *result = PQexec(conn, text);
    bool good = fine(result) || trouble(db, conn, result, error);
    PQclear(result);
    return good;
}

/* ---- statements ---- */

/* ? and ?2 become $1 and $2. */
static char *translate(const char *text)
{
    char *out = malloc(4 * strlen(text) + 1), *to = out;
    int count = 0;
    bool quoted = false;
    for (const char *c = text; out && *c; c++) {
        if (*c == '\'') quoted = !quoted;
        if (*c != '?' || quoted)
            *to++ = *c;
        else if (c[1] >= '1' && c[1] <= '9')
            *to++ = '$';
        else
            to += sprintf(to, "$%d", ++count);
    }
    if (out) *to = '\0';
    return out;
}

static Oid type_of(const struct db_value *v)
{
    return v->kind == 'i' ? TYPE_INTEGER : v->kind == 'd' ? TYPE_REAL : TYPE_TEXT;
}

static bool prepare(struct db *db, const char *text, const struct db_value *values, int n, char name[16],
                    struct error *error)
{
    struct server *s = server_of(db);
    uint32_t i = 0;
    while (i < s->nprepared && s->prepared[i] != text) i++;
    snprintf(name, 16, "s%u", i);
    if (i < s->nprepared) return true;
    if (i == STATEMENTS) abort(); /* our own mistake: there are not so many */
    Oid types[DB_VALUES];
    for (int k = 0; k < n; k++) types[k] = type_of(&values[k]);
    char *translated = translate(text);
    if (!translated) return error_set(error, ERROR_MEMORY, "out of memory");
    PGresult *result = PQprepare(s->talk, name, translated, n, types);
    free(translated);
    bool good = fine(result) || trouble(db, s->talk, result, error);
    PQclear(result);
    if (good) s->prepared[s->nprepared++] = text;
    return good;
}

static struct db_rows *ask(struct db *db, const char *text, const struct db_value *values, int n,
                           struct error *error)
{
    struct server *s = server_of(db);
    char name[16], numbers[DB_VALUES][32];
    const char *texts[DB_VALUES];
    if (!prepare(db, text, values, n, name, error)) return NULL;
    for (int i = 0; i < n; i++) {
        const struct db_value *v = &values[i];
        if (v->kind == 'i') snprintf(numbers[i], sizeof numbers[i], "%" PRId64, v->i);
        if (v->kind == 'd') snprintf(numbers[i], sizeof numbers[i], "%.17g", v->d);
        texts[i] = v->null ? NULL : v->kind == 't' ? v->t : numbers[i];
    }
    struct rows *r = malloc(sizeof *r);
    if (!r) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    *r = (struct rows){{db}, PQexecPrepared(s->talk, name, n, texts, NULL, NULL, 0), -1};
    if (fine(r->result)) return &r->rows;
    trouble(db, s->talk, r->result, error);
    PQclear(r->result);
    free(r);
    return NULL;
}

static bool next(struct db_rows *rows)
{
    struct rows *r = (struct rows *)rows;
    return ++r->at < PQntuples(r->result);
}

static bool leave(struct db_rows *rows, struct error *error)
{
    (void)error; /* all rows had come with the answer */
    struct rows *r = (struct rows *)rows;
    PQclear(r->result);
    free(r);
    return true;
}

static const char *text(struct db_rows *rows, int column)
{
    const struct rows *r = (struct rows *)rows;
    return PQgetisnull(r->result, r->at, column) ? NULL : PQgetvalue(r->result, r->at, column);
}

static bool null(struct db_rows *rows, int column)
{
    return text(rows, column) == NULL;
}

static int64_t integer(struct db_rows *rows, int column)
{
    const char *s = text(rows, column);
    return s ? strtoll(s, NULL, 10) : 0;
}

static double real(struct db_rows *rows, int column)
{
    const char *s = text(rows, column);
    return s ? strtod(s, NULL) : 0;
}

/* ---- transactions ---- */

static bool begin(struct db *db, struct error *error)
{
    /* who only reads sees one picture of it all */
    return run(db, server_of(db)->talk, db->reads ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN", error);
}

static bool commit(struct db *db, struct error *error)
{
    return run(db, server_of(db)->talk, "COMMIT", error);
}

static void rollback(struct db *db)
{
    PQclear(PQexec(server_of(db)->talk, "ROLLBACK"));
}

/* ---- claims ---- */

static bool plan(struct db *db, int64_t cell, uint32_t n, struct error *error)
{
    return db_do(db,
                 "INSERT INTO slot (cell, number) SELECT ?, number FROM generate_series(0, ? - 1) AS number"
                 " ON CONFLICT DO NOTHING",
                 error, "ii", cell, (int64_t)n);
}

/* Lock one row, unless another has. */
static bool lock(struct db *db, int64_t cell, uint32_t number, bool *locked, struct error *error)
{
    struct server *s = server_of(db);
    char text[120];
    if (!s->locking && !run(db, s->locks, "BEGIN", error)) return false;
    s->locking = true;
    snprintf(text, sizeof text,
             "SELECT 1 FROM slot WHERE cell = %" PRId64 " AND number = %u FOR UPDATE SKIP LOCKED", cell,
             number);
    PGresult *result = PQexec(s->locks, text);
    bool good = fine(result) || trouble(db, s->locks, result, error);
    *locked = good && PQntuples(result) > 0;
    PQclear(result);
    return good;
}

/* Nothing is held: let go of the rows of games that were given up. */
static bool let_go(struct db *db, struct error *error)
{
    struct server *s = server_of(db);
    if (!s->locking || s->nheld) return true;
    s->locking = false;
    return run(db, s->locks, "COMMIT", error);
}

static bool hold(struct db *db, int64_t cell, uint32_t number, bool *held, struct error *error)
{
    struct server *s = server_of(db);
    if (s->nheld == s->room) {
        uint32_t room = s->room ? 2 * s->room : 64;
        struct held *more = realloc(s->held, room * sizeof *more);
        if (!more) return error_set(error, ERROR_MEMORY, "out of memory");
        s->held = more;
        s->room = room;
    }
    if (!let_go(db, error) || !lock(db, cell, number, held, error)) return false;
    if (*held) s->held[s->nheld++] = (struct held){cell, number};
    return true;
}

static bool drop(struct db *db, int64_t cell, uint32_t number, struct error *error)
{
    (void)error;
    struct server *s = server_of(db);
    for (uint32_t i = 0; i < s->nheld; i++)
        if (s->held[i].cell == cell && s->held[i].number == number) {
            s->held[i] = s->held[--s->nheld];
            break;
        }
    return true;
}

static bool beat(struct db *db, struct error *error)
{
    return let_go(db, error) && run(db, server_of(db)->locks, "SELECT 1", error);
}

/* ---- connecting ---- */

static void ignore(void *data, const char *text)
{
    (void)data, (void)text; /* what matters comes as an error */
}

/* Half a minute without a sign of life, on either side, and a connection is no more. */
static PGconn *connect_once(struct db *db, struct error *error)
{
    const char *const keys[] = {"dbname",
                                "fallback_application_name",
                                "connect_timeout",
                                "keepalives_idle",
                                "keepalives_interval",
                                "keepalives_count",
                                "tcp_user_timeout",
                                NULL};
    const char *const values[] = {db->path, "ludens", "8", "10", "5", "3", "25000", NULL};
    PGconn *conn = PQconnectdbParams(keys, values, 1);
    if (conn) PQsetNoticeProcessor(conn, ignore, NULL);
    if (conn && PQstatus(conn) == CONNECTION_OK &&
        run(db, conn,
            "SET client_min_messages = warning; SET search_path = ludens; SET client_encoding = 'UTF8';"
            " SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;"
            " SET tcp_user_timeout = 25000; SET idle_in_transaction_session_timeout = 0",
            error))
        return conn;
    if (conn) trouble(db, conn, NULL, error);
    if (!conn) error_set(error, ERROR_MEMORY, "out of memory");
    PQfinish(conn);
    return NULL;
}

static void hang_up(struct server *s)
{
    PQfinish(s->talk);
    PQfinish(s->locks);
    s->talk = s->locks = NULL;
    s->nprepared = 0;
    s->locking = false;
}

/* Claims need a connection of their own; who only reads has none. */
static bool call(struct db *db, struct error *error)
{
    struct server *s = server_of(db);
    hang_up(s);
    s->talk = connect_once(db, error);
    if (s->talk && !db->reads) s->locks = connect_once(db, error);
    s->lost = !s->talk || (!db->reads && !s->locks);
    return !s->lost;
}

static void say(struct db *db, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (db->patience.say) db->patience.say(db->patience.data, text);
}

/* Games that were under way when the connection broke are ours again, unless somebody was quicker. */
static bool take_back(struct db *db, struct error *error)
{
    struct server *s = server_of(db);
    uint32_t kept = 0, before = s->nheld;
    for (uint32_t i = 0; i < before; i++) {
        bool locked;
        if (!lock(db, s->held[i].cell, s->held[i].number, &locked, error)) return false;
        if (locked) s->held[kept++] = s->held[i];
    }
    s->nheld = kept;
    if (kept < before)
        say(db, "%u of %u games under way are in other hands now; they are played to the end and count once",
            before - kept, before);
    return true;
}

static bool stopped(const struct db *db)
{
    return db->patience.stop && atomic_load(db->patience.stop);
}

static void wait_for(const struct db *db, double seconds)
{
    for (double end = clock_now() + seconds; clock_now() < end && !stopped(db);)
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 50000000}, NULL);
}

static bool again(struct db *db, struct error *error)
{
    struct server *s = server_of(db);
    double began = clock_now(), pause = 0.5;
    if (s->crossed && !s->lost) return s->crossed = false, true;
    if (!s->lost || db->patience.seconds <= 0) return false;
    say(db, "the connection is lost (%s); trying again for %.0f s", error->text, db->patience.seconds);
    for (;;) {
        wait_for(db, pause);
        if (stopped(db)) return false;
        if (call(db, error) && take_back(db, error)) break;
        if (clock_now() - began > db->patience.seconds) return false;
        if (pause < LONGEST_PAUSE) pause *= 2;
    }
    s->crossed = false;
    say(db, "connected again after %.0f s", clock_now() - began);
    return true;
}

/* ---- the tables ---- */

/* The schema is written for SQLite: the same in PostgreSQL's words. */
static char *schema_text(const char *text)
{
    static const char *const words[][2] = {
        {"INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"},
        {"INTEGER PRIMARY KEY", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"},
        {"INTEGER", "BIGINT"},
        {"REAL", "DOUBLE PRECISION"},
        {" WITHOUT ROWID", ""}};
    char *out = malloc(3 * strlen(text) + 1), *to = out;
    for (const char *c = text; out && *c;) {
        size_t i = 0, n = sizeof words / sizeof *words;
        while (i < n && strncmp(c, words[i][0], strlen(words[i][0])) != 0) i++;
        if (i == n) {
            *to++ = *c++;
            continue;
        }
        to = stpcpy(to, words[i][1]);
        c += strlen(words[i][0]);
    }
    if (out) *to = '\0';
    return out;
}

static bool make_tables(struct db *db, const char *text, struct error *error)
{
    char *ours = schema_text(text);
    bool good =
        ours ? run(db, server_of(db)->talk, ours, error) : error_set(error, ERROR_MEMORY, "out of memory");
    free(ours);
    return good;
}

static bool has_tables(struct db *db, bool *has, struct error *error)
{
    int64_t n = 0;
    bool good = db_number(db,
                          "SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = 'ludens'"
                          " AND tablename IN ('experiment', 'game', 'slot', 'grid_game')",
                          0, &n, error, "");
    *has = n == 4;
    return good;
}

/* One at a time: several machines may come to a new database at once. */
static bool set_up(struct db *db, struct error *error)
{
    PGconn *talk = server_of(db)->talk;
    bool has;
    if (!has_tables(db, &has, error)) return false;
    if (has) return true;
    if (db->reads) return error_set(error, ERROR_INPUT, "%.200s has no laboratory yet", db->name);
    if (!db_begin(db, error)) return false;
    bool good = run(db, talk, "SELECT pg_advisory_xact_lock(1282761838)", error) && /* "Ludn" */
                has_tables(db, &has, error);
    if (good && !has)
        good = run(db, talk, "CREATE SCHEMA IF NOT EXISTS ludens", error) &&
               make_tables(db, db_schema, error) && make_tables(db, db_schema_boards, error) &&
               run(db, talk,
                   "CREATE TABLE slot (cell BIGINT NOT NULL REFERENCES cell ON DELETE CASCADE,"
                   " number BIGINT NOT NULL, PRIMARY KEY (cell, number))",
                   error);
    return db_end(db, good, error);
}

static bool boards(struct db *db, bool make, bool *there, struct error *error)
{
    (void)db, (void)make, (void)error;
    return *there = true;
}

static bool open_db(struct db *db, struct error *error)
{
    db->link = calloc(1, sizeof(struct server));
    if (!db->link) return error_set(error, ERROR_MEMORY, "out of memory");
    return call(db, error) && set_up(db, error);
}

static void close_db(struct db *db)
{
    struct server *s = db->link;
    if (!s) return;
    hang_up(s);
    free(s->held);
    free(s);
}

const struct db_backend db_postgres = {.open = open_db,
                                       .close = close_db,
                                       .begin = begin,
                                       .commit = commit,
                                       .rollback = rollback,
                                       .ask = ask,
                                       .next = next,
                                       .leave = leave,
                                       .null = null,
                                       .integer = integer,
                                       .real = real,
                                       .text = text,
                                       .boards = boards,
                                       .plan = plan,
                                       .hold = hold,
                                       .drop = drop,
                                       .beat = beat,
                                       .again = again};
