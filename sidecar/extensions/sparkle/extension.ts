/**
 * Sparkle: notes of a user and their agents that persist between sessions. The embodiment is added at the start of a
 * session. A tool server, the command /checkpoint and the phrase “meta moment” save further notes.
 *
 *   due ───── the first prompt that can carry it ─▶ had     `due`: append all notes to the user's text
 *   space ──────────────▲                            │      `space`: append only the workspace's notes; the others are
 *    ▲ ▲                └── the prompt was rejected ─┘      in the agent's system prompt
 *    └─┴── or cancelled before it was sent
 *
 * Invariants (issue 14 item 4):
 * - The user's blocks reach the agent unchanged, and no block is inserted before them.
 * - A block that requests a tool is sent only to an agent that has listed the tool.
 * - A prompt waits at most `READING_MS` and `LISTING_MS`, plus the time for the user's answer about `.sparkle-space`.
 * - Notes of a workspace are sent only with the user's consent.
 * - Sparkle creates no prompts.
 * - A loaded or resumed session counts as `had`. A forked session copies the state of its original.
 * - A prompt without additions is forwarded byte for byte.
 */
import { randomUUID } from "node:crypto";
import { assertNever } from "../../../src/protocol/wire/wire";
import { realFiles, type Files } from "../../agents/install/store/files";
import type { Chain, InterceptedNotification, InterceptedRequest, Proxy } from "../../proxies/proxy";
import { objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { Consent, type GatedAction } from "../consent";
import type { BuiltInExtension, ExtensionDeps } from "../extension";
import { capabilityTracker, sessionClient, type SessionClient } from "../session-client";
import { sessionTools, type SessionPlace } from "../session-tools";
import { withSystemPrompt } from "../system-prompt";
import type { Tool } from "../tool";
import { ToolListing } from "../../proxies/tool-listing";
import { connectToolServer } from "../tool-server";
import { PersistentFolder } from "./persistent-folder";
import type { AskedPart } from "./marks";
import { Memory } from "./memory";
import { previewEmbodiment } from "./preview";
import { SPARKLE_PROMPTS } from "./prompts";
import { listWithoutBlocks, updateWithoutBlocks } from "./repeated-prompts";
import { SessionTexts, type SessionMemory, type SystemText } from "./session-texts";
import { readSettings, type SparkleSettings } from "./settings";
import { SpaceConsent } from "./space-consent";
import { askedText, INSTRUCTIONS } from "./model-texts";
import { sparkleTools } from "./tools";
import { hasCheckpoint, parsePrompt, withBlocks, withCheckpoint, type SparkleBlock } from "./user-commands";
import { AGENT_METHODS, CLIENT_METHODS, UPDATE_KINDS } from "../../acp/methods";

const NAME = "Sparkle";
/** Time limit for an agent to announce its commands, in milliseconds. */
export const ANNOUNCING_MS = 500;
/** Maximum number of sessions tracked before their setup ends. */
const MAX_SESSIONS = 1_000;

export const sparkle: BuiltInExtension = {
  id: "sparkle",
  name: NAME,
  define: (settings, deps) => ({ name: NAME, create: chain => sparkleProxy(chain, settings, deps) }),
  preview: (settings, deps) => previewEmbodiment(settings, deps),
};

/** `files`: replaceable, so that tests can inject failures. */
export function sparkleProxy(chain: Chain, settings: JsonObject, deps: ExtensionDeps, files: Files = realFiles): Proxy {
  return new Sparkle(chain, readSettings(settings, deps), deps, files).proxy;
}

interface Session {
  embodiment: "due" | "space" | "had";
  place: Place | undefined;
  /** Present while prompts wait in Sparkle. `session/cancel` aborts it. */
  waiting: AbortController | undefined;
  /** Resolves when the last waiting prompt is ready to be sent. Keeps the prompts in order. */
  sending: Promise<void> | undefined;
  /** Undefined until the agent announces its commands. */
  commands: readonly unknown[] | undefined;
  announcing: Disposable | undefined;
}

/** One setup of a session. */
interface Place extends SessionMemory {
  readonly listing: ToolListing;
  /**
   * Text in the agent's system prompt. Undefined if the agent does not support it. Repeated setups of a session in this
   * chain reuse the text, because some agents reject a changed system prompt.
   */
  system: SystemText | undefined;
}

class Sparkle {
  readonly #sessions = new Map<string, Session>();
  readonly #offers = capabilityTracker();
  readonly #places = new WeakMap<SessionPlace, Place>();
  readonly #texts: SessionTexts;

  constructor(
    private readonly chain: Chain,
    private readonly settings: SparkleSettings,
    private readonly deps: ExtensionDeps,
    private readonly files: Files,
  ) {
    this.#texts = new SessionTexts({ ...deps, settings, onWarning: chain.onWarning });
  }

  get proxy(): Proxy {
    const tools = sessionTools(this.chain, {
      name: "sparkle",
      server: place => {
        const { client, ...ownPlace } = this.#place(place),
          { memory, space, listing } = ownPlace;
        this.#places.set(place, ownPlace);
        const consent = new Consent({
          extension: "sparkle",
          client,
          approve: this.settings.approve,
          version: () => this.#offers.offers().version,
        });
        const tools = sparkleTools(memory, place.folders, (sections, signal) => space.agreed(sections, signal)).map(
          tool => (tool.annotations.readOnlyHint ? tool : consent.guarded(tool, args => actOf(tool, args))),
        );
        return {
          connect: connectToolServer({
            name: "sparkle",
            title: NAME,
            version: this.deps.version,
            instructions: INSTRUCTIONS,
            tools,
            prompts: SPARKLE_PROMPTS,
            clock: this.deps.clock,
            onWarning: this.chain.onWarning,
            onListed: () => listing.listed(),
          }),
        };
      },
      params: (place, params, signal) => this.#systemPrompt(this.#places.get(place), params, signal),
      opened: (place, sessionId) => this.#opened(place, sessionId, this.#places.get(place)),
      closed: sessionId => this.#closed(sessionId),
    });
    const setups = Object.fromEntries(
      Object.entries(tools.requests).map(([method, intercept]) => [
        method,
        async (request: InterceptedRequest) => this.#onSetupResult(request, await intercept(request)),
      ]),
    );
    return {
      fromClient: {
        requests: {
          ...setups,
          ...this.#offers.requests,
          [AGENT_METHODS.session_prompt]: request => this.#onPrompt(request),
          [AGENT_METHODS.session_list]: async request => listWithoutBlocks(await request.pass()),
        },
        notifications: {
          [AGENT_METHODS.session_cancel]: notification => {
            notification.pass();
            this.#sessions.get(stringOr(objectOr(notification.params).sessionId, ""))?.waiting?.abort();
          },
        },
      },
      fromSuccessor: {
        notifications: { [CLIENT_METHODS.session_update]: notification => this.#onUpdate(notification) },
      },
      close: () => {
        for (const sessionId of [...this.#sessions.keys()]) this.#closed(sessionId);
        tools.close();
      },
    };
  }

  #place({ folders: [cwd], sessionId }: SessionPlace): Place & { readonly client: SessionClient } {
    const {
        deps: { home, clock, date, log },
        files,
        settings: { sparkler },
      } = this,
      deps = { clock, date, files, log },
      client = sessionClient(this.chain.client, sessionId);
    const space = new SpaceConsent(
      PersistentFolder.ofUser(home, deps),
      cwd,
      client,
      () => this.#offers.offers().version,
    );
    return {
      memory: new Memory(home, cwd === "" ? undefined : cwd, sparkler, deps),
      space,
      client,
      listing: new ToolListing(),
      system: undefined,
    };
  }

  async #systemPrompt(place: Place | undefined, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const support = this.#offers.systemPrompt(),
      before = this.#sessions.get(stringOr(params.sessionId, ""))?.place?.system;
    if (!place || support === undefined || this.settings.embodiment === "off") return params;
    place.system = before ?? (await this.#texts.systemText(place, signal));
    return place.system ? withSystemPrompt(params, place.system.text, support) : params;
  }

  #opened({ setup }: SessionPlace, sessionId: string, place: Place | undefined): void {
    const session = this.#session(sessionId);
    if (setup === AGENT_METHODS.session_new)
      session.embodiment = !place?.system ? "due" : place.system.isSpaceDue ? "space" : "had";
    session.place = place;
    session.announcing?.[Symbol.dispose]();
    session.announcing = session.commands
      ? undefined
      : this.deps.clock.after(ANNOUNCING_MS, () => this.#announce(sessionId, session));
  }

  /** Handles the rest of a setup result: a fork's embodiment state and the commands. */
  #onSetupResult({ params }: InterceptedRequest, answer: unknown): unknown {
    const { sessionId: requestedId } = objectOr(params),
      { sessionId: createdId, availableCommands } = objectOr(answer);
    const session = this.#sessions.get(stringOr(createdId, stringOr(requestedId, ""))),
      original = this.#sessions.get(stringOr(requestedId, ""));
    if (session && original) session.embodiment = original.embodiment; // a fork of the original, or the session itself
    if (!session || !Array.isArray(availableCommands)) return answer;
    this.#setCommands(session, availableCommands); // v2 includes the commands in the setup result
    return { ...objectOr(answer), availableCommands: withCheckpoint(availableCommands, this.#offers.offers().version) };
  }

  #closed(sessionId: string): void {
    this.#sessions.get(sessionId)?.announcing?.[Symbol.dispose]();
    this.#sessions.delete(sessionId);
  }

  #session(sessionId: string): Session {
    const session = this.#sessions.get(sessionId) ?? {
      embodiment: "had",
      place: undefined,
      waiting: undefined,
      sending: undefined,
      commands: undefined,
      announcing: undefined,
    };
    this.#sessions.set(sessionId, session);
    return session;
  }

  /** Announces the command for an agent that has announced no commands. */
  #announce(sessionId: string, session: Session): void {
    session.announcing = undefined;
    session.commands = [];
    this.chain.client.notify(CLIENT_METHODS.session_update, {
      sessionId,
      update: {
        sessionUpdate: UPDATE_KINDS.available_commands_update,
        availableCommands: withCheckpoint([], this.#offers.offers().version),
      },
    });
  }

  async #onPrompt(request: InterceptedRequest): Promise<unknown> {
    const params = objectOr(request.params),
      session = this.#sessions.get(stringOr(params.sessionId, "")),
      place = session?.place;
    if (!place || !Array.isArray(params.prompt)) return request.pass();
    const wish = parsePrompt(params.prompt, !hasCheckpoint(session.commands ?? [])),
      before = session.embodiment,
      due = this.settings.embodiment === "off" ? "had" : before;
    const isPlain = wish.kind === "closed" || (due === "had" && wish.parts.length === 0);
    if (isPlain && !session.sending) return request.pass();
    if (session.sending) request.release(); // lets `session/cancel` pass while this prompt waits
    const stopped = (session.waiting ??= new AbortController()),
      earlier = session.sending ?? Promise.resolve();
    if (!isPlain) session.embodiment = "had";
    // A prompt without the embodiment must not undo the restore of an earlier prompt.
    const restore = (): void => {
      if (before !== "had") session.embodiment = before;
    };
    const composed = earlier.then(() => (isPlain ? [] : this.#blocks(request, place, due, wish.parts, stopped.signal)));
    const sending = (session.sending = composed.then(() => undefined));
    try {
      const blocks = await composed;
      if (session.sending === sending) session.sending = session.waiting = undefined;
      if (!stopped.signal.aborted)
        return await request.pass(
          blocks.length === 0 ? undefined : { ...params, prompt: withBlocks(params.prompt, blocks) },
        );
    } catch (error) {
      restore(); // an agent that rejected the prompt has not read it
      throw error;
    }
    restore(); // the turn was cancelled before the prompt was sent
    return this.#stoppedTurn(String(params.sessionId));
  }

  /**
   * Ends a turn whose prompt the agent never received. In v2, the result only acknowledges the prompt, and updates end
   * the turn.
   */
  #stoppedTurn(sessionId: string): JsonObject {
    if (this.#offers.offers().version === 1) return { stopReason: "cancelled" };
    for (const state of [{ state: "running" }, { state: "idle", stopReason: "cancelled" }])
      this.chain.client.notify(CLIENT_METHODS.session_update, {
        sessionId,
        update: { sessionUpdate: UPDATE_KINDS.state_update, ...state },
      });
    return { messageId: randomUUID() };
  }

  /** Never rejects. */
  async #blocks(
    request: InterceptedRequest,
    place: Place,
    due: Session["embodiment"],
    requested: readonly AskedPart[],
    stopped: AbortSignal,
  ): Promise<readonly SparkleBlock[]> {
    const {
        chain,
        deps: { clock },
      } = this,
      signal = AbortSignal.any([request.signal, stopped]),
      sessionId = stringOr(objectOr(request.params).sessionId, "");
    const needsTools = due === "due" || requested.length > 0;
    if (needsTools && !place.listing.isListed) request.release(); // lets `session/cancel` pass
    const listed = needsTools
      ? place.listing.settled(sessionId, chain.successor, clock, signal)
      : Promise.resolve(false);
    const [embodiment, isListed] = await Promise.all([this.#embodiment(place, due, listed, signal), listed]);
    return [
      ...(embodiment === undefined ? [] : [{ part: "embodiment" as const, text: embodiment }]),
      ...requested.map(part => ({ part, text: askedText(part, isListed) })),
    ];
  }

  async #embodiment(
    place: Place,
    due: Session["embodiment"],
    listed: Promise<boolean>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    switch (due) {
      case "due":
        return this.#texts.blockText(place, listed, signal);
      case "space":
        return this.#texts.spaceText(place, signal);
      case "had":
        return undefined;
      default:
        return assertNever(due, "state of an embodiment");
    }
  }

  #onUpdate(notification: InterceptedNotification): void {
    const params = objectOr(notification.params),
      update = objectOr(params.update);
    switch (update.sessionUpdate) {
      case UPDATE_KINDS.available_commands_update: {
        const sessionId = stringOr(params.sessionId, ""),
          { availableCommands } = update;
        if (!Array.isArray(availableCommands)) return notification.pass();
        if (this.#sessions.has(sessionId) || this.#sessions.size < MAX_SESSIONS)
          this.#setCommands(this.#session(sessionId), availableCommands);
        return notification.pass(
          hasCheckpoint(availableCommands)
            ? undefined
            : {
                ...params,
                update: {
                  ...update,
                  availableCommands: withCheckpoint(availableCommands, this.#offers.offers().version),
                },
              },
        );
      }
      default: {
        const cleaned = updateWithoutBlocks(update);
        if (cleaned) notification.pass(cleaned === update ? undefined : { ...params, update: cleaned });
      }
    }
  }

  #setCommands(session: Session, commands: readonly unknown[]): void {
    session.commands = commands;
    session.announcing?.[Symbol.dispose]();
    session.announcing = undefined;
  }
}

/** The consent action of a tool that writes. */
function actOf({ title }: Tool, args: JsonObject): GatedAction {
  return {
    title: `Sparkle: ${title}`,
    kind: "edit",
    content: [],
    rawInput: args,
    standing: { key: "write", name: "Always Allow Sparkle to Write Its Files (This Session)" },
  };
}
