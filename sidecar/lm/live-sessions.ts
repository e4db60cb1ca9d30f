/**
 * The sessions of the model picker: what is remembered of each (`session-record.ts`) and, while it is alive, the actor
 * that runs it. Only the history actor has them.
 *
 * Invariants: of an agent so many are alive at a time, busy ones aside; one that nobody uses is closed after a while,
 * and its record stays; so many records are kept.
 */
import type { ExtensionConfig } from "../../src/protocol/extensions";
import type { RequestId } from "../../src/protocol/lm";
import type { Clock } from "../rpc/clock";
import type { Turn } from "./history/parse-history";
import type { SessionActor } from "./session/session-actor";
import type { ModeReturn } from "./session/session-mode";
import type { Session } from "./history/session-record";
import type { Phase } from "./session/session-state-model";

export const IDLE_MS = 30 * 60_000,
  MOST_ALIVE = 16,
  MOST_RECORDS = 200;

export interface Live {
  record: Session;
  /** May be found again by a later process. */
  readonly isKept: boolean;
  actor: SessionActor | undefined;
  /** Those that it began with, as long as this process remembers. */
  extensions: readonly ExtensionConfig[] | undefined;
  /** The turns of the record that was saved last. */
  savedTurns: readonly Turn[];
  /** Its id at the agent, also of an actor that is gone. */
  agentSession: string | undefined;
  modeReturn: ModeReturn | undefined;
  phase: Phase["kind"];
  /** The request that the record is of, and the one that began its turn. */
  requestId: RequestId;
  turn: RequestId;
  /** Requests that wait for its answer. */
  open: number;
  /** Until it is closed because nobody uses it. */
  idle: Disposable | undefined;
}

export class Lives {
  /** The most recently used last. */
  readonly #all = new Map<string, Live>();

  /** `close` lets an actor go; `forget` hears whose records are dropped. */
  constructor(
    private readonly clock: Clock,
    private readonly expired: (id: string) => void,
    private readonly close: (actor: SessionActor) => void,
    private readonly forget: (lives: readonly Live[]) => void,
  ) {}

  get(id: string): Live | undefined {
    return this.#all.get(id);
  }
  get all(): readonly Live[] {
    return [...this.#all.values()];
  }
  /** The most recently used first. */
  get records(): readonly Session[] {
    return this.all.toReversed().map(({ record }) => record);
  }

  /** It is used now, and stays as long as it is. */
  use(live: Live): void {
    this.#all.delete(live.record.id);
    this.#all.set(live.record.id, live);
    const gone = this.all
      .filter(each => each.actor === undefined && each !== live)
      .slice(0, Math.max(0, this.#all.size - MOST_RECORDS));
    for (const each of gone) this.#all.delete(each.record.id);
    if (gone.length > 0) this.forget(gone);
  }

  /** Nobody waits for it any more. */
  rest(live: Live): void {
    this.#rested(live);
    if (live.actor && isIdle(live)) live.idle = this.clock.after(IDLE_MS, () => this.expired(live.record.id));
  }

  /** Makes room for one more of the same agent. */
  makeRoom(agent: string): void {
    const alive = this.all.filter(({ actor, record }) => actor !== undefined && record.agent === agent);
    for (const live of alive.filter(isIdle).slice(0, Math.max(0, alive.length - MOST_ALIVE + 1))) this.end(live);
  }

  end(live: Live): void {
    this.#rested(live);
    const { actor } = live;
    live.actor = undefined;
    if (actor) this.close(actor);
  }

  #rested(live: Live): void {
    live.idle?.[Symbol.dispose]();
    live.idle = undefined;
  }
}

export function isIdle({ phase, open }: Live): boolean {
  return open === 0 && (phase === "idle" || phase === "down");
}

/** `isKept`: may be found again by a later process. */
export function lifeOf(record: Session, requestId: RequestId, isKept: boolean): Live {
  return {
    record,
    isKept,
    actor: undefined,
    extensions: undefined,
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
