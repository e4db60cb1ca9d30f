// Progress messages of long tasks. Uses only Node's own modules.

const EVERY_MS = 8_000;

/** Running tasks, with their names and start times. */
const running = new Map();
let timer;

/** Runs `work`, and prints the running tasks and their durations every eight seconds. Returns the result of `work`. */
export async function progress(name, work, print = text => console.log(text)) {
  const key = Symbol(name);
  running.set(key, { name, start: Date.now() });
  timer ??= setInterval(() => print(report(running.values(), Date.now())), EVERY_MS);
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
export const report = (tasks, now) =>
  `  … ${[...tasks].map(({ name, start }) => `${name} (${Math.round((now - start) / 1000)} s)`).join(", ")}`;
