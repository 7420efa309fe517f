// SPDX-License-Identifier: GPL-3.0-or-later
// The moves, one step a line; a click shows the position after it.
import {h, put} from "./dom.js";
import {roleColour} from "./colours.js";
import {plain, told} from "./words.js";

export class History {
    constructor(view) {
        this.view = view;
        this.list = h("ol", {class: "history"});
        this.root = h("div", {}, this.list);
        this.rows = [];
    }

    show(steps, layout) {
        this.layout = layout;
        this.rows = [];
        put(this.list, h("li", {}, this.row(0, h("span", {class: "muted"}, "Beginning"))));
        this.rows.push(this.list.firstChild);
        steps.forEach((step, i) => this.add(i + 1, step));
    }

    row(turn, ...content) {
        return h("button", {type: "button", "data-turn": turn, onclick: () => this.view(turn)}, h("span", {class: "number"}, turn || ""), h("span", {class: "what"}, content));
    }

    add(turn, step) {
        while (this.rows.length > turn) this.rows.pop().remove();
        const thought = step.thoughts?.find(Boolean);
        const moves = told(step.moves).map(({move, role}) => {
            const [fill, edge] = roleColour(this.layout, role);
            return h("span", {class: "made"}, h("span", {class: "dot", style: {background: fill, borderColor: edge}, title: this.layout.roles[role].name}), plain(move));
        });
        const item = h("li", {}, this.row(turn, moves));
        if (thought?.value !== undefined) item.firstChild.append(h("span", {class: "worth", title: "what the player expected"}, Math.round(thought.value)));
        this.rows[turn] = item;
        this.list.append(item);
    }

    mark(turn) {
        this.rows.forEach((item, i) => {
            const row = item.firstChild;
            if (i === turn) row.setAttribute("aria-current", "step");
            else row.removeAttribute("aria-current");
        });
        const item = this.rows[turn], box = this.root.parentElement;
        if (item && box && !box.hidden) box.scrollTo({top: item.offsetTop - box.clientHeight / 2});
    }
}
