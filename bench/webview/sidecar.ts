/** Measures how soon the real sidecar responds for one session while the scripted agent floods another. */
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { StreamClient } from "../../src/sidecar/client";
import { PROTOCOL } from "../../src/protocol/sidecar";
import { listeners } from "../../src/testing/listeners";

export interface Answers {
  readonly p50: number;
  readonly p99: number;
}

/** Milliseconds from the request for a session's content to its snapshot. */
export async function answersWhileFlooded(
  times: number,
): Promise<{ readonly idle: Answers; readonly flooded: Answers }> {
  const storage = mkdtempSync(path.join(tmpdir(), "symposium-bench-"));
  const child = spawn(process.execPath, [program("sidecar"), "serve"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, SYMPOSIUM_BUILD: "development" },
  });
  const exited = new Promise(resolve => child.once("exit", resolve));
  let onEvent: (sessionId: string) => void = () => undefined,
    flooded = 0;
  const fail = (what: string): never => {
    throw new Error(what);
  };
  const client = new StreamClient(
    child.stdout,
    child.stdin,
    {
      ...listeners(),
      "chat/event": ({ sessionId }) => {
        if (sessionId !== quiet) flooded++;
      },
      "chat/snapshot": ({ sessionId }) => {
        if (sessionId === quiet) onEvent(sessionId);
        else flooded++;
      },
      "process/started": () => undefined,
      "process/ended": () => undefined,
      "editor/readTextFile": async () => fail("read is not available"),
      "editor/writeTextFile": async () => fail("write is not available"),
    },
    { broken: () => undefined, report: () => undefined },
  );
  let quiet = "";
  try {
    await client.request("hello", {
      protocol: PROTOCOL,
      build: "development",
      logLevel: "error",
      agentLogLevel: "error",
      storage,
      traceDir: "",
      history: { days: 90, megabytes: 1024 },
      bypass: [],
      extensions: [],
      proxy: "",
    });
    const open = async (id: string): Promise<string> =>
      (
        await client.request("chat/new", {
          conversation: randomUUID(),
          agent: { id, name: id, distribution: { local: { command: process.execPath, args: [program("scripted")] } } },
          cwd: storage,
        })
      ).sessionId;
    const loud = await open("loud");
    quiet = await open("quiet");
    const ask = (): Promise<number> =>
      new Promise(resolve => {
        const began = performance.now();
        onEvent = () => resolve(performance.now() - began);
        client.notify("chat/replay", { sessionId: quiet, requestNumber: 1 });
      });
    const answers = async (): Promise<Answers> => {
      const all: number[] = [];
      for (let i = 0; i < times; i++) {
        all.push(await ask());
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      all.sort((a, b) => a - b);
      const at = (part: number): number => all[Math.min(all.length - 1, Math.floor(part * all.length))] ?? Number.NaN;
      return { p50: at(0.5), p99: at(0.99) };
    };
    await ask();
    const idle = await answers(),
      before = flooded;
    await client.request("chat/prompt", {
      sessionId: loud,
      messageId: "flood",
      blocks: [{ type: "text", text: "stream 100000000 chunks of 20 chars" }],
    });
    await new Promise(resolve => setTimeout(resolve, 500));
    const result = { idle, flooded: await answers() };
    if (flooded === before) throw new Error("The agent sent no flood.");
    return result;
  } finally {
    client.close("the bench has ended");
    child.stdin.end();
    await exited;
    rmSync(storage, { recursive: true, force: true });
  }
}

/** The path of `NAME.program.ts`, as scripts/bench.mjs builds it. */
function program(name: "scripted" | "sidecar"): string {
  const folder = process.env.SYMPOSIUM_BENCH_PROGRAMS;
  if (!folder) throw new Error("SYMPOSIUM_BENCH_PROGRAMS is not set: run the bench with scripts/bench.mjs");
  return path.join(folder, "webview", `${name}.program.mjs`);
}
