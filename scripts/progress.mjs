// Signs of life of long work. Uses nothing that has to be installed.

const EVERY_MS = 8_000;

/** Names of the work that runs, with the time of its start. */
const running = new Map();
let timer;

/** Does the work, and prints every eight seconds what runs and for how long. Returns what the work returns. */
export async function progress(name, work, say = text => console.log(text)) {
  const key = Symbol(name);
  running.set(key, { name, start: Date.now() });
  timer ??= setInterval(() => say(report(running.values(), Date.now())), EVERY_MS);
  try {
    return await work();
  } finally {
    running.delete(key);
    if (running.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }
}

/** One line: `  … units (24 s), types (8 s)`. */
export const report = (works, now) =>
  `  … ${[...works].map(({ name, start }) => `${name} (${Math.round((now - start) / 1000)} s)`).join(", ")}`;
