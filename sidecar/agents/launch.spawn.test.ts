import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { ProxyComponent } from "../conductor/component";
import { realClock } from "../rpc/clock";
import { census } from "../testing/census";
import { eventually } from "../testing/eventually";
import { hurriedClock } from "../testing/accelerated-clock";
import { scriptedAgent } from "../testing/programs/programs";
import { NEEDS_PROC, skipped } from "../testing/skipped";
import { commandOf, type AgentCommand } from "./distributions/agent-command";
import { launch } from "./launch";
import { openLedger } from "../process/process-ledger";
import { AgentPool, type AgentKey } from "./pool";
import { startProcess, type ProcessSpec } from "../process/stdio-process";

const config = (distribution: AgentConfig["distribution"]): AgentConfig => ({ id: "a", name: "Ada", distribution });

suite("launch", () => {
  test("returns a command for each distribution and throws a sentence without one", () => {
    deepEqual(commandOf(config({ local: { command: "x", args: ["y"] } })), {
      kind: "process",
      command: "x",
      args: ["y"],
      env: {},
    });
    deepEqual(commandOf(config({ executable: { path: "/x" } })), { kind: "process", command: "/x", args: [], env: {} });
    deepEqual(commandOf(config({ symposium: { subcommand: "eliza", args: ["--deterministic"] } })), {
      kind: "eliza",
      deterministic: true,
    });
    throws(() => commandOf(config({})), /Ada has no command/);
    throws(() => commandOf(config({ symposium: { subcommand: "other" } })), /Ada has no command/);
  });

  test("selects the proxies by the key", async () => {
    const seen: string[] = [],
      keys: (string | undefined)[] = [];
    const proxy: ProxyComponent = {
      kind: "internal",
      name: "p",
      serve: (client, successor) => {
        const end = async (): Promise<void> => {
          await Promise.all([client[Symbol.asyncDispose](), successor[Symbol.asyncDispose]()]);
        };
        client.start({
          receive: frame => {
            if (frame.envelope.kind === "request") seen.push(frame.envelope.method);
            successor.send(frame);
          },
          closed: () => void end(),
        });
        successor.start({
          receive: frame => {
            client.send(frame);
          },
          closed: () => void end(),
        });
        return { [Symbol.asyncDispose]: end };
      },
    };
    const agent = config({ symposium: { subcommand: "eliza" } }),
      fixture = {
        version: "1",
        clock: realClock,
        log: () => undefined,
        startProcess: () => {
          throw new Error("no process");
        },
        proxies: ({ role }: AgentKey) => {
          keys.push(role);
          return role === "lm" ? [proxy] : [];
        },
      };
    for (const role of ["lm", undefined] as const) {
      await using _ = await launch(
        { agent, cwd: "/", protocol: 1, ...(role ? { role } : {}) },
        new AbortController().signal,
        fixture,
      );
    }
    deepEqual(keys, ["lm", undefined]);
    deepEqual(seen, ["initialize"]);
  });

  test("installs before it starts and starts nothing after a cancellation", async () => {
    const started: string[] = [],
      texts: string[] = [],
      aborted = new AbortController();
    const fixture = (command: () => Promise<AgentCommand>) => ({
      version: "1",
      clock: realClock,
      log: (_: unknown, message: string) => void texts.push(message),
      command,
      startProcess: (spec: ProcessSpec) => {
        started.push(spec.command);
        throw new Error("not here");
      },
    });
    const key = { agent: config({ npx: { package: "ada" } }), cwd: "/", protocol: 1 } as const;
    await rejects(
      launch(
        key,
        new AbortController().signal,
        fixture(async () => ({ kind: "process", command: "/installed/ada", args: [], env: {} })),
      ),
    );
    await rejects(
      launch(
        key,
        new AbortController().signal,
        fixture(() => Promise.reject(new Error("no network"))),
      ),
      /no network/,
    );
    await rejects(
      launch(
        key,
        aborted.signal,
        fixture(async () => {
          await new Promise(resolve => setImmediate(resolve));
          aborted.abort(new Error("closed"));
          return { kind: "process", command: "/late", args: [], env: {} };
        }),
      ),
      /closed/,
    );
    deepEqual([started, texts.filter(message => message === "Starting agent").length], [["/installed/ada"], 1]);
  });

  test("stops a hanging agent and its processes when the launch is cancelled", async function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
    const storage = mkdtempSync(path.join(tmpdir(), "launch-"));
    const run = `launch-${process.pid}`;
    const ledger = openLedger(storage, run);
    const pool = new AgentPool(
      (key, signal) =>
        launch(key, signal, {
          version: "1",
          clock: realClock,
          log: () => undefined,
          startProcess: spec =>
            startProcess(spec, {
              clock: hurriedClock(1),
              ledger,
              report: { started: () => undefined, ended: () => undefined },
              log: () => undefined,
            }),
        }),
      error => {
        throw error;
      },
    );
    const { command, args } = scriptedAgent(["--hang-init", "--ignore-sigterm", "--ignore-stdin-end", "--with-child"]);
    const failed = rejects(
      pool.acquire(
        { agent: config({ local: { command, args } }), cwd: storage, protocol: 1 },
        new AbortController().signal,
      ),
      /no tab uses it/,
    );
    await eventually(() => census(run).length === 2, "the agent and its child run");
    await pool[Symbol.asyncDispose]();
    await failed;
    equal(census(run).length, 0);
    ledger.close();
    rmSync(storage, { recursive: true });
  });
});
