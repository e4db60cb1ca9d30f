import { deepEqual, equal, rejects } from "node:assert/strict";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../testing/memory-agent";
import { AgentConnection } from "../acp/connection";
import { AgentPool, type AgentKey } from "./pool";
import { turn } from "../testing/turn";

class Fixture {
  readonly agents: MemoryAgent[] = [];
  readonly stopped: number[] = [];
  manual: readonly string[] = [];
  readonly signals: AbortSignal[] = [];
  readonly pool = new AgentPool(
    async (_, signal) => {
      this.signals.push(signal);
      const agent = new MemoryAgent(this.manual);
      const n = this.agents.push(agent);
      return AgentConnection.connect(agent.channel, {
        name: "Ada",
        version: "1",
        protocol: 1,
        clock: new FakeClock(),
        onWarning: () => undefined,
        lastWords: () => "",
        stop: async () => {
          this.stopped.push(n);
        },
      });
    },
    error => {
      throw error;
    },
  );
  acquire(key: AgentKey, signal: AbortSignal = new AbortController().signal) {
    return this.pool.acquire(key, signal);
  }
}
const key = (id: string, env: Record<string, string> = {}, cwd = "/w"): AgentKey => ({
  cwd,
  protocol: 1,
  agent: { id, name: id, distribution: { local: { command: "x", env } } },
});

suite("AgentPool", () => {
  test("shares one process between concurrent leases and stops it after the last release", async () => {
    const fixture = new Fixture();
    const [a, b] = await Promise.all([
      fixture.acquire(key("a", { A: "1", B: "2" })),
      fixture.acquire(key("a", { B: "2", A: "1" })),
    ]);
    equal(fixture.agents.length, 1);
    a.release();
    a.release();
    await turn();
    deepEqual(fixture.stopped, []);
    b.release();
    await turn();
    deepEqual(fixture.stopped, [1]);
  });

  test("starts separate processes for different commands, environments, folders and roles", async () => {
    const fixture = new Fixture();
    await Promise.all(
      [
        key("a"),
        key("b"),
        key("a", { A: "1" }),
        key("a", {}, "/other"),
        { ...key("a"), role: "lm" as const },
        { ...key("a"), role: "lm" as const },
      ].map(each => fixture.acquire(each)),
    );
    equal(fixture.agents.length, 5);
    await fixture.pool[Symbol.asyncDispose]();
    deepEqual(fixture.stopped.sort(), [1, 2, 3, 4, 5]);
  });

  test("starts separate processes for different extensions, orders and settings, but not for names", async () => {
    const fixture = new Fixture(),
      first = { id: "x", name: "X", _source: "custom", distribution: { local: { command: "x" } } } as const,
      second = { ...first, id: "y" };
    const lists = [
      [],
      [first],
      [second],
      [first, second],
      [second, first],
      [{ ...first, settings: { a: 1 } }],
      [{ ...first, distribution: { npx: { package: "x" } } }],
      [{ ...first, kind: "mcp" as const }],
      ...[
        { url: "https://a" },
        { url: "https://b" },
        { url: "https://b", headers: { A: "1" } },
        { url: "https://b", headers: { A: "2" } },
      ].map(http => [{ ...first, kind: "mcp" as const, distribution: { http } }]),
    ];
    const same = [
      undefined,
      [{ ...first, name: "Another", description: "d", version: "1", _source: "registry" as const }],
    ];
    await Promise.all(
      [...lists, ...same].map(extensions => fixture.acquire({ ...key("a"), ...(extensions ? { extensions } : {}) })),
    );
    equal(fixture.agents.length, lists.length);
    fixture.pool.restart({ ...key("a"), extensions: [first] }, { message: "again" });
    await fixture.acquire({ ...key("a"), extensions: [second] });
    equal(fixture.agents.length, lists.length);
    await fixture.pool[Symbol.asyncDispose]();
  });

  test("starts a new process after retiring one, which stops with its last lease or the pool", async () => {
    const fixture = new Fixture(),
      [old, other] = await Promise.all([fixture.acquire(key("a")), fixture.acquire(key("b"))]);
    fixture.pool.retire("a");
    const next = await fixture.acquire(key("a"));
    deepEqual(
      [next.connection === old.connection, (await fixture.acquire(key("b"))).connection === other.connection],
      [false, true],
    );
    old.release();
    await turn();
    deepEqual(fixture.stopped, [1]);
    fixture.pool.retire("a");
    await fixture.pool[Symbol.asyncDispose]();
    deepEqual(fixture.stopped.sort(), [1, 2, 3]);
  });

  test("restarts the retired process of a connection, not its replacement", async () => {
    const fixture = new Fixture(),
      [old] = await Promise.all([fixture.acquire(key("a")), fixture.acquire(key("a"))]);
    fixture.pool.retire("a");
    const next = await fixture.acquire(key("a"));
    for (const _ of [1, 2]) {
      fixture.pool.restart(key("a"), { message: "again" }, old.connection);
      await turn();
      deepEqual([fixture.stopped, (await fixture.acquire(key("a"))).connection === next.connection], [[1], true]);
    }
    await fixture.pool[Symbol.asyncDispose]();
  });

  test("does not reuse a process that exited, failed or was restarted", async () => {
    const fixture = new Fixture();
    await fixture.acquire(key("a"));
    await fixture.agents[0]!.die();
    await turn();
    await fixture.acquire(key("a"));
    equal(fixture.agents.length, 2);
    fixture.pool.restart(key("a"), { message: "again" });
    await fixture.acquire(key("a"));
    equal(fixture.agents.length, 3);
    fixture.manual = ["initialize"];
    const failing = fixture.acquire(key("b"));
    void fixture.agents[3]!.next("initialize").then(request => request.fail(new Error("no")));
    await rejects(failing);
    fixture.manual = [];
    await fixture.acquire(key("b"));
    equal(fixture.agents.length, 5);
  });

  test("stops a starting process when no request waits for it", async () => {
    const fixture = new Fixture();
    fixture.manual = ["initialize"];
    const controller = new AbortController(),
      abortController = new AbortController();
    const first = fixture.acquire(key("a"), controller.signal),
      second = fixture.acquire(key("a"), abortController.signal);
    const request = await fixture.agents[0]!.next("initialize");
    controller.abort();
    await turn();
    deepEqual(
      fixture.signals.map(({ aborted }) => aborted),
      [false],
    );
    abortController.abort();
    deepEqual(
      fixture.signals.map(({ aborted }) => aborted),
      [true],
    );
    request.fail(new Error("stopped"));
    await Promise.all([rejects(first), rejects(second)]);
  });

  test("releases a lease once when its signal aborts", async () => {
    const fixture = new Fixture(),
      staying = new AbortController();
    const lease = await fixture.acquire(key("a"), staying.signal),
      otherLease = await fixture.acquire(key("a"));
    staying.abort();
    lease.release();
    await turn();
    deepEqual(fixture.stopped, []);
    otherLease.release();
    await turn();
    deepEqual(fixture.stopped, [1]);
  });

  test("ends all processes of an agent, including starting ones, and no others", async () => {
    const fixture = new Fixture(),
      notifications: string[] = [];
    const [a, lm, b] = await Promise.all([
      fixture.acquire(key("a")),
      fixture.acquire({ ...key("a"), role: "lm" as const }),
      fixture.acquire(key("b")),
    ]);
    for (const [name, { connection }] of Object.entries({ a, lm, b }))
      void connection.closed.then(({ message }) => notifications.push(`${name}: ${message}`));
    fixture.manual = ["initialize"];
    const starting = fixture.acquire(key("a", {}, "/elsewhere"));
    starting.catch(() => undefined);
    equal(fixture.pool.connected("a"), a.connection);
    fixture.pool.endAll("a", { message: "Signed out." });
    equal(fixture.pool.connected("a"), undefined);
    deepEqual(
      fixture.signals.map(({ aborted }) => aborted),
      [true, true, false, true],
    );
    await Promise.all([a.connection.closed, lm.connection.closed]);
    deepEqual(notifications.sort(), ["a: Signed out.", "lm: Signed out."]);
    equal(fixture.pool.connected("b"), b.connection);
  });
});
