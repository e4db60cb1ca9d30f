/** The one-shot that the extension host runs when its sidecar died: ends what that sidecar had started. */
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { reap } from "../agents/reap";
import { arrayOr, isObject } from "../rpc/json";

/** Reads `ChildProcessRecord[]` as JSON; what is not one is left out. */
export async function reapFromInput(input: Readable): Promise<void> {
  await reap(arrayOr(JSON.parse(await text(input))).filter(isRecord));
}

function isRecord(value: unknown): value is ChildProcessRecord {
  return isObject(value) && typeof value.pid === "number" && typeof value.group === "number" && typeof value.started === "string" && typeof value.runId === "string";
}
