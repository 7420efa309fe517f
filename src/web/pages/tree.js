// SPDX-License-Identifier: GPL-3.0-or-later
// The search tree, opened node by node. Children come most visited first, a screenful at a time, so that a node with
// 140 of them stays usable.
import {h, put} from "./dom.js";
import {post} from "./api.js";
import {plain, count} from "./words.js";

const AT_ONCE = 12;

export class Tree {
    constructor(table) {
        this.table = table;
        this.list = h("div", {class: "tree", role: "tree", "aria-label": "Search tree"});
        this.root = h("div", {}, h("div", {class: "row"}, h("button", {type: "button", class: "button small", onclick: () => this.open()}, "Look again"), h("span", {class: "muted"}, "what the search has looked at, most visited first")), this.list);
    }

    reset() { put(this.list); }

    live(data) { this.role = data.adviser ? undefined : data.role; }

    async node(path) {
        return (await post("sessions/" + this.table.id + "/tree", {path, role: this.role})).node;
    }

    async open() {
        try {
            const node = await this.node("");
            put(this.list, this.level(node, ""));
        } catch (error) {
            put(this.list, h("p", {class: "muted"}, error.message + " Press Analyse first."));
        }
    }

    level(node, path) {
        if (node.terminal) return h("p", {class: "muted end"}, "The end" + (node.goals ? ": " + node.goals.join(" : ") : ""));
        if (node.mover !== null) return this.choices(node.choices[node.mover], node, path);
        return node.choices.map((choices, role) => h("div", {}, h("p", {class: "muted"}, this.table.roleName(role)), this.choices(choices, node, path)));
    }

    choices(list, node, path) {
        const group = h("ul", {role: "group"});
        let shown = 0;
        const more = h("button", {type: "button", class: "link", onclick: () => grow()});
        const grow = () => {
            for (const one of list.slice(shown, shown + AT_ONCE)) group.append(this.item(one, node, path));
            shown = Math.min(list.length, shown + AT_ONCE);
            more.textContent = "show " + Math.min(AT_ONCE, list.length - shown) + " more of " + (list.length - shown);
            more.hidden = shown >= list.length;
        };
        grow();
        return [group, more];
    }

    item(one, node, path) {
        const share = node.visits ? 100 * one.visits / node.visits : 0, below = h("div", {class: "below"});
        const row = h("button", {type: "button", role: "treeitem", "aria-expanded": one.child ? "false" : undefined, class: "node"},
            h("span", {class: "share", style: {width: share + "%"}}), h("span", {class: "name"}, plain(one.move)), h("span", {class: "number"}, count(one.visits)), h("span", {class: "value"}, one.visits ? one.value.toFixed(1) : "–"));
        row.addEventListener("click", async () => {
            if (!one.child) return;
            const open = row.getAttribute("aria-expanded") === "true";
            row.setAttribute("aria-expanded", String(!open));
            if (open) return void put(below);
            const next = path ? path + " " + one.child : one.child;
            try {
                put(below, this.level(await this.node(next), next));
            } catch (error) {
                put(below, h("p", {class: "muted"}, error.message));
            }
        });
        return h("li", {role: "none"}, row, below);
    }
}
