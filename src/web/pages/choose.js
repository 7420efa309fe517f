// SPDX-License-Identifier: GPL-3.0-or-later
// The library as cards, each with its first position, and the way in for sheets of one's own.
import {h, put, toast, icon} from "./dom.js";
import {get, library} from "./api.js";
import {Board} from "./board.js";
import {load, save} from "./store.js";
import {setUp} from "./setup.js";
import {plural} from "./words.js";

const turnWords = {alone: "puzzle", alternating: "in turn", "one at a time": "in turn", simultaneous: "all at once"};

// Pictures, a few under way at once, of cards that can be seen.
const pictures = new Map();
export function picture(name) {
    if (!pictures.has(name)) pictures.set(name, get("games/" + encodeURIComponent(name) + "/picture").catch(error => ({trouble: error.message})));
    return pictures.get(name);
}

export function drawSmall(answer) {
    const boards = answer.layout?.boards ?? [];
    const facts = answer.position?.picture.facts ?? [];
    if (!boards.length) return h("div", {class: "facts-small"}, facts.length ? facts.slice(0, 6).map(fact => h("span", {class: "chip"}, fact.join(" "))) : h("span", {class: "muted"}, "no board"));
    const drawn = boards.slice(0, 2).map((board, i) => {
        const one = new Board(answer.layout, i, {small: true});
        one.show(answer.position?.picture.boards[i]);
        return one.root;
    });
    return drawn;
}

const watcher = new IntersectionObserver(entries => {
    for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        watcher.unobserve(entry.target);
        picture(entry.target.dataset.game).then(answer => {
            put(entry.target, drawSmall(answer));
            entry.target.classList.add("ready");
        });
    }
}, {rootMargin: "300px"});

function card(game) {
    const frame = h("div", {class: "picture", "data-game": game.name});
    watcher.observe(frame);
    const facts = [game.players && plural(game.players, "player"), turnWords[game.turns], game.length && "about " + plural(Math.round(game.length), "step")];
    return h("button", {type: "button", class: "card", "data-name": game.name, onclick: () => setUp({game: game.name, title: game.title ?? game.name})},
        frame, h("span", {class: "card-title"}, game.title ?? game.name), h("span", {class: "card-facts"}, facts.filter(Boolean).join(" · ")));
}

function wanted(game, filter) {
    const text = (game.name + " " + (game.title ?? "")).toLowerCase();
    if (!filter.words.toLowerCase().split(/\s+/).every(word => text.includes(word))) return false;
    if (filter.players === "1" && game.players !== 1) return false;
    if (filter.players === "2" && game.players !== 2) return false;
    if (filter.players === "3" && !(game.players >= 3)) return false;
    return filter.turns === "" || (filter.turns === "simultaneous") === (game.turns === "simultaneous");
}

// A sheet of one's own: pasted, dropped or opened.
export async function openText(text, name) {
    if (text.trimStart().startsWith("{") || /^\s*\[\w+ "/.test(text)) return (await import("./replay.js")).openRecord(text);
    save("sheet", {name: name.replace(/\.(kif|gdl|txt)$/i, ""), text});
    location.hash = "#/write";
}

export async function openFile(file) {
    if (file.size > 12e6) return toast("This file is too large.", "bad");
    openText(await file.text(), file.name);
}

function ownSheet() {
    const input = h("input", {type: "file", accept: ".kif,.gdl,.txt,.json,.pgn", class: "unseen", tabindex: "-1", "aria-hidden": "true", onchange: event => event.target.files[0] && openFile(event.target.files[0])});
    return h("div", {class: "own"},
        h("p", {}, h("strong", {}, "A game of your own? "), "Paste a rule sheet anywhere on this page, drop a file, or"),
        h("div", {class: "row"},
            h("button", {type: "button", class: "button", onclick: () => input.click()}, icon("open"), h("span", {}, "Open a file")),
            h("a", {class: "button", href: "#/write"}, icon("format"), h("span", {}, "Write one")), input));
}

export async function show(main) {
    const filter = {words: "", players: "", turns: "", ...load("filter", {})};
    const list = h("div", {class: "cards"}), said = h("p", {class: "muted", role: "status"});
    const skeleton = Array.from({length: 12}, () => h("div", {class: "card ghost"}, h("div", {class: "picture"}), h("span", {class: "card-title"}, "\u00a0"), h("span", {class: "card-facts"}, "\u00a0")));
    put(list, skeleton);
    let games = [];
    const refresh = () => {
        const some = games.filter(game => wanted(game, filter));
        save("filter", filter);
        put(list, some.map(card));
        said.textContent = some.length === games.length ? plural(games.length, "game") : some.length + " of " + plural(games.length, "game");
    };
    const choice = (label, name, options) => h("label", {class: "field"}, h("span", {}, label),
        h("select", {onchange: event => { filter[name] = event.target.value; refresh(); }}, options.map(([value, text]) => h("option", {value, selected: filter[name] === value}, text))));
    put(main,
        h("section", {class: "hello"}, h("h1", {}, "Choose a game"), h("p", {class: "muted"}, "Ludens knows none of them: it reads the rules, as you could, and plays.")),
        h("div", {class: "filters"},
            h("label", {class: "field grow"}, h("span", {}, "Search"), h("input", {type: "search", id: "search", placeholder: "chess, hex, puzzle …", value: filter.words, oninput: event => { filter.words = event.target.value; refresh(); }})),
            choice("Players", "players", [["", "any number"], ["1", "one"], ["2", "two"], ["3", "three or more"]]),
            choice("Turns", "turns", [["", "any"], ["in turn", "in turn"], ["simultaneous", "all at once"]])),
        said, list, ownSheet());
    const paste = event => {
        const text = event.clipboardData?.getData("text") ?? "";
        if (!text.includes("(") && !text.includes("{")) return;
        if (event.target.matches?.("input, textarea") && text.length < 200) return;
        event.preventDefault();
        openText(text, "pasted");
    };
    const over = event => { event.preventDefault(); main.classList.add("dropping"); };
    const out = () => main.classList.remove("dropping");
    const drop = event => {
        event.preventDefault();
        out();
        if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
    };
    const pairs = [["paste", paste], ["dragover", over], ["dragleave", out], ["drop", drop]];
    for (const [name, run] of pairs) addEventListener(name, run);
    games = await library();
    refresh();
    return () => { for (const [name, run] of pairs) removeEventListener(name, run); };
}
