// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens help: what each command is for; the tables of all commands as JSON. */
#include "cli/commands.h"
#include "cli/help.h"

#include <jansson.h>
#include <string.h>

static const char exit_status[] =
    "0 it worked, 1 what was asked is not so, 2 it could not be done, 130 Ctrl-C.";

void help_print(FILE *out)
{
    fputs("usage: ludens COMMAND [OPTION...] [OPERAND...]\n"
          "       ludens --version\n\n",
          out);
    for (const struct command *c = ludens_commands; c->name; c++)
        if (c->summary) fprintf(out, "  %-10s %s\n", c->name, c->summary);
    fprintf(out, "\n`ludens help COMMAND` tells more about each.\nExit status: %s\n", exit_status);
}

static json_t *option_json(const struct option *o)
{
    static const char *const types[] = {"flag", "integer", "seed", "real", "string", "list"};
    char text[300] = "";
    json_t *j = json_pack("{s:s, s:s, s:s}", "name", o->name, "type", types[o->type], "help", o->help);
    if (o->letter) json_object_set_new(j, "letter", json_stringn(&o->letter, 1));
    if (o->type != OPTION_FLAG) json_object_set_new(j, "value", json_string(o->value ? o->value : "VALUE"));
    if (o->min != 0 || o->max != 0) {
        json_object_set_new(j, "min", json_real(o->min));
        json_object_set_new(j, "max", json_real(o->max));
    }
    if (options_default(o, text, sizeof text)) json_object_set_new(j, "default", json_string(text));
    if (!o->choices) return j;
    json_t *choices = json_array();
    const char *rest = o->choices;
    while (options_next_choice(&rest, text, sizeof text)) json_array_append_new(choices, json_string(text));
    json_object_set_new(j, "choices", choices);
    return j;
}

static void add_card(void *data, const struct command_card *card)
{
    json_t *options = json_array();
    for (const struct option *o = card->table; o->name; o++) json_array_append_new(options, option_json(o));
    json_object_set_new(data, "usage", json_string(card->usage));
    json_object_set_new(data, "about", json_string(card->about));
    json_object_set_new(data, "options", options);
}

static json_t *commands_json(const struct command *table)
{
    json_t *list = json_array();
    for (const struct command *c = table; c->name; c++) {
        if (!c->summary) continue;
        json_t *j = json_pack("{s:s, s:s}", "name", c->name, "summary", c->summary);
        if (c->words)
            json_object_set_new(j, "commands", commands_json(c->words));
        else
            command_capture(c, add_card, j);
        json_array_append_new(list, j);
    }
    return list;
}

int cmd_help(int argc, char **argv)
{
    bool json = false;
    const struct option table[] = {
        {"json", 'j', OPTION_FLAG, &json, .help = "print what all commands are and take as JSON"}, {0}};
    int operands, status;
    if (!command_begin("help [OPTION...] [COMMAND...]",
                       "Tell what a command is for and which options it takes, or list the commands.\n"
                       "  ludens help play\n"
                       "  ludens help lab run",
                       table, 0, 2, argc, argv, &operands, &status))
        return status;
    if (json) {
        json_t *root = json_pack("{s:s, s:s, s:o}", "version", LUDENS_VERSION, "exit_status", exit_status,
                                 "commands", commands_json(ludens_commands));
        json_dumpf(root, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(root);
    } else if (operands == 0) {
        help_print(stdout);
    } else {
        char *words[4] = {argv[1], operands > 1 ? argv[2] : "--help", operands > 1 ? "--help" : NULL, NULL};
        return command_run(ludens_commands, operands + 1, words);
    }
    return EXIT_YES;
}
