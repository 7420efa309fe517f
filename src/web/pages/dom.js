// SPDX-License-Identifier: GPL-3.0-or-later
// Elements without markup in strings: h("div", {class: "card", onclick: go}, "text", child, ...).

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "value" && "value" in element) element.value = value;
        else if (name === "style") Object.assign(element.style, value); // by script: the page's policy forbids the attribute
        else element.setAttribute(name, value === true ? "" : value);
    }
    add(element, children);
    return element;
}

function add(element, children) {
    for (const child of children.flat(Infinity))
        if (child !== undefined && child !== null && child !== false) element.append(child);
}

export function h(name, attributes, ...children) {
    return fill(document.createElement(name), attributes, children);
}

export function s(name, attributes, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

// Replace all that is in an element.
export function put(element, ...children) {
    element.replaceChildren();
    add(element, children);
    return element;
}

// Say something to those who cannot see it.
export function announce(text) {
    const live = document.getElementById("live");
    live.textContent = "";
    requestAnimationFrame(() => { live.textContent = text; });
}

// A short message at the bottom of the window.
export function toast(text, kind = "") {
    const box = document.getElementById("toasts");
    const note = h("div", {class: "toast " + kind, role: kind === "bad" ? "alert" : "status"}, text);
    box.append(note);
    setTimeout(() => note.remove(), 6000);
}

export function icon(name) {
    const paths = {
        first: "M6 5v14M20 5 9 12l11 7z", previous: "M16 5 7 12l9 7z", next: "M8 5l9 7-9 7z", last: "M18 5v14M4 5l11 7-11 7z",
        play: "M7 4l12 8-12 8z", pause: "M7 5v14M17 5v14", back: "M9 7 4 12l5 5M4 12h10a5 5 0 0 1 0 10h-3", again: "M5 12a7 7 0 1 0 2-5M7 3v4h4",
        hint: "M9 18h6M10 21h4M8 14a6 6 0 1 1 8 0c-1 1-1 2-1 2H9s0-1-1-2z", think: "M4 19V9M10 19V5M16 19v-7M22 19H2",
        save: "M12 4v11M7 11l5 5 5-5M5 20h14", link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
        flip: "M7 4v14M4 15l3 4 3-4M17 20V6M14 9l3-4 3 4", close: "M6 6l12 12M18 6 6 18", open: "M4 20V5h6l2 3h8v12z", dice: "M4 4h16v16H4zM9 9h.01M15 15h.01M15 9h.01M9 15h.01M12 12h.01",
        format: "M4 6h16M8 11h12M8 16h12M4 21h10", sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.500 17.500 19 19M5 19l1.500-1.500M17.500 6.500 19 5",
        moon: "M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z", auto: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
    };
    return s("svg", {viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true"}, s("path", {d: paths[name]}));
}

// A button with a picture; its text is read aloud and shown where there is room.
export function button(name, text, action, more = {}) {
    return h("button", {type: "button", class: "button", title: text, ...more, onclick: action}, icon(name), h("span", {class: "label"}, text));
}
