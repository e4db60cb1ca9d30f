import { deepEqual, equal, match } from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { PLATFORMS, type Platform } from "../../src/protocol/agents/distribution";
import { BUILT_IN_AGENTS } from "../../src/protocol/agents/built-in-agents";
import { NO_REGISTRY, parseRegistry, type Registry } from "../agents/registry/document";
import { program } from "../testing/programs/programs";
import { RegistryServer, serving, status } from "../testing/install/registry-server";
import { Transcript } from "../testing/transcript";
import { answerRegistry, type RegistryCommandDeps } from "./registry";
import type { CommandReply } from "./runtime/reply";

const GOLDEN = "sidecar/testing/transcripts/registry-resolve.golden";
const archiveOf = (platform: Platform): object => ({
  archive: `https://example.com/ada-${platform}.${platform.startsWith("windows") ? "zip" : "tar.gz"}`,
  cmd: platform.startsWith("windows") ? "./bin/ada.exe" : "./bin/ada",
  args: ["acp"],
  env: { ADA_DISABLE_UPDATE: "x" },
});
const archives = (...platforms: readonly Platform[]): object => ({
  binary: Object.fromEntries(platforms.map(platform => [platform, archiveOf(platform)])),
});

/** One agent per kind of distribution, by id. */
const KINDS: Readonly<Record<string, object>> = {
  npx: { npx: { package: "@ada/agent@1.2.3", args: ["--acp"], env: { ADA_DISABLE_UPDATE: "x" } } },
  "npx-cmd": { npx: { package: "@ada/agent@1.2.3", cmd: "ada-acp", args: ["--fast"] } },
  uvx: { uvx: { package: "ada@1.2.3", args: ["acp"] } },
  "uvx-cmd": { uvx: { package: "ada[acp]==1.2.3", cmd: "ada-acp" } },
  pipx: { pipx: { package: "ada==1.2.3", args: ["acp"] } },
  "pipx-cmd": { pipx: { package: "ada", cmd: "ada-acp" } },
  cargo: { cargo: { crate: "ada-agent", version: "1.2.3", args: ["acp"] } },
  "cargo-binary": { cargo: { crate: "ada-agent", version: "1.2.3", binary: "ada" } },
  binary: archives(...PLATFORMS),
  "binary-x64": archives("darwin-x86_64", "linux-x86_64", "windows-x86_64"),
  "npx-and-binary": { npx: { package: "@ada/agent@1.2.3" }, ...archives(...PLATFORMS) },
};
const DOCUMENT = {
  version: "1.0.0",
  agents: [
    ...Object.entries(KINDS).map(([id, distribution]) => ({ id, name: `Ada ${id}`, version: "1.2.3", distribution })),
    { id: "gemini", name: "Other", version: "9.9.9", distribution: { npx: { package: "other" } } },
  ],
  extensions: [{ id: "ext", version: "1.0.0", distribution: { npx: { package: "ext" } } }],
};

const read = (document: object): Registry => {
  const registry = parseRegistry(JSON.stringify(document));
  if ("wrong" in registry) throw new Error(registry.wrong);
  return registry;
};
const fixture = (overrides: Partial<RegistryCommandDeps> = {}): RegistryCommandDeps => ({
  platform: "linux-x86_64",
  home: "/home/ada",
  sidecar: { command: "/node", args: ["/sidecar.js"] },
  has: () => true,
  now: () => 1000,
  snapshot: async () => ({ registry: read(DOCUMENT), fetchedAt: 1000, url: "https://example.com", from: "network" }),
  ...overrides,
});
const resolve = (id: string, overrides?: Partial<RegistryCommandDeps>): Promise<CommandReply> =>
  answerRegistry({ kind: "resolve", id }, fixture(overrides));

suite("registry resolve", () => {
  test("prints the documented command of each kind on each platform", async () => {
    const transcript = new Transcript();
    for (const platform of PLATFORMS)
      for (const kind of Object.keys(KINDS)) {
        const windows = platform.startsWith("windows");
        const { code, out, notes } = await resolve(kind, {
          platform,
          home: windows ? "C:\\Users\\Ada" : "/home/ada",
          ...(windows ? { sidecar: { command: "C:\\node.exe", args: ["C:\\sidecar.js"] } } : {}),
        });
        transcript.record("→", { platform, resolve: kind });
        transcript.record("←", code === 0 ? JSON.parse(out) : { code, notes });
      }
    transcript.match(GOLDEN);
  });

  test("prints the documented JSON form on one line", async () => {
    deepEqual(await resolve("npx"), {
      code: 0,
      out: `{"name":"Ada npx","command":"npx","args":["-y","@ada/agent@1.2.3","--acp"],"env":[{"name":"ADA_DISABLE_UPDATE","value":"x"}]}\n`,
      notes: [],
    });
    deepEqual(await resolve("ext"), {
      code: 0,
      out: `{"name":"ext","command":"npx","args":["-y","ext"],"env":[]}\n`,
      notes: [],
    });
  });

  test("resolves a built-in agent without the registry", async () => {
    const snapshot = (): never => {
      throw new Error("asked");
    };
    for (const { id, name } of BUILT_IN_AGENTS)
      equal((JSON.parse((await resolve(id, { snapshot, has: () => false })).out) as { name: string }).name, name);
    deepEqual(JSON.parse((await resolve("gemini", { snapshot })).out), {
      name: "Gemini CLI",
      command: "npx",
      args: ["-y", "@google/gemini-cli", "--acp"],
      env: [],
    });
  });

  test("explains in a sentence why there is no command", async () => {
    const bad = async () =>
      ({ registry: read({ agents: [{ id: "bad" }, ...DOCUMENT.agents] }), url: "", from: "network" }) as const;
    deepEqual(await resolve("nobody"), {
      code: 1,
      out: "",
      notes: ["Unknown agent “nobody”. See symposium-acp-agent registry list."],
    });
    deepEqual(await resolve("bad", { snapshot: bad }), {
      code: 1,
      out: "",
      notes: ["The registry's entry cannot be used: “bad” has no version."],
    });
    deepEqual(await resolve("binary", { platform: undefined }), {
      code: 1,
      out: "",
      notes: [`Ada binary does not support this computer: it has archives for ${PLATFORMS.join(", ")} only.`],
    });
  });

  test("rejects a local distribution from a document", async () => {
    const agents = [
      { id: "here", version: "1.0.0", distribution: { local: { command: "/opt/ada/ada" } } },
      ...DOCUMENT.agents,
    ];
    const snapshot = {
      registry: read({ ...DOCUMENT, agents }),
      fetchedAt: 1000,
      url: "https://example.com",
      from: "network",
    } as const;
    const { code, out, notes } = await resolve("here", { snapshot: async () => snapshot });
    deepEqual([code, out], [1, ""]);
    match(notes.join(), /“here” would start a program of this computer \(“local”\)/);
  });

  test("notes that the command is not installed yet", async () => {
    for (const [id, notes] of [
      ["cargo", 1],
      ["binary", 1],
      ["npx", 0],
    ] as const) {
      const reply = await resolve(id, { has: () => false });
      deepEqual([reply.code, reply.notes.length], [0, notes]);
      if (notes > 0)
        match(reply.notes[0]!, /^Ada \S+ is not installed\. The command exists after Symposium installs it\.$/);
    }
  });

  test("notes the age of the cached registry", async () => {
    const day = 24 * 3600_000;
    for (const [age, text] of [
      [0, "less than a minute"],
      [-5000, "less than a minute"],
      [60_000, "1 minute"],
      [59 * 60_000, "59 minutes"],
      [3 * 3600_000, "3 hours"],
      [day, "1 day"],
      [40 * day, "40 days"],
    ] as const) {
      const reply = await resolve("npx", {
        now: () => 1000 + age,
        snapshot: async () => ({
          registry: read(DOCUMENT),
          fetchedAt: 1000,
          url: "",
          from: "disk",
          problem: "It is away.",
        }),
      });
      deepEqual([reply.code, reply.notes], [0, [`It is away. A cached copy is used; its age is ${text}.`]]);
    }
    const none = await resolve("npx", {
      snapshot: async () => ({ registry: NO_REGISTRY, url: "", from: "none", problem: "It is away." }),
    });
    deepEqual(
      [none.code, none.out, none.notes],
      [
        1,
        "",
        [
          "It is away. Only built-in agents are available.",
          "Unknown agent “npx”. See symposium-acp-agent registry list.",
        ],
      ],
    );
  });
});

suite("registry list", () => {
  const list = async (
    overrides?: Partial<RegistryCommandDeps>,
  ): Promise<{ readonly all: readonly { readonly id: string }[]; readonly notes: readonly string[] }> => {
    const { code, out, notes } = await answerRegistry({ kind: "list" }, fixture(overrides));
    equal(code, 0);
    return { all: JSON.parse(out) as { id: string }[], notes };
  };

  test("contains the built-in agents and then the registry's, each id once", async () => {
    const { all, notes } = await list();
    deepEqual(
      [all.map(({ id }) => id), notes],
      [
        ["elizacp", "zed-claude-code", "codex", "gemini", "kiro-cli", ...Object.keys(KINDS)],
        ["An entry of the registry is ignored: “gemini” has the id of an agent built into Symposium."],
      ],
    );
    deepEqual(
      [all[0], all[3], all[5]],
      [
        { id: "elizacp", name: "Eliza" },
        { id: "gemini", name: "Gemini CLI", description: "Google's coding agent" },
        { id: "npx", name: "Ada npx", version: "1.2.3" },
      ],
    );
  });

  test("omits agents without their program and reports invalid entries", async () => {
    const { all, notes } = await list({
      has: () => false,
      snapshot: async () => ({
        registry: read({ agents: [{ id: "bad" }, 7, ...DOCUMENT.agents] }),
        url: "",
        from: "network",
      }),
    });
    equal(
      all.some(({ id }) => id === "kiro-cli" || id === "bad"),
      false,
    );
    deepEqual(notes, ["3 entries of the registry are ignored: “bad” has no version."]);
  });

  test("contains the built-in agents without a registry, with a note", async () => {
    const { all, notes } = await list({
      snapshot: async () => ({ registry: NO_REGISTRY, url: "", from: "none", problem: "It is away." }),
    });
    deepEqual(
      [all.map(({ id }) => id), notes],
      [BUILT_IN_AGENTS.map(({ id }) => id), ["It is away. Only built-in agents are available."]],
    );
  });
});

suite("symposium-acp-agent registry", () => {
  let home: string, server: RegistryServer;
  setup(async () => {
    home = mkdtempSync(path.join(tmpdir(), "registry-"));
    server = await RegistryServer.start(serving(DOCUMENT));
  });
  teardown(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  const run = async (
    ...args: readonly string[]
  ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> => {
    const { command, args: first } = program("symposium-acp-agent"),
      child = spawn(command, [...first, "registry", ...args], {
        env: { ...process.env, HOME: home, USERPROFILE: home },
        stdio: ["ignore", "pipe", "pipe"],
      });
    let out = "",
      err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    return new Promise(resolve => {
      child.once("close", code => resolve({ code, out, err }));
    });
  };

  test("fetches, caches and works offline", async function () {
    this.timeout(timeLimit(120_000));
    const first = await run("resolve", "npx", "--registry", server.url);
    deepEqual([first.code, first.err], [0, ""]);
    equal((JSON.parse(first.out) as { name: string }).name, "Ada npx");
    deepEqual(await run("resolve", "npx", "--registry", server.url), first);
    deepEqual(
      server.requests.map(({ headers }) => headers["if-none-match"]),
      [undefined, '"1"'],
    );
    server.answer = status(503);
    const offline = await run("resolve", "npx", "--registry", server.url);
    deepEqual([offline.code, offline.out], [0, first.out]);
    match(
      offline.err,
      /^The registry at 127\.0\.0\.1:\d+ could not be read\. The server returned status 503\. A cached copy is used; its age is (less than a minute|1 minute|\d minutes)\.\n$/,
    );
    const unknownAgent = await run("resolve", "nobody", "--registry", server.url);
    deepEqual([unknownAgent.code, unknownAgent.out], [1, ""]);
    match(unknownAgent.err, /\nUnknown agent “nobody”\. See symposium-acp-agent registry list\.\n$/);
    const list = await run("list", "--registry", server.url);
    equal((JSON.parse(list.out) as unknown[]).length >= Object.keys(KINDS).length + 4, true);
  });

  test("resolves Eliza to its own program", async function () {
    this.timeout(timeLimit(120_000));
    const { code, out, err } = await run("resolve", "elizacp");
    deepEqual([code, err, server.requests.length], [0, "", 0]);
    const { command, args } = JSON.parse(out) as { command: string; args: string[] };
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })}\n`,
    );
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    equal(
      await new Promise(resolve => {
        child.once("close", resolve);
      }),
      0,
    );
    match(stdout, /"protocolVersion":1/);
  });

  test("rejects invalid arguments", async function () {
    this.timeout(timeLimit(120_000));
    const { code, out, err } = await run("list", "--registry", "http://example.com");
    deepEqual([code, out], [2, ""]);
    match(err, /^--registry takes an https URL/);
  });
});
