#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of `ludens web`, as programs use it: games, sessions, events, records, and what is refused."""
import glob
import http.client
import json
import os
import socket
import sqlite3
import time
import urllib.request

from service import Service, PERSON, player, harness, serving

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MATCHES = """(role a) (role b) (init (heap 7)) (init (control a))
(<= (legal ?p (take ?n)) (true (control ?p)) (true (heap ?h)) (left ?h ?n ?k))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (heap ?k)) (does ?p (take ?n)) (true (heap ?h)) (left ?h ?n ?k))
(<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
(<= terminal (true (heap 0))) (<= (goal ?p 0) (true (control ?p))) (<= (goal ?p 100) (role ?p) (not (true (control ?p))))
(left 7 1 6) (left 6 1 5) (left 5 1 4) (left 4 1 3) (left 3 1 2) (left 2 1 1) (left 1 1 0)
(left 7 2 5) (left 6 2 4) (left 5 2 3) (left 4 2 2) (left 3 2 1) (left 2 2 0)"""


class Api(harness.Case):
    def test_the_library_is_listed_with_pictures(self):
        web = Service(self)
        games = web.call("api/games", status=200)["games"]
        self.assertIn("ticTacToe", [game["name"] for game in games])
        picture = web.call("api/games/checkers/picture", status=200)
        board = picture["layout"]["boards"][0]
        self.assertEqual(len(board["cells"]), 32)
        self.assertEqual({(cell["x"], cell["y"]) for cell in board["cells"] if cell["cell"] in (0, 2)}, {(0, 7), (2, 7)})
        self.assertEqual(len(picture["position"]["picture"]["boards"][0]), 24)
        self.assertEqual(web.call("api/games/checkers/picture", status=200), picture)
        self.assertIn("(role", web.call("api/games/checkers", status=200)["rules"])
        self.assertIn("champion", [one["name"] for one in web.call("api/players", status=200)["players"]])

    def test_terminal_and_page_draw_the_same_board(self):
        web = Service(self)
        picture = web.call("api/games/breakthrough/picture", status=200)
        out, _ = self.ludens("play", "breakthrough", "--seed", 1, "--steps", 1, "--sims", 2, "--engine", "lifted")
        rows = [line.split()[1:] for line in out.splitlines() if line[:1].isdigit() and line[1:3] == "  "][:8]
        layout, squares = picture["layout"], dict(map(tuple, picture["position"]["picture"]["boards"][0]))
        for cell in layout["boards"][0]["cells"]:
            piece = squares.get(cell["cell"])
            shown = rows[cell["y"]][cell["x"]]
            name = layout["pieces"][piece]["name"] if piece is not None else None
            self.assertEqual({"○": "white", "●": "black", "w": "white", "b": "black"}.get(shown), name, (cell, shown))

    def test_a_person_plays_a_whole_game_against_ours(self):
        web = Service(self)
        session = web.session(game="ticTacToe", seats=[PERSON, player(clock=0.1)])
        while True:
            state = web.wait(session, lambda s: s["stage"] == "over" or (s["stage"] == "waiting" and len(s["position"]["legal"][0]) > 0 and
                                                                         s["position"]["legal"][0][0]["move"] != "noop"))
            if state["stage"] == "over":
                break
            move = state["position"]["legal"][0][0]
            self.assertEqual(len(move["touch"]["cells"]), 1)
            web.move(session, state["turn"], 0, move["move"])
        self.assertEqual(sum(state["position"]["goals"]), 100)
        thoughts = [step["thoughts"][1] for step in state["steps"] if step["thoughts"]]
        self.assertTrue(thoughts and all((one["simulations"] > 0 or "proved" in one or harness.SANITIZED) and len(one["values"]) == 2 for one in thoughts))
        record = web.call(f"api/sessions/{session}/record", status=200)
        path = self.write("game.json", json.dumps(record))
        self.ludens("replay", path)  # follows it by the rules, and fails where they disagree

    def test_illegal_late_and_foreign_moves_are_refused(self):
        web = Service(self)
        session = web.session(rules=MATCHES, name="matches", seats=[PERSON, PERSON])
        web.wait(session, "waiting")
        web.move(session, 0, 0, "(take 5)", status=422)
        web.move(session, 0, 0, "nonsense (", status=422)
        web.move(session, 0, 7, "(take 1)", status=400)
        web.move(session, 3, 0, "(take 1)", status=400)
        web.move(session, 0, 0, "(take 2)")
        web.wait(session, lambda s: s["turn"] == 1)
        web.move(session, 0, 0, "(take 1)", status=409)
        web.call(f"api/sessions/{session}/back", {"turn": 0}, status=200)
        state = web.wait(session, lambda s: s["turn"] == 0 and s["stage"] == "waiting")
        self.assertEqual(state["steps"], [])

    def test_choices_are_secret_until_all_have_made_theirs(self):
        web = Service(self)
        session = web.session(game="moreMoney", seats=[PERSON, PERSON])
        state = web.wait(session, "waiting")
        moves = [legal[0]["move"] for legal in state["position"]["legal"]]
        seen = self.listen(web, session, lambda events: any(name == "chosen" for name, _ in events),
                           lambda: web.move(session, 0, 0, moves[0]))
        self.assertNotIn(moves[0], json.dumps([data for name, data in seen if name == "chosen"]))
        state = web.state(session)
        self.assertEqual([seat["chosen"] for seat in state["seats"]], [True, False])
        self.assertEqual(state["turn"], 0)
        web.move(session, 0, 1, moves[1])
        self.assertEqual(web.wait(session, lambda s: s["turn"] == 1)["steps"][0]["moves"], moves)

    def test_what_a_rival_thinks_is_secret_while_people_choose(self):
        web = Service(self)
        session = web.session(game="goofspiel5", seats=[PERSON, player(clock=1)])
        state = web.wait(session, lambda s: s["stage"] == "waiting" and s["seats"][1]["thinking"])
        web.call(f"api/sessions/{session}/tree", {"path": "", "role": 1}, status=409)
        events = self.listen(web, session, lambda seen: any(name == "chosen" for name, _ in seen), lambda: None)
        self.assertEqual([name for name, _ in events if name == "thoughts"], [])
        web.move(session, 0, 0, state["position"]["legal"][0][0]["move"])
        state = web.wait(session, lambda s: s["turn"] == 1)
        self.assertGreater(state["steps"][0]["thoughts"][1]["simulations"], 0)

    def listen(self, web, session, enough, act):
        """Events of a session while something is done, until there are enough."""
        events, end = [], time.monotonic() + 60
        with urllib.request.urlopen(web.url + f"api/sessions/{session}/events", timeout=60) as stream:
            acted, name = False, None
            for line in stream:
                text = line.decode().rstrip("\n")
                if time.monotonic() > end:
                    break
                if text.startswith("event: "):
                    name = text[7:]
                elif text.startswith("data: "):
                    events.append((name, json.loads(text[6:])))
                    if not acted:
                        acted = True
                        act()
                    if enough(events):
                        return events
        self.fail(f"the stream ended, or what was waited for did not come: {[name for name, _ in events]}")

    def test_thoughts_come_several_times_a_second(self):
        web = Service(self)
        session = web.session(game="connectFour", seats=[PERSON, PERSON])
        web.wait(session, "waiting")
        for seconds in 1.5, 5, 15:  # a machine that has much else to do may need longer
            ask = {"role": 0, "seconds": seconds}
            events = self.listen(web, session, lambda seen: any(name == "advice" for name, _ in seen),
                                 lambda: web.call(f"api/sessions/{session}/advice", ask, status=200))
            thoughts = [data for name, data in events if name == "thoughts"]
            if len(thoughts) >= 3:
                break
        self.assertGreaterEqual(len(thoughts), 3)
        last = thoughts[-1]
        self.assertEqual(len(last["moves"]), 7)
        self.assertGreater(last["simulations"], thoughts[0]["simulations"])
        self.assertEqual(len(last["values"]), 2)
        line = web.call(f"api/sessions/{session}/line", {"turn": 0, "moves": last["steps"]}, status=200)["positions"]
        self.assertEqual(len(line), len(last["steps"]))
        root = web.call(f"api/sessions/{session}/tree", {"path": ""}, status=200)["node"]
        child = next(one for one in root["choices"][0] if one["child"])
        below = web.call(f"api/sessions/{session}/tree", {"path": child["child"]}, status=200)["node"]
        self.assertEqual(below["mover"], 1)
        self.assertLessEqual(below["visits"], root["visits"])
        web.call(f"api/sessions/{session}/tree", {"path": "99.99"}, status=422)

    def test_a_random_game_is_told_when_it_is_over(self):
        web = Service(self)
        for seed in range(3):
            session = web.session(rules=MATCHES, random=seed)
            events = self.listen(web, session, lambda seen: any(data.get("position") for name, data in seen if name == "table"), lambda: None)
            told = [data for name, data in events if name == "table" and data.get("position")]
            self.assertEqual((told[0]["stage"], told[0]["turn"] >= 4), ("over", True))

    def test_advice_about_an_earlier_turn(self):
        web = Service(self)
        session = web.session(rules=MATCHES, seats=[PERSON, PERSON], moves=[["(take 1)", "noop"], ["noop", "(take 2)"]])
        web.wait(session, lambda s: s["turn"] == 2 and s["stage"] == "waiting")
        for turn, role in ((2, 0), (1, 1), (2, 0), (0, 0)):
            events = self.listen(web, session, lambda seen: any(name == "advice" for name, _ in seen), lambda: web.call(
                f"api/sessions/{session}/advice", {"role": role, "seconds": 0.3, "turn": turn}, status=200))
            data = next(data for name, data in events if name == "advice")
            self.assertEqual((data["turn"], data["role"]), (turn, role))
            self.assertIn("(take", data["move"])
        self.assertEqual(web.state(session)["turn"], 2)

    def test_a_search_that_dies_is_replaced(self):
        web = Service(self)
        session = web.session(game="breakthrough", seats=[PERSON, player(clock=2)])
        state = web.wait(session, "waiting")
        web.move(session, 0, 0, state["position"]["legal"][0][0]["move"])
        end = time.monotonic() + 20
        while not web.children("search") and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.3)
        os.kill(web.children("search")[0], 9)
        state = web.wait(session, lambda s: s["turn"] == 2 and s["stage"] != "moving", seconds=30)
        self.assertEqual(state["stage"], "waiting")

    def test_a_referee_that_dies_ends_its_table_alone(self):
        web = Service(self)
        one, other = (web.session(game="nim", seats=[PERSON, PERSON]) for _ in range(2))
        web.wait(one, "waiting")
        referee = web.children("referee")
        web.wait(other, "waiting")
        os.kill(referee[0], 9)
        states = [web.wait(session, lambda s: s["stage"] in ("dead", "waiting")) for session in (one, other)]
        end = time.monotonic() + 10
        while [web.state(s)["stage"] for s in (one, other)].count("dead") != 1 and time.monotonic() < end:
            time.sleep(0.05)
        states = [web.state(session) for session in (one, other)]
        self.assertEqual(sorted(state["stage"] for state in states), ["dead", "waiting"])
        dead = next(state for state in states if state["stage"] == "dead")
        self.assertIn("rules", dead["trouble"])

    def test_a_player_elsewhere_takes_a_seat(self):
        web = Service(self)
        with_server = serving.Server(self, "--player", "random")
        session = web.session(rules=MATCHES, seats=[PERSON, {"kind": "remote", "player": with_server.url, "clock": 3}])
        turn = 0
        while True:
            state = web.wait(session, lambda s: s["stage"] == "over" or (s["stage"] == "waiting" and s["turn"] % 2 == 0), seconds=60)
            if state["stage"] == "over":
                break
            web.move(session, state["turn"], 0, state["position"]["legal"][0][0]["move"])
            turn += 1
            web.wait(session, lambda s: s["turn"] > state["turn"])
        self.assertGreaterEqual(turn, 2)
        self.assertTrue(with_server.events("server", "listening"))
        web.call(f"api/sessions/{session}/back", {"turn": 1}, status=409)

    def test_seats_that_make_no_sense_are_refused(self):
        web = Service(self, "--think", 5)
        for seats in ([{"kind": "player", "player": "nobody"}], [{"kind": "remote", "player": "file:///etc/passwd"}], [{"kind": "god"}],
                      [{"kind": "player", "player": "champion", "clock": 100}], [{"kind": "player", "player": "champion\nx"}], [PERSON] * 100):
            status, answer = web.call("api/sessions", {"rules": MATCHES, "seats": seats})
            self.assertEqual(status, 422, seats)
            self.assertTrue(answer["error"])
        self.assertEqual(web.children(), [])

    def test_the_check_points_at_errors(self):
        web = Service(self)
        broken = MATCHES.replace("(true (heap ?h)) (left ?h ?n ?k))\n(<= (legal ?p noop)", "(left ?h ?n ?k))\n(<= (legal ?p noop)", 1).replace("terminal", "teminal")
        answer = web.call("api/check", {"rules": broken}, status=200)
        self.assertTrue(any(one["severity"] == "error" for one in answer["findings"]))
        self.assertNotIn("position", answer)
        answer = web.call("api/check", {"rules": MATCHES}, status=200)
        self.assertEqual([one for one in answer["findings"] if one["severity"] == "error"], [])
        self.assertEqual(answer["roles"], ["a", "b"])
        self.assertEqual(answer["trial"]["ended"], answer["trial"]["games"])
        out, _ = self.ludens("fmt", self.write("m.kif", MATCHES))
        self.assertEqual(web.call("api/format", {"rules": MATCHES}, status=200)["rules"], out)
        self.assertNotIn("rules", web.call("api/format", {"rules": "(role a"}, status=200))

    def test_records_of_all_kinds_are_followed(self):
        web = Service(self)
        json_file, pgn_file, db = self.path("g.json"), self.path("g.pgn"), self.path("lab.db")
        self.ludens("match", "connectFour", "--others", "champion", "--sims", 40, "--seed", 3, "--quiet", "--record", json_file, "--record", pgn_file)
        self.ludens("lab", "run", "first", "--quick", "--games", 2, "--sims", 5, "--db", db)
        server = serving.Server(self)
        self.ludens("match", "ticTacToe", "--seat", "xplayer=" + server.url, "--others", "random", "--start", 2, "--clock", 2, "--quiet")
        served = glob.glob(os.path.join(server.folder, "*.json"))
        end = time.monotonic() + 20
        while not served and time.monotonic() < end:
            time.sleep(0.1)
            served = glob.glob(os.path.join(server.folder, "*.json"))
        self.ludens("replay", served[0])
        lab, _ = self.ludens("lab", "game", self.experiment(db), "--db", db)
        for text in (self.read(json_file).decode(), self.read(pgn_file).decode(), self.read(served[0]).decode(), lab):
            session = web.session(record=text)
            state = web.wait(session, "over")
            self.assertGreater(state["turn"], 1)
            self.assertTrue(state["paused"])
            first = web.call(f"api/sessions/{session}/positions/0", status=200)
            self.assertFalse(first["terminal"])
        web.call(f"api/sessions/{session}/resume", {"turn": 1, "seats": [player("random", 0.1)] * len(state["seats"])}, status=200)
        web.wait(session, lambda s: s["stage"] == "over" and s["turn"] > 1)
        session = web.session(record='{"roles": ["x"], "moves": [["y"]]}')
        self.assertTrue(web.wait(session, "dead")["trouble"])

    def experiment(self, db):
        with sqlite3.connect(db) as connection:
            return connection.execute("select name from experiment").fetchone()[0]

    def test_the_laboratory_is_read(self):
        db = self.path("lab.db")
        web = Service(self, "--db", db)
        self.assertEqual(web.call("api/lab")[0], 404)
        self.ludens("lab", "run", "first", "--quick", "--games", 2, "--sims", 5, "--db", db)
        one = web.call("api/lab", status=200)["experiments"][0]
        self.assertEqual(one["played"], one["wanted"])
        report = web.call("api/lab/experiment?name=" + urllib.request.quote(one["name"]), status=200)
        cell = report["cells"][0]
        query = "&".join(f"{key}={urllib.request.quote(value)}" for key, value in (("name", one["name"]), ("game", cell["game"]), ("pairing", cell["pairing"])))
        record = web.call("api/lab/game?number=1&" + query, status=200)["record"]
        self.assertIn("moves", json.loads(record))
        web.call("api/lab/experiment?name=none", status=404)
        web.call("api/lab/experiment", status=400)

    # ---- who may come in

    def raw(self, web, text):
        with socket.create_connection(("127.0.0.1", web.port)) as s:
            s.sendall(text.encode())
            s.settimeout(20)
            return serving.receive(s)

    def test_foreign_names_and_origins_are_refused(self):
        web = Service(self)
        own = {"Host": f"localhost:{web.port}"}
        self.assertEqual(web.call("api/games", headers=own)[0], 200)
        self.assertEqual(web.call("", headers=own)[0], 200)
        for headers in ({"Host": "evil.example"}, {"Host": f"evil.example:{web.port}"}, {**own, "Origin": "http://evil.example"},
                        {**own, "Origin": "null"}, {**own, "Origin": f"https://localhost:{web.port + 1}"},
                        {**own, "Sec-Fetch-Site": "cross-site"}, {**own, "Referer": "http://evil.example/"}):
            for path in ("", "api/games", "app.js"):
                status, answer = web.call(path, headers=headers)
                self.assertEqual(status, 403, (headers, path))
                self.assertTrue(answer["error"])
            self.assertEqual(web.call("api/sessions", {"game": "nim"}, headers=headers)[0], 403)
        self.assertEqual(web.call("api/games", headers={**own, "Origin": f"http://localhost:{web.port}"})[0], 200)
        self.assertTrue(serving.status(self.raw(web, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")) >= 400)
        self.assertEqual(web.children(), [])

    def test_forms_of_other_pages_cannot_post(self):
        web = Service(self)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            self.assertEqual(web.call("api/sessions", {"game": "nim"}, headers={"Content-Type": kind})[0], 415)
        self.assertEqual(web.call("api/status", method="PUT")[0], 405)

    def test_beyond_loopback_a_token_is_needed(self):
        web = Service(self, "--bind", "0.0.0.0")
        self.assertRegex(web.url, r"/[0-9a-f]{32}/$")
        token = web.url.split("/")[-2]
        good = f"http://127.0.0.1:{web.port}/{token}/"
        for base, status in ((good, 200), (f"http://127.0.0.1:{web.port}/", 403), (f"http://127.0.0.1:{web.port}/{token[:-1]}x/", 403),
                             (f"http://127.0.0.1:{web.port}/{token}x/", 403), (f"http://127.0.0.1:{web.port}/{token[:-2]}/", 403)):
            web.url = base
            for path in ("", "api/games", "app.js"):
                self.assertEqual(web.call(path)[0], status, base + path)
        web.url = good
        self.assertEqual(web.call("", headers={"Host": "evil.example"})[0], 403)
        own = Service(self, "--token", "secret-1")
        self.assertTrue(own.url.endswith("/secret-1/"))
        self.assertEqual(own.call("")[0], 200)

    def test_names_lead_nowhere_else(self):
        web = Service(self)
        for name in ("..%2f..%2fetc%2fpasswd", "../README", "%2e%2e/%2e%2e/etc/passwd", "..", ".", "/etc/passwd", "nothing"):
            status, _ = web.call("api/games/" + name)
            self.assertEqual(status, 404, name)
            self.assertEqual(web.call("api/sessions", {"game": urllib.request.unquote(name)})[0], 404)
            self.assertEqual(web.call("x/" + name)[0], 404)
        for path in ("api/sessions/..", "api/sessions/0/../../x", "api/nothing", "pages.c", "embed.py"):
            self.assertEqual(web.call(path)[0], 404, path)

    def test_every_answer_keeps_the_page_to_itself(self):
        web = Service(self)
        for path in ("/", "/app.js", "/api/games", "/nothing"):
            connection = http.client.HTTPConnection("127.0.0.1", web.port)
            connection.request("GET", path)
            answer = connection.getresponse()
            policy = answer.headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])
            connection.close()

    # ---- limits

    def test_what_is_too_large_is_refused(self):
        web = Service(self, "--rules", 64)
        status, answer = web.call("api/check", {"rules": "; " + "x" * 70000})
        self.assertEqual(status, 413)
        self.assertIn("64 kB", answer["error"])
        self.assertEqual(web.call("api/sessions", {"rules": "; " + "x" * 70000})[0], 413)
        head = "POST /api/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 999999999999\r\n\r\n"
        self.assertEqual(serving.status(self.raw(web, head)), 413)
        for body in (b"", b"[]", b"{", b'{"rules": 5}', b"\xff\xfe", b"[" * 100000, b'{"rules": "a\\u0000b"}', b'{"rules": "(role a"'):
            self.assertIn(web.call("api/check", body)[0], (400,), body[:30])

    def test_more_sessions_than_allowed_are_refused(self):
        web = Service(self, "--sessions", 2)
        sessions = [web.session(game="nim", seats=[PERSON, PERSON]) for _ in range(2)]
        status, answer = web.call("api/sessions", {"game": "nim"})
        self.assertEqual(status, 429)
        self.assertIn("2", answer["error"])
        web.call("api/sessions/" + sessions[0], method="DELETE", status=200)
        end = time.monotonic() + 10
        while web.call("api/status")[1]["sessions"] > 1 and time.monotonic() < end:
            time.sleep(0.05)
        web.session(game="nim")
        self.assertEqual(web.call("api/sessions/" + sessions[0])[0], 404)

    def test_idle_sessions_are_cleared(self):
        web = Service(self, "--idle", 1)
        session = web.session(game="nim", seats=[PERSON, PERSON])
        web.wait(session, "waiting")
        end = time.monotonic() + 60
        while web.children() and time.monotonic() < end:
            time.sleep(0.2)
        self.assertEqual(web.children(), [])
        self.assertEqual(web.call("api/sessions/" + session)[0], 404)

    def test_hostile_sheets_harm_nobody_else(self):
        web = Service(self, "--memory", 128)
        quiet = web.session(game="ticTacToe", seats=[PERSON, PERSON])
        web.wait(quiet, "waiting")
        sheets = [self.read(path).decode("latin-1").replace("\0", " ") for path in sorted(glob.glob(os.path.join(ROOT, "tests", "fuzz", "inputs", "*.kif")))]
        sheets += ["(" * 5000, ")" * 5000, "", "(role a)" * 1000,
                   # counts for ever; a state that doubles; a relation of many millions
                   "(role a) (init (n z)) (<= (legal a go)) (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n never))) (goal a 0)",
                   "(role a) (init (p z)) (legal a go) (<= (next (p (l ?x))) (true (p ?x))) (<= (next (p (r ?x))) (true (p ?x))) (<= terminal (true q)) (goal a 0)",
                   "(role a) (init (p 0)) (legal a go) (next (p 0)) (goal a 0) (<= terminal (big ?a ?b ?c ?d ?e ?f ?g) (true (p 1)))"
                   "(<= (big ?a ?b ?c ?d ?e ?f ?g) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g))" + "".join(f"(d {i})" for i in range(30)),
                   # a rule that calls itself for ever
                   "(role a) (init (p 0)) (<= (legal a (m ?x)) (f z ?x)) (<= (f ?x ?y) (f (s ?x) ?y)) (next (p 0)) (goal a 0) (<= terminal (true (p 1)))"]
        for text in sheets:
            status, answer = web.call("api/check", {"rules": text})
            self.assertEqual(status, 200, text[:80])
            session = web.session(rules=text, name="hostile", seats=[player("champion", 0.2), PERSON])
            web.wait(session, lambda s: s["stage"] != "setting", seconds=120)
            web.call(f"api/sessions/{session}/random", {"seed": 1})
            web.call("api/sessions/" + session, method="DELETE", status=200)
        self.assertEqual(web.state(quiet)["stage"], "waiting")
        web.move(quiet, 0, 0, "(mark 1 1)")
        web.wait(quiet, lambda s: s["turn"] == 1)

    def test_many_streams_and_broken_connections_harm_nobody(self):
        web = Service(self)
        session = web.session(game="nim", seats=[PERSON, PERSON])
        web.wait(session, "waiting")
        streams = [urllib.request.urlopen(web.url + f"api/sessions/{session}/events", timeout=30) for _ in range(8)]
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(web.url + f"api/sessions/{session}/events", timeout=30)
        self.assertEqual(refused.exception.code, 429)
        refused.exception.close()
        for stream in streams[::2]:
            stream.close()
        sockets = [socket.create_connection(("127.0.0.1", web.port)) for _ in range(50)]
        for s in sockets:
            s.sendall(b"POST /api/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc")
        for s in sockets:
            s.close()
        state = web.state(session)
        web.move(session, 0, 0, state["position"]["legal"][0][0]["move"])
        web.wait(session, lambda s: s["turn"] == 1)
        for stream in streams[1::2]:
            stream.close()


if __name__ == "__main__":
    harness.main()
