/**
 * How far the tools of a session's MCP servers get (issue 14 item 1): which servers the agent connects to, whose tools
 * it lists, and which it calls. One session's state and its steps. Pure.
 *
 *   offered ── connection ──▶ connected ── answer to `tools/list` ──▶ listed ── `tools/call` ──▶ called
 *
 * The decision about missing tools is taken once, at the end of the first turn that completes: by then every agent that
 * gives its model tools has listed them, whether it lists at setup or at the first prompt. A turn that fails, is
 * cancelled or dies with the agent decides nothing.
 *
 * Invariants: a stage never goes back; counts never decrease, except `listed` and `offered`, which are those of the
 * newest list; without a completed turn there is no decision, and never a second one.
 */
import { isListed, isMissing, type ToolDelivery, type ToolTransport } from "../../../src/protocol/session-details";
import { assertNever } from "../../../src/protocol/wire";

/** The request that the MCP bridge answers: `SessionToolsRequest` → `SessionToolsResult`. */
export const SESSION_TOOLS = "_symposium.dev/session_tools";
/** In `_meta` of the bridge's own `tools/list`: the agent did not send it. */
export const COUNTS_TOOLS = "symposium.dev/countsTools";
/** `wait`: the answer comes when the session's first prompt may go out (`Delivery.ready`). */
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
  /** The server answered `tools/list` with an error, or could not be reached behind the bridge. */
  | { readonly kind: "listFailed"; readonly server: string }
  | { readonly kind: "called"; readonly server: string }
  /** How many tools the server has, although the agent did not list them. */
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

/** The same state where nothing changes. */
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

/** The servers whose tools the agent's model lacks; empty until the decision. A server without tools lacks none. */
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
