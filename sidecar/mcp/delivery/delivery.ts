/**
 * State machine of the tool delivery of one session's MCP servers (issue 14 item 1). Records the agent's connections,
 * tool lists and calls. Pure.
 *
 *     offered ── connection ──▶ connected ── result of `tools/list` ──▶ listed ── `tools/call` ──▶ called
 *
 * The decision about missing tools is made once, at the end of the first completed turn. By then, every agent that
 * passes tools to its model has listed them, at setup or at the first prompt. No decision is made after a turn that
 * fails, is cancelled or ends with the agent's exit.
 *
 * Invariants:
 * - A stage never decreases.
 * - Counts never decrease, except `listed` and `offered`, which reflect the latest list.
 * - The decision requires a completed turn and is made only once.
 */
import { isListed, isMissing, type ToolDelivery, type ToolTransport } from "../../../src/protocol/chat/session-details";
import { assertNever } from "../../../src/protocol/wire/wire";

/** Marks the bridge's own `tools/list` in `_meta`, as opposed to a request of the agent. */
export const COUNTS_TOOLS = "symposium.dev/countsTools";
/** `wait`: delay the response until the session's first prompt can be sent (`Delivery.ready`). */
export interface SessionToolsRequest {
  readonly sessionId: string;
  readonly wait?: boolean;
}
export interface SessionToolsResult {
  readonly servers: readonly ToolDelivery[];
}

export interface DeliveryState {
  readonly servers: readonly ToolDelivery[];
  readonly runningTurns: number;
  readonly isDecided: boolean;
}

export type DeliveryEvent =
  | { readonly kind: "connected"; readonly server: string }
  /** `isMore`: a further page of the same list. */
  | { readonly kind: "listed"; readonly server: string; readonly tools: number; readonly isMore: boolean }
  /** The server rejected `tools/list`, or the bridge could not reach it. */
  | { readonly kind: "listFailed"; readonly server: string }
  | { readonly kind: "called"; readonly server: string }
  /** Number of tools of a server whose tools the agent did not list. */
  | { readonly kind: "counted"; readonly server: string; readonly tools: number }
  /** The server did not list its tools to the bridge either. */
  | { readonly kind: "countFailed"; readonly server: string }
  | { readonly kind: "turnStarted" }
  /** `isCompleted`: neither failed nor cancelled. */
  | { readonly kind: "turnEnded"; readonly isCompleted: boolean };

export function offered(servers: readonly { readonly server: string }[], transport: ToolTransport): DeliveryState {
  return {
    servers: servers.map(({ server }) => ({
      server,
      transport,
      stage: "offered",
      connections: 0,
      listed: 0,
      calls: 0,
    })),
    runningTurns: 0,
    isDecided: false,
  };
}

/** Returns the same state object if nothing changes. */
export function step(state: DeliveryState, event: DeliveryEvent): DeliveryState {
  switch (event.kind) {
    case "connected":
      return changed(state, event.server, server => ({
        ...reached(server, "connected"),
        connections: server.connections + 1,
      }));
    case "listed":
      return changed(state, event.server, server => {
        const listed = event.isMore ? server.listed + event.tools : event.tools;
        return {
          ...withoutFailure(reached(server, "listed")),
          listed,
          offered: event.isMore ? Math.max(listed, server.offered ?? 0) : listed,
        };
      });
    case "listFailed":
      return changed(state, event.server, server =>
        isListed(server) ? server : { ...reached(server, "connected"), listFailed: true },
      );
    case "called":
      return changed(state, event.server, server => ({ ...reached(server, "called"), calls: server.calls + 1 }));
    case "counted":
      return changed(state, event.server, server =>
        server.offered === undefined ? { ...server, offered: event.tools } : server,
      );
    case "countFailed":
      return changed(state, event.server, server =>
        isListed(server) || server.listFailed ? server : { ...server, listFailed: true },
      );
    case "turnStarted":
      return { ...state, runningTurns: state.runningTurns + 1 };
    case "turnEnded":
      return {
        ...state,
        runningTurns: Math.max(0, state.runningTurns - 1),
        isDecided: state.isDecided || event.isCompleted,
      };
    default:
      return assertNever(event, "delivery event");
  }
}

/** Servers whose tools the model lacks. Empty before the decision. A server without tools is never missing. */
export function missing({ servers, isDecided }: DeliveryState): readonly ToolDelivery[] {
  return isDecided ? servers.filter(isMissing) : [];
}

const STAGES: readonly ToolDelivery["stage"][] = ["offered", "connected", "listed", "called"];

function reached(server: ToolDelivery, stage: ToolDelivery["stage"]): ToolDelivery {
  return STAGES.indexOf(stage) > STAGES.indexOf(server.stage) ? { ...server, stage } : server;
}

function withoutFailure({ listFailed: _, ...server }: ToolDelivery): ToolDelivery {
  return server;
}

function changed(state: DeliveryState, name: string, change: (server: ToolDelivery) => ToolDelivery): DeliveryState {
  const at = state.servers.findIndex(({ server }) => server === name),
    before = state.servers[at];
  if (!before) return state;
  const after = change(before);
  return after === before ? state : { ...state, servers: state.servers.with(at, after) };
}
