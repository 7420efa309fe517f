// SPDX-License-Identifier: GPL-3.0-or-later
// What the search thinks: figures, the value of each role over the game, moves as bars, the line it expects.
import {h, put} from "./dom.js";
import {roleColour} from "./colours.js";
import {Plot} from "./plot.js";
import {plain, count, seconds, told} from "./words.js";

const SHOWN = 20;

export class Thinking {
    constructor({preview, end}) {
        this.previewLine = preview;
        this.endPreview = end;
        this.figures = h("dl", {class: "figures"});
        this.line = h("div", {class: "line"});
        this.bars = h("ol", {class: "bars"});
        this.more = h("button", {type: "button", class: "link", hidden: true, onclick: () => { this.all = !this.all; this.draw(); }}, "More");
        this.plot = new Plot();
        this.hint = h("p", {class: "muted"}, "Press Analyse to watch the search think about this position, or wait until a player of ours thinks.");
        this.root = h("div", {class: "thinking"}, h("h3", {class: "small"}, "Expected points over the game"), this.plot.root, this.hint, this.figures, this.line, this.bars, this.more);
        this.values = new Map(); // by turn: values of the roles
    }

    reset(data, layout) {
        this.layout = layout;
        this.values.clear();
        data.steps.forEach((step, i) => this.keep(i, step));
        this.final(data.turn, data.position);
        this.plot.show(this.layout, this.values, data.turn);
        if (this.data && this.data.turn > data.turn) this.clear();
    }

    clear() {
        this.data = null;
        put(this.figures);
        put(this.line);
        put(this.bars);
        this.more.hidden = true;
        this.hint.hidden = false;
    }

    // The thoughts behind a step are about the position before it.
    keep(turn, step) {
        step.thoughts?.forEach((thought, role) => {
            if (!thought) return;
            const values = thought.values ?? [];
            if (!values.length) values[role] = thought.value;
            this.values.set(turn, values);
        });
    }

    final(turn, position) {
        if (position?.goals) this.values.set(turn, position.goals);
    }

    add(turn, step) {
        this.keep(turn - 1, step);
        this.plot.show(this.layout, this.values, turn);
    }

    mark(turn) { this.plot.mark(turn); }

    expect(turn, role) {
        this.asked = {turn, role};
    }

    rest() { this.root.classList.remove("busy"); }

    live(data) {
        this.data = data;
        this.hint.hidden = true;
        if (data.values) this.values.set(data.turn, data.values);
        this.plot.show(this.layout, this.values, Math.max(data.turn, this.plot.turn));
        this.draw();
    }

    draw() {
        const {data, layout} = this;
        if (!data?.moves) return;
        const role = layout.roles[data.role].name;
        const figure = (name, value) => [h("dt", {}, name), h("dd", {}, value)];
        put(this.figures, figure("thinks", role), figure("expects", data.value?.toFixed(1) ?? "–"), figure("simulations", count(data.simulations)),
            figure("per second", count(data.rate || data.simulations / Math.max(data.seconds ?? 0, 1e-3))), figure("tree", count(data.nodes) + ", " + data.depth + " deep"), figure("time", seconds(data.seconds ?? 0)),
            data.proved && figure("proved", data.proved));
        this.drawLine(data);
        const list = data.moves.filter(move => move.visits > 0), shown = this.all ? data.moves : list.slice(0, SHOWN);
        const most = Math.max(1, ...data.moves.map(move => move.visits));
        const [fill, edge] = roleColour(layout, data.role);
        put(this.bars, shown.map(move => h("li", {"data-move": move.move, tabindex: "0", title: "show it on the board",
            onmouseenter: () => this.show(move), onfocus: () => this.show(move), onmouseleave: () => this.endPreview(), onblur: () => this.endPreview()},
            h("span", {class: "visits", style: {width: 100 * move.visits / most + "%", background: fill, borderColor: edge}}),
            h("span", {class: "name"}, plain(move.move)), h("span", {class: "number"}, count(move.visits)), h("span", {class: "value"}, move.proved ?? (move.visits ? move.value.toFixed(1) : "–")))));
        this.more.hidden = data.moves.length <= Math.min(SHOWN, list.length);
        this.more.textContent = this.all ? "Fewer moves" : "All " + data.moves.length + " moves";
    }

    drawLine(data) {
        const steps = data.steps ?? [];
        put(this.line, steps.length > 0 && [h("span", {class: "muted"}, "expects "), steps.map((step, i) => h("span", {class: "step", tabindex: "0", title: "show it on the board",
            onmouseenter: () => this.previewLine(data.turn, steps.slice(0, i + 1)), onfocus: () => this.previewLine(data.turn, steps.slice(0, i + 1)),
            onmouseleave: () => this.endPreview(), onblur: () => this.endPreview()}, told(step).map(one => plain(one.move)).join(", ")))]);
    }

    // A move of the list on the board: the line if it begins with it, otherwise the move with the others' expected ones.
    show(move) {
        const {data} = this, line = data.steps?.[0];
        if (!line) return;
        if (line[data.role] === move.move) return this.previewLine(data.turn, data.steps);
        this.previewLine(data.turn, [line.map((other, role) => role === data.role ? move.move : other)]);
    }
}
