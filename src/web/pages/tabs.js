// SPDX-License-Identifier: GPL-3.0-or-later
// Tabs by the book: arrows move between them, panels are labelled.
import {h} from "./dom.js";

export function tabs(list, onPick) {
    const heads = list.map(([name, text]) => h("button", {type: "button", role: "tab", id: "tab-" + name, "aria-controls": "panel-" + name, onclick: () => pick(name)}, text));
    const panels = list.map(([name, , content]) => h("div", {role: "tabpanel", id: "panel-" + name, "aria-labelledby": "tab-" + name, class: "panel", tabindex: "0"}, content));
    const pick = name => {
        list.forEach(([one], i) => {
            heads[i].setAttribute("aria-selected", String(one === name));
            heads[i].tabIndex = one === name ? 0 : -1;
            panels[i].hidden = one !== name;
        });
        onPick?.(name);
    };
    const bar = h("div", {role: "tablist", class: "tabs", onkeydown: event => {
        const i = heads.indexOf(event.target), step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (i < 0 || !step) return;
        event.stopPropagation();
        const next = (i + step + heads.length) % heads.length;
        heads[next].focus();
        pick(list[next][0]);
    }}, heads);
    pick(list[0][0]);
    return {root: h("div", {class: "tabbed"}, bar, panels), pick};
}
