// What the APIs of models share in how they answer: JSON at once, or server-sent events.
import { setTimeout as delay } from "node:timers/promises";

const PIECES = 4, PAUSE_MS = 5;

export function sendJson(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Begins a stream of events. Returns what sends one; a reader that has gone is not written to. */
export function startEvents(response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  return (head, value) => { if (!response.destroyed) response.write(`${head}data: ${JSON.stringify(value)}\n\n`); };
}

/** A text in a few pieces, one after another with a pause, as a model streams it. */
export async function* pieces(text) {
  const size = Math.ceil(text.length / PIECES);
  for (let at = 0; at < text.length; at += size) {
    if (at > 0) await delay(PAUSE_MS);
    yield text.slice(at, at + size);
  }
}
