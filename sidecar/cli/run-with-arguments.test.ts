import { deepEqual } from "node:assert/strict";
import { readCommand, type Command, type RunWith } from "./command";

const eliza = { name: "Eliza", command: { kind: "eliza", deterministic: false } } as const;
const program = (name: string, command = name, args: readonly string[] = [], env = {}) =>
  ({ name, command: { kind: "process", command, args, env } }) as const;
const word = (name: string, given = name) => ({ name, command: { kind: "word", word: given } }) as const;
const stored = (id: string, name: string, distribution: object, version?: string) =>
  ({
    name,
    command: { kind: "store", config: { id, name, distribution, ...(version === undefined ? {} : { version }) } },
  }) as const;
const read = (...args: string[]): Promise<Command> => readCommand(args, "linux");
const chainOf = async (reading: Promise<Command>): Promise<RunWith> => {
  const command = await reading;
  if (command.kind !== "run-with") throw new Error(JSON.stringify(command));
  return command.chain;
};
suite("run-with chain", () => {
  test("keeps the order of proxies before the agent", async () =>
    deepEqual(
      await chainOf(
        read("run-with", "--proxy", "A=1 one --x 'y z'", "--agent", "/opt/bin/agent.exe --acp", "--proxy", "two"),
      ),
      {
        proxies: [program("one", "one", ["--x", "y z"], { A: "1" }), word("two")],
        agent: program("agent", "/opt/bin/agent.exe", ["--acp"]),
        traceFolder: undefined,
      },
    ));

  test("consists of proxies without an agent", async () =>
    deepEqual(await chainOf(read("run-with", "--proxy", "one", "--trace-dir", "t")), {
      proxies: [word("one")],
      agent: undefined,
      traceFolder: "t",
    }));

  test("accepts JSON: a distribution or a settings entry", async () => {
    const local = { command: "C:\\x\\agent.cmd", args: ["--acp"], env: { A: "1" } },
      command = { kind: "process", ...local } as const;
    const { proxies, agent } = await chainOf(
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

  test("accepts the documented JSON of registry resolve", async () => {
    const command = { kind: "process", command: "/opt/ada", args: ["--acp"], env: { A: "1" } };
    for (const env of [[{ name: "A", value: "1" }], { A: "1" }])
      deepEqual(
        await chainOf(
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
    deepEqual((await chainOf(read("run-with", "--agent", `{"command":"/opt/ada"}`))).agent, program("ada", "/opt/ada"));
  });

  test("ends with Eliza for its subcommand only, otherwise with a program", async () => {
    const agent = async (text: string): Promise<unknown> => (await chainOf(read("run-with", "--agent", text))).agent;
    deepEqual(await agent(" eliza "), eliza);
    deepEqual(await agent("eliza --deterministic"), { name: "Eliza", command: { kind: "eliza", deterministic: true } });
    deepEqual(await agent(`{"symposium":{"subcommand":"eliza","args":["--deterministic"]}}`), {
      name: "Eliza",
      command: { kind: "eliza", deterministic: true },
    });
    deepEqual(await agent(`{"id":"elizacp","name":"Doctor","distribution":{"symposium":{"subcommand":"eliza"}}}`), {
      ...eliza,
      name: "Doctor",
    });
    deepEqual(await agent("./eliza"), program("eliza", "./eliza"));
    deepEqual(await agent("eliza acp"), program("eliza", "eliza", ["acp"]));
    deepEqual(await agent("A=1 eliza"), program("eliza", "eliza", [], { A: "1" }));
  });

  test("accepts one plain word: a built-in agent, an id of the registry or a program", async () => {
    const agent = async (text: string): Promise<unknown> => (await chainOf(read("run-with", "--agent", text))).agent;
    const claude = stored("zed-claude-code", "Claude", {
      npx: { package: "@agentclientprotocol/claude-agent-acp" },
    });
    for (const name of ["claude", "zed-claude-code", " claude "]) deepEqual(await agent(name), claude);
    deepEqual(await agent("codex"), stored("codex", "Codex", { npx: { package: "@agentclientprotocol/codex-acp" } }));
    deepEqual(
      await agent("gemini"),
      stored("gemini", "Gemini CLI", { npx: { package: "@google/gemini-cli", args: ["--acp"] } }),
    );
    for (const name of ["kiro", "kiro-cli"])
      deepEqual(await agent(name), program("Kiro CLI", "kiro-cli-chat", ["acp"]));
    deepEqual(await agent("elizacp"), eliza);
    deepEqual(await agent("goose"), word("goose"));
    deepEqual(await agent("gemini --acp"), program("gemini", "gemini", ["--acp"]));
    deepEqual(await agent("A=1 gemini"), program("gemini", "gemini", [], { A: "1" }));
    deepEqual(await agent("./gemini"), program("gemini", "./gemini"));
    deepEqual(await agent("Goose.exe"), program("Goose", "Goose.exe"));
  });

  test("takes packages and archives from the store", async () => {
    const agent = async (text: string): Promise<unknown> => (await chainOf(read("run-with", "--agent", text))).agent;
    const archive = { "linux-x86_64": { archive: "https://example.com/a.zip", cmd: "./ada" } };
    deepEqual(
      await agent("npx -y @s/ada --acp"),
      stored("npm-@s+ada", "ada", { npx: { package: "@s/ada", args: ["--acp"] } }),
    );
    deepEqual(await agent("uvx ada"), stored("python-ada", "ada", { uvx: { package: "ada" } }));
    deepEqual(await agent("pipx run ada"), stored("python-ada", "ada", { pipx: { package: "ada" } }));
    deepEqual(await agent(`{"cargo":{"crate":"ada"}}`), stored("cargo-ada", "ada", { cargo: { crate: "ada" } }));
    deepEqual(
      await agent(JSON.stringify({ id: "ada", name: "Ada", version: "1.2.3", distribution: { binary: archive } })),
      stored("ada", "Ada", { binary: archive }, "1.2.3"),
    );
    deepEqual(
      await agent(`{"name":"Mine","command":"npx","args":["-y","@google/gemini-cli","--acp"],"env":[]}`),
      stored("gemini", "Mine", { npx: { package: "@google/gemini-cli", args: ["--acp"] } }),
    );
    deepEqual(await agent("npx ada"), program("npx", "npx", ["ada"]));
    deepEqual(await agent(`{"local":{"command":"npx","args":["-y","ada"]}}`), program("npx", "npx", ["-y", "ada"]));
    deepEqual(await chainOf(read("run-with", "--registry", "https://example.com", "--proxy", "uvx ada")), {
      proxies: [stored("python-ada", "ada", { uvx: { package: "ada" } })],
      agent: undefined,
      traceFolder: undefined,
      registry: "https://example.com/",
    });
  });

  test("accepts built-in extensions by name, by settings entry and as defaults", async () => {
    const own = (id: string, name: string, settings = {}) => ({ name, command: { kind: "own", id, settings } }),
      settings = { timeoutMinutes: 5 };
    const { proxies } = await chainOf(
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

  test("accepts MCP servers as settings entries: a command or an address", async () => {
    const http = { url: "https://mcp.example.com/v1", headers: { Authorization: "Bearer x" } },
      local = { command: "/opt/git-mcp", args: ["--stdio"], env: { A: "1" } },
      process = { kind: "process", ...local };
    const { proxies } = await chainOf(
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

  test("numbers components with the same name", async () => {
    const { proxies, agent } = await chainOf(
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

  test("accepts Windows paths", async () =>
    deepEqual(
      await chainOf(readCommand(["run-with", "--agent", 'C:\\tools\\agent.cmd --dir "C:\\Program Files\\x"'], "win32")),
      {
        proxies: [],
        agent: program("agent", "C:\\tools\\agent.cmd", ["--dir", "C:\\Program Files\\x"]),
        traceFolder: undefined,
      },
    ));
});
