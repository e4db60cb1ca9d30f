/**
 * What earlier sessions showed about an agent's MCP client, and what follows for the next one (issue 14 item 2): the transport of its servers, and
 * whether its first prompt waits for `tools/list`. Remembered per agent program and version. Pure.
 *
 *   http (if advertised) ── not listed ──▶ stdio program ── not listed ──▶ http …      a transport that works is kept
 */
import type { ToolTransport } from "../../src/protocol/session-details";

export interface DeliveryEvidence {
  /** Of the newest decided session. */
  readonly transport: ToolTransport;
  /** The tools of all servers were listed in it. */
  readonly isListed: boolean;
  /** When the agent lists tools: before the first prompt goes out, while that is answered, after the first turn, or at no time so far. */
  readonly lists: "beforePrompt" | "inPrompt" | "later" | "never";
}

/** `program`: name and version, as the agent answers `initialize`. */
export interface EvidenceStore {
  of(program: string): DeliveryEvidence | undefined;
  set(program: string, evidence: DeliveryEvidence): void;
}

export class MemoryEvidence implements EvidenceStore {
  readonly #known = new Map<string, DeliveryEvidence>();
  of(program: string): DeliveryEvidence | undefined { return this.#known.get(program); }
  set(program: string, evidence: DeliveryEvidence): void { this.#known.set(program, evidence); }
}

/** `http`: the agent advertises it. */
export function transportFor(http: boolean, evidence: DeliveryEvidence | undefined): ToolTransport {
  if (!http) return "stdio";
  if (!evidence || evidence.isListed) return evidence?.transport ?? "http";
  return evidence.transport === "http" ? "stdio" : "http";
}

/** After a session without a list: the next one uses the other transport, the same one again, or each was tried in vain. */
export type Retry = "otherTransport" | "sameTransport" | "inVain";

export function retryAfter(http: boolean, before: DeliveryEvidence | undefined): Retry {
  if (before && !before.isListed) return "inVain";
  return http ? "otherTransport" : "sameTransport";
}

/** An agent that lists in its first turn, or not at all, would let every first prompt wait in vain. */
export function waitsForList(evidence: DeliveryEvidence | undefined): boolean { return evidence?.lists !== "inPrompt" && evidence?.lists !== "never"; }

/** One session's outcome added. An agent that once listed in time is waited for again, also after a session without a list. */
export function learned(before: DeliveryEvidence | undefined, session: DeliveryEvidence): DeliveryEvidence {
  return session.lists === "never" && before ? { ...session, lists: before.lists } : session;
}
