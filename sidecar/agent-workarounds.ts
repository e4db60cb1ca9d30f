/**
 * Workarounds for single agents that no protocol requires, each with its evidence (issue 14 item 6). Behaviour that is
 * observed at run time is handled in `mcp/delivery/delivery-evidence.ts` (transports, times of `tools/list`) and
 * `mcp/delivery/call-route.ts` (shared MCP servers). Pure.
 */

import parse from "semver/functions/parse.js";
import satisfies from "semver/functions/satisfies.js";

export interface AgentWorkaround {
  readonly id: WorkaroundId;
  /** Matches the agent's name in its `initialize` response. */
  readonly agent: RegExp;
  /** Affected versions as a semver range. Absent: all known versions. */
  readonly versions?: string;
  /** Versions in which the behaviour was observed, as a remark. */
  readonly seen: string;
  readonly behaviour: string;
  readonly measure: string;
  /** File and title of the test that covers the workaround. */
  readonly test: readonly [file: string, title: string];
}

export type WorkaroundId =
  | "reads-before-creating"
  | "hides-tools"
  | "reserves-server-names"
  | "prefers-structured-content"
  | "system-prompt-in-meta";

export const AGENT_WORKAROUNDS: readonly AgentWorkaround[] = [
  {
    id: "reads-before-creating",
    agent: /^gemini-cli$/,
    seen: "0.61.0",
    behaviour:
      "reads a file before it creates it, and recognizes a missing file only by an error text that its library drops",
    measure: "A missing file is read as empty.",
    test: ["sidecar/chat/agent/agent-client.test.ts", "an agent that creates only readable files"],
  },
  {
    id: "hides-tools",
    agent: /claude/i,
    seen: "0.100.0",
    behaviour: "hides MCP tools behind a search tool until its model searches",
    measure: "Each tool carries _meta “anthropic/alwaysLoad”, for every agent.",
    test: ["sidecar/extensions/tool-server.test.ts", "anthropic/alwaysLoad"],
  },
  {
    id: "reserves-server-names",
    agent: /claude/i,
    seen: "0.100.0",
    behaviour: "drops MCP servers named “ide” or “workspace”, which it reserves for itself",
    measure: "Symposium gives no MCP server these names, with any agent.",
    test: ["sidecar/proxies/added-server.test.ts", "is named by its id in characters that agents accept"],
  },
  {
    id: "prefers-structured-content",
    agent: /claude/i,
    seen: "0.100.0",
    behaviour: "gives its model only the structuredContent of a tool result that has both forms",
    measure: "A result with a text keeps its structured form in _meta, for every agent.",
    test: ["sidecar/extensions/tool-server.test.ts", "returns text, structured content or both"],
  },
  {
    id: "system-prompt-in-meta",
    agent: /^@(?:zed-industries\/claude-code-acp|(?:zed-industries|agentclientprotocol)\/claude-agent-acp)$/,
    versions: "<=0.60.0",
    seen: "0.16.2 to 0.60.0",
    behaviour: "adds _meta.systemPrompt.append to the system prompt, and advertises no capability for it",
    measure: "Symposium sends text of extensions there if the agent does not advertise ACP's systemPrompt.",
    test: ["sidecar/extensions/system-prompt.test.ts", "an adapter older than the capability"],
  },
];

/** Name and version from the `initialize` response. An agent without a valid version counts as affected. */
export function workaroundsFor(agentName: string, agentVersion: string): readonly AgentWorkaround[] {
  return AGENT_WORKAROUNDS.filter(
    ({ agent, versions }) => agent.test(agentName) && (versions === undefined || isAffected(agentVersion, versions)),
  );
}

export function needsWorkaround(agentName: string, agentVersion: string, id: WorkaroundId): boolean {
  return workaroundsFor(agentName, agentVersion).some(workaround => workaround.id === id);
}

function isAffected(version: string, range: string): boolean {
  const parsed = parse(version);
  return parsed === null || satisfies(parsed, range, { includePrerelease: true });
}

/** Server names that Claude reserves (“reserves-server-names”). */
export const RESERVED_SERVER_NAMES: ReadonlySet<string> = new Set(["ide", "workspace"]);

/** `_meta` of every tool (“hides-tools”). */
export const ALWAYS_LOAD = { "anthropic/alwaysLoad": true };
