# SPDX-License-Identifier: GPL-3.0-or-later
"""ludens(3), from the comments of include/ludens.h and the headers it includes.

A header begins with a comment that says what it is about. After that, a comment of one sentence with an empty line below it is
a heading; other comments stand above what they explain, up to the next empty line. Lines that are indented more than the text are
shown as they are.
"""
import os
import re

from roff import Page

COMMENT = re.compile(r"/\*.*?\*/", re.S)


def words(comment):
    """A comment's lines without its stars."""
    lines = comment[2:-2].split("\n")
    return [lines[0].strip()] + [re.sub(r"^ \* ?", "", line).rstrip() for line in lines[1:]]


def prose(page, lines):
    """Paragraphs; lines indented by four as they are."""
    text = "\n".join(lines).strip("\n")
    for block in re.split(r"\n\n+", text):
        rows = block.split("\n")
        if all(row.startswith("   ") for row in rows):
            page.verbatim([row[4:] for row in rows])
        else:
            page.paragraph(block)


def declarations(text):
    """Lines of C without what only the compiler wants to know."""
    text = re.sub(r"^(#(if|endif|else|include|define \w+(_H|_API|_BEGIN|_END)\b)[^\n]*|LUDENS_(BEGIN|END)|extern \"C\" \{|\})$", "", text,
                  flags=re.M)
    return re.sub(r"^LUDENS_API ([^;]*;)", lambda m: re.sub(r"\n {11}", "\n", m[1]), text, flags=re.M)


def chunks(text):
    """(comment or None, declarations) in order: what no empty line separates belongs together, a comment begins anew."""
    for block in re.split(r"\n[ \t]*\n", text):
        rest = block.strip("\n")
        while rest:
            comment = COMMENT.match(rest)
            body = rest[comment.end():] if comment else rest
            end = re.search(r"^/\*", body[1:], re.M)
            here = body if not end else body[:end.start() + 1]
            yield (comment[0] if comment else None), here.strip("\n")
            rest = body[len(here):].strip("\n")


def add_header(page, text, top):
    text = re.sub(r"\A/\* SPDX.*?\*/\n", "", text)
    intro = COMMENT.match(text)
    text = text[intro.end():]
    if not top:
        lines = words(intro[0])
        title = re.split(r"[:.;]", " ".join(lines))[0]
        page.heading(title)
        if len(lines) > 1:
            prose(page, lines)
    for comment, code in chunks(declarations(text)):
        sentence = " ".join(words(comment)) if comment else ""
        if comment and not code and re.fullmatch(r"[^.]{1,60}\.", sentence.strip()):
            page.heading(sentence.strip().rstrip("."), 2)
            continue
        if code:
            page.verbatim(code.split("\n"))
        if comment:
            prose(page, words(comment))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages(folder, version, date):
    """(file name, page) of section 3: the page, and one line for each function that leads to it."""
    text = read(os.path.join(folder, "ludens.h"))
    parts = [read(os.path.join(folder, name)) for name in re.findall(r'^#include "(ludens/[\w.]+)"', text, re.M)]
    page = Page("ludens", 3, "general game player: the C library", version, date)
    page.heading("Synopsis")
    page.verbatim(["#include <ludens.h>", "", "cc program.c $(pkg-config --cflags --libs ludens)"])
    page.heading("Description")
    prose(page, words(COMMENT.match(re.sub(r"\A/\* SPDX.*?\*/\n", "", text))[0]))
    add_header(page, text, True)
    for part in parts:
        add_header(page, part, False)
    page.heading("See also")
    page.paragraph("\\fBludens\\fR(1), \\fBgdl\\fR(5)", ready=True)
    yield "ludens.3", page
    for name in sorted(set(re.findall(r"^LUDENS_API [^;]*?\b(ludens_\w+)\(", "\n".join([text, *parts]), re.M))):
        link = Page("ludens", 3, "", version, date)
        link.lines = [".so man3/ludens.3"]
        yield f"{name}.3", link
