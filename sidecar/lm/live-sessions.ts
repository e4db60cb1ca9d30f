/**
 * The sessions of the model picker: the record of each (`session-record.ts`) and, while it is alive, the actor that
 * runs it. Only the history actor uses them.
 *
 * Invariants:
 * - At most `MAX_ALIVE` sessions of an agent are alive at a time, not counting busy ones.
 * - A session that is unused for `IDLE_MS` is closed; its record is kept.
 * - At most `MAX_RECORDS` records are kept.
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
  /** A later process may find the session again. */
  readonly isPersisted: boolean;
  actor: SessionActor | undefined;
  /** The extensions with which the session began, as long as this process remembers them. */
  extensions: readonly ExtensionConfig[] | undefined;
  /** The highest version of ACP offered when the session began, as long as this process remembers it. */
  protocol: AcpVersion | undefined;
  /** The turns of the record that was saved last. */
  savedTurns: readonly Turn[];
  /** The agent's id of the session; kept after its actor has closed. */
  agentSession: string | undefined;
  modeReturn: ModeReturn | undefined;
  phase: ModelSessionPhase["kind"];
  /** The record's latest request (`requestId`), and the request that began its turn (`turn`). */
  requestId: RequestId;
  turn: RequestId;
  /** Number of requests that wait for an answer of this session. */
  open: number;
  /** Timer that closes the session when it is unused. */
  idle: Disposable | undefined;
}

export class Lives {
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
    const gone = this.all
      .filter(each => each.actor === undefined && each !== live)
      .slice(0, Math.max(0, this.#all.size - MAX_RECORDS));
    for (const each of gone) this.#all.delete(each.record.id);
    if (gone.length > 0) this.forget(gone);
  }

  /** Starts the idle timer if no request waits for the session. */
  rest(live: LiveSession): void {
    this.#rested(live);
    if (live.actor && isIdle(live)) live.idle = this.clock.after(IDLE_MS, () => this.expired(live.record.id));
  }

  /** Closes idle sessions of the agent so that one more can start. */
  makeRoom(agent: string): void {
    const alive = this.all.filter(({ actor, record }) => actor !== undefined && record.agent === agent);
    for (const live of alive.filter(isIdle).slice(0, Math.max(0, alive.length - MAX_ALIVE + 1))) this.end(live);
  }

  end(live: LiveSession): void {
    this.#rested(live);
    const { actor } = live;
    live.actor = undefined;
    if (actor) this.close(actor);
  }

  #rested(live: LiveSession): void {
    live.idle?.[Symbol.dispose]();
    live.idle = undefined;
  }
}

export function isIdle({ phase, open }: LiveSession): boolean {
  return open === 0 && (phase === "idle" || phase === "down");
}

/** `isPersisted`: a later process may find the session again. */
export function lifeOf(record: SessionRecord, requestId: RequestId, isPersisted: boolean): LiveSession {
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
