// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/complete.h"

#include "cli/commands.h"
#include "game/game.h"
#include "game/library.h"
#include "lab/spec/library.h"
#include "player/config.h"

#include <ctype.h>
#include <string.h>

/* A line that is being completed. */
struct typing {
    char **words; /* of the command, and the last to be completed */
    int n;
    const char *game; /* the operand that names one, or NULL */
};

/* Print a word that fits: `before` is what stands already and is not looked at, `typed` what was begun. */
static void offer(const char *before, const char *typed, const char *word, const char *end, const char *help)
{
    if (strncmp(word, typed, strlen(typed)) != 0) return;
    printf("%s%s%s\t%s\n", before, word, end, help);
}

static void offer_choices(const char *before, const char *typed, const char *choices)
{
    char word[100];
    while (options_next_choice(&choices, word, sizeof word)) offer(before, typed, word, "", "");
}

/* ---- values by their names in usage and tables ---- */

static void offer_games(const char *before, const char *typed)
{
    struct error error;
    json_t *list = library_list(&error), *entry;
    size_t i;
    json_array_foreach(list, i, entry)
    {
        const char *title = json_string_value(json_object_get(entry, "title"));
        offer(before, typed, json_string_value(json_object_get(entry, "name")), "", title ? title : "");
    }
    json_decref(list);
}

/* "nst", "nst,epsilon=", "nst,playout=mast": a preset, then options. */
static void offer_players(const char *before, const char *typed)
{
    char head[300];
    const char *comma = strrchr(typed, ','), *tail = comma ? comma + 1 : typed;
    if (!comma) {
        for (const struct player_preset *p = player_presets; p->name; p++)
            offer(before, typed, p->name, "", p->help);
        return;
    }
    size_t given = strcspn(tail, "=");
    snprintf(head, sizeof head, "%s%.*s", before, (int)(tail - typed), typed);
    for (const struct player_option *o = player_options; o->name; o++) {
        if (tail[given] != '=') {
            offer(head, tail, o->name, "=", o->help);
        } else if (strlen(o->name) == given && strncmp(o->name, tail, given) == 0) {
            snprintf(head, sizeof head, "%s%.*s", before, (int)(tail + given + 1 - typed), typed);
            const char *choices = o->type == PLAYER_BOOL ? "on|off" : o->choices;
            if (choices) offer_choices(head, tail + given + 1, choices);
        }
    }
}

static void offer_roles(const struct typing *line, const char *before, const char *typed, const char *end)
{
    struct error error;
    struct game *game = line->game ? game_load(line->game, 0, NULL, &error) : NULL;
    for (uint32_t r = 0; game && r < game->nroles; r++) offer(before, typed, game->role_names[r], end, "");
    game_free(game);
}

struct begun {
    const char *before, *typed;
};

static void offer_experiment(void *data, const char *name, const char *path)
{
    const struct begun *b = data;
    (void)path;
    offer(b->before, b->typed, name, "", "");
}

static void offer_commands(const char *typed, const struct command *table)
{
    for (const struct command *c = table; c->name; c++)
        if (c->summary) offer("", typed, c->name, "", c->summary);
}

/* One kind of value, such as GAME. True: names of files, too. */
static bool offer_kind(const struct typing *line, const char *kind, size_t length, const char *before,
                       const char *typed)
{
    struct error error;
    struct begun begun = {before, typed};
#define IS(name) (length == sizeof name - 1 && memcmp(kind, name, length) == 0)
    if (IS("GAME")) offer_games(before, typed);
    if (IS("PLAYER") || IS("OPPONENT") || IS("WHO")) offer_players(before, typed);
    if (IS("ROLE")) offer_roles(line, before, typed, "");
    if (IS("EXPERIMENT")) lab_each(offer_experiment, &begun, &error);
    if (IS("DIR")) puts("\tfolders");
    if (IS("ROLE=PLAYER") || IS("ROLE=WHO")) {
        char head[300];
        size_t role = strcspn(typed, "=");
        if (typed[role] != '=') {
            offer_roles(line, before, typed, "=");
            return false;
        }
        snprintf(head, sizeof head, "%s%.*s", before, (int)role + 1, typed);
        offer_players(head, typed + role + 1);
        offer(head, typed + role + 1, "human", "", "a person at this terminal");
    }
    return IS("GAME") || IS("EXPERIMENT") || IS("FILE") || IS("TRACE") || IS("DATABASE") || IS("FROM");
#undef IS
}

/* The kinds that a name stands for, "FILE|GAME". */
static void offer_value(const struct typing *line, const char *name, size_t length, const char *before,
                        const char *typed)
{
    bool files = false;
    for (size_t i = 0, n; i < length; i += n + 1) {
        n = strcspn(name + i, "|");
        if (n > length - i) n = length - i;
        files |= offer_kind(line, name + i, n, before, typed);
    }
    if (files) puts("\tfiles");
}

static void offer_option_value(const struct typing *line, const struct option *o, const char *before,
                               const char *typed)
{
    if (o->choices)
        offer_choices(before, typed, o->choices);
    else if (o->value)
        offer_value(line, o->value, strlen(o->value), before, typed);
}

/* ---- where the cursor is ---- */

/* The next operand in a usage: *at goes on behind it; false: there is none. Options in it, with or without
 * brackets, are no operands. */
static bool next_operand(const char **at, const char **name, size_t *length, bool *repeats)
{
    const char *s = *at;
    while (*s && *s != '\n') {
        size_t n = *s == '[' ? strcspn(s, "]\n") : strcspn(s, " \n");
        const char *word = *s == '[' ? s + 1 : s, *end = s + n;
        bool option = memmem(word, (size_t)(end - word), "--", 2) != NULL;
        s = end + strspn(end, "] ");
        if (option && *word == '-' && word[-1] != '[') s += strcspn(s, " \n"), s += strspn(s, " ");
        if (option || !isupper((unsigned char)*word) || strncmp(word, "OPTION", 6) == 0) continue;
        *name = word;
        *length = strcspn(word, ".] \n");
        *repeats = memmem(word, (size_t)(end - word), "...", 3) != NULL;
        *at = s;
        return true;
    }
    return false;
}

static const struct option *find_option(const struct option *table, const char *word)
{
    size_t n = strcspn(word, "=");
    for (const struct option *o = table; o->name; o++) {
        if (word[1] == '-' ? strlen(o->name) == n - 2 && strncmp(o->name, word + 2, n - 2) == 0
                           : o->letter == word[1] && !word[2])
            return o;
    }
    return NULL;
}

/* The operand number `k` of a usage. */
static bool operand(const char *usage, int k, const char **name, size_t *length)
{
    bool repeats = false;
    for (int i = 0; i <= k; i++)
        if (!repeats && !next_operand(&usage, name, length, &repeats)) return false;
    return true;
}

static void offer_options(const struct option *table, const char *typed)
{
    for (const struct option *o = table; o->name; o++) {
        char word[80];
        snprintf(word, sizeof word, "--%s", o->name);
        offer("", typed, word, "", o->help);
    }
    offer("", typed, "--help", "", "show what the command does");
}

static void complete_line(void *data, const struct command_card *card)
{
    struct typing *line = data;
    const char *typed = line->words[line->n - 1], *name;
    const struct option *open = NULL; /* the one whose value comes next */
    size_t length;
    int operands = 0;
    bool ended = false; /* by "--" */
    for (int i = 0; i < line->n - 1; i++) {
        const char *word = line->words[i];
        if (open) {
            open = NULL;
        } else if (!ended && strcmp(word, "--") == 0) {
            ended = true;
        } else if (!ended && word[0] == '-' && word[1]) {
            open = strchr(word, '=') ? NULL : find_option(card->table, word);
            if (open && open->type == OPTION_FLAG) open = NULL;
        } else {
            if (operand(card->usage, operands++, &name, &length) && length == 4 && !memcmp(name, "GAME", 4))
                line->game = word;
        }
    }
    const char *equals = strchr(typed, '=');
    if (open) {
        offer_option_value(line, open, "", typed);
    } else if (!ended && strncmp(typed, "--", 2) == 0 && equals) {
        const struct option *o = find_option(card->table, typed);
        char before[100];
        snprintf(before, sizeof before, "%.*s", (int)(equals + 1 - typed), typed);
        if (o && o->type != OPTION_FLAG) offer_option_value(line, o, before, equals + 1);
    } else if (!ended && typed[0] == '-') {
        offer_options(card->table, typed);
    } else if (operand(card->usage, operands, &name, &length)) {
        offer_value(line, name, length, "", typed);
    } else if (!ended && !*typed) {
        offer_options(card->table, typed);
    }
}

void complete_words(int n, char **words)
{
    const struct command *table = ludens_commands;
    if (n > 1 && strcmp(words[0], "help") == 0) n--, words++; /* commands again */
    for (int i = 0; i < n; i++) {
        if (i == n - 1) {
            offer_commands(words[i], table);
            if (i == 0) offer("", words[i], "--version", "", "which program this is");
            if (i == 0) offer("", words[i], "--help", "", "list the commands");
            return;
        }
        const struct command *c = command_find(table, words[i]);
        if (!c || !c->summary) return;
        if (!c->words) {
            struct typing line = {.words = words + i + 1, .n = n - i - 1};
            command_capture(c, complete_line, &line);
            return;
        }
        table = c->words;
    }
}
