import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { isObject, objectOr, type JsonObject } from "../rpc/json";
import { census } from "../testing/census";
import { CommandRun } from "../testing/command-run";
import { eventually } from "../testing/eventually";
import { serveMcpOverHttp } from "../testing/mcp/mcp-server";
import { program, scriptedAgent } from "../testing/programs/programs";
import { NEEDS_PROC, skipped } from "../testing/skipped";

const quoted = ({ command, args }: { readonly command: string; readonly args: readonly string[] }): string =>
  [command, ...args].map(word => `'${word}'`).join(" ");
const scripted = (...flags: string[]): string => quoted(scriptedAgent(flags));

suite("symposium-acp-agent", function () {
  this.timeout(timeLimit(120_000));
  let folder: string;
  const runs: CommandRun[] = [];
  const start = (...args: string[]): CommandRun => {
    const run = new CommandRun(folder, args);
    runs.push(run);
    return run;
  };
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-"));
  });
  teardown(async () => {
    for (const run of runs.splice(0)) {
      run.process.kill("SIGKILL");
      await run.exit;
      for (const { pid } of process.platform === "linux" ? run.agents : []) process.kill(pid, "SIGKILL");
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const assertNoProcesses = async (run: CommandRun): Promise<void> => {
    if (process.platform === "linux") deepEqual(census(run.id), []);
  };
  const ledgers = (): readonly string[] => readdirSync(path.join(folder, ".symposium/cache/processes"));

  test("exits with 0, 0 and 2 for --version, --help and wrong usage", async () => {
    const execute = async (...args: string[]): Promise<readonly [unknown, string, string]> => {
      const run = start(...args);
      let stdout = "";
      run.process.stdout.setEncoding("utf8").on("data", text => {
        stdout += text;
      });
      return [(await run.exit)[0], stdout, run.stderr];
    };
    deepEqual(await execute("--version"), [0, "development\n", ""]);
    const [code, stdout, stderr] = await execute("run-with", "--help");
    deepEqual([code, stderr], [0, ""]);
    match(stdout, /^symposium-acp-agent run-with: [^]*Exit codes/);
    deepEqual(await execute("run-with", "--fast"), [
      2,
      "",
      "Unknown option --fast. See symposium-acp-agent run-with --help.\n",
    ]);
  });

  test("serves an SDK client as an agent and exits with it", async () => {
    const run = start("run-with", "--agent", scripted());
    const messages: unknown[] = [];
    const connection = client({ name: "independent" })
      .onNotification(methods.client.session.update, ({ params }) => {
        messages.push(params.update);
      })
      .onRequest(methods.client.session.requestPermission, () => ({
        outcome: { outcome: "selected", optionId: "allow_once" },
      }))
      .connect(ndJsonStream(Writable.toWeb(run.process.stdin), Readable.toWeb(run.process.stdout)));
    const { agent } = connection;
    const { protocolVersion } = await agent.request(methods.agent.initialize, { protocolVersion: 1 });
    equal(protocolVersion, 1);
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] });
    const { stopReason } = await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: "say hello \\; ask t1" }],
    });
    equal(stopReason, "end_turn");
    ok(messages.length > 0);
    connection.close();
    run.process.stdin.end();
    deepEqual([await run.exit, run.stderr], [[0, null], ""]);
    await assertNoProcesses(run);
    deepEqual(ledgers(), []);
  });

  test("starts no agent before the client's first message", async () => {
    const started = path.join(folder, "started"),
      agent = [process.execPath, "-e", `require("fs").writeFileSync(${JSON.stringify(started)}, "")`];
    const run = start("run-with", "--agent", agent.map(word => `'${word}'`).join(" "));
    run.process.stdin.end();
    deepEqual([await run.exit, run.stderr, existsSync(started)], [[0, null], "", false]);
  });

  test("accepts options around the subcommand and writes redacted log and trace files", async () => {
    const run = start(
      "--trace-dir",
      path.join(folder, "trace"),
      "--log",
      "debug",
      "run-with",
      "--agent",
      `SECRET_TOKEN=hunter2hunter2 ${scripted()}`,
      "--log-dir",
      path.join(folder, "log"),
    ).read();
    await run.ask(1, "initialize", { protocolVersion: 1 });
    const { result } = await run.ask(2, "session/new", {
      cwd: folder,
      mcpServers: [{ name: "none", command: "none", args: [], env: [{ name: "KEY", value: "hunter2" }] }],
    });
    const sessionId = String(objectOr(result).sessionId);
    run.prompt(3, sessionId, "say hello");
    await run.answer(3);
    run.process.stdin.end();
    deepEqual(await run.exit, [0, null]);

    const [name, ...others] = readdirSync(path.join(folder, "trace"));
    deepEqual(others, []);
    match(name ?? "", /^symposium-acp-agent-.*\.jsons$/);
    const file = path.join(folder, "trace", name ?? ""),
      text = readFileSync(file, "utf8");
    if (process.platform !== "win32") equal(statSync(file).mode & 0o777, 0o600);
    const events: readonly unknown[] = text
      .trim()
      .split("\n")
      .map(line => JSON.parse(line));
    const agentEvents = events.filter(isObject).filter(({ from, to }) => from === "agent" || to === "agent");
    const asked = agentEvents.filter(({ type }) => type === "request");
    deepEqual(
      asked.map(({ method, protocol, session }) => [method, protocol, session]),
      [
        ["initialize", "acp", undefined],
        ["session/new", "acp", undefined],
        ["session/prompt", "acp", sessionId],
      ],
    );
    for (const { id } of asked)
      equal(
        agentEvents.filter(event => event.type === "response" && event.id === id && event.is_error === false).length,
        1,
      );
    ok(
      agentEvents.some(
        ({ type, method, session }) => type === "notification" && method === "session/update" && session === sessionId,
      ),
    );

    const [log] = readdirSync(path.join(folder, "log"));
    equal(readFileSync(path.join(folder, "log", log ?? ""), "utf8"), run.stderr);
    for (const line of [/ info {2}Starting /, / debug exited /, / info {2}The client disconnected/])
      match(run.stderr, line);
    doesNotMatch(run.stderr + text, /hunter2/);
  });

  test("answers open requests with the reason and exits with 1 when the agent is killed", async function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
    const run = start(
      "run-with",
      "--agent",
      JSON.stringify({ name: "Scripted", local: { command: process.execPath, args: scriptedAgent().args } }),
    ).read();
    const sessionId = await run.open();
    run.prompt(3, sessionId, "stderr these are the last words\nsay here\nhang");
    await run.until(() => run.text === "here");
    for (const { pid } of run.agents) process.kill(pid, "SIGKILL");
    const { error } = await run.answer(3);
    match(String(objectOr(error).message), /Scripted/);
    deepEqual(await run.exit, [1, null]);
    match(run.stderr, /^\S+ error .*Scripted .*\(signal SIGKILL\)[^]*\n {2}these are the last words\n$/);
    doesNotMatch(run.stderr, /next prompt|setting/);
    await assertNoProcesses(run);
  });

  test("reports a wrong agent command to the client and stderr and exits with 1", async () => {
    const run = start("run-with", "--agent", "no-such-agent --acp").read();
    ok((await run.ask(1, "initialize", { protocolVersion: 1 })).error);
    deepEqual(await run.exit, [1, null]);
    match(run.stderr, /no-such-agent could not be started: “no-such-agent” was not found or is not executable\./);
    doesNotMatch(run.stderr, /setting/);
    equal(
      run.stderr
        .trim()
        .split("\n")
        .filter(line => line.includes("could not be started")).length,
      1,
    );
  });

  test("ends a stubborn agent and exits with 0 when the client disconnects during a turn", async () => {
    const run = start("run-with", "--agent", scripted("--ignore-stdin-end", "--ignore-sigterm", "--with-child")).read();
    run.prompt(3, await run.open(), "say here\nhang-forever");
    await run.until(() => run.text === "here");
    run.process.stdin.end();
    deepEqual(await run.exit, [0, null]);
    await assertNoProcesses(run);
    deepEqual(ledgers(), []);
  });

  test("exits with 0 when the client stops reading", async () => {
    const run = start("run-with", "--agent", scripted()).read();
    const sessionId = await run.open();
    run.process.stdout.destroy();
    run.prompt(3, sessionId, "stream 2000 chunks of 1000 chars");
    deepEqual(await run.exit, [0, null]);
    await assertNoProcesses(run);
  });

  test("ends cleanly on a signal", async function () {
    if (process.platform === "win32") skipped(this, "Windows has no signals that a process could hear");
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      const run = start("run-with", "--agent", scripted("--ignore-stdin-end")).read();
      await run.open();
      run.process.kill(signal);
      deepEqual(await run.exit, [code, null]);
      await assertNoProcesses(run);
    }
    deepEqual(ledgers(), []);
  });

  test("leaves no processes of an extension, however it ends", async function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
    const bin = path.join(folder, "bin"),
      running = path.join(folder, "running");
    mkdirSync(bin);
    writeFileSync(path.join(folder, "Cargo.toml"), "");
    writeFileSync(path.join(bin, "cargo"), `#!/bin/sh\ntrap '' TERM\n: > ${running}\nwhile :; do sleep 1; done\n`, {
      mode: 0o755,
    });
    const before = { ...process.env };
    for (const [signal, code] of [
      ["SIGTERM", 143],
      [undefined, 0],
    ] as const) {
      Object.assign(process.env, { PATH: `${bin}:${before["PATH"]}`, SHELL: "/bin/false" });
      const run = start("run-with", "--proxy", "cargo", "--agent", "eliza --deterministic").read();
      Object.assign(process.env, { PATH: before["PATH"], SHELL: before["SHELL"] ?? "/bin/sh" });
      await run.ask(1, "initialize", { protocolVersion: 1 });
      run.prompt(
        3,
        String(objectOr((await run.ask(2, "session/new", { cwd: folder, mcpServers: [] })).result).sessionId),
        "use tool cargo-mcp::cargo_run",
      );
      const question = (): JsonObject | undefined =>
        run.received.find(({ method }) => method === "session/request_permission");
      await eventually(() => question() !== undefined, "the editor's user is asked");
      equal(existsSync(running), false);
      run.report({ id: question()?.id, result: { outcome: { outcome: "selected", optionId: "allow" } } });
      await eventually(() => existsSync(running), "cargo runs");
      rmSync(running);
      if (signal) run.process.kill(signal);
      else run.process.stdin.end();
      deepEqual(await run.exit, [code, null]);
      await assertNoProcesses(run);
    }
    deepEqual(ledgers(), []);
  });

  test("leaves only processes that its next start ends after it was killed", async function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
    const run = start("run-with", "--agent", scripted("--ignore-stdin-end", "--ignore-sigterm")).read();
    await run.open();
    run.process.kill("SIGKILL");
    await run.exit;
    equal(run.agents.length, 1);
    const next = start("run-with", "--agent", "eliza").read();
    await next.open();
    await eventually(() => run.agents.length === 0, "the agent of the dead one is gone");
    await eventually(() => ledgers().length === 1, "its ledger is gone");
    next.process.stdin.end();
    deepEqual(await next.exit, [0, null]);
    deepEqual(ledgers(), []);
  });

  test("is a proxy without an agent, and bypasses a proxy that cannot start", async () => {
    const inner = quoted({
      command: process.execPath,
      args: [...program("symposium-acp-agent").args, "run-with", "--proxy", "no-such-proxy --fast"],
    });
    const run = start(
      "run-with",
      "--proxy",
      inner,
      "--proxy",
      "nor-this-one --fast",
      "--agent",
      "eliza --deterministic",
      "--log",
      "debug",
    ).read();
    run.prompt(3, await run.open(), "I love ferris");
    deepEqual((await run.answer(3)).result, { stopReason: "end_turn" });
    match(run.text, /Ferris/);
    run.process.stdin.end();
    deepEqual(await run.exit, [0, null]);
    match(run.stderr, /^\S+ warn {2}.*“nor-this-one” is skipped/m);
    match(run.stderr, /^\S+ debug stderr .*“no-such-proxy” is skipped/m);
    await assertNoProcesses(run);
  });

  test("runs built-in extensions internally or as external proxies", async () => {
    const alone = (id: string): string =>
      quoted({ command: process.execPath, args: [...program("symposium-acp-agent").args, "proxy", id] });
    for (const proxies of [
      ["sparkle", "ferris", "cargo", "workspace", "ide"],
      ["sparkle", "ferris", "cargo", "workspace", "ide"].map(alone),
    ]) {
      const run = start(
          "run-with",
          ...proxies.flatMap(proxy => ["--proxy", proxy]),
          "--agent",
          "eliza --deterministic",
        ).read(),
        sessionId = await run.open();
      run.prompt(3, sessionId, "use tool sparkle::list_sparklers");
      await run.answer(3);
      run.prompt(
        4,
        sessionId,
        'use tool workspace-tools::read_file with {"path":"package.json","startLine":1,"endLine":2}',
      );
      await run.answer(4);
      match(run.text, /^OK: \{"sparklers":\[\],"current":"Sparkler"\}OK: \{\s+"name": "symposium"/);
      run.process.stdin.end();
      deepEqual([await run.exit, run.stderr], [[0, null], ""]);
    }
  });

  test("warns once on stderr after the first turn if the agent does not list its tools (issue 14 item 1)", async () => {
    const run = start("run-with", "--proxy", "workspace", "--proxy", "ide", "--agent", scripted("--ignore-mcp")).read(),
      sessionId = await run.open();
    for (const id of [3, 4]) {
      run.prompt(id, sessionId, "say hello");
      await run.answer(id);
    }
    run.process.stdin.end();
    await run.exit;
    const warnings = run.stderr.split("\n").filter(line => line.includes(" warn "));
    equal(warnings.length, 1, run.stderr);
    match(
      warnings[0]!,
      /did not request the tools of Workspace and IDE operations \(0 of 7\): it did not connect to any of these MCP servers\. Its model does not have these tools\. Start a new session, which offers them over another connection\.$/,
    );
  });

  test("logs that servers which the agent connects to directly are not observed", async () => {
    const docs = JSON.stringify({ id: "docs", kind: "mcp", distribution: { http: { url: "http://127.0.0.1:9/mcp" } } });
    const run = start("run-with", "--log", "info", "--proxy", docs, "--agent", scripted("--ignore-mcp")).read(),
      sessionId = await run.open();
    run.prompt(3, sessionId, "say hello");
    await run.answer(3);
    run.process.stdin.end();
    await run.exit;
    match(
      run.stderr,
      / info {2}Tools of the session .*"docs: Symposium cannot observe this MCP server, because the agent connects to it directly"/,
    );
  });

  test("declares MCP servers by command and address and excludes a missing program with a sentence", async () => {
    await using server = await serveMcpOverHttp(() => undefined);
    const at = JSON.stringify({
      id: "docs",
      kind: "mcp",
      distribution: { http: { url: server.url, headers: { Authorization: "Bearer secret" } } },
    });
    const local = (id: string, command: object): string =>
      JSON.stringify({ id, name: "A server", kind: "mcp", distribution: { local: command } });
    const run = start(
        "run-with",
        "--proxy",
        at,
        "--proxy",
        local("tools", program("mcp-server")),
        "--proxy",
        local("gone", { command: "no-such-server" }),
        "--agent",
        "eliza --deterministic",
      ).read(),
      sessionId = await run.open();
    for (const [i, name] of ["docs", "tools"].entries()) {
      run.prompt(3 + i, sessionId, `use tool ${name}::echo with {"text":"${name}"}`);
      await run.answer(3 + i);
    }
    match(run.text, /^OK: .*docs.*OK: .*tools/);
    run.process.stdin.end();
    deepEqual(await run.exit, [0, null]);
    match(
      run.stderr,
      /^\S+ warn {2}The MCP server “A server 2” could not be started: “no-such-server” was not found or is not executable\. It is skipped\.\n$/,
    );
    doesNotMatch(run.stderr, /secret/);
    await assertNoProcesses(run);
  });

  test("runs Eliza at the end or alone without an agent process", async () => {
    for (const args of [
      ["run-with", "--agent", "eliza --deterministic"],
      ["eliza", "--deterministic"],
    ]) {
      const run = start(...args).read();
      run.prompt(3, await run.open(), "I love ferris");
      deepEqual((await run.answer(3)).result, { stopReason: "end_turn" });
      match(run.text, /Ferris/);
      run.process.stdin.end();
      deepEqual([await run.exit, run.stderr], [[0, null], ""]);
    }
  });

  test("exits with 2 before the start if a log or trace folder is not writable", async () => {
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    for (const option of ["--log-dir", "--trace-dir"]) {
      const run = start("run-with", "--agent", "eliza", option, file);
      deepEqual(await run.exit, [2, null]);
      match(run.stderr, /^“.*file.*” cannot be written: .*\n$/);
    }
  });
});
