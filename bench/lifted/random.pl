% SPDX-License-Identifier: GPL-3.0-or-later
% Random games in SWI-Prolog on rules that translate.py made: the state is what is asserted of gdl_true/1.
%
%   swipl -O random.pl -- RULES SECONDS LIMIT SEED
%
% Plays until SECONDS of processor time are used and at least one game is over, but not longer than LIMIT.
% Prints one line: status, games, transitions, seconds, facts of the initial state, legal moves there.

:- style_check(-singleton).
:- use_module(library(lists)).
:- use_module(library(random)).
:- use_module(library(time)).
:- use_module(library(ordsets)).

:- initialization(main, main).

max_steps(1000).

main([Rules, SecondsText, LimitText, SeedText]) :-
    maplist(atom_number, [SecondsText, LimitText, SeedText], [Seconds, Limit, Seed]),
    set_random(seed(Seed)),
    nb_setval(games, 0),
    nb_setval(transitions, 0),
    nb_setval(facts, 0),
    nb_setval(moves, 0),
    load_files(Rules, [silent(true)]),
    statistics(cputime, Start),
    catch(( call_with_time_limit(Limit, play(Start, Seconds)), Status = ok ), Error, status(Error, Status)),
    statistics(cputime, End),
    Used is End - Start,
    maplist(nb_getval, [games, transitions, facts, moves], [Games, Transitions, Facts, Moves]),
    format("~w ~w ~w ~6f ~w ~w~n", [Status, Games, Transitions, Used, Facts, Moves]).

status(time_limit_exceeded, time) :- !.
status(error(resource_error(_), _), stack) :- !.
status(unplayable, unplayable) :- !.
status(Error, error) :- print_message(error, Error).

play(Start, Seconds) :-
    answers(R, gdl_role(R), Roles),
    answers(F, gdl_init(F), Initial),
    maplist(assert_fact, Initial),
    length(Initial, Facts),
    nb_setval(facts, Facts),
    foldl(count_moves, Roles, 0, Moves),
    nb_setval(moves, Moves),
    games(Start, Seconds, Roles, Initial, Initial).

% Failure-driven loops would be more than Ary did, and less than needed: the state lives in the database, and
% garbage collection takes the rest.
games(Start, Seconds, Roles, Initial, Current) :-
    go_to(Current, Initial),
    game(0, Start, Seconds, Roles, Initial, Last),
    statistics(cputime, Now),
    nb_getval(games, Games),
    (   Games > 0, Now - Start >= Seconds
    ->  true
    ;   games(Start, Seconds, Roles, Initial, Last)
    ).

game(Step, Start, Seconds, Roles, State, Last) :-
    (   ( gdl_terminal ; max_steps(Step) )
    ->  maplist(goals, Roles),
        increment(games),
        Last = State
    ;   nb_getval(games, Games), Games > 0, statistics(cputime, Now), Now - Start >= Seconds
    ->  Last = State
    ;   maplist(choose, Roles, Moves),
        maplist(assert_move, Roles, Moves),
        answers(F, gdl_next(F), Next),
        retractall(gdl_does(_, _)),
        go_to(State, Next),
        increment(transitions),
        NextStep is Step + 1,
        game(NextStep, Start, Seconds, Roles, Next, Last)
    ).

% Only what changed is retracted and asserted.
go_to(From, To) :-
    ord_subtract(From, To, Gone),
    ord_subtract(To, From, New),
    maplist(retract_fact, Gone),
    maplist(assert_fact, New).

choose(Role, Move) :-
    answers(M, gdl_legal(Role, M), Moves),
    (   Moves == [] -> throw(unplayable) ; random_member(Move, Moves) ).

goals(Role) :- answers(Value, gdl_goal(Role, Value), _).

count_moves(Role, Before, After) :-
    answers(M, gdl_legal(Role, M), Moves),
    length(Moves, N),
    After is Before + N.

answers(Template, Goal, Sorted) :-
    findall(Template, Goal, List),
    sort(List, Sorted).

assert_fact(F) :- assertz(gdl_true(F)).
retract_fact(F) :- retract(gdl_true(F)), !.
assert_move(R, M) :- assertz(gdl_does(R, M)).

increment(Key) :-
    nb_getval(Key, N),
    N1 is N + 1,
    nb_setval(Key, N1).
