// SPDX-License-Identifier: GPL-3.0-or-later
// The small menu that asks where clicks do not decide.
import {h} from "./dom.js";
import {plain} from "./words.js";

// What all have in common is left out, as far as whole words go.
function short(moves) {
    const words = moves.map(move => plain(move).split(" "));
    let same = 0;
    while (words.every(list => list.length > same + 1 && list[same] === words[0][same])) same++;
    return words.map(list => list.slice(same).join(" "));
}

export function openMenu(near, moves, choose) {
    const box = near.getBoundingClientRect(), names = short(moves);
    const close = () => { menu.remove(); removeEventListener("pointerdown", outside, true); };
    const outside = event => { if (!menu.contains(event.target)) close(); };
    const menu = h("div", {class: "menu", role: "menu", "aria-label": "Which move?"}, moves.map((move, i) =>
        h("button", {type: "button", role: "menuitem", "data-move": move, title: plain(move), onclick: () => { close(); near.focus?.(); choose(move); }}, names[i])));
    menu.addEventListener("keydown", event => {
        const items = [...menu.children], i = items.indexOf(document.activeElement);
        const step = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
        if (step) items[(i + step + items.length) % items.length].focus();
        else if (event.key === "Escape" || event.key === "Tab") { close(); near.focus?.(); }
        else return;
        event.preventDefault();
        event.stopPropagation();
    });
    document.body.append(menu);
    const size = menu.getBoundingClientRect();
    Object.assign(menu.style, {
        left: Math.max(8, Math.min(innerWidth - size.width - 8, box.left + box.width / 2 - size.width / 2)) + "px",
        top: Math.max(8, box.bottom + size.height + 8 > innerHeight ? box.top - size.height - 4 : box.bottom + 4) + "px",
    });
    addEventListener("pointerdown", outside, true);
    menu.firstChild.focus();
}
