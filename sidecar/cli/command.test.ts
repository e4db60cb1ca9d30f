import { deepEqual, doesNotMatch, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { readCommand, type Command } from "./command";
import { usage } from "./usage";

const warn = { level: "warn", folder: undefined } as const;
const eliza = { name: "Eliza", command: { kind: "eliza", deterministic: false } } as const;
const word = (name: string, given = name) => ({ name, command: { kind: "word", word: given } }) as const;
const read = (...args: string[]): Promise<Command> => readCommand(args, "linux");
const conform = (
  program: "agent" | "proxy" | "client",
  command: string,
  args: readonly string[] = [],
  overrides: object = {},
) =>
  ({
    kind: "conform",
    log: warn,
    request: {
      program,
      command,
      args,
      env: {},
      prompts: [],
      auth: undefined,
      timeoutMs: 30_000,
      recordFolder: undefined,
      json: false,
      ...overrides,
    },
  }) as const;
const wrong = async (...args: string[]): Promise<string> => {
  const command = await read(...args);
  return command.kind === "wrong" ? command.message : JSON.stringify(command);
};

suite("command line", () => {
  const TABLE: readonly [string, Command][] = [
    ["serve", { kind: "serve" }],
    ["reap", { kind: "reap" }],
    ["mcp", { kind: "mcp", attach: false }],
    ["mcp --attach", { kind: "mcp", attach: true }],
    ["eliza", { kind: "eliza", deterministic: false, log: warn }],
    ["eliza --deterministic", { kind: "eliza", deterministic: true, log: warn }],
    ["--deterministic eliza", { kind: "eliza", deterministic: true, log: warn }],
    ["eliza --log debug", { kind: "eliza", deterministic: false, log: { level: "debug", folder: undefined } }],
    ["--log-dir l eliza", { kind: "eliza", deterministic: false, log: { level: "warn", folder: "l" } }],
    ["vscodelm", { kind: "vscodelm", options: { traceFolder: undefined, bridgeDuplicates: false }, log: warn }],
    [
      "--trace-dir t vscodelm --log debug --log-dir l",
      {
        kind: "vscodelm",
        options: { traceFolder: "t", bridgeDuplicates: false },
        log: { level: "debug", folder: "l" },
      },
    ],
    [
      "vscodelm --bridge-duplicates",
      { kind: "vscodelm", options: { traceFolder: undefined, bridgeDuplicates: true }, log: warn },
    ],
    ["run", { kind: "run", traceFolder: undefined, log: warn }],
    [
      "run --trace-dir t --log-dir l --log info",
      { kind: "run", traceFolder: "t", log: { level: "info", folder: "l" } },
    ],
    ["run --help", { kind: "help", of: "run" }],
    ["vscodelm -h", { kind: "help", of: "vscodelm" }],
    ["registry list", { kind: "registry", request: { kind: "list" }, url: undefined }],
    [
      "registry resolve gemini",
      { kind: "registry", request: { kind: "resolve", id: "gemini", install: false }, url: undefined },
    ],
    [
      "--registry https://example.com registry list",
      { kind: "registry", request: { kind: "list" }, url: "https://example.com/" },
    ],
    [
      "registry resolve x --registry=http://127.0.0.1:1/r",
      { kind: "registry", request: { kind: "resolve", id: "x", install: false }, url: "http://127.0.0.1:1/r" },
    ],
    [
      "registry --install resolve x",
      { kind: "registry", request: { kind: "resolve", id: "x", install: true }, url: undefined },
    ],
    ["registry install x", { kind: "registry", request: { kind: "install", id: "x" }, url: undefined }],
    [
      "registry check extension.json",
      { kind: "registry", request: { kind: "check", file: "extension.json" }, url: undefined },
    ],
    ["registry --help", { kind: "help", of: "registry" }],
    ["--help", { kind: "help", of: undefined }],
    ["-h", { kind: "help", of: undefined }],
    ["--version", { kind: "version" }],
    ["eliza -h", { kind: "help", of: "eliza" }],
    ["--help run-with", { kind: "help", of: "run-with" }],
    ["run-with --agent x --help", { kind: "help", of: "run-with" }],
    ["mcp --help", { kind: "help", of: "mcp" }],
    ["serve --help", { kind: "help", of: undefined }],
    ["--version run-with", { kind: "version" }],
    ["run-with --fast --help", { kind: "help", of: "run-with" }],
    [
      "proxy cargo",
      { kind: "proxy", proxy: { name: "Cargo", command: { kind: "own", id: "cargo", settings: {} } }, log: warn },
    ],
    ["conform agent -- my-agent --acp --log debug", conform("agent", "my-agent", ["--acp", "--log", "debug"])],
    [
      "conform proxy --record r --json --timeout 2.5 -- p",
      conform("proxy", "p", [], { recordFolder: "r", json: true, timeoutMs: 2500 }),
    ],
    [
      "--prompt a conform agent --prompt b --auth key -- p",
      conform("agent", "p", [], { prompts: ["a", "b"], auth: "key" }),
    ],
    ["proxy check my-proxy", conform("proxy", "my-proxy")],
    ["proxy check --json --timeout 2.5 my-proxy", conform("proxy", "my-proxy", [], { json: true, timeoutMs: 2500 })],
    [
      "proxy check --record r -- node my-proxy.js --fast",
      conform("proxy", "node", ["my-proxy.js", "--fast"], { recordFolder: "r" }),
    ],
    ["proxy check -- check", conform("proxy", "check")],
    ["conform client -- c --agent {agent}", conform("client", "c", ["--agent", "{agent}"])],
    ["setup --zed", { kind: "setup", request: { editor: "zed", isDryRun: false } }],
    ["--dry-run setup --jetbrains", { kind: "setup", request: { editor: "jetbrains", isDryRun: true } }],
    ["setup -h", { kind: "help", of: "setup" }],
    ["conform -h", { kind: "help", of: "conform" }],
    [
      "run-with --agent eliza",
      { kind: "run-with", chain: { proxies: [], agent: eliza, traceFolder: undefined }, log: warn },
    ],
  ];
  for (const [line, command] of TABLE) test(line, async () => deepEqual(await read(...line.split(" ")), command));

  const REFUSED: readonly [readonly string[], RegExp][] = [
    [[], /^A command is missing\./],
    [["--log", "debug"], /^A command is missing\./],
    [["elisa"], /^Unknown command “elisa”\./],
    [["elisa", "--log", "loud"], /Unknown command “elisa”/],
    [["run", "now"], /^Unexpected argument “now”\./],
    [["run", "--agent", "x"], /^--agent is only valid with run-with and doctor\. See symposium-acp-agent run --help/],
    [["elisa", "--help"], /^Unknown command “elisa”\./],
    [["-h", "elisa"], /^Unknown command “elisa”\./],
    [["elisa", "--version"], /^Unknown command “elisa”\./],
    [["eliza", "now"], /^Unexpected argument “now”\./],
    [["run-with", "--agent", "x", "y", "z"], /^Unexpected argument “y z”\./],
    [["run-with", "--", "x"], /^Unexpected argument “x”\./],
    [["eliza", "--fast"], /^Unknown option --fast\./],
    [["-x", "eliza"], /Unknown option -x\./],
    [["eliza", "--toString"], /Unknown option --toString\./],
    [["--fast"], /Unknown option --fast\./],
    [["serve", "--deterministic"], /^--deterministic is only valid with eliza\./],
    [["run-with", "--agent", "x", "--deterministic"], /--deterministic is only valid with eliza\./],
    [["setup"], /^Specify one editor: --zed, --jetbrains, --neovim, --emacs, --toad\. See .* setup --help\.$/],
    [["setup", "--zed", "--toad"], /^Specify one editor: /],
    [["setup", "--zed", "x"], /^Unexpected argument “x”\./],
    [["eliza", "--zed"], /^--zed is only valid with setup\./],
    [["eliza", "--proxy", "x"], /^--proxy is only valid with run-with\./],
    [["--agent", "x", "mcp"], /^--agent is only valid with run-with and doctor\./],
    [["eliza", "--trace-dir", "d"], /^--trace-dir is only valid with run, run-with and vscodelm\./],
    [
      ["mcp", "--log", "debug"],
      /^--log is only valid with run, run-with, vscodelm, eliza, proxy, doctor and conform\./,
    ],
    [
      ["serve", "--log-dir", "d"],
      /^--log-dir is only valid with run, run-with, vscodelm, eliza, proxy, doctor and conform\./,
    ],
    [["registry", "install"], /^The id of an agent is missing\./],
    [["registry", "list", "--install"], /^--install is only valid with registry resolve\./],
    [["registry", "install", "a", "b"], /^Unexpected argument “b”\./],
    [["registry"], /^The action is missing: list, resolve or install with an id, or check with a file\./],
    [["registry", "update"], /^“update” is not list, resolve, install or check\./],
    [["registry", "check"], /^The file is missing: registry check extension\.json\./],
    [["registry", "check", "a", "b"], /^Unexpected argument “b”\./],
    [["registry", "check", "--install", "a"], /^--install is only valid with registry resolve\./],
    [["registry", "check", "a", "--registry", "https://example.com"], /^--registry is not valid with registry check/],
    [["registry", "list", "x"], /^Unexpected argument “x”\./],
    [["registry", "resolve"], /^The id of an agent is missing\./],
    [["registry", "resolve", " "], /^The id of an agent is missing\./],
    [["registry", "resolve", "a", "b", "c"], /^Unexpected argument “b c”\./],
    [["registry", "list", "--registry"], /^--registry needs a value\./],
    ...["http://example.com", "example.com", "file:///a", "https://me:hunter2@example.com"].map(
      (url): [readonly string[], RegExp] => [
        ["registry", "list", "--registry", url],
        /^--registry takes an https URL without a password\. See/,
      ],
    ),
    [["eliza", "--registry", "https://example.com"], /^--registry is only valid with registry, run-with and doctor\./],
    [
      ["registry", "list", "--log", "debug"],
      /^--log is only valid with run, run-with, vscodelm, eliza, proxy, doctor and conform\./,
    ],
    [["eliza", "--deterministic=no"], /^--deterministic takes no value\./],
    [["run-with", "--agent"], /^--agent needs a value\./],
    [["run-with", "--agent", "--log", "debug"], /^--agent needs a value\./],
    [["run-with", "--agent="], /^--agent needs a value\./],
    [["run-with", "--agent", " "], /^--agent needs a value\./],
    [["run-with", "--proxy", "--agent", "x"], /^--proxy needs a value\./],
    [["eliza", "--log-dir", ""], /^--log-dir needs a value\./],
    [["run-with", "--agent", "x", "--agent", "y"], /^--agent is given twice\./],
    [["--log", "debug", "eliza", "--log", "info"], /^--log is given twice\./],
    [["eliza", "--log", "loud"], /^--log takes error, warn, info, debug, and not “loud”\./],
    [["proxy"], /^The name of the proxy is missing: sparkle, ferris, cargo, workspace and ide\./],
    [["proxy", "x"], /^Unknown proxy “x”\. Proxies: sparkle/],
    [["proxy", "cargo", "x"], /^Unexpected argument “x”\./],
    [["proxy", "cargo", "--settings", "[]"], /^--settings takes a JSON object/],
    [
      ["proxy", "cargo", "--settings", "{hunter2"],
      /^--settings takes a JSON object, as “settings” of the extension in symposium.extensions\. See/,
    ],
    [
      ["run-with", "--agent", "sparkle"],
      /^--agent names “Sparkle”, which is an agent extension, not an agent: use --proxy\./,
    ],
    [
      ["run-with", "--agent", "defaults", "--proxy", `{"symposium":{"subcommand":"proxy","args":["x"]}}`],
      /^--proxy names no proxy of Symposium\. Proxies: sparkle/,
    ],
    [["conform"], /^The type of program is missing: agent, proxy or client\. See/],
    [["conform", "editor", "--", "x"], /^“editor” is not agent, proxy or client\./],
    [["conform", "agent"], /^The command is missing\. It follows --\./],
    [["conform", "agent", "x"], /^Unexpected argument “x”\. The command follows --\./],
    [["conform", "client", "--", "c"], /^An argument of the client must contain \{agent\}/],
    [["conform", "proxy", "--prompt", "x", "--", "p"], /^Only conform agent sends prompts and signs in\./],
    ...["0", "-1", "x", "1e9"].map((given): [readonly string[], RegExp] => [
      ["conform", "agent", `--timeout=${given}`, "--", "p"],
      /^--timeout takes a number of seconds up to 3600\./,
    ]),
    [["eliza", "--json"], /^--json is only valid with conform and proxy\./],
    [["proxy", "check"], /^The command is missing: proxy check COMMAND\. See .* proxy --help\.$/],
    [["proxy", "check", "--"], /^The command is missing/],
    [["proxy", "check", "a", "b"], /^Unexpected argument “b”\. Quote the command with its arguments/],
    [["proxy", "check", "a", "--", "b"], /^Unexpected argument “a”\./],
    [["proxy", "check", "a | b"], /^The command cannot be read: “\|” needs a shell/],
    [["proxy", "check", "--settings", "{}", "a"], /^--settings is only valid with the name of a proxy\./],
    [["proxy", "check", "--timeout=0", "a"], /^--timeout takes a number.* proxy --help\.$/],
    [["proxy", "cargo", "--json"], /^--json is only valid with conform and proxy check\./],
    [["run-with"], /^An agent, or a proxy, is missing/],
    [["run-with", "--agent", "x | y"], /^--agent cannot be read as a command: “\|” needs a shell/],
    [
      ["run-with", "--agent", "A=1"],
      /^--agent cannot be read as a command: The command after the variables is missing\./,
    ],
    [["run-with", "--agent", "x", "--proxy", "'y"], /^--proxy cannot be read as a command: A quote/],
    [["run-with", "--proxy", "eliza", "--agent", "x"], /^Eliza is an agent and cannot be a proxy\./],
    [["run-with", "--agent", '{"local":'], /^--agent starts like JSON but is not valid JSON\./],
    [["run-with", "--agent", "{}"], /^--agent is JSON without a valid command/],
    [["run-with", "--agent", `{"name":"x","command":"x","args":[1]}`], /without a valid command/],
    [["run-with", "--agent", `{"name":"x","command":"x","env":[{"name":"A","value":1}]}`], /without a valid command/],
    [["run-with", "--agent", `{"name":"x","command":"x","env":{"A":1}}`], /without a valid command/],
    [["run-with", "--agent", `{"local":{"command":""}}`], /without a valid command/],
    [["run-with", "--agent", `{"local":{"command":"x","args":[1]}}`], /without a valid command/],
    [["run-with", "--agent", `{"local":{"command":"x","env":{"A":1}}}`], /without a valid command/],
    [["run-with", "--proxy", `{"distribution":{"docker":{"image":"x"}}}`], /^--proxy is JSON without a valid command/],
    [
      ["run-with", "--agent", `{"id":"git","kind":"mcp","local":{"command":"git-mcp"}}`],
      /^--agent names “git”, which is an MCP server, not an agent: use --proxy\./,
    ],
    [
      ["run-with", "--proxy", `{"kind":"widget","local":{"command":"x"}}`],
      /^--proxy has a “kind” that is neither “proxy” nor “mcp”\./,
    ],
    [
      ["run-with", "--proxy", `{"http":{"url":"https://example.com"}}`],
      /^--proxy names a URL, which is only valid for an MCP server: add “kind”: “mcp”\./,
    ],
    [
      ["run-with", "--proxy", `{"kind":"mcp","http":{"url":"example.com"}}`],
      /^--proxy names an MCP server that cannot be used: its URL is invalid: enter a complete URL/,
    ],
    [
      ["run-with", "--proxy", "claude"],
      /^--proxy names “Claude”, which is an agent, not an agent extension: use --agent\./,
    ],
    [
      ["run-with", "--proxy", `{"kind":"mcp","symposium":{"subcommand":"eliza"}}`],
      /^--proxy names a component of Symposium, which is not an MCP server\./,
    ],
    [["run-with", "--agent", `{"symposium":{"subcommand":"elisa"}}`], /^--agent names “elisa”/],
    [
      ["run-with", "--agent", `{"symposium":{"subcommand":"eliza","args":["--fast"]}}`],
      /passes an unknown argument to eliza/,
    ],
    [["doctor", "gemini", "--agent", "x"], /^Specify one agent/],
    [["doctor", "gemini", "codex"], /^Specify one agent/],
    [["doctor", '{"id":"ada","env":{"KEY":"x"}}'], /^A command or JSON requires --agent\. See/],
    [["doctor", "npx -y ada"], /^A command or JSON requires --agent\./],
    [["doctor", "--agent", "x | y"], /^--agent cannot be read as a command/],
  ];
  for (const [args, pattern] of REFUSED)
    test(`rejects ${args.join(" ") || "no arguments"}`, async () => {
      const message = await wrong(...args);
      match(message, pattern);
      match(message, / See symposium-acp-agent (\S+ )?--help\.$/);
      doesNotMatch(message, /\n/);
    });

  test("reads the command of proxy check with the quoting of a shell", async () => {
    deepEqual(
      await read("proxy", "check", "RULES=1 node 'my proxy.js' --fast"),
      conform("proxy", "node", ["my proxy.js", "--fast"], { env: { RULES: "1" } }),
    );
  });

  test("accepts one agent or none for doctor", async () => {
    const patient = async (...args: readonly string[]) => {
      const command = await read("doctor", ...args);
      return command.kind === "doctor" ? command.patient : command;
    };
    deepEqual(
      [await patient(), await patient("gemini"), await patient("--agent", "ada --acp")],
      [
        undefined,
        { kind: "id", id: "gemini" },
        {
          kind: "command",
          component: { name: "ada", command: { kind: "process", command: "ada", args: ["--acp"], env: {} } },
        },
      ],
    );
  });

  test("refers only to existing help texts", async () => {
    for (const [args] of REFUSED) {
      const [, line] = / See symposium-acp-agent (.+)\.$/.exec(await wrong(...args)) ?? [];
      const command = await read(...(line ?? "").split(" "));
      ok(command.kind === "help" && usage(command.of).length > 100);
    }
  });

  test("never repeats a rejected value", async () => {
    for (const agent of [
      `{"local":{"command":"x","env":{"KEY":"hunter2"`,
      `KEY=hunter2 'x`,
      `{"distribution":{"npx":{"env":{"A":"hunter2"}}}}`,
      "KEY=hunter2",
    ])
      doesNotMatch(await wrong("run-with", "--agent", agent), /hunter2/);
    for (const http of [
      { url: "ftp://hunter2" },
      { url: "https://hunter2@example.com" },
      { url: "https://example.com", headers: { A: "hunter2\n" } },
      { url: "https://example.com", headers: { "hunter2 ": "" } },
    ])
      doesNotMatch(await wrong("run-with", "--proxy", JSON.stringify({ kind: "mcp", http })), /hunter2/);
  });

  test("accepts options before and after the subcommand, with and without =", async () => {
    const options = [["--agent", "eliza"], ["--proxy=one"], ["--log", "info"], ["--log-dir=l"], ["--trace-dir", "t"]];
    const expected = await read("run-with", ...options.flat());
    deepEqual(expected, {
      kind: "run-with",
      chain: { proxies: [word("one")], agent: eliza, traceFolder: "t" },
      log: { level: "info", folder: "l" },
    });
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(options, { minLength: 5 }),
        fc.integer({ min: 0, max: 5 }),
        async (order, at) =>
          deepEqual(await read(...order.slice(0, at).flat(), "run-with", ...order.slice(at).flat()), expected),
      ),
      { numRuns: 50 },
    );
  });

  test("is read or rejected with a sentence for any arguments", async () => {
    const argument = fc.oneof(
      fc.constantFrom(
        "run-with",
        "eliza",
        "registry",
        "list",
        "resolve",
        "--registry",
        "mcp",
        "--agent",
        "--proxy",
        "--log",
        "--log-dir",
        "--help",
        "--",
        "-",
        "-hx",
        "--=",
        "--no-help",
        "{}",
        "eliza=x",
      ),
      fc.string({ maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(argument, { maxLength: 6 }), async args => {
        const { kind } = await read(...args);
        ok(["wrong", "help", "version", "run-with", "eliza", "registry", "mcp", "serve", "reap"].includes(kind));
      }),
      { numRuns: 500 },
    );
  });

  test("is documented: each help text lists all its options or commands", () => {
    for (const option of ["--proxy", "--agent", "--log ", "--log-dir", "--trace-dir", "--help", "--version"])
      ok(usage("run-with").includes(option), option);
    for (const option of ["--log ", "--log-dir", "--trace-dir", "--help", "--version"])
      ok(usage("run").includes(option), option);
    for (const option of ["--deterministic", "--log ", "--log-dir", "--help", "--version"])
      ok(usage("eliza").includes(option), option);
    for (const option of ["--registry", "--help", "--version"]) ok(usage("registry").includes(option), option);
    for (const command of ["run", "run-with", "eliza", "proxy", "registry", "conform", "mcp"] as const) {
      ok(usage(undefined).includes(`\n  ${command} `));
      ok(usage(command).startsWith(`symposium-acp-agent ${command}:`));
    }
    for (const of of [undefined, "run", "run-with", "eliza", "proxy", "registry", "conform", "mcp"] as const)
      for (const line of usage(of).split("\n")) ok(line.length <= 120, line);
    doesNotMatch(usage(undefined), /\b(serve|reap)\b/);
  });
});
