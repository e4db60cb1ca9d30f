/** Launches with extensions that start. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import { serveMcpOverHttp } from "../testing/mcp/mcp-server";
import { program } from "../testing/programs/programs";
import { commandOf, type AgentCommand } from "./distributions/agent-command";
import {
  NEVER,
  local,
  extension,
  rule,
  ADA,
  ELIZA,
  replyTo,
  passThrough,
  LaunchFixture,
} from "../testing/extensions/launch-fixture";

suite("launch with extensions", () => {
  test("runs them before the agent in order, with their changes to its messages", async () => {
    await using fixture = new LaunchFixture();
    const connection = await fixture.launch(ADA, [
      rule("House rules", "Be brief."),
      extension("Pass", local(program("pass-proxy"))),
      rule("Other rules", "received"),
    ]);
    match((await replyTo(connection, "hello")).text, /"Be brief\.".*"hello"/);
    deepEqual(fixture.passed.slice(0, 3), [
      "client → 1 House rules",
      "1 House rules → 2 Pass",
      "2 Pass → 3 Other rules",
    ]);
    equal(fixture.passed.at(-1)?.endsWith("→ agent"), true);
    deepEqual(
      [connection.missing, fixture.statuses],
      [[], ["house-rules started", "pass started", "other-rules started"]],
    );
    deepEqual(fixture.started.toSorted(), ["Ada", "“House rules”", "“Other rules”", "“Pass”"]);
  });

  test("reports the activity of each extension in a session and the reason for a missing one", async () => {
    await using fixture = new LaunchFixture();
    const connection = await fixture.launch(ELIZA, [
      rule("House rules", "Be brief."),
      extension("Bad", { local: { command: "/nowhere/bad" } }),
      extension("Pass", local(program("pass-proxy"))),
    ]);
    let sessionId = "";
    const notified = new Promise<void>(
      resolve =>
        void replyTo(connection, "hello", id => {
          sessionId = id;
          connection.extensions?.listen(id, resolve);
        }),
    );
    await notified;
    const all = connection.extensions
      ?.of(sessionId)
      .map(({ time, ...rest }) => ({ ...rest, timed: time?.setup !== undefined && time.prompt !== undefined }));
    deepEqual(all, [
      {
        id: "house-rules",
        name: "House rules",
        prompts: { count: 1, last: { added: 1, removed: 0, altered: 0, text: "Be brief." } },
        timed: true,
      },
      {
        id: "bad",
        name: "Bad",
        leftOut: "The agent extension “Bad” could not be started: “/nowhere/bad” was not found or is not executable.",
        timed: false,
      },
      { id: "pass", name: "Pass", timed: true },
    ]);
  });

  test("starts an MCP server extension once per session and offers its tools over http", async () => {
    await using fixture = new LaunchFixture();
    const tools = { ...extension("My Tools", local(program("mcp-server"))), kind: "mcp" as const },
      twin = { ...tools, id: "twin" };
    const connection = await fixture.launch(ELIZA, [tools, { ...tools, id: "my tools" }, twin]);
    let sessionId = "";
    match(
      (
        await replyTo(connection, `use tool my-tools_2::echo with {"text": "hello"}`, id => {
          sessionId = id;
        })
      ).text,
      /^OK: /,
    );
    deepEqual(
      connection.extensions?.of(sessionId).map(({ setup }) => setup),
      [{ added: ["my-tools"] }, { added: ["my-tools_2"] }, { added: ["twin"] }],
    );
    deepEqual(
      fixture.started,
      Array.from({ length: 3 }, () => "The MCP server “My Tools”"),
    );
    deepEqual(
      connection.extensions
        ?.of(sessionId)
        .map(({ tools }) => tools?.map(({ transport, stage, calls }) => [transport, stage, calls]).slice(0, 1)),
      [[["http", "offered", 0]], [["http", "called", 1]], [["http", "offered", 0]]],
    );
  });

  test("declares a remote MCP server to the agent with its headers", async () => {
    await using fixture = new LaunchFixture();
    await using server = await serveMcpOverHttp(() => undefined);
    const docs: ExtensionConfig = {
        ...extension("Docs", { http: { url: server.url, headers: { Authorization: "Bearer secret" } } }),
        kind: "mcp",
      },
      wrong: ExtensionConfig = { ...docs, id: "wrong", name: "Wrong", distribution: { http: { url: "nowhere" } } };
    const connection = await fixture.launch(ELIZA, [docs, wrong]);
    let sessionId = "";
    match(
      (
        await replyTo(connection, `use tool docs::echo with {"text": "hello"}`, id => {
          sessionId = id;
        })
      ).text,
      /^OK: .*hello/,
    );
    deepEqual(
      connection.missing.map(({ sentence }) => sentence),
      [
        "The agent extension “Wrong” is skipped: its URL is invalid: enter a complete URL that starts with https:// or http://, such as https://example.com/mcp.",
      ],
    );
    deepEqual(
      connection.extensions
        ?.of(sessionId)
        .map(({ setup, time, leftOut }) => [setup, time?.setup !== undefined, leftOut !== undefined]),
      [
        [{ added: ["docs"] }, true, false],
        [undefined, false, true],
      ],
    );
    deepEqual(
      [fixture.started, fixture.statuses],
      [[], [`wrong failed: ${connection.missing[0]?.sentence}`, "docs started"]],
    );
  });

  test("runs additional proxies, such as VS Code's tools, behind them", async () => {
    await using fixture = new LaunchFixture();
    fixture.proxies = [{ kind: "internal", name: "tools", serve: passThrough }];
    await replyTo(await fixture.launch(ELIZA, [rule("House rules", "Be brief.")]), "hello");
    deepEqual(fixture.passed.slice(0, 2), ["client → 1 House rules", "1 House rules → 2 tools"]);
  });

  test("supports Eliza and distinguishes two extensions with the same name", async () => {
    await using fixture = new LaunchFixture();
    const twin: ExtensionConfig = { ...rule("House rules", "Be brief."), id: "twin" };
    ok((await replyTo(await fixture.launch(ELIZA, [rule("House rules", "Be kind."), twin]), "hello")).text.length > 0);
    deepEqual(fixture.passed.slice(0, 2), ["client → 1 House rules", "1 House rules → 2 House rules (twin)"]);
  });

  test("looks up extensions and agent concurrently and starts nothing before the last lookup", async () => {
    await using fixture = new LaunchFixture();
    const lookups: string[] = [],
      finish = new Map<string, () => void>();
    const delayed = (name: string, command: AgentCommand) =>
      new Promise<AgentCommand>(resolve => {
        lookups.push(name);
        finish.set(name, () => resolve(command));
      });
    fixture.command = config => delayed(config.id, commandOf(config));
    const launching = fixture.launch(
      ADA,
      [rule("House rules", "Be brief."), rule("Other rules", "Be kind.")],
      NEVER,
      () => delayed("ada", commandOf(ADA)),
    );
    deepEqual(lookups.toSorted(), ["ada", "house-rules", "other-rules"]);
    for (const name of ["ada", "other-rules"]) finish.get(name)?.();
    await new Promise(resolve => setImmediate(resolve));
    deepEqual(fixture.started, []);
    finish.get("house-rules")?.();
    await launching;
    equal(fixture.started.length, 3);
  });

  test("cancels the lookups without a failure when the agent is unavailable or the launch is cancelled", async () => {
    await using fixture = new LaunchFixture();
    const signals: AbortSignal[] = [],
      aborted = new AbortController();
    fixture.command = (_, signal) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cancelled"))));
    };
    await rejects(
      fixture.launch(ADA, [rule("House rules")], NEVER, () => Promise.reject(new Error("no network"))),
      /no network/,
    );
    const launching = fixture.launch(ADA, [rule("House rules")], aborted.signal);
    aborted.abort(new Error("closed"));
    await rejects(launching, /closed/);
    deepEqual([signals.map(signal => signal.aborted), fixture.statuses, fixture.started], [[true, true], [], []]);
  });
});
