// SPDX-License-Identifier: GPL-3.0-or-later
// Who sits where, whose turn it is, how much time each has used, what came out.
import {h, put} from "./dom.js";
import {roleColour} from "./colours.js";
import {seconds} from "./words.js";

const names = (seat, alone) => seat.kind === "person" ? (alone ? "You" : "A person") : seat.kind === "remote" ? seat.player.replace(/^https?:\/\//, "") : seat.player === "champion" ? "Ludens" : "Ludens, " + seat.player;

export class Seats {
    constructor(box, layout, data, change) {
        this.layout = layout;
        const alone = data.seats.filter(seat => seat.kind === "person").length === 1;
        this.cards = data.seats.map((seat, role) => {
            const [fill, edge] = roleColour(layout, role);
            const card = {
                time: h("span", {class: "used"}), points: h("span", {class: "points"}), note: h("span", {class: "note"}), bar: h("span", {class: "bar"}),
            };
            card.root = h("div", {class: "seat", "data-role": layout.roles[role].name},
                h("span", {class: "dot", style: {background: fill, borderColor: edge}}),
                h("span", {class: "who"}, h("strong", {}, layout.roles[role].name), h("button", {type: "button", class: "link", title: "Change who plays " + layout.roles[role].name, onclick: () => change(role)}, names(seat, alone))),
                card.note, card.time, card.points, h("span", {class: "progress", "aria-hidden": "true"}, card.bar));
            return card;
        });
        put(box, this.cards.map(card => card.root));
        box.dataset.count = this.cards.length;
        this.turn(data);
        data.seats.forEach((seat, role) => { if (seat.thinking) this.thinking(role, seat.clock); });
    }

    turn(data) {
        const goals = data.position?.goals, best = goals && Math.max(...goals.map(goal => goal ?? -1));
        this.cards.forEach((card, role) => {
            const used = data.steps.reduce((sum, step) => sum + (step.seconds?.[role] ?? 0), 0);
            const legal = data.position?.legal?.[role] ?? [], single = legal.length === 1 && !legal[0].move.startsWith("(");
            const waits = data.stage === "waiting" && !data.seats[role].chosen && legal.length > 0 && !(single && data.seats.length > 1);
            card.time.textContent = used >= 0.05 ? seconds(used) : "";
            card.points.textContent = goals ? String(goals[role] ?? "–") : "";
            card.root.classList.toggle("turn", waits);
            card.root.classList.toggle("winner", Boolean(goals) && goals[role] === best);
            card.note.textContent = data.seats[role].chosen && data.stage === "waiting" && legal.length > 1 ? "has chosen" : "";
            card.bar.style.transition = "none";
            card.bar.style.width = "0";
        });
    }

    chosen(role) {
        this.cards[role].root.classList.remove("turn");
        this.cards[role].note.textContent = "has chosen";
        this.cards[role].bar.style.width = "0";
    }

    thinking(role, time) {
        const {bar} = this.cards[role];
        bar.style.transition = "none";
        bar.style.width = "0";
        bar.getBoundingClientRect();
        bar.style.transition = `width ${time}s linear`;
        bar.style.width = "100%";
    }
}
