import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import fc from "fast-check";
import { cancelled } from "./install/store/install-error";
import { extensionEnded } from "../errors";
import type { Closed } from "../rpc/channel";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../testing/memory-agent";
import {
  AgentStatusTracker,
  withEvent,
  INITIAL_STATUS,
  trackedConnect,
  type AgentStatus,
  type StatusEvent,
} from "./agent-status-tracker";
import { AgentConnection } from "../acp/connection";
import type { AgentKey } from "./pool";

const status: fc.Arbitrary<StatusEvent> = fc.oneof(
  fc.record({ kind: fc.constant("started" as const), canLogOut: fc.boolean() }),
  fc.record({ kind: fc.constant("ended" as const), why: fc.string() }),
  fc.constant<StatusEvent>({ kind: "ended" }),
  fc.record({ kind: fc.constant("failed" as const), why: fc.string() }),
  fc.record({ kind: fc.constant("session" as const), signIn: fc.constantFrom("in" as const, "needed" as const) }),
  fc.constant<StatusEvent>({ kind: "well" }),
);

suite("AgentStatusTracker", () => {
  test("tracks running processes, the last failure until the next start, and the sign-in state", () =>
    fc.assert(
      fc.property(fc.array(status), events => {
        let now: AgentStatus = INITIAL_STATUS,
          running = 0,
          error: string | undefined,
          signIn: string | undefined;
        for (const [at, event] of events.entries()) {
          now = withEvent(now, event, at);
          if (event.kind === "started") running++;
          if (event.kind === "ended") running = Math.max(0, running - 1);
          if (event.kind === "started" || event.kind === "well") error = undefined;
          if ((event.kind === "ended" || event.kind === "failed") && event.why !== undefined)
            error = `${event.why} ${at}`;
          if (event.kind === "session") signIn = event.signIn;
          deepEqual(
            [now.running, now.lastError && `${now.lastError.sentence} ${now.lastError.at}`, now.signIn],
            [running, error, signIn],
          );
        }
      }),
    ));

  test("notifies once per microtask and agent, only about changes", async () => {
    const notifications: string[] = [],
      statusTracker = new AgentStatusTracker(
        (of, id) => notifications.push(`${of} ${id}`),
        () => 7,
      );
    statusTracker.onStatus("agent", "a", { kind: "started" });
    statusTracker.onStatus("agent", "a", { kind: "session", signIn: "in" });
    statusTracker.onStatus("extension", "a", { kind: "failed", why: "No." });
    deepEqual(notifications, []);
    await Promise.resolve();
    deepEqual(notifications.splice(0), ["agent a", "extension a"]);
    statusTracker.onStatus("agent", "a", { kind: "session", signIn: "in" });
    statusTracker.onStatus("agent", "a", { kind: "well" });
    await Promise.resolve();
    deepEqual(notifications, []);
    deepEqual(
      [statusTracker.of("agent", "a"), statusTracker.of("extension", "a"), statusTracker.of("agent", "b")],
      [{ running: 1, signIn: "in" }, { running: 0, lastError: { sentence: "No.", at: 7 } }, { running: 0 }],
    );
    statusTracker.changed("agent", "b");
    await Promise.resolve();
    deepEqual(notifications, ["agent b"]);
  });
});

suite("observed connections", () => {
  const key: AgentKey = {
    cwd: "/w",
    protocol: 1,
    agent: { id: "ada", name: "Ada", distribution: { local: { command: "x" } } },
  };
  class Fixture {
    readonly statusTracker = new AgentStatusTracker(
      () => undefined,
      () => 7,
    );
    readonly connect = trackedConnect(
      key =>
        AgentConnection.connect(this.agent.channel, {
          name: key.agent.name,
          version: "1",
          protocol: 1,
          clock: new FakeClock(),
          onWarning: () => undefined,
          lastWords: () => "",
          stop: async () => undefined,
          failure: () => this.failure,
        }),
      this.statusTracker,
    );
    /** Reason for the end of the chain. */
    failure: Closed | undefined;
    constructor(readonly agent: MemoryAgent) {}
    get seen(): AgentStatus {
      return this.statusTracker.of("agent", "ada");
    }
  }
  const never = new AbortController().signal,
    listener = {
      opened: () => undefined,
      isAsking: () => false,
      update: () => undefined,
      request: () => undefined,
      elicitationCompleted: () => undefined,
      closed: () => undefined,
    };

  test("reports a start, a signed-in user and an unexpected exit", async () => {
    const fixture = new Fixture(
        new MemoryAgent([], {
          protocolVersion: 1,
          agentCapabilities: { auth: { logout: {} } },
          authMethods: [{ id: "x", name: "X" }],
        }),
      ),
      connection = await fixture.connect(key, never);
    deepEqual(fixture.seen, { running: 1, canLogOut: true });
    await connection.newSession("/w", listener);
    deepEqual(fixture.seen, { running: 1, canLogOut: true, signIn: "in" });
    await fixture.agent.die();
    const { message } = await connection.closed;
    deepEqual(fixture.seen, { running: 0, canLogOut: true, signIn: "in", lastError: { sentence: message, at: 7 } });
    ok(message !== "");
  });

  test("reports no failure for a connection that is ended or abandoned", async () => {
    const fixture = new Fixture(new MemoryAgent()),
      connection = await fixture.connect(key, never);
    await connection.end({ message: "Enough." });
    deepEqual(fixture.seen, { running: 0, canLogOut: false });
    const abandoned = new Fixture(new MemoryAgent(["initialize"])),
      abort = new AbortController(),
      connecting = abandoned.connect(key, abort.signal);
    abort.abort(new Error("no caller waits"));
    await abandoned.agent.die();
    await rejects(connecting);
    deepEqual(abandoned.seen, INITIAL_STATUS);
  });

  test("reports no failure for an agent stopped by an extension's end, running or starting", async () => {
    const ran = new Fixture(new MemoryAgent()),
      { closed } = await ran.connect(key, never);
    ran.failure = extensionEnded("The agent extension “X” exited unexpectedly.", undefined);
    await ran.agent.die();
    deepEqual([(await closed).message, ran.seen], [ran.failure.message, { running: 0, canLogOut: false }]);
    const starting = new Fixture(new MemoryAgent(["initialize"])),
      connecting = starting.connect(key, never);
    starting.failure = ran.failure;
    await starting.agent.die();
    await rejects(connecting, ran.failure);
    deepEqual(starting.seen, INITIAL_STATUS);
  });

  test("reports no failure for a cancelled installation", async () => {
    const statusTracker = new AgentStatusTracker(
      () => undefined,
      () => 7,
    );
    await rejects(
      trackedConnect(async () => {
        throw cancelled();
      }, statusTracker)(key, never),
    );
    deepEqual(statusTracker.of("agent", "ada"), INITIAL_STATUS);
  });

  test("reports a failed start and a required sign-in", async () => {
    const fixture = new Fixture(new MemoryAgent(["initialize"])),
      connecting = fixture.connect(key, never);
    (await fixture.agent.next("initialize")).fail(new Error("not today"));
    await rejects(connecting);
    equal(fixture.seen.running, 0);
    ok(fixture.seen.lastError?.sentence.startsWith("Ada returned an error"), fixture.seen.lastError?.sentence);
  });
});
