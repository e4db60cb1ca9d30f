/**
 * The kit's agent as a program, for clients under test: `conform-agent FOLDER VERSION MILLISECONDS`. It appends each
 * recorded event to a file in the folder, because clients may kill it.
 */
import { appendFileSync } from "node:fs";
import path from "node:path";
import { serveClient } from "../conform/client-scenario";
import { DEFAULT_LIMITS } from "../conform/driver";
import { writtenEvent } from "../conform/record-files";
import type { Version } from "../conform/schema";
import { realClock } from "../rpc/clock";
import { flushed } from "./runtime/stdio";

export interface ConformAgent {
  readonly folder: string;
  readonly version: Version;
  readonly responseMs: number;
}

/** Resolves with the exit code when the client has closed stdin. */
export async function serveConformAgent({ folder, version, responseMs }: ConformAgent): Promise<number> {
  const { stdin, stdout } = process,
    file = path.join(folder, `${process.pid}.jsonl`);
  const exited = new Promise<string>(resolve =>
    stdin.once("close", () => resolve("closed")).once("end", () => resolve("closed")),
  );
  await serveClient({
    client: { input: stdout, output: stdin, exited, stop: () => Promise.resolve() },
    version,
    clock: realClock,
    limits: { ...DEFAULT_LIMITS, responseMs },
    name: `agent-v${version}`,
    onEvent: event => appendFileSync(file, `${writtenEvent(event)}\n`),
  });
  await flushed(realClock);
  return 0;
}
