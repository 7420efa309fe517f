// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of pieces and roles: what a name speaks of, otherwise one per owner.

const tints = {
    white: ["#fbfaf6", "#8b8577", "#3a362e"], black: ["#2b2d33", "#0d0e11", "#f2f0ea"], red: ["#cf3f3a", "#86201d", "#fff"],
    green: ["#3d9a57", "#1f5c32", "#fff"], yellow: ["#f2c230", "#9a7608", "#3a2f00"], orange: ["#e8822e", "#934b0f", "#fff"],
    blue: ["#3b74c9", "#1e4484", "#fff"], pink: ["#e0659e", "#933560", "#fff"], purple: ["#8656c2", "#512d80", "#fff"],
    teal: ["#2b9c9c", "#136060", "#fff"], brown: ["#8f6242", "#56371f", "#fff"], none: ["#b9b4a8", "#7d776a", "#2d2a24"],
};
const owners = ["blue", "orange", "green", "purple", "yellow", "teal", "red", "pink"];

export function colour(tint, owner) {
    return tints[tint ?? (owner === null || owner === undefined ? "none" : owners[owner % owners.length])] ?? tints.none;
}

export const roleColour = (layout, role) => colour(layout.roles[role]?.tint, role);

// A piece has the colour its name speaks of, or its owner's; kinds of a single player's pieces are told apart by it.
export function pieceColour(layout, piece) {
    if (layout.roles.length === 1 && !piece.tint) return colour(undefined, layout.pieces.filter(other => other.figure !== "none").indexOf(piece));
    return colour(piece.tint ?? (piece.owner !== null ? layout.roles[piece.owner]?.tint : undefined), piece.owner);
}
