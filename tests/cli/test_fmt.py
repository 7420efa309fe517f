#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import re
import stat

import harness

MESSY = """\
;;; Two players
(role a) (role b) ; both on one line
(succ 1 2)   ; one
             ; continued
(succ 2 3)


(succ 3 4)
(<= (next (cell ?x ?y ?p)) ; head
  ; own line
(does ?p (mark ?x ?y)) ; trailing
 (or (true (control ?player ?number ?three ?four)) (true (control ?player ?number ?three ?four))
(NOT (true (control ?player ?number ?three ?four)))) ; after or
(distinct ?x ?y) ; last
)
; (commented out)
(<= terminal (not (open)))
(init (board 11111111111 11111111111111111 22222222222222222222 333333333333333333 4444444444444444444 (f x)))
(<= (p) (q)
 ; at the end
 )
; end of file"""

NEAT = """\
;;; Two players
(role a)
(role b)  ; both on one line
(succ 1 2)  ; one
            ; continued
(succ 2 3)

(succ 3 4)

(<= (next (cell ?x ?y ?p))  ; head
    ; own line
    (does ?p (mark ?x ?y))  ; trailing
    (or (true (control ?player ?number ?three ?four))
        (true (control ?player ?number ?three ?four))
        (NOT (true (control ?player ?number ?three ?four))))  ; after or
    (distinct ?x ?y))  ; last

; (commented out)
(<= terminal
    (not (open)))

(init (board 11111111111 11111111111111111 22222222222222222222 333333333333333333
          4444444444444444444 (f x)))

(<= (p)
    (q)
    ; at the end
    )
; end of file
"""


def tokens(data):
    """What the rules say: the tokens outside of comments; and the comments, in order."""
    found = re.findall(rb";[^\r\n]*|[()]|[^\s();]+", data.removeprefix(b"\xef\xbb\xbf"))
    return [t for t in found if t[:1] != b";"], [t.rstrip() for t in found if t[:1] == b";"]


class Fmt(harness.Case):
    def test_a_messy_sheet_becomes_neat(self):
        out, _ = self.ludens("fmt", self.write("messy.kif", MESSY))
        self.assertEqual(out, NEAT)
        self.assertEqual(self.ludens("fmt", "-", stdin=NEAT)[0], NEAT)

    def test_line_ends_and_marks_of_other_systems_vanish(self):
        text = b"\xef\xbb\xbf; x\r\n(role a)\r\n\r\n(role b)\r(role c)"
        out, _ = self.ludens("fmt", self.write("dos.kif", text), text=False)
        self.assertEqual(out, b"; x\n(role a)\n\n(role b)\n(role c)\n")

    def test_nothing_stays_nothing(self):
        self.assertEqual(self.ludens("fmt", self.write("empty.kif", " \n\n"))[0], "")

    def test_check_lists_files_that_would_change(self):
        messy, neat = self.write("messy.kif", MESSY), self.write("neat.kif", NEAT)
        out, _ = self.ludens("fmt", "--check", messy, neat, status=1)
        self.assertEqual(out, messy + "\n")
        self.ludens("fmt", "--check", neat)
        self.assertEqual(self.read(messy).decode(), MESSY)

    def test_write_replaces_the_file_and_keeps_its_mode(self):
        messy = self.write("messy.kif", MESSY)
        os.chmod(messy, 0o640)
        os.symlink(messy, self.path("link.kif"))
        self.assertEqual(self.ludens("fmt", "-w", self.path("link.kif"))[0], "")
        self.assertEqual(self.read(messy).decode(), NEAT)
        self.assertEqual(stat.S_IMODE(os.stat(messy).st_mode), 0o640)
        self.assertTrue(os.path.islink(self.path("link.kif")))
        self.assertEqual(sorted(os.listdir(self.folder)), ["link.kif", "messy.kif"])

    def test_syntax_errors_are_shown_and_nothing_is_written(self):
        bad = self.write("bad.kif", "(role a)\n(role b")
        out, err = self.ludens("fmt", "--write", bad, status=2)
        self.assertIn("bad.kif:2:1: error: ", err)
        self.assertEqual(out, "")
        self.assertEqual(self.read(bad), b"(role a)\n(role b")

    def test_files_that_cannot_be_read_are_named(self):
        self.assertIn("missing.kif", self.ludens("fmt", self.path("missing.kif"), status=2)[1])
        self.ludens("fmt", status=2)
        self.ludens("fmt", "--check", "--write", "x", status=2)

    def test_our_games_are_laid_out(self):
        self.ludens("fmt", "--check", *harness.games())

    def preserves(self, paths):
        copies = [self.write(os.path.basename(path), self.read(path)) for path in paths]
        self.ludens("fmt", "--write", *copies)
        self.ludens("fmt", "--check", *copies)  # laid out anew it stays as it is
        for path, copy in zip(paths, copies):
            after = self.read(copy)
            self.assertEqual(tokens(self.read(path)), tokens(after), path)
            for line in after.decode().splitlines():
                self.assertEqual(line, line.rstrip(), path)

    def test_our_games_keep_their_meaning_and_comments(self):
        self.preserves(harness.games())

    def test_the_corpus_keeps_its_meaning_and_comments(self):
        if not harness.corpus():
            self.skipTest("no corpus")
        self.preserves(harness.corpus())


harness.main()
