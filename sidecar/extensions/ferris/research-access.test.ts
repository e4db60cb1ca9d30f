/** Access of a research session: its permissions, the sources that it may read, and its tools. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { RpcError } from "../../rpc/message";
import { failure, FerrisFixture, query, respond } from "../../testing/extensions/ferris-fixture";
import { resultText } from "../../testing/mcp/mcp-ends";
import { connected } from "../../testing/mcp/mcp-fixture";

const OPTIONS = [
  { optionId: "no", kind: "reject_once", name: "No" },
  { optionId: "yes", kind: "allow_once", name: "Yes" },
];

suite("research", () => {
  test("answers the agent's permission requests: only reads inside the folder", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    const asked = query(client),
      { prompt, sessionId, tools } = await bench.research(),
      { agent } = bench.fixture,
      lib = path.join(bench.crate, "src", "lib.rs");
    const permission = async (toolCall: JsonObject) =>
      objectOr(
        objectOr(
          await agent.request("session/request_permission", {
            sessionId,
            toolCall: { toolCallId: "1", ...toolCall },
            options: OPTIONS,
          }),
        ).outcome,
      ).optionId;
    deepEqual(
      [
        await permission({ kind: "read", locations: [{ path: lib }] }),
        await permission({ kind: "execute", rawInput: { command: "ls" } }),
        await permission({ kind: "read", locations: [{ path: "/etc/passwd" }] }),
        await permission({ name: "mcp__ferris-research__return_response_to_user" }),
      ],
      ["yes", "no", "no", "yes"],
    );
    agent.notify("session/update", {
      sessionId,
      update: { sessionUpdate: "tool_call", toolCallId: "7", kind: "execute", title: "ls" },
    });
    equal(await permission({ toolCallId: "7", kind: "read", locations: [{ path: lib }] }), "no");
    deepEqual(await agent.request("fs/read_text_file", { sessionId, path: lib }), {
      content: "pub fn weight() -> u32 { 7 }\n",
    });
    for (const method of ["fs/write_text_file", "terminal/create", "terminal/output"])
      await rejects(
        agent.request(method, { sessionId, path: lib, content: "", command: "ls" }),
        { code: -32600 },
        method,
      );
    await rejects(agent.request("elicitation/create", { sessionId }), { code: -32601 });
    equal(
      bench.notifications.some(({ sessionId: of }) => of === sessionId),
      false,
    );
    prompt.respond({ stopReason: "end_turn" });
    match(
      await failure(asked),
      /^The research ended without an answer: the agent ended without an answer\. You can read the source of pebble 1\.1\.0 yourself: /,
    );
    await tools.close();
  });

  test("allows reads in requested sources without outgoing links, except the user's own", async () => {
    await using bench = new FerrisFixture();
    const [slate, adder] = ["slate", "adder"].map(name => bench.source(name)),
      member = path.join(bench.project, "member");
    for (const folder of [slate!, adder!, member]) mkdirSync(folder);
    symlinkSync(bench.rig.home, path.join(adder!, "home"));
    bench.workspace = {
      workspace_root: bench.project,
      packages: [{ name: "member", version: "0.1.0", manifest_path: path.join(member, "Cargo.toml") }],
    };
    await using client = await bench.client();
    const asked = query(client),
      { prompt, sessionId, tools } = await bench.research();
    const mayRead = async (folder: string): Promise<boolean> =>
      objectOr(
        objectOr(
          await bench.fixture.agent.request("session/request_permission", {
            sessionId,
            toolCall: { toolCallId: "1", kind: "read", locations: [{ path: path.join(folder, "lib.rs") }] },
            options: OPTIONS,
          }),
        ).outcome,
      ).optionId === "yes";
    const get = async (crate_name: string, version?: string) =>
      String(
        objectOr(
          (
            await tools.callTool({
              name: "get_rust_crate_source",
              arguments: { crate_name, ...(version === undefined ? {} : { version }) },
            })
          ).structuredContent,
        ).message,
      );
    equal(await mayRead(slate!), false);
    match(await get("slate"), /^slate 1\.1\.0 is the newest stable version\. Its source is in \S+$/);
    for (const name of ["adder", "member"]) match(await get(name), / This session may not read there\.$/);
    deepEqual([await mayRead(slate!), await mayRead(adder!), await mayRead(member)], [true, false, false]);
    for (let i = 0; i < 12; i++) {
      mkdirSync(bench.source(`crate-${i}`));
      await get(`crate-${i}`);
    }
    deepEqual([await mayRead(bench.source("crate-8")), await mayRead(bench.source("crate-9"))], [true, false]);
    const { cargoRuns } = bench;
    deepEqual(
      [await get("pebble"), await get("pebble", "1.1.0"), bench.cargoRuns],
      [await get("pebble"), await get("pebble"), cargoRuns],
    );
    await get("pebble", "latest");
    ok(bench.cargoRuns > cargoRuns);
    prompt.respond({ stopReason: "end_turn" });
    await asked;
    await tools.close();
  });

  test("supports the user's packages in the session's folders, without a cache", async () => {
    await using bench = new FerrisFixture();
    const inside = path.join(bench.project, "inside"),
      outside = path.join(bench.rig.home, "outside");
    for (const folder of [inside, outside]) mkdirSync(folder);
    bench.workspace = {
      workspace_root: bench.project,
      packages: [
        ["inside", inside],
        ["outside", outside],
      ].map(([name, folder]) => ({ name, version: "0.1.0", manifest_path: path.join(folder!, "Cargo.toml") })),
    };
    await using client = await bench.client();
    match(
      await failure(query(client, "?", { crate_name: "outside" })),
      /^outside 0\.1\.0 is in \S+, which is outside of this session's folders\. Ferris does not research there without permission\./,
    );
    for (const answer of ["One.", "Two."]) {
      const asked = query(client, "?", { crate_name: "inside" }),
        { prompt, tools } = await bench.research();
      await respond(tools, answer);
      prompt.respond({ stopReason: "end_turn" });
      match(resultText(await asked), new RegExp(`^${answer}`));
      await tools.close();
    }
  });

  test("rejects tool calls before the session exists", async () => {
    await using bench = new FerrisFixture();
    bench.opensByItself = false;
    await using client = await bench.client();
    const asked = query(client),
      opening = await bench.openings.next(),
      [server] = arrayOr(objectOr(opening.params).mcpServers).map(objectOr);
    await using tools = await connected(server!);
    equal(
      resultText(await respond(tools, "Seven.")),
      "No request waits for a response: the research has not started, or has ended.",
    );
    opening.fail(new RpcError(-32603, "No."));
    await failure(asked);
  });
});
