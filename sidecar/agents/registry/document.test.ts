import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { NO_REGISTRY, parseRegistry, readRegistry, configOf, type Registry } from "./document";
import { propertyRuns } from "../../../src/protocol/testing/property-runs";

const RUNS = propertyRuns(300);
const good = {
  id: "good",
  name: "Good",
  version: "1.2.3",
  description: "Does good",
  distribution: { npx: { package: "good@1.2.3" } },
};
const archive = (overrides: object): object => ({
  distribution: { binary: { "linux-x86_64": { archive: "https://example.com/a.zip", cmd: "./a", ...overrides } } },
});
const read = (...agents: readonly unknown[]): Registry => {
  const registry = readRegistry({ version: "1.0.0", agents });
  if ("wrong" in registry) throw new Error(registry.wrong);
  return registry;
};
const ids = ({ agents }: Registry): readonly string[] => agents.map(({ id }) => id);

suite("registry document", () => {
  test("is parsed into known fields and the raw entry", () => {
    const entry = {
      ...good,
      icon: "https://example.com/a.svg",
      website: "https://example.com",
      repository: "https://example.com/r",
      authors: ["Ada"],
      license: "MIT",
      license_url: "https://example.com/l",
      preview: { version: "2.0.0" },
      distribution: {
        ...good.distribution,
        docker: { image: "x" },
        binary: { "beos-x86": { archive: "https://example.com/a", cmd: "a" } },
      },
    };
    const { license_url, preview, distribution, ...known } = entry;
    deepEqual(read(entry), {
      agents: [{ ...known, distribution: { npx: { package: "good@1.2.3" } }, raw: entry }],
      extensions: [],
      leftOut: [],
      packageVersions: new Map([["good", "1.2.3"]]),
    });
  });

  test("may contain extensions in their own list or among the agents", () => {
    const registry = readRegistry({
      agents: [good, { ...good, id: "second", type: "extension" }],
      extensions: [
        { ...good, id: "first" },
        { ...good, id: "good" },
      ],
    });
    ok("agents" in registry);
    deepEqual(
      [ids(registry), registry.extensions.map(({ id }) => id), registry.leftOut],
      [["good"], ["first", "good", "second"], []],
    );
  });

  test("may contain MCP servers at an address only among its extensions", () => {
    const http = { url: "https://example.com/mcp", headers: { "X-Client": "symposium" } },
      at = (overrides: object, distribution: object = { http }): object => ({ ...good, ...overrides, distribution });
    const server = { kind: "mcp", type: "extension" },
      registry = readRegistry({
        agents: [
          at({ ...server, id: "server" }),
          at({ kind: "mcp", id: "agent" }),
          at({ type: "extension", id: "proxy" }),
          at({ ...server, id: "plain" }, { http: { url: "http://example.com/mcp" } }),
          at({ ...server, id: "header" }, { http: { url: http.url, headers: { "a b": "x" } } }),
        ],
      });
    ok("agents" in registry);
    deepEqual(
      [registry.extensions.map(({ id, distribution }) => [id, distribution]), registry.leftOut.map(({ why }) => why)],
      [
        [["server", { http }]],
        [
          "“agent” has no supported distribution.",
          "“proxy” has no supported distribution.",
          "“plain” is a server whose URL is not https.",
          "“header” cannot be used: one of its “headers” has an invalid name: use letters, digits and hyphens.",
        ],
      ],
    );
  });

  test("uses the id as name and an empty description by default", () => {
    const { name: _, description: __, ...little } = good;
    deepEqual(
      read(little).agents.map(({ name, description }) => [name, description]),
      [["good", ""]],
    );
  });

  test("is reduced to single lines without invalid fields", () => {
    const {
      agents: [agent],
    } = read({
      ...good,
      name: " Good ",
      description: "One\n  two\tthree ",
      icon: "http://example.com/a.svg",
      website: "javascript:alert(1)",
      repository: `https://example.com/${"x".repeat(2000)}`,
      authors: ["Ada", 1, "a\u202Eb"],
      license: 7,
    });
    deepEqual(
      { ...agent, raw: undefined },
      { ...good, description: "One two three", authors: ["Ada"], raw: undefined },
    );
  });

  const BAD: readonly [why: RegExp, entry: unknown][] = [
    ...[null, 1, "x", [], [good]].map((entry): [RegExp, unknown] => [/^An entry is not an object\.$/, entry]),
    ...[undefined, 1, "", "Good", "1a", "a_b", "../a", "a/b", "a b", "con", "a\n", "a".repeat(101)].map(
      (id): [RegExp, unknown] => [/no id of lowercase letters/, { ...good, id }],
    ),
    ...[1, "", " ", null, "a\u202Eb", "a\nb", "a\0", "a\u200Bb", "a\uD800", "x".repeat(101)].map(
      (name): [RegExp, unknown] => [/^“bad” has a name that is not a text of at most 100/, { name }],
    ),
    ...[undefined, 1, "", "..", "1/2", "1 2", "../../1"].map((version): [RegExp, unknown] => [
      /^“bad” has no version\.$/,
      { version },
    ]),
    ...[1, null, "a\u202Eb", "a\x1b[31m", "x".repeat(1001)].map((description): [RegExp, unknown] => [
      /^“bad” has a description that is not a text of at most 1000/,
      { description },
    ]),
    ...[undefined, null, {}, [], "npx", { docker: {} }, { npx: { package: 1 } }].map(
      (distribution): [RegExp, unknown] => [/^“bad” has no supported distribution\.$/, { distribution }],
    ),
    [
      /^“bad” cannot be used: “npx” does not name a package\.$/,
      { distribution: { npx: { package: "--registry=https://example.com" } } },
    ],
    [
      /^“bad” cannot be used: “uvx” does not name a package\.$/,
      { distribution: { npx: { package: "a" }, uvx: { package: "https://example.com/a" } } },
    ],
    [
      /^“bad” cannot be used: the “cmd” of “linux-x86_64” points outside of its archive\.$/,
      archive({ cmd: "../../bin/sh" }),
    ],
    [/not https/, archive({ archive: "http://example.com/a.zip" })],
    [/not https/, archive({ archive: "http://127.0.0.1/a.zip" })],
    [/not https/, archive({ archive: "file:///a.zip" })],
    [/not https/, archive({ archive: "a.zip" })],
    ...["00", 0, null].map((sha256): [RegExp, unknown] => [
      /^“bad” has no supported distribution/,
      archive({ sha256 }),
    ]),
    [/too large/, { more: "x".repeat(100_001) }],
    [/too large/, { more: JSON.parse("[".repeat(50) + "]".repeat(50)) }],
    [/too large/, { more: JSON.parse("[".repeat(200_000) + "]".repeat(200_000)) }],
  ];
  for (const [i, [why, entry]] of BAD.entries())
    test(`excludes a single entry with a sentence: ${i} ${why.source}`, () => {
      const bad =
        typeof entry === "object" && entry !== null && !Array.isArray(entry) ? { ...good, id: "bad", ...entry } : entry;
      const registry = read(bad, good, { ...good, id: "last" });
      deepEqual(ids(registry), ["good", "last"]);
      equal(registry.leftOut.length, 1);
      match(registry.leftOut[0]!.why, why);
      match(registry.leftOut[0]!.why, /\.$/);
    });

  test("from localhost may name local icons, and local archives only if a test allows it", () => {
    const local = {
      ...good,
      id: "local",
      icon: "http://127.0.0.1:1/a.svg",
      ...archive({ archive: "http://127.0.0.1:1/a.zip", sha256: "0".repeat(64) }),
    };
    const registry = readRegistry({ agents: [local] }, { loopback: true, httpArchives: true });
    ok("agents" in registry && registry.leftOut.length === 0 && registry.agents[0]?.icon === local.icon);
    const refused = readRegistry({ agents: [local, good] }, { loopback: true });
    ok("agents" in refused);
    deepEqual(
      [ids(refused), refused.leftOut],
      [["good"], [{ id: "local", why: "“local” has an archive whose URL is not https." }]],
    );
  });

  const npx = (env: object): object => ({ distribution: { npx: { package: "good@1.2.3", env } } });
  const REFUSED: readonly [why: RegExp, entry: object][] = [
    ...["local", "executable", "symposium"].map((kind): [RegExp, object] => [
      new RegExp(`would start a program of this computer \\(“${kind}”\\); only packages and archives are accepted\\.$`),
      { distribution: { ...good.distribution, [kind]: null } },
    ]),
    [/\(“local”\)/, { distribution: { local: { command: "/bin/sh", args: ["-c", "x"] } } }],
    ...["elizacp", "codex", "gemini", "zed-claude-code", "kiro-cli", "symposium"].map((id): [RegExp, object] => [
      /has the id of an agent built into Symposium\.$/,
      { id },
    ]),
    ...[
      "LD_PRELOAD",
      "LD_LIBRARY_PATH",
      "DYLD_INSERT_LIBRARIES",
      "NODE_OPTIONS",
      "NODE_PATH",
      "PATH",
      "PYTHONPATH",
      "PYTHONSTARTUP",
      "HTTP_PROXY",
      "HTTPS_PROXY",
      "ALL_PROXY",
      "NO_PROXY",
      "http_proxy",
      "npm_config_registry",
      "NPM_CONFIG_UPDATE",
      "UV_DISABLE_X",
      "PIP_INDEX_URL",
      "RUBYOPT",
      "PERL5OPT",
      "JAVA_TOOL_OPTIONS",
      "BASH_ENV",
      "GIT_SSH_COMMAND",
      "SSL_CERT_FILE",
      "HOME",
      "XDG_CONFIG_HOME",
      "ANTHROPIC_BASE_URL",
      "OPENAI_API_KEY",
      "ELECTRON_RUN_AS_NODE",
      "SYMPOSIUM_DISABLE_X",
      "ENABLE",
      "DISABLE_SANDBOX",
      "CODEX_DISABLE_APPROVALS",
      "A_ENABLE_LD_X",
      "lower_disable",
      "__proto__x",
    ].map((name): [RegExp, object] => [
      /sets the variable .*, which is not accepted from a document; set it in your own settings if you need it\.$/,
      npx({ [name]: "1" }),
    ]),
    ...["/tmp/x.so", "--require=x", "a b", "../x", "-x", "a:b", "https://a", "x".repeat(33), "a\nb"].map(
      (value): [RegExp, object] => [/sets the variable GOOD_DISABLE_UPDATE/, npx({ GOOD_DISABLE_UPDATE: value })],
    ),
    [/LD_PRELOAD/, archive({ env: { LD_PRELOAD: "a" } })],
    [/LD_PRELOAD/, { distribution: { ...good.distribution, binary: { "beos-x86": { env: { LD_PRELOAD: "a" } } } } }],
    [
      /LD_PRELOAD/,
      { distribution: { ...good.distribution, docker: { image: "x", more: { env: { LD_PRELOAD: "a" } } } } },
    ],
    [/sets the variable env/, { distribution: { ...good.distribution, docker: { env: ["LD_PRELOAD=a"] } } }],
  ];
  for (const [i, [why, entry]] of REFUSED.entries())
    test(`excludes an entry that affects other programs: ${i} ${JSON.stringify(entry).slice(0, 90)}`, () => {
      const { agents, leftOut } = read({ ...good, id: "bad", ...entry }, good);
      deepEqual(
        agents.map(({ id }) => id),
        ["good"],
      );
      match(leftOut[0]?.why ?? "", why);
    });

  test("may set feature variables of the agent like the published registry", () => {
    for (const env of [
      { AUGMENT_DISABLE_AUTO_UPDATE: "1" },
      { DROID_DISABLE_AUTO_UPDATE: "true", FACTORY_DROID_AUTO_UPDATE_ENABLED: "false" },
      { GOOD_LOG_LEVEL: "info" },
      {},
    ]) {
      deepEqual(read({ ...good, ...npx(env) }).leftOut, []);
    }
  });

  test("excludes an entry with the id of a built-in extension", () => {
    const registry = readRegistry({
      agents: [good, { ...good, id: "sparkle", type: "extension" }, { ...good, id: "sparkle" }],
    });
    ok("agents" in registry);
    deepEqual(
      [ids(registry), registry.leftOut.map(({ why }) => why)],
      [["good", "sparkle"], ["“sparkle” has the id of an extension built into Symposium."]],
    );
  });

  test("is parsed in linear time", () => {
    const reads = (count: number): number => {
      let all = 0;
      const counted = <T extends object>(of: T): T =>
        new Proxy(of, {
          get: (target, key, self): unknown => {
            all++;
            return Reflect.get(target, key, self);
          },
          ownKeys: target => {
            all++;
            return Reflect.ownKeys(target);
          },
        });
      const entries = Array.from({ length: count }, (_, i) =>
        counted({
          ...good,
          id: `a${i}`,
          distribution: counted({ npx: counted({ package: `a${i}`, env: counted({ A_DISABLE_UPDATE: "1" }) }) }),
        }),
      );
      ok("agents" in readRegistry({ agents: entries }));
      return all;
    };
    const first = reads(1_000);
    equal(reads(10_000), 10 * first);
    ok(first < 1_000 * 200, String(first));
  });

  test("keeps the first of two entries with the same id", () => {
    const registry = read(good, { ...good, name: "Other" });
    deepEqual(
      [registry.agents.map(({ name }) => name), registry.leftOut],
      [["Good"], [{ id: "good", why: "“good” is a duplicate; the first entry is used." }]],
    );
  });

  test("is limited to 10,000 entries", () => {
    const many = Array.from({ length: 10_002 }, (_, i) => ({ ...good, id: `a${i}` }));
    equal(read(...many.slice(0, 10_000)).leftOut.length, 0);
    const registry = read(...many);
    deepEqual(
      [registry.agents.length, registry.leftOut],
      [10_000, [{ why: "Only the first 10000 of 10002 entries are read." }]],
    );
  });

  test("is rejected if it is not a registry", () => {
    for (const value of [undefined, null, 1, "x", [], {}, { agents: {} }, { agents: null }, { extensions: [] }])
      deepEqual(readRegistry(value), { wrong: "It is not a registry: it has no list of agents." });
    for (const text of ["", "{", "<html>", '{"agents": [', "[".repeat(100_000)])
      deepEqual(parseRegistry(text), { wrong: "It is not JSON." });
    deepEqual(readRegistry({ agents: [null, { ...good, id: 1 }] }), {
      wrong: "None of its entries is usable. The first: An entry is not an object.",
    });
    deepEqual(parseRegistry(`{"agents":[]}`), NO_REGISTRY);
  });

  test("never throws and keeps a valid entry among any others", () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const entry = fc.oneof(
      json,
      fc.record(
        {
          id: fc.oneof(fc.constantFrom("a", "b", "__proto__", "constructor", "tostring"), fc.string()),
          name: fc.oneof(fc.string({ unit: "binary" }), json),
          version: fc.oneof(fc.constantFrom("1.0.0", ".."), json),
          description: fc.oneof(fc.string({ unit: "binary" }), json),
          icon: fc.oneof(fc.webUrl(), json),
          authors: json,
          distribution: fc.oneof(
            json,
            fc.dictionary(
              fc.constantFrom("npx", "uvx", "local", "binary", "cargo"),
              fc.oneof(
                json,
                fc.record({ package: fc.string(), crate: fc.string(), command: fc.string() }),
                fc.dictionary(
                  fc.constantFrom("linux-x86_64", "x"),
                  fc.record({ archive: fc.webUrl(), cmd: fc.string(), sha256: json }, { requiredKeys: [] }),
                ),
              ),
            ),
          ),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 5 }),
        fc.array(entry, { maxLength: 5 }),
        json,
        (before, after, extensions) => {
          const registry = readRegistry(
            JSON.parse(JSON.stringify({ agents: [...before, good, ...after], extensions })),
          );
          ok("agents" in registry && ids(registry).includes("good"));
          equal(new Set(ids(registry)).size, registry.agents.length);
          for (const { id, name, version, raw } of [...registry.agents, ...registry.extensions]) {
            match(id, /^[a-z][a-z0-9-]*$/);
            ok(name.trim() !== "" && !/[\p{Cc}\p{Bidi_Control}]/u.test(name + version));
            equal(raw.id, id);
          }
          for (const { why } of registry.leftOut) match(why, /^[^\p{Cc}]*\.$/u);
        },
      ),
      { numRuns: RUNS },
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        ok(Object.keys(parseRegistry(text)).length > 0);
      }),
      { numRuns: RUNS },
    );
  });

  test("provides entries as agents of the settings", () => {
    deepEqual(configOf(read(good).agents[0]!), { ...good, _source: "registry" });
    deepEqual(configOf(read({ ...good, description: "" }).agents[0]!), {
      id: "good",
      name: "Good",
      version: "1.2.3",
      distribution: good.distribution,
      _source: "registry",
    });
  });
});
