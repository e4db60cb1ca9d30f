/** A session with MCP servers behind the bridge, and an agent that the test controls. */
import type { ToolDelivery } from "../../../src/protocol/chat/session-details";
import { mcpBridge } from "../../conductor/mcp-bridge";
import { MemoryEvidence, type DeliveryEvidence, type EvidenceStore } from "../../mcp/delivery/delivery-evidence";
import { DeliveryTracker } from "../../mcp/delivery/delivery-tracker";
import type { ProxyDefinition } from "../../proxies/proxy";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import type { IncomingRequest } from "../../rpc/peer";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { brokenTools, manyTools } from "./many-tools";
import { adding, Fixture } from "./mcp-fixture";
import { EXTENSION_METHODS } from "../../acp/methods";

export const AGENT: JsonObject = {
  protocolVersion: 1,
  agentInfo: { name: "ada", version: "1" },
  agentCapabilities: { mcpCapabilities: { http: true } },
};

/** Evidence that never changes. */
export function fixedEvidence(evidence: DeliveryEvidence | undefined): EvidenceStore {
  const store = new MemoryEvidence();
  return {
    of: () => evidence,
    set: () => undefined,
    tools: program => store.tools(program),
    setTools: (program, tools) => store.setTools(program, tools),
  };
}

export type Prompted = (
  request: IncomingRequest,
  servers: readonly JsonObject[],
  fixture: Fixture,
) => void | Promise<void>;

/** An agent that runs `onPrompt` for each prompt, with the servers of the latest session. */
export class DeliveryRig implements AsyncDisposable {
  readonly decided: (readonly [string, readonly ToolDelivery[]])[] = [];
  readonly tracker = new DeliveryTracker((id, { missing }) => this.decided.push([id, missing]));
  readonly fixture: Fixture;
  readonly clock = new FakeClock();

  constructor(
    onPrompt: Prompted,
    names: readonly string[] = ["tools"],
    initialized: JsonObject = AGENT,
    evidence: EvidenceStore = new MemoryEvidence(),
  ) {
    const offer: ProxyDefinition = adding("tools", chain =>
      names.map(
        name =>
          chain.offerMcp(name, async transport => {
            await (name === "broken" ? brokenTools() : manyTools()).connect(transport);
          }).declaration,
      ),
    );
    this.fixture = new Fixture({
      stages: [offer, mcpBridge({ clock: this.clock, deliveries: this.tracker, evidence })],
      initialized,
      agent: request => {
        if (request.method !== "session/prompt") return false;
        void onPrompt(request, this.fixture.lastServers(), this.fixture);
        return true;
      },
    });
  }

  async session(): Promise<string> {
    await this.fixture.initialize();
    return String((await this.fixture.setup("session/new", { cwd: "/", mcpServers: [] })).sessionId);
  }

  async prompt(sessionId: string): Promise<unknown> {
    return this.fixture.client.request("session/prompt", { sessionId, prompt: [] });
  }

  async record(sessionId: string): Promise<readonly unknown[]> {
    return arrayOr(objectOr(await this.fixture.client.request(EXTENSION_METHODS.session_tools, { sessionId })).servers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }
}
