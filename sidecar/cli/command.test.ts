import { deepEqual, doesNotMatch, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { readCommand, type Command, type RunWith } from "./command";
import { usage } from "./usage";

const warn = { level: "warn", folder: undefined } as const;
const eliza = { name: "Eliza", command: { kind: "eliza", deterministic: false } } as const;
const program = (name: string, command = name, args: readonly string[] = [], env = {}) =>
  ({ name, command: { kind: "process", command, args, env } }) as const;
const word = (name: string, given = name) => ({ name, command: { kind: "word", word: given } }) as const;
const stored = (id: string, name: string, distribution: object, version?: string) =>
  ({
    name,
    command: { kind: "store", config: { id, name, distribution, ...(version === undefined ? {} : { version }) } },
  }) as const;
const read = (...args: string[]): Command => readCommand(args, "linux");
const chainOf = (command: Command): RunWith => {
  if (command.kind !== "run-with") throw new Error(JSON.stringify(command));
  return command.chain;
};
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
      prompts: [],
      auth: undefined,
      timeoutMs: 30_000,
      recordFolder: undefined,
      json: false,
      ...overrides,
    },
  }) as const;
const wrong = (command: Command): string => (command.kind === "wrong" ? command.message : JSON.stringify(command));

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
  for (const [line, command] of TABLE) test(line, () => deepEqual(read(...line.split(" ")), command));

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
    [["registry"], /^The action is missing: list, or resolve or install with an id\./],
    [["registry", "update"], /^“update” is not list, resolve or install\./],
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
    [["eliza", "--json"], /^--json is only valid with conform\./],
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
    [["doctor", "--agent", "x | y"], /^--agent cannot be read as a command/],
  ];
  for (const [args, pattern] of REFUSED)
    test(`rejects ${args.join(" ") || "no arguments"}`, () => {
      match(wrong(read(...args)), pattern);
      match(wrong(read(...args)), / See symposium-acp-agent (\S+ )?--help\.$/);
      doesNotMatch(wrong(read(...args)), /\n/);
    });

  test("accepts one agent or none for doctor", () => {
    const patient = (...args: readonly string[]) => {
      const command = read("doctor", ...args);
      return command.kind === "doctor" ? command.patient : command;
    };
    deepEqual(
      [patient(), patient("gemini"), patient("--agent", "ada --acp")],
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

  test("refers only to existing help texts", () => {
    for (const [args] of REFUSED) {
      const [, line] = / See symposium-acp-agent (.+)\.$/.exec(wrong(read(...args))) ?? [];
      const command = read(...(line ?? "").split(" "));
      ok(command.kind === "help" && usage(command.of).length > 100);
    }
  });

  test("never repeats a rejected value", () => {
    for (const agent of [
      `{"local":{"command":"x","env":{"KEY":"hunter2"`,
      `KEY=hunter2 'x`,
      `{"distribution":{"npx":{"env":{"A":"hunter2"}}}}`,
      "KEY=hunter2",
    ])
      doesNotMatch(wrong(read("run-with", "--agent", agent)), /hunter2/);
    for (const http of [
      { url: "ftp://hunter2" },
      { url: "https://hunter2@example.com" },
      { url: "https://example.com", headers: { A: "hunter2\n" } },
      { url: "https://example.com", headers: { "hunter2 ": "" } },
    ])
      doesNotMatch(wrong(read("run-with", "--proxy", JSON.stringify({ kind: "mcp", http }))), /hunter2/);
  });

  suite("run-with chain", () => {
    test("keeps the order of proxies before the agent", () =>
      deepEqual(
        chainOf(
          read("run-with", "--proxy", "A=1 one --x 'y z'", "--agent", "/opt/bin/agent.exe --acp", "--proxy", "two"),
        ),
        {
          proxies: [program("one", "one", ["--x", "y z"], { A: "1" }), word("two")],
          agent: program("agent", "/opt/bin/agent.exe", ["--acp"]),
          traceFolder: undefined,
        },
      ));

    test("consists of proxies without an agent", () =>
      deepEqual(chainOf(read("run-with", "--proxy", "one", "--trace-dir", "t")), {
        proxies: [word("one")],
        agent: undefined,
        traceFolder: "t",
      }));

    test("accepts JSON: a distribution or a settings entry", () => {
      const local = { command: "C:\\x\\agent.cmd", args: ["--acp"], env: { A: "1" } },
        command = { kind: "process", ...local } as const;
      const { proxies, agent } = chainOf(
        read(
          "run-with",
          "--proxy",
          JSON.stringify({ local }),
          "--proxy",
          ` ${JSON.stringify({ id: "mine", distribution: { local } })}`,
          "--proxy",
          JSON.stringify({ executable: { path: "/opt/p" }, npx: {} }),
          "--agent",
          JSON.stringify({ id: "mine", name: "Mine", distribution: { local }, bypassPermissions: true }),
        ),
      );
      deepEqual(
        [proxies, agent],
        [[{ name: "agent", command }, { name: "mine", command }, program("p", "/opt/p")], { name: "Mine", command }],
      );
    });

    test("accepts the documented JSON of registry resolve", () => {
      const command = { kind: "process", command: "/opt/ada", args: ["--acp"], env: { A: "1" } };
      for (const env of [[{ name: "A", value: "1" }], { A: "1" }])
        deepEqual(
          chainOf(
            read(
              "run-with",
              "--agent",
              JSON.stringify({ name: "Ada", command: "/opt/ada", args: ["--acp"], env }),
              "--proxy",
              `{"name":"Rules","command":"rules"}`,
            ),
          ),
          { proxies: [program("Rules", "rules")], agent: { name: "Ada", command }, traceFolder: undefined },
        );
      deepEqual(chainOf(read("run-with", "--agent", `{"command":"/opt/ada"}`)).agent, program("ada", "/opt/ada"));
    });

    test("ends with Eliza for its subcommand only, otherwise with a program", () => {
      const agent = (text: string): unknown => chainOf(read("run-with", "--agent", text)).agent;
      deepEqual(agent(" eliza "), eliza);
      deepEqual(agent("eliza --deterministic"), { name: "Eliza", command: { kind: "eliza", deterministic: true } });
      deepEqual(agent(`{"symposium":{"subcommand":"eliza","args":["--deterministic"]}}`), {
        name: "Eliza",
        command: { kind: "eliza", deterministic: true },
      });
      deepEqual(agent(`{"id":"elizacp","name":"Doctor","distribution":{"symposium":{"subcommand":"eliza"}}}`), {
        ...eliza,
        name: "Doctor",
      });
      deepEqual(agent("./eliza"), program("eliza", "./eliza"));
      deepEqual(agent("eliza acp"), program("eliza", "eliza", ["acp"]));
      deepEqual(agent("A=1 eliza"), program("eliza", "eliza", [], { A: "1" }));
    });

    test("accepts one plain word: a built-in agent, an id of the registry or a program", () => {
      const agent = (text: string): unknown => chainOf(read("run-with", "--agent", text)).agent;
      const claude = stored("zed-claude-code", "Claude", {
        npx: { package: "@agentclientprotocol/claude-agent-acp" },
      });
      for (const name of ["claude", "zed-claude-code", " claude "]) deepEqual(agent(name), claude);
      deepEqual(agent("codex"), stored("codex", "Codex", { npx: { package: "@agentclientprotocol/codex-acp" } }));
      deepEqual(
        agent("gemini"),
        stored("gemini", "Gemini CLI", { npx: { package: "@google/gemini-cli", args: ["--acp"] } }),
      );
      for (const name of ["kiro", "kiro-cli"]) deepEqual(agent(name), program("Kiro CLI", "kiro-cli-chat", ["acp"]));
      deepEqual(agent("elizacp"), eliza);
      deepEqual(agent("goose"), word("goose"));
      deepEqual(agent("gemini --acp"), program("gemini", "gemini", ["--acp"]));
      deepEqual(agent("A=1 gemini"), program("gemini", "gemini", [], { A: "1" }));
      deepEqual(agent("./gemini"), program("gemini", "./gemini"));
      deepEqual(agent("Goose.exe"), program("Goose", "Goose.exe"));
    });

    test("takes packages and archives from the store", () => {
      const agent = (text: string): unknown => chainOf(read("run-with", "--agent", text)).agent;
      const archive = { "linux-x86_64": { archive: "https://example.com/a.zip", cmd: "./ada" } };
      deepEqual(
        agent("npx -y @s/ada --acp"),
        stored("npm-@s+ada", "ada", { npx: { package: "@s/ada", args: ["--acp"] } }),
      );
      deepEqual(agent("uvx ada"), stored("python-ada", "ada", { uvx: { package: "ada" } }));
      deepEqual(agent("pipx run ada"), stored("python-ada", "ada", { pipx: { package: "ada" } }));
      deepEqual(agent(`{"cargo":{"crate":"ada"}}`), stored("cargo-ada", "ada", { cargo: { crate: "ada" } }));
      deepEqual(
        agent(JSON.stringify({ id: "ada", name: "Ada", version: "1.2.3", distribution: { binary: archive } })),
        stored("ada", "Ada", { binary: archive }, "1.2.3"),
      );
      deepEqual(
        agent(`{"name":"Mine","command":"npx","args":["-y","@google/gemini-cli","--acp"],"env":[]}`),
        stored("gemini", "Mine", { npx: { package: "@google/gemini-cli", args: ["--acp"] } }),
      );
      deepEqual(agent("npx ada"), program("npx", "npx", ["ada"]));
      deepEqual(agent(`{"local":{"command":"npx","args":["-y","ada"]}}`), program("npx", "npx", ["-y", "ada"]));
      deepEqual(chainOf(read("run-with", "--registry", "https://example.com", "--proxy", "uvx ada")), {
        proxies: [stored("python-ada", "ada", { uvx: { package: "ada" } })],
        agent: undefined,
        traceFolder: undefined,
        registry: "https://example.com/",
      });
    });

    test("accepts built-in extensions by name, by settings entry and as defaults", () => {
      const own = (id: string, name: string, settings = {}) => ({ name, command: { kind: "own", id, settings } }),
        settings = { timeoutMinutes: 5 };
      const { proxies } = chainOf(
        read(
          "run-with",
          "--proxy",
          "defaults",
          "--proxy",
          "ide",
          "--proxy",
          JSON.stringify({ id: "cargo", settings }),
          "--proxy",
          JSON.stringify({ id: "workspace", _enabled: true, _source: "built-in" }),
          "--proxy",
          JSON.stringify({ symposium: { subcommand: "proxy", args: ["ferris"] } }),
          "--proxy",
          "./cargo",
          "--proxy",
          "cargo x",
        ),
      );
      deepEqual(proxies, [
        own("sparkle", "Sparkle"),
        own("ferris", "Ferris"),
        own("cargo", "Cargo"),
        own("ide", "IDE operations"),
        own("cargo", "Cargo 2", settings),
        own("workspace", "Workspace"),
        own("ferris", "Ferris 2"),
        { name: "cargo", command: { kind: "process", command: "./cargo", args: [], env: {} } },
        { name: "cargo 2", command: { kind: "process", command: "cargo", args: ["x"], env: {} } },
      ]);
    });

    test("accepts MCP servers as settings entries: a command or an address", () => {
      const http = { url: "https://mcp.example.com/v1", headers: { Authorization: "Bearer x" } },
        local = { command: "/opt/git-mcp", args: ["--stdio"], env: { A: "1" } },
        process = { kind: "process", ...local };
      const { proxies } = chainOf(
        read(
          "run-with",
          "--proxy",
          JSON.stringify({ id: "docs", name: "Docs", kind: "mcp", _enabled: true, distribution: { http } }),
          "--proxy",
          JSON.stringify({ kind: "mcp", http }),
          "--proxy",
          JSON.stringify({ id: "git", kind: "mcp", distribution: { local } }),
          "--proxy",
          JSON.stringify({ kind: "mcp", local }),
          "--proxy",
          JSON.stringify({ id: "git", kind: "mcp", distribution: { npx: { package: "git-mcp" } } }),
          "--proxy",
          JSON.stringify({ id: "rules", kind: "proxy", distribution: { local } }),
        ),
      );
      deepEqual(proxies, [
        { name: "Docs", command: { kind: "mcp", id: "docs", server: http } },
        { name: "mcp.example.com", command: { kind: "mcp", id: "mcp.example.com", server: http } },
        { name: "git", command: { kind: "mcp", id: "git", server: process } },
        { name: "git-mcp", command: { kind: "mcp", id: "git-mcp", server: process } },
        {
          name: "git 2",
          command: {
            kind: "mcp",
            id: "git",
            server: stored("git", "git", { npx: { package: "git-mcp" } }).command,
          },
        },
        { name: "rules", command: process },
      ]);
    });

    test("numbers components with the same name", () => {
      const { proxies, agent } = chainOf(
        read(
          "run-with",
          "--proxy",
          "node a",
          "--proxy",
          `{"name":"node 2","local":{"command":"x"}}`,
          "--proxy",
          "/bin/node b",
          "--agent",
          "node c",
        ),
      );
      deepEqual(
        [...proxies, agent].map(spec => spec?.name),
        ["node", "node 2", "node 3", "node 4"],
      );
    });

    test("accepts Windows paths", () =>
      deepEqual(
        chainOf(readCommand(["run-with", "--agent", 'C:\\tools\\agent.cmd --dir "C:\\Program Files\\x"'], "win32")),
        {
          proxies: [],
          agent: program("agent", "C:\\tools\\agent.cmd", ["--dir", "C:\\Program Files\\x"]),
          traceFolder: undefined,
        },
      ));
  });

  test("accepts options before and after the subcommand, with and without =", () => {
    const options = [["--agent", "eliza"], ["--proxy=one"], ["--log", "info"], ["--log-dir=l"], ["--trace-dir", "t"]];
    const expected = read("run-with", ...options.flat());
    deepEqual(expected, {
      kind: "run-with",
      chain: { proxies: [word("one")], agent: eliza, traceFolder: "t" },
      log: { level: "info", folder: "l" },
    });
    fc.assert(
      fc.property(fc.shuffledSubarray(options, { minLength: 5 }), fc.integer({ min: 0, max: 5 }), (order, at) =>
        deepEqual(read(...order.slice(0, at).flat(), "run-with", ...order.slice(at).flat()), expected),
      ),
      { numRuns: 50 },
    );
  });

  test("is read or rejected with a sentence for any arguments", () => {
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
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 6 }), args => {
        ok(
          ["wrong", "help", "version", "run-with", "eliza", "registry", "mcp", "serve", "reap"].includes(
            read(...args).kind,
          ),
        );
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
