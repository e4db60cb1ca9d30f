import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { isListed, type ToolDelivery } from "../../../src/protocol/chat/session-details";
import { missing, offered, step, type DeliveryEvent, type DeliveryState } from "./delivery";

const SERVERS = ["sparkle", "ferris", "cargo"];
const start = (): DeliveryState =>
  offered(
    SERVERS.map(server => ({ server })),
    "http",
  );
const run = (events: readonly DeliveryEvent[]): DeliveryState => events.reduce(step, start());
const STAGES = ["offered", "connected", "listed", "called"];

const server = fc.constantFrom(...SERVERS, "another session's");
const event: fc.Arbitrary<DeliveryEvent> = fc.oneof(
  fc.record({ kind: fc.constant("connected" as const), server }),
  fc.record({ kind: fc.constant("listed" as const), server, tools: fc.nat(40), isMore: fc.boolean() }),
  fc.record({ kind: fc.constant("listFailed" as const), server }),
  fc.record({ kind: fc.constant("called" as const), server }),
  fc.record({ kind: fc.constant("counted" as const), server, tools: fc.nat(40) }),
  fc.record({ kind: fc.constant("countFailed" as const), server }),
  fc.constant({ kind: "turnStarted" as const }),
  fc.record({ kind: fc.constant("turnEnded" as const), isCompleted: fc.boolean() }),
);

suite("tool delivery state", () => {
  test("never decreases a stage or count, and keeps the decision", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), events => {
        let state = start();
        for (const each of events) {
          const next = step(state, each);
          next.servers.forEach((after, i) => {
            const before = state.servers[i];
            ok(before && before.server === after.server);
            ok(STAGES.indexOf(after.stage) >= STAGES.indexOf(before.stage), `${before.stage} → ${after.stage}`);
            ok(after.connections >= before.connections && after.calls >= before.calls);
            ok(each.kind === "listed" || (after.offered ?? 0) >= (before.offered ?? 0));
            if ("server" in each && each.server !== after.server) equal(after, before);
          });
          ok(next.runningTurns >= 0 && (next.isDecided || !state.isDecided));
          state = next;
        }
      }),
    );
  });

  test("reports exactly the servers without a list or call, only after a completed turn", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), events => {
        const state = run(events),
          isDecided = events.some(
            ({ kind, ...rest }) => kind === "turnEnded" && "isCompleted" in rest && rest.isCompleted,
          );
        const reached = (name: string) =>
          events.some(each => (each.kind === "listed" || each.kind === "called") && each.server === name) ||
          (events.find(each => each.kind === "counted" && each.server === name && each.tools === 0) !== undefined &&
            state.servers.find(each => each.server === name)?.offered === 0);
        deepEqual(
          missing(state).map(each => each.server),
          isDecided ? SERVERS.filter(name => !reached(name)) : [],
        );
        ok(state.servers.filter(isListed).every(({ stage }) => stage === "listed" || stage === "called"));
      }),
    );
  });

  test("adds the pages of a list and replaces an older list", () => {
    const listed = (tools: number, isMore: boolean): DeliveryEvent => ({
      kind: "listed",
      server: "sparkle",
      tools,
      isMore,
    });
    const {
      servers: [sparkle],
    } = run([
      { kind: "connected", server: "sparkle" },
      listed(20, false),
      listed(8, true),
      listed(20, false),
      listed(9, true),
    ]);
    const expected: ToolDelivery = {
      server: "sparkle",
      transport: "http",
      stage: "listed",
      connections: 1,
      offered: 29,
      listed: 29,
      calls: 0,
    };
    deepEqual(sparkle, expected);
  });

  test("offers the number of tools in the newest list, even if it is shorter", () => {
    const listed = (tools: number): DeliveryEvent => ({ kind: "listed", server: "sparkle", tools, isMore: false });
    deepEqual(
      [run([listed(9)]), run([listed(9), listed(4)])].map(({ servers: [sparkle] }) => sparkle?.offered),
      [9, 4],
    );
  });

  test("records a failed tool count without advancing the agent's stage", () => {
    const {
      servers: [sparkle],
    } = run([{ kind: "countFailed", server: "sparkle" }]);
    deepEqual([sparkle?.stage, sparkle?.listFailed], ["offered", true]);
  });

  test("records a list error until a list succeeds", () => {
    const failed = run([
      { kind: "connected", server: "cargo" },
      { kind: "listFailed", server: "cargo" },
      { kind: "turnEnded", isCompleted: true },
    ]);
    deepEqual(
      missing(failed).map(each => [each.server, each.listFailed]),
      [
        ["sparkle", undefined],
        ["ferris", undefined],
        ["cargo", true],
      ],
    );
    deepEqual(
      missing(step(failed, { kind: "listed", server: "cargo", tools: 3, isMore: false })).map(each => each.server),
      ["sparkle", "ferris"],
    );
  });
});
