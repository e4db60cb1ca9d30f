import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { DEFAULT_EXTENSIONS } from "../../../src/protocol/agents/extensions";
import { readAgent, readProxies } from "../component-argument";
import { readConfig, type ConfigMessage, type RunConfig } from "./config";

const DOCUMENTED = `{
  // Downstream agent command (parsed as shell words)
  "agent": "npx -y @zed-industries/claude-code-acp",
  
  // Proxy extensions to enable
  "proxies": [
    { "name": "sparkle", "enabled": true },
    { "name": "ferris", "enabled": true },
    { "name": "cargo", "enabled": true }
  ]
}
`;

const configOf = async (text: string): Promise<RunConfig> => {
  const read = await readConfig(text, "linux");
  if (read.kind !== "config") throw new Error(JSON.stringify(read));
  return read.config;
};
const written = ({ line, column, message }: ConfigMessage): string => `${line}:${column}: ${message}`;
const problemOf = async (text: string): Promise<string> => {
  const read = await readConfig(text, "linux");
  return read.kind === "problem" ? written(read.problem) : JSON.stringify(read);
};
const ids = ({ proxies }: RunConfig): readonly unknown[] =>
  proxies.map(({ command }) => (command.kind === "own" ? command.id : command));

suite("readConfig", () => {
  test("reads the documented file like the documented run-with command", async () => {
    const config = await configOf(DOCUMENTED);
    deepEqual(config, {
      agent: await readAgent("npx -y @zed-industries/claude-code-acp", "linux"),
      proxies: await readProxies("defaults"),
      ignored: [],
    });
    deepEqual(
      ids(config),
      DEFAULT_EXTENSIONS.map(({ id }) => id),
    );
  });

  test("accepts a byte order mark, CRLF, comments and trailing commas", async () => {
    const text = `\uFEFF// mine\r\n{ "agent": 'x', }`
      .replaceAll("'", '"')
      .replace(", }", `, /* none */ "proxies": [],\r\n}`);
    deepEqual(await configOf(text), { agent: await readAgent("x", "linux"), proxies: [], ignored: [] });
  });

  test("enables the proxies that are not disabled, in their order", async () => {
    const config = await configOf(
      `{"agent":"x","proxies":[{"name":"cargo"},{"name":"ferris","enabled":false},{"name":"ide","enabled":true}]}`,
    );
    deepEqual([ids(config), config.ignored], [["cargo", "ide"], []]);
    deepEqual(ids(await configOf(`{"agent":"x"}`)), []);
  });

  test("reports the parts without an effect", async () => {
    const config = await configOf(`{
  "$schema": "https://example.com/schema.json",
  "agnet": "y", "agent": "x",
  "proxies": [
    { "name": "rust", "enabled": true },
    { "name": "cargo", "enable": false },
    { "name": "cargo", "enabled": true }
  ]
}`);
    deepEqual(ids(config), ["cargo"]);
    deepEqual(config.ignored.map(written), [
      "3:3: “agnet” is unknown and has no effect. Known names: agent, proxies.",
      "5:15: The proxy “rust” is unknown and is left out. Known proxies: sparkle, ferris, cargo, workspace and ide.",
      "6:24: “enable” is unknown and has no effect. Known names: name, enabled.",
      "7:15: The proxy “cargo” is listed twice. Its first entry applies.",
    ]);
  });

  const PROBLEMS: readonly (readonly [text: string, problem: RegExp])[] = [
    ["", /^1:1: The file is empty\. Add “agent”, or delete the file/],
    ["\uFEFF \n", /^1:1: The file is empty/],
    ["// nothing", /^1:11: A value is missing\./],
    ["[]", /^1:1: The configuration must be an object/],
    ["{}", /^1:1: “agent” is missing\./],
    [`{"agent":1}`, /^1:10: “agent” must be text/],
    [`{"agent":"  "}`, /^1:10: “agent” must be text/],
    [`{"agent":{"local":{"command":"x"}}}`, /^1:10: “agent” must be text/],
    [`{\n  "agent": "a | b"\n}`, /^2:12: “agent” cannot be read as a command: “\|” needs a shell/],
    [`{\r\n  "agent": "cargo"\r\n}`, /^2:12: “agent” names “Cargo”, which is an agent extension/],
    [`{"agent":"x",\n"agent":"y"}`, /^2:1: “agent” is set twice\./],
    [`{"agent":"x",\r"proxies":{}}`, /^2:11: “proxies” must be a list/],
    [`{"agent":"x","proxies":["cargo"]}`, /^1:25: A proxy must be an object/],
    [`{"agent":"x","proxies":[{"enabled":true}]}`, /^1:25: “name” of the proxy is missing\./],
    [`{"agent":"x","proxies":[{"name":1}]}`, /^1:33: “name” of the proxy must be text\./],
    [`{"agent":"x","proxies":[{"name":"cargo","enabled":"yes"}]}`, /^1:51: “enabled” must be true or false\./],
    [`{\n  "agent": "x"\n  "proxies": []\n}`, /^3:3: A comma is missing\./],
    [`{\n  "agent" "x"\n}`, /^2:11: A colon is missing\./],
    [`{\n  "agent": "x,\n}`, /^2:12: This text is not closed/],
    [`{\n  'agent': 1 }`, /^2:3: This word is not valid: write text in double quotes\./],
    [`{"agent":"x"} {}`, /^1:15: The file must end after the closing brace\./],
    [`{"agent":"C:\\q"}`, /^1:10: This escape is not valid/],
    [`{"agent":"x" /* }`, /^1:14: This comment is not closed/],
    ["[".repeat(100_000), /^1:101: The JSON is nested too deep\./],
  ];
  for (const [text, problem] of PROBLEMS)
    test(`reports the position of a problem: ${JSON.stringify(text.slice(0, 60))}`, async () =>
      match(await problemOf(text), problem));

  test("does not repeat the agent's command in a message", async () =>
    doesNotMatch(await problemOf(`{"agent":"KEY=hunter2hunter2 a | b"}`), /hunter2/));

  test("reads every text as a configuration or as a problem at a position in the text", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "\n",
        "\r\n",
        "\r",
        "\\",
        "//",
        "/*",
        "*/",
        " ",
        "\uFEFF",
        "true",
      ),
      fc.constantFrom('"agent"', '"proxies"', '"name"', '"enabled"', '"cargo"', '"npx -y x"', '"agent": "x"'),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    const texts = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join("")),
      // A valid file with a mistake.
      fc
        .tuple(fc.nat(DOCUMENTED.length), fc.nat(6), piece)
        .map(([from, length, text]) => DOCUMENTED.slice(0, from) + text + DOCUMENTED.slice(from + length)),
    );
    await fc.assert(
      fc.asyncProperty(texts, async text => {
        const read = await readConfig(text, "linux"),
          lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
        const messages = read.kind === "problem" ? [read.problem] : read.config.ignored;
        for (const { line, column, message } of messages) {
          const there = lines[line - 1];
          ok(there !== undefined && column >= 1 && column <= there.length + 1, `${line}:${column} of ${text}`);
          match(message, /[.…]$|\}\.$/);
        }
        if (read.kind === "config") equal(typeof read.config.agent.name, "string");
      }),
    );
  });
});
