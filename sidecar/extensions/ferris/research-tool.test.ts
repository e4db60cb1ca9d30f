/** Research, from the tool call to its answer. */
import { deepEqual, doesNotMatch, equal, match, ok, rejects } from "node:assert/strict";
import { mkdtempSync, realpathSync, rmdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Chain, ConnectMcp } from "../../proxies/proxy";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { failure, FerrisFixture, query, respond } from "../../testing/extensions/ferris-fixture";
import { resultText } from "../../testing/mcp/mcp-ends";
import { connected, HTTP_AGENT } from "../../testing/mcp/mcp-fixture";
import { deferred } from "../../../src/protocol/wire/deferred";
import { rig as proxyRig } from "../../testing/chain/proxy-rig";
import { Transcript } from "../../testing/transcript";
import type { SessionPlace } from "../session-tools";
import { ResearchTool } from "./research-tool";

suite("research", () => {
  test("runs in its own session in the crate's folder and returns the response tool's text", async () => {
    await using bench = new FerrisFixture();
    bench.listsTools = true;
    await using client = await bench.client();
    const asked = query(client),
      { prompt, server, tools } = await bench.research();
    const setup = bench.fixture.setups.at(-1)!.params;
    deepEqual(
      [setup.cwd, setup._meta, server.name, (await tools.listTools()).tools.map(({ name }) => name)],
      [
        bench.crate,
        { "symposium.dev/sideSession": "ferris" },
        "ferris-research",
        ["get_rust_crate_source", "return_response_to_user"],
      ],
    );
    const [block] = arrayOr(objectOr(prompt.params).prompt).map(objectOr),
      text = String(block?.text);
    for (const part of ["`pebble`, version 1.1.0", bench.crate, "How heavy is a pebble?", "`ferris-research`"])
      ok(text.includes(part), part);
    deepEqual(
      (await tools.callTool({ name: "get_rust_crate_source", arguments: { crate_name: "pebble" } })).structuredContent,
      {
        crate_name: "pebble",
        version: "1.1.0",
        checkout_path: bench.crate,
        message: `pebble 1.1.0 is the newest stable version. Its source is in ${bench.crate}.`,
      },
    );
    equal(resultText(await respond(tools, "Seven grams.")), `{"message":"Response recorded. End your turn now."}`);
    equal(resultText(await respond(tools, " ")), "The response is empty.");
    prompt.respond({ stopReason: "end_turn" });
    equal(resultText(await asked), `Seven grams.\n\n(pebble 1.1.0, from its source in ${bench.crate})`);
    await rejects(connected(server));
    await tools.close();
    deepEqual([bench.clock.waiting, bench.closed], [0, ["research-1"]]);
  });

  test("mentions no tool to an agent that listed none and returns its last message", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    const asked = query(client),
      { prompt, sessionId, tools } = await bench.research();
    doesNotMatch(JSON.stringify(prompt.params), /get_rust_crate_source|return_response_to_user|ferris-research/);
    match(JSON.stringify(prompt.params), /write it as your last message/);
    const content = { type: "text", text: "Seven grams." };
    bench.fixture.agent.notify("session/update", {
      sessionId,
      update: { sessionUpdate: "agent_message_chunk", content },
    });
    prompt.respond({ stopReason: "end_turn" });
    match(resultText(await asked), /follows\.\)\n\nSeven grams\.\n/);
    await tools.close();
  });

  test("matches the golden transcript of agent and client", async () => {
    await using bench = new FerrisFixture();
    bench.listsTools = true;
    await using client = await bench.client();
    const transcript = new Transcript(),
      plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(bench.crate, "/crate"));
    const asked = query(client),
      { prompt, sessionId, tools } = await bench.research(),
      { mcpServers, ...setup } = bench.fixture.setups.at(-1)!.params;
    transcript.record(
      "→",
      plain({
        method: "session/new",
        params: { ...setup, mcpServers: arrayOr(mcpServers).map(server => objectOr(server).name) },
      }),
    );
    transcript.record("→", plain({ method: "session/prompt", params: prompt.params }));
    bench.fixture.agent.notify("session/update", {
      sessionId,
      update: { sessionUpdate: "tool_call", toolCallId: "1", title: "Read src/lib.rs", kind: "read" },
    });
    await respond(tools, "Seven grams: `pub fn weight() -> u32 { 7 }` (src/lib.rs:1).");
    prompt.respond({ stopReason: "end_turn" });
    const { content } = await asked;
    for (const params of bench.notifications) transcript.record("←", plain({ method: "session/update", params }));
    transcript.record("←", plain({ content }));
    transcript.match("sidecar/testing/transcripts/ferris-research.golden");
    await tools.close();
  });

  test("limits the reported steps of a flood", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    let updates = 0;
    const asked = query(
        client,
        "?",
        {},
        {
          onprogress: () => {
            updates++;
          },
        },
      ),
      { prompt, sessionId, tools } = await bench.research();
    for (let i = 0; i < 700; i++)
      bench.fixture.agent.notify("session/update", {
        sessionId,
        update: { sessionUpdate: "tool_call", toolCallId: `c${i}`, title: `Read ${i}` },
      });
    await respond(tools, "Seven.");
    prompt.respond({ stopReason: "end_turn" });
    await asked;
    ok(updates <= 502, String(updates)); // 500 steps, the lookup and the start
    ok(bench.notifications.length <= 202, String(bench.notifications.length));
    await tools.close();
  });

  test("caches the newest fifty answers and releases everything else", async () => {
    let opened = 0,
      standing = 0,
      lookups = 0,
      connect: ConnectMcp | undefined;
    const nowhere = { request: () => Promise.reject(new Error("nobody")), notify: () => undefined };
    const chain: Chain = {
      client: nowhere,
      successor: nowhere,
      onWarning: () => undefined,
      offerMcp: (name, connects) => {
        connect = connects;
        standing++;
        return {
          declaration: { type: "acp", name, serverId: name, id: name },
          [Symbol.asyncDispose]: async () => {
            standing--;
          },
        };
      },
      openSession: async () => {
        const connects = connect!;
        standing++;
        return {
          sessionId: `s${++opened}`,
          opened: {},
          [Symbol.asyncDispose]: async () => {
            standing--;
          },
          prompt: async () => {
            const [clientSide, serverSide] = InMemoryTransport.createLinkedPair(),
              tools = new Client({ name: "test", version: "1" });
            await connects(serverSide);
            await tools.connect(clientSide);
            await respond(tools, "Seven.");
            await tools.close();
            return { stopReason: "end_turn" };
          },
        };
      },
    };
    const queries = new ResearchTool({ chain, clock: new FakeClock(), version: "1", acp: () => 1, keepsAnswers: true }),
      folder = realpathSync(tmpdir());
    const empty = mkdtempSync(path.join(folder, "symposium-")),
      tool = queries.tool(
        {
          folders: [folder],
          setup: "session/new",
          sessionId: () => {
            lookups++;
            return undefined;
          },
        },
        async () => ({ name: "a", version: "1.0.0", folder: empty, origin: "published", message: "" }),
        true,
      );
    const ask = async (n: number) =>
      tool.call(
        { crate_name: "a", prompt: `${n}` },
        { signal: new AbortController().signal, progress: () => undefined },
      );
    for (let n = 0; n <= 50; n++) await ask(n);
    await ask(50);
    equal(opened, 51);
    await ask(0);
    lookups = 0;
    queries.cancelled("s");
    deepEqual([opened, standing, lookups], [52, 0, 0]);
    rmdirSync(empty);
  });

  test("opens no session for a call that was cancelled during the source lookup", async () => {
    const { chain, successor } = proxyRig({}),
      clock = new FakeClock(),
      withdrawn = AbortSignal.abort(),
      folder = realpathSync(tmpdir());
    const queries = new ResearchTool({ chain, clock, version: "1", acp: () => 1, keepsAnswers: true }),
      place: SessionPlace = { folders: [folder], setup: "session/new", sessionId: () => undefined };
    const tool = queries.tool(
      place,
      async () => ({ name: "a", version: "1.0.0", folder, origin: "folder", message: "" }),
      true,
    );
    await rejects(tool.call({ crate_name: "a", prompt: "?" }, { signal: withdrawn, progress: () => undefined }), {
      name: "ToolFailure",
      message: /it was withdrawn/,
    });
    deepEqual([successor.received, clock.waiting], [[], 0]);
  });

  test("reports its steps as progress and as a tool call that ends with it", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    const progress: string[] = [],
      read = deferred<void>();
    const asked = query(
        client,
        "How heavy\nis a `pebble`?",
        {},
        {
          onprogress: ({ message }) => {
            progress.push(String(message));
            if (message === "Read src/lib.rs") read.resolve();
          },
        },
      ),
      { prompt, sessionId, tools } = await bench.research();
    const call = (toolCallId: string, title: string) =>
      bench.fixture.agent.notify("session/update", {
        sessionId,
        update: { sessionUpdate: "tool_call", toolCallId, title, kind: "read" },
      });
    call("1", "Read src/lib.rs");
    call("2", "mcp__ferris-research__return_response_to_user");
    await read.promise;
    await respond(tools, "Seven.");
    prompt.respond({ stopReason: "end_turn" });
    await asked;
    deepEqual(progress, [
      "Look up the crate pebble with cargo",
      "A second agent reads pebble 1.1.0.",
      "Read src/lib.rs",
    ]);
    const cards = bench.notifications
        .filter(({ sessionId }) => sessionId === "s1")
        .map(({ update }) => objectOr(update)),
      [first, ...others] = cards;
    deepEqual(first, {
      sessionUpdate: "tool_call",
      toolCallId: first?.toolCallId,
      title: "Research in pebble 1.1.0: How heavy is a `pebble`?",
      kind: "search",
      status: "pending",
      rawInput: { crate_name: "pebble", crate_version: "1.1.0", prompt: "How heavy\nis a `pebble`?" },
      locations: [{ path: bench.crate }],
    });
    deepEqual(
      others.map(({ sessionUpdate, toolCallId, status, content }) => [
        sessionUpdate,
        toolCallId === first?.toolCallId,
        status,
        String(objectOr(objectOr(arrayOr(content)[0]).content).text)
          .split("\n")
          .at(-1),
      ]),
      [
        ["tool_call_update", true, "in_progress", "- A second agent reads pebble 1.1.0."],
        ["tool_call_update", true, undefined, "- Read src/lib.rs"],
        ["tool_call_update", true, "completed", "- Answered after 0 s, in 1 step."],
      ],
    );
    await tools.close();
  });

  test("answers a repeated question about the same version from the cache, unless disabled", async () => {
    for (const cacheAnswers of [true, false]) {
      await using bench = new FerrisFixture({ cacheAnswers });
      await using client = await bench.client();
      const answer = async (asked: ReturnType<typeof query>, text: string): Promise<string> => {
        const { prompt, tools } = await bench.research();
        await respond(tools, text);
        prompt.respond({ stopReason: "end_turn" });
        await tools.close();
        return resultText(await asked);
      };
      match(await answer(query(client), "First."), /^First/);
      if (cacheAnswers) match(resultText(await query(client, " How heavy is a pebble? ")), /^First/);
      else match(await answer(query(client), "Second."), /^Second/);
      match(await answer(query(client, "Another?"), "Third."), /^Third/);
    }
  });

  test("rejects a crate with a link out of its folder", async () => {
    await using bench = new FerrisFixture();
    symlinkSync(bench.rig.home, path.join(bench.crate, "home"));
    await using client = await bench.client();
    match(
      await failure(query(client)),
      /has a link that points outside of its folder \(home\), so Ferris does not research it\./,
    );
    deepEqual(bench.openings.waiting, 0);
  });

  test("rejects an invalid question before any work", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    deepEqual(
      [
        await failure(query(client, " ")),
        await failure(query(client, "x".repeat(20_001))),
        await failure(query(client, "x", { crate_name: "a b" })),
      ],
      [
        "The prompt is empty. Enter a question.",
        "The prompt is longer than 20000 characters.",
        "“a b” is not the name of a crate: use letters, digits, - and _, starting with a letter.",
      ],
    );
    equal(bench.cargoRuns, 0);
  });

  test("supports ACP v2: turn end by update, and the tool call in v2's form", async () => {
    await using bench = new FerrisFixture(
      {},
      { protocolVersion: 2, agentCapabilities: HTTP_AGENT.agentCapabilities, capabilities: {} },
    );
    await using client = await bench.client();
    const asked = query(client),
      { prompt, sessionId, tools } = await bench.research(),
      update = (update: JsonObject) => bench.fixture.agent.notify("session/update", { sessionId, update });
    prompt.respond({});
    update({ sessionUpdate: "state_update", state: "running" });
    update({ sessionUpdate: "agent_message", messageId: "m", content: [{ type: "text", text: "It is seven." }] });
    update({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
    match(resultText(await asked), /It is seven\./);
    deepEqual(
      [...new Set(bench.notifications.map(({ update }) => objectOr(update).sessionUpdate))],
      ["tool_call_update"],
    );
    await tools.close();
  });
});
