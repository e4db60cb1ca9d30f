/** The user's consent to Cargo's tools. The test simulates cargo. */
import { deepEqual, equal, match } from "node:assert/strict";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { methodNotFound, type IncomingRequest } from "../../rpc/peer";
import { temporaryFolder } from "../../testing/drive";
import { ExtensionRig } from "../../testing/extensions/extension-rig";
import { bridge, resultText } from "../../testing/mcp/mcp-ends";
import { connected, Fixture } from "../../testing/mcp/mcp-fixture";
import { deferred } from "../../../src/protocol/wire/deferred";
import { cargo } from "./extension";

const choosing = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
const TOOLS: readonly [tool: string, args: JsonObject][] = [
  ["cargo_check", {}],
  ["cargo_build", {}],
  ["cargo_test", {}],
  ["cargo_run", {}],
  ["cargo_add", { package: "serde" }],
  ["cargo_remove", { package: "serde" }],
  ["cargo_update", {}],
  ["cargo_clean", {}],
];

async function opened(settings: JsonObject = {}) {
  const folder = temporaryFolder(),
    ran: string[] = [],
    asked: JsonObject[] = [];
  writeFileSync(path.join(folder.path, "Cargo.toml"), "");
  const computer = new ExtensionRig({
    find: async () => "/bin/cargo",
    environment: async () => ({}),
    run: async ({ args, cwd }) => {
      ran.push(`${String(args[0])} in ${path.relative(realpathSync(folder.path), cwd) || "."}`);
      return { exit: { code: 0, signal: null }, stdout: "", stderr: "" };
    },
  });
  let answer: (request: IncomingRequest) => unknown = request => {
    throw methodNotFound(request.method);
  };
  const fixture = new Fixture({
    stages: [cargo.define(settings, computer.fixture), bridge()],
    client: request => {
      asked.push(objectOr(request.params));
      Promise.resolve()
        .then(() => answer(request))
        .then(
          result => {
            if (result !== undefined) request.respond(result);
          },
          (error: unknown) => request.fail(error),
        );
    },
  });
  await fixture.initialize();
  const { servers, sessionId } = await fixture.setup("session/new", { cwd: folder.path, mcpServers: [] }),
    client = await connected(servers[0]!);
  return {
    folder: folder.path,
    ran,
    asked,
    fixture,
    sessionId,
    computer,
    answers: (next: typeof answer) => {
      answer = next;
    },
    titles: () => asked.map(({ toolCall }) => objectOr(toolCall).title),
    call: async (name: string, args: JsonObject = {}, signal?: AbortSignal) =>
      client.callTool({ name, arguments: args }, undefined, signal ? { signal } : {}),
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
      computer[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

suite("consent for Cargo's tools", () => {
  for (const [tool, args] of TOOLS)
    test(`starts ${tool} only after permission and not after a denial`, async () => {
      await using session = await opened();
      session.answers(() => choosing("deny"));
      const denied = await session.call(tool, args);
      equal(denied.isError, true);
      match(resultText(denied), /did not allow/);
      deepEqual(session.ran, []);
      session.answers(() => {
        deepEqual(session.ran, []);
        return choosing("allow");
      });
      await session.call(tool, args);
      equal(session.ran.length, 1);
      match(
        String(objectOr(objectOr(session.asked[0]?.toolCall).rawInput).command),
        new RegExp(`^cargo ${tool.slice("cargo_".length)}`),
      );
    });

  test("starts nothing if the client cannot request permission", async () => {
    await using session = await opened();
    match(resultText(await session.call("cargo_run")), /cannot ask its user for permission/);
    deepEqual(session.ran, []);
  });

  test("remembers a standing approval per kind of action and session", async () => {
    await using session = await opened();
    session.answers(({ params }) => {
      match(JSON.stringify(arrayOr(objectOr(params).options)), /This Session/);
      return choosing("always");
    });
    for (const tool of ["cargo_check", "cargo_run", "cargo_test"]) await session.call(tool);
    deepEqual(session.titles(), ["cargo check"]);
    await session.call("cargo_add", { package: "serde" });
    await session.call("cargo_clean");
    deepEqual(session.titles(), ["cargo check", "cargo add serde"]);
    equal(session.ran.length, 5);
    const { servers } = await session.fixture.setup("session/new", { cwd: session.folder, mcpServers: [] });
    await using second = await connected(servers.at(-1)!);
    await second.callTool({ name: "cargo_check", arguments: {} });
    deepEqual(session.titles(), ["cargo check", "cargo add serde", "cargo check"]);
  });

  test("allows all calls with `approve` and logs an invalid value", async () => {
    await using session = await opened({ approve: "all" });
    await session.call("cargo_run");
    deepEqual([session.asked, session.ran], [[], ["run in ."]]);
    cargo.define({ approve: "yes" }, session.computer.fixture);
    match(session.computer.logged.join(), /“approve” of the extension cargo/);
  });

  test("runs in the displayed folder even if the folder changes during the request", async () => {
    await using session = await opened();
    mkdirSync(path.join(session.folder, "sub"));
    session.answers(async ({ params }) => {
      equal(objectOr(objectOr(objectOr(params).toolCall).rawInput).cwd, realpathSync(session.folder));
      await session.call("set_cwd", { cwd: "sub" });
      return choosing("allow");
    });
    await session.call("cargo_run");
    deepEqual([session.titles(), session.ran], [["cargo run"], ["run in ."]]);
  });

  test("rejects invalid arguments without a request, and cancels the request with its call or turn", async () => {
    await using session = await opened();
    match(resultText(await session.call("cargo_add", { package: "--config" })), /is not the name of a crate/);
    deepEqual(session.asked, []);
    for (const end of ["withdrawn", "turn stopped"] as const) {
      const withdrawn = new AbortController(),
        requested = deferred<IncomingRequest>(),
        cancelled = deferred<void>();
      session.answers(request => {
        request.signal.addEventListener("abort", () => {
          request.fail(new Error("withdrawn"));
          cancelled.resolve();
        });
        requested.resolve(request);
        return undefined;
      });
      const call = session.call("cargo_run", {}, withdrawn.signal).catch(() => undefined);
      await requested.promise;
      if (end === "withdrawn") withdrawn.abort();
      else session.fixture.client.notify("session/cancel", { sessionId: session.sessionId });
      await cancelled.promise;
      await call;
    }
    deepEqual(session.ran, []);
  });
});
