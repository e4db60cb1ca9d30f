import { deepEqual, equal, rejects } from "node:assert/strict";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { AgentConnection } from "../acp/connection";
import { AgentPool } from "../agents/pool";
import { MemoryAgent } from "../testing/memory-agent";
import { AgentSessions } from "./agent-sessions";

const config = (id: string): AgentConfig => ({ id, name: id.toUpperCase(), distribution: { local: { command: id } } });
const ALL = { list: {}, delete: {}, title: {}, archive: {} };
const session = (sessionId: string, more = {}) => ({
  sessionId,
  cwd: "/w",
  updatedAt: "2026-11-01T00:00:00Z",
  ...more,
});

class Play implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly agents: MemoryAgent[] = [];
  readonly logged: unknown[] = [];
  isInstalled = true;
  readonly hidden = new Set<string>();
  readonly pool: AgentPool;
  readonly sessions: AgentSessions;

  constructor(sessionCapabilities: object = ALL) {
    this.pool = new AgentPool(
      async ({ agent }) => {
        const memory = new MemoryAgent([], { protocolVersion: 1, agentCapabilities: { sessionCapabilities } });
        this.agents.push(memory);
        return AgentConnection.connect(memory.channel, {
          name: agent.name,
          version: "1",
          protocol: 1,
          clock: this.clock,
          onWarning: () => undefined,
          lastWords: () => "",
          stop: async () => undefined,
        });
      },
      error => {
        throw error;
      },
    );
    this.sessions = new AgentSessions({
      pool: this.pool,
      clock: this.clock,
      hidden: {
        refresh: () => undefined,
        add: (agentId, id) => this.hidden.add(`${agentId} ${id}`),
        has: (agentId, id) => this.hidden.has(`${agentId} ${id}`),
      },
      isInstalled: async () => this.isInstalled,
      log: (_, { error }) => this.logged.push(error),
    });
  }

  get ids(): readonly string[] {
    return this.sessions.list.map(({ ref }) => ref.sessionId);
  }

  /** Refreshes and responds to each request for a page. */
  async refresh(...pages: readonly object[]): Promise<boolean> {
    const refreshed = this.sessions.refresh([config("ada")], "/w");
    for (const page of pages) (await (await this.agent()).next("session/list")).respond(page);
    return refreshed;
  }

  async agent(): Promise<MemoryAgent> {
    while (this.agents.length === 0) await new Promise(resolve => setImmediate(resolve));
    return this.agents.at(-1)!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sessions[Symbol.asyncDispose]();
    await this.pool[Symbol.asyncDispose]();
  }
}

suite("agent sessions", () => {
  test("lists all pages of an agent, each session once", async () => {
    await using play = new Play();
    equal(
      await play.refresh(
        {
          sessions: [session("a"), { cwd: 1 }, session("x".repeat(5_000)), session("r", { cwd: "relative" })],
          nextCursor: "2",
        },
        { sessions: [session("a", { title: "A\n1" }), session("b")] },
      ),
      true,
    );
    deepEqual(
      play.sessions.list.map(({ ref, title, changedAt, agent }) => [ref.sessionId, title, changedAt, agent.name]),
      [
        ["a", "A 1", Date.parse("2026-11-01T00:00:00Z"), "ADA"],
        ["b", "", Date.parse("2026-11-01T00:00:00Z"), "ADA"],
      ],
    );
    equal(await play.refresh({ sessions: [session("a", { title: "A 1" }), session("b")] }), false);
    equal(play.agents.length, 1);
  });

  test("omits the sessions that are no chats", async () => {
    await using play = new Play();
    play.hidden.add("ada b");
    await play.refresh({ sessions: [session("a"), session("b")] });
    deepEqual(play.ids, ["a"]);
  });

  test("releases its process a minute after the last request", async () => {
    await using play = new Play();
    await play.refresh({ sessions: [] });
    play.clock.advance(59_000);
    await play.refresh({ sessions: [] });
    play.clock.advance(59_000);
    equal(play.pool.connected("ada") === undefined, false);
    play.clock.advance(1_000);
    equal(play.pool.connected("ada"), undefined);
  });

  test("uses the process of a tab", async () => {
    await using play = new Play();
    await play.pool.acquire({ agent: config("ada"), cwd: "/other", protocol: 1 }, new AbortController().signal);
    await play.refresh({ sessions: [session("a")] });
    equal(play.agents.length, 1);
    deepEqual(play.ids, ["a"]);
  });

  test("starts no agent that is not installed, and asks an agent without a list once", async () => {
    await using missing = new Play();
    missing.isInstalled = false;
    await missing.refresh();
    equal(missing.agents.length, 0);
    await using without = new Play({});
    await without.refresh();
    without.clock.advance(3_600_000);
    await without.refresh();
    deepEqual([without.agents.length, without.logged.length], [1, 1]);
  });

  test("asks an agent that failed again after a minute, and keeps its list", async () => {
    await using play = new Play();
    await play.refresh({ sessions: [session("a")] });
    const refreshed = play.sessions.refresh([config("ada")], "/w");
    (await play.agents[0]!.next("session/list")).fail(new Error("broken"));
    await refreshed;
    await play.refresh();
    deepEqual([play.ids, play.logged.length], [["a"], 1]);
    play.clock.advance(60_000);
    const again = play.sessions.refresh([config("ada")], "/w");
    while (play.agents.length < 2) await new Promise(resolve => setImmediate(resolve));
    (await play.agents[1]!.next("session/list")).respond({ sessions: [session("b")] });
    await again;
    deepEqual(play.ids, ["b"]);
  });

  test("forgets the sessions of an agent that is no longer configured", async () => {
    await using play = new Play();
    await play.refresh({ sessions: [session("a")] });
    equal(await play.sessions.refresh([], "/w"), true);
    deepEqual([play.ids, play.pool.connected("ada")], [[], undefined]);
  });

  test("renames, archives and deletes at an agent that offers it", async () => {
    await using play = new Play();
    await play.refresh({ sessions: [session("a"), session("b")] });
    const ref = (sessionId: string) => ({ kind: "agent", agentId: "ada", sessionId }) as const;
    const answer = async (method: string, request: Promise<void>): Promise<void> => {
      const { params, respond } = await play.agents[0]!.next(method).then(received => ({
        params: received.params,
        respond: () => received.respond({}),
      }));
      play.logged.push(params);
      respond();
      await request;
    };
    await answer("session/set_title", play.sessions.rename(ref("a"), "New"));
    await answer("session/archive", play.sessions.archive(ref("a"), true));
    await answer("session/delete", play.sessions.delete(ref("b")));
    deepEqual(play.logged, [{ sessionId: "a", title: "New" }, { sessionId: "a" }, { sessionId: "b" }]);
    deepEqual(
      play.sessions.list.map(({ ref: { sessionId }, title, isArchived }) => [sessionId, title, isArchived]),
      [["a", "New", true]],
    );
    await play.refresh({ sessions: [session("a")] });
    equal(play.sessions.list[0]?.isArchived, true, "the list of an agent does not contain it");
    await answer("session/unarchive", play.sessions.archive(ref("a"), false));
    equal(play.sessions.list[0]?.isArchived, undefined);
  });

  test("says what an agent does not offer", async () => {
    await using play = new Play({ list: {} });
    await play.refresh({ sessions: [session("a")] });
    const ref = { kind: "agent", agentId: "ada", sessionId: "a" } as const;
    await rejects(play.sessions.rename(ref, "x"), /ADA does not offer to rename/);
    await rejects(play.sessions.archive(ref, true), /does not offer to archive/);
    await rejects(play.sessions.delete(ref), /does not offer to delete/);
    await play.sessions.deleteStored("ada", "a");
    await play.sessions.deleteStored("unknown", "a");
    equal(play.logged.length, 2);
    deepEqual(play.ids, [], "the agent's copy is hidden");
    await play.refresh({ sessions: [session("a")] });
    deepEqual(play.ids, []);
  });
});
