// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces as drawings in a square of 100 by 100 around (0, 0). Which figure a piece has is decided by the server.
import {s} from "./dom.js";
import {pieceColour} from "./colours.js";

const chess = {
    king: "M-4-38h8v7h7v8h-7v6c11-3 23 2 23 14 0 8-7 14-9 20h-36c-2-6-9-12-9-20 0-12 12-17 23-14v-6h-7v-8h7z",
    queen: "M-19 17-28-17-13-1l-4-26L0-5l17-22-4 26 15-16-9 34z",
    rook: "M-20-28h10v7h6v-7h8v7h6v-7h10v15l-7 6v19l5 5h-36l5-5v-19l-7-6z",
    bishop: "M0-37a5 5 0 0 1 4 8c9 6 14 14 14 22 0 7-4 11-9 14l5 10h-28l5-10c-5-3-9-7-9-14 0-8 5-16 14-22a5 5 0 0 1 4-8z",
    knight: "M-13 17C-15 2-3-2-4-13c-5 5-10 4-14 9-3 3-6 5-9 3-4-3-4-7-2-10 5-7 8-16 16-20l0-8 8 6C13-32 22-20 22-2c0 8-1 14-2 19z",
    pawn: "M0-26a11 11 0 0 1 8 18c3 1 4 3 4 5H7c1 8 5 14 9 20h-32c4-6 8-12 9-20h-5c0-2 1-4 4-5a11 11 0 0 1 8-18z",
};
const foot = "M-25 31v-5c0-5 4-7 8-7h34c4 0 8 2 8 7v5z";

function label(text, fill, size) {
    const shown = text.length > 6 ? text.slice(0, 5) + "…" : text;
    const fits = Math.min(size, 110 / Math.max(1, [...shown].length));
    return s("text", {class: "piece-label", fill, "font-size": fits, y: fits * 0.35}, shown);
}

function disc([fill, edge]) {
    return [s("circle", {r: 38, fill, stroke: edge, "stroke-width": 4}), s("circle", {r: 28, fill: "none", stroke: edge, "stroke-width": 2, opacity: 0.45})];
}

const figures = {
    none: () => [],
    disc,
    cross: ([fill, edge]) => s("path", {d: "M-26-26 26 26M26-26-26 26", stroke: edge === "#8b8577" ? edge : fill, "stroke-width": 14, "stroke-linecap": "round", fill: "none"}),
    ring: ([fill]) => s("circle", {r: 28, fill: "none", stroke: fill, "stroke-width": 14}),
    number: (colours, piece, moving) => moving
        ? [s("rect", {x: -43, y: -43, width: 86, height: 86, rx: 10, class: "tile"}), s("text", {class: "piece-label tile-label", "font-size": 46, y: 16}, piece.label)]
        : s("text", {class: "piece-label number", "font-size": 52, y: 18}, piece.label),
    mark: () => s("rect", {x: -40, y: -40, width: 80, height: 80, rx: 8, class: "mark"}),
    token: (colours, piece) => [s("circle", {r: 38, fill: colours[0], stroke: colours[1], "stroke-width": 4}), label(piece.label, colours[2], 38)],
    block: (colours, piece) => [s("rect", {x: -41, y: -41, width: 82, height: 82, rx: 12, class: "block"}), label(piece.label, "var(--block-ink)", 36)],
};
for (const [name, path] of Object.entries(chess))
    figures[name] = ([fill, edge]) => [s("path", {d: path, fill, stroke: edge, "stroke-width": 4, "stroke-linejoin": "round"}), s("path", {d: foot, fill, stroke: edge, "stroke-width": 4, "stroke-linejoin": "round"})];

export function drawPiece(layout, number, moving) {
    const piece = layout.pieces[number];
    if (!piece) return s("text", {class: "piece-label number", "font-size": 60, y: 20}, "?");
    return s("g", {class: "piece figure-" + piece.figure}, figures[piece.figure]?.(pieceColour(layout, piece), piece, moving));
}

export const isChess = layout => layout.pieces.some(piece => piece.figure in chess);
