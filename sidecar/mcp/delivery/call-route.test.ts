import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { byFamily, familyOf, routeCall, routeSharedCall, type CallCandidate, type CallFacts } from "./call-route";

const session = (id: string, overrides: Partial<CallCandidate> = {}): CallCandidate => ({
  id,
  isRunning: false,
  announces: false,
  canServe: true,
  ...overrides,
});
const route = (sessions: readonly CallCandidate[], overrides: Partial<CallFacts> = {}) => {
  const { kind, ...rest } = routeCall({ owner: "a", sessions, shares: false, isFinal: false, ...overrides });
  return kind === "session" && "id" in rest ? rest.id : kind;
};

suite("routeCall", () => {
  test("routes to the only session with a turn if its server is called", () => {
    equal(route([session("a", { isRunning: true }), session("b")]), "a");
  });

  test("routes to the session that announced the call, for any called server", () => {
    deepEqual(
      [
        route([session("a"), session("b", { isRunning: true, announces: true })]),
        route([session("a", { isRunning: true }), session("b", { isRunning: true, announces: true })]),
        route([session("a", { isRunning: true, announces: true }), session("b", { isRunning: true })]),
      ],
      ["b", "b", "a"],
    );
  });

  test("refuses a call of two sessions, of a session without that server, or without a session to ask", () => {
    const both = { isRunning: true, announces: true };
    deepEqual(
      [
        route([session("a", both), session("b", both)]),
        route([session("a"), session("b", { ...both, canServe: false })]),
        route([session("a"), session("b", { isRunning: true })]),
        route([session("a"), session("b", { isRunning: true })], { isFinal: true }),
        route([session("a", { isRunning: true }), session("b", { isRunning: true })], { isFinal: true, shares: true }),
        route([session("a"), session("b")], { isFinal: true, shares: true }),
      ],
      ["refuse", "refuse", "wait", "refuse", "refuse", "refuse"],
    );
  });

  test("accepts unannounced calls of an agent that does not share servers, also outside a turn", () => {
    deepEqual(
      [
        route([session("a"), session("b")]),
        route([session("a", { isRunning: true }), session("b", { isRunning: true })], { isFinal: true }),
      ],
      ["a", "a"],
    );
  });

  for (const count of [2, 5])
    test(`never routes an announced call of one of ${count} sessions to another session`, () => {
      const ids = Array.from({ length: count }, (_, i) => String(i)),
        index = fc.nat(count - 1);
      const candidates = fc.tuple(
        ...ids.map(id =>
          fc.record({ id: fc.constant(id), isRunning: fc.boolean(), announces: fc.boolean(), canServe: fc.boolean() }),
        ),
      );
      fc.assert(
        fc.property(candidates, index, index, fc.boolean(), fc.boolean(), (given, caller, owner, shares, isFinal) => {
          const sessions = given.map((item, i) =>
            i === caller ? { ...item, isRunning: true, announces: true } : item,
          );
          const result = routeCall({ owner: String(owner), sessions, shares, isFinal });
          ok(
            result.kind === "refuse" || (result.kind === "session" && result.id === String(caller)),
            JSON.stringify(result),
          );
          const rivals = sessions.some(({ isRunning, announces }, i) => i !== caller && isRunning && announces);
          if (!rivals && sessions[caller]?.canServe) deepEqual(result, { kind: "session", id: String(caller) });
        }),
      );
    });

  test("routes a call at a shared server to the only running or the only announcing session", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ isRunning: fc.boolean(), announces: fc.boolean() }), { maxLength: 5 }),
        fc.boolean(),
        (given, isFinal) => {
          const sessions = given.map((item, i) => ({ id: String(i), ...item })),
            running = sessions.filter(({ isRunning }) => isRunning),
            announcing = running.filter(({ announces }) => announces);
          const result = routeSharedCall(sessions, isFinal),
            isOfIdle = sessions.some(({ isRunning, announces }) => !isRunning && announces),
            isOnly = running.length === 1 && !isOfIdle;
          const [expected] = announcing.length === 1 ? announcing : isOnly ? running : [];
          if (expected) deepEqual(result, { kind: "session", id: expected.id });
          else equal(result.kind, running.length > 0 && announcing.length === 0 && !isFinal ? "wait" : "refuse");
        },
      ),
    );
  });

  test("never routes a call announced by a session without a turn to a running session", () => {
    const sessions = [
      { id: "idle", isRunning: false, announces: true },
      { id: "running", isRunning: true, announces: false },
    ];
    deepEqual(
      [false, true].map(isFinal => routeSharedCall(sessions, isFinal).kind),
      ["wait", "refuse"],
    );
    for (const shares of [false, true])
      deepEqual(
        [false, true].map(isFinal => {
          const candidates = sessions.map(one => ({ ...one, canServe: true }));
          return routeCall({ owner: "running", sessions: candidates, shares, isFinal }).kind;
        }),
        ["wait", "refuse"],
      );
  });

  test("waits for an announcement only until the decision is final", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ isRunning: fc.boolean(), announces: fc.boolean(), canServe: fc.boolean() }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.boolean(),
        (given, shares) => {
          const sessions = given.map((item, i) => ({ id: String(i), ...item }));
          ok(routeCall({ owner: "0", sessions, shares, isFinal: true }).kind !== "wait");
        },
      ),
    );
  });

  test("derives an extension's server family from its server names", () => {
    deepEqual(["sparkle", "sparkle-2", "sparkle_3", "workspace-tools", "workspace-tools-12"].map(familyOf), [
      "sparkle",
      "sparkle",
      "sparkle",
      "workspace-tools",
      "workspace-tools",
    ]);
    deepEqual(["vsctools", "vsctools2", "base64"].map(familyOf), ["vsctools", "vsctools", "base64"]);
  });

  test("excludes a family with two servers in one session", () => {
    deepEqual(
      [
        ...byFamily([
          ["db-1", 1],
          ["db-2", 2],
          ["sparkle-3", 3],
          ["db-4", 4],
        ]),
      ],
      [["sparkle", 3]],
    );
  });
});
