/**
 * Measures a turn with many updates, from the prompt to its last event, with the real sidecar and the scripted agent.
 */
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { StreamClient } from "../../src/sidecar/client";
import { PROTOCOL } from "../../src/protocol/sidecar";
import { listeners } from "../../src/testing/listeners";

export interface Flooded extends AsyncDisposable {
  /** Milliseconds of one turn with this script. A conversation without a UUID has no journal. */
  turn(script: string, conversation?: string): Promise<number>;
}

export async function floodedSidecar(): Promise<Flooded> {
  const storage = mkdtempSync(path.join(tmpdir(), "symposium-bench-"));
  const child = spawn(process.execPath, [program("sidecar"), "serve"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, SYMPOSIUM_BUILD: "development" },
  });
  const exited = new Promise(resolve => child.once("exit", resolve));
  const fail = (what: string): never => {
    throw new Error(what);
  };
  let onTurn: (sessionId: string, state: string) => void = () => undefined;
  const client = new StreamClient(
    child.stdout,
    child.stdin,
    {
      ...listeners(),
      "chat/event": ({ sessionId, event }) => {
        if (event.type === "turn") onTurn(sessionId, event.turn.state);
      },
      "chat/snapshot": ({ sessionId, conversation }) => onTurn(sessionId, conversation.turn.state),
      "process/started": () => undefined,
      "process/ended": () => undefined,
      "editor/readTextFile": async () => fail("read is not available"),
      "editor/writeTextFile": async () => fail("write is not available"),
    },
    { broken: () => undefined, report: () => undefined },
  );
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
  let prompts = 0;
  const turn = async (script: string, conversation: string = randomUUID()): Promise<number> => {
    const { sessionId } = await client.request("chat/new", {
      conversation,
      agent: {
        id: "loud",
        name: "Loud",
        distribution: { local: { command: process.execPath, args: [program("scripted")] } },
      },
      cwd: storage,
    });
    const run = async (text: string): Promise<number> => {
      const began = performance.now();
      let isRunning = false;
      const ended = new Promise<void>(resolve => {
        onTurn = (of, state) => {
          if (of !== sessionId) return;
          isRunning ||= state !== "idle";
          if (isRunning && state === "idle") resolve();
        };
      });
      await client.request("chat/prompt", { sessionId, messageId: `p${++prompts}`, blocks: [{ type: "text", text }] });
      await ended;
      return performance.now() - began;
    };
    await run("say ready"); // the start of the agent is not measured
    const ms = await run(script);
    await client.request("chat/close", { sessionId });
    return ms;
  };
  return {
    turn,
    async [Symbol.asyncDispose]() {
      client.close("the bench has ended");
      child.stdin.end();
      await exited;
      rmSync(storage, { recursive: true, force: true });
    },
  };
}

/** The path of `webview/NAME.program.ts`, as scripts/bench.mjs builds it. */
function program(name: "scripted" | "sidecar"): string {
  const folder = process.env.SYMPOSIUM_BENCH_PROGRAMS;
  if (!folder) throw new Error("SYMPOSIUM_BENCH_PROGRAMS is not set: run the bench with scripts/bench.mjs");
  return path.join(folder, "webview", `${name}.program.mjs`);
}
