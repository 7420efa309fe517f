// SPDX-License-Identifier: GPL-3.0-or-later
// Boards in SVG. Where cells lie and what stands on them comes from the server (docs/web-api.md); this file only draws,
// and tells which cell was clicked, dragged to, or chosen by keys.
import {s} from "./dom.js";
import {drawPiece} from "./pieces.js";

const CELL = 100;

// How the cells of a board look: squares, or spots where there is more hole than board.
function looks(board) {
    const full = board.cells.length / (board.width * board.height * Math.max(1, board.titles.length));
    const spots = board.shape !== "grid" || full < 0.49;
    const half = !spots && full < 0.55; // draughts: only the dark squares exist
    return {spots, half, checkered: !spots && !half && board.moving};
}

function bounds(board) {
    let right = 0, bottom = 0;
    for (const cell of board.cells) {
        right = Math.max(right, cell.x);
        bottom = Math.max(bottom, cell.y);
    }
    return {width: (right + 1) * CELL, height: (bottom + 1) * CELL};
}

export class Board {
    // choose(cell, how): a cell was clicked ("click"), taken ("take") or dropped on ("drop").
    constructor(layout, number, {choose, small = false} = {}) {
        this.layout = layout;
        this.board = layout.boards[number];
        this.number = number;
        this.choose = choose;
        this.small = small;
        this.cells = new Map();
        this.flipped = false;
        this.draw();
    }

    draw() {
        const {board, small} = this;
        const look = this.look = looks(board);
        const {width, height} = this.size = bounds(board);
        const labelled = !small && board.shape === "grid" && board.titles.length === 0 && board.width <= 40;
        const size = this.fontSize = Math.min(28, 9 + 2.4 * Math.max(board.width, board.height));
        const left = labelled ? 18 + size : 8, below = labelled ? 14 + size : 8, top = board.titles.length && !small ? 62 : 8;
        this.root = s("svg", {
            viewBox: `${-left} ${-top} ${width + left + 8} ${height + top + below}`, class: "board" + (look.spots ? " spots" : "") + (look.half ? " half" : "") + (board.moving ? " moving" : ""),
            role: small ? "img" : "group", "aria-label": small ? "starting position" : "board " + board.name,
        });
        if (small) this.root.setAttribute("aria-hidden", "true");
        this.ground();
        if (labelled) this.labels(width, height);
        this.linkLayer = s("g", {class: "links"});
        this.root.append(this.linkLayer);
        if (!small) for (const title of board.titles)
            this.root.append(s("text", {class: "axis title", x: (title.x + board.width / 2) * CELL, y: title.y * CELL - 18}, board.name + " " + title.text));
        this.cellLayer = s("g", {class: "cells"});
        this.pieceLayer = s("g", {class: "pieces", "aria-hidden": "true"});
        this.markLayer = s("g", {class: "marks", "aria-hidden": "true"});
        this.root.append(this.cellLayer, this.pieceLayer, this.markLayer);
        for (const cell of board.cells) this.cell(cell, look);
        this.links();
        if (!small) this.listen();
        const first = board.cells[0];
        if (!small && first) this.cells.get(first.cell).element.setAttribute("tabindex", "0");
    }

    ground() {
        if (this.look.spots && this.board.shape !== "grid") return;
        const {board} = this, planes = board.titles.length ? board.titles : [{x: 0, y: 0}];
        for (const plane of planes)
            this.root.append(s("rect", {class: "ground", x: plane.x * CELL - 6, y: plane.y * CELL - 6, width: board.width * CELL + 12, height: board.height * CELL + 12, rx: 10}));
    }

    labels(width, height) {
        const {board} = this;
        board.columns.forEach((name, i) => this.root.append(s("text", {class: "axis", x: (i + 0.5) * CELL, y: height + 10 + this.fontSize, "font-size": this.fontSize}, name.slice(0, 6))));
        board.rows.forEach((name, i) => this.root.append(s("text", {class: "axis row", x: -14, y: (board.height - 1 - i + 0.5) * CELL + this.fontSize / 3, "font-size": this.fontSize}, name.slice(0, 6))));
    }

    links() {
        this.linkLayer.replaceChildren();
        for (const [from, to] of this.board.links) {
            const a = this.cells.get(from)?.at, b = this.cells.get(to)?.at;
            if (a && b) this.linkLayer.append(s("line", {x1: a.x, y1: a.y, x2: b.x, y2: b.y}));
        }
    }

    place(cell) {
        return this.flipped ? {x: this.size.width - (cell.x + 0.5) * CELL, y: this.size.height - (cell.y + 0.5) * CELL}
            : {x: (cell.x + 0.5) * CELL, y: (cell.y + 0.5) * CELL};
    }

    cell(cell, look) {
        const at = this.place(cell);
        const dark = look.half || (look.checkered && (cell.column + cell.row) % 2 === 0);
        const shape = look.spots ? s("circle", {r: 44, class: "cell"}) : s("rect", {x: -50, y: -50, width: 100, height: 100, class: "cell" + (dark ? " dark" : "")});
        const element = s("g", {transform: `translate(${at.x} ${at.y})`, "data-cell": cell.cell, "data-board": this.number}, shape);
        if (!this.small) {
            element.setAttribute("role", "button");
            element.setAttribute("tabindex", "-1");
            element.classList.add("place");
        }
        this.cellLayer.append(element);
        this.cells.set(cell.cell, {cell, element, at, things: []});
    }

    // What stands where: the server's position.picture.boards[number].
    show(squares) {
        this.pieceLayer.replaceChildren();
        for (const place of this.cells.values()) place.things = [];
        for (const [cell, ...things] of squares ?? []) {
            const place = this.cells.get(cell);
            if (place) place.things = things;
        }
        for (const place of this.cells.values()) this.pile(place);
        if (!this.small) this.describe();
    }

    pile(place) {
        const {things, at} = place, n = things.length, {stacked} = this.board;
        place.pieces = things.map((thing, i) => {
            const piece = drawPiece(this.layout, thing, this.board.moving);
            let x = at.x, y = at.y, size = 1;
            if (stacked) {
                size = 0.86;
                y += 8 - i * Math.min(15, 46 / n);
            } else if (n > 1) {
                size = n > 4 ? 0.4 : 0.56;
                const across = Math.ceil(Math.sqrt(n)), row = Math.floor(i / across), rows = Math.ceil(n / across);
                x += ((i % across) - (across - 1) / 2) * (92 / across);
                y += (row - (rows - 1) / 2) * (92 / rows);
            }
            piece.setAttribute("transform", `translate(${x} ${y})` + (size === 1 ? "" : ` scale(${size})`));
            this.pieceLayer.append(piece);
            return piece;
        });
    }

    // {can: Set of cells that can be chosen, from: those where a move begins and goes elsewhere, selected, targets: Set, changed: Set, hint: [cells]}
    mark({can = new Set(), from = new Set(), selected = null, targets = new Set(), changed = new Set(), hint = []} = {}) {
        this.markLayer.replaceChildren();
        this.marks = {can, selected, targets};
        for (const [number, place] of this.cells) {
            const classes = place.element.classList;
            classes.toggle("can", can.has(number));
            classes.toggle("from", from.has(number));
            classes.toggle("selected", selected === number);
            classes.toggle("target", targets.has(number));
            classes.toggle("changed", changed.has(number));
            if (targets.has(number))
                this.markLayer.append(s("circle", {class: "dot" + (place.things.length ? " over" : ""), cx: place.at.x, cy: place.at.y, r: place.things.length ? 44 : 15}));
        }
        hint.forEach((number, i) => {
            const place = this.cells.get(number);
            if (place) this.markLayer.append(s("circle", {class: "hint", cx: place.at.x, cy: place.at.y, r: 45}));
            const before = i > 0 && this.cells.get(hint[i - 1]);
            if (place && before) this.markLayer.append(s("line", {class: "hint", x1: before.at.x, y1: before.at.y, x2: place.at.x, y2: place.at.y}));
        });
        this.describe();
    }

    describe() {
        for (const [number, place] of this.cells) {
            const things = place.things.map(thing => this.layout.pieces[thing]?.name ?? "something").join(", ");
            const marks = this.marks ?? {can: new Set(), targets: new Set()};
            const can = marks.targets.has(number) ? ", can go here" : marks.selected === number ? ", selected" : marks.can.has(number) ? ", can be chosen" : "";
            place.element.setAttribute("aria-label", place.cell.name + ": " + (things || "empty") + can);
        }
    }

    // ---- clicks, drags and keys

    at(event) {
        const under = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-cell]");
        return under && this.root.contains(under) ? Number(under.dataset.cell) : null;
    }

    listen() {
        const {root} = this;
        root.addEventListener("pointerdown", event => this.take(event));
        root.addEventListener("click", event => {
            if (this.dragged) return void (this.dragged = false);
            const cell = this.at(event);
            if (cell !== null) this.choose?.(this.number, cell, "click");
        });
        root.addEventListener("keydown", event => this.key(event));
        root.addEventListener("focusin", event => {
            const place = event.target.closest?.("[data-cell]");
            if (!place) return;
            for (const other of this.cells.values()) other.element.setAttribute("tabindex", other.element === place ? "0" : "-1");
        });
    }

    take(event) {
        const number = this.at(event), place = this.cells.get(number);
        if (event.button !== 0 || !place?.pieces?.length || !this.marks?.can.has(number)) return;
        const piece = place.pieces[place.pieces.length - 1], start = {x: event.clientX, y: event.clientY};
        const before = piece.getAttribute("transform"), scale = this.root.getScreenCTM().a;
        let moving = false;
        const move = next => {
            const dx = (next.clientX - start.x) / scale, dy = (next.clientY - start.y) / scale;
            if (!moving && Math.hypot(dx, dy) * scale < 6) return;
            if (!moving) {
                moving = true;
                this.choose?.(this.number, number, "take");
                this.pieceLayer.append(piece);
                piece.classList.add("dragged");
            }
            piece.setAttribute("transform", `translate(${place.at.x + dx} ${place.at.y + dy}) scale(1.08)`);
        };
        const end = last => {
            removeEventListener("pointermove", move);
            removeEventListener("pointerup", end);
            removeEventListener("pointercancel", end);
            piece.classList.remove("dragged");
            if (!moving) return;
            piece.setAttribute("transform", before);
            this.dragged = true;
            setTimeout(() => { this.dragged = false; }, 50);
            const target = last.type === "pointerup" ? this.at(last) : null;
            if (target !== null) this.choose?.(this.number, target, "drop");
        };
        addEventListener("pointermove", move);
        addEventListener("pointerup", end);
        addEventListener("pointercancel", end);
    }

    key(event) {
        const here = event.target.closest?.("[data-cell]");
        if (!here) return;
        const place = this.cells.get(Number(here.dataset.cell));
        const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
        if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            this.choose?.(this.number, place.cell.cell, "click");
        } else if (step) {
            event.preventDefault();
            this.neighbour(place, step)?.element.focus();
        }
    }

    // The nearest cell in a direction, sideways distance counting double.
    neighbour(place, [dx, dy]) {
        let best = null, least = Infinity;
        for (const other of this.cells.values()) {
            const x = other.at.x - place.at.x, y = other.at.y - place.at.y;
            const along = x * dx + y * dy, across = Math.abs(x * dy) + Math.abs(y * dx);
            if (along < 20 || across > along * 1.5) continue;
            if (along + 2 * across < least) {
                least = along + 2 * across;
                best = other;
            }
        }
        return best;
    }

    flip() {
        this.flipped = !this.flipped;
        for (const place of this.cells.values()) {
            place.at = this.place(place.cell);
            place.element.setAttribute("transform", `translate(${place.at.x} ${place.at.y})`);
        }
        this.links();
        this.root.querySelectorAll("text.axis:not(.title)").forEach(text => text.remove());
        if (this.board.shape === "grid" && this.board.titles.length === 0) this.flippedLabels();
    }

    flippedLabels() {
        const {board, flipped} = this, {height} = this.size;
        board.columns.forEach((name, i) => this.root.append(s("text", {class: "axis", x: ((flipped ? board.width - 1 - i : i) + 0.5) * CELL, y: height + 10 + this.fontSize, "font-size": this.fontSize}, name.slice(0, 6))));
        board.rows.forEach((name, i) => this.root.append(s("text", {class: "axis row", x: -14, y: ((flipped ? i : board.height - 1 - i) + 0.5) * CELL + this.fontSize / 3, "font-size": this.fontSize}, name.slice(0, 6))));
    }
}
