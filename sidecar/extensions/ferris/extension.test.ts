import { deepEqual, equal } from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { FERRIS_SETTINGS } from "../../../src/protocol/agents/built-in-settings";
import { withSetting } from "../../../src/protocol/agents/extension-settings";
import { FerrisFixture } from "../../testing/extensions/ferris-fixture";
import { resultText } from "../../testing/mcp/mcp-ends";
import { connected } from "../../testing/mcp/mcp-fixture";
import { rig as proxyRig } from "../../testing/chain/proxy-rig";
import { turn } from "../../testing/turn";
import type { ExtensionSettings } from "../extension";
import { ferris } from "./extension";

const invalid = (setting: string): string =>
  `warn: The setting “${setting}” of the extension ferris is invalid; its default is used`;

suite("Ferris in a session", () => {
  test("offers its tools only to Rust projects", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ["crate_sources", "rust_crate_query"],
    );
    const elsewhere = path.join(bench.rig.home, "elsewhere");
    mkdirSync(elsewhere);
    deepEqual((await bench.fixture.setup("session/new", { cwd: elsewhere, mcpServers: [] })).servers, []);
  });

  test("applies its settings and logs invalid ones", async () => {
    const toolsOf = async (settings: ExtensionSettings, isRust = true): Promise<readonly string[] | string> => {
      await using bench = new FerrisFixture(settings);
      const {
        servers: [server],
      } = await bench.open(isRust ? bench.project : bench.crate);
      if (!server) return "nothing";
      await using client = await connected(server);
      return [...(await client.listTools()).tools.map(({ name }) => name), ...bench.rig.logged];
    };
    deepEqual(
      await Promise.all([
        toolsOf({ everywhere: true }, false),
        toolsOf({}, false),
        toolsOf({ tools: { rust_crate_query: false } }),
        toolsOf({ tools: { rust_crate_query: false, crate_sources: false } }),
        toolsOf({ tools: { crate_sources: "no" } }),
        toolsOf({ tools: [] }),
      ]),
      [
        ["crate_sources", "rust_crate_query"],
        "nothing",
        ["crate_sources"],
        "nothing",
        ["crate_sources", "rust_crate_query", invalid("tools.crate_sources")],
        ["crate_sources", "rust_crate_query", invalid("tools")],
      ],
    );
  });

  test("offers the tools that the settings page has stored", async () => {
    const { tools } = FERRIS_SETTINGS,
      stored = withSetting({}, "tools", tools, { crate_sources: false, rust_crate_query: true });
    for (const [settings, expected] of [
      [stored, ["rust_crate_query"]],
      [withSetting(stored, "tools", tools, undefined), ["crate_sources", "rust_crate_query"]],
    ] as const) {
      await using bench = new FerrisFixture(settings);
      await using client = await bench.client();
      deepEqual(
        (await client.listTools()).tools.map(({ name }) => name),
        expected,
      );
    }
  });

  test("mentions no disabled tool in the descriptions of the others", async () => {
    const names = ["crate_sources", "rust_crate_query"];
    for (const off of [[], ["crate_sources"], ["rust_crate_query"]]) {
      await using bench = new FerrisFixture({ tools: Object.fromEntries(off.map(name => [name, false])) });
      const {
        servers: [server],
      } = await bench.open();
      await using client = await connected(server ?? {});
      const { tools } = await client.listTools(),
        texts = JSON.stringify([client.getInstructions(), tools]);
      deepEqual(
        names.filter(name => texts.includes(name)),
        names.filter(name => !off.includes(name)),
      );
    }
  });

  test("returns the folder from crate_sources", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    const { structuredContent } = await client.callTool({ name: "crate_sources", arguments: { crate_name: "pebble" } });
    deepEqual(structuredContent, {
      crate_name: "pebble",
      version: "1.1.0",
      path: bench.crate,
      checkout_path: bench.crate,
      message: `pebble 1.1.0 is the newest stable version. Its source is in ${bench.crate}.`,
    });
    equal(
      resultText(await client.callTool({ name: "crate_sources", arguments: { crate_name: "../x" } })),
      "“../x” is not the name of a crate: use letters, digits, - and _, starting with a letter.",
    );
  });

  test("forwards another extension's own session unchanged", async () => {
    const bench = new FerrisFixture({ everywhere: true }),
      { client, successor } = proxyRig(ferris.define({ everywhere: true }, bench.rig.fixture).create);
    const line = `{"jsonrpc":"2.0",  "id":7,"method":"session/new","params":{"cwd":"${bench.project}", "mcpServers":[],"_meta":{"symposium.dev/sideSession":"x"}}}`;
    client.deliver(line);
    await turn();
    equal(successor.frames.at(-1)?.bytes.toString(), line);
    await bench[Symbol.asyncDispose]();
  });
});
