/**
 * One-shot command that the extension host runs after its sidecar died. It ends the processes that the sidecar started.
 */
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { reap, recordsIn } from "../process/orphan-reaper";

/** Reads `ChildProcessRecord[]` as JSON. Invalid records are ignored. */
export async function reapFromInput(input: Readable): Promise<void> {
  await reap(recordsIn(JSON.parse(await text(input))));
}
