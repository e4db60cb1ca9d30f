/** Waits for a file that the test creates to let the agent continue. */
import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import path from "node:path";

/** Resolves as soon as the file exists. Rejects when `cancelled` aborts or the folder does not exist. */
export async function fileCreated(file: string, cancelled: AbortSignal): Promise<void> {
  const watcher = watch(path.dirname(file));
  try {
    // Checked after the watch has started, so that a file created in between is not missed.
    while (!existsSync(file)) await once(watcher, "change", { signal: cancelled });
  } finally {
    watcher.close();
  }
}
