// SPDX-License-Identifier: GPL-3.0-or-later
// The server's API (docs/web-api.md). Addresses are relative to the page: a token in the address stays in it.

export class Refused extends Error {
    constructor(status, text) {
        super(text);
        this.status = status;
    }
}

async function ask(method, path, body, signal) {
    const options = {method, signal, headers: {}};
    if (body !== undefined) {
        options.headers["Content-Type"] = "application/json";
        options.body = JSON.stringify(body);
    }
    let answer;
    try {
        answer = await fetch("api/" + path, options);
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new Refused(0, "The server does not answer. Is ludens web still running?");
    }
    const data = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Refused(answer.status, data.error ?? "The server said no (" + answer.status + ").");
    return data;
}

export const get = (path, signal) => ask("GET", path, undefined, signal);
export const post = (path, body = {}, signal) => ask("POST", path, body, signal);
export const remove = path => ask("DELETE", path);

// Listen to a session's events until close() is called.
export function listen(id, handlers) {
    const source = new EventSource("api/sessions/" + id + "/events");
    for (const [name, handler] of Object.entries(handlers))
        if (name !== "error") source.addEventListener(name, event => handler(JSON.parse(event.data)));
    source.onerror = () => handlers.error?.(source.readyState === EventSource.CLOSED);
    return source;
}

let games;
export const library = () => (games ??= get("games").then(answer => answer.games));
let players;
export const presets = () => (players ??= get("players"));
