import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { EditorRequestError, SidecarExited } from "../errors";
import { Log } from "../log";
import type { LogEvent } from "../protocol/wire/log";
import { PROTOCOL } from "../protocol/sidecar";
import { ProcessLauncher } from "./process";
import type { SidecarListeners, SidecarProcess } from "./supervisor";
import { FakeClock } from "../protocol/testing/fake-clock";
import { listeners } from "../testing/listeners";
import { settled } from "../testing/settled";

const RPC = createRequire(import.meta.url).resolve("vscode-jsonrpc/node");

/** A minimal sidecar with `more` as additional code. */
const sidecar = (more = "", build = "1") => `
  const rpc = require(${JSON.stringify(RPC)});
  const wire = rpc.createMessageConnection(new rpc.StreamMessageReader(process.stdin), new rpc.StreamMessageWriter(process.stdout));
  wire.onRequest("hello", () => ({ protocol: ${PROTOCOL}, build: "${build}", pid: process.pid, bootId: "b" }));
  wire.onRequest("chat/cancel", () => new Promise(() => undefined));
  wire.onRequest("chat/close", () => { throw new rpc.ResponseError(-32051, "No such conversation."); });
  wire.onClose(() => process.exit(0));
  ${more}
  wire.listen();`;

suite("sidecar process", () => {
  let folder = "";
  let launched: SidecarProcess[] = [];
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-"));
  });
  teardown(async () => {
    await Promise.all(launched.map(process => process.stop()));
    launched = [];
    rmSync(folder, { recursive: true, force: true });
  });

  function file(name: string, text: string, mode = 0o644): string {
    const where = path.join(folder, name);
    writeFileSync(where, text);
    chmodSync(where, mode);
    return where;
  }

  function launcher({ bundled = "", custom = "", shell = "/bin/false", clock = new FakeClock() } = {}) {
    const log = new Log();
    const lines: LogEvent[] = [];
    log.onLog(event => lines.push(event));
    const notes: string[] = [];
    const note = (method: string): void => {
      notes.push(method.replace(/^.*\//, ""));
    };
    const received: SidecarListeners = {
      ...listeners(note),
      "editor/readTextFile": async ({ path: file }) => {
        if (file === "/none") throw EditorRequestError.noFile(file);
        if (file === "/odd") throw new Error("odd");
        return { text: `text of ${file}` };
      },
      "editor/writeTextFile": async ({ path: file, text }) => {
        notes.push(`write ${file} ${text}`);
        return {};
      },
    };
    const it = new ProcessLauncher({
      bundled,
      custom: () => custom,
      clock,
      log,
      env: { ...process.env, SHELL: shell, NODE_OPTIONS: "--title=not-for-children", VSCODE_PID: "1" },
      hello: () => ({
        protocol: PROTOCOL,
        build: "1",
        logLevel: "info",
        agentLogLevel: "info",
        traceDir: "",
        history: { days: 90, megabytes: 1024 },
        storage: folder,
        bypass: [],
        extensions: [],
        proxy: "",
      }),
    });
    const handlers = { ...received, "process/started": () => note("started"), "process/ended": () => note("ended") };
    return {
      notes,
      lines,
      launch: (node: "own" | "login" = "own") => {
        const process = it.launch(node, handlers);
        launched.push(process);
        return process;
      },
      launcher: it,
    };
  }

  test("completes the handshake, delivers notifications in order and exits with its stdin", async () => {
    const { launch, notes, lines } = launcher({
      bundled: file(
        "s.js",
        sidecar(`
      process.stderr.write("env " + ["NODE_OPTIONS", "VSCODE_PID"].map(name => name in process.env) + "\\n");
      wire.onNotification("chat/replay", () => { wire.sendNotification("process/started", {}); wire.sendNotification("chat/event", {}); wire.sendNotification("process/ended", {}); });`),
      ),
    });
    const process = launch();
    const client = await process.ready;
    client.notify("chat/replay", { sessionId: "s", requestNumber: 1 });
    await rejects(client.request("chat/close", { sessionId: "s" }), {
      name: "SidecarRefused",
      code: -32051,
      message: "No such conversation.",
    });
    await process.stop();
    equal(await process.ended, "Symposium’s sidecar stopped unexpectedly (exit code 0).");
    deepEqual(notes, ["started", "event", "ended"]);
    ok(lines.some(({ message, level }) => message === "env false,false" && level === "warn"));
  });

  test("receives the editor's responses, and errors with code and sentence", async () => {
    const { launch, notes, lines } = launcher({
      bundled: file(
        "s.js",
        sidecar(`
      wire.onNotification("chat/replay", async () => {
        const asked = [["editor/readTextFile", { path: "/a" }], ["editor/readTextFile", { path: "/none" }], ["editor/readTextFile", { path: "/odd" }], ["editor/writeTextFile", { path: "/b", text: "x" }], ["editor/format", {}]];
        for (const [method, params] of asked) process.stderr.write(JSON.stringify(await wire.sendRequest(method, params).catch(error => [error.code, error.message])) + "\\n");
        wire.sendNotification("process/ended", {});
      });`),
      ),
    });
    const process = launch();
    (await process.ready).notify("chat/replay", { sessionId: "s", requestNumber: 1 });
    while (!notes.includes("ended")) await settled();
    await process.stop();
    deepEqual(
      lines
        .filter(({ level }) => level === "warn")
        .map(({ message }) => message)
        .filter(message => !message.includes("editor/format")),
      ['{"text":"text of /a"}', '[-32053,"File /none does not exist."]', '[-32603,"odd"]', "{}"],
    );
    deepEqual(notes, ["write /b x", "ended"]);
  });

  test("rejects open and later requests with the signal after it is killed", async () => {
    const { launch } = launcher({
      bundled: file("s.js", sidecar("wire.onNotification('chat/replay', () => process.kill(process.pid, 'SIGKILL'));")),
    });
    const process = launch();
    const client = await process.ready;
    const open = client.request("chat/cancel", { sessionId: "s" });
    client.notify("chat/replay", { sessionId: "s", requestNumber: 1 });
    const why = await process.ended;
    equal(why, "Symposium’s sidecar stopped unexpectedly (signal SIGKILL).");
    client.close(why);
    const gone = (error: unknown) => error instanceof SidecarExited && error.message === why;
    await rejects(open, gone);
    await rejects(client.request("chat/cancel", { sessionId: "s" }), gone);
  });

  test("rejects or drops messages while it exits, without throwing", async () => {
    const { launch } = launcher({
      bundled: file(
        "s.js",
        sidecar("wire.onNotification('chat/replay', () => process.stdout.destroy());").replace(
          "process.exit(0)",
          "setTimeout(() => process.exit(0), 50)",
        ),
      ),
    });
    const process = launch();
    const client = await process.ready;
    client.notify("chat/replay", { sessionId: "s", requestNumber: 1 });
    await process.ended;
    const request = client.request("chat/cancel", { sessionId: "s" });
    client.notify("chat/replay", { sessionId: "s", requestNumber: 2 });
    client.close("It ended.");
    await rejects(request, { name: "SidecarGone", message: "It ended." });
  });

  test("is sent SIGTERM and SIGKILL if it ignores the end of stdin", async () => {
    const clock = new FakeClock();
    const text = path.join(folder, "said");
    const { launch } = launcher({
      clock,
      bundled: file(
        "s.js",
        sidecar().replace("process.exit(0)", `require("fs").appendFileSync(${JSON.stringify(text)}, "stdin ")`) +
          `process.on("SIGTERM", () => require("fs").appendFileSync(${JSON.stringify(text)}, "SIGTERM ")); setInterval(() => undefined, 1000);`,
      ),
    });
    const process = launch();
    await process.ready;
    const stopping = process.stop();
    while (!existsSync(text)) await settled();
    clock.advance(3_000);
    while (!readFileSync(text, "utf8").includes("SIGTERM")) await settled();
    clock.advance(1_000);
    await stopping;
    equal(await process.ended, "Symposium’s sidecar stopped unexpectedly (signal SIGKILL).");
    equal(readFileSync(text, "utf8"), "stdin SIGTERM ");
    equal(clock.waiting, 0);
  });

  test("is stopped after five seconds without a handshake, with another Node as remedy", async () => {
    const clock = new FakeClock();
    const { launch, lines } = launcher({
      clock,
      bundled: file("s.js", "console.error('up'); process.stdin.resume();"),
    });
    const process = launch();
    while (!lines.some(({ message }) => message === "up")) await settled();
    clock.advance(5_000);
    await rejects(process.ready, { name: "StartFailed", remedy: "otherNode" });
    await process.ended;
    equal(clock.waiting, 0);
  });

  test("fails if it exits before the handshake or uses another protocol", async () => {
    for (const text of [
      "process.exit(3)",
      "process.stdout.write('Hello!\\r\\n\\r\\n'); process.stdin.resume(); process.stdin.on('end', () => process.exit(0))",
    ]) {
      await rejects(launcher({ bundled: file("s.js", text) }).launch().ready, {
        name: "StartFailed",
        remedy: "otherNode",
      });
    }
    await rejects(
      launcher({
        bundled: file("s.js", "process.exit(3)"),
        shell: file("shell", `#!/bin/sh\necho "symposium-node 22.0.0 ${process.execPath}"`, 0o755),
      }).launch("login").ready,
      { remedy: "again" },
    );
  });

  test("rejects another version permanently with advice", async () => {
    const bundled = file("s.js", sidecar("", "2"));
    await rejects(launcher({ bundled }).launch().ready, { remedy: "none", message: /Reload the window/ });
    await rejects(launcher({ custom: bundled }).launch().ready, { remedy: "none", message: /symposium\.acpAgentPath/ });
    const refusing = file(
      "r.js",
      sidecar("wire.onRequest('hello', () => { throw new rpc.ResponseError(-32050, 'no'); });"),
    );
    await rejects(launcher({ bundled: refusing }).launch().ready, { remedy: "none", message: /Reload the window/ });
  });

  test("runs symposium.acpAgentPath directly if not a script, and reports a failed start", async () => {
    const script = file("s.js", sidecar());
    const program = file("agent", `#!/bin/sh\n[ "$1" = serve ] && exec "${process.execPath}" "${script}"\n`, 0o755);
    await (await launcher({ custom: program }).launch().ready).request("hello", {
      protocol: PROTOCOL,
      build: "1",
      logLevel: "info",
      agentLogLevel: "info",
      traceDir: "",
      history: { days: 90, megabytes: 1024 },
      storage: "",
      bypass: [],
      extensions: [],
      proxy: "",
    });
    await rejects(launcher({ custom: path.join(folder, "absent") }).launch().ready, {
      remedy: "again",
      message: /absent/,
    });
  });

  test("finds the login shell's Node, or reports its absence", async () => {
    const bundled = file("s.js", sidecar());
    const shell = file(
      "shell",
      `#!/bin/sh\n[ "$1" = -ilc ] && echo welcome && PATH="${path.dirname(process.execPath)}" && eval "$2"\n`,
      0o755,
    );
    await launcher({ bundled, shell }).launch("login").ready;
    await rejects(launcher({ bundled, shell: "/bin/false" }).launch("login").ready, {
      remedy: "again",
      message: /login shell has no Node 20/,
    });
    await rejects(launcher({ bundled, shell: path.join(folder, "absent") }).launch("login").ready, {
      message: /login shell has no Node 20/,
    });
  });

  test("times out a hanging login shell after five seconds", async () => {
    const clock = new FakeClock();
    const up = path.join(folder, "up");
    const process = launcher({
      clock,
      bundled: "x",
      shell: file("shell", `#!/bin/sh\ntouch "${up}"\nsleep 1000\n`, 0o755),
    }).launch("login");
    process.ready.catch(() => undefined);
    while (!existsSync(up)) await settled();
    clock.advance(5_000);
    await rejects(process.ready, { message: /login shell has no Node 20/ });
    await process.ended;
  });

  test("ends when stopped before its handshake", async () => {
    const process = launcher({ bundled: file("s.js", sidecar()) }).launch();
    process.ready.catch(() => undefined);
    await process.stop();
    await process.ended;
  });

  test("receives the records to reap", async () => {
    const seen = path.join(folder, "seen");
    const { launcher: it, lines } = launcher({
      bundled: file(
        "s.js",
        `
      let text = ""; process.stdin.on("data", piece => text += piece).on("end", () => require("fs").writeFileSync(${JSON.stringify(seen)}, process.argv[2] + " " + text));`,
      ),
    });
    const record = { pid: 7, group: 7, started: "then", runId: "r", command: "agent" };
    await it.reap("own", [record]);
    equal(readFileSync(seen, "utf8"), `reap ${JSON.stringify([record])}`);
    ok(
      lines.some(
        ({ message, data }) =>
          message === "Ended leftover processes of the sidecar" && data?.["status"] === "exit code 0",
      ),
    );
  });
});
