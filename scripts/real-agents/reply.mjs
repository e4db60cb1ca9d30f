// What the APIs of models share in how they answer: JSON at once, or server-sent events.
import { setTimeout as delay } from "node:timers/promises";

const PIECES = 4,
  PAUSE_MS = 20;

export function sendJson(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Begins a stream of events. Returns what sends one; a reader that has gone is not written to. */
export function startEvents(response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  return (head, value) => {
    if (!response.destroyed) response.write(`${head}data: ${JSON.stringify(value)}\n\n`);
  };
}

/** What a model needs from one thing to the next; long enough for an agent to have passed on what it has. */
export const pause = () => delay(PAUSE_MS);

/**
 * A text in a few pieces, one after another with a pause, as a model streams it. «What it quotes» is one: its length is
 * not ours.
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
