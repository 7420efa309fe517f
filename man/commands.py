# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of the commands, from what the program says of itself: `ludens help --json`."""
import re

from roff import Page, bold, code, inline, italic


def synopsis(usage):
    """`sim GAME [OPTION...]` with the letters that manuals use."""
    words = re.split(r"(\s+|[][|.=]+)", usage)
    return "".join(italic(w) if re.fullmatch(r"[A-Z/]+", w) else bold(w) if re.match(r"[a-z-]", w) else code(w) for w in words)


def describe(page, about):
    """Paragraphs, and lines that begin with two blanks as they are."""
    for block in re.split(r"\n\n+", about):
        for shown, lines in split_runs(block.split("\n")):
            if shown:
                page.verbatim([line[2:] for line in lines])
            else:
                page.paragraph(" ".join(lines))


def split_runs(lines):
    runs = []
    for line in lines:
        shown = line.startswith("  ")
        if runs and runs[-1][0] == shown:
            runs[-1][1].append(line)
        elif line.strip():
            runs.append((shown, [line]))
    return runs


def option(page, o):
    names = ([bold("-" + o["letter"]) + ", "] if "letter" in o else []) + [bold("--" + o["name"])]
    value = " " + synopsis(o["value"]) if "value" in o else ""
    text = inline(o["help"])
    if "choices" in o:
        text += ": " + ", ".join(bold(c) for c in o["choices"])
    if "default" in o:
        text += f" (default {code(o['default'])})"
    page.item("".join(names) + value, text, ready=True)


def see_also(page, names):
    page.heading("See also")
    page.paragraph(", ".join(rf"\fB{code(n[:-3])}\fR{n[-3:]}" for n in names), ready=True)


def command_page(name, command, general, version, date, listed=""):
    """`listed`: what the command prints, if that is always the same."""
    page = Page("ludens-" + name.replace(" ", "-"), 1, inline(command["summary"]), version, date)
    page.heading("Synopsis")
    about, _, status = command["about"].partition("Exit status: ")
    for line in command["usage"].split("\n"):
        line = line.strip()
        page.paragraph(synopsis(line if line.startswith("ludens ") else "ludens " + line), ready=True)
    page.heading("Description")
    describe(page, about.strip())
    page.heading("Options")
    for o in command["options"]:
        option(page, o)
    page.item(bold("-h") + ", " + bold("--help"), "show usage and options", ready=True)
    if listed:
        page.heading("List")
        page.verbatim(listed.rstrip("\n").split("\n"))
    page.heading("Exit status")
    page.paragraph(status or general)
    named = sorted({"ludens-" + m.replace(" ", "-") + "(1)" for m in re.findall(r"`ludens ((?:lab )?[a-z]+)", command["about"])})
    more = ["ludens-lab(5)"] if name.startswith("lab ") else []
    see_also(page, ["ludens(1)"] + [n for n in named if n != f"ludens-{name.replace(' ', '-')}(1)"] + ["gdl(5)"] + more)
    return page


def group_page(name, command, version, date):
    page = Page("ludens-" + name, 1, inline(command["summary"]), version, date)
    page.heading("Synopsis")
    page.paragraph(synopsis(f"ludens {name} WORD [OPTION...] [OPERAND...]"), ready=True)
    page.heading("Words")
    for word in command["commands"]:
        page.item(rf"\fBludens\-{name}\-{code(word['name'])}\fR(1)", inline(word["summary"]), ready=True)
    see_also(page, ["ludens(1)"] + (["ludens-lab(5)"] if name == "lab" else ["gdl(5)"]))
    return page


def main_page(tables, shared, version, date):
    """ludens(1): the list of commands, and docs/commands.md."""
    page = Page("ludens", 1, "general game player", version, date)
    intro, _, rest = shared.partition("\n## ")
    page.heading("Synopsis")
    page.paragraph(synopsis("ludens COMMAND [OPTION...] [OPERAND...]"), ready=True)
    page.heading("Description")
    page.markdown(re.sub(r"^# .*\n", "", intro))
    page.heading("Commands")
    for command in tables["commands"]:
        page.item(rf"\fBludens\-{code(command['name'])}\fR(1)", inline(command["summary"]), ready=True)
    page.markdown("## " + rest)
    see_also(page, ["gdl(5)", "ludens-lab(5)", "ludens(3)"])
    return page


def pages(tables, shared, players, version, date):
    """(file name, page) of section 1."""
    yield "ludens.1", main_page(tables, shared, version, date)
    for command in tables["commands"]:
        name, words = command["name"], command.get("commands")
        if words:
            yield f"ludens-{name}.1", group_page(name, command, version, date)
            for word in words:
                both = f"{name} {word['name']}"
                yield f"ludens-{name}-{word['name']}.1", command_page(both, word, tables["exit_status"], version, date)
        else:
            listed = players if name == "players" else ""
            yield f"ludens-{name}.1", command_page(name, command, tables["exit_status"], version, date, listed)
