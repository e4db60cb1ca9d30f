import { deepEqual, equal, rejects } from "node:assert/strict";
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";
import { DialectCache } from "../../conductor/proxy-dialect";
import { AgentError, agentExited } from "../../errors";
import { MemoryAgent } from "../../testing/memory-agent";
import { memoryChain } from "../../testing/chain/memory-chain";
import { findExtensions, type ExtensionDeps } from "./extension-chain";

const extension = (id: string, name = id.toUpperCase()): ExtensionConfig => ({
  id,
  name,
  distribution: { local: { command: id } },
  _source: "custom",
});

class Fixture implements ExtensionDeps {
  readonly statuses: string[] = [];
  readonly started: string[] = [];
  readonly command: ExtensionDeps["command"] = async ({ id }) => {
    if (id === "bad") throw new Error("there is no such package.");
    return { kind: "process", command: id, args: [], env: {} };
  };
  start: ExtensionDeps["start"] = name => {
    this.started.push(name);
    return Promise.reject(new Error("nothing is started"));
  };
  readonly builtIn: ExtensionDeps["builtIn"] = async ({ id }, name) =>
    id === "ours"
      ? {
          kind: "internal",
          name,
          serve: () => {
            throw new Error("nothing is served");
          },
        }
      : undefined;
  readonly onStatus: ExtensionDeps["onStatus"] = (id, status) => {
    this.statuses.push(`${id} ${status.kind}${"why" in status ? `: ${status.why}` : ""}`);
  };
  readonly find: ExtensionDeps["find"] = async program => (program === "gone" ? undefined : `/bin/${program}`);
  readonly onWarning = () => undefined;
  all(...configs: readonly ExtensionConfig[]) {
    return findExtensions(configs, ["Ada"], new AbortController().signal, this);
  }
}

suite("extension chain", () => {
  test("assigns unique display names, also different from the agent's", async () => {
    const fixture = new Fixture(),
      { components } = await fixture.all(extension("a"), extension("b", "A"), extension("ada", "Ada"));
    deepEqual(
      components.map(({ name }) => name),
      ["A", "A (b)", "Ada (ada)"],
    );
    for (const component of components)
      if (component.kind === "external") await rejects(async () => component.start(new AbortController().signal));
    deepEqual(fixture.started, ["“A”", "“A”", "“Ada”"]);
  });

  test("starts an external program with the user's settings in a variable", async () => {
    const given: unknown[] = [],
      fixture = new Fixture();
    fixture.start = (_, command) => {
      given.push(command.kind === "process" ? command.env : undefined);
      return Promise.reject(new Error("nothing is started"));
    };
    const { components, missing } = await fixture.all(
      { ...extension("a"), settings: { words: ["x"] } },
      { ...extension("b"), settings: {} },
      { ...extension("c"), settings: { text: "x".repeat(16_000) } },
    );
    for (const component of components)
      if (component.kind === "external") await rejects(async () => component.start(new AbortController().signal));
    deepEqual(given, [{ SYMPOSIUM_EXTENSION_SETTINGS: '{"words":["x"]}' }, {}]);
    deepEqual(missing, [
      {
        id: "c",
        sentence: "The agent extension “C” is skipped: its settings are longer than 16000 characters.",
      },
    ]);
  });

  test("shares the dialect memory of a program between chains", async () => {
    const dialects = new DialectCache(),
      fixture = new Fixture();
    const memory: ExtensionDeps["memory"] = command =>
      command.kind === "process" ? dialects.of(command.command) : undefined;
    const find = async (id: string) => {
      const [component] = (
        await findExtensions([extension(id)], [], new AbortController().signal, { ...fixture, memory })
      ).components;
      return component?.kind === "external" ? component.memory : undefined;
    };
    const first = await find("a");
    if (first) first.dialect = "proxy";
    deepEqual([(await find("a"))?.dialect, (await find("b"))?.dialect], ["proxy", undefined]);
    for (let i = 0; i < 100; i++) await find(`other ${i}`);
    equal((await find("a"))?.dialect, undefined, "it is bounded");
  });

  test("runs an extension that is part of Symposium internally and excludes one of another version", async () => {
    const own = (id: string): ExtensionConfig => ({
      ...extension(id),
      distribution: { symposium: { subcommand: "proxy", args: [id] } },
      _source: "built-in",
    });
    const { components, missing } = await new Fixture().all(own("ours"), own("later"), extension("a", "OURS"));
    deepEqual(
      components.map(({ kind, name }) => [kind, name]),
      [
        ["internal", "OURS"],
        ["external", "OURS (a)"],
      ],
    );
    deepEqual(
      missing.map(({ id }) => id),
      ["later"],
    );
  });

  test("declares an MCP server extension in the sessions without starting a process", async () => {
    const fixture = new Fixture(),
      chain = await fixture.all(
        { ...extension("git"), kind: "mcp" },
        { ...extension("gone"), kind: "mcp" },
        { ...extension("docs"), kind: "mcp", distribution: { symposium: { subcommand: "eliza" } } },
      ),
      [component] = chain.components;
    deepEqual(chain.missing, [
      {
        id: "gone",
        sentence: "The agent extension “GONE” could not be started: “gone” was not found or is not executable.",
      },
      { id: "docs", sentence: "The agent extension “DOCS” is not part of this version of Symposium." },
    ]);
    const proxies = chain.components,
      { client, agent } = memoryChain(proxies);
    await client.request("initialize", { protocolVersion: 1 });
    void client.request("session/load", { sessionId: "s", cwd: "/w", mcpServers: [] });
    deepEqual((await agent.next("session/load")).params, {
      sessionId: "s",
      cwd: "/w",
      mcpServers: [{ name: "git", command: "/bin/git", args: [], env: [] }],
    });
    deepEqual([component?.kind, fixture.started], ["internal", []]);
  });

  test("declares a remote MCP server without a lookup and excludes an invalid address with a hint", async () => {
    const at = (id: string, url: string, headers?: Readonly<Record<string, string>>): ExtensionConfig => ({
      ...extension(id),
      kind: "mcp",
      distribution: { http: { url, ...(headers ? { headers } : {}) }, npx: { package: "bad" } },
    });
    const fixture = new Fixture(),
      chain = await fixture.all(
        at("docs", " https://example.com/mcp ", { "X-Key": "1" }),
        at("old", "ftp://hunter2"),
        at("key", "https://example.com", { "X-Key": "hunter2\n" }),
      );
    deepEqual(chain.missing, [
      {
        id: "old",
        sentence:
          "The agent extension “OLD” is skipped: its URL is invalid: enter a complete URL that starts with https:// or http://, such as https://example.com/mcp.",
      },
      {
        id: "key",
        sentence:
          "The agent extension “KEY” is skipped: the value of its header X-Key contains a line break or an invalid character: correct it.",
      },
    ]);
    const { client, agent } = memoryChain(chain.components, {
      agent: new MemoryAgent([], { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } }),
    });
    await client.request("initialize", { protocolVersion: 1 });
    void client.request("session/resume", { sessionId: "s", cwd: "/w" });
    deepEqual((await agent.next("session/resume")).params, {
      sessionId: "s",
      cwd: "/w",
      mcpServers: [
        { type: "http", name: "docs", url: "https://example.com/mcp", headers: [{ name: "X-Key", value: "1" }] },
      ],
    });
    deepEqual([chain.components.map(({ kind }) => kind), fixture.started], [["internal"], []]);
  });

  test("prefers the user's program to an address", async () => {
    const chain = await new Fixture().all({
        ...extension("git"),
        kind: "mcp",
        distribution: { local: { command: "git" }, http: { url: "https://example.com/mcp" } },
      }),
      { client, agent } = memoryChain(chain.components);
    await client.request("initialize", { protocolVersion: 1 });
    void client.request("session/load", { sessionId: "s", cwd: "/w", mcpServers: [] });
    deepEqual((await agent.next("session/load")).params, {
      sessionId: "s",
      cwd: "/w",
      mcpServers: [{ name: "git", command: "/bin/git", args: [], env: [] }],
    });
  });

  test("lists missing extensions in chain order", async () => {
    const fixture = new Fixture(),
      chain = await fixture.all(extension("a"), extension("bad"), extension("b"));
    chain.onEvent({ kind: "bypassed", component: "B", message: "B hangs." });
    chain.onEvent({
      kind: "bypassed",
      component: "A",
      message: "not this",
      reason: agentExited("“A”", "exit code 3", ""),
    });
    deepEqual(chain.missing, [
      { id: "a", sentence: "The agent extension “A” exited unexpectedly (exit code 3)." },
      { id: "bad", sentence: "The agent extension “BAD” is skipped: there is no such package." },
      { id: "b", sentence: "B hangs." },
    ]);
    deepEqual(fixture.statuses, [
      "bad failed: The agent extension “BAD” is skipped: there is no such package.",
      "b failed: B hangs.",
      "a failed: The agent extension “A” exited unexpectedly (exit code 3).",
    ]);
  });

  test("does not list a slow or an unrelated component as missing", async () => {
    const chain = await new Fixture().all(extension("a"));
    chain.onEvent({ kind: "slow", component: "A", message: "A is still starting." });
    chain.onEvent({ kind: "bypassed", component: "Tools", message: "Tools are left out." });
    deepEqual(chain.missing, []);
  });

  test("explains the end of an extension by its name and forwards other reasons", async () => {
    const chain = await new Fixture().all(extension("a")),
      ended = chain.explained({ component: "A", reason: { message: "a line was too long.", cause: "last words" } });
    deepEqual(
      [ended instanceof AgentError && ended.code, ended?.message, ended?.cause],
      [
        "extension",
        "The agent extension “A” has exited: a line was too long. The agent exited with it. Both restart with your next prompt.",
        "last words",
      ],
    );
    const reason = { message: "Ada has gone." };
    deepEqual(
      [chain.explained({ component: "Ada", reason }), chain.explained({}), chain.explained(undefined)],
      [reason, undefined, undefined],
    );
  });

  test("reports only the failed extension when the start fails", async () => {
    const fixture = new Fixture(),
      chain = await fixture.all(extension("a"), extension("b"));
    chain.fell({ component: "B", reason: { message: "it broke." } });
    chain.fell({ component: "Ada", reason: { message: "Ada broke." } });
    chain.fell(undefined);
    deepEqual(fixture.statuses, ["b failed: The agent extension “B” has exited: it broke."]);
  });

  test("reports the start and end of running extensions, with the reason of the failed one", async () => {
    const fixture = new Fixture(),
      chain = await fixture.all(extension("a"), extension("bad"), extension("b"));
    let end = (): void => undefined;
    chain.runs(
      new Promise<void>(resolve => {
        end = resolve;
      }),
      () => ({ component: "B", reason: { message: "it broke." } }),
    );
    deepEqual(fixture.statuses.slice(1), ["a started", "b started"]);
    end();
    await new Promise(resolve => setImmediate(resolve));
    deepEqual(fixture.statuses.slice(3), ["a ended", "b ended: The agent extension “B” has exited: it broke."]);
  });

  test("reports nothing for a cancelled start", async () => {
    const fixture = new Fixture(),
      abort = new AbortController();
    abort.abort(new Error("closed"));
    await rejects(findExtensions([extension("bad")], [], abort.signal, fixture), /closed/);
    equal(fixture.statuses.length, 0);
  });
});
