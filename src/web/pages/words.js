// SPDX-License-Identifier: GPL-3.0-or-later
// Moves, roles and numbers as people read them.

// "(move 1 2 1 3)" -> "move 1 2 1 3"
export function plain(move) {
    return move.startsWith("(") && move.endsWith(")") ? move.slice(1, -1).trim() : move;
}

// The moves of a step worth telling: those that say more than a word; if none does, those that are not mere waiting.
export function told(moves) {
    const all = moves.map((move, role) => ({move, role}));
    const long = all.filter(one => one.move.startsWith("("));
    if (long.length) return long;
    const active = all.filter(one => !/^(noop|pass|skip|wait)$/i.test(one.move));
    return active.length ? active : all.slice(0, 1);
}

export function count(n) {
    if (n >= 1e9) return (n / 1e9).toFixed(1) + " G";
    if (n >= 1e6) return (n / 1e6).toFixed(1) + " M";
    if (n >= 1e4) return Math.round(n / 1e3) + " k";
    return Math.round(n).toLocaleString("en");
}

export function seconds(x) {
    if (x < 60) return (x < 10 ? x.toFixed(1) : Math.round(x)) + " s";
    return Math.floor(x / 60) + ":" + String(Math.floor(x % 60)).padStart(2, "0");
}

export function plural(n, word) {
    return n + " " + word + (n === 1 ? "" : "s");
}

export const strengths = [[0.2, "quick"], [1, "normal"], [3, "careful"], [10, "strong"], [30, "patient"]];
