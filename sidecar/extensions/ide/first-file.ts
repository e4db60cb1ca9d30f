/** Finds the first matching file in breadth-first order. Skips generated folders. */
import { readdir } from "node:fs/promises";
import path from "node:path";

/** Maximum number of folders read. */
const MAX_FOLDERS = 400;
const GENERATED: ReadonlySet<string> = new Set([
  "node_modules",
  "target",
  "dist",
  "out",
  "build",
  "vendor",
  "venv",
  "__pycache__",
]);

export async function firstFile(
  folders: readonly string[],
  isWanted: (file: string) => boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const queue = [...folders];
  for (let inspected = 0; inspected < MAX_FOLDERS && queue.length > 0; inspected++) {
    signal.throwIfAborted();
    const folder = queue.shift() ?? "",
      entries = (await readdir(folder, { withFileTypes: true }).catch(() => [])).sort((a, b) =>
        a.name < b.name ? -1 : 1,
      );
    const found = entries.find(entry => entry.isFile() && isWanted(entry.name));
    if (found) return path.join(folder, found.name);
    queue.push(
      ...entries
        .filter(entry => entry.isDirectory() && !entry.name.startsWith(".") && !GENERATED.has(entry.name))
        .map(entry => path.join(folder, entry.name)),
    );
  }
  return undefined;
}
