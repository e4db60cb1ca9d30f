// Finds processes by their environment. Every process of a test run inherits the run's id, at any depth.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export const censusWorks = process.platform === "linux";

/** Running processes, except the current one, whose initial environment contained `NAME=value`. */
export function census(entry) {
  if (!censusWorks) return [];
  return readdirSync("/proc")
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap(name => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(entry)) return [];
        if (/^State:\s+[ZX]/m.test(readFileSync(`/proc/${name}/status`, "utf8"))) return [];
        return [
          { pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim() },
        ];
      } catch {
        return [];
      }
    });
}

/** Waits up to `milliseconds` for the exit of all these processes, and returns the remaining ones. */
export async function leftovers(entry, milliseconds) {
  for (const deadline = Date.now() + milliseconds; ; ) {
    const found = census(entry);
    if (found.length === 0 || Date.now() > deadline) return found;
    await delay(100);
  }
}
