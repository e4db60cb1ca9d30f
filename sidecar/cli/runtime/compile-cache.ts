/**
 * Stores compiled code in `~/.symposium/cache`, so that the next start of this program takes less time (issue 18
 * point 8). Node 22.1 or later; `NODE_DISABLE_COMPILE_CACHE` and `NODE_COMPILE_CACHE` apply as documented by Node.
 */
import * as module from "node:module";
import { homedir } from "node:os";
import path from "node:path";

/** Not in the types of the oldest supported version. */
interface WithCompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
}

/** Call it before other parts are loaded. Without a home directory or a writable folder, nothing is stored. */
export function enableCompileCache(): void {
  try {
    (module as WithCompileCache).enableCompileCache?.(path.join(homedir(), ".symposium", "cache", "compiled"));
  } catch {
    // The user has no home directory. The command reports that where it matters.
  }
}
