/** Part of the sidecar for VS Code's model picker. Loaded with its first request. */
import { randomUUID } from "node:crypto";
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";
import type { LogLevel } from "../../../src/protocol/wire/log";
import type { AgentPool } from "../../agents/pool";
import type { ProxyComponent } from "../../conductor/component";
import { LmService } from "../../lm/lm-service";
import { ToolOffers } from "../../lm/tools/tool-offer";
import { toolsComponent } from "../../lm/tools/tools-proxy";
import type { PermissionPolicy } from "../../permissions/bypass-policy";
import type { ReviewService } from "../../review/review-service";
import { realClock } from "../../rpc/clock";
import type { HostWire } from "../../rpc/host-wire";

export interface LmPart {
  readonly service: LmService;
  /** Proxies in front of the agents of its sessions. */
  readonly proxies: (onWarning: (what: string, detail: unknown) => void) => readonly ProxyComponent[];
}

export function openLm(
  version: string,
  wire: HostWire,
  pool: AgentPool,
  policy: PermissionPolicy,
  extensions: () => readonly ExtensionConfig[],
  record: ReviewService["record"],
  log: (level: LogLevel, message: string, detail?: Readonly<Record<string, unknown>>) => void,
): LmPart {
  const offers = new ToolOffers((name, why) => log("warn", "A tool of VS Code cannot be offered", { tool: name, why }));
  const service = new LmService({
    clock: realClock,
    pool,
    offers,
    extensions,
    record,
    log,
    cwd: process.cwd(),
    date: () => Date.now(),
    freshId: () => randomUUID(),
    policy: agentId => (agentId === undefined ? "ask" : policy.decide(agentId)),
    keeper: {
      load: async () => (await wire.request("lm/persistedSessions", {})).sessions,
      // Sent after the response, for which the user is waiting.
      save: (id, session, turns) => {
        setImmediate(() => wire.notify("lm/keepSession", { id, session, turns }));
      },
      forget: ids => {
        setImmediate(() => wire.notify("lm/forgetSessions", { ids }));
      },
    },
    onFacts: facts => wire.notify("lm/agentFacts", facts),
    host: {
      part: (requestId, part) => wire.notify("lm/responsePart", { requestId, part }),
      complete: requestId => wire.notify("lm/responseComplete", { requestId }),
      isCongested: () => wire.isCongested(),
      soon: run => {
        const immediate = setImmediate(run);
        return { [Symbol.dispose]: () => clearImmediate(immediate) };
      },
    },
  });
  return { service, proxies: onWarning => [toolsComponent(offers, { clock: realClock, version }, onWarning)] };
}
