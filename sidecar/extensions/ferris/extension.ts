/**
 * Ferris adds an MCP server to sessions with a Rust project, so that agents read the sources of crates. One tool
 * returns the path of a crate's source. The other answers a question about a crate in a separate research session.
 */
import { FERRIS_SETTINGS } from "../../../src/protocol/agents/built-in-settings";
import type { ValuesOf } from "../../../src/protocol/agents/extension-settings";
import type { AcpVersion } from "../../acp/initialize";
import type { Chain, InterceptedNotification, InterceptedRequest, Proxy } from "../../proxies/proxy";
import { objectOr } from "../../rpc/json";
import { Consent, type GatedAction } from "../consent";
import { readValues, type BuiltInExtension, type ExtensionDeps } from "../extension";
import { rustFolders } from "../rust-projects";
import { sessionClient } from "../session-client";
import { sessionTools, type SessionPlace, type SessionServer } from "../session-tools";
import type { Tool } from "../tool";
import { connectToolServer } from "../tool-server";
import { CrateSources, type CrateQuestion } from "./crate-sources";
import { crateSources, type FindSource } from "./crate-tools";
import { ResearchTool } from "./research-tool";
import { AGENT_METHODS } from "../../acp/methods";

const NAME = "Ferris";
const INSTRUCTIONS =
  "Ferris gives you the source code of Rust crates, in the versions that this workspace uses. Look there for APIs that you are not sure of.";

export const ferris: BuiltInExtension = {
  id: "ferris",
  name: NAME,
  define: (given, deps) => {
    const settings = readValues("ferris", FERRIS_SETTINGS, given, deps);
    return { name: NAME, create: chain => new Ferris(chain, settings, deps).proxy() };
  },
};

class Ferris {
  readonly #sources: CrateSources;
  readonly #queries: ResearchTool;
  #acp: AcpVersion = 1;

  constructor(
    private readonly chain: Chain,
    private readonly settings: ValuesOf<typeof FERRIS_SETTINGS>,
    private readonly deps: ExtensionDeps,
  ) {
    const { clock, version } = deps;
    this.#sources = new CrateSources(deps);
    this.#queries = new ResearchTool({
      chain,
      clock,
      version,
      acp: () => this.#acp,
      keepsAnswers: settings.cacheAnswers,
    });
  }

  proxy(): Proxy {
    const { requests, close } = sessionTools(this.chain, { name: "ferris", server: place => this.#server(place) });
    return {
      fromClient: {
        requests: { ...requests, initialize: request => this.#initialize(request) },
        notifications: { [AGENT_METHODS.session_cancel]: notification => this.#cancelled(notification) },
      },
      close: () => {
        this.#queries.close();
        close();
      },
    };
  }

  async #initialize(request: InterceptedRequest): Promise<unknown> {
    const answer = await request.pass();
    this.#acp = objectOr(answer)["protocolVersion"] === 2 ? 2 : 1;
    return answer;
  }

  /** Not every agent cancels its calls when the turn is cancelled. */
  #cancelled(notification: InterceptedNotification): void {
    const { sessionId } = objectOr(notification.params);
    if (typeof sessionId === "string") this.#queries.cancelled(sessionId);
    notification.pass();
  }

  async #server(place: SessionPlace): Promise<SessionServer | undefined> {
    const [rust] = await rustFolders(place.folders, this.deps.home),
      tools = this.#tools(place, rust ?? place.folders[0]),
      { clock, version } = this.deps;
    if (tools.length === 0 || (rust === undefined && !this.settings.everywhere)) return undefined;
    return {
      connect: connectToolServer({
        name: "ferris",
        title: NAME,
        version,
        instructions: INSTRUCTIONS,
        tools,
        clock,
        onWarning: this.chain.onWarning,
      }),
    };
  }

  #tools(place: SessionPlace, folder: string): readonly Tool[] {
    const { tools, approve } = this.settings,
      consent = new Consent({
        extension: "ferris",
        client: sessionClient(this.chain.client, place.sessionId),
        approve,
        version: () => this.#acp,
      });
    const find: FindSource = (question, call) =>
      consent.carryOut(actOf(question, folder), call, () => this.#sources.find(question, folder, call));
    return [
      ...(tools.crate_sources ? [crateSources(find)] : []),
      ...(tools.rust_crate_query ? [this.#queries.tool(place, find, tools.crate_sources)] : []),
    ];
  }
}

/** Even for a lookup, cargo executes programs named by a folder's `rust-toolchain.toml` or `.cargo/config.toml`. */
function actOf({ name }: CrateQuestion, folder: string): GatedAction {
  return {
    title: `Look up the crate ${name} with cargo`,
    kind: "execute",
    content: [],
    rawInput: { command: "cargo metadata", crate: name, cwd: folder },
    standing: { key: "cargo", name: "Always Allow Ferris to Look Up Crates with Cargo (This Session)" },
  };
}
