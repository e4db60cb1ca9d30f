// Shared by the APIs of models: answers as one JSON document or as server-sent events.
import { setTimeout as delay } from "node:timers/promises";

const PIECES = 4,
  PAUSE_MS = 20;

export function sendJson(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/**
 * Starts an event stream and returns a function that sends an event. The function does nothing after the reader has
 * disconnected.
 */
export function startEvents(response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  return (head, value) => {
    if (!response.destroyed) response.write(`${head}data: ${JSON.stringify(value)}\n\n`);
  };
}

/** The delay between two chunks of a model, long enough for an agent to forward the first. */
export const pause = () => delay(PAUSE_MS);

/**
 * Splits a text into a few chunks with pauses, as a model streams it. A passage in «…» is one chunk, because its length
 * varies.
 */
export async function* pieces(text) {
  const size = Math.ceil(text.length / PIECES),
    quoting = text.split(/(?=«)|(?<=»)/);
  const all =
    quoting.length > 1
      ? quoting
      : Array.from({ length: PIECES }, (_, i) => text.slice(i * size, (i + 1) * size)).filter(piece => piece !== "");
  for (const [i, piece] of all.entries()) {
    if (i > 0) await pause();
    yield piece;
  }
}
