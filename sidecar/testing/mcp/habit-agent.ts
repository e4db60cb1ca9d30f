/**
 * Agents with the MCP behaviour that was observed in published agents (issue 14, "What was seen"), in both versions of
 * ACP. The chain in front of them has one extension and one user program, which runs in memory.
 */
import { mcpBridge } from "../../conductor/mcp-bridge";
import { ChannelTransport } from "../../mcp/transport";
import { MemoryEvidence } from "../../mcp/delivery/delivery-evidence";
import { DeliveryTracker, LIST_LIMIT_MS } from "../../mcp/delivery/delivery-tracker";
import type { RunningServer } from "../../mcp/program-server";
import { SHIM_TOKEN, SHIM_URL } from "../../mcp/shim";
import { addedServer } from "../../proxies/added-server";
import { arrayOr, isObject, objectOr, type JsonObject } from "../../rpc/json";
import { memoryChannels } from "../../rpc/memory-channel";
import type { IncomingRequest } from "../../rpc/peer";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { manyTools } from "./many-tools";
import { adding, connected, Fixture } from "./mcp-fixture";
import { settled } from "../turn";

/** "givesUpHttp": connects to http servers once and closes the connection after 5 s, before the tools are listed. */
export type Habit = "none" | "refusesStdio" | "givesUpHttp" | "ignoresMcp" | "slowClient";

export type AcpVersion = 1 | 2;

/** `initialize` response of an agent that advertises http. */
export function initialized(version: AcpVersion, http = true): JsonObject {
  const info = { name: "habit", version: "1" };
  if (version === 1) return { protocolVersion: 1, agentInfo: info, agentCapabilities: { mcpCapabilities: { http } } };
  return { protocolVersion: 2, info, capabilities: { session: { mcp: { stdio: {}, ...(http ? { http: {} } : {}) } } } };
}

/** User program in this process. */
export class MemoryProgram {
  starts = 0;
  stops = 0;
  readonly folders: (string | undefined)[] = [];
  /** Notes that `manyTools` reports. */
  readonly notes: string[] = [];

  readonly start = (_: string, __: unknown, cwd: string | undefined): RunningServer => {
    this.starts++;
    this.folders.push(cwd);
    const [channel, far] = memoryChannels();
    void manyTools(line => this.notes.push(line)).connect(new ChannelTransport(far));
    return {
      channel,
      stop: async () => {
        this.stops++;
        await channel[Symbol.asyncDispose]();
      },
    };
  };
}

export interface SessionOutcome {
  /** Transports of the extension's server and of the user program. */
  readonly transports: readonly string[];
  /** Servers whose tools the model has while it processes the first prompt. */
  readonly tools: readonly string[];
  /** Servers that the decision reports as missing. */
  readonly missing: readonly string[];
}

/** One process of the agent with a new chain, as after a restart of VS Code. `evidence` outlives the process. */
export class HabitAgent implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly program = new MemoryProgram();
  readonly #missing: string[] = [];
  readonly tracker = new DeliveryTracker((_, { missing }) =>
    this.#missing.push(...missing.map(({ server }) => server)),
  );
  readonly fixture: Fixture;
  #atPrompt: readonly string[] | undefined;
  readonly #listed: string[] = [];

  constructor(
    private readonly habit: Habit,
    private readonly version: AcpVersion,
    evidence = new MemoryEvidence(),
  ) {
    const extension = adding("Notes", chain => [
      chain.offerMcp("notes", async transport => manyTools().connect(transport)).declaration,
    ]);
    const program = addedServer(
      "Git",
      "git",
      { command: "/bin/git-mcp", args: [], env: {} },
      { starter: { clock: this.clock, start: this.program.start } },
    );
    this.fixture = new Fixture({
      stages: [extension, program, mcpBridge({ clock: this.clock, deliveries: this.tracker, evidence })],
      initialized: initialized(version),
      agent: request => {
        if (request.method !== "session/prompt") return false;
        this.#prompted(request);
        return true;
      },
    });
  }

  /** Runs a session from its setup to the end of its first turn. */
  async session(): Promise<SessionOutcome> {
    await this.fixture.initialize();
    const { sessionId } = await this.fixture.setup("session/new", { cwd: "/project", mcpServers: [] }),
      servers = this.fixture.lastServers();
    if (this.habit !== "slowClient") await this.#connect(servers);
    const turn = this.fixture.client.request("session/prompt", { sessionId, prompt: [] });
    await settled();
    if (this.habit === "slowClient") await this.#connect(servers);
    await settled();
    this.clock.advance(LIST_LIMIT_MS);
    await turn;
    await settled();
    const tracked = this.tracker.of(String(sessionId));
    return {
      transports: tracked?.servers.map(({ transport }) => transport) ?? [],
      tools: this.#atPrompt ?? [],
      missing: this.#missing,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }

  async #connect(servers: readonly JsonObject[]): Promise<void> {
    for (const server of servers) {
      const isHttp = server.type === "http";
      if (this.habit === "ignoresMcp" || (this.habit === "refusesStdio" && !isHttp)) continue;
      await using client = await connected(isHttp ? server : asHttp(server));
      if (this.habit === "givesUpHttp" && isHttp) continue;
      // Before the request, because the prompt may be forwarded before listTools resolves.
      this.#listed.push(String(server.name));
      await client.listTools();
    }
  }

  #prompted(request: IncomingRequest): void {
    this.#atPrompt = [...this.#listed];
    if (this.version === 1) return request.respond({ stopReason: "end_turn" });
    request.respond({});
    const { sessionId } = objectOr(request.params);
    for (const update of [{ state: "running" }, { state: "idle", stopReason: "end_turn" }]) {
      this.fixture.agent.notify("session/update", { sessionId, update: { sessionUpdate: "state_update", ...update } });
    }
  }
}

/** Address that the program of a stdio declaration connects to. Unit tests start no process. */
export function asHttp(server: JsonObject): JsonObject {
  const env = Object.fromEntries(
    arrayOr(server.env)
      .filter(isObject)
      .map(({ name, value }) => [String(name), String(value)]),
  );
  return {
    type: "http",
    name: server.name,
    url: env[SHIM_URL],
    headers: [{ name: "Authorization", value: `Bearer ${env[SHIM_TOKEN]}` }],
  };
}
