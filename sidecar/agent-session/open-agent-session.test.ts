import { deepEqual } from "node:assert/strict";
import type { AgentCapabilities, AgentConnection, SessionListener } from "../acp/connection";
import { openAgentSession, openingMethod, type SessionBegin } from "./open-agent-session";

const NONE: AgentCapabilities = {
  load: false,
  resume: false,
  fork: false,
  list: false,
  delete: false,
  archive: false,
  setTitle: false,
  images: false,
  embedded: false,
};
const AGAIN: SessionBegin = { kind: "again", agentSession: "old" },
  FORK: SessionBegin = { kind: "fork", agentSession: "old" };

suite("wayToOpen", () => {
  test("selects what the agent supports and prefers a session without a replay", () => {
    const methods = (begin: SessionBegin): readonly string[] =>
      [{}, { load: true }, { load: true, resume: true }, { load: true, resume: true, fork: true }, { fork: true }].map(
        able => openingMethod(begin, { ...NONE, ...able }),
      );
    deepEqual(methods({ kind: "new" }), ["new", "new", "new", "new", "new"]);
    deepEqual(methods(AGAIN), ["new", "load", "resume", "resume", "new"]);
    deepEqual(methods({ ...AGAIN, needsReplay: true }), ["new", "load", "load", "load", "new"]);
    deepEqual(methods(FORK), ["new", "new", "new", "fork", "fork"]);
  });
});

/**
 * Opens a session at an agent that supports all methods and rejects `rejected`. Returns the requests and the result.
 */
async function opened(begin: SessionBegin, rejected: readonly string[]) {
  const requests: string[] = [];
  const request = (method: string) => async () => {
    requests.push(method);
    if (rejected.includes(method)) throw new Error(method);
    return { sessionId: "s", result: {} };
  };
  const connection = {
    capabilities: { ...NONE, load: true, resume: true, fork: true },
    newSession: request("new"),
    fork: request("fork"),
    reopen: (how: string) => request(how)(),
  } as unknown as AgentConnection;
  const listeners: boolean[] = [],
    refusals: string[] = [];
  const listener = (isNew: boolean): SessionListener => {
    listeners.push(isNew);
    return {} as SessionListener;
  };
  const result = await openAgentSession(connection, {
    cwd: "/w",
    begin,
    setup: {},
    listener,
    onRefused: how => refusals.push(how),
  }).catch((error: unknown) => String(error));
  return { requests, listeners, refusals, result: typeof result === "string" ? result : result.isContinued };
}

suite("openAgentSession", () => {
  test("continues the earlier session, or opens a new one if the agent rejects that", async () => {
    deepEqual(await opened(FORK, []), { requests: ["fork"], listeners: [false], refusals: [], result: true });
    deepEqual(await opened(AGAIN, ["resume"]), {
      requests: ["resume", "new"],
      listeners: [false, true],
      refusals: ["resume"],
      result: false,
    });
  });

  test("rejects if no session can be opened", async () => {
    deepEqual(await opened(AGAIN, ["resume", "new"]), {
      requests: ["resume", "new"],
      listeners: [false, true],
      refusals: ["resume"],
      result: "Error: new",
    });
  });
});
