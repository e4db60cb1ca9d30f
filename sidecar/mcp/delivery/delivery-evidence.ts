/**
 * The evidence of earlier sessions about an agent's MCP client, and its effect on the next session (issue 14 item 2):
 * the transport of the MCP servers, and whether the first prompt waits for `tools/list`. Kept per agent program and
 * version. Pure.
 *
 *   http (if advertised) ── not listed ──▶ stdio program ── not listed ──▶ http …      a transport that works is kept
 */
import type { ToolTransport } from "../../../src/protocol/session-details";

export interface DeliveryEvidence {
  /** The transport of the newest decided session. */
  readonly transport: ToolTransport;
  /** The tools of all servers were listed in it. */
  readonly isListed: boolean;
  /**
   * When the agent lists tools: before the first prompt goes out, while that is answered, after the first turn, or at
   * no time so far.
   */
  readonly lists: "beforePrompt" | "inPrompt" | "later" | "never";
  /**
   * Number of sessions, since the last one whose first prompt waited for a list and got it, whose first prompt waited
   * in full. Absent: 0.
   */
  readonly waitsInVain?: number;
}

/** After so many first prompts that waited in full, a list is expected in the turn. */
export const MAX_WAITS_IN_VAIN = 2;

/** `program`: name and version, as the agent answers `initialize`. */
export interface EvidenceStore {
  of(program: string): DeliveryEvidence | undefined;
  set(program: string, evidence: DeliveryEvidence): void;
}

export class MemoryEvidence implements EvidenceStore {
  readonly #known = new Map<string, DeliveryEvidence>();
  of(program: string): DeliveryEvidence | undefined {
    return this.#known.get(program);
  }
  set(program: string, evidence: DeliveryEvidence): void {
    this.#known.set(program, evidence);
  }
}

/** `http`: the agent advertises it. */
export function transportFor(http: boolean, evidence: DeliveryEvidence | undefined): ToolTransport {
  if (!http) return "stdio";
  if (!evidence || evidence.isListed) return evidence?.transport ?? "http";
  return evidence.transport === "http" ? "stdio" : "http";
}

/**
 * After a session without a list: the next one uses the other transport, the same one again, or each was tried in vain.
 */
export type Retry = "otherTransport" | "sameTransport" | "inVain";

export function retryAfter(http: boolean, before: DeliveryEvidence | undefined): Retry {
  if (before && !before.isListed) return "inVain";
  return http ? "otherTransport" : "sameTransport";
}

/**
 * Whether the first prompt waits. After sessions without a list it waits once over each transport. `http`: the agent
 * advertises it.
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
 * One session's outcome added. A session without a list does not change when an agent lists, unless that was after its
 * first turn.
 */
export function learned(before: DeliveryEvidence | undefined, session: DeliveryEvidence): DeliveryEvidence {
  return session.lists === "never" && before && before.lists !== "later"
    ? { ...session, lists: before.lists }
    : session;
}
