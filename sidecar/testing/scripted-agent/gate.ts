/** Waiting for a file that somebody else makes: how a test lets the agent go on. */
import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import path from "node:path";

/** Resolves as soon as the file is there; rejects when `cancelled` aborts, or its folder is not there. */
export async function fileThere(file: string, cancelled: AbortSignal): Promise<void> {
  const watcher = watch(path.dirname(file));
  try {
    // Looked at when the folder is watched already: a file that comes in between is told of.
    while (!existsSync(file)) await once(watcher, "change", { signal: cancelled });
  } finally {
    watcher.close();
  }
}
