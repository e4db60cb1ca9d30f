import { deepEqual } from "node:assert/strict";
import type { Lease } from "../agents/pool";
import { AgentSessionHandle, closeSession } from "./agent-session-handle";

/** Records the calls that a lease receives. */
function leaseIn(calls: string[]): Lease {
  return {
    connection: { leave: (id: string) => calls.push(`leave ${id}`) },
    release: () => calls.push("release"),
  } as unknown as Lease;
}

suite("AgentSessionHandle", () => {
  test("recognizes late messages of an ended or replaced opening", () => {
    const handle = new AgentSessionHandle(),
      first = handle.begin(),
      second = handle.begin();
    deepEqual(
      [first, second].map(({ opening }) => handle.isCurrent(opening)),
      [false, true],
    );
    deepEqual(
      [first, second].map(({ abandoned }) => abandoned.aborted),
      [true, false],
    );
    handle.end(() => undefined);
    deepEqual([handle.isCurrent(second.opening), second.abandoned.aborted], [false, true]);
  });

  test("closes the session before the signal of its opening aborts", () => {
    const handle = new AgentSessionHandle(),
      calls: string[] = [],
      { abandoned } = handle.begin();
    abandoned.addEventListener("abort", () => calls.push("abort"));
    handle.opened({ lease: leaseIn(calls), id: "s" });
    handle.end(closeSession);
    deepEqual(calls, ["leave s", "release", "abort"]);
    deepEqual(handle.session, undefined);
  });

  test("closes a session once", () => {
    const handle = new AgentSessionHandle(),
      calls: string[] = [];
    handle.begin();
    handle.opened({ lease: leaseIn(calls), id: "s" });
    handle.end(closeSession);
    handle.end(closeSession);
    deepEqual(calls, ["leave s", "release"]);
  });
});
