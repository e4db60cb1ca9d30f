import { deepEqual, equal, rejects } from "node:assert/strict";
import { RpcCode, RpcError } from "../rpc/message";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../testing/memory-agent";
import { AgentStatusTracker, trackedConnect } from "./agent-status-tracker";
import { AgentConnection } from "../acp/connection";
import { AgentPool } from "./pool";
import { signOut } from "./sign-out";
import { turn } from "../testing/turn";

const ADA = { id: "ada", name: "Ada", distribution: { local: { command: "x" } } };

class Fixture {
  readonly agents: MemoryAgent[] = [];
  readonly did: string[] = [];
  stored: Record<string, string> = {};
  isThere = true;
  readonly statusTracker = new AgentStatusTracker(
    () => undefined,
    () => 7,
  );
  readonly pool: AgentPool;

  /** `create` returns undefined if the agent cannot be started. */
  constructor(create: () => MemoryAgent | undefined) {
    this.pool = new AgentPool(
      trackedConnect(async () => {
        const agent = create();
        if (!agent) throw new Error("Ada could not be started.");
        this.agents.push(agent);
        return AgentConnection.connect(agent.channel, {
          name: "Ada",
          version: "1",
          protocol: 1,
          clock: new FakeClock(),
          onWarning: () => undefined,
          lastWords: () => "",
          stop: async () => {
            this.did.push("stopped");
          },
        });
      }, this.statusTracker),
      error => {
        throw error;
      },
    );
  }
  open() {
    return this.pool.acquire({ agent: ADA, cwd: "/w", protocol: 1 }, new AbortController().signal);
  }
  signOut(): Promise<void> {
    return signOut(ADA, "/w", {
      pool: this.pool,
      statusTracker: this.statusTracker,
      isThere: async () => this.isThere,
      keys: {
        stored: async () => this.stored,
        forget: async id => {
          this.did.push(`forgot ${id}`);
          this.stored = {};
        },
      },
    });
  }
}
const able = () =>
  new MemoryAgent([], {
    protocolVersion: 1,
    agentCapabilities: { auth: { logout: {} } },
    authMethods: [{ id: "x", name: "X" }],
  });

suite("sign-out", () => {
  test("sends logout to a running agent, deletes its keys and ends its processes with a reason", async () => {
    const fixture = new Fixture(able),
      lease = await fixture.open(),
      leaving = fixture.signOut();
    (await fixture.agents[0]!.next("logout")).respond({});
    await leaving;
    equal((await lease.connection.closed).message, "You signed out of Ada. Ada restarts with your next prompt.");
    await turn();
    deepEqual([fixture.did, fixture.agents.length], [["forgot ada", "stopped"], 1]);
    deepEqual(fixture.statusTracker.of("agent", "ada"), { running: 0, canLogOut: true, signIn: "needed" });
  });

  test("starts an agent only for its logout", async () => {
    const fixture = new Fixture(able),
      leaving = fixture.signOut();
    await turn();
    (await fixture.agents[0]!.next("logout")).respond({});
    await leaving;
    await fixture.pool[Symbol.asyncDispose]();
    deepEqual([fixture.did, fixture.statusTracker.of("agent", "ada").running], [["forgot ada", "stopped"], 0]);
  });

  test("deletes the keys of an agent without logout and rejects if it has none", async () => {
    const fixture = new Fixture(() => new MemoryAgent()),
      { connection } = await fixture.open();
    await rejects(fixture.signOut(), {
      message: "Ada does not support signing out. Sign out with its own command line.",
    });
    deepEqual([fixture.did, connection.isEnded], [[], false]);
    fixture.stored = { KEY: "k" };
    await fixture.signOut();
    await turn();
    deepEqual([fixture.did, connection.isEnded], [["forgot ada", "stopped"], true]);
    const idle = new Fixture(() => new MemoryAgent());
    await rejects(idle.signOut(), /does not support signing out/);
    await turn();
    deepEqual(idle.did, ["stopped"], "what was started to be told does not stay");
  });

  test("deletes the keys and reports the error when logout fails", async () => {
    const fixture = new Fixture(able),
      { connection } = await fixture.open(),
      leaving = fixture.signOut();
    (await fixture.agents[0]!.next("logout")).fail(new RpcError(RpcCode.internalError, "the disk is full"));
    await rejects(
      leaving,
      /^AgentError: Ada may still be signed in: Ada returned an error: the disk is full\. Sign out with its own command line\.$/,
    );
    await turn();
    deepEqual([fixture.did, connection.isEnded], [["forgot ada", "stopped"], true]);
    equal(fixture.statusTracker.of("agent", "ada").signIn, undefined, "it may know its user still, and be asked again");
  });

  test("does not install a missing agent, deletes its keys, and rejects without keys", async () => {
    const fixture = new Fixture(able);
    fixture.isThere = false;
    await rejects(fixture.signOut(), {
      message: "Ada is not installed, so there is no session to sign out of. Sign out with its own command line.",
    });
    fixture.stored = { KEY: "k" };
    await fixture.signOut();
    deepEqual([fixture.agents, fixture.did], [[], ["forgot ada"]]);
    const { connection } = await fixture.open(),
      leaving = fixture.signOut();
    (await fixture.agents[0]!.next("logout")).respond({});
    await leaving;
    equal(connection.isEnded, true, "one that runs is told, whatever became of its files");
  });

  test("deletes the keys of an agent that cannot start, and rejects without keys", async () => {
    const fixture = new Fixture(() => undefined);
    await rejects(fixture.signOut(), /Ada may still be signed in: Ada could not be started\./);
    fixture.stored = { KEY: "k" };
    await fixture.signOut();
    deepEqual(fixture.did, ["forgot ada", "forgot ada"]);
  });
});
