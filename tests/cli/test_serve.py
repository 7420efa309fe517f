#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ludens serve` against raw sockets: every form of every message, everything that can go wrong with one."""
import json
import os
import re
import socket
import threading
import time
import unittest
import urllib.parse

import harness
from serving import NODES, TREE, Server, body, node, own_addresses, receive, request, status, steps

INFO = "((name ludens) (status available) (species alien))"


class Serve(harness.Case):
    def server(self, *arguments):
        return Server(self, *arguments)

    def start(self, server, match="m1", start=0, clock=2, role="robot", extra="", rules=TREE):
        self.assertEqual(server.post(f"( START {match} {role} ({rules}) {start} {clock} {extra})"), "ready")

    # ---- the wire ----

    def test_info_in_every_form(self):
        server = self.server()
        plain = b"POST / HTTP/1.0\r\nContent-Type: text/acl\r\n\r\n"
        forms = {
            "as the reference server": request("( INFO )"),
            "any case": request("(iNfO)"),
            "without parentheses": request("info"),
            "HTTP/1.1": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\n(info)",
            "chunked": b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(in\r\n3\r\nfo)\r\n0\r\n\r\n",
            "no length": plain + b"(INFO)",
            "no length, bare line ends": plain.replace(b"\r", b"") + b" ( INFO ; so\n ) ",
            "GET": b"GET /%28INFO%29 HTTP/1.0\r\n\r\n",
            "GET with plus": b"GET /%28+INFO+%29 HTTP/1.0\r\n\r\n",
            "GET not encoded": b"GET /(INFO) HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET of nothing": b"GET / HTTP/1.0\r\n\r\n",
            "garbage behind it": request("(INFO)") + b"\x00\xff) GET / HTTP/9.9\r\n\r\n" * 100,
        }
        for name, data in forms.items():
            for pause in 0, 0.0005:
                with self.subTest(name, pause=pause):
                    answer = server.raw(data, pause)
                    self.assertEqual(status(answer), 200)
                    self.assertEqual(body(answer), INFO)
                    self.assertNotIn(b"Access-Control", answer)
                    self.assertIn(b"text/acl", answer)
        with self.subTest("ended by closing"):
            self.assertEqual(body(server.raw(plain + b"INFO", half_close=True)), INFO)
        with self.subTest("half closed"):
            self.assertEqual(body(server.raw(request("(INFO)"), half_close=True)), INFO)

    def test_options_for_browsers(self):
        ask = (b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\n"
               b"Access-Control-Request-Method: POST\r\n\r\n")
        answer = self.server().raw(ask)
        self.assertEqual(status(answer), 403)
        self.assertNotIn(b"Access-Control", answer)
        answer = self.server("--allow-origin", "https://example.org").raw(ask)
        self.assertEqual(status(answer), 200)
        for header in b"Allow-Origin: https://example.org", b"Allow-Methods: POST, GET, OPTIONS", b"Allow-Headers: Content-Type":
            self.assertIn(b"Access-Control-" + header, answer)

    def test_bad_requests_are_refused(self):
        server = self.server()
        for message, why in [("", None), ("(", "never closed"), (")", "closing"), ("(hello)", "no message"),
                             ("(START m)", "without role"), ("(START m r (x) soon 5)", "start clock"),
                             ("(START m r (x) 5 -1)", "play clock"), ("(START m r rules 5 5)", "rules"),
                             ("(PLAY m noop)", "neither a list nor NIL"), ("(PLAY)", "without match id"),
                             ("(INFO) (INFO)", "follows"), ("(INFO \x01)", "control"), ("(" * 5000, "deeper")]:
            answer = server.raw(request(message))
            self.assertEqual(status(answer), 400 if why else 200, message)
            self.assertIn(why or INFO, body(answer))
        for data in b"\x00\x01\x02\r\n\r\n", b"hello\r\n\r\n", b"SSH-2.0-x\r\n", b"\x16\x03\x01\x02\x00":
            self.assertEqual(status(server.raw(data)), 400, data)
        self.assertEqual(status(server.raw(b"POST / HTTP", half_close=True)), 400)
        self.assertEqual(status(server.raw(b"PUT / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)")), 405)
        self.assertIn(status(server.raw(b"POST / HTTP/1.0\r\nContent-Length: lots\r\n\r\n(INFO)")), (400, 413))
        self.assertEqual(server.post("(INFO)"), INFO)
        self.assertTrue(server.events("server", "bad message"))

    def test_a_hundred_megabytes_are_refused(self):
        server = self.server()
        huge = b"(START m r (" + b"(p a) " * (100 * 1024 * 1024 // 6)
        for head in b"POST / HTTP/1.0\r\n\r\n", b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(huge):
            self.assertEqual(status(server.raw(head + huge, half_close=True)), 413)
        self.assertEqual(server.post("(INFO)"), INFO)

    # ---- matches ----

    def test_a_match(self):
        server = self.server("--player", "random")
        self.start(server, "Base.tree.1", role="ROBOT", extra="and more ( of it )")
        self.assertEqual(server.post("(INFO)"), INFO)
        at, moves = 0, "NIL"
        while at < NODES:
            move = server.post(f"( PLAY Base.tree.1 {moves} )")
            self.assertIn(move, steps(at))
            self.assertEqual(server.post(f"(play Base.tree.1 {moves})"), move)  # asked again: the same
            at, moves = node(move), f"( {move.upper()} )"
        self.assertEqual(server.post(f"( STOP Base.tree.1 {moves} )"), "done")
        time.sleep(0.3)
        log = server.log("Base.tree.1")
        self.assertEqual([e["turn"] for e in log if e["event"] == "move"], list(range(5)))
        for e in log:
            self.assertEqual(e["match"], "Base.tree.1")
            if e["event"] == "move":
                self.assertEqual(e["by"], "search")
                self.assertGreater(e["margin"], 0.4)
        summary = server.events("Base.tree.1", "summary")[0]
        self.assertEqual((summary["goal"], summary["turns"], summary["oddities"]), (at, 5, 0))
        self.assertEqual(server.children(), [])

    def test_get_carries_a_match(self):
        server = self.server("--player", "random")

        def get(message):
            return body(server.raw(b"GET /" + urllib.parse.quote_plus(message).encode() + b" HTTP/1.0\r\n\r\n"))
        self.assertEqual(get(f"(START m robot ({TREE}) 0 2)"), "ready")
        self.assertIn(get("(PLAY m NIL)"), steps(0))
        self.assertEqual(get("(ABORT m)"), "aborted")

    def test_the_search_thinks_and_tells(self):
        server = self.server("--player", "champion,solver=off,puzzle=off")  # which would know the tree before it is asked
        self.start(server, start=1, clock=5)  # shorter clocks leave a busy machine no time to tell
        move = server.post("(PLAY m1 nil)")
        self.assertIn(move, steps(0))
        e = server.events("m1", "move")[0]
        for key in "seconds", "margin", "simulations", "rate", "nodes", "value", "line", "engine", "pondered", "moves":
            self.assertIn(key, e)
        self.assertGreater(e["simulations"], 0)
        self.assertGreater(e["pondered"], 0)
        self.assertEqual(e["engine"], "circuit")

    def test_unknown_matches_and_full_tables(self):
        server = self.server("--matches", 1, "--player", "legal", "--name", "Knut")
        self.assertEqual(server.post("(PLAY m1 NIL)"), "busy")
        self.assertEqual(server.post("(STOP m1 NIL)"), "done")
        self.assertEqual(server.post("(ABORT m1)"), "aborted")
        self.assertEqual(len(server.events("server", "unknown match")), 3)
        self.assertEqual(server.post(f"(PREVIEW ({TREE}) 10)"), "ready")
        self.start(server)
        self.start(server)  # repeated
        self.assertEqual(server.post("(INFO)"), "((name Knut) (status busy) (species alien))")
        self.assertEqual(server.post(f"(START m2 robot ({TREE}) 1 2)"), "busy")
        self.assertEqual(server.post(f"(START m1 other ({TREE}) 1 2)"), "busy")
        self.assertIn(server.post("(PLAY m1 NIL)"), steps(0))
        self.assertEqual(server.post("(ABORT m1)"), "aborted")
        self.start(server, "m2")

    def test_the_master_decides_what_was_played(self):
        server = self.server("--player", "random")
        self.start(server)
        move = server.post("(PLAY m1 NIL)")
        other = [m for m in steps(0) if m != move][0]
        self.assertIn(server.post(f"(PLAY m1 ({other}))"), steps(node(other)))
        self.assertEqual(server.events("m1", "replaced")[0]["why"], other)

    def test_turns_out_of_step(self):
        server = self.server("--player", "random")
        self.start(server)
        first = server.post("(PLAY m1 NIL)")
        second = server.post(f"(PLAY m1 ({first}))")
        self.assertIn(second, steps(node(first)))
        # asked for the beginning again; moves that are none; too many moves: the answer stays
        for moves in "NIL", f"({first} {first})", "(?x)", "((Go) (1))":
            self.assertEqual(server.post(f"(PLAY m1 {moves})"), second, moves)
        # a turn was left out: by our rules the move is illegal, but the master's word is law, and we go where it leads
        skipped = steps(node(steps(node(second))[0]))[0]
        self.assertIn(server.post(f"(PLAY m1 ({skipped}))"), steps(node(skipped)))
        self.assertIn(skipped, server.events("m1", "illegal move")[0]["why"])
        self.assertEqual([e["turn"] for e in server.events("m1", "out of step")][:2], [1, 1])
        self.assertEqual(server.post("(STOP m1 NIL)"), "done")

    def test_rules_that_cannot_be_played(self):
        server = self.server("--matches", 8)
        for i, rules in enumerate(["", "(role robot) (<= (legal robot ?x))", "(p" * 400 + ")" * 400]):
            self.assertRegex(server.post(f"(START bad{i} robot ({rules}) 5 5)"), "^refused: .")
            self.assertEqual(server.post(f"(PLAY bad{i} NIL)"), "busy")
            self.assertTrue(server.events(f"bad{i}", "refused") if rules else server.events("server", "declined"))
        self.assertEqual(server.post(f"(START who nobody ({TREE}) 5 5)"), "refused: the rules know no role 'nobody'")
        self.assertEqual(server.events("who", "summary")[0]["how"], "refused")
        self.assertEqual(server.post("(PLAY who NIL)"), "busy")
        for _ in range(200):
            if not server.children():
                break
            time.sleep(0.05)
        self.assertEqual(server.children(), [])
        # no time to read them before `ready`: then whoever asks is told
        self.start(server, "hasty", role="nobody", clock=5)
        self.assertIn(server.post("(PLAY hasty NIL)"), ("refused: the rules know no role 'nobody'", "busy"))
        self.assertEqual(server.post("(INFO)"), INFO)

    def test_rules_that_take_for_ever(self):
        rest = "(role robot) (init (a 0)) (<= terminal (true (b 0))) (goal robot 0) (<= (next (a 0)) (true (a 0)))"
        hostile = {
            "grow": "(p 0) (<= (p (s ?x)) (p ?x)) (<= (legal robot (m ?x)) (p ?x))",
            "join": "(<= (legal robot (m ?a ?b ?c ?d ?e ?f)) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f))" +
                    "".join(f"(n {i})" for i in range(100))}
        server = self.server("--matches", 3, "--player", "random", "--memory", 200)
        self.start(server)
        answers = {}

        def sit(match):
            answers[match] = [server.post(f"(START {match} robot ({rest} {hostile[match]}) 1 1)"), server.post(f"(PLAY {match} NIL)")]
        threads = [threading.Thread(target=sit, args=(match,)) for match in hostile]
        for t in threads:
            t.start()
        at, moves = 0, "NIL"
        while at < NODES:
            move = server.post(f"(PLAY m1 {moves})")
            self.assertIn(move, steps(at))
            at, moves = node(move), f"({move})"
        for t in threads:
            t.join()
        for match in hostile:
            self.assertEqual(answers[match][0], "ready")
            self.assertRegex(answers[match][1], r"^(nil|\(m .*\))$")

    def test_two_hundred_idle_connections(self):
        server = self.server("--player", "random")
        idle = [server.connect() for _ in range(200)]
        for s in idle[::4]:
            s.sendall(b"POST / HTT")
        for s in idle[1::4]:
            s.sendall(request("(INFO)")[:-3])
        self.start(server)
        self.assertIn(server.post("(PLAY m1 NIL)"), steps(0))
        for s in idle[1::4]:
            s.sendall(b"FO)")
            self.assertEqual(body(receive(s)), INFO)
        for s in idle:
            s.close()
        self.assertEqual(server.post("(ABORT m1)"), "aborted")

    # ---- who may ask ----

    def test_pages_and_wrong_names_are_turned_away(self):
        start = f"(START m1 robot ({TREE}) 0 2)"
        length = f"Content-Length: {len(start)}\r\n"
        server = self.server()
        for header in ("Origin: http://evil.example", "Origin: null", "Host: evil.example:9147", "Sec-Fetch-Site: cross-site",
                       "Referer: http://evil.example/page"):
            for more in length, "":  # read by libmicrohttpd, and by ourselves
                for version in "1.0", "1.1":
                    host = "" if "Host" in header else "Host: localhost\r\n"
                    answer = server.raw(f"POST / HTTP/{version}\r\n{host}{header}\r\n{more}\r\n{start}".encode())
                    self.assertEqual(status(answer), 403, header)
                    self.assertNotIn(b"Access-Control", answer)
        self.assertEqual(status(server.raw(b"GET /(ABORT+m1) HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-site\r\n\r\n")), 403)
        self.assertEqual(server.children(), [])
        self.assertTrue(server.events("server", "turned away"))
        for name in f"localhost:{server.port}", f"127.0.0.1:{server.port}", "[::1]":
            answer = server.raw(f"GET /(INFO) HTTP/1.1\r\nHost: {name}\r\nOrigin: http://{name}\r\n\r\n".encode())
            self.assertEqual(body(answer), INFO)

    def test_origins_that_may_ask(self):
        server = self.server("--allow-origin", "https://example.org", "--allow-origin", "http://localhost:8000")
        for more in "Content-Length: 6\r\n", "":
            for origin, good in [("https://example.org", True), ("http://localhost:8000", True), ("http://localhost:8001", False)]:
                answer = server.raw(f"POST / HTTP/1.0\r\nOrigin: {origin}\r\n{more}\r\n(INFO)".encode())
                self.assertEqual(status(answer), 200 if good else 403)
                self.assertEqual(f"Access-Control-Allow-Origin: {origin}\r\n".encode() in answer, good)

    def test_addresses_that_may_ask(self):
        outside = next((a for a in own_addresses() if not a.startswith("127.")), None)
        if not outside:
            self.skipTest("this machine has no address but loopback")
        server = self.server("--bind", "0.0.0.0", "--allow", "198.51.100.0/24", "--matches", 4)
        self.assertEqual(server.post("(INFO)"), INFO)  # this machine always may
        with socket.create_connection((outside, server.port)) as s:
            s.sendall(request("(INFO)"))
            self.assertEqual(status(receive(s)), 403)
        self.assertEqual(server.events("server", "turned away")[0]["from"], outside)
        server = self.server("--bind", "0.0.0.0", "--allow", outside + "/32", "--matches", 4, "--player", "legal")

        def post(message):
            with socket.create_connection((outside, server.port)) as s:
                s.sendall(request(message))
                return body(receive(s))
        # two of four seats for one address elsewhere
        answers = [post(f"(START m{i} robot ({TREE}) 0 2)") for i in range(3)]
        self.assertEqual(answers, ["ready", "ready", "busy"])
        self.assertIn("--per-address", server.events("server", "declined")[0]["why"])
        for i in range(3, 5):  # and the rest for this machine
            self.start(server, f"m{i}")

    def test_matches_per_address(self):
        server = self.server("--matches", 4, "--per-address", 1, "--player", "legal")
        self.start(server, "m1")
        self.assertEqual(server.post(f"(START m2 robot ({TREE}) 0 2)"), "busy")
        self.assertEqual(server.post("(ABORT m1)"), "aborted")
        self.start(server, "m2")

    def test_clocks_that_are_too_long(self):
        server = self.server("--player", "legal")
        self.assertRegex(server.post(f"(START m1 robot ({TREE}) 0 1801)"), "^refused: a play clock of 1801 s")
        self.assertRegex(server.post(f"(START m1 robot ({TREE}) 1801 1)"), "^refused: a start clock of 1801 s")
        self.assertEqual([e["match"] for e in server.events("server", "declined")], ["m1", "m1"])
        self.assertEqual(server.children(), [])
        self.start(server, clock=1800)
        self.start(self.server("--player", "legal", "--max-clock", 100000), clock=100000)

    def test_a_second_seat_of_one_match(self):
        game = "(role x) (role y) (init a) (legal x go) (legal y wait) (<= terminal (true b)) (<= (next b) (true a))" \
               "(goal x 100) (goal y 0)"
        server = self.server("--matches", 4)
        answers = {}
        threads = [threading.Thread(target=lambda r=r: answers.update({r: server.post(f"(START m1 {r} ({game}) 2 2)")}))
                   for r in ("x", "y")]
        for t in threads:
            t.start()
            time.sleep(0.3)
        for t in threads:
            t.join()
        self.assertEqual(answers, {"x": "ready", "y": "busy"})
        self.assertEqual(server.events("server", "a second seat in one match")[0]["match"], "m1")
        self.assertEqual(server.post("(PLAY m1 NIL)"), "go")
        self.assertEqual(server.post(f"(START m1 y ({game}) 2 2)"), "busy")  # also in the middle of it
        self.assertEqual(len(server.children()), 2)

    def test_silence_ends_a_match_and_a_connection(self):
        server = self.server("--player", "legal", "--silence", 0.2, "--patience", 1, "--max-clock", 1)
        idle = [server.connect() for _ in range(3)]
        idle[1].sendall(b"POST / HTT")
        idle[2].sendall(request("(INFO)")[:-3])
        self.start(server, clock=0.1)
        for s in idle:
            receive(s)  # returns when it is closed
        for _ in range(200):
            summary = server.events("m1", "summary")
            if summary:
                break
            time.sleep(0.05)
        self.assertEqual(summary[0]["how"], "abandoned")
        out, err = self.ludens("serve", "--help")  # what a user may rely on
        for option, default in [("silence", 60), ("patience", 30), ("max-clock", 1800), ("margin", 1), ("per-address", 0)]:
            self.assertRegex(out, rf"--{option} .*\(default {default}\)\n")

    def test_workers_have_a_limit_on_memory(self):
        if harness.SANITIZED:
            self.skipTest("the sanitizer takes all address space")
        server = self.server("--player", "legal", "--memory", 200)
        self.start(server)
        children = server.children()
        self.assertEqual(len(children), 2)
        self.assertIn(server.post("(PLAY m1 NIL)"), steps(0))  # now they have read what they may
        for pid in children:
            with open(f"/proc/{pid}/limits", encoding="ascii") as file:
                limits = dict(re.findall(r"(?m)^(Max [a-z ]+?)  +(\S+)", file.read()))
            self.assertEqual(int(limits["Max data size"]), (200 + 64) << 20)
            self.assertEqual(limits["Max core file size"], "0")

    # ---- logs ----

    def test_every_match_has_a_log_of_its_own(self):
        server = self.server("--matches", 20, "--player", "legal")
        long = "x" * 4000
        ids = ["server", "Server", "a/b", "a_b", "a%2Fb", "../up", ".hidden", "ä", "a\\b", long, long + "y", long[:150]]
        for i in ids:
            self.start(server, i)
            self.assertIn(server.post(f"(PLAY {i} NIL)"), steps(0))
        files = {}
        for name in os.listdir(server.folder):
            self.assertLessEqual(len(name), 255)
            self.assertFalse(name.startswith("."))
            with open(os.path.join(server.folder, name), encoding="utf-8") as file:
                files[name] = {json.loads(line).get("match") for line in file}
        self.assertEqual(files.pop("server.jsonl"), {None})
        for suffix in ".jsonl", ".under-way":
            found = [match for name, match in files.items() if name.endswith(suffix)]
            self.assertEqual(sorted(found, key=str), sorted(({i} for i in ids), key=str), suffix)
        self.assertEqual(len(files), 2 * len(ids))
        self.assertFalse(os.path.exists(os.path.join(server.folder, "..", "up.jsonl")))

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_said_once(self):
        folder = self.path("full")
        os.mkdir(folder)
        os.symlink("/dev/full", os.path.join(folder, "server.jsonl"))
        os.symlink("/dev/full", os.path.join(folder, "m1.jsonl"))
        server = self.server("--player", "legal", "--log", folder)  # the last --log counts
        for i in range(3):
            server.raw(request("(hello)"))
        self.start(server)
        self.assertIn(server.post("(PLAY m1 NIL)"), steps(0))
        server.process.terminate()
        server.process.wait(10)
        said = server.errors()
        for name in "server", "m1":
            self.assertEqual(len(re.findall(rf"{name}.jsonl: cannot write: No space left", said)), 1, said)

    def test_options_of_the_command(self):
        out, err = self.ludens("serve", "--help")
        self.assertIn("--margin", out)
        for arguments, message in [(["--player", "wizard"], "no player 'wizard'"), (["--name", "a b"], "one word"),
                                   (["--bind", "nowhere.invalid", "--port", "0"], "no address"),
                                   (["--log", "/dev/null/x", "--port", "0"], "cannot write"),
                                   (["--allow", "home"], "no range of addresses"), (["--allow-origin", "x"], "no origin")]:
            out, err = self.ludens("serve", *arguments, status=2)
            self.assertIn(message, err)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            out, err = self.ludens("serve", "--port", taken.getsockname()[1], status=2)
            self.assertIn("cannot listen", err)


if __name__ == "__main__":
    harness.main()
