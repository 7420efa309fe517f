// SPDX-License-Identifier: GPL-3.0-or-later
// Who sits where: the dialog before a game. Also used to change seats later and to play on from a record.
import {h, put, toast} from "./dom.js";
import {post, presets} from "./api.js";
import {load, save} from "./store.js";
import {picture, drawSmall} from "./choose.js";
import {roleColour} from "./colours.js";
import {strengths, seconds} from "./words.js";

// One row per role: a person, one of our players, or a player elsewhere.
export async function seatRows(roles, layout, given) {
    const {players, longest} = await presets();
    const rows = roles.map((role, i) => {
        const before = given[i] ?? {kind: i === 0 ? "person" : "player", player: "champion", clock: 1};
        const who = h("select", {"aria-label": "Who plays " + role, class: "who"},
            h("option", {value: "person"}, "A person"),
            h("optgroup", {label: "Ludens"}, players.map(player => h("option", {value: player.name, title: player.help}, player.name === "champion" ? "Ludens (champion)" : player.name))),
            h("option", {value: "remote"}, "A player elsewhere …"));
        const time = h("select", {"aria-label": "Time for " + role, class: "time"}, strengths.filter(([s]) => s <= longest).map(([s, word]) => h("option", {value: s}, word + ", " + seconds(s))));
        const url = h("input", {type: "url", placeholder: "http://host:9147", "aria-label": "Address of the player of " + role});
        who.value = before.kind === "player" ? before.player : before.kind;
        if (!who.value) who.value = "champion";
        if (before.kind === "remote") url.value = before.player;
        time.value = String(before.clock ?? 1);
        if (!time.value) time.value = "1";
        const arrange = () => {
            time.hidden = who.value === "person";
            url.hidden = who.value !== "remote";
        };
        who.addEventListener("change", arrange);
        arrange();
        const [fill, edge] = layout ? roleColour(layout, i) : ["", ""];
        const row = h("div", {class: "seat-row"}, h("span", {class: "role"}, h("span", {class: "dot", style: {background: fill, borderColor: edge}}), role), who, time, url);
        row.read = () => who.value === "person" ? {kind: "person", clock: 1}
            : who.value === "remote" ? {kind: "remote", player: url.value.trim(), clock: Number(time.value)}
                : {kind: "player", player: who.value, clock: Number(time.value)};
        return row;
    });
    return rows;
}

export function dialog(title, content, actions) {
    const box = h("dialog", {"aria-labelledby": "dialog-title"}, h("form", {method: "dialog"}, h("h2", {id: "dialog-title"}, title), content, h("div", {class: "row end"}, actions)));
    document.body.append(box);
    box.addEventListener("close", () => box.remove());
    box.addEventListener("click", event => { if (event.target === box) box.close(); });
    box.showModal();
    return box;
}

// Ask, then begin: what is {game} or {rules, name}, and perhaps {moves}.
export async function setUp(what) {
    const preview = h("div", {class: "picture large"}), rowsBox = h("div", {class: "seats-form"}, h("p", {class: "muted"}, "Reading the rules …"));
    const start = h("button", {type: "submit", class: "button primary", id: "start", disabled: true}, "Play");
    const box = dialog(what.title ?? what.name, [preview, rowsBox], [h("button", {type: "button", class: "button", onclick: () => box.close()}, "Cancel"), start]);
    const answer = what.game ? await picture(what.game) : what.seen;
    put(preview, drawSmall(answer));
    if (!answer.roles) return void put(rowsBox, h("p", {class: "bad"}, answer.trouble ?? "These rules cannot be played."));
    const key = "seats." + (what.game ?? "own") + "." + answer.roles.length;
    const rows = await seatRows(answer.roles, answer.layout, load(key, []));
    put(rowsBox, rows);
    start.disabled = false;
    start.focus();
    box.querySelector("form").addEventListener("submit", async event => {
        event.preventDefault();
        start.disabled = true;
        const seats = rows.map(row => row.read());
        save(key, seats);
        try {
            const {id} = await post("sessions", {game: what.game, rules: what.rules, name: what.name, moves: what.moves, seats});
            box.close();
            location.hash = "#/table/" + id;
        } catch (error) {
            toast(error.message, "bad");
            start.disabled = false;
        }
    });
}
