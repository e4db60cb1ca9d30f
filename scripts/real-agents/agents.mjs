// The published agents used in tests: the package, the command, and the configuration that connects it to the scripted
// model only. `settle` prepares an agent's home and returns additional environment variables. `variables` are prefixes
// of environment variables that could select the user's account; no agent inherits any of them.
//
// `speaks` is the API of its model (DIALECTS in mock-model.mjs). `tools` are the names of the agent's tools in that
// API. With a `search` tool (SEARCHES in script.mjs) its model finds tools of servers that are hidden at first. An
// agent that `endsWhenRejected` ends the turn when the user rejects a call, without another model request.
// `workarounds` are the ids of its workarounds in sidecar/agent-workarounds.ts. `breaks` are the mandatory rules of
// docs/conform.md that it violates, and `mayBreak` those whose violation depends on timing.
//
// `configuration` is the agent's id in the registry, by which Symposium finds its configuration
// (sidecar/agents/own-configuration/known-configurations.ts), and the file below its home.
//
// `commandLine` is the agent's program for a terminal: a file below node_modules, and its arguments before a prompt. An
// `interactive` one runs in a pseudo terminal (terminal.mjs), which it notifies of each answer.
//
// `repeats`: two conversations with it are equal, so that a chain can be compared with a direct connection. For this,
// `besides` counts the updates that can arrive at any time, after the response to `session/new` and after a session's
// first turn. `commands` are some of its announced commands. An agent that `withdraws` cancels its open requests when
// it is cancelled. An agent with `parallel` calls reports each when it happens. All scenes of scenes.mjs are played, or
// `only` some, or all `without` some.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

function writeIn(home, name, text) {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const ALL = [
  {
    id: "claude-agent-acp",
    name: "Claude (claude-agent-acp)",
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.100.0",
    program: "claude-agent-acp",
    configuration: { id: "claude-acp", file: ".claude.json" },
    args: [],
    size: "0.4 GB",
    speaks: "anthropic",
    search: "ToolSearch",
    commandLine: { file: `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`, args: ["-p"] },
    tools: { shell: ["Bash"], write: ["Write"], read: ["Read"], edit: ["Edit"] },
    variables: ["ANTHROPIC_", "CLAUDE"],
    repeats: true,
    besides: {
      opened: { available_commands_update: 1 },
      answered: { available_commands_update: 2, session_info_update: 1 },
    },
    commands: ["context", "rename"],
    withdraws: true,
    parallel: true,
    workarounds: ["hides-tools", "reserves-server-names", "prefers-structured-content"],
    breaks: ["agent/custom-members"],
    settle: (home, model) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "sk-ant-scripted",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "0",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      // As root, the agent offers some modes only if this variable declares a sandbox. Here the agent runs only the
      // test's script.
      ...(process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {}),
    }),
  },
  {
    id: "gemini-cli",
    name: "Gemini (gemini-cli)",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    configuration: { id: "gemini", file: ".gemini/settings.json" },
    args: ["--acp"],
    size: "0.1 GB",
    speaks: "gemini",
    tools: { shell: ["run_shell_command"], write: ["write_file"], read: ["read_file"], edit: ["replace"] },
    variables: ["GEMINI_", "GOOGLE_"],
    repeats: true,
    besides: { opened: { available_commands_update: 1 }, answered: { available_commands_update: 1 } },
    commands: ["memory show", "about"],
    withdraws: false,
    parallel: false,
    workarounds: ["reads-before-creating"],
    breaks: ["agent/custom-members"],
    // File names of sessions contain the minute. Within the minute of a session's opening, the loading process has the
    // same file name and finds no session.
    mayBreak: ["agent/load"],
    without: ["a resumed session", "a list of sessions"],
    settle: (home, model) => {
      writeIn(
        home,
        ".gemini/settings.json",
        JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
          privacy: { usageStatisticsEnabled: false },
          general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        }),
      );
      return {
        GEMINI_API_KEY: "scripted",
        GOOGLE_GEMINI_BASE_URL: model,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        GEMINI_MODEL: "gemini-2.5-pro",
      };
    },
  },
  {
    id: "codex-acp",
    name: "Codex (codex-acp)",
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    program: "codex-acp",
    configuration: { id: "codex-acp", file: ".codex/config.toml" },
    args: [],
    size: "0.5 GB",
    speaks: "openai-responses",
    search: "tool_search",
    // The agent lists sessions of the interactive program, not those of `codex exec`. The program's background server
    // would outlive the test. The first setting suppresses the offer of a newer model.
    commandLine: {
      file: "@openai/codex/bin/codex.js",
      args: [
        "--no-daemon",
        '--config=notice.model_migrations={"gpt-5.5"="gpt-6-sol"}',
        '--config=tui={notifications=true,notification_method="osc9",notification_condition="always"}',
      ],
      interactive: true,
    },
    tools: {
      shell: ["exec_command", "shell_command"],
      write: ["apply_patch"],
      read: ["exec_command", "shell_command"],
      edit: ["apply_patch"],
    },
    variables: ["CODEX_", "OPENAI_"],
    endsWhenRejected: true,
    repeats: false,
    besides: { opened: {}, answered: {} },
    commands: ["status"],
    withdraws: false,
    parallel: false,
    workarounds: [],
    breaks: ["agent/custom-members"],
    settle: (home, model) => {
      writeIn(
        home,
        ".codex/config.toml",
        `model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 1
requires_openai_auth = false
supports_websockets = false
`,
      );
      return {
        CODEX_HOME: path.join(home, ".codex"),
        SCRIPTED_KEY: "scripted",
        MODEL_PROVIDER: "scripted",
        NO_BROWSER: "1",
        INITIAL_AGENT_MODE: "read-only",
      };
    },
  },
  {
    id: "opencode",
    name: "OpenCode",
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode",
    configuration: { id: "opencode", file: ".config/opencode/opencode.json" },
    args: ["acp"],
    size: "0.4 GB",
    speaks: "openai-chat",
    tools: { shell: ["bash"], write: ["write"], read: ["read"], edit: ["edit"] },
    variables: ["OPENCODE_"],
    native: ["-baseline", ""].map(variant => `opencode-${process.platform}-${process.arch}${variant}/bin/opencode`),
    endsWhenRejected: true,
    repeats: false,
    besides: { opened: {}, answered: {} },
    commands: [],
    withdraws: false,
    parallel: true,
    workarounds: [],
    breaks: [],
    settle: (home, model) => {
      const scripted = {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: `${model}/v1`, apiKey: "scripted" },
        models: {
          scripted: { name: "Scripted", tool_call: true, reasoning: true, limit: { context: 200_000, output: 8_000 } },
        },
      };
      writeIn(
        home,
        ".config/opencode/opencode.json",
        JSON.stringify({
          model: "scripted/scripted",
          small_model: "scripted/scripted",
          provider: { scripted },
          permission: { bash: "ask", edit: "ask" },
          autoupdate: false,
          share: "disabled",
        }),
      );
      return {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      };
    },
  },
];

/** The names of a kind of tool in all agents. */
export const toolNames = kind => ALL.flatMap(({ tools }) => tools[kind]);

/** Environment variables that no agent inherits. */
export const isPrivate = name =>
  ["XDG_", ...ALL.flatMap(({ variables }) => variables)].some(beginning => name.startsWith(beginning));

const only = process.env.SYMPOSIUM_AGENTS_ONLY?.split(",");
/** Whether an agent is selected: all are, unless SYMPOSIUM_AGENTS_ONLY lists prefixes of ids. */
export const isChosen = ({ id }) => only === undefined || only.some(beginning => id.startsWith(beginning));
export const AGENTS = ALL.filter(isChosen);

/** Not installed: `command` starts mcp-client.mjs. */
export const MCP_CLIENT = {
  id: "mcp-client",
  name: "The MCP SDK's client",
  program: "mcp-client",
  args: [],
  command: [process.execPath, path.join(import.meta.dirname, "mcp-client.mjs")],
  only: ["initialize", "tools of a server on stdio, one after another", "tools of a server over http"],
  repeats: true,
  besides: { opened: {}, answered: {} },
  commands: [],
  withdraws: false,
  parallel: false,
  settle: () => ({}),
};
