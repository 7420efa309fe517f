// SPDX-License-Identifier: GPL-3.0-or-later
// What the browser keeps: looks, sheets being written, who sat where. Works, without memory, where storage is forbidden.

const memory = new Map();

export function load(key, otherwise) {
    try {
        const text = localStorage.getItem("ludens." + key) ?? memory.get(key);
        return text === undefined || text === null ? otherwise : JSON.parse(text);
    } catch {
        return otherwise;
    }
}

export function save(key, value) {
    const text = JSON.stringify(value);
    memory.set(key, text);
    try {
        localStorage.setItem("ludens." + key, text);
    } catch { /* full, or forbidden: the memory has it */ }
}

export function download(name, text, type = "text/plain") {
    const url = URL.createObjectURL(new Blob([text], {type}));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}
