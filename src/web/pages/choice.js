// SPDX-License-Identifier: GPL-3.0-or-later
// From clicks to moves. The server says of each legal move which cells it touches, in order; one or two clicks usually
// decide, and where they do not, whoever asks gets the moves that are left.
//
//     click a cell ──┬─ one move with that cell alone ──> it
//                    ├─ several ──> the menu
//                    └─ moves that begin there ──> selected; click where one ends ──> it, or the menu

const key = (board, cell) => board + ":" + cell;

export class Choice {
    constructor(layout, legal) {
        this.layout = layout;
        this.moves = (legal ?? []).filter(move => move.touch);
        // Moves that name no place are buttons, also where what they do was found on the board.
        this.placeless = (legal ?? []).filter(move => !move.touch || move.touch.guessed);
        this.selected = null;
        this.first = new Map();
        for (const move of this.moves)
            for (const cell of this.zone(move)) {
                const list = this.first.get(cell) ?? [];
                list.push(move);
                this.first.set(cell, list);
            }
    }

    // Cells whose click begins the move: its first, or the whole column or row of its only one.
    zone(move) {
        const {board, cells, zone} = move.touch;
        if (!zone) return [key(board, cells[0])];
        const geometry = this.layout.boards[board], own = geometry.cells.find(cell => cell.cell === cells[0]);
        const same = zone === "column" ? cell => cell.column === own.column : cell => cell.row === own.row;
        return geometry.cells.filter(same).map(cell => key(board, cell.cell));
    }

    cellsOf(board, keys) {
        const set = new Set();
        for (const one of keys) {
            const [b, cell] = one.split(":").map(Number);
            if (b === board) set.add(cell);
        }
        return set;
    }

    // What to mark on a board.
    marks(board) {
        const can = this.cellsOf(board, this.first.keys());
        const from = this.cellsOf(board, [...this.first].filter(([, moves]) => moves.some(move => move.touch.cells.length > 1)).map(([cell]) => cell));
        if (!this.selected) return {can, from, selected: null, targets: new Set()};
        const [b, cell] = this.selected.split(":").map(Number);
        const targets = this.cellsOf(board, this.open().map(move => key(move.touch.board, move.touch.cells.at(-1))));
        return {can, from, selected: b === board ? cell : null, targets};
    }

    // Moves that begin at the selected cell and go elsewhere.
    open() {
        return this.first.get(this.selected)?.filter(move => move.touch.cells.length > 1) ?? [];
    }

    // A cell was chosen: {play: move}, {menu: moves}, or {} with a new selection.
    at(board, cell, how) {
        const here = key(board, cell), again = this.selected === here;
        if (how === "take") {
            this.selected = this.first.has(here) ? here : null;
            return {};
        }
        if (this.selected && !again) {
            const ending = this.open().filter(move => move.touch.board === board && move.touch.cells.at(-1) === cell);
            if (ending.length) return this.decide(ending);
            const passing = this.open().filter(move => move.touch.board === board && move.touch.cells.includes(cell));
            if (passing.length === 1) return this.decide(passing);
        }
        if (how === "drop") {
            if (!again) this.selected = null;
            return {};
        }
        const starting = this.first.get(here) ?? [];
        const single = starting.filter(move => move.touch.cells.length === 1);
        const longer = starting.length - single.length;
        if (single.length && (!longer || again)) return this.decide(single);
        this.selected = starting.length && !again ? here : null;
        return {};
    }

    decide(moves) {
        this.selected = null;
        return moves.length === 1 ? {play: moves[0]} : {menu: moves};
    }
}
