/**
 * The sessions of the model picker. Each session has a record (`session-record.ts`) and, while it is alive, an actor.
 * Only the history actor uses this module.
 *
 * Invariants:
 * - Before a session starts, idle sessions of its agent above `MAX_ALIVE` are closed. Busy sessions are not closed.
 * - A session that is idle for `IDLE_MS` is closed. Its record is kept.
 * - Above `MAX_RECORDS` records, the oldest records of closed sessions are dropped.
 */
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type { RequestId } from "../../src/protocol/lm/lm";
import type { Clock } from "../rpc/clock";
import type { Turn } from "./history/parse-history";
import type { SessionActor } from "./session/session-actor";
import type { AcpVersion } from "../acp/initialize";
import type { ModeReturn } from "./session/session-mode";
import type { SessionRecord } from "./history/session-record";
import type { ModelSessionPhase } from "./session/session-state-model";

export const IDLE_MS = 30 * 60_000,
  MAX_ALIVE = 16,
  MAX_RECORDS = 200;

export interface LiveSession {
  record: SessionRecord;
  /** A later process can restore the session. */
  readonly isPersisted: boolean;
  actor: SessionActor | undefined;
  /** The extensions at the session's first start in this process. */
  extensions: readonly ExtensionConfig[] | undefined;
  /** The highest version of ACP offered at the session's first start in this process. */
  protocol: AcpVersion | undefined;
  /** The turns of the last saved record. */
  savedTurns: readonly Turn[];
  /** The agent's id of the session. Kept after the actor closes. */
  agentSession: string | undefined;
  modeReturn: ModeReturn | undefined;
  phase: ModelSessionPhase["kind"];
  /** The record's latest request (`requestId`), and the request that began its turn (`turn`). */
  requestId: RequestId;
  turn: RequestId;
  /** Number of requests that wait for an answer of this session. */
  open: number;
  /** Timer that closes the idle session. */
  idle: Disposable | undefined;
}

export class LiveSessions {
  /** In order of use, the most recently used last. */
  readonly #all = new Map<string, LiveSession>();

  /** `close` closes an actor. `forget` receives the sessions whose records are dropped. */
  constructor(
    private readonly clock: Clock,
    private readonly expired: (id: string) => void,
    private readonly close: (actor: SessionActor) => void,
    private readonly forget: (lives: readonly LiveSession[]) => void,
  ) {}

  get(id: string): LiveSession | undefined {
    return this.#all.get(id);
  }
  get all(): readonly LiveSession[] {
    return [...this.#all.values()];
  }
  /** The most recently used first. */
  get records(): readonly SessionRecord[] {
    return this.all.toReversed().map(({ record }) => record);
  }

  /** Marks the session as the most recently used. Drops the oldest records above the limit. */
  use(live: LiveSession): void {
    this.#all.delete(live.record.id);
    this.#all.set(live.record.id, live);
    const dropped = this.all
      .filter(each => each.actor === undefined && each !== live)
      .slice(0, Math.max(0, this.#all.size - MAX_RECORDS));
    for (const each of dropped) this.#all.delete(each.record.id);
    if (dropped.length > 0) this.forget(dropped);
  }

  /** Starts the idle timer if no request waits for the session. */
  rest(live: LiveSession): void {
    this.#stopIdleTimer(live);
    if (live.actor && isIdle(live)) live.idle = this.clock.after(IDLE_MS, () => this.expired(live.record.id));
  }

  /** Closes idle sessions of the agent so that another session can start. */
  makeRoom(agent: string): void {
    const alive = this.all.filter(({ actor, record }) => actor !== undefined && record.agent === agent);
    for (const live of alive.filter(isIdle).slice(0, Math.max(0, alive.length - MAX_ALIVE + 1))) this.end(live);
  }

  end(live: LiveSession): void {
    this.#stopIdleTimer(live);
    const { actor } = live;
    live.actor = undefined;
    if (actor) this.close(actor);
  }

  #stopIdleTimer(live: LiveSession): void {
    live.idle?.[Symbol.dispose]();
    live.idle = undefined;
  }
}

export function isIdle({ phase, open }: LiveSession): boolean {
  return open === 0 && (phase === "idle" || phase === "down");
}

/** `isPersisted`: a later process can restore the session. */
export function createLiveSession(record: SessionRecord, requestId: RequestId, isPersisted: boolean): LiveSession {
  return {
    record,
    isPersisted,
    actor: undefined,
    extensions: undefined,
    protocol: undefined,
    savedTurns: [],
    agentSession: undefined,
    modeReturn: undefined,
    phase: "opening",
    requestId,
    turn: requestId,
    open: 0,
    idle: undefined,
  };
}
