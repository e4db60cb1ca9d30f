// The published agents we are tried with: which package, how to start it, and what makes it talk to the scripted model only.
// `settle` makes an agent's home ready and returns what its environment needs besides.
//
// For conversations that are compared: `besides` are the updates that come at any time, and how often, after `session/new` was answered
// and after a session's first turn; `commands` are some of those that it announces. One that `withdraws` cancels what it asked when it is
// cancelled itself; one with `parallel` calls tells of each what happens when it happens. All scenes of acts.mjs are played, or `only` some,
// or all `without` some.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

export const AGENTS = [
  {
    id: "claude-agent-acp", name: "Claude (claude-agent-acp)", package: "@agentclientprotocol/claude-agent-acp", version: "0.100.0",
    program: "claude-agent-acp", args: [], size: "0.4 GB",
    besides: { opened: { available_commands_update: 1 }, answered: { available_commands_update: 2, session_info_update: 1 } },
    commands: ["context", "rename"], withdraws: true, parallel: true,
    settle: (home, model) => ({
      ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: "sk-ant-scripted",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "0", DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1",
      // It offers some of its modes to root only when told that it cannot do harm; what it runs here is our script.
      ...(process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {}),
    }),
  },
  {
    id: "gemini-cli", name: "Gemini (gemini-cli)", package: "@google/gemini-cli", version: "0.61.0",
    program: "gemini", args: ["--acp"], size: "0.1 GB",
    besides: { opened: { available_commands_update: 1 }, answered: { available_commands_update: 1 } },
    commands: ["memory show", "about"], withdraws: false, parallel: false,
    without: ["a session that is taken up again"], // It finds one only when the minute in which it was opened is over.
    settle: (home, model) => {
      const settings = path.join(home, ".gemini", "settings.json");
      mkdirSync(path.dirname(settings), { recursive: true });
      writeFileSync(settings, JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      }));
      return { GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_MODEL: "gemini-2.5-pro" };
    },
  },
];

/** Nothing to install: mcp-client.mjs is started by its `command`. */
export const MCP_CLIENT = {
  id: "mcp-client", name: "The MCP SDK's client", program: "mcp-client", args: [], command: [process.execPath, path.join(import.meta.dirname, "mcp-client.mjs")],
  only: ["initialize", "tools of a server on stdio, one after another", "tools of a server over http"],
  besides: { opened: {}, answered: {} }, commands: [], withdraws: false, parallel: false,
  settle: () => ({}),
};
