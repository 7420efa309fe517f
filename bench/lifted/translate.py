# SPDX-License-Identifier: GPL-3.0-or-later
"""KIF to Prolog, the way Ary did it (Méhat and Cazenave 2007, "Interface with Prolog").

A form (foo a b) becomes foo(a, b); `distinct`, `not`, `or` and `<=` become what Prolog calls them. Two things
are done for speed, as there: literals without variables come first in a body, and `distinct` comes as soon as
its variables are bound. Negations wait for their variables, too: Prolog's \\+ means something else before.
Relations get a prefix, so that none collides with one that Prolog has built in.
"""
import re

TOKEN = re.compile(r"[()]|[^\s();]+|;[^\r\n]*")


def read(text):
    """All forms of a rule sheet: strings and nested lists, in lower case."""
    stack = [[]]
    for token in TOKEN.findall(text.lower()):
        if token == "(":
            stack.append([])
        elif token == ")":
            form = stack.pop()
            stack[-1].append(form)
        elif token[0] != ";":
            stack[-1].append(token)
    return stack[0]


def variables(form):
    if isinstance(form, str):
        return {form} if form[0] == "?" else set()
    return set().union(*map(variables, form[1:] if form and isinstance(form[0], str) else form)) if form else set()


def term(form):
    if isinstance(form, str):
        if form[0] == "?":
            return "V_" + re.sub(r"[^a-z0-9]", lambda m: f"_{ord(m[0])}_", form[1:])
        return "'" + form.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if len(form) == 1:
        return term(form[0])
    return f"{term(form[0])}({', '.join(map(term, form[1:]))})"


def relation(form):
    """(name, arity) of an atom."""
    return (form, 0) if isinstance(form, str) else (form[0], len(form) - 1)


def atom(form):
    name, arity = relation(form)
    return term(["gdl_" + name] + (form[1:] if arity else []))


def operator(form):
    return form[0] if isinstance(form, list) and form[0] in ("or", "and", "not", "distinct") else None


def binds(form):
    """Variables that are bound once the literal has been proved."""
    op = operator(form)
    if op in ("not", "distinct"):
        return set()
    if op == "or":
        return set.intersection(*map(binds, form[1:])) if len(form) > 1 else set()
    if op == "and":
        return set().union(*map(binds, form[1:]))
    return variables(form)


def needs(form, bindable):
    """Variables that must be bound before the literal is tried."""
    op = operator(form)
    if op in ("not", "distinct"):
        return variables(form) & bindable
    if op == "and":
        return set().union(*(needs(f, bindable) for f in form[1:])) - binds(form)
    if op == "or":
        return set().union(*(needs(f, bindable) - binds(f) for f in form[1:]))
    return set()


def ordered(literals, bound, bindable):
    rest = [f for f in literals if not variables(f)] + [f for f in literals if variables(f)]
    result = []
    while rest:
        pick = next((f for f in rest if needs(f, bindable) <= bound), rest[0])
        rest.remove(pick)
        result.append(pick)
        bound = bound | binds(pick)
    return result


def goal(form, bound, bindable):
    op = operator(form)
    if op == "distinct":
        return f"{term(form[1])} \\== {term(form[2])}"
    if op == "not":
        return f"\\+ ({goal(form[1], bound, bindable)})"
    if op == "and":
        return body(form[1:], bound, bindable)
    if op == "or":
        return "(" + " ; ".join(body([f], bound, bindable) for f in form[1:]) + ")" if len(form) > 1 else "fail"
    return atom(form)


def body(literals, bound, bindable):
    goals = []
    for f in ordered(literals, bound, bindable):
        goals.append(goal(f, bound, bindable))
        bound = bound | binds(f)
    return ", ".join(goals) if goals else "true"


def mentioned(form, found):
    """Relations that a body uses."""
    op = operator(form)
    if op in ("or", "and", "not"):
        for f in form[1:]:
            mentioned(f, found)
    elif op is None:
        found.add(relation(form))


def translate(text):
    """A rule sheet as Prolog clauses, in the order of the sheet."""
    clauses, heads, used = {}, set(), {("terminal", 0), ("legal", 2), ("goal", 2), ("next", 1), ("init", 1), ("role", 1)}
    for form in read(text):
        is_rule = isinstance(form, list) and form and form[0] == "<="
        head, literals = (form[1], form[2:]) if is_rule else (form, [])
        heads.add(relation(head))
        for f in literals:
            mentioned(f, used)
        bindable = set().union(*map(binds, literals)) if literals else set()
        clause = atom(head) + (f" :- {body(literals, set(), bindable)}" if literals else "") + "."
        clauses.setdefault(relation(head), []).append(clause)
    lines = [":- style_check(-singleton).", ":- dynamic gdl_true/1, gdl_does/2."]
    for name, arity in sorted(used - heads - {("true", 1), ("does", 2)}):
        lines.append(f":- dynamic {term('gdl_' + name)}/{arity}.")
    for group in clauses.values():
        lines += group
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    import sys

    with open(sys.argv[1], encoding="utf-8", errors="replace", newline="") as sheet:
        sys.stdout.write(translate(sheet.read()))
