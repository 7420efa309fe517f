// SPDX-License-Identifier: GPL-3.0-or-later
// The value of each role over the game: a line each, 0 to 100 points.
import {s} from "./dom.js";
import {roleColour} from "./colours.js";

const W = 320, H = 110, LEFT = 26, BOTTOM = 16;

export class Plot {
    constructor() {
        this.root = s("svg", {viewBox: `0 0 ${W} ${H}`, class: "plot", role: "img", "aria-label": "expected points of each role over the game"});
        this.turn = 0;
    }

    x(turn) { return LEFT + (W - LEFT - 8) * turn / Math.max(1, this.last); }
    y(value) { return 6 + (H - BOTTOM - 10) * (1 - value / 100); }

    show(layout, values, turn) {
        this.turn = turn;
        this.last = Math.max(turn, 10, ...values.keys());
        const parts = [0, 50, 100].map(v => [s("line", {class: "grid", x1: LEFT, x2: W - 8, y1: this.y(v), y2: this.y(v)}), s("text", {x: LEFT - 5, y: this.y(v) + 3.5, class: "tick"}, v)]);
        parts.push(s("text", {x: W - 8, y: H - 2, class: "tick"}, "step " + this.last));
        layout.roles.forEach((_, role) => {
            const points = [...values].filter(([, list]) => Number.isFinite(list[role])).sort((a, b) => a[0] - b[0]).map(([t, list]) => [this.x(t), this.y(list[role])]);
            const [fill, edge] = roleColour(layout, role);
            if (points.length > 1) parts.push(s("polyline", {points: points.map(p => p.map(v => v.toFixed(1)).join(",")).join(" "), class: "value-line under", stroke: edge}), s("polyline", {points: points.map(p => p.map(v => v.toFixed(1)).join(",")).join(" "), class: "value-line", stroke: fill}));
            for (const [x, y] of points.slice(-1)) parts.push(s("circle", {cx: x, cy: y, r: 3.5, fill, stroke: edge}));
        });
        this.root.replaceChildren(...parts.flat());
        this.mark(this.marked ?? turn);
    }

    mark(turn) {
        this.marked = turn;
        this.root.querySelector(".now")?.remove();
        if (this.last) this.root.append(s("line", {class: "now", x1: this.x(turn), x2: this.x(turn), y1: 4, y2: H - BOTTOM}));
    }
}
