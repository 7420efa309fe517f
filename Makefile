# SPDX-License-Identifier: GPL-3.0-or-later
# The front door. Meson and Ninja do the work; this file only remembers how they are called.
.DEFAULT_GOAL := help
.PHONY: help setup build play python test test-slow asan tsan fuzz match-test bench bench-lab bench-lifted bench-python bench-search bench-threads soak format lint install uninstall dist deb check-deb clean web

BUILD := build
LUDENS := $(BUILD)/src/ludens
GAME ?= breakthrough
ARGS ?= --seat white=champion --seat black=nst --clock 0.4
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
SOAK_MINUTES ?= 10
SOAK_GAMES ?= $(wildcard games/*.kif ../shared/corpus/games/*.kif)

help: ## list what can be made (this text)
	@echo "Ludens, a general game player. What can be made:"; echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo "Missing Debian packages are installed first (scripts/setup)."

setup: ## install the Debian packages that building and testing need
	@scripts/setup build test

build: ## compile the program
	@scripts/setup build
	@scripts/build $(BUILD) -- src/ludens

play: build ## watch a match of Breakthrough; another game with GAME=connectFour ARGS=
	@$(LUDENS) play $(GAME) $(ARGS)

web: build ## play, watch and write games in a browser; WEB_ARGS="--port 8080" for options
	@$(LUDENS) web $(WEB_ARGS)

python: ## build the Python module; PYTHONPATH=build/python finds it
	@scripts/setup build python
	@scripts/build $(BUILD) -- python
	@PYTHONPATH=$(BUILD)/python /usr/bin/python3 -c 'import ludens; print("import ludens", ludens.__version__, "from", ludens.__path__[0])'

test: ## check the formatting, build with warnings as errors, run the tests
	@scripts/setup build test python
	@scripts/build $(BUILD) -Dwerror=true
	@scripts/test $(BUILD) --no-suite slow

test-slow: ## run the slow tests too
	@scripts/setup build test python browser cluster
	@scripts/build $(BUILD) -Dwerror=true
	@scripts/test $(BUILD)

# Not those of many machines: they start other people's servers and wait for clocks.
asan: ## the tests under the address and undefined-behaviour sanitizers
	@scripts/setup build test
	@scripts/build $(BUILD)-asan -Dwerror=false -Doptimization=1 -Db_sanitize=address,undefined
	@scripts/test $(BUILD)-asan --no-suite slow --no-suite machines

# Nor those where nothing runs beside anything else.
tsan: ## the tests under the thread sanitizer
	@scripts/setup build test
	@scripts/build $(BUILD)-tsan -Dwerror=false -Doptimization=1 -Db_sanitize=thread
	@scripts/test $(BUILD)-tsan --timeout-multiplier 3 --no-suite slow --no-suite machines --no-suite alone

match-test: build ## 50 matches over the network, ours against ours; MATCH_ARGS="--matches 8" for fewer
	@LUDENS=$(LUDENS) LUDENS_GAMES=games tests/network/fifty $(MATCH_ARGS)

fuzz: ## feed the parser and the engine nonsense, FUZZ_SECONDS=600 each
	@scripts/setup build fuzz
	@CC=clang scripts/build $(BUILD)-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false -- fuzz
	@scripts/fuzz $(BUILD)-fuzz $(FUZZ_SECONDS)

bench: build ## how fast the engines play random games; ARGS="checkers hex" for other games
	@$(LUDENS) bench $(ARGS)

bench-lab: build ## simulations a second in the laboratory, against an earlier program; ARGS="connect5" for one game
	@bench/lab --ludens $(LUDENS) $(ARGS)

bench-python: python build ## steps a second from Python: moves chosen in C, in NumPy, one state at a time; BENCH_ARGS="hex --lanes 512"
	@PYTHONPATH=$(BUILD)/python bench/python/run --ludens $(LUDENS) $(BENCH_ARGS)

bench-search: build ## playouts and simulations a second of every scheme, against an earlier program; ARGS="connect5" for one game
	@bench/search --ludens $(LUDENS) $(ARGS)

bench-threads: build ## simulations a second by number of threads, and what two are worth against one
	@bench/threads --ludens $(LUDENS) $(ARGS)

bench-lifted: ## random games: the lifted engine against SWI-Prolog; ARGS=--help for more
	@scripts/setup build prolog
	@scripts/build $(BUILD) -- bench/random_games
	@bench/lifted/run --ludens $(BUILD)/bench/random_games $(ARGS)

soak: ## play a little of every game, one second a move: late, illegal, too much memory? SOAK_MINUTES=10
	@scripts/setup build
	@scripts/build $(BUILD) -- bench/soak
	@$(BUILD)/bench/soak -m $(SOAK_MINUTES) $(SOAK_ARGS) $(SOAK_GAMES)

format: ## lay out all C files anew
	@scripts/setup test
	@scripts/c-files | xargs clang-format -i

lint: ## static analysis with cppcheck and clang-tidy
	@scripts/setup build test lint
	@scripts/build $(BUILD)
	@scripts/lint $(BUILD)

install: ## install program, library, manual, completion, games and documents below PREFIX (/usr/local)
	@scripts/setup install
	@scripts/build $(BUILD)-install -Dtests=false -Dprefix=$(abspath $(PREFIX))
	@meson install -C $(BUILD)-install --no-rebuild --quiet

uninstall: ## remove what `make install` installed last
	@test -f $(BUILD)-install/meson-logs/install-log.txt || { echo "make uninstall: nothing was installed from here" >&2; exit 1; }
	@ninja -C $(BUILD)-install --quiet uninstall

dist: ## a source archive of the last commit, in build-install/meson-dist
	@scripts/setup install
	@scripts/build $(BUILD)-install -Dtests=false -- src/revision.h
	@meson dist -C $(BUILD)-install --no-tests --allow-dirty

deb: ## Debian packages of the last commit, in build-deb
	@scripts/setup install deb
	@scripts/deb $(BUILD)-deb

check-deb: ## build and try the source archive and the packages in bare chroots (root; some minutes)
	@scripts/setup install deb chroot
	@scripts/check-deb $(BUILD)-deb

clean: ## remove all build folders
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-install $(BUILD)-deb
