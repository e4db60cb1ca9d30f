/**
 * Observes the client's requests while they pass the extensions of a chain. Records the changes and the delay of each
 * extension. Supports external processes and built-in extensions.
 *
 *   client ── link 0 ─▶ extension 0 ── link 1 ─▶ extension 1 ── link 2 ─▶ …
 *
 * A journey is one request of the client. A request that arrives on link i and leaves on link i + 1 has passed
 * extension i.
 *
 * Invariants:
 * - Messages are neither changed nor delayed. They are retained only until the next extension forwards them.
 * - Only session setup requests, prompts and their responses are inspected.
 * - Requests that originate from an extension belong to no journey.
 * - Journeys, sessions and names are bounded.
 */
import {
  rounded,
  type AlteredPrompts,
  type ExtensionDetails,
  type SetupChange,
  type TimeHeld,
} from "../../../src/protocol/chat/session-details";
import type { ProxyComponent, Trace } from "../../conductor/component";
import { paramsOr } from "../../proxies/router";
import { FrameError, type Frame } from "../../rpc/frame";
import { objectOr, stringOr } from "../../rpc/json";
import type { Id } from "../../rpc/message";
import { promptChange, setupChange } from "./message-diff";
import { AGENT_METHODS } from "../../acp/methods";

/** Id of a forwarded request: unchanged (`kept`) or chosen by the extension (`own`). */
export type IdMapping = "kept" | "own";

/** Observations of one extension in one session. */
export type ObservedChanges = Pick<ExtensionDetails, "setup" | "prompts" | "time">;

const SETUPS: ReadonlySet<string> = new Set([
  AGENT_METHODS.session_new,
  AGENT_METHODS.session_load,
  AGENT_METHODS.session_resume,
  AGENT_METHODS.session_fork,
]);
/** Maximum numbers of open requests and of sessions. The oldest are dropped. */
const MAX_JOURNEYS = 64,
  MAX_SESSIONS = 64;
/** Number of samples for the median. */
const MAX_SAMPLES = 20;

interface Journey {
  readonly method: string;
  /** The client's session id. Undefined for a new session until its response. */
  sessionId: string | undefined;
  /** Request and response on each link. `frame` is retained until the next extension forwards the request. */
  readonly links: {
    readonly id: Id;
    readonly at: number;
    frame: Frame | undefined;
    response?: { readonly at: number; readonly newSessionId: string | undefined };
  }[];
  /** For a setup request: the change and the delay of each extension, in milliseconds. */
  readonly setups: { readonly change: SetupChange | undefined; readonly down: number }[];
}

interface Seen {
  setup?: SetupChange | undefined;
  setupTime?: readonly [down: number, up: number];
  prompts?: AlteredPrompts;
  readonly prompt: number[];
  readonly answer: number[];
}

export class ChainObserver implements Trace {
  /** Open requests of each link, by their id on that link. */
  readonly #open: readonly Map<Id, Journey>[];
  readonly #sessions = new Map<string, readonly Seen[]>();
  readonly #listeners = new Map<string, { readonly changed: () => void; reported: string }>();

  /** Open requests of extensions for a new session, by their id on the last link. */
  readonly #ownSetups = new Set<Id>();

  /**
   * `extensions`: the first components of the chain, in order. `now`: milliseconds. `ownSession` is called with each
   * session that an extension opens for itself.
   */
  constructor(
    private readonly extensions: readonly IdMapping[],
    private readonly now: () => number,
    private readonly ownSession: (sessionId: string) => void = () => undefined,
  ) {
    this.#open = [...extensions, "agent"].map(() => new Map<Id, Journey>());
  }

  /** `components`: the extensions of a chain, in order. The other parameters are those of the constructor. */
  static over(
    components: readonly ProxyComponent[],
    now: () => number,
    ownSession?: (sessionId: string) => void,
  ): ChainObserver {
    return new ChainObserver(
      components.map(component =>
        (component.kind === "deferred" ? component.of : component.kind) === "internal" ? "kept" : "own",
      ),
      now,
      ownSession,
    );
  }

  /** Index of the extension that added the MCP server to the session, or -1 if unknown. */
  adderOf(sessionId: string, server: string): number {
    return this.#sessions.get(sessionId)?.findIndex(({ setup }) => setup?.added?.includes(server)) ?? -1;
  }

  /** Returns the observations of all extensions, in order. */
  of(sessionId: string): readonly ObservedChanges[] {
    const seen = this.#sessions.get(sessionId);
    return this.extensions.map((_, i) => shown(seen?.[i]));
  }

  /** Calls `changed` when the observations of this session change. Disposing removes the observations. */
  listen(sessionId: string, changed: () => void): Disposable {
    const listener = { changed, reported: JSON.stringify(this.of(sessionId)) };
    this.#listeners.set(sessionId, listener);
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.get(sessionId) !== listener) return;
        this.#listeners.delete(sessionId);
        this.#sessions.delete(sessionId);
      },
    };
  }

  message(_from: string, _to: string, frame: Frame, link: number, way: "down" | "up"): void {
    const open = this.#open[link];
    if (!open || (way === "up" && open.size === 0 && this.#ownSetups.size === 0)) return;
    const { envelope } = frame;
    if (
      way === "down" &&
      envelope.kind === "request" &&
      (envelope.method === AGENT_METHODS.session_prompt || SETUPS.has(envelope.method))
    )
      this.#arrived(link, envelope.id, envelope.method, frame);
    if (way === "down" || envelope.kind !== "response" || envelope.id === null) return;
    const journey = open.get(envelope.id);
    open.delete(envelope.id);
    if (journey) this.#answered(journey, link, frame, envelope.failed);
    else if (link === this.extensions.length && this.#ownSetups.delete(envelope.id) && !envelope.failed) {
      const sessionId = sessionIn(resultOf(frame));
      if (sessionId !== undefined) this.ownSession(sessionId);
    }
  }

  #arrived(link: number, id: Id, method: string, frame: Frame): void {
    const journey = link === 0 ? this.#newJourney(method, frame) : this.#journeyThrough(link - 1, id, method, frame);
    const isPast = link === this.extensions.length;
    if (!journey) {
      if (isPast && createsSession(method) && this.#ownSetups.size < MAX_JOURNEYS) this.#ownSetups.add(id);
      return;
    }
    const at = this.now(),
      before = journey.links[link - 1];
    if (before) {
      this.#passed(journey, link - 1, [before.frame, frame], at - before.at);
      before.frame = undefined;
    }
    journey.links[link] = { id, at, frame: isPast ? undefined : frame };
    this.#open[link]?.set(id, journey);
    if (isPast && method === AGENT_METHODS.session_prompt) this.#notify(journey.sessionId);
  }

  #newJourney(method: string, frame: Frame): Journey {
    const oldest = this.#open[0]?.size === MAX_JOURNEYS ? this.#open[0].values().next().value : undefined;
    if (oldest) for (const [i, { id }] of oldest.links.entries()) this.#open[i]?.delete(id);
    return {
      method,
      sessionId: createsSession(method) ? undefined : sessionIn(paramsOr(frame)),
      links: [],
      setups: [],
    };
  }

  /** Finds the journey that extension `i` continues with this request. For `own` ids, returns the first match. */
  #journeyThrough(i: number, id: Id, method: string, frame: Frame): Journey | undefined {
    const open = this.#open[i];
    if (this.extensions[i] === "kept") return open?.get(id);
    const sessionId = createsSession(method) ? undefined : sessionIn(paramsOr(frame));
    return [...(open?.values() ?? [])].find(
      journey => journey.method === method && journey.links[i + 1] === undefined && journey.sessionId === sessionId,
    );
  }

  #passed(journey: Journey, i: number, [before, after]: readonly [Frame | undefined, Frame], ms: number): void {
    const compared = <T>(compare: (before: unknown, after: unknown) => T): T | undefined => {
      if (!before || before === after) return undefined;
      try {
        return compare(paramsOr(before), paramsOr(after));
      } catch (error) {
        if (error instanceof RangeError) return undefined; // nested too deeply to compare
        throw error;
      }
    };
    if (journey.method !== AGENT_METHODS.session_prompt) {
      journey.setups[i] = { change: compared(setupChange), down: ms };
      return;
    }
    const seen = this.#seen(journey.sessionId)?.[i],
      change = compared(promptChange);
    if (!seen) return;
    add(seen.prompt, ms);
    if (change) seen.prompts = { count: (seen.prompts?.count ?? 0) + 1, last: change };
  }

  #answered(journey: Journey, link: number, frame: Frame, failed: boolean): void {
    const at = this.now(),
      before = journey.links[link + 1]?.response,
      here = journey.links[link];
    if (here)
      here.response = {
        at,
        newSessionId: createsSession(journey.method) && !failed ? sessionIn(resultOf(frame)) : undefined,
      };
    if (journey.method === AGENT_METHODS.session_prompt) {
      const seen = this.#seen(journey.sessionId)?.[link];
      if (seen && before) add(seen.answer, at - before.at);
    }
    if (link > 0) return;
    for (const [i, { id }] of journey.links.entries()) this.#open[i]?.delete(id);
    if (journey.method !== AGENT_METHODS.session_prompt && !failed) this.#setUp(journey);
    this.#notify(journey.sessionId);
  }

  /**
   * An extension may create a separate session with another id. That session and all later extensions are not part of
   * the journey.
   */
  #setUp(journey: Journey): void {
    const { links, setups } = journey;
    if (createsSession(journey.method)) journey.sessionId = links[0]?.response?.newSessionId;
    const seen = this.#seen(journey.sessionId);
    if (!seen) return;
    for (const [i, observations] of seen.entries()) {
      const setup = setups[i],
        [response, next] = [links[i]?.response, links[i + 1]?.response];
      if (!setup || !response || !next || response.newSessionId !== next.newSessionId) break;
      observations.setup = setup.change;
      observations.setupTime = [setup.down, response.at - next.at];
    }
  }

  #seen(sessionId: string | undefined): readonly Seen[] | undefined {
    if (sessionId === undefined) return undefined;
    const existing = this.#sessions.get(sessionId);
    if (existing) return existing;
    const [oldest] =
      this.#sessions.size >= MAX_SESSIONS ? [...this.#sessions.keys()].filter(id => !this.#listeners.has(id)) : [];
    if (oldest !== undefined) this.#sessions.delete(oldest);
    const seen = this.extensions.map((): Seen => ({ prompt: [], answer: [] }));
    this.#sessions.set(sessionId, seen);
    return seen;
  }

  #notify(sessionId: string | undefined): void {
    const listener = sessionId === undefined ? undefined : this.#listeners.get(sessionId);
    if (!listener || sessionId === undefined) return;
    const now = JSON.stringify(this.of(sessionId));
    if (now === listener.reported) return;
    listener.reported = now;
    listener.changed();
  }
}

function createsSession(method: string): boolean {
  return method === AGENT_METHODS.session_new || method === AGENT_METHODS.session_fork;
}

function sessionIn(params: unknown): string | undefined {
  return stringOr(objectOr(params).sessionId, undefined);
}

function resultOf(frame: Frame): unknown {
  try {
    return "result" in frame.message ? frame.message.result : undefined;
  } catch (error) {
    if (error instanceof FrameError) return undefined;
    throw error;
  }
}

function add(times: number[], ms: number): void {
  times.push(ms);
  if (times.length > MAX_SAMPLES) times.shift();
}

function shown(seen: Seen | undefined): ObservedChanges {
  const { setup, prompts } = seen ?? {},
    time = timeOf(seen);
  return { ...(setup ? { setup } : {}), ...(prompts ? { prompts } : {}), ...(time ? { time } : {}) };
}

function timeOf(seen: Seen | undefined): TimeHeld | undefined {
  if (!seen) return undefined;
  const { setupTime, prompt, answer } = seen,
    last = prompt.at(-1);
  const time = {
    ...(setupTime ? { setup: rounded(setupTime[0]), setupAnswer: rounded(setupTime[1]) } : {}),
    ...(last === undefined ? {} : { prompt: rounded(median(prompt)), lastPrompt: rounded(last) }),
    ...(answer.length === 0 ? {} : { answer: rounded(median(answer)) }),
  };
  return Object.keys(time).length === 0 ? undefined : time;
}

/** For an even count, the lower of the two middle values. */
function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[(times.length - 1) >> 1] ?? 0;
}
