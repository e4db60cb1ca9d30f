/** Ends the processes of a dead sidecar. The extension host runs this one-shot command after its sidecar died. */
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { reap, recordsIn } from "../process/orphan-reaper";

/** Reads `ChildProcessRecord[]` as JSON. Invalid records are ignored. */
export async function reapFromInput(input: Readable): Promise<void> {
  await reap(recordsIn(JSON.parse(await text(input))));
}
