// SPDX-License-Identifier: GPL-3.0-or-later
// What is on no board: hands, counters, scores; and what the pieces are called.
import {h, s, put} from "./dom.js";
import {drawPiece} from "./pieces.js";
import {roleColour} from "./colours.js";

// Facts of one name together: (pieces white 12) (pieces black 11) -> a row of values.
export function drawFacts(box, layout, facts) {
    const groups = new Map(), roles = layout.roles.map(role => role.name.toLowerCase());
    for (const [name, ...args] of facts) {
        if (name === layout.control) continue;
        if (!groups.has(name)) groups.set(name, []);
        groups.get(name).push(args);
    }
    const rows = [...groups].slice(0, 30).map(([name, list]) => {
        list.sort((a, b) => a.join(" ").localeCompare(b.join(" "), "en", {numeric: true}));
        const values = list.slice(0, 60).map(args => {
            const role = roles.indexOf((args[0] ?? "").toLowerCase());
            const [fill, edge] = role >= 0 ? roleColour(layout, role) : [];
            return h("span", {class: "chip"}, role >= 0 && h("span", {class: "dot", style: {background: fill, borderColor: edge}}), args.join(" ") || "yes");
        });
        return [h("dt", {}, name), h("dd", {}, values, list.length > 60 && h("span", {class: "muted"}, "and " + (list.length - 60) + " more"))];
    });
    put(box, rows.length > 0 && h("dl", {class: "fact-list"}, rows));
}

// Only where signs do not speak for themselves: several kinds of pieces.
export function drawLegend(layout) {
    const pieces = layout.pieces.map((piece, i) => ({piece, i})).filter(({piece}) => piece.figure !== "none" && piece.figure !== "number");
    const obscure = pieces.some(({piece}) => ["token", "block", "mark"].includes(piece.figure));
    if (!obscure || pieces.length > 24) return "";
    return h("details", {class: "legend"}, h("summary", {}, "Legend"), h("ul", {}, pieces.map(({piece, i}) =>
        h("li", {}, s("svg", {viewBox: "-50 -50 100 100", "aria-hidden": "true"}, drawPiece(layout, i)), h("span", {}, piece.name,
            piece.owner !== null && h("span", {class: "muted"}, " of " + layout.roles[piece.owner].name))))));
}
