/**
 * The Cargo extension in a chain. The SDK's client and Eliza call its MCP server over the real bridge, with a real
 * cargo in a real workspace.
 */
import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { elizaAgent } from "../../eliza/agent";
import { conduct } from "../../conductor/conductor";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { memoryChannels } from "../../rpc/memory-channel";
import { methodNotFound, Peer, type IncomingRequest } from "../../rpc/peer";
import { census } from "../../testing/census";
import { cargoOr, CargoHome, CrateRegistry } from "../../testing/extensions/crate-registry";
import { temporaryFolder } from "../../testing/drive";
import { eventually } from "../../testing/eventually";
import { ExtensionRig } from "../../testing/extensions/extension-rig";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { bridge, resultText } from "../../testing/mcp/mcp-ends";
import { connected, Signal, Fixture } from "../../testing/mcp/mcp-fixture";
import { rig } from "../../testing/chain/proxy-rig";
import { RustWorkspace } from "../../testing/extensions/rust-workspace";
import { NEEDS_PROC, skipped } from "../../testing/skipped";
import { builtInComponent } from "../built-in";
import type { ExtensionDeps } from "../extension";
import { STRUCTURED } from "../tool-server";
import { cargo } from "./extension";

/** A user who allows each action. */
function allowing(request: IncomingRequest): void {
  if (request.method === "session/request_permission")
    request.respond({ outcome: { outcome: "selected", optionId: "allow" } });
  else request.fail(methodNotFound(request.method));
}

const fields = (result: unknown): JsonObject => objectOr(objectOr(objectOr(result)._meta)[STRUCTURED]);

suite("Cargo extension in a session", () => {
  test("forwards a session without a Rust project unchanged", async () => {
    using folder = temporaryFolder();
    using computer = new ExtensionRig();
    const { client, successor } = rig(chain => cargo.define({}, computer.fixture).create(chain)),
      line = `{"jsonrpc":"2.0",  "id":7,"method":"session/new","params":{"cwd":${JSON.stringify(folder.path)},"mcpServers":[ ]}}`;
    client.deliver(line);
    await eventually(() => successor.frames.length > 0, "the session was passed on");
    equal(successor.frames[0]?.bytes.toString(), line);
  });

  test("adds cargo-mcp with the documented tools and annotations to a Rust project", async () => {
    using workspace = new RustWorkspace();
    using computer = new ExtensionRig();
    await using fixture = new Fixture({ stages: [cargo.define({}, computer.fixture), bridge()] });
    await fixture.initialize();
    const { servers } = await fixture.setup("session/new", { cwd: workspace.path, mcpServers: [] });
    deepEqual(
      servers.map(({ name }) => name),
      ["cargo-mcp"],
    );
    await using client = await connected(servers[0]!);
    match(client.getInstructions() ?? "", /cargo/);
    const { tools } = await client.listTools(),
      shape = ({ inputSchema: { properties = {}, required = [] }, annotations }: (typeof tools)[number]) =>
        `${Object.keys(properties)
          .map(name => (required.includes(name) ? `${name}!` : name))
          .join(
            " ",
          )}${annotations?.readOnlyHint ? " · reads" : ""}${annotations?.destructiveHint ? " · destructive" : ""}`;
    deepEqual(Object.fromEntries(tools.map(tool => [tool.name, shape(tool)])), {
      set_cwd: "cwd · reads",
      cargo_check: "cwd package features",
      cargo_build: "cwd package features release",
      cargo_test: "cwd package features test_arg timeout_seconds · destructive",
      cargo_run: "cwd package features release bin args timeout_seconds · destructive",
      cargo_add: "cwd package! extra_args",
      cargo_remove: "cwd package! extra_args · destructive",
      cargo_update: "cwd package extra_args · destructive",
      cargo_clean: "cwd package release · destructive",
    });
    match(resultText(await client.callTool({ name: "cargo_add", arguments: {} })), /“package” is missing/);
    equal(
      resultText(await client.callTool({ name: "set_cwd", arguments: { cwd: "beta" } })),
      "The cargo tools run in beta.",
    );
    equal(
      resultText(await client.callTool({ name: "set_cwd", arguments: {} })),
      "The cargo tools run in the session's folder.",
    );
  });

  test("logs an invalid setting and applies the others", () => {
    using computer = new ExtensionRig();
    cargo.define({ maxWarnings: "many", timeoutMinutes: 1 }, computer.fixture);
    deepEqual(computer.logged, [
      "warn: The setting “maxWarnings” of the extension cargo is invalid; its default is used",
    ]);
    deepEqual(computer.details, [
      { setting: "maxWarnings", expected: { type: "number", default: 5, min: 0, max: 100, isWhole: true } },
    ]);
  });
});

suite("Cargo extension with a real cargo", function () {
  this.timeout(timeLimit(120_000));
  let registry: CrateRegistry, home: CargoHome;
  suiteSetup(async function () {
    cargoOr(this);
    registry = await CrateRegistry.start();
    home = new CargoHome(registry);
  });
  suiteTeardown(async () => {
    await registry?.[Symbol.asyncDispose]();
    home?.[Symbol.dispose]();
  });

  /** A session in a workspace: its MCP client and its disposables. */
  async function opened(
    workspace: RustWorkspace,
    change: (fixture: ExtensionDeps) => ExtensionDeps = fixture => fixture,
  ) {
    const computer = new ExtensionRig({
      environment: async () => ({ ...process.env, ...home.environment, RUST_BACKTRACE: "0" }),
    });
    const fixture = new Fixture({ stages: [cargo.define({}, change(computer.fixture)), bridge()], client: allowing });
    await fixture.initialize();
    const { servers, sessionId } = await fixture.setup("session/new", { cwd: workspace.path, mcpServers: [] }),
      client = await connected(servers[0]!);
    return {
      computer,
      fixture,
      client,
      sessionId,
      call: async (name: string, args: JsonObject = {}, overrides: Parameters<typeof client.callTool>[2] = {}) =>
        client.callTool({ name, arguments: args }, undefined, overrides),
      [Symbol.asyncDispose]: async () => {
        await client[Symbol.asyncDispose]();
        await fixture[Symbol.asyncDispose]();
        computer[Symbol.dispose]();
      },
    };
  }

  test("reports each error and warning of a check once, and little for a correct project", async () => {
    using workspace = new RustWorkspace({
      "alpha/src/lib.rs": `pub fn add(a: i32, b: i32) -> i32 { let unused = 1; a + b }`,
    });
    await using session = await opened(workspace);
    const fine = await session.call("cargo_check");
    match(resultText(fine), /^cargo check succeeded: 1 warning\./);
    workspace.write("beta/src/main.rs", `fn main() { alpha::add("1", 2); }`);
    const broken = await session.call("cargo_check"),
      { exit_code, build_success, messages, diagnostics, command, stderr } = fields(broken);
    match(
      resultText(broken),
      /^cargo check failed \(exit code 101\): 1 error, 1 warning\.[^]*error\[E0308\]: mismatched types\n --> beta\/src\/main\.rs:1:/,
    );
    deepEqual(
      [exit_code, build_success, (messages as string[]).length, command, stderr],
      [101, false, 2, "cargo check --message-format=json", ""],
    );
    deepEqual(
      (diagnostics as JsonObject[]).map(({ level, code, file, line }) => [level, code, file, line]),
      [
        ["error", "E0308", "beta/src/main.rs", 1],
        ["warning", "unused_variables", "alpha/src/lib.rs", 1],
      ],
    );
  });

  test("reports tests with the output of failed ones, and a single test by name", async () => {
    using workspace = new RustWorkspace();
    await using session = await opened(workspace);
    const all = await session.call("cargo_test");
    match(
      resultText(all),
      /^cargo test failed \(exit code 101\): 1 test passed, 1 failed\.[^]*---- tests::adds_wrongly FAILED ----\nabout to add\n[^]*left: 3\n right: 4/,
    );
    doesNotMatch(resultText(all), /Compiling|tests::adds \.\.\. ok/);
    deepEqual([fields(all).exit_code, fields(all).build_success], [101, true]);
    const first = await session.call("cargo_test", { test_arg: "adds_w", package: "alpha" });
    deepEqual(objectOr(fields(first).tests).filtered_out, 1);
    match(
      resultText(await session.call("cargo_test", { test_arg: "nothing_like_it" })),
      /No test has “nothing_like_it” in its name\./,
    );
  });

  test("reports a program's output and exit code and passes arguments without a shell", async () => {
    using workspace = new RustWorkspace();
    await using session = await opened(workspace);
    const result = await session.call("cargo_run", { args: ["$(id)", "two words", "--config"] });
    equal(fields(result).stdout, `3 ["$(id)", "two words", "--config"]`);
    deepEqual([fields(result).exit_code, fields(result).stderr], [3, "to stderr"]);
    match(resultText(result), /^cargo run: the program exited with exit code 3\./);
  });

  test("stops the program and its children when the call, turn, session or chain ends", async function () {
    if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
    using workspace = new RustWorkspace();
    for (const end of ["withdrawn", "turn stopped", "session closed", "chain ended"] as const) {
      await using session = await opened(workspace);
      const running = new Signal(),
        withdrawn = new AbortController(),
        programs = () => census(session.computer.run).filter(({ command }) => command.includes("forever"));
      const call = session.call(
        "cargo_run",
        { args: ["forever"] },
        {
          signal: withdrawn.signal,
          onprogress: ({ message }) => {
            if (message?.startsWith("Running")) running.fire();
          },
        },
      );
      const settled = call.then(
        () => "answered",
        () => "failed",
      );
      await running.times(1);
      await eventually(
        () => programs().length > 0,
        `the program runs before the ${end}: cargo says so before it is there`,
      );
      if (end === "withdrawn") withdrawn.abort();
      else if (end === "turn stopped")
        session.fixture.client.notify("session/cancel", { sessionId: session.sessionId });
      else if (end === "session closed")
        await session.fixture.client.request("session/close", { sessionId: session.sessionId });
      else await session.fixture[Symbol.asyncDispose]();
      await settled;
      await eventually(() => programs().length === 0, `the program is gone when the ${end}`);
    }
  });

  test("reports that a concurrent call waits for cargo's lock and that it was blocked at its limit", async () => {
    using workspace = new RustWorkspace({
      "beta/build.rs": `fn main() { while !std::path::Path::new("../go").exists() { std::thread::sleep(std::time::Duration::from_millis(20)); } }`,
    });
    const clock = new FakeClock();
    await using session = await opened(workspace, fixture => ({ ...fixture, clock }));
    const started = new Signal(),
      first = session.call(
        "cargo_build",
        {},
        {
          onprogress: ({ message }) => {
            if (message?.startsWith("Compiling")) started.fire();
          },
        },
      );
    await started.times(1);
    const waits = new Signal(),
      second = session.call(
        "cargo_test",
        { timeout_seconds: 30 },
        {
          onprogress: ({ message }) => {
            if (message?.startsWith("Blocking")) waits.fire();
          },
        },
      );
    await waits.times(1);
    clock.advance(30_000);
    const blocked = await second;
    match(
      resultText(blocked),
      /^cargo test was stopped after 30 seconds, the limit\. It was blocked waiting for file lock on .*: another cargo/,
    );
    equal(blocked.isError, true);
    workspace.write("go", "");
    match(resultText(await first), /^cargo build succeeded/);
  });

  test("adds, updates and removes dependencies and cleans the build", async () => {
    using workspace = new RustWorkspace();
    await using session = await opened(workspace);
    const added = await session.call("cargo_add", {
      cwd: "beta",
      package: "pebble@1.0.0",
      extra_args: ["--rename", "stone"],
    });
    equal(fields(added).build_success, true, resultText(added));
    match(workspace.read("beta/Cargo.toml"), /stone = \{ version = "1\.0\.0", package = "pebble" \}/);
    deepEqual([fields(added).command, fields(added).cwd], ["cargo add pebble@1.0.0 --rename=stone", "beta"]);
    await session.call("cargo_update", { package: "pebble", extra_args: ["--precise", "1.0.0"] });
    match(workspace.read("Cargo.lock"), /name = "pebble"\nversion = "1\.0\.0"/);
    match(
      resultText(await session.call("cargo_update", { package: "pebble" })),
      /^cargo update succeeded\.[^]*Updating pebble v1\.0\.0 -> v1\.1\.0/,
    );
    match(workspace.read("Cargo.lock"), /name = "pebble"\nversion = "1\.1\.0"/);
    match(
      resultText(await session.call("cargo_add", { cwd: "beta", package: "no-such-crate" })),
      /^cargo add failed \(exit code 101\)\.\n\n[^]*error: the crate `no-such-crate` could not be found/,
    );
    await session.call("cargo_remove", { cwd: "beta", package: "stone" });
    doesNotMatch(workspace.read("beta/Cargo.toml"), /pebble/);
    workspace.write("target/debug/x", "");
    match(resultText(await session.call("cargo_clean")), /^cargo clean succeeded\./);
    equal(existsSync(path.join(workspace.path, "target")), false);
  });

  test("runs for Eliza through a conductor", async () => {
    using workspace = new RustWorkspace();
    using computer = new ExtensionRig({ environment: async () => ({ ...process.env, ...home.environment }) });
    const component = await builtInComponent("cargo", "Cargo", {}, computer.fixture, () => undefined),
      [ours, theirs] = memoryChannels(),
      [channel, elizas] = memoryChannels(),
      clock = new FakeClock();
    await using _eliza = elizaAgent({ deterministic: true, clock })(elizas);
    await using _conductor = conduct(theirs, {
      proxies: component ? [component] : [],
      clock,
      notice: () => undefined,
      onWarning: () => undefined,
      last: {
        kind: "agent",
        name: "Eliza",
        start: () => ({
          channel,
          stop: async () => {
            await channel[Symbol.asyncDispose]();
          },
          lastWords: () => "",
        }),
      },
    });
    let words = "";
    await using client = new Peer(ours, {
      request: allowing,
      closed: () => undefined,
      notification: (_, params) => {
        const { sessionUpdate, content } = objectOr(objectOr(params).update);
        if (sessionUpdate === "agent_message_chunk" && isObject(content)) words += String(content.text);
      },
    });
    await client.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = objectOr(await client.request("session/new", { cwd: workspace.path, mcpServers: [] }));
    await client.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: `use tool cargo-mcp::cargo_check with {"package": "alpha"}` }],
    });
    match(words, /^OK: cargo check succeeded: no errors, no warnings\./);
  });
});
