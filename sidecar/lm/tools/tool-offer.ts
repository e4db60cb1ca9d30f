/**
 * The list of VS Code's tools that a session offers to its agent, and the open calls. Each MCP client of the agent has
 * a server (`tools-server.ts`) that serves this offer. The session's owner receives the calls and answers them.
 *
 * Invariants:
 * - A call is answered once: by its result, its withdrawal or the end of the offer.
 * - Results may arrive in any order.
 * - A call of a tool that is not offered is rejected immediately, and the owner does not receive it.
 * - The server has its name before the agent receives the setup request of the session.
 */
import { randomBytes } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ChatTool } from "../../../src/protocol/lm/lm";
import { QualifiedNames } from "../../permissions/bridged-calls";
import { isCommandName } from "../../permissions/call-input";
import { ToolListing } from "../../proxies/tool-listing";
import { objectOr, type JsonObject } from "../../rpc/json";
import { refusal } from "./tool-results";
import { catalogue, changes, type Catalogue } from "./tool-catalogue";
import { freeServerName, isServerName, ToolNames } from "./tool-names";
import type { McpTool } from "./tool-schema";

/** A tool call of the agent. */
export interface OfferedCall {
  /** VS Code's name of the tool. */
  readonly toolName: string;
  /** The agent's name of the tool. */
  readonly given: string;
  readonly args: JsonObject;
  /**
   * Aborted when the answer is no longer needed: the agent withdrew the call or disconnected, or the offer was closed.
   */
  readonly signal: AbortSignal;
  /** Ignored after the first answer, and after `signal` is aborted. */
  answer(result: CallToolResult): void;
}

export interface OfferTerms {
  readonly tools: readonly ChatTool[];
  /** Also offer tools that agents have themselves. */
  readonly duplicates: boolean;
  /** Called synchronously, in the order of the calls. Several calls may be open. */
  readonly called: (call: OfferedCall) => void;
  /** Called for a call that is rejected immediately. `given`: the agent's name of the tool. */
  readonly refused?: (given: string, args: JsonObject) => void;
}

/** Listener of an offer, for its server. */
export interface OfferWatcher {
  /** The list has changed. */
  changed?(): void;
  closed?(): void;
}

/** Maximum number of open calls. */
export const MAX_OPEN_CALLS = 64;

export class ToolOffer {
  /** Sent in `_meta` of the request that opens the session, under `TOOLS_KEY`. */
  readonly key = randomBytes(16).toString("hex");
  readonly #names = new ToolNames();
  #qualified: QualifiedNames;
  readonly #called: OfferTerms["called"];
  readonly #refused: OfferTerms["refused"];
  readonly #open = new Set<AbortController>();
  readonly #watchers = new Set<OfferWatcher>();
  readonly #reported = new Set<string>();
  #offered: Pick<OfferTerms, "tools" | "duplicates">;
  /**
   * Tracks whether the agent has the list of tools. A call is also proof: the agent has the list from an earlier
   * session.
   */
  readonly listing = new ToolListing();
  #list: "none" | "current" | "outdated" = "none";
  #catalogue: Catalogue;
  #isClosed = false;

  /** `server`: the preferred name of the MCP server. `leftOut`: called once for each tool that cannot be offered. */
  constructor(
    server: string,
    { tools, duplicates, called, refused }: OfferTerms,
    private readonly leftOut: (name: string, why: string) => void,
  ) {
    this.#called = called;
    this.#refused = refused;
    this.#offered = { tools, duplicates };
    this.#qualified = this.#qualifiedBy(server);
    this.#catalogue = this.#createCatalogue(tools, duplicates);
  }

  /** The MCP server's name. */
  get server(): string {
    return this.#qualified.server;
  }

  /** The agents' spellings of these tools' names, including tools that are no longer offered. */
  get qualified(): QualifiedNames {
    return this.#qualified;
  }

  /** Sets the server's name for the session that is being set up. */
  nameServer(name: string): void {
    if (name !== this.server) this.#qualified = this.#qualifiedBy(name);
  }

  get tools(): readonly McpTool[] {
    return this.#catalogue.tools;
  }

  /** Handles the agent's `tools/list`. */
  list(): readonly McpTool[] {
    this.#list = "current";
    this.listing.listed();
    return this.tools;
  }

  /**
   * Whether the list has changed since the agent's `tools/list`. Some agents ignore `notifications/tools/list_changed`.
   */
  get isOutdated(): boolean {
    return this.#list === "outdated";
  }

  /** Symposium's own permission tools that VS Code offers. */
  get permission(): ReadonlySet<string> {
    return this.#catalogue.permission;
  }

  /** Permission tools that VS Code has grouped, mapped to the group's tool, which must be called first. */
  get grouped(): ReadonlyMap<string, string> {
    return this.#catalogue.grouped;
  }

  /** Replaces the tools with those of the newest request. The same array counts as unchanged. */
  update(tools: readonly ChatTool[], duplicates: boolean): void {
    if (tools === this.#offered.tools && duplicates === this.#offered.duplicates) return;
    const before = this.#catalogue.tools;
    this.#offered = { tools, duplicates };
    this.#catalogue = this.#createCatalogue(tools, duplicates);
    if (!changes(before, this.#catalogue.tools)) return;
    if (this.#list === "current") this.#list = "outdated";
    for (const { changed } of [...this.#watchers]) changed?.();
  }

  /** `given`: the agent's name of the tool. An aborted `signal` withdraws the call. Never rejects. */
  call(given: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult> {
    const toolName = this.#names.original(given),
      why = this.#whyNot(given, toolName);
    if (toolName === undefined || why !== undefined) {
      this.#refused?.(given, args);
      return Promise.resolve(refusal(why ?? ""));
    }
    this.listing.listed();
    return new Promise(resolve => {
      const withdrawn = new AbortController();
      const settle = (result: CallToolResult): void => {
        this.#open.delete(withdrawn);
        signal.removeEventListener("abort", withdraw);
        resolve(result);
      };
      const withdraw = (): void => withdrawn.abort();
      withdrawn.signal.addEventListener(
        "abort",
        () => settle(refusal(`The tool “${given}” was not run: its call was withdrawn.`)),
        { once: true },
      );
      signal.addEventListener("abort", withdraw, { once: true });
      this.#open.add(withdrawn);
      if (signal.aborted) withdraw();
      else this.#called({ toolName, given, args, signal: withdrawn.signal, answer: settle });
    });
  }

  watch(watcher: OfferWatcher): Disposable {
    this.#watchers.add(watcher);
    return {
      [Symbol.dispose]: () => {
        this.#watchers.delete(watcher);
      },
    };
  }

  /** Withdraws all calls. Idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const open of [...this.#open]) open.abort();
    for (const watcher of [...this.#watchers]) watcher.closed?.();
    this.#watchers.clear();
  }

  #qualifiedBy(server: string): QualifiedNames {
    const names = this.#names;
    return new QualifiedNames(server, {
      get all() {
        return names.all;
      },
      takesCommand: given => this.#takesCommand(given),
      isListed: () => this.listing.isListed,
    });
  }

  #takesCommand(given: string): boolean {
    const tool = this.#catalogue.tools.find(({ name }) => name === given);
    return Object.keys(objectOr(objectOr(tool?.inputSchema).properties)).some(isCommandName);
  }

  #whyNot(given: string, original: string | undefined): string | undefined {
    if (this.#isClosed) return "This chat has ended: VS Code's tools are no longer available.";
    if (original === undefined) return `Unknown tool “${given}”.`;
    if (!this.#catalogue.tools.some(({ name }) => name === given))
      return `The tool “${given}” is not available in VS Code now and was not run.`;
    if (this.#open.size >= MAX_OPEN_CALLS)
      return `The tool “${given}” was not run: ${MAX_OPEN_CALLS} calls already wait for VS Code. Try again after some of them have finished.`;
    return undefined;
  }

  #createCatalogue(tools: readonly ChatTool[], duplicates: boolean): Catalogue {
    const created = catalogue(tools, { duplicates, names: this.#names });
    for (const { name, why } of created.leftOut) {
      if (this.#reported.has(name)) continue;
      this.#reported.add(name);
      this.leftOut(name, why);
    }
    return created;
  }
}

/** The open offers, by key. Chains look up the offers that they serve. */
export class ToolOffers {
  readonly #offers = new Map<string, ToolOffer>();
  readonly #foreign = new Set<string>();

  /** `leftOut`: logs a tool that cannot be offered. `name`: VS Code's name. */
  constructor(private readonly leftOut: (name: string, why: string) => void) {}

  /**
   * `server`: the server name of an earlier offer to the same agent session, whose history contains it. The chain
   * replaces the name if it is used.
   */
  open(terms: OfferTerms, server = freeServerName(name => this.isForeign(name))): ToolOffer {
    const offer = new ToolOffer(server, terms, this.leftOut);
    this.#offers.set(offer.key, offer);
    offer.watch({
      closed: () => {
        this.#offers.delete(offer.key);
      },
    });
    return offer;
  }

  find(key: string): ToolOffer | undefined {
    return this.#offers.get(key);
  }

  /** A server of another program has this name. No later session uses it. */
  addForeign(server: string): void {
    if (isServerName(server)) this.#foreign.add(server);
  }

  isForeign(server: string): boolean {
    return this.#foreign.has(server);
  }
}
