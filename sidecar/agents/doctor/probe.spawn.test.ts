import { deepEqual, equal, match } from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Clock } from "../../rpc/clock";
import { census } from "../../testing/census";
import { temporaryFolder } from "../../testing/drive";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { hurriedClock } from "../../testing/accelerated-clock";
import { scriptedAgent } from "../../testing/programs/programs";
import { skipped } from "../../testing/skipped";
import { INITIALIZE_LIMIT_MS } from "../../acp/connection";
import { openLedger } from "../../process/process-ledger";
import type { ProcessSpec } from "../../process/stdio-process";
import { newRun } from "../../process/run-id";
import { diagnose } from "./diagnose";
import { probe } from "./probe";
import { deferred } from "../../../src/protocol/wire/deferred";

const onWindows = process.platform === "win32";
const ada = (
  command: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ProcessSpec => ({ name: "Ada", command, args, env, cwd: process.cwd() });
const node = (code: string): ProcessSpec => ada(process.execPath, ["-e", code]);
const scripted = (...flags: readonly string[]): ProcessSpec => ({ ...scriptedAgent(flags), name: "Ada" });

/** Runs each failure with real processes, from its symptom to its cause. */
suite("agent probe", () => {
  const run = newRun();
  let folder: ReturnType<typeof temporaryFolder>;
  suiteSetup(() => {
    folder = temporaryFolder();
  });
  suiteTeardown(() => {
    folder[Symbol.dispose]();
    deepEqual(census(run), [], "nothing is left running");
  });

  const examine = async (
    spec: ProcessSpec,
    clock: Clock = hurriedClock(1),
    logged: (message: string) => void = () => undefined,
  ) => {
    const ledger = openLedger(folder.path, run);
    try {
      return diagnose(
        await probe(spec, {
          version: "1",
          find: () => undefined,
          processes: {
            clock,
            ledger,
            report: { started: () => undefined, ended: () => undefined },
            log: message => logged(message),
          },
        }),
      );
    } finally {
      ledger.close();
    }
  };
  /** Creates a program with this name in the only folder of its PATH. */
  const program = (name: string, script: string): ProcessSpec => {
    const bin = path.join(folder.path, name);
    mkdirSync(bin);
    const file = path.join(bin, name);
    writeFileSync(file, script);
    chmodSync(file, 0o755);
    return ada(file, [], { PATH: bin });
  };

  const CASES: readonly (readonly [what: string, spec: () => ProcessSpec, cause: string])[] = [
    ["accepts an agent that answers", () => scripted(), "fine"],
    ["reports a missing program", () => ada("/nowhere/ada"), "notFound"],
    ["reports a missing tool", () => ada("npx-that-is-not-there/npx"), "noNode"],
    ["reports a missing folder", () => ({ ...scripted(), cwd: "/nowhere" }), "noFolder"],
    ["reports an immediate exit", () => scripted("--exit-at-start", "3"), "exited"],
    ["reports an exit with output", () => node(`console.error("no config"); process.exit(1)`), "exited"],
    ["reports prose on stdout and an exit", () => node(`console.log("usage: ada [-h]")`), "garbage"],
    [
      "reports another protocol version",
      () =>
        node(
          `process.stdin.once("data", () => console.log('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":9}}')).on("end", () => process.exit())`,
        ),
      "protocolVersion",
    ],
    ["reports a rejected initialize", () => scripted("--fail-init"), "refused"],
    ["reports a required sign-in", () => scripted("--auth-required"), "signIn"],
    ["reports a failed session", () => scripted("--fail-new-session", "no model"), "refused"],
    ["reports a missing network", () => node(`console.error("npm error code ENOTFOUND"); process.exit(1)`), "offline"],
    ["reports an incomplete installation", () => node(`require("./gone")`), "halfInstalled"],
  ];
  for (const [what, spec, cause] of CASES)
    test(what, async () => {
      const { cause: found, sentence } = await examine(spec());
      equal(found, cause, sentence);
    });

  test("reports a file that is not executable", async function () {
    if (onWindows) return skipped(this, "files are programs by their mode only where the system is no Windows");
    const file = path.join(folder.path, "ada.txt");
    writeFileSync(file, "words");
    equal((await examine(ada(file))).cause, "noPermission");
  });

  test("reports a script whose Node is not on the PATH", async function () {
    if (onWindows) return skipped(this, "files are programs by their mode only where the system is no Windows");
    equal((await examine(program("ada-script", "#!/usr/bin/env node\n"))).cause, "noNode");
  });

  for (const [what, code, cause] of [
    ["reports no output", "", "hung"],
    ["reports only prose on stdout", `console.log("Welcome!");`, "garbage"],
  ] as const)
    test(what, async () => {
      const clock = new FakeClock();
      const { promise: isLogged, resolve: onLogged } = deferred<void>();
      const examining = examine(
        node(`${code} console.error("ready"); process.stdin.on("end", () => process.exit()).resume()`),
        clock,
        message => {
          if (message === (cause === "garbage" ? "garbage on stdout" : "stderr")) onLogged();
        },
      );
      await isLogged;
      clock.advance(INITIALIZE_LIMIT_MS);
      const { cause: found, sentence } = await examining;
      equal(found, cause, sentence);
      match(sentence, cause === "hung" ? /120 seconds/ : /Welcome!/);
    });

  test("accepts an agent that responds just before the chat's timeout", async () => {
    const clock = new FakeClock(),
      gate = temporaryFolder();
    try {
      const { promise: requested, resolve: onLogged } = deferred<void>();
      const delayedScript = `const lines = require("readline").createInterface({ input: process.stdin });
        const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
        lines.on("close", () => process.exit()).on("line", line => {
          const { id, method } = JSON.parse(line);
          if (method !== "initialize") return answer(id, { sessionId: "one" });
          const watcher = require("fs").watch(process.argv[1], () => {
            watcher.close();
            answer(id, { protocolVersion: 1 });
          });
          console.error("asked");
        });`;
      const spec = { ...node(delayedScript), args: ["-e", delayedScript, gate.path] };
      const examining = examine(spec, clock, message => {
        if (message === "stderr") onLogged();
      });
      await requested;
      clock.advance(INITIALIZE_LIMIT_MS - 1);
      writeFileSync(path.join(gate.path, "open"), "");
      const { cause, sentence } = await examining;
      equal(cause, "fine", sentence);
    } finally {
      gate[Symbol.dispose]();
    }
  });
});
