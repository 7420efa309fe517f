// SPDX-License-Identifier: GPL-3.0-or-later
// Records: opened, dropped or pasted; shown by the same page as games being played.
import {h, put, toast, icon} from "./dom.js";
import {post} from "./api.js";

export async function openRecord(text) {
    const {id} = await post("sessions", {record: text});
    location.hash = "#/table/" + id;
}

async function open(text) {
    try {
        await openRecord(text);
    } catch (error) {
        toast(error.message, "bad");
    }
}

export function show(main) {
    const input = h("input", {type: "file", id: "record-file", accept: ".json,.pgn,.txt", class: "unseen", onchange: async event => { if (event.target.files[0]) open(await event.target.files[0].text()); }});
    const text = h("textarea", {id: "record-text", rows: 8, spellcheck: "false", "aria-label": "A record", placeholder: "… or paste a record here"});
    put(main, h("section", {class: "hello"}, h("h1", {}, "Replay a game"),
        h("p", {class: "muted"}, "Records of ludens play, match, serve and lab game, and those saved here: JSON, or text after chess's PGN. Step through it, see what the players thought, and play on from any position.")),
        h("div", {class: "drop-zone"}, h("label", {class: "button primary", for: "record-file"}, icon("open"), h("span", {}, "Open a record")), input, h("p", {class: "muted"}, "or drop a file here")),
        text, h("div", {class: "row end"}, h("button", {type: "button", id: "open-record", class: "button primary", onclick: () => text.value.trim() ? open(text.value) : toast("There is nothing to replay yet.")}, "Replay")));
    const over = event => { event.preventDefault(); main.classList.add("dropping"); };
    const out = () => main.classList.remove("dropping");
    const drop = async event => {
        event.preventDefault();
        out();
        if (event.dataTransfer.files[0]) open(await event.dataTransfer.files[0].text());
    };
    const pairs = [["dragover", over], ["dragleave", out], ["drop", drop]];
    for (const [name, run] of pairs) addEventListener(name, run);
    return () => { for (const [name, run] of pairs) removeEventListener(name, run); };
}
