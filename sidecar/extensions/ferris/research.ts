/**
 * Runs one research: opens its session and MCP server and starts its timers. research-state.ts makes the decisions,
 * research-permissions.ts grants permissions.
 *
 * Invariants:
 * - Every opened resource is closed at the end, even a session that opens later.
 * - `ended` never rejects.
 * - A session runs in an empty folder instead of a third-party folder with agent configuration.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorMessage } from "../../../src/protocol/wire/errors";
import { AgentError } from "../../errors";
import type { AcpVersion } from "../../acp/initialize";
import { Turns } from "../../acp/v2-turns";
import { QualifiedNames } from "../../permissions/bridged-calls";
import { AnnouncedCalls } from "../../permissions/announced-calls";
import type { Chain, McpOffer, OwnSession } from "../../proxies/proxy";
import { SIDE_SESSION } from "../../proxies/side-session";
import type { Clock } from "../../rpc/clock";
import { arrayOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { methodNotFound } from "../../rpc/peer";
import { ToolFailure, type Tool } from "../tool";
import { ToolListing } from "../../proxies/tool-listing";
import { connectToolServer } from "../tool-server";
import { hasAgentFiles } from "./agent-files";
import type { CrateSource } from "./crate-sources";
import { getRustCrateSource, type FindSource } from "./crate-tools";
import { sameName } from "./crate-version";
import { findEscapingLink } from "./escaping-links";
import { permissionFor, readInside, type ReadScope } from "./research-permissions";
import { researchPrompt } from "./research-prompt";
import {
  LIMIT_MS,
  QUEUED,
  REST_MS,
  step,
  type Ended,
  type ResearchEffect,
  type ResearchEvent,
  type ResearchState,
} from "./research-state";
import { CLIENT_METHODS, UPDATE_KINDS } from "../../acp/methods";

export interface ResearchTask {
  readonly source: CrateSource;
  readonly question: string;
  /** MCP server name. Unique in the chain. */
  readonly server: string;
  /** ACP version of the agent. */
  readonly acp: AcpVersion;
}

export interface ResearchDeps {
  readonly chain: Pick<Chain, "openSession" | "offerMcp" | "successor" | "onWarning">;
  readonly clock: Clock;
  /** Symposium's version. */
  readonly version: string;
  readonly find: FindSource;
  /** The session is open. */
  readonly onStart: () => void;
  /** Title of the agent's current tool call. */
  readonly did: (title: string) => void;
}

const TOOLS = { all: ["get_rust_crate_source", "return_response_to_user"] };
/** Maximum number of sources that one research may read in addition to the first. */
const MAX_SOURCES = 10;
const INSTRUCTIONS =
  "Tools for this session, which researches the source of a Rust crate: return_response_to_user returns your answer to the requester.";

export class Research {
  readonly ended: Promise<Ended>;
  #state: ResearchState = QUEUED;
  #resolveEnded: (end: Ended) => void = () => undefined;
  #session: OwnSession | undefined;
  #offer: McpOffer | undefined;
  #limit: Disposable | undefined;
  #rest: Disposable | undefined;
  readonly #listing = new ToolListing();
  readonly #ending = new AbortController();
  readonly #turns = new Turns();
  readonly #calls = new AnnouncedCalls();
  readonly #shownCalls = new Set<string>();
  /** The first is the session's folder. */
  #folders: [string, ...string[]];
  /** Temporary folder for the session, if the source has agent configuration. */
  #emptyFolder: string | undefined;
  readonly #ownTools: QualifiedNames;

  constructor(
    private readonly task: ResearchTask,
    private readonly deps: ResearchDeps,
  ) {
    this.ended = new Promise(resolve => {
      this.#resolveEnded = resolve;
    });
    this.#folders = [task.source.folder];
    this.#ownTools = new QualifiedNames(task.server, TOOLS);
  }

  post(event: ResearchEvent): void {
    const [state, effects] = step(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: ResearchEffect): void {
    const { clock } = this.deps;
    switch (effect.kind) {
      case "open":
        return void this.#open().then(undefined, (error: unknown) =>
          this.post({ kind: "refused", why: reasonOf(error) }),
        );
      case "prompt":
        return void this.#prompt().then(undefined, (error: unknown) =>
          this.post({ kind: "turnFailed", why: reasonOf(error) }),
        );
      case "limit":
        this.#limit = clock.after(LIMIT_MS, () => this.post({ kind: "expired" }));
        return;
      case "rest":
        this.#rest?.[Symbol.dispose]();
        this.#rest = clock.after(REST_MS, () => this.post({ kind: "rested" }));
        return;
      case "finish":
        return this.#finish(effect.end);
    }
  }

  async #open(): Promise<void> {
    const { chain, clock, version } = this.deps,
      { server, source } = this.task,
      cwd = await this.#chooseFolder(source);
    if (this.#state.kind !== "opening") return this.#deleteEmptyFolder();
    this.#offer = chain.offerMcp(
      server,
      connectToolServer({
        name: server,
        title: "Ferris research",
        version,
        instructions: INSTRUCTIONS,
        tools: this.#tools(),
        clock,
        onWarning: chain.onWarning,
        onListed: () => this.#listing.listed(),
      }),
    );
    const session = await chain.openSession(
      { cwd, mcpServers: [this.#offer.declaration], _meta: { [SIDE_SESSION]: "ferris" } },
      {
        update: update => this.#updated(objectOr(update)),
        request: (method, params) => this.#onRequest(method, params),
      },
    );
    if (this.#state.kind !== "opening") return void (await session[Symbol.asyncDispose]());
    this.#session = session;
    this.deps.onStart();
    this.post({ kind: "opened" });
  }

  async #chooseFolder({ folder, origin }: CrateSource): Promise<string> {
    if (origin === "folder" || !(await hasAgentFiles(folder))) return folder;
    this.#emptyFolder = await mkdtemp(path.join(tmpdir(), "symposium-research-"));
    this.#folders = [this.#emptyFolder, ...this.#folders];
    return this.#emptyFolder;
  }

  #deleteEmptyFolder(): void {
    if (this.#emptyFolder !== undefined)
      rm(this.#emptyFolder, { recursive: true, force: true }).catch((error: unknown) =>
        this.deps.chain.onWarning("the folder of a research session could not be deleted", error),
      );
  }

  async #prompt(): Promise<void> {
    const { source, question, server, acp } = this.task,
      { chain, clock } = this.deps,
      session = this.#session;
    if (!session) throw new Error("there is no session to prompt");
    const isListed = await this.#listing.settled(session.sessionId, chain.successor, clock, this.#ending.signal);
    if (this.#ending.signal.aborted) return;
    const turn = this.#turns.begin(session.sessionId, outcome =>
      this.post(
        outcome.kind === "stopped"
          ? { kind: "turnEnded", reason: outcome.reason }
          : { kind: "turnFailed", why: outcome.error.message },
      ),
    );
    const answer = await session.prompt([
      { type: "text", text: researchPrompt(source, question, isListed ? server : undefined, this.#folders[0]) },
    ]);
    if (acp === 2)
      this.#turns.accepted(session.sessionId, turn); // an update ends the turn
    else this.post({ kind: "turnEnded", reason: stringOr(objectOr(answer)["stopReason"], "end_turn") });
  }

  #finish(end: Ended): void {
    this.#ending.abort();
    this.#limit?.[Symbol.dispose]();
    this.#rest?.[Symbol.dispose]();
    for (const open of [this.#session, this.#offer])
      open?.[Symbol.asyncDispose]().then(undefined, (error: unknown) =>
        this.deps.chain.onWarning("a research session could not be closed", error),
      );
    this.#deleteEmptyFolder();
    this.#resolveEnded(end);
  }

  // --- updates and requests of the agent

  #updated(update: JsonObject): void {
    this.#calls.onEvent(update);
    if (this.#session && this.task.acp === 2)
      this.#turns.update(this.#session.sessionId, update, error => new AgentError("protocol", reasonOf(error)));
    switch (update["sessionUpdate"]) {
      case UPDATE_KINDS.agent_message_chunk:
        return this.post({ kind: "said", text: textOf(update["content"]) });
      case UPDATE_KINDS.agent_message: // ACP version 2: the complete message
        this.post({ kind: "called" });
        return this.post({ kind: "said", text: arrayOr(update["content"]).map(textOf).join("") });
      case UPDATE_KINDS.tool_call:
      case UPDATE_KINDS.tool_call_update:
        return this.#called(update);
    }
  }

  #called(update: JsonObject): void {
    const { toolCallId } = update,
      known = this.#calls.of({ toolCall: { toolCallId } }),
      title = stringOr(known?.["title"] ?? update["title"], "");
    if (typeof toolCallId !== "string" || this.#shownCalls.has(toolCallId) || this.#shownCalls.size >= MAX_SHOWN)
      return;
    this.post({ kind: "called" });
    if (title === "") return;
    this.#shownCalls.add(toolCallId);
    if (!TOOLS.all.some(name => title.includes(name))) this.deps.did(title);
  }

  #onRequest(method: string, params: unknown): unknown {
    const readable: ReadScope = { folders: this.#folders, own: this.#ownTools };
    switch (method) {
      case CLIENT_METHODS.session_request_permission:
        return permissionFor(params, this.#calls.of(params), readable);
      case CLIENT_METHODS.fs_read_text_file:
        return readInside(params, readable);
      case CLIENT_METHODS.fs_write_text_file:
        throw new RpcError(RpcCode.invalidRequest, "This session may only read.");
      default:
        throw method.startsWith("terminal/")
          ? new RpcError(RpcCode.invalidRequest, "This session may run no commands.")
          : methodNotFound(method);
    }
  }

  // --- tools of the session

  #tools(): readonly Tool[] {
    return [
      getRustCrateSource(async (question, call) => {
        const { source } = this.task,
          isOwnSource =
            sameName(question.name, source.name) &&
            (question.version === undefined || question.version === source.version);
        return isOwnSource ? source : this.#allowReading(await this.deps.find(question, call));
      }),
      {
        name: "return_response_to_user",
        title: "Return the answer",
        annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
        description:
          "Returns the answer of your research to the requester. End your turn afterwards. Another call appends to the earlier answer.",
        inputSchema: {
          type: "object",
          properties: { response: { type: "string", description: "The answer, complete, in Markdown" } },
          required: ["response"],
        },
        call: async ({ response }) => this.#respond(stringOr(response, "")),
      },
    ];
  }

  #respond(text: string): { readonly structured: JsonObject } {
    if (text.trim() === "") throw new ToolFailure("The response is empty.");
    if (this.#state.kind !== "working")
      throw new ToolFailure("No request waits for a response: the research has not started, or has ended.");
    this.post({ kind: "responded", text });
    return { structured: { message: "Response recorded. End your turn now." } };
  }

  /** Allows reading the sources of a published crate after the agent has requested them. */
  async #allowReading(source: CrateSource): Promise<CrateSource> {
    const isSafe =
      source.origin === "published" &&
      this.#folders.length <= MAX_SOURCES &&
      (await findEscapingLink(source.folder)) === undefined;
    if (isSafe && !this.#folders.includes(source.folder)) this.#folders.push(source.folder);
    return isSafe ? source : { ...source, message: `${source.message} This session may not read there.` };
  }
}

/** Maximum number of tool calls shown per session. */
const MAX_SHOWN = 500;

function textOf(content: unknown): string {
  return stringOr(objectOr(content)["text"], "");
}
function reasonOf(error: unknown): string {
  return errorMessage(error).trim().replace(/\.$/, "").slice(0, 300);
}
