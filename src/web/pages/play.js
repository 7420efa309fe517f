// SPDX-License-Identifier: GPL-3.0-or-later
// A session: the board, who sits there, what was played, what is thought. The server holds the game; this page shows what
// its events say, and sends choices.
import {h, put, announce, toast, button} from "./dom.js";
import {get, post, listen, library} from "./api.js";
import {Board} from "./board.js";
import {Choice} from "./choice.js";
import {Seats} from "./seats.js";
import {History} from "./history.js";
import {Thinking} from "./think.js";
import {Tree} from "./tree.js";
import {statusOf} from "./status.js";
import {tabs} from "./tabs.js";
import {openMenu} from "./menu.js";
import {linkTo} from "./link.js";
import {drawFacts, drawLegend} from "./facts.js";
import {dialog, seatRows} from "./setup.js";
import {download} from "./store.js";
import {plain, told} from "./words.js";

const LIVE = null;

export class Table {
    constructor(main, id, turn) {
        this.main = main;
        this.id = id;
        this.viewing = turn === undefined ? LIVE : Number(turn);
        this.positions = new Map();
        this.build();
        this.source = listen(id, {
            table: data => this.onTable(data),
            position: data => this.onPosition(data),
            chosen: data => this.onChosen(data),
            thinking: data => this.seats?.thinking(data.role, data.seconds),
            thoughts: data => this.onThoughts(data),
            advice: data => this.onAdvice(data),
            rest: () => this.onRest(),
            remark: data => this.onRemark(data),
            dead: data => this.onDead(data.why),
            error: closed => this.onLost(closed),
        });
    }

    leave() {
        this.source.close();
        clearInterval(this.player);
        removeEventListener("keydown", this.onKey);
    }

    // ---- the frame

    build() {
        this.status = h("div", {class: "status", id: "status"}, "Setting the table …");
        this.boardBox = h("div", {class: "boards"});
        this.factBox = h("div", {class: "facts"});
        this.actionBox = h("div", {class: "actions"});
        this.seatBox = h("div", {class: "seats"});
        const step = (name, text, to) => button(name, text, to, {class: "button icon-only"});
        this.controls = h("div", {class: "controls", role: "toolbar", "aria-label": "Game"},
            h("div", {class: "group"},
                step("first", "First position", () => this.view(0)), step("previous", "One step back", () => this.view(this.at() - 1)),
                this.playButton = step("play", "Play it through", () => this.playThrough()),
                step("next", "One step on", () => this.view(this.at() + 1)), step("last", "Last position", () => this.view(this.turn()))),
            h("div", {class: "group"},
                this.hintButton = button("hint", "Hint", () => this.hint(), {id: "hint"}),
                this.backButton = button("back", "Take back", () => this.takeBack(), {id: "back"}),
                this.againButton = button("again", "Start over", () => this.back(0), {id: "again"}),
                this.analyseButton = button("think", "Analyse", () => this.analyse(), {id: "analyse", "aria-pressed": "false"})),
            h("div", {class: "group"},
                step("flip", "Turn the board", () => this.boards?.forEach(board => { board.flip(); this.draw(); })),
                step("save", "Save the record", () => this.save()), step("link", "Copy a link to this position", () => this.copyLink())));
        this.history = new History(turn => this.view(turn));
        this.thoughts = new Thinking({preview: (move, steps) => this.preview(move, steps), end: () => this.endPreview()});
        this.tree = new Tree(this);
        this.tabs = tabs([["moves", "Moves", this.history.root], ["thinking", "Thinking", this.thoughts.root], ["tree", "Tree", this.tree.root]], name => this.onTab(name));
        put(this.main, h("div", {class: "table"},
            h("section", {class: "stage", "aria-label": "Board"}, this.status, this.boardBox, this.actionBox, this.controls, this.factBox),
            h("aside", {class: "side"}, this.seatBox, this.tabs.root)));
        this.onKey = event => {
            if (event.key === "Escape" && event.target.closest?.("[data-cell]")) return void this.deselect();
            if (event.target.closest?.("input, select, textarea, dialog, [data-cell]") || event.ctrlKey || event.metaKey || event.altKey) return;
            if (event.key === "ArrowLeft") this.view(this.at() - 1);
            else if (event.key === "ArrowRight") this.view(this.at() + 1);
            else if (event.key === "Home") this.view(0);
            else if (event.key === "End") this.view(this.turn());
            else if (event.key === "Escape") this.deselect();
            else return;
            event.preventDefault();
        };
        addEventListener("keydown", this.onKey);
    }

    // ---- events of the server

    onTable(data) {
        const before = this.data;
        this.data = data;
        this.lost = false;
        if (data.stage === "dead") return this.onDead(data.trouble);
        if (!data.game?.layout || !data.position) return;
        this.layout = data.game.layout;
        document.title = data.name + " · Ludens";
        this.positions.clear();
        this.positions.set(data.turn, data.position);
        this.hintMove = null;
        if (!before?.game?.layout) {
            this.boards = this.layout.boards.map((_, i) => new Board(this.layout, i, {choose: (board, cell, how) => this.choose(board, cell, how)}));
            put(this.boardBox, this.boards.map(board => board.root));
            this.boardBox.classList.toggle("none", !this.boards.length);
            this.boardBox.dataset.count = this.boards.length;
            this.tree.reset();
            if (data.game.record) this.tabs.pick("moves");
            if (data.game.fault) toast("The record cannot be followed further: " + data.game.fault, "bad");
        }
        this.seats = new Seats(this.seatBox, this.layout, data, role => this.changeSeat(role));
        this.history.show(data.steps, this.layout);
        this.thoughts.reset(data, this.layout);
        if (this.viewing !== LIVE && this.viewing >= data.turn) this.viewing = LIVE;
        if (this.viewing === LIVE && data.paused && data.game.record && before === undefined) this.viewing = data.turn > 0 ? 0 : LIVE;
        this.newChoice();
        this.refresh();
        if (this.analysing) this.ask();
    }

    onPosition(data) {
        this.data.turn = data.turn;
        this.data.position = data.position;
        this.data.steps[data.turn - 1] = data.step;
        this.data.steps.length = data.turn;
        this.data.seats.forEach(seat => { seat.chosen = false; seat.thinking = false; });
        this.data.stage = data.position.terminal ? "over" : "waiting";
        this.positions.set(data.turn, data.position);
        this.hintMove = null;
        this.history.add(data.turn, data.step);
        this.thoughts.add(data.turn, data.step);
        this.seats.turn(this.data);
        this.newChoice();
        this.refresh();
        const moves = told(data.step.moves).map(({move, role}) => this.roleName(role) + ": " + plain(move)).join(", ");
        announce(moves + ". " + this.status.textContent);
        if (this.analysing && this.viewing === LIVE) this.ask();
    }

    onChosen(data) {
        if (data.turn !== this.data.turn) return;
        this.data.seats[data.role].chosen = true;
        this.seats.chosen(data.role);
        this.newChoice();
        this.refresh();
    }

    onThoughts(data) {
        this.thoughts.live(data);
        this.tree.live(data);
    }

    onAdvice(data) {
        this.analyseButton.setAttribute("aria-pressed", "false");
        if (!this.hinting) return this.onRest();
        this.hinting = false;
        this.hintButton.disabled = false;
        if (data.turn !== this.data.turn || !data.move) return;
        this.hintMove = data.position === undefined ? data.move : null;
        announce("Hint: " + plain(data.move));
        this.refresh();
    }

    onRest() {
        this.hinting = false;
        this.hintButton.disabled = false;
        this.analysing = false;
        this.analyseButton.setAttribute("aria-pressed", "false");
        this.thoughts.rest();
    }

    onRemark(data) {
        toast((data.role === null || data.role === undefined ? "" : this.roleName(data.role) + ": ") + data.text, "bad");
    }

    onDead(why) {
        this.source.close();
        put(this.main, h("div", {class: "empty", role: "alert"}, h("h1", {}, "This game has ended"), h("p", {id: "trouble"}, why),
            h("p", {class: "row center"}, h("a", {class: "button primary", href: "#/"}, "Choose a game"), h("a", {class: "button", href: "#/write"}, "To the rules"))));
    }

    async onLost(closed) {
        if (this.lost) return;
        this.lost = true;
        if (closed) {
            const why = await get("sessions/" + this.id).then(() => "The connection broke off.", error => error.message);
            this.onDead(why);
        } else {
            toast("The connection broke off; trying again …", "bad");
        }
    }

    // ---- where we are

    turn() { return this.data?.turn ?? 0; }
    at() { return this.viewing === LIVE ? this.turn() : this.viewing; }
    roleName(role) { return this.layout.roles[role].name; }

    async position(turn) {
        if (!this.positions.has(turn)) this.positions.set(turn, await get("sessions/" + this.id + "/positions/" + turn));
        return this.positions.get(turn);
    }

    async view(turn) {
        if (!this.data || turn < 0 || turn > this.turn()) return;
        this.viewing = turn === this.turn() ? LIVE : turn;
        if (!this.previewing) clearTimeout(this.previewTimer);
        try {
            await this.position(turn);
        } catch (error) {
            return toast(error.message, "bad");
        }
        this.newChoice();
        this.refresh();
        if (this.analysing) this.ask();
    }

    playThrough() {
        const stop = () => { clearInterval(this.player); this.player = null; };
        if (this.player) return stop();
        if (this.at() === this.turn()) this.view(0);
        this.player = setInterval(() => { if (this.at() >= this.turn()) stop(); else this.view(this.at() + 1); }, 700);
    }

    // The person whose turn it is to choose at this screen: the first who has not.
    actor() {
        if (this.viewing !== LIVE || !this.data || this.data.stage !== "waiting") return null;
        const i = this.data.seats.findIndex((seat, role) => seat.kind === "person" && !seat.chosen && this.legal(role).length > 0 && !this.automatic(role));
        return i < 0 ? null : i;
    }

    legal(role) { return this.data.position.legal?.[role] ?? []; }

    automatic(role) {
        const legal = this.legal(role);
        return this.data.seats.length > 1 && legal.length === 1 && !legal[0].move.startsWith("(");
    }

    newChoice() {
        const actor = this.actor();
        this.choice = actor === null ? null : new Choice(this.layout, this.legal(actor));
    }

    // ---- drawing

    async refresh() {
        const turn = this.at(), position = await this.position(turn).catch(() => null);
        if (!position || turn !== this.at()) return;
        this.shown = position;
        this.draw();
        this.history.mark(turn);
        this.thoughts.mark(turn);
        drawFacts(this.factBox, this.layout, position.picture.facts);
        this.factBox.append(drawLegend(this.layout));
        this.drawActions();
        this.tell();
        const live = this.viewing === LIVE, actor = this.actor();
        this.hintButton.disabled = actor === null || this.hinting;
        this.backButton.disabled = this.turn() === 0;
        this.againButton.disabled = this.turn() === 0;
        this.analyseButton.disabled = position.terminal;
        this.main.classList.toggle("past", !live);
    }

    draw() {
        if (this.previewing || !this.shown) return;
        this.boards.forEach((board, i) => {
            board.show(this.shown.picture.boards[i]);
            const changed = new Set((this.shown.changed ?? []).filter(one => one.board === i).flatMap(one => one.cells));
            board.mark({...(this.choice?.marks(i) ?? {}), changed, hint: this.hintCells(i)});
        });
    }

    hintCells(board) {
        const actor = this.actor();
        if (!this.hintMove || actor === null) return [];
        const touch = this.legal(actor).find(one => one.move === this.hintMove)?.touch;
        return touch?.board === board ? touch.cells : [];
    }

    drawActions() {
        const actor = this.actor(), box = this.actionBox;
        if (this.viewing !== LIVE || (this.data.paused && this.data.stage === "waiting" && actor === null)) {
            const live = this.data.stage !== "over" && this.viewing !== LIVE && !this.data.paused;
            return void put(box, h("button", {type: "button", class: "button primary", id: "continue", onclick: () => this.resume(this.at())}, "Play on from here"),
                live && h("button", {type: "button", class: "button", onclick: () => this.view(this.turn())}, "Back to the game"));
        }
        if (this.data.stage === "over")
            return void put(box, h("button", {type: "button", class: "button primary", id: "rematch", onclick: () => this.back(0)}, "Play again"), h("a", {class: "button", href: "#/"}, "Another game"));
        if (actor === null) return void put(box);
        const placeless = this.choice.placeless;
        const buttons = list => list.map(({move}) => h("button", {type: "button", class: "move" + (move === this.hintMove ? " hinted" : ""), "data-move": move, onclick: () => this.play(move)}, plain(move)));
        const shownMoves = h("div", {class: "moves"}, buttons(placeless));
        const filter = placeless.length > 24 && h("input", {type: "search", placeholder: "filter " + placeless.length + " moves", "aria-label": "Filter moves", oninput: event => put(shownMoves, buttons(placeless.filter(({move}) => move.includes(event.target.value))))});
        const named = this.choice.moves.filter(one => !one.touch.guessed);
        const all = named.length > 0 && h("details", {class: "all-moves"}, h("summary", {}, "All moves as a list (" + this.legal(actor).length + ")"), h("div", {class: "moves"}, buttons(named)));
        put(box, filter, placeless.length > 0 && shownMoves, all);
    }

    // The line above the board.
    tell() {
        const {text, kind} = statusOf(this);
        this.status.textContent = text;
        this.status.className = "status " + kind;
    }

    // ---- choosing

    choose(board, cell, how) {
        if (!this.choice) return;
        const {play, menu} = this.choice.at(board, cell, how);
        if (play) return void this.play(play.move);
        this.draw();
        if (menu) openMenu(this.boards[board].cells.get(cell).element, menu.map(one => one.move), move => this.play(move));
    }

    deselect() {
        if (!this.choice?.selected) return;
        this.choice.selected = null;
        this.draw();
    }

    async play(move) {
        const role = this.actor();
        if (role === null) return;
        this.choice.selected = null;
        this.data.seats[role].chosen = true;
        this.newChoice();
        this.refresh();
        try {
            await post("sessions/" + this.id + "/move", {turn: this.turn(), role, move});
        } catch (error) {
            this.data.seats[role].chosen = false;
            this.newChoice();
            this.refresh();
            toast(error.message, "bad");
        }
    }

    async send(what, body) {
        try {
            return await post("sessions/" + this.id + "/" + what, body);
        } catch (error) {
            toast(error.message, "bad");
            return null;
        }
    }

    async hint() {
        const role = this.actor();
        if (role === null) return;
        this.hinting = true;
        this.hintButton.disabled = true;
        if (!await this.send("advice", {role, seconds: 1})) this.onRest();
    }

    // To the last turn in which somebody at this screen chose.
    takeBack() {
        const persons = this.data.seats.map((seat, role) => seat.kind === "person" ? role : -1).filter(role => role >= 0);
        let turn = this.turn() - 1;
        const chose = step => persons.some(role => (step.seconds?.[role] ?? 1) > 0);
        while (turn > 0 && persons.length && !chose(this.data.steps[turn])) turn--;
        this.back(Math.max(0, turn));
    }

    back(turn) {
        this.viewing = LIVE;
        this.send("back", {turn});
    }

    async resume(turn) {
        const rows = await seatRows(this.layout.roles.map(role => role.name), this.layout, this.data.seats.map(seat => ({...seat, kind: seat.kind})));
        const go = h("button", {type: "submit", class: "button primary", id: "start"}, "Play");
        const box = dialog("Play on from position " + turn, h("div", {class: "seats-form"}, rows), [h("button", {type: "button", class: "button", onclick: () => box.close()}, "Cancel"), go]);
        box.querySelector("form").addEventListener("submit", () => {
            this.viewing = LIVE;
            this.send("resume", {turn, seats: rows.map(row => row.read())});
        });
    }

    async changeSeat(role) {
        const rows = await seatRows([this.roleName(role)], null, [this.data.seats[role]]);
        const go = h("button", {type: "submit", class: "button primary"}, "Take the seat");
        const box = dialog("Who plays " + this.roleName(role) + "?", h("div", {class: "seats-form"}, rows), [h("button", {type: "button", class: "button", onclick: () => box.close()}, "Cancel"), go]);
        box.querySelector("form").addEventListener("submit", () => this.send("seat", {role, paused: this.data.paused && this.data.stage !== "waiting", ...rows[0].read()}));
    }

    // ---- thinking

    // Whose moves to look at: whoever has a choice in the position shown.
    thinker() {
        const legal = this.shown?.legal ?? [];
        const choosing = legal.map((moves, role) => ({role, n: moves.length})).filter(one => one.n > 1);
        return choosing[0]?.role ?? 0;
    }

    analyse() {
        if (this.analysing) return void this.send("rest").then(() => this.onRest());
        this.analysing = true;
        this.tabs.pick("thinking");
        this.ask();
    }

    async ask() {
        const position = await this.position(this.at()).catch(() => null);
        if (!position || position.terminal) return this.onRest();
        const role = this.thinker();
        this.analyseButton.setAttribute("aria-pressed", "true");
        this.thoughts.expect(this.at(), role);
        if (!await this.send("advice", {role, turn: this.at()})) this.onRest();
    }

    onTab(name) {
        if (name === "tree") this.tree.open();
    }

    // The position a line would lead to, on the board while somebody points at it.
    async preview(turn, steps) {
        const number = this.previewNumber = (this.previewNumber ?? 0) + 1;
        const answer = await post("sessions/" + this.id + "/line", {turn, moves: steps}).catch(() => null);
        if (!answer?.positions.length || number !== this.previewNumber) return;
        this.previewing = true;
        let i = 0;
        const next = () => {
            if (number !== this.previewNumber) return;
            const position = answer.positions[i];
            this.boards.forEach((board, b) => {
                board.show(position.picture.boards[b]);
                board.mark({changed: new Set((position.changed ?? []).filter(one => one.board === b).flatMap(one => one.cells))});
            });
            if (++i < answer.positions.length) this.previewTimer = setTimeout(next, 450);
        };
        next();
        this.boardBox.classList.add("preview");
    }

    endPreview() {
        this.previewNumber = (this.previewNumber ?? 0) + 1;
        clearTimeout(this.previewTimer);
        this.previewing = false;
        this.boardBox.classList.remove("preview");
        this.draw();
    }

    // ---- keeping

    async save() {
        const record = await get("sessions/" + this.id + "/record").catch(error => void toast(error.message, "bad"));
        if (record) download(this.data.name + ".json", JSON.stringify(record, null, 1), "application/json");
    }

    async copyLink() {
        const known = (await library()).some(game => game.name === this.data.name);
        if (!known) return toast("Links work for games of the library. Save the record instead: it contains its rules.");
        const link = linkTo(this.data.name, this.data.steps.slice(0, this.at()));
        try {
            await navigator.clipboard.writeText(link);
            toast("The link is on the clipboard.");
        } catch {
            dialog("A link to this position", h("input", {value: link, readonly: true, class: "wide"}), [h("button", {type: "submit", class: "button"}, "Close")]);
        }
    }
}

export async function show(main, [id, turn]) {
    await get("sessions/" + id); // says clearly when it is gone
    const table = new Table(main, id, turn);
    return () => table.leave();
}
