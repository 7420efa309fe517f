// SPDX-License-Identifier: GPL-3.0-or-later
// A text area with line numbers and colours: the text lies, invisible, above a coloured copy of itself.
import {h, put} from "./dom.js";
import {highlight, charAt} from "./highlight.js";

export class Editor {
    constructor(text, changed) {
        this.changed = changed;
        this.area = h("textarea", {id: "sheet", class: "sheet", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "Rules", "aria-describedby": "findings"});
        this.area.value = text;
        this.copy = h("pre", {class: "sheet-copy", "aria-hidden": "true"});
        this.numbers = h("pre", {class: "sheet-numbers", "aria-hidden": "true"});
        this.root = h("div", {class: "editor"}, this.numbers, h("div", {class: "sheet-box"}, this.copy, this.area));
        this.findings = [];
        this.area.addEventListener("input", () => { this.draw(); this.changed(this.text); });
        this.area.addEventListener("scroll", () => this.follow());
        this.area.addEventListener("keydown", event => this.key(event));
        this.draw();
    }

    get text() { return this.area.value; }

    set text(value) {
        if (value === this.area.value) return;
        this.area.value = value;
        this.findings = [];
        this.draw();
        this.changed(value);
    }

    show(findings) {
        this.findings = findings;
        this.draw();
    }

    draw() {
        const {text} = this, lines = text.split("\n").length;
        const marks = this.findings.filter(one => one.line).map(one => {
            const from = charAt(text, one.line, one.column);
            return {from, to: Math.max(from + 1, Math.min(text.length, from + (one.length || 1))), severity: one.severity};
        });
        highlight(this.copy, text, marks);
        if (this.lines !== lines || this.marked !== this.findings) {
            const worst = new Map();
            for (const one of this.findings) if (one.line && worst.get(one.line) !== "error") worst.set(one.line, one.severity);
            put(this.numbers, Array.from({length: lines}, (_, i) => h("span", {class: worst.get(i + 1) ?? ""}, i + 1 + "\n")));
            this.lines = lines;
            this.marked = this.findings;
        }
        this.follow();
    }

    follow() {
        this.copy.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
        this.numbers.style.transform = `translateY(${-this.area.scrollTop}px)`;
    }

    // Enter keeps the indentation.
    key(event) {
        if (event.key !== "Enter" || event.isComposing) return;
        const {selectionStart: at, value} = this.area, line = value.slice(value.lastIndexOf("\n", at - 1) + 1, at);
        const indent = /^[ \t]*/.exec(line)[0];
        if (!indent) return;
        event.preventDefault();
        this.area.setRangeText("\n" + indent, at, this.area.selectionEnd, "end");
        this.draw();
        this.changed(this.text);
    }

    goTo(line, column) {
        const at = charAt(this.text, line, column);
        this.area.focus();
        this.area.setSelectionRange(at, at);
        this.area.scrollTop = Math.max(0, (line - 6) * parseFloat(getComputedStyle(this.area).lineHeight));
        this.follow();
    }
}
