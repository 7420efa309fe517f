#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Search over MPI: real mpirun, four processes on this machine; ranks hang, die, and the match goes on."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import harness

RANKS = 4
# As root in a container, on fewer cores than ranks; who runs this on a cluster needs none of it but recovery.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_orte_enable_recovery": "1",
               # what Open MPI does not give back is none of our business
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def lacking():
    """What is missing for these tests; None: nothing."""
    if not shutil.which("mpirun"):
        return "there is no mpirun (package openmpi-bin)"
    with open(harness.LUDENS, "rb") as file:
        return None if b"libmpi.so" in file.read() else "ludens was built without MPI (package libopenmpi-dev)"


def status_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def children(pid):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        status = status_of(name)
        if status and int(status[1]) == pid and status[0] != "Z":
            found.append(int(name))
    return found


def rank_of(pid):
    """Which rank a child of mpirun is; None: it has not become ludens yet, or is gone."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            found = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)\0", file.read())
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(found.group(1)) if found else None


class Job:
    """A ludens under mpirun; its output is in `text()`."""

    def __init__(self, case, *arguments, **environment):
        self.log = open(case.path(f"job{id(self)}"), "w+", encoding="utf-8")
        case.addCleanup(self.log.close)
        self.process = subprocess.Popen(["mpirun", "-n", str(RANKS), harness.LUDENS, *map(str, arguments)], stdout=self.log,
                                        stderr=subprocess.STDOUT, env={**os.environ, **ENVIRONMENT, **environment})
        case.addCleanup(self.end)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def ranks(self):
        """Process by rank."""
        found = {rank_of(pid): pid for pid in children(self.process.pid)}
        found.pop(None, None)
        return found

    def await_text(self, pattern, seconds=60):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.text()):
            assert self.process.poll() is None and time.monotonic() < end, f"no '{pattern}' in:\n{self.text()}"
            time.sleep(0.05)

    def await_allies(self, n=RANKS - 1):
        """Until the ranks search for somebody."""
        end = time.monotonic() + 60
        while sum(len(children(pid)) for rank, pid in self.ranks().items() if rank) < n or len(self.ranks()) < RANKS:
            assert time.monotonic() < end, self.text()
            time.sleep(0.05)

    def finish(self, seconds=180):
        self.process.wait(seconds)
        return self.text()


@unittest.skipIf(lacking(), lacking())
class Cluster(harness.Case):
    def think(self, ranks, player, game, *arguments):
        command = ["think", game, "--player", player, "--json", *arguments]
        if ranks == 1:
            return json.loads(self.ludens(*command)[0])
        run = subprocess.run(["mpirun", "-n", str(ranks), harness.LUDENS, *map(str, command)], capture_output=True, text=True,
                             env={**os.environ, **ENVIRONMENT}, timeout=200)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_four_ranks_find_what_four_threads_find(self):
        for player, game in ("nst", "connectFour"), ("cadia2011", "breakthrough"), ("champion,puzzle=off", "ticTacToe"):
            with self.subTest(player):
                there = self.think(RANKS, player, game, "--sims", 2000, "--seed", 5)
                here = self.think(1, player + f",threads={RANKS},parallel=root", game, "--sims", 2000, "--seed", 5)
                self.assertEqual(there.pop("ranks"), [RANKS, RANKS])
                for key in "moves", "simulations", "nodes", "best", "value", "depth":
                    self.assertEqual(there[key], here[key], key)

    def test_a_player_has_as_many_ranks_as_it_wants(self):
        two = self.think(RANKS, "nst,ranks=2", "connectFour", "--sims", 600)
        self.assertEqual(two["ranks"], [2, 2])
        self.assertEqual(two["moves"], self.think(1, "nst,threads=2,parallel=root", "connectFour", "--sims", 600)["moves"])
        alone = self.think(RANKS, "nst,ranks=1", "connectFour", "--sims", 600)
        self.assertNotIn("ranks", alone)
        self.assertEqual(alone["moves"], self.think(1, "nst", "connectFour", "--sims", 600)["moves"])

    def test_moves_reach_all(self):
        records = []
        for name, options, run in ("there", "", ["mpirun", "-n", str(RANKS)]), ("here", f",threads={RANKS},parallel=root", []):
            subprocess.run([*run, harness.LUDENS, "match", "connectFour", "--seat", f"red=nst{options}", "--seat", "yellow=legal", "--sims",
                            "400", "--start", "400", "--seed", "3", "--record", self.path(name + ".json"), "--quiet"], check=True,
                           env={**os.environ, **ENVIRONMENT}, stdout=subprocess.DEVNULL, timeout=200)
            records.append(json.loads(self.read(self.path(name + ".json")))["moves"])
        self.assertGreater(len(records[0]), 6)
        self.assertEqual(*records)

    def test_a_rank_that_hangs_and_one_that_is_killed_do_not_end_the_match(self):
        job = Job(self, "match", "connectFour", "--seat", "red=nst", "--seat", "yellow=cadia2007,ranks=1", "--clock", 0.5, "--start", 2,
                  "--record", self.path("match.json"))
        job.await_allies()
        ranks = job.ranks()
        self.assertEqual(sorted(ranks), list(range(RANKS)))
        time.sleep(1)
        os.kill(ranks[2], signal.SIGSTOP)
        os.kill(ranks[3], signal.SIGKILL)
        text = job.finish()
        # mpirun itself may crash (Open MPI 4.1) when it buries a rank that hangs; the match is over by then
        self.assertIn(job.process.returncode, (0, -signal.SIGSEGV), text)
        self.assertIn("1 match completed", text)
        for rank in 2, 3:
            self.assertIn(f"rank {rank}: has not been heard of for 5 s; going on without it", text)
        self.assertNotIn("rank 1: has not", text)
        self.assertRegex(text, r"(?m)^red +nst +\S+ +\S+ +0 +0 +0 ")  # late, illegal, failed
        self.assertEqual(json.loads(self.read(self.path("match.json")))["ending"], "completed")
        end = time.monotonic() + 20
        while [pid for pid in ranks.values() if (status_of(pid) or "Z")[0] != "Z"]:
            self.assertLess(time.monotonic(), end, "somebody is left")
            time.sleep(0.1)

    def test_counted_simulations_are_not_awaited_for_ever(self):
        job = Job(self, "think", "connectFour", "--player", "nst", "--start", 1200000, "--sims", 800, "--json")
        job.await_allies()
        ranks = job.ranks()
        os.kill(ranks[1], signal.SIGKILL)
        os.kill(ranks[2], signal.SIGSTOP)
        text = job.finish()
        self.assertRegex(text, r'"ranks": \[\s+2,\s+4\s+\]')
        self.assertRegex(text, r'"simulations": 400,')

    def test_a_rank_that_wakes_up_is_welcome(self):
        job = Job(self, "think", "connectFour", "--player", "cadia2007", "--clock", 14)
        job.await_allies()
        pid = job.ranks()[2]
        os.kill(pid, signal.SIGSTOP)
        job.await_text("rank 2: has not been heard of")
        os.kill(pid, signal.SIGCONT)
        job.await_text("rank 2: is back")
        self.assertIn("4 of 4 ranks", job.finish())

    def test_a_search_that_dies_is_started_again(self):
        # nothing of Open MPI's: without recovery any death mpirun sees would end the job
        job = Job(self, "think", "connectFour", "--player", "cadia2007", "--clock", 6, OMPI_MCA_orte_enable_recovery="0")
        job.await_allies()
        ally, = children(job.ranks()[3])
        os.kill(ally, signal.SIGKILL)
        job.await_text("rank 3: a search has died; it is started again")
        text = job.finish()
        self.assertEqual(job.process.returncode, 0)
        self.assertIn("4 of 4 ranks", text)

    def test_without_its_carrier_the_player_is_alone_and_plays(self):
        job = Job(self, "think", "connectFour", "--player", "cadia2007", "--clock", 4)
        job.await_allies()
        carrier, = (pid for pid in children(job.ranks()[0]) if b"carrier" in self.read(f"/proc/{pid}/cmdline"))
        os.kill(carrier, signal.SIGKILL)
        job.await_text("red plays")
        job.end()

    def ranks_noted(self):
        """How many ranks, of how many, each move in the server's log was found by."""
        found = []
        for name in os.listdir(self.path("log")) if os.path.isdir(self.path("log")) else []:  # records are there, too
            lines = self.read(os.path.join(self.path("log"), name)).decode().splitlines(keepends=True)
            notes = [json.loads(line) for line in lines if line.startswith('{"time"') and line.endswith("\n")]
            found += [note["ranks"] for note in notes if "ranks" in note]
        return found

    def test_a_server_plays_with_all_ranks_while_two_are_lost(self):
        job = Job(self, "serve", "--port", 0, "--player", "nst", "--log", self.path("log"), "--seed", 1)
        job.await_text(r"port (\d+)")
        port = re.search(r"port (\d+)", job.text()).group(1)
        match = subprocess.Popen([harness.LUDENS, "match", "connectFour", "--seat", f"red=http://127.0.0.1:{port}", "--seat", "yellow=random",
                                  "--clock", "3", "--start", "5", "--quiet"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(match.stdout.close)
        self.addCleanup(match.wait)
        self.addCleanup(match.kill)
        job.await_allies()
        end = time.monotonic() + 60
        while [RANKS, RANKS] not in self.ranks_noted():
            self.assertTrue(match.poll() is None and time.monotonic() < end, "never all of them played")
            time.sleep(0.05)
        ranks = job.ranks()
        os.kill(ranks[1], signal.SIGSTOP)
        os.kill(ranks[2], signal.SIGKILL)
        out = match.communicate(timeout=180)[0]
        self.assertRegex(out, r"(?m)^red +http\S+ \(ludens\) +\S+ +\S+ +0 +0 +0 ")
        os.kill(ranks[0], signal.SIGTERM)
        job.finish(30)


if __name__ == "__main__":
    harness.main()
