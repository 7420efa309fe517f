// SPDX-License-Identifier: GPL-3.0-or-later
// Rules on the left, the game on the right: checked while they are typed, drawn whenever they make a game.
import {h, put, toast, button} from "./dom.js";
import {get, post, remove, library, listen} from "./api.js";
import {Board} from "./board.js";
import {Editor} from "./editor.js";
import {drawFacts, drawLegend} from "./facts.js";
import {load, save, download} from "./store.js";
import {setUp} from "./setup.js";
import {plural} from "./words.js";

const PAUSE = 350; // milliseconds without a key before the sheet is checked
const START = `; A game of your own: take one, two or three matches; who takes the last one wins.
(role first)
(role second)

(init (heap 10))
(init (control first))

(<= (legal ?player (take ?n))
    (true (control ?player))
    (true (heap ?have))
    (minus ?have ?n ?left))

(<= (legal ?player noop)
    (role ?player)
    (not (true (control ?player))))

(<= (next (heap ?left))
    (does ?player (take ?n))
    (true (heap ?have))
    (minus ?have ?n ?left))

(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))

(<= terminal (true (heap 0)))

; whoever is to move now did not take the last one
(<= (goal ?player 0) (true (control ?player)))
(<= (goal ?player 100) (role ?player) (not (true (control ?player))))

(<= (minus ?have 1 ?left) (succ ?left ?have))
(<= (minus ?have 2 ?left) (succ ?left ?middle) (succ ?middle ?have))
(<= (minus ?have 3 ?left) (succ ?left ?low) (succ ?low ?middle) (succ ?middle ?have))

(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
`;

class Workshop {
    constructor(main, sheet) {
        this.name = sheet.name;
        this.editor = new Editor(sheet.text, text => this.edited(text));
        this.nameField = h("input", {id: "sheet-name", value: sheet.name, "aria-label": "Name of the game", oninput: event => { this.name = event.target.value; this.keep(); }});
        this.findings = h("ul", {class: "findings", id: "findings", "aria-live": "polite"});
        this.verdict = h("p", {class: "verdict", id: "verdict", role: "status"}, "Looking at it …");
        this.boardBox = h("div", {class: "boards"});
        this.factBox = h("div", {class: "facts"});
        this.caption = h("p", {class: "muted caption"});
        this.playButton = button("play", "Play", () => this.play(), {class: "button primary", id: "play-sheet", disabled: true});
        this.randomButton = button("dice", "Random game", () => this.random(), {id: "random", disabled: true});
        const file = h("input", {type: "file", accept: ".kif,.gdl,.txt", class: "unseen", tabindex: "-1", "aria-hidden": "true", onchange: async event => { if (event.target.files[0]) this.open(await event.target.files[0].text(), event.target.files[0].name); }});
        put(main, h("div", {class: "workshop"},
            h("section", {class: "left", "aria-label": "Rules"},
                h("div", {class: "toolbar"}, this.nameField, this.examples = h("select", {"aria-label": "Begin with a game of the library", onchange: event => this.example(event.target)}, h("option", {value: ""}, "Begin with …")),
                    button("open", "Open a file", () => file.click(), {class: "button icon-only"}), file, button("format", "Format", () => this.format(), {id: "format"}), button("save", "Download", () => download((this.name || "game") + ".kif", this.editor.text), {class: "button icon-only"})),
                this.editor.root, this.findings),
            h("section", {class: "right", "aria-label": "The game"},
                h("div", {class: "toolbar"}, this.verdict, this.randomButton, this.playButton), this.boardBox, this.caption, this.factBox)));
        library().then(games => this.examples.append(...games.map(game => h("option", {value: game.name}, game.title ?? game.name)))).catch(() => {});
        this.check();
    }

    leave() {
        clearTimeout(this.timer);
        clearInterval(this.film);
        this.asking?.abort();
        this.watching?.close();
        if (this.session) remove("sessions/" + this.session).catch(() => {});
    }

    keep() { save("sheet", {name: this.name, text: this.editor.text}); }

    edited() {
        this.keep();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.check(), PAUSE);
    }

    open(text, name) {
        this.name = this.nameField.value = name.replace(/\.(kif|gdl|txt)$/i, "");
        this.editor.text = text;
    }

    async example(select) {
        if (!select.value) return;
        const {name, rules} = await get("games/" + encodeURIComponent(select.value));
        select.value = "";
        this.open(rules, name);
    }

    async check() {
        this.asking?.abort();
        this.asking = new AbortController();
        const text = this.editor.text;
        let answer;
        try {
            answer = await post("check", {rules: text, name: this.name || "game"}, this.asking.signal);
        } catch (error) {
            if (error.name !== "AbortError") this.say(error.message, "bad");
            return;
        }
        if (text !== this.editor.text) return;
        this.answer = answer;
        this.stopFilm();
        const findings = answer.findings ?? [], errors = findings.filter(one => one.severity === "error").length;
        this.editor.show(findings);
        put(this.findings, findings.slice(0, 100).map(one => h("li", {class: one.severity},
            h("button", {type: "button", onclick: () => one.line && this.editor.goTo(one.line, one.column)},
                h("span", {class: "place"}, one.line ? one.line + ":" + one.column : "sheet"), h("span", {}, one.text, one.hint && h("span", {class: "muted"}, " — " + one.hint))))));
        const good = Boolean(answer.position) && !errors;
        this.playButton.disabled = this.randomButton.disabled = !good;
        if (!good) {
            this.say(errors ? plural(errors, "error") : answer.trouble ?? "This is no game yet.", "bad");
            this.boardBox.classList.add("stale");
            return;
        }
        const warnings = findings.length;
        this.say(warnings ? "Playable, " + plural(warnings, "warning") : "Playable", "good");
        this.draw(answer.position);
        const {trial, layout} = answer;
        this.caption.textContent = [plural(answer.roles.length, "role") + ": " + answer.roles.join(", "), layout.turns, trial && trial.ended > 0 && "random games take " + (trial.shortest === trial.longest ? trial.longest : trial.shortest + " to " + trial.longest) + " steps"].filter(Boolean).join(" · ");
    }

    say(text, kind) {
        this.verdict.textContent = text;
        this.verdict.className = "verdict " + kind;
    }

    draw(position) {
        const {layout} = this.answer;
        if (this.drawn !== this.answer) {
            this.drawn = this.answer;
            this.boards = layout.boards.map((_, i) => new Board(layout, i));
            put(this.boardBox, this.boards.map(board => board.root));
            this.boardBox.dataset.count = this.boards.length;
        }
        this.boardBox.classList.remove("stale");
        this.boardBox.classList.toggle("none", !this.boards.length);
        this.boards.forEach((board, i) => {
            board.show(position.picture.boards[i]);
            board.mark({changed: new Set((position.changed ?? []).filter(one => one.board === i).flatMap(one => one.cells))});
        });
        drawFacts(this.factBox, layout, position.picture.facts);
        this.factBox.append(drawLegend(layout));
    }

    async format() {
        try {
            const answer = await post("format", {rules: this.editor.text});
            if (answer.rules !== undefined) this.editor.text = answer.rules;
            else toast("It can be formatted when its brackets are right.", "bad");
        } catch (error) {
            toast(error.message, "bad");
        }
    }

    play() { setUp({rules: this.editor.text, name: this.name || "game", title: this.name || "game", seen: this.answer}); }

    stopFilm() {
        clearInterval(this.film);
        this.watching?.close();
        if (this.session) remove("sessions/" + this.session).catch(() => {});
        this.session = this.watching = null;
    }

    // A random game, shown as a film.
    async random() {
        this.stopFilm();
        try {
            const {id} = await post("sessions", {rules: this.editor.text, name: this.name || "game", random: Math.floor(Math.random() * 1e9), seats: []});
            this.session = id;
            this.watching = listen(id, {
                table: data => { if (data.game?.layout && data.position) this.roll(id, data); },
                dead: data => { this.say(data.why, "bad"); this.stopFilm(); },
            });
        } catch (error) {
            toast(error.message, "bad");
        }
    }

    roll(id, data) {
        this.watching.close();
        let turn = 0;
        const pause = Math.max(60, Math.min(500, 12000 / Math.max(1, data.turn)));
        clearInterval(this.film);
        this.film = setInterval(async () => {
            const at = turn++;
            if (at > data.turn) {
                this.stopFilm();
                const end = data.position.goals ? "ended after " + plural(data.turn, "step") + ": " + data.position.goals.map((goal, i) => this.answer.roles[i] + " " + (goal ?? "?")).join(", ") : "not over after " + plural(data.turn, "step");
                this.caption.textContent = "A random game " + end;
                return;
            }
            const position = at === data.turn ? data.position : await get("sessions/" + id + "/positions/" + at).catch(() => null);
            if (position && this.session === id) this.draw(position);
        }, pause);
    }
}

export async function show(main, [game]) {
    let sheet = load("sheet", {name: "my game", text: START});
    if (game) {
        const {name, rules} = await get("games/" + encodeURIComponent(game));
        sheet = {name, text: rules};
    }
    const workshop = new Workshop(main, sheet);
    return () => workshop.leave();
}
