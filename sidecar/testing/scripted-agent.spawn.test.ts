import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { arrayOr, objectOr } from "../rpc/json";
import { RpcError } from "../rpc/message";
import { census } from "./census";
import { Drive, temporaryFolder, type DriveOptions } from "./drive";
import { eventually } from "./eventually";
import { hurriedClock } from "./hurried-clock";
import { program, scriptedAgent } from "./programs";
import { numberedWords } from "./scripted-agent/script";
import { NEEDS_PROC, skipped } from "./skipped";

/** Opens a session with an agent that was started with these flags. */
async function open(
  flags: readonly string[] = [],
  mcpServers: readonly unknown[] = [],
  options: DriveOptions = {},
): Promise<{ drive: Drive; session: string } & AsyncDisposable> {
  const drive = new Drive(scriptedAgent(flags), options);
  return { drive, session: await drive.open(mcpServers), [Symbol.asyncDispose]: () => drive[Symbol.asyncDispose]() };
}

const failsWith =
  (code: number, message: string) =>
  (error: unknown): boolean =>
    error instanceof RpcError && error.code === code && error.message === message;

suite("the scripted agent", () => {
  test("echoes what is no script", async () => {
    await using agent = await open();
    deepEqual(await agent.drive.prompt(agent.session, "Hello; you there?"), { stopReason: "end_turn" });
    equal(agent.drive.said, "You said: Hello; you there?");
  });

  test("streams numbered words in order, as fast as it can", async () => {
    await using agent = await open();
    await agent.drive.prompt(agent.session, "stream 2000 chunks of 100 chars");
    equal(agent.drive.updates.length, 2000);
    equal(agent.drive.said, numberedWords(200_000));
  });

  test("shows thoughts, plans, tool calls, commands, modes, titles and usage", async () => {
    await using agent = await open();
    await agent.drive.prompt(
      agent.session,
      "think hm\nplan [x] a|b\ntool t1 read Read\ntoolupdate t1 in_progress text=x\ncommands a:b\nmode code\ntitle T\nusage 1 2\nunknown-update",
    );
    deepEqual(
      agent.drive.updates.map(({ sessionUpdate }) => sessionUpdate),
      [
        "agent_thought_chunk",
        "plan",
        "tool_call",
        "tool_call_update",
        "available_commands_update",
        "current_mode_update",
        "session_info_update",
        "usage_update",
        "scripted_unknown",
      ],
    );
    deepEqual(agent.drive.updates[3], {
      sessionUpdate: "tool_call_update",
      toolCallId: "t1",
      status: "in_progress",
      content: [{ type: "content", content: { type: "text", text: "x" } }],
    });
  });

  test("asks for permission and says what was chosen", async () => {
    await using agent = await open();
    agent.drive.answer = request => request.respond({ outcome: { outcome: "selected", optionId: "allow_once-2" } });
    await agent.drive.prompt(agent.session, 'ask p1 options=allow_once,allow_once no-title input={"command":"ls"}');
    equal(agent.drive.said, "chose allow_once-2");
    deepEqual(objectOr(agent.drive.requests[0]?.params).toolCall, { toolCallId: "p1", rawInput: { command: "ls" } });
  });

  test("has forms filled in and pages visited, and says how that ended", async () => {
    await using agent = await open();
    const answers: Readonly<Record<string, object>> = {
      "Who?": { action: "accept", content: { who: "me" } },
      "No?": { action: "decline" },
      "Please visit this page.": { action: "cancel" },
    };
    agent.drive.answer = request => request.respond(answers[String(objectOr(request.params).message)]);
    await agent.drive.prompt(
      agent.session,
      'form message="Who?" requestedSchema={"properties":{"who":{"type":"string"}}}; form message="No?"; visit https://example.org elicitationId=v1; visited v1',
    );
    equal(agent.drive.said, 'accept {"who":"me"}declinecancel');
    deepEqual(
      agent.drive.requests.map(({ params }) => params),
      [
        {
          sessionId: agent.session,
          mode: "form",
          message: "Who?",
          requestedSchema: { properties: { who: { type: "string" } } },
        },
        { sessionId: agent.session, mode: "form", message: "No?", requestedSchema: { type: "object", properties: {} } },
        {
          sessionId: agent.session,
          mode: "url",
          message: "Please visit this page.",
          url: "https://example.org",
          elicitationId: "v1",
        },
      ],
    );
    deepEqual(agent.drive.others, ["elicitation/complete"]);
  });

  test("takes its open questions back, and says how the client took it", async () => {
    await using agent = await open();
    agent.drive.answer = request =>
      request.signal.addEventListener("abort", () => request.fail(new RpcError(-32800, "withdrawn")));
    await agent.drive.prompt(agent.session, "ask* a; withdraw* 1; say .");
    await agent.drive.prompt(agent.session, "form* message=x; withdraw* 1; say .");
    equal(agent.drive.said, "failed: -32800 withdrawn.failed: -32800 withdrawn.");
    deepEqual(
      agent.drive.requests.map(({ method }) => method),
      ["session/request_permission", "elicitation/create"],
    );
  });

  test("shows notices, a compaction, and what is no text", async () => {
    await using agent = await open();
    await agent.drive.prompt(
      agent.session,
      "notice warning Little room | 3 files\ncompact c1 in_progress\ncompact-say c1 What\ncompact c1 completed What was said\ncompact c2 failed no luck\nshow text=x image audio resource=file:///a link=file:///b hologram=1",
    );
    const text = (text: string) => ({ type: "text", text });
    deepEqual(agent.drive.updates.slice(0, 5), [
      { sessionUpdate: "notice", severity: "warning", title: "Little room", description: "3 files" },
      { sessionUpdate: "compaction_update", compactionId: "c1", status: "in_progress" },
      { sessionUpdate: "compaction_summary_chunk", compactionId: "c1", content: text("What") },
      { sessionUpdate: "compaction_update", compactionId: "c1", status: "completed", summary: [text("What was said")] },
      { sessionUpdate: "compaction_update", compactionId: "c2", status: "failed", error: "no luck" },
    ]);
    deepEqual(
      agent.drive.updates.slice(5).map(({ content }) => objectOr(content).type),
      ["text", "image", "audio", "resource", "resource_link", "hologram"],
    );
  });

  test("asks several questions at once, and a cancelled turn waits for all answers", async () => {
    await using agent = await open();
    agent.drive.answer = () => undefined;
    const ended = agent.drive.prompt(agent.session, "ask* a; ask* b; say never");
    await agent.drive.until(() => agent.drive.requests.length === 2);
    deepEqual(
      agent.drive.requests.map(({ id }) => id),
      [0, 1],
    );
    agent.drive.cancel(agent.session);
    for (const request of agent.drive.requests) request.respond({ outcome: { outcome: "cancelled" } });
    deepEqual(await ended, { stopReason: "cancelled" });
    equal(agent.drive.said, "cancelledcancelled");
  });

  test("uses the client's files and terminal", async () => {
    await using agent = await open();
    const heard: string[] = [];
    agent.drive.answer = request => {
      heard.push(request.method);
      request.respond(
        {
          "fs/read_text_file": { content: "text. " },
          "terminal/create": { terminalId: "T" },
          "terminal/wait_for_exit": { exitCode: 0 },
          "terminal/output": { output: "done" },
        }[request.method] ?? {},
      );
    };
    await agent.drive.prompt(agent.session, "read /a; write /b x; terminal ls -l 'a b'; toolupdate t terminal=last");
    equal(agent.drive.said, "text. wrote /bexit 0: done");
    deepEqual(heard, [
      "fs/read_text_file",
      "fs/write_text_file",
      "terminal/create",
      "terminal/wait_for_exit",
      "terminal/output",
      "terminal/release",
    ]);
    deepEqual(agent.drive.updates.at(-1)?.content, [{ type: "terminal", terminalId: "T" }]);
  });

  test("does with a terminal what it is told, one request after the other", async () => {
    await using agent = await open();
    const heard: string[] = [];
    agent.drive.answer = request => {
      heard.push(request.method);
      request.respond(
        {
          "terminal/create": { terminalId: "T" },
          "terminal/wait_for_exit": { exitCode: null, signal: "SIGTERM" },
          "terminal/output": { output: "so far" },
        }[request.method] ?? {},
      );
    };
    await agent.drive.prompt(
      agent.session,
      "terminal-start ls; terminal-output; terminal-kill; terminal-wait; terminal-release",
    );
    equal(agent.drive.said, "so farexit SIGTERM");
    deepEqual(heard, [
      "terminal/create",
      "terminal/output",
      "terminal/kill",
      "terminal/wait_for_exit",
      "terminal/release",
    ]);
    deepEqual(
      agent.drive.updates.map(({ sessionUpdate, status }) => [sessionUpdate, status]),
      [
        ["tool_call", "in_progress"],
        ["agent_message_chunk", undefined],
        ["tool_call_update", "failed"],
        ["agent_message_chunk", undefined],
      ],
    );
  });

  test("says what the client refused, and goes on", async () => {
    await using agent = await open();
    await agent.drive.prompt(agent.session, "read /a; unknown-request; unknown-notification; say .");
    match(agent.drive.said, /^failed: -32601 .*unknown request refused: -32601\.$/);
    deepEqual(agent.drive.others, ["scripted/unknown"]);
  });

  test("calls tools of MCP servers, one after the other and in parallel", async () => {
    const server = program("mcp-server");
    await using agent = await open([], [{ name: "test", command: server.command, args: server.args, env: [] }]);
    await agent.drive.prompt(agent.session, 'mcp test add {"a":1,"b":2}; mcp none add; tools test');
    match(agent.drive.said, /^add: 3failed: no MCP server noneecho, add, /);
    const before = agent.drive.updates.length;
    await agent.drive.prompt(agent.session, 'mcp* test echo {"text":"x"}; mcp* test echo {"text":"x"}');
    match(agent.drive.said, /echo: xecho: x$/);
    const calls = agent.drive.updates
      .slice(before)
      .filter(({ toolCallId }) => toolCallId !== undefined)
      .map(({ sessionUpdate }) => sessionUpdate);
    deepEqual(calls, ["tool_call", "tool_call", "tool_call_update", "tool_call_update"]);
  });

  test("waits for a file, and not where it is there already", async () => {
    using folder = temporaryFolder();
    const gate = path.join(folder.path, "gate");
    await using agent = await open();
    const ended = agent.drive.prompt(agent.session, `say a; await ${gate}; say b`);
    await agent.drive.until(() => agent.drive.said === "a");
    writeFileSync(path.join(folder.path, "another"), "");
    await agent.drive.prompt(await agent.drive.newSession(), "say ,");
    equal(agent.drive.said, "a,");
    writeFileSync(gate, "");
    deepEqual(await ended, { stopReason: "end_turn" });
    await agent.drive.prompt(agent.session, `await ${gate}; say c; await ${folder.path}/none/x; say d`);
    match(agent.drive.said, /^a,bcfailed: .*ENOENT.*d$/);
  });

  for (const script of ["hang", "sleep 60000", "await /no-such-file", "stream 10000 chunks of 10 chars every 1 ms"]) {
    test(`${script} ends at a cancellation`, async () => {
      await using agent = await open();
      const ended = agent.drive.prompt(agent.session, `say begun\n${script}\nsay never`);
      await agent.drive.until(() => agent.drive.said.startsWith("begun"));
      agent.drive.cancel(agent.session);
      deepEqual(await ended, { stopReason: "cancelled" });
      ok(!agent.drive.said.includes("never"));
    });
  }

  test("goes on for a while after a cancellation where the script says so", async () => {
    await using agent = await open();
    const ended = agent.drive.prompt(agent.session, "say a; wait-cancel; say b");
    await agent.drive.until(() => agent.drive.said === "a");
    agent.drive.cancel(agent.session);
    deepEqual(await ended, { stopReason: "cancelled" });
    equal(agent.drive.said, "ab");
  });

  test("hang-forever ignores a cancellation, and its death settles the prompt", async () => {
    await using agent = await open();
    const ended = agent.drive.prompt(agent.session, "say a; hang-forever");
    await agent.drive.until(() => agent.drive.said === "a");
    agent.drive.cancel(agent.session);
    await agent.drive.prompt(await agent.drive.newSession(), "say still here");
    process.kill(agent.drive.process.pid!, "SIGKILL");
    await rejects(ended, /signal SIGKILL/);
  });

  test("crashes with a status, and every pending call ends with it", async () => {
    await using agent = await open();
    await rejects(
      agent.drive.prompt(agent.session, "stderr last words; crash 3"),
      /Scripted stopped unexpectedly \(exit code 3\)/,
    );
    equal((await agent.drive.closed).cause, "last words");
  });

  test("dies in the middle of a message", async () => {
    await using agent = await open();
    await rejects(agent.drive.prompt(agent.session, "say whole; kill"), /signal SIGKILL/);
    equal(agent.drive.said, "whole");
    match(String(agent.drive.logged.find(([message]) => message === "garbage on stdout")?.[1].line), /"sessionUp$/);
  });

  test("talks garbage on stdout, and what is around it is understood", async () => {
    await using agent = await open();
    await agent.drive.prompt(agent.session, "say a; garbage npm WARN deprecated; say b");
    equal(agent.drive.said, "ab");
    equal(agent.drive.logged.find(([message]) => message === "garbage on stdout")?.[1].line, "npm WARN deprecated");
  });

  test("speaks after the turn, answers twice, ends as it is told", async () => {
    await using agent = await open();
    deepEqual(await agent.drive.prompt(agent.session, "late 1 too late; answer-twice; stop refusal"), {
      stopReason: "refusal",
    });
    await agent.drive.until(() => agent.drive.said === "too late" && agent.drive.odd.length === 1);
    match(agent.drive.odd[0]!, /answered before/);
    await rejects(agent.drive.prompt(agent.session, "error -32603 no luck"), failsWith(-32603, "no luck"));
  });

  test("has a clean environment, and says what is in it", async () => {
    await using agent = await open();
    await agent.drive.prompt(agent.session, "env ELECTRON_RUN_AS_NODE; pid");
    equal(agent.drive.said, `ELECTRON_RUN_AS_NODE=(not set)pid ${agent.drive.process.pid}`);
  });
});

suite("the scripted agent's flags", () => {
  const started = (flags: readonly string[], options?: DriveOptions): Drive => new Drive(scriptedAgent(flags), options);
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--fail-init"], /scripted failure of initialize/],
    [["--fail-new-session", "no account"], /no account/],
    [["--auth-required"], /Authentication required/],
    [["--exit-at-start", "7"], /exit code 7/],
    [["--exit-after-init", "4"], /exit code 4/],
    [["--no-such-flag"], /exit code 1/],
  ];
  for (const [flags, expected] of cases) {
    test(flags.join(" "), async () => {
      await using drive = started(flags);
      await rejects(drive.open(), expected);
    });
  }

  test("--auth-required is content after authenticate", async () => {
    await using drive = started(["--auth-required"]);
    await drive.initialize();
    await drive.peer.request("authenticate", { methodId: "scripted" });
    equal(await drive.newSession(), "session-1");
  });

  test("--auth-methods are offered; who has the --auth-file or the --auth-variable is signed in", async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, "signed-in"),
      flags = [
        "--auth-required",
        "--auth-methods",
        '[{"id":"one"}]',
        "--auth-file",
        file,
        "--auth-variable",
        "SCRIPTED_KEY",
      ];
    await using refused = started(flags);
    deepEqual((await refused.initialize()).authMethods, [{ id: "one" }]);
    await rejects(refused.newSession(), /Authentication required/);
    await using keyed = new Drive(scriptedAgent(flags, { SCRIPTED_KEY: "k" }));
    equal(await keyed.open(), "session-1");
    const { command, args } = scriptedAgent([...flags, "--sign-in"]);
    for (const [answer, code] of [
      ["no", 3],
      ["yes", 0],
    ] as const)
      equal(spawnSync(command, args, { input: `${answer}\n` }).status, code);
    await using filed = started(flags);
    equal(await filed.open(), "session-1");
  });

  test("--slow-init answers late, --hang-init never", async () => {
    await using slow = started(["--slow-init", "20"]);
    equal((await slow.initialize()).protocolVersion, 1);
    await using hanging = started(["--hang-init"]);
    const refused = rejects(hanging.initialize(), /closed/);
    await hanging.process[Symbol.asyncDispose]();
    await refused;
  });

  test("--early-commands come before the answer to session/new", async () => {
    await using drive = started(["--early-commands"]);
    await drive.initialize();
    let early = 0;
    await new Promise<void>(resolve => {
      drive.peer.call("session/new", { cwd: "/", mcpServers: [] }, () => {
        early = drive.updates.length;
        resolve();
      });
    });
    equal(early, 1);
  });

  const offered = async (drive: Drive) => {
    await drive.initialize();
    return objectOr(await drive.peer.request("session/new", { cwd: "/", mcpServers: [] }));
  };
  const set = async (drive: Drive, configId: string, value: unknown) => {
    const { configOptions } = objectOr(
      await drive.peer.request("session/set_config_option", { sessionId: "session-1", configId, value }),
    );
    return Object.fromEntries(
      arrayOr(configOptions)
        .map(objectOr)
        .map(({ id, currentValue }) => [String(id), currentValue]),
    );
  };

  test("--options offers options of which one depends on another, and refuses what is locked", async () => {
    await using drive = started(["--options"]);
    const { configOptions, modes } = await offered(drive);
    deepEqual(
      arrayOr(configOptions)
        .map(objectOr)
        .map(({ id, type, category }) => [id, type, category]),
      [
        ["mode", "select", "mode"],
        ["model", "select", "model"],
        ["effort", "select", "thought_level"],
        ["fast", "boolean", "model_config"],
        ["later", "dial", undefined],
      ],
    );
    equal(objectOr(modes).currentModeId, "ask");
    deepEqual(await set(drive, "fast", true), { mode: "ask", model: "small", effort: "low", fast: true, later: 3 });
    deepEqual(await set(drive, "model", "large"), {
      mode: "ask",
      model: "large",
      effort: "high",
      fast: true,
      later: 3,
    });
    await rejects(set(drive, "model", "locked"), failsWith(-32602, "This model is locked."));
    await rejects(set(drive, "fast", "yes"), failsWith(-32602, "no option fast with the value yes"));
    await drive.prompt("session-1", "option fast false; mode code; chosen");
    deepEqual(
      drive.updates.map(({ sessionUpdate }) => sessionUpdate),
      ["config_option_update", "current_mode_update", "agent_message_chunk"],
    );
    equal(drive.said, "mode=code model=large effort=high fast=false");
  });

  test("--models offers models as agents did once; modes are there without any flag", async () => {
    await using drive = started(["--models"]);
    const { models, modes, configOptions } = await offered(drive);
    deepEqual(
      [objectOr(models).currentModelId, objectOr(modes).currentModeId, configOptions],
      ["small", "ask", undefined],
    );
    await drive.peer.request("session/set_model", { sessionId: "session-1", modelId: "large" });
    await drive.peer.request("session/set_mode", { sessionId: "session-1", modeId: "code" });
    await drive.prompt("session-1", "chosen");
    equal(drive.said, "mode=code model=large");
    await rejects(
      drive.peer.request("session/set_config_option", { sessionId: "session-1", configId: "fast", value: true }),
      failsWith(-32602, "no option fast with the value true"),
    );
  });

  test("--log has every message that was received", async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, "log");
    await using drive = started(["--log", file]);
    await drive.prompt(await drive.open(), "say x");
    deepEqual(
      readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map(line => objectOr(JSON.parse(line)).method),
      ["initialize", "session/new", "session/prompt"],
    );
  });

  test("--with-child and --setsid-child leave somebody who will not go", async function () {
    if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
    await using drive = started(["--with-child", "--setsid-child"], { clock: hurriedClock(3) });
    await drive.initialize();
    const { pid } = drive.process;
    const counted = census(drive.run);
    equal(counted.length, 3);
    deepEqual(
      counted
        .map(({ pid: each, group }) =>
          each === pid ? "agent" : group === pid ? "its group" : group === each ? "apart" : "?",
        )
        .sort(),
      ["agent", "apart", "its group"],
    );
    await drive.process[Symbol.asyncDispose]();
    await eventually(() => census(drive.run).length === 0, "all gone");
  });
});
