# SPDX-License-Identifier: GPL-3.0-or-later
"""Manual pages as roff, from the Markdown our documents are written in: headings, paragraphs, lists, tables, blocks of code.

`Page` collects lines. Its methods take text as people write it and see to it that nothing in it is a request of roff.
"""
import re


def plain(text):
    """Text in which nothing has a meaning for roff."""
    return text.replace("\\", "\\e")


def code(text):
    """The same where each character is meant as it is: hyphens are minus signs, quotes and the like are ASCII."""
    return re.sub(r"[-'`^~]", lambda m: {"-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}[m[0]], plain(text))


def bold(text):
    return rf"\fB{code(text)}\fR"


def italic(text):
    return rf"\fI{code(text)}\fR"


def inline(text):
    """Markdown within a line: `code`, **bold**, *emphasis*, [links](elsewhere)."""
    text = re.sub(r"\[([^\]]*)\]\((https?://[^)]*)\)", r"\1 (\2)", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)", text)
    return "".join(styled(part) for part in parts)


def styled(part):
    if part.startswith("`"):
        return bold(part[1:-1])
    if part.startswith("**") and len(part) > 4:
        return bold(part[2:-2])
    if part.startswith("*") and len(part) > 2:
        return italic(part[1:-1])
    return re.sub(r"(?<!\S)--?(?=\w)", lambda m: code(m[0]), plain(part))  # options in plain text


KINDS = (("heading", r"#+ "), ("code", r"    "), ("table", r"\|"), ("list", r"- |\d+\. "), ("text", r""))


def blocks(text):
    """(kind, lines) of each block of a document, in order."""
    kind, lines = None, []
    for line in text.split("\n") + [""]:
        if kind == "fence" and not line.startswith("```"):
            lines.append(line)
        elif kind == "fence" or not line.strip():  # the end of one
            if kind:
                yield kind, lines
            kind, lines = None, []
        elif line.startswith("```"):
            kind, lines = "fence", [line]
        elif kind and kind != "heading":
            lines.append(line)
        else:
            if kind:
                yield kind, lines
            kind, lines = next(k for k, mark in KINDS if re.match(mark, line)), [line]


class Page:
    def __init__(self, name, section, summary, version, date):
        self.lines = [f'.TH "{code(name.upper())}" "{section}" "{date}" "Ludens {version}" "Ludens"', ".nh", ".ad l"]
        self.heading("Name")
        self.text(f"{code(name)} \\- {summary}", ready=True)

    def text(self, text, ready=False):
        """A paragraph's words; `ready`: they are roff already."""
        text = re.sub(r"\s+", " ", text if ready else inline(text)).strip()
        if text:
            self.lines.append(("\\&" if text[0] in ".'" else "") + text)

    def heading(self, title, level=1):
        while self.lines[-1] == ".PP":
            self.lines.pop()
        self.lines.append(f'.{"SH" if level == 1 else "SS"} "{inline(title.upper() if level == 1 else title)}"')

    def paragraph(self, text, ready=False):
        if not self.lines[-1].startswith((".SH", ".SS")):
            self.lines.append(".PP")
        self.text(text, ready)

    def verbatim(self, lines):
        if not self.lines[-1].startswith((".SH", ".SS")):
            self.lines.append(".PP")
        self.lines += [".nf", ".RS 2"]
        for line in lines:
            line = code(line.rstrip())
            self.lines.append(("\\&" if line.startswith((".", "\\(aq")) else "") + line)
        self.lines += [".RE", ".fi"]

    def item(self, term, text, ready=False):
        """A row of a list of terms; both are roff where `ready`."""
        self.lines.append(".TP")
        self.lines.append(term if ready else inline(term))
        self.text(text or "\\&", ready)

    def bullet(self, text):
        self.lines.append(".IP \\(bu 2")
        self.text(text)

    def table(self, rows):
        """Rows of cells, the first of them headings. Two columns are a list of terms, more are a table."""
        if len(rows[0]) == 2:
            for term, text in rows[1:]:
                self.item(term, text)
            return
        if not self.lines[0].startswith("'\\\" t"):
            self.lines.insert(0, "'\\\" t")
        width = " ".join("lx" if i == len(rows[0]) - 1 else "l" for i in range(len(rows[0])))
        self.lines += [".TS", f"{' '.join('lb' for _ in rows[0])}", width + "."]
        for row in rows:
            self.lines.append("\t".join("T{\n" + (inline(cell) or "\\&") + "\nT}" for cell in row))
        self.lines.append(".TE")

    def markdown(self, text, top=2):
        """A document without its title; headings of level `top` become sections."""
        for kind, lines in blocks(text):
            if kind == "heading":
                marks, title = lines[0].split(" ", 1)
                self.heading(title, len(marks) - top + 1)
            elif kind == "fence":
                self.verbatim(lines[1:])
            elif kind == "code":
                self.verbatim([line[4:] for line in lines])
            elif kind == "table":
                rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])] for line in lines]
                self.table(rows[:1] + rows[2:])
            elif kind == "list":
                for entry in re.split(r"\n(?=- |\d+\. )", "\n".join(lines)):
                    self.bullet(re.sub(r"^(- |\d+\. )", "", entry))
            else:
                self.paragraph("\n".join(lines))

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")
