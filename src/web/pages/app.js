// SPDX-License-Identifier: GPL-3.0-or-later
// The frame: which page is shown for which address, and the looks.
//
//     #/                       choose a game          #/write[/game]       write rules
//     #/table/ID[/TURN]        a session              #/lab[/NAME]         the laboratory
//     #/at/GAME/MOVES          a position as a link   #/replay             open a record
import {h, icon, put} from "./dom.js";
import {load, save} from "./store.js";

const pages = {
    "": ["choose", () => import("./choose.js")],
    table: ["choose", () => import("./play.js")],
    at: ["choose", () => import("./link.js")],
    replay: ["replay", () => import("./replay.js")],
    write: ["write", () => import("./write.js")],
    lab: ["lab", () => import("./lab.js")],
};

let leave = null, shown = 0;

async function show() {
    const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
    const [tab, open] = pages[name] ?? pages[""];
    const main = document.getElementById("main"), number = ++shown;
    for (const link of document.querySelectorAll("nav a")) {
        if (link.dataset.page === tab) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    const page = await open();
    if (number !== shown) return; // somebody was quicker
    leave?.();
    leave = null;
    main.className = "page-" + (name || "choose");
    put(main);
    document.title = "Ludens";
    try {
        leave = await page.show(main, rest) ?? null;
    } catch (error) {
        put(main, h("div", {class: "empty", role: "alert"}, h("h1", {}, "That did not work"), h("p", {}, error.message), h("p", {}, h("a", {href: "#/"}, "Back to the games"))));
    }
    if (number !== shown) leave?.();
    scrollTo(0, 0);
}

const themes = ["auto", "light", "dark"], signs = {auto: "auto", light: "sun", dark: "moon"};

function dress(theme) {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme");
    put(button, icon(signs[theme]), h("span", {class: "unseen"}, "Looks: " + theme));
    button.title = "Looks: " + theme;
}

dress(load("theme", "auto"));
document.getElementById("theme").addEventListener("click", () => {
    const next = themes[(themes.indexOf(load("theme", "auto")) + 1) % themes.length];
    save("theme", next);
    dress(next);
});
addEventListener("hashchange", event => {
    if (!location.hash.startsWith("#main")) show();
    event.preventDefault();
});
document.querySelector(".skip").addEventListener("click", event => {
    event.preventDefault();
    document.getElementById("main").focus();
});
show();
