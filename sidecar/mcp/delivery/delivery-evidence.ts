/**
 * Evidence of earlier sessions about an agent's MCP client, and its effect on the next session (issue 14 item 2). The
 * evidence determines the transport of the MCP servers, and whether the first prompt waits for `tools/list`. It is
 * stored per agent program and version. Pure.
 *
 *     http (if advertised) ── not listed ──▶ stdio program ── not listed ──▶ http …   a working transport is kept
 */
import type { ToolTransport } from "../../../src/protocol/chat/session-details";
import type { Retry, SessionTools } from "./session-tools";

export interface DeliveryEvidence {
  /** Transport of the latest decided session. */
  readonly transport: ToolTransport;
  /** Whether the tools of all servers were listed in that session. */
  readonly isListed: boolean;
  /**
   * When the agent lists tools: before the first prompt is sent, while the prompt is processed, after the first turn,
   * or never so far.
   */
  readonly lists: "beforePrompt" | "inPrompt" | "later" | "never";
  /**
   * Number of sessions whose first prompt waited for the full limit, since the last session whose prompt waited and
   * received a list. Absent: 0.
   */
  readonly waitsInVain?: number;
}

/** After this number of full waits, the agent is expected to list tools during the turn. */
export const MAX_WAITS_IN_VAIN = 2;

/** `program`: name and version from the agent's `initialize` response. */
export interface EvidenceStore {
  of(program: string): DeliveryEvidence | undefined;
  set(program: string, evidence: DeliveryEvidence): void;
  /** Tools of the session whose turn ended last, for `doctor`. */
  tools(program: string): SessionTools | undefined;
  setTools(program: string, tools: SessionTools): void;
}

export class MemoryEvidence implements EvidenceStore {
  readonly #evidence = new Map<string, DeliveryEvidence>();
  readonly #tools = new Map<string, SessionTools>();
  of(program: string): DeliveryEvidence | undefined {
    return this.#evidence.get(program);
  }
  set(program: string, evidence: DeliveryEvidence): void {
    this.#evidence.set(program, evidence);
  }
  tools(program: string): SessionTools | undefined {
    return this.#tools.get(program);
  }
  setTools(program: string, tools: SessionTools): void {
    this.#tools.set(program, tools);
  }
}

/** `http`: whether the agent advertises HTTP. */
export function transportFor(http: boolean, evidence: DeliveryEvidence | undefined): ToolTransport {
  if (!http) return "stdio";
  if (!evidence || evidence.isListed) return evidence?.transport ?? "http";
  return evidence.transport === "http" ? "stdio" : "http";
}

export function retryAfter(http: boolean, before: DeliveryEvidence | undefined): Retry {
  if (before && !before.isListed) return "inVain";
  return http ? "otherTransport" : "sameTransport";
}

/**
 * Whether the first prompt waits for `tools/list`. After sessions without a list, a prompt waits only once per
 * transport. `http`: whether the agent advertises HTTP.
 */
export function waitsForList(http: boolean, evidence: DeliveryEvidence | undefined): boolean {
  switch (evidence?.lists) {
    case undefined:
    case "beforePrompt":
      return true;
    case "inPrompt":
    case "later":
      return false;
    case "never":
      return (evidence.waitsInVain ?? 0) < (http ? MAX_WAITS_IN_VAIN : 1);
  }
}

/**
 * Adds the outcome of one session. A session without a list keeps the earlier value of `lists`, unless that value is
 * "later".
 */
export function mergeEvidence(before: DeliveryEvidence | undefined, session: DeliveryEvidence): DeliveryEvidence {
  return session.lists === "never" && before && before.lists !== "later"
    ? { ...session, lists: before.lists }
    : session;
}
