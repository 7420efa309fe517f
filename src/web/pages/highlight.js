// SPDX-License-Identifier: GPL-3.0-or-later
// Rule sheets in colours, with what the checker found underlined.
const LONGEST = 200000; // characters; longer sheets are shown plain
const token = /(;[^\n]*)|(\?[^\s()]+)|(<=|(?<![^\s(])(?:role|init|true|does|legal|next|terminal|goal|base|input|distinct|not|or|and)(?![^\s()]))|((?<![^\s(])\d+(?![^\s()]))|([()])/gi;
const classes = ["comment", "variable", "keyword", "number", "bracket"];

function pieces(text) {
    const list = [];
    let at = 0;
    for (const match of text.matchAll(token)) {
        if (match.index > at) list.push([at, match.index, ""]);
        list.push([match.index, match.index + match[0].length, classes[match.slice(1).findIndex(Boolean)]]);
        at = match.index + match[0].length;
    }
    if (at < text.length) list.push([at, text.length, ""]);
    return list;
}

// marks: [{from, to, severity}] in characters.
export function highlight(box, text, marks) {
    box.replaceChildren();
    if (text.length > LONGEST) {
        box.append(text + "\n");
        return;
    }
    const cuts = marks.flatMap(mark => [mark.from, mark.to]).sort((a, b) => a - b);
    const fragment = document.createDocumentFragment();
    for (const [from, to, name] of pieces(text)) {
        let at = from;
        for (const cut of [...cuts.filter(cut => cut > from && cut < to), to]) {
            const mark = marks.find(one => one.from <= at && at < one.to);
            const part = text.slice(at, cut);
            if (part && !name && !mark) fragment.append(part);
            else if (part) {
                const span = document.createElement("span");
                span.className = [name, mark && "found " + mark.severity].filter(Boolean).join(" ");
                span.textContent = part;
                fragment.append(span);
            }
            at = cut;
        }
    }
    fragment.append("\n");
    box.append(fragment);
}

// Offsets of the checker count bytes; strings here count UTF-16 units.
export function charAt(text, line, column) {
    let at = 0;
    for (let i = 1; i < line; i++) {
        const next = text.indexOf("\n", at);
        if (next < 0) break;
        at = next + 1;
    }
    for (let i = 1; i < column && at < text.length; i++) at += text.codePointAt(at) > 0xffff ? 2 : 1;
    return at;
}
