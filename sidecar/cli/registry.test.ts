/** The answers of `registry` with simulated tools and registries. */
import { deepEqual, equal, match } from "node:assert/strict";
import { PLATFORMS } from "../../src/protocol/agents/distribution";
import { BUILT_IN_AGENTS } from "../../src/protocol/agents/built-in-agents";
import { NO_REGISTRY, parseRegistry, type Registry } from "../agents/registry/document";
import { Transcript } from "../testing/transcript";
import type { AgentCommand } from "../agents/distributions/agent-command";
import { InstallError } from "../agents/install/store/install-error";
import type { Named } from "./runtime/component-resolver";
import { answerRegistry, type RegistryCommandDeps } from "./registry";
import type { CommandReply } from "./runtime/reply";
import { DOCUMENT, KINDS } from "../testing/install/registry-document";

const GOLDEN = "sidecar/testing/transcripts/registry-resolve.golden";

const read = (document: object): Registry => {
  const registry = parseRegistry(JSON.stringify(document));
  if ("wrong" in registry) throw new Error(registry.wrong);
  return registry;
};
const installed = (id: string): AgentCommand => ({
  kind: "process",
  command: `/home/ada/.symposium/bin/${id}/1.2.3/ada`,
  args: ["acp"],
  env: { A: "1" },
});
const fixture = (overrides: Partial<RegistryCommandDeps> = {}): RegistryCommandDeps => ({
  platform: "linux-x86_64",
  home: "/home/ada",
  sidecar: { command: "/node", args: ["/sidecar.js"] },
  has: () => true,
  now: () => 1000,
  version: "0.1.0",
  installedVersion: async () => undefined,
  installed: async () => undefined,
  install: async ({ config }) => installed(config.id),
  update: async () => ({ version: "1.2.4" }),
  snapshot: async () => ({ registry: read(DOCUMENT), fetchedAt: 1000, url: "https://example.com", from: "network" }),
  ...overrides,
});
const resolve = (id: string, overrides?: Partial<RegistryCommandDeps>): Promise<CommandReply> =>
  answerRegistry({ kind: "resolve", id, install: false }, fixture(overrides));

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
      equal((JSON.parse((await resolve(id, { snapshot })).out) as { name: string }).name, name);
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
    deepEqual(await resolve("absent"), {
      code: 1,
      out: "",
      notes: ["Unknown agent “absent”. See symposium-acp-agent registry list."],
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

  const ADVICE = "Run symposium-acp-agent registry install";
  const MISSING: readonly (readonly [
    id: string,
    overrides: Partial<RegistryCommandDeps>,
    code: number,
    note: string,
  ])[] = [
    ["npx", {}, 0, ""],
    ["cargo", {}, 0, ""],
    ["elizacp", { has: () => false }, 0, ""],
    ["cargo", { has: () => false }, 1, `Ada cargo is not installed. ${ADVICE} cargo.`],
    ["cargo-newest", { has: () => false }, 1, `Ada cargo-newest is not installed. ${ADVICE} cargo-newest.`],
    ["binary", { has: () => false }, 1, `Ada binary is not installed. ${ADVICE} binary.`],
    ["npx", { has: () => false }, 1, `Ada npx is not installed, and “npx” was not found on the PATH. ${ADVICE} npx.`],
    ["uvx", { has: () => false }, 1, `Ada uvx is not installed, and “uvx” was not found on the PATH. ${ADVICE} uvx.`],
    [
      "pipx",
      { has: () => false },
      1,
      `Ada pipx is not installed, and “pipx” was not found on the PATH. ${ADVICE} pipx.`,
    ],
    [
      "claude",
      { has: () => false },
      1,
      `Claude is not installed, and “npx” was not found on the PATH. ${ADVICE} zed-claude-code.`,
    ],
    [
      "kiro",
      { has: () => false },
      1,
      "Kiro CLI cannot be started: “kiro-cli-chat” was not found on the PATH. Install it first.",
    ],
  ];
  for (const [id, overrides, code, note] of MISSING)
    test(`exits with ${code} for ${id}: ${note || "the command exists"}`, async () => {
      const reply = await resolve(id, overrides);
      deepEqual([reply.code, reply.out !== "", reply.notes.join()], [code, code === 0, note]);
    });

  test("prints the command of the installed version if its tool is missing", async () => {
    const store = { installed: async ({ config }: Named) => installed(config.id) };
    const server = {
      name: "Ada npx",
      command: "/home/ada/.symposium/bin/npx/1.2.3/ada",
      args: ["acp"],
      env: [{ name: "A", value: "1" }],
    };
    deepEqual(JSON.parse((await resolve("npx", { ...store, has: () => false })).out), server);
    equal((JSON.parse((await resolve("npx", store)).out) as { command: string }).command, "npx");
    for (const id of ["cargo", "cargo-newest", "binary"])
      match((await resolve(id, store)).out, /"command":"\/home\/ada\/\.symposium\/bin\/[a-z-]+\/1\.2\.3\/ada"/);
  });

  test("installs with --install and prints the installed command", async () => {
    const reply = (id: string, overrides: Partial<RegistryCommandDeps> = {}) =>
      answerRegistry({ kind: "resolve", id, install: true }, fixture({ has: () => false, ...overrides }));
    for (const id of ["npx", "uvx", "pipx", "cargo", "cargo-newest", "binary", "ext", "claude"]) {
      const { code, out } = await reply(id);
      equal(code, 0);
      match(out, /"command":"\/home\/ada\/\.symposium\/bin\//);
    }
    deepEqual(await reply("npx", { install: () => Promise.reject(new InstallError("noTool", "It needs npm.")) }), {
      code: 1,
      out: "",
      notes: ["Ada npx could not be installed. It needs npm."],
    });
    equal((await reply("kiro")).code, 1);
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

suite("registry install", () => {
  const install = (id: string, overrides?: Partial<RegistryCommandDeps>): Promise<CommandReply> =>
    answerRegistry({ kind: "install", id }, fixture(overrides));

  test("prints the id and the version", async () => {
    for (const [id, out] of [
      ["npx", { id: "npx", name: "Ada npx", version: "1.2.4" }],
      ["ext", { id: "ext", name: "ext", version: "1.2.4" }],
      ["claude", { id: "zed-claude-code", name: "Claude", version: "1.2.4" }],
      ["eliza", { id: "elizacp", name: "Eliza", version: "0.1.0" }],
      ["kiro", { id: "kiro-cli", name: "Kiro CLI" }],
    ] as const) {
      const reply = await install(id);
      deepEqual([reply.code, JSON.parse(reply.out)], [0, out]);
    }
  });

  test("explains in a sentence why nothing is installed", async () => {
    const offline = new InstallError("offline", "npm cannot reach its registry.", { advice: "Check the network." });
    deepEqual(
      [
        await install("absent"),
        await install("kiro", { has: () => false }),
        await install("npx", { update: () => Promise.reject(offline) }),
      ],
      [
        "Unknown agent “absent”. See symposium-acp-agent registry list.",
        "Symposium cannot install Kiro CLI: “kiro-cli-chat” was not found on the PATH. Install it first.",
        "Ada npx could not be installed. npm cannot reach its registry. Check the network.",
      ].map(note => ({ code: 1, out: "", notes: [note] })),
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
        { id: "elizacp", name: "Eliza", version: "0.1.0", description: "Built-in agent for testing" },
        { id: "gemini", name: "Gemini CLI", description: "Google's coding agent" },
        { id: "npx", name: "Ada npx", version: "1.2.3" },
      ],
    );
  });

  test("contains the registry's version of a built-in agent, or else the installed one", async () => {
    const agents = [
      ...DOCUMENT.agents,
      {
        id: "claude-acp",
        version: "0.9.0",
        distribution: { npx: { package: "@agentclientprotocol/claude-agent-acp@0.9.0" } },
      },
    ];
    const { all } = await list({
      installedVersion: async id => (id === "kiro-cli" ? undefined : "0.8.0"),
      snapshot: async () => ({ registry: read({ agents }), url: "", from: "network" }),
    });
    deepEqual(
      all.slice(0, 5).map(entry => ("version" in entry ? entry.version : undefined)),
      ["0.1.0", "0.9.0", "0.8.0", "0.8.0", undefined],
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
