// SPDX-License-Identifier: GPL-3.0-or-later
// The laboratory: experiments of the database, how far they are, their tables and plots, single games on the board.
import {h, s, put, toast} from "./dom.js";
import {get} from "./api.js";
import {openRecord} from "./replay.js";
import {dialog} from "./setup.js";
import {count, seconds} from "./words.js";

const AGAIN = 2000; // milliseconds between two looks

const link = name => "#/lab/" + encodeURIComponent(name);

function progress(played, wanted) {
    const share = wanted ? played / wanted : 0;
    return h("span", {class: "progress wide", role: "progressbar", "aria-valuenow": Math.round(100 * share), "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": "games played"}, h("span", {class: "bar", style: {width: 100 * share + "%"}}));
}

function list(main, experiments) {
    put(main, h("section", {class: "hello"}, h("h1", {}, "Laboratory"), h("p", {class: "muted"}, "Experiments of the database. ludens lab run plays them; this page watches.")),
        experiments.length ? h("ul", {class: "experiments"}, experiments.map(one => h("li", {}, h("a", {href: link(one.name)}, h("strong", {}, one.title || one.name), h("span", {class: "muted"}, one.name)),
            one.trouble ? h("span", {class: "muted"}, one.trouble) : [progress(one.played, one.wanted), h("span", {class: "number"}, one.played + " of " + one.wanted + " games")])))
            : h("p", {class: "empty"}, "The database has no experiments yet. Try: ludens lab run first --quick"));
}

// A rate with its interval, the published figure as a mark.
function interval(cell, top, parity) {
    const {rate, published} = cell, W = 120, x = value => (W - 8) * value / top + 4;
    return s("svg", {viewBox: `0 0 ${W} 14`, class: "interval", "aria-hidden": "true"},
        s("line", {class: "scale", x1: 4, x2: W - 4, y1: 7, y2: 7}), parity !== undefined && s("line", {class: "parity", x1: x(parity), x2: x(parity), y1: 1, y2: 13}),
        rate.games > 0 && [s("line", {class: "range", x1: x(Math.max(0, rate.low)), x2: x(Math.min(top, rate.high)), y1: 7, y2: 7}), s("circle", {class: "mean", cx: x(rate.mean), cy: 7, r: 3.5})],
        published && s("path", {class: "published", d: `M${x(published.value) - 3} 1h6l-3 4z`}));
}

function table(report) {
    const games = [...new Set(report.cells.map(cell => cell.game))], pairings = [...new Set(report.cells.map(cell => cell.pairing))];
    const top = 100, find = (game, pairing) => report.cells.find(cell => cell.game === game && cell.pairing === pairing);
    return h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Results"}, h("table", {class: "results"},
        h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "game"), pairings.map(name => h("th", {scope: "col"}, name)))),
        h("tbody", {}, games.map(game => h("tr", {}, h("th", {scope: "row"}, game), pairings.map(pairing => {
            const cell = find(game, pairing);
            if (!cell) return h("td", {});
            const {rate} = cell, parity = report.measure === "wins" ? 100 / Math.max(2, cell.players.length) : undefined;
            return h("td", {class: cell.side > 0 ? "better" : cell.side < 0 ? "worse" : ""},
                h("button", {type: "button", class: "cell-button", title: "Games of this cell", onclick: () => pick(report, cell)},
                    h("span", {class: "rate"}, rate.games ? rate.mean.toFixed(1) : "–"), rate.games > 0 && h("span", {class: "muted"}, " ± " + rate.interval.toFixed(1)), interval(cell, top, parity),
                    h("span", {class: "muted small"}, rate.games + " of " + cell.target + (cell.published ? ", published " + cell.published.value : ""))));
        }))))));
}

function pick(report, cell) {
    const number = h("input", {type: "number", min: 0, max: Math.max(0, cell.target - 1), value: 0, "aria-label": "Number of the game"});
    const players = cell.players.map(player => h("li", {}, h("strong", {}, player.name), " ", player.player, h("span", {class: "muted"}, " " + (player.rate.games ? player.rate.mean.toFixed(1) : "–") + ", " + count(player.searches ? player.simulations / player.searches : 0) + " simulations a move")));
    const open = h("button", {type: "submit", class: "button primary", id: "open-game"}, "Show the game");
    const box = dialog(cell.game + ": " + cell.pairing, [h("ul", {class: "plain"}, players), h("p", {}, (cell.rate.games ? (cell.steps / cell.rate.games).toFixed(1) : "–") + " steps a game"), h("label", {class: "field"}, h("span", {}, "Game number"), number)],
        [h("button", {type: "button", class: "button", onclick: () => box.close()}, "Close"), open]);
    box.querySelector("form").addEventListener("submit", async () => {
        const query = new URLSearchParams({name: report.name, game: cell.game, pairing: cell.pairing, number: number.value});
        try {
            await openRecord((await get("lab/game?" + query)).record);
        } catch (error) {
            toast(error.message, "bad");
        }
    });
}

function experiment(main, report) {
    const rest = report.wanted - report.played;
    put(main, h("p", {}, h("a", {href: "#/lab"}, "Laboratory")), h("section", {class: "hello"}, h("h1", {}, report.title || report.name), report.description && h("p", {class: "muted"}, report.description)),
        h("div", {class: "row"}, progress(report.played, report.wanted), h("span", {class: "number", id: "played"}, report.played + " of " + report.wanted + " games"), h("span", {class: "muted"}, rest > 0 ? "" : "complete", " · " + seconds(report.seconds) + " of playing")),
        table(report), h("p", {class: "muted"}, "Points are means with 95% intervals", report.measure === "wins" ? " in percent of wins; the grey line is what equal players would have" : "", "; a triangle marks the published figure."));
}

export async function show(main, [name]) {
    const path = name ? "lab/experiment?" + new URLSearchParams({name}) : "lab";
    let last = "", timer, gone = false;
    const look = async () => {
        try {
            const answer = await get(path), text = JSON.stringify(answer);
            if (gone) return;
            if (text !== last) {
                const focused = document.activeElement?.closest?.("a, button")?.textContent;
                if (name) experiment(main, answer);
                else list(main, answer.experiments);
                if (focused) [...main.querySelectorAll("a, button")].find(one => one.textContent === focused)?.focus({preventScroll: true});
            }
            last = text;
        } catch (error) {
            if (!gone && !last) put(main, h("section", {class: "hello"}, h("h1", {}, "Laboratory"), h("p", {class: "empty", id: "no-lab"}, error.message + ". Experiments are played by ludens lab run, and ludens web --db FILE shows another database.")));
        }
        if (!gone) timer = setTimeout(look, AGAIN);
    };
    await look();
    return () => { gone = true; clearTimeout(timer); };
}
