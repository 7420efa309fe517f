// SPDX-License-Identifier: GPL-3.0-or-later
// Positions as links: #/at/GAME/MOVES, moves of a step joined by "|", steps by ";".
import {post} from "./api.js";

export function linkTo(game, steps) {
    const moves = steps.map(step => step.moves.join("|")).join(";");
    return location.href.replace(/#.*/, "") + "#/at/" + encodeURIComponent(game) + (moves ? "/" + encodeURIComponent(moves) : "");
}

export async function show(main, [game, moves = ""]) {
    const steps = moves ? moves.split(";").map(step => step.split("|")) : [];
    const {id} = await post("sessions", {game, moves: steps, paused: true});
    location.replace("#/table/" + id);
}
