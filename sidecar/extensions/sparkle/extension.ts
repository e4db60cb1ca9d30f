/**
 * Sparkle: what a user and their agents keep between sessions. The embodiment goes with the first prompt of a session; the rest is a server of
 * tools, the command /checkpoint, and words that the user says.
 *
 *   due ── a prompt that may carry it ──▶ had
 *    ▲                                     │
 *    └───────── the agent refused ─────────┘
 *
 * Invariants: a prompt waits `READING_MS` at most, and while the user is asked about `.sparkle-space`; then it goes out, unless its turn was stopped
 * meanwhile; nothing of a workspace goes with it that the user did not agree to; no prompt is made that the user did not make; a session that
 * was there before (loaded, resumed) has had its embodiment, and a copy of one is where its original is; a prompt with nothing to add passes as
 * the bytes that came.
 */
import { realFiles, type Files } from "../../agents/install/files";
import type { Chain, PassingNotification, PassingRequest, Proxy } from "../../proxies/proxy";
import { arrayOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { approveIn, Consent, type Act, type Approve } from "../consent";
import type { BuiltInExtension, ExtensionWorld } from "../extension";
import { offerTracker, sessionClient } from "../session-client";
import { sessionTools, type SessionPlace } from "../session-tools";
import type { Tool } from "../tool";
import { connectToolServer } from "../tool-server";
import { compose, type Section } from "./embodiment";
import { inTime } from "./in-time";
import { forTheAgent, isMark, unmarked } from "./marks";
import { KeptFolder } from "./kept-folder";
import { Memory } from "./memory";
import { SPARKLE_PROMPTS } from "./prompts";
import { readSettings, type SparkleSettings } from "./settings";
import { SpaceConsent, type Agreed } from "./space-consent";
import { INSTRUCTIONS } from "./texts";
import { sparkleTools } from "./tools";
import { hasCheckpoint, readWish, withCheckpoint } from "./user-words";

const NAME = "Sparkle";
/** That reading may hold a first prompt up. */
export const READING_MS = 3_000;
/** In which an agent that has commands has said so. */
export const ANNOUNCING_MS = 500;
/** Sessions that were heard of before they were set up. */
const MOST_SESSIONS = 1_000;

export const sparkle: BuiltInExtension = {
  id: "sparkle", name: NAME,
  define: (settings, world) => ({ name: NAME, make: chain => sparkleProxy(chain, settings, world) }),
};

/** `files`: so that a test can break them. */
export function sparkleProxy(chain: Chain, settings: JsonObject, world: ExtensionWorld, files: Files = realFiles): Proxy {
  return new Sparkle(chain, { ...readSettings(settings, what => world.log("warn", what, {})), approve: approveIn(settings, "sparkle", world) }, world, files).proxy;
}

interface Session {
  embodiment: "due" | "had";
  place: Place | undefined;
  /** While its prompt waits here: `session/cancel` stops it. */
  waiting: AbortController | undefined;
  /** Undefined until the agent has said which it has. */
  commands: readonly unknown[] | undefined;
  announcing: Disposable | undefined;
}

/** What a session keeps, and may read out. */
interface Place { readonly memory: Memory; readonly agreed: Agreed }

class Sparkle {
  readonly #sessions = new Map<string, Session>();
  readonly #offers = offerTracker();

  constructor(private readonly chain: Chain, private readonly settings: SparkleSettings & { readonly approve: Approve }, private readonly world: ExtensionWorld, private readonly files: Files) {}

  get proxy(): Proxy {
    const places = new WeakMap<SessionPlace, Place>();
    const tools = sessionTools(this.chain, {
      name: "sparkle",
      server: place => {
        const { memory, agreed, client } = this.#place(place);
        places.set(place, { memory, agreed });
        const consent = new Consent({ extension: "sparkle", client, approve: this.settings.approve, version: () => this.#offers.offers().version });
        const tools = sparkleTools(memory, place.folders, agreed).map(tool => tool.annotations.readOnlyHint ? tool : consent.guarded(tool, args => actOf(tool, args)));
        return { connect: connectToolServer({
          name: "sparkle", title: NAME, version: this.world.version, instructions: INSTRUCTIONS, tools, prompts: SPARKLE_PROMPTS, clock: this.world.clock, odd: this.chain.odd,
        }) };
      },
      opened: (place, sessionId) => this.#opened(place, sessionId, places.get(place)),
      closed: sessionId => this.#closed(sessionId),
    });
    const setups = Object.fromEntries(Object.entries(tools.requests).map(([method, intercept]) => [method, async (request: PassingRequest) => this.#setUp(request, await intercept(request))]));
    return {
      fromClient: {
        requests: { ...setups, ...this.#offers.requests, "session/prompt": request => this.#prompted(request) },
        notifications: { "session/cancel": notification => {
          notification.pass();
          this.#sessions.get(stringOr(objectOr(notification.params).sessionId, ""))?.waiting?.abort();
        } },
      },
      fromSuccessor: { notifications: { "session/update": notification => this.#updated(notification) } },
      close: () => {
        for (const sessionId of [...this.#sessions.keys()]) this.#closed(sessionId);
        tools.close();
      },
    };
  }

  #place({ folders: [cwd], sessionId }: SessionPlace) {
    const { world: { home, clock, date, log }, files, settings: { sparkler } } = this, world = { clock, date, files, log }, client = sessionClient(this.chain.client, sessionId);
    const space = new SpaceConsent(KeptFolder.ofUser(home, world), cwd, client, () => this.#offers.offers().version);
    return { memory: new Memory(home, cwd === "" ? undefined : cwd, sparkler, world), agreed: (sections: readonly Section[], signal: AbortSignal) => space.agreed(sections, signal), client };
  }

  #opened({ setup }: SessionPlace, sessionId: string, place: Place | undefined): void {
    const session = this.#session(sessionId);
    if (setup === "session/new") session.embodiment = "due";
    session.place = place;
    session.announcing?.[Symbol.dispose]();
    session.announcing = session.commands ? undefined : this.world.clock.after(ANNOUNCING_MS, () => this.#announce(sessionId, session));
  }

  /** What else the answer to a setup says. */
  #setUp({ params }: PassingRequest, answer: unknown): unknown {
    const { sessionId: asked } = objectOr(params), { sessionId: made, availableCommands } = objectOr(answer);
    const session = this.#sessions.get(stringOr(made, stringOr(asked, ""))), original = this.#sessions.get(stringOr(asked, ""));
    if (session && original?.embodiment === "due") session.embodiment = "due"; // a copy of it, or itself
    if (!session || !Array.isArray(availableCommands)) return answer;
    this.#heard(session, availableCommands); // v2 has them here, too
    return { ...objectOr(answer), availableCommands: withCheckpoint(availableCommands) };
  }

  #closed(sessionId: string): void {
    this.#sessions.get(sessionId)?.announcing?.[Symbol.dispose]();
    this.#sessions.delete(sessionId);
  }

  #session(sessionId: string): Session {
    const known = this.#sessions.get(sessionId) ?? { embodiment: "had", place: undefined, waiting: undefined, commands: undefined, announcing: undefined };
    this.#sessions.set(sessionId, known);
    return known;
  }

  /** An agent without commands has this one. */
  #announce(sessionId: string, session: Session): void {
    session.announcing = undefined;
    session.commands = [];
    this.chain.client.notify("session/update", { sessionId, update: { sessionUpdate: "available_commands_update", availableCommands: withCheckpoint([]) } });
  }

  async #prompted(request: PassingRequest): Promise<unknown> {
    const params = objectOr(request.params), session = this.#sessions.get(stringOr(params.sessionId, ""));
    if (!session?.place || !Array.isArray(params.prompt)) return request.pass();
    const { prompt, isCommand } = readWish(params.prompt, !hasCheckpoint(session.commands ?? []));
    if (session.embodiment !== "due" || isCommand || this.settings.embodiment === "off") return request.pass(prompt === params.prompt ? undefined : { ...params, prompt });
    session.embodiment = "had";
    const stopped = session.waiting = new AbortController();
    try {
      const embodiment = await this.#embodiment(session.place, AbortSignal.any([request.signal, stopped.signal]));
      session.waiting = undefined;
      if (!stopped.signal.aborted) return await request.pass({ ...params, prompt: [...embodiment, ...prompt] });
    } catch (error) {
      session.embodiment = "due"; // whoever refused it has not read it
      throw error;
    }
    session.embodiment = "due"; // the turn was stopped before the agent had it
    return { stopReason: "cancelled" };
  }

  /** A block, or none when that failed. */
  async #embodiment({ memory, agreed }: Place, signal: AbortSignal): Promise<readonly JsonObject[]> {
    try {
      const current = memory.current(), { world: { clock, log }, settings } = this, read = <T>(sections: ReadonlyMap<string, Promise<T>>) => inTime(sections, READING_MS, clock, signal);
      const [own, workspace, name] = await Promise.all([read(memory.sections(current)), read(memory.workspaceSections()), read(new Map([["name", current]]))]);
      const late = [...own.late, ...workspace.late], some = workspace.there.filter(section => section !== undefined);
      const there = [...own.there, ...(some.length > 0 && await agreed(some, signal) ? some : [])];
      if (late.length > 0 && !signal.aborted) log("warn", "What Sparkle keeps could not be read in time, and is left out", { left: late, ms: READING_MS });
      return [forTheAgent(compose(name.there[0]?.name ?? settings.sparkler ?? NAME, there.filter(section => section !== undefined), settings.embodimentBytes))];
    } catch (error) {
      this.chain.odd("a session begins without its embodiment", error);
      return [];
    }
  }

  #updated(notification: PassingNotification): void {
    const params = objectOr(notification.params), update = objectOr(params.update);
    switch (update.sessionUpdate) {
      case "available_commands_update": {
        const sessionId = stringOr(params.sessionId, ""), { availableCommands } = update;
        if (!Array.isArray(availableCommands)) return notification.pass();
        if (this.#sessions.has(sessionId) || this.#sessions.size < MOST_SESSIONS) this.#heard(this.#session(sessionId), availableCommands);
        return notification.pass(hasCheckpoint(availableCommands) ? undefined : { ...params, update: { ...update, availableCommands: withCheckpoint(availableCommands) } });
      }
      case "user_message_chunk": { // what the user wrote, as an agent remembers it
        const content = objectOr(update.content), text = stringOr(content.text, ""), written = unmarked(text);
        if (written === text) return notification.pass();
        return written === "" ? undefined : notification.pass({ ...params, update: { ...update, content: { ...content, text: written } } });
      }
      case "user_message": { // of the second version: the whole of it
        const content = arrayOr(update.content), written = content.flatMap(block => writtenIn(block));
        return notification.pass(written.length === content.length && written.every((block, i) => block === content[i]) ? undefined : { ...params, update: { ...update, content: written } });
      }
      case "session_info_update": { // a title that was made of our words
        const { title, ...rest } = update;
        return notification.pass(isMark(stringOr(title, "")) ? { ...params, update: rest } : undefined);
      }
      default: return notification.pass();
    }
  }

  #heard(session: Session, commands: readonly unknown[]): void {
    session.commands = commands;
    session.announcing?.[Symbol.dispose]();
    session.announcing = undefined;
  }
}

/** Of a tool that writes. */
function actOf({ title }: Tool, args: JsonObject): Act {
  return { title: `Sparkle: ${title}`, kind: "edit", content: [], rawInput: args, standing: { key: "write", name: "Always Allow Sparkle to Write Its Files (This Session)" } };
}

/** A content block as the user wrote it; none where all of it is ours. */
function writtenIn(block: unknown): readonly unknown[] {
  const text = stringOr(objectOr(block).text, ""), written = unmarked(text);
  return written === text ? [block] : written === "" ? [] : [{ ...objectOr(block), text: written }];
}
