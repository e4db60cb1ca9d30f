// Finds processes by something in their environment: what a test run started carries the run's id, however deep it is.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export const censusWorks = process.platform === "linux";

/** Living processes, not this one, whose environment at their start held `NAME=value`. */
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

/** What the census still finds after waiting up to `milliseconds` for it to find nothing. */
export async function leftovers(entry, milliseconds) {
  for (const deadline = Date.now() + milliseconds; ; ) {
    const found = census(entry);
    if (found.length === 0 || Date.now() > deadline) return found;
    await delay(100);
  }
}
