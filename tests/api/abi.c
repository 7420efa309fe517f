// SPDX-License-Identifier: GPL-3.0-or-later
/* How large the structures of ludens.h are and where their parts lie: what a program that was compiled with
 * an older header relies on. abi.py compares it with abi.txt. */
#include <ludens.h>

#include <stdio.h>

#define SIZE(type) printf("struct %s %zu\n", #type, sizeof(struct type))
#define PART(type, part) printf("struct %s.%s %zu\n", #type, #part, offsetof(struct type, part))
#define VALUE(name) printf("%s %ld\n", #name, (long)(name))

int main(void)
{
    SIZE(ludens_error);
    PART(ludens_error, code);
    PART(ludens_error, line);
    PART(ludens_error, column);
    PART(ludens_error, text);
    SIZE(ludens_stop);
    PART(ludens_stop, raised);
    SIZE(ludens_batch_options);
    PART(ludens_batch_options, lanes);
    PART(ludens_batch_options, threads);
    PART(ludens_batch_options, seed);
    PART(ludens_batch_options, keep);
    PART(ludens_batch_options, max_steps);
    PART(ludens_batch_options, device);
    SIZE(ludens_batch_tally);
    PART(ludens_batch_tally, games);
    PART(ludens_batch_tally, steps);
    PART(ludens_batch_tally, undefined);
    PART(ludens_batch_tally, goals);
    SIZE(ludens_board_shape);
    PART(ludens_board_shape, name);
    PART(ludens_board_shape, width);
    PART(ludens_board_shape, height);
    PART(ludens_board_shape, planes);
    PART(ludens_board_shape, cells);
    SIZE(ludens_piece);
    PART(ludens_piece, name);
    PART(ludens_piece, sign);
    PART(ludens_piece, label);
    PART(ludens_piece, figure);
    PART(ludens_piece, tint);
    PART(ludens_piece, owner);
    SIZE(ludens_square);
    PART(ludens_square, cell);
    PART(ludens_square, piece);
    SIZE(ludens_limits);
    PART(ludens_limits, seconds);
    PART(ludens_limits, bytes);
    SIZE(ludens_match_options);
    PART(ludens_match_options, budget);
    PART(ludens_match_options, start);
    PART(ludens_match_options, grace);
    PART(ludens_match_options, forfeit);
    PART(ludens_match_options, seed);
    PART(ludens_match_options, made);
    PART(ludens_match_options, answered);
    PART(ludens_match_options, data);
    SIZE(ludens_seat);
    PART(ludens_seat, name);
    PART(ludens_seat, choose);
    PART(ludens_seat, over);
    PART(ludens_seat, data);
    SIZE(ludens_budget);
    PART(ludens_budget, seconds);
    PART(ludens_budget, simulations);
    PART(ludens_budget, steps);
    PART(ludens_budget, expansions);
    PART(ludens_budget, stop);
    SIZE(ludens_thought);
    PART(ludens_thought, move);
    PART(ludens_thought, visits);
    PART(ludens_thought, value);
    PART(ludens_thought, low);
    PART(ludens_thought, high);
    SIZE(ludens_thoughts);
    PART(ludens_thoughts, simulations);
    PART(ludens_thoughts, expansions);
    PART(ludens_thoughts, steps);
    PART(ludens_thoughts, seconds);
    PART(ludens_thoughts, nodes);
    PART(ludens_thoughts, depth);
    PART(ludens_thoughts, value);
    PART(ludens_thoughts, circuit);
    PART(ludens_thoughts, trouble);
    PART(ludens_thoughts, trouble_text);
    PART(ludens_thoughts, moves);
    PART(ludens_thoughts, count);
    SIZE(ludens_record_about);
    PART(ludens_record_about, match);
    PART(ludens_record_about, game);
    PART(ludens_record_about, date);
    PART(ludens_record_about, ending);
    PART(ludens_record_about, roles);
    PART(ludens_record_about, steps);
    PART(ludens_record_about, start_clock);
    PART(ludens_record_about, play_clock);
    PART(ludens_record_about, seed);
    SIZE(ludens_sitting);
    PART(ludens_sitting, id);
    PART(ludens_sitting, game);
    PART(ludens_sitting, engine);
    PART(ludens_sitting, state);
    PART(ludens_sitting, role);
    PART(ludens_sitting, start_clock);
    PART(ludens_sitting, play_clock);
    PART(ludens_sitting, data);
    SIZE(ludens_server);
    PART(ludens_server, address);
    PART(ludens_server, port);
    PART(ludens_server, name);
    PART(ludens_server, data);
    PART(ludens_server, ready);
    PART(ludens_server, start);
    PART(ludens_server, choose);
    PART(ludens_server, made);
    PART(ludens_server, over);
    PART(ludens_server, idle);
    VALUE(LUDENS_OK);
    VALUE(LUDENS_INPUT);
    VALUE(LUDENS_MEMORY);
    VALUE(LUDENS_TIME);
    VALUE(LUDENS_STOPPED);
    VALUE(LUDENS_SYSTEM);
    VALUE(LUDENS_INTERNAL);
    VALUE(LUDENS_NOT_BEGUN);
    VALUE(LUDENS_WORKING);
    VALUE(LUDENS_READY);
    VALUE(LUDENS_FAILED);
    VALUE(LUDENS_AUTO);
    VALUE(LUDENS_LIFTED);
    VALUE(LUDENS_CIRCUIT);
    VALUE(LUDENS_BACKGROUND);
    VALUE(LUDENS_NO_GOAL);
    VALUE(LUDENS_RANDOM);
    VALUE(LUDENS_WAIT);
    VALUE(LUDENS_PLAYER);
    VALUE(LUDENS_MAX_LANES);
    return 0;
}
