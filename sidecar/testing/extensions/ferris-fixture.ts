/**
 * Ferris in a chain for its tests: the proxy, the bridge with its real endpoint, and an agent that the test controls.
 * Cargo is simulated.
 */
import { equal, ok } from "node:assert/strict";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ExtensionSettings } from "../../extensions/extension";
import { ferris } from "../../extensions/ferris/extension";
import { isSideSession } from "../../proxies/side-session";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { methodNotFound, type IncomingRequest } from "../../rpc/peer";
import { ExtensionRig } from "./extension-rig";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { bridge, resultText } from "../mcp/mcp-ends";
import { connected, HTTP_AGENT, Fixture } from "../mcp/mcp-fixture";

export type FerrisClient = Awaited<ReturnType<typeof connected>>;
/** Requests of one method in order of arrival. */
class Requests {
  readonly #received: IncomingRequest[] = [];
  readonly #waiting: ((request: IncomingRequest) => void)[] = [];
  add(request: IncomingRequest): void {
    const next = this.#waiting.shift();
    if (next) next(request);
    else this.#received.push(request);
  }
  get waiting(): number {
    return this.#received.length;
  }
  next(): Promise<IncomingRequest> {
    const first = this.#received.shift();
    return first ? Promise.resolve(first) : new Promise(resolve => this.#waiting.push(resolve));
  }
}

export class FerrisFixture implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly prompts = new Requests();
  /** `session/new` requests of research sessions. */
  readonly openings = new Requests();
  /** Notifications to the client. */
  readonly notifications: JsonObject[] = [];
  /** Whether the agent of a research session lists its tools before it responds to `session/new`. */
  listsTools = false;
  opensByItself = true;
  /** Closed sessions. */
  readonly closed: unknown[] = [];
  /** Number of cargo runs. Cargo finds every requested crate, in version 1.1.0. */
  cargoRuns = 0;
  /** Called for each cargo run before it responds, if set. */
  looks: ((signal: AbortSignal) => Promise<never>) | undefined;
  /** Cargo's metadata of the workspace. */
  workspace: JsonObject = {};
  /**
   * Ids of the tool calls that look up a crate with cargo (extensions/consent.ts). `notifications` excludes their
   * updates.
   */
  readonly lookups = new Set<unknown>();
  /** The client's handler for requests to the user. */
  answers: (request: IncomingRequest) => void = request => request.fail(methodNotFound(request.method));
  readonly #watching: { readonly matches: (params: JsonObject) => boolean; readonly resolve: () => void }[] = [];
  readonly rig: ExtensionRig;
  readonly fixture: Fixture;
  readonly crate: string;
  #research = 0;

  constructor(settings: ExtensionSettings = {}, initialized: JsonObject = HTTP_AGENT) {
    this.rig = new ExtensionRig({
      clock: this.clock,
      find: async () => "/bin/cargo",
      environment: async () => ({}),
      run: async ({ args }, { signal, stdout }) => {
        this.cargoRuns++;
        await this.looks?.(signal);
        stdout?.(Buffer.from(JSON.stringify(args.includes("--no-deps") ? this.workspace : this.#metadata(args))));
        return { exit: { code: 0, signal: null }, stdout: "", stderr: "" };
      },
    });
    this.crate = this.source("pebble");
    mkdirSync(path.join(this.crate, "src"), { recursive: true });
    writeFileSync(path.join(this.crate, "src", "lib.rs"), "pub fn weight() -> u32 { 7 }\n");
    mkdirSync(this.project);
    writeFileSync(path.join(this.project, "Cargo.toml"), "[package]\n");
    this.fixture = new Fixture({
      stages: [ferris.define({ approve: "all", ...settings }, this.rig.fixture), bridge()],
      initialized,
      client: request => this.answers(request),
      onNotification: (_, params) => {
        this.#handleEvent(objectOr(params));
      },
      agent: request => this.#handleRequest(request),
    });
  }

  source(name: string): string {
    return path.join(realpathSync(this.rig.home), ".cargo", "registry", "src", "here", `${name}-1.1.0`);
  }
  get project(): string {
    return path.join(this.rig.home, "project");
  }

  async open(cwd = this.project): Promise<{ readonly sessionId: unknown; readonly servers: readonly JsonObject[] }> {
    await this.fixture.initialize();
    return this.fixture.setup("session/new", { cwd, mcpServers: [] });
  }

  /** Opens a session and connects a client to its `ferris` server. */
  async client(): Promise<FerrisClient> {
    const {
      servers: [server],
    } = await this.open();
    ok(server);
    return connected(server);
  }

  /** Waits for the next research. Resolves with its prompt, its session and a client of its tools. */
  async research(): Promise<{
    readonly prompt: IncomingRequest;
    readonly sessionId: string;
    readonly server: JsonObject;
    readonly tools: FerrisClient;
  }> {
    const prompt = await this.prompts.next(),
      sessionId = String(objectOr(prompt.params).sessionId),
      [server] = arrayOr(this.#sessions.get(sessionId)?.mcpServers).map(objectOr);
    ok(server);
    return { prompt, sessionId, server, tools: await connected(server) };
  }
  readonly #sessions = new Map<string, JsonObject>();

  /** Resolves at the next matching update to the client. */
  nextUpdate(matches: (update: JsonObject) => boolean): Promise<void> {
    return new Promise(resolve => {
      this.#watching.push({ matches: params => matches(objectOr(params.update)), resolve });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
    this.rig[Symbol.dispose]();
  }

  answerOpening(request: IncomingRequest): void {
    const sessionId = `research-${++this.#research}`;
    this.#sessions.set(sessionId, objectOr(request.params));
    if (!this.listsTools) return request.respond({ sessionId });
    void this.#list(arrayOr(objectOr(request.params).mcpServers).map(objectOr)).then(() =>
      request.respond({ sessionId }),
    );
  }

  async #list(servers: readonly JsonObject[]): Promise<void> {
    for (const server of servers) {
      await using client = await connected(server);
      await client.listTools();
    }
  }

  #handleRequest(request: IncomingRequest): boolean {
    if (request.method === "session/close") this.closed.push(objectOr(request.params).sessionId);
    if (request.method === "session/prompt") {
      this.prompts.add(request);
      return true;
    }
    if (request.method !== "session/new" || !isSideSession(request.params)) return false;
    if (this.opensByItself) this.answerOpening(request);
    else this.openings.add(request);
    return true;
  }

  #handleEvent(params: JsonObject): void {
    const { title, toolCallId } = objectOr(params.update);
    if (/^Look up the crate /.test(String(title))) this.lookups.add(toolCallId);
    if (this.lookups.has(toolCallId)) return;
    this.notifications.push(params);
    for (const { matches, resolve } of this.#watching) if (matches(params)) resolve();
  }

  #metadata(args: readonly string[]): JsonObject {
    const manifest = args[args.indexOf("--manifest-path") + 1],
      [, name = "?"] =
        /package = "(.*?)"/.exec(
          manifest === undefined || args.includes("-vV") ? "" : readFileSync(manifest, "utf8"),
        ) ?? [];
    return {
      packages: [{ name, version: "1.1.0", id: "p", manifest_path: path.join(this.source(name), "Cargo.toml") }],
      resolve: { root: "r", nodes: [{ id: "r", dependencies: ["p"] }] },
    };
  }
}

/** Sends a query about the fixture's crate. */
export function query(
  client: FerrisClient,
  prompt = "How heavy is a pebble?",
  overrides: JsonObject = {},
  options: Parameters<FerrisClient["callTool"]>[2] = {},
) {
  return client.callTool(
    { name: "rust_crate_query", arguments: { crate_name: "pebble", prompt, ...overrides } },
    undefined,
    options,
  );
}

/** Resolves with the text of a failed query. */
export async function failure(result: ReturnType<typeof query>): Promise<string> {
  const done = await result;
  equal(done.isError, true, resultText(done));
  return resultText(done);
}

/** Sends a response as the agent of a research session does. */
export function respond(tools: Pick<FerrisClient, "callTool">, response: string) {
  return tools.callTool({ name: "return_response_to_user", arguments: { response } });
}
