// SPDX-License-Identifier: GPL-3.0-or-later
// The line above the board: whose move it is, or how it ended.
import {plain} from "./words.js";

// {text, kind}: kind is "yours", "won", "lost" or "".
export function statusOf(table) {
    const {data, layout, viewing} = table, actor = table.actor();
    if (viewing !== null) return {text: "Position " + viewing + " of " + table.turn(), kind: ""};
    if (data.stage === "over") return outcome(table, table.shown.goals);
    if (actor !== null) {
        const name = table.roleName(actor), persons = data.seats.filter(seat => seat.kind === "person").length;
        const text = persons === 1 ? (data.seats.length === 1 ? "Your move." : "Your move, " + name + ".")
            : layout.turns === "simultaneous" ? name + " chooses. Nobody sees it before all have chosen." : name + " to move.";
        return {text: text + (table.hintMove ? " Hint: " + plain(table.hintMove) : ""), kind: "yours"};
    }
    if (data.paused) return {text: "Nobody plays at the moment.", kind: ""};
    const waiting = data.seats.map((seat, role) => ({seat, role})).filter(({seat, role}) => !seat.chosen && !table.automatic(role)).map(({role}) => table.roleName(role));
    return {text: waiting.length ? waiting.join(" and ") + (waiting.length > 1 ? " think …" : " thinks …") : "…", kind: ""};
}

function outcome(table, goals) {
    const persons = table.data.seats.map((seat, role) => seat.kind === "person" ? role : -1).filter(role => role >= 0);
    const points = goals.map((goal, role) => table.roleName(role) + " " + (goal ?? "?")).join(" : ");
    if (goals.length === 1) return {text: "The end: " + (goals[0] ?? "no") + " of 100 points.", kind: goals[0] === 100 ? "won" : ""};
    const best = Math.max(...goals.map(goal => goal ?? -1)), winners = goals.map((goal, role) => goal === best ? role : -1).filter(role => role >= 0);
    if (winners.length === goals.length) return {text: "A draw. " + points, kind: ""};
    if (persons.length === 1) {
        if (!winners.includes(persons[0])) return {text: "You lose. " + points, kind: "lost"};
        return {text: (winners.length === 1 ? "You win! " : "You share the win. ") + points, kind: "won"};
    }
    return {text: winners.map(role => table.roleName(role)).join(" and ") + (winners.length > 1 ? " win. " : " wins. ") + points, kind: "won"};
}
