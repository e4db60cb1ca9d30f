/** The one-shot that the extension host runs when its sidecar died: ends what that sidecar had started. */
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { reap, recordsIn } from "../process/orphan-reaper";

/** Reads `ChildProcessRecord[]` as JSON; what is not one is left out. */
export async function reapFromInput(input: Readable): Promise<void> {
  await reap(recordsIn(JSON.parse(await text(input))));
}
