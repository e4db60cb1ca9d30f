import { deepEqual, equal, rejects } from "node:assert/strict";
import { RpcCode, RpcError } from "../rpc/message";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../testing/memory-agent";
import { AgentConnection, INITIALIZE_LIMIT_MS, NEW_SESSION_LIMIT_MS, type SessionListener } from "./connection";
import { turn } from "../testing/turn";
import { deferred } from "../../src/protocol/wire/deferred";

class Fixture {
  readonly clock = new FakeClock();
  readonly warnings: string[] = [];
  readonly notifications: string[] = [];
  connect(agent: MemoryAgent, role?: "lm"): Promise<AgentConnection> {
    return AgentConnection.connect(agent.channel, {
      name: "Ada",
      version: "1",
      protocol: 1,
      ...(role ? { role } : {}),
      clock: this.clock,
      onWarning: what => this.warnings.push(what),
      lastWords: () => "boot…",
      stop: async () => {
        this.notifications.push("stopped");
      },
    });
  }
  listener(name: string, received: string[]): SessionListener {
    return {
      opened: () => undefined,
      isAsking: () => false,
      update: update => {
        received.push(`${name} ${JSON.stringify(update)}`);
      },
      request: request => {
        received.push(`${name} asks`);
        request.respond({});
      },
      elicitationCompleted: id => received.push(`${name} completed ${id}`),
      closed: reason => received.push(`${name} closed: ${reason.message}`),
    };
  }
}
const open = async (connection: AgentConnection, listener: SessionListener): Promise<string> =>
  (await connection.newSession("/w", listener)).sessionId;

suite("AgentConnection", () => {
  test("delivers an update sent before the session/new response first", async () => {
    const agent = new MemoryAgent(["session/new"]),
      fixture = new Fixture(),
      received: string[] = [];
    await using connection = await fixture.connect(agent);
    const opened = connection.newSession("/w", fixture.listener("a", received));
    const request = await agent.next("session/new");
    agent.update("x", 1);
    request.respond({ sessionId: "x" });
    agent.update("x", 2);
    equal((await opened).sessionId, "x");
    await turn();
    deepEqual(received, ["a 1", "a 2"]);
  });

  test("delivers updates per session and none after the session is left", async () => {
    const agent = new MemoryAgent(),
      fixture = new Fixture(),
      received: string[] = [];
    await using connection = await fixture.connect(agent);
    const [one, two] = [
      await open(connection, fixture.listener("1", received)),
      await open(connection, fixture.listener("2", received)),
    ];
    agent.update(two, "b");
    agent.update(one, "a");
    await turn();
    connection.leave(one);
    agent.update(one, "late");
    await turn();
    deepEqual(received, [`2 "b"`, `1 "a"`]);
    agent.update("never", "?");
    await turn();
    deepEqual(
      fixture.warnings,
      ["update for an unknown session"],
      "late words of a session that was left are nothing odd",
    );
    deepEqual(agent.received, ["initialize", "session/new", "session/new", "session/close"]);
  });

  test("ends a turn after its last update and before later ones", async () => {
    const agent = new MemoryAgent(),
      fixture = new Fixture(),
      received: string[] = [];
    await using connection = await fixture.connect(agent);
    const session = await open(connection, fixture.listener("1", received));
    connection.prompt(session, [], ({ kind }) => received.push(kind));
    const prompt = await agent.next("session/prompt");
    agent.update(session, 1);
    agent.update(session, 2);
    prompt.respond({ stopReason: "end_turn" });
    agent.update(session, 3);
    await turn();
    deepEqual(received, ["1 1", "1 2", "stopped", "1 3"]);
  });

  test("reports the agent's exit once per session, without a turn end", async () => {
    const agent = new MemoryAgent(),
      fixture = new Fixture(),
      received: string[] = [];
    const connection = await fixture.connect(agent);
    const session = await open(connection, fixture.listener("1", received));
    connection.prompt(session, [], ({ kind }) => received.push(kind));
    await agent.next("session/prompt");
    await agent.die();
    await connection.closed;
    deepEqual(received, ["1 closed: The other side closed the connection."]);
  });

  test("routes a request sent before the session/new response to its session", async () => {
    const agent = new MemoryAgent(["session/new"]),
      fixture = new Fixture(),
      received: string[] = [];
    await using connection = await fixture.connect(agent);
    const opened = connection.newSession("/w", fixture.listener("a", received));
    const request = await agent.next("session/new");
    agent.update("x", 1);
    const asked = agent.peer.request("session/request_permission", { sessionId: "x", options: [{}] });
    const misrouted = rejects(
      agent.peer.request("session/request_permission", { sessionId: "never", options: [{}] }),
      (error: unknown) => error instanceof RpcError && error.code === -32002,
    );
    request.respond({ sessionId: "x" });
    await Promise.all([opened, asked, misrouted]);
    deepEqual(received, ["a 1", "a asks"]);
  });

  test("rejects a duplicate session id and keeps the first session", async () => {
    const agent = new MemoryAgent(["session/new"]),
      fixture = new Fixture(),
      received: string[] = [];
    await using connection = await fixture.connect(agent);
    const answer = () => agent.next("session/new").then(request => request.respond({ sessionId: "same" }));
    void answer();
    await open(connection, fixture.listener("1", received));
    void answer();
    await rejects(connection.newSession("/w", fixture.listener("2", received)), /has the id of another session/);
    agent.update("same", "mine");
    await turn();
    deepEqual(received, [`1 "mine"`]);
  });

  test("closes a session that opens after its time limit", async () => {
    const agent = new MemoryAgent(["session/new"]),
      fixture = new Fixture(),
      received: string[] = [];
    await using connection = await fixture.connect(agent);
    const failed = rejects(
      connection.newSession("/w", fixture.listener("1", received)),
      /did not respond within 60 seconds/,
    );
    const request = await agent.next("session/new");
    fixture.clock.advance(NEW_SESSION_LIMIT_MS);
    await failed;
    request.respond({ sessionId: "ghost" });
    await turn();
    deepEqual(agent.received.at(-1), "session/close");
    agent.update("ghost", "boo");
    await turn();
    deepEqual(received, []);
  });

  test("reports the reason of the end to its sessions", async () => {
    const agent = new MemoryAgent(),
      fixture = new Fixture(),
      received: string[] = [];
    const connection = await fixture.connect(agent);
    await open(connection, fixture.listener("1", received));
    await connection.end({ message: "Ada was restarted." });
    deepEqual(received, ["1 closed: Ada was restarted."]);
  });

  test("rejects requests for unsupported methods by name", async () => {
    const agent = new MemoryAgent(),
      fixture = new Fixture();
    await using _ = await fixture.connect(agent);
    await rejects(
      agent.peer.request("fs/delete_everything", {}),
      (error: unknown) => error instanceof RpcError && error.code === -32601,
    );
    await rejects(
      agent.peer.request("session/request_permission", { sessionId: "nobody", options: [{}] }),
      (error: unknown) => error instanceof RpcError && error.code === -32002,
    );
  });

  test("suspends the session timeout while the agent waits for the user", async () => {
    const agent = new MemoryAgent(["session/new"]),
      fixture = new Fixture();
    await using connection = await fixture.connect(agent);
    let isAsking = true;
    const opened = connection.newSession("/w", { ...fixture.listener("1", []), isAsking: () => isAsking }),
      request = await agent.next("session/new");
    fixture.clock.advance(5 * NEW_SESSION_LIMIT_MS);
    isAsking = false;
    request.respond({ sessionId: "x" });
    equal((await opened).sessionId, "x");
    const late = connection.newSession("/w", { ...fixture.listener("2", []), isAsking: () => isAsking }),
      failed = rejects(late, /within 60 seconds/);
    await agent.next("session/new");
    fixture.clock.advance(NEW_SESSION_LIMIT_MS);
    await failed;
  });

  test("times out initialize after two minutes", async () => {
    const agent = new MemoryAgent(["initialize"]),
      fixture = new Fixture();
    const connecting = fixture.connect(agent);
    const failed = rejects(connecting, /Ada did not respond within 120 seconds/);
    await agent.next("initialize");
    fixture.clock.advance(INITIALIZE_LIMIT_MS);
    await failed;
    deepEqual(fixture.notifications, ["stopped"]);
    equal(fixture.clock.waiting, 0);
  });

  test("rejects another protocol version, an error and an exit during initialize with a sentence", async () => {
    const fixture = new Fixture();
    await rejects(
      fixture.connect(new MemoryAgent([], { protocolVersion: 2 })),
      /Ada uses ACP version 2; this session supports version 1\./,
    );
    await rejects(
      fixture.connect(new MemoryAgent([], {})),
      /^AgentError: Ada is not an ACP agent: its response to initialize has no protocol version\./,
    );
    const failing = new MemoryAgent(["initialize"]);
    void failing.next("initialize").then(request => request.fail(new RpcError(-32000, "who are you")));
    await rejects(fixture.connect(failing), /^AgentError: Ada requires a sign-in\. Send your prompt again/);
    const exiting = new MemoryAgent(["initialize"]);
    void exiting.next("initialize").then(() => exiting.die());
    await rejects(fixture.connect(exiting), /closed the connection/);
    deepEqual(fixture.notifications, ["stopped", "stopped", "stopped", "stopped"]);
  });

  test("sends servers and metadata in the session setup", async () => {
    const agent = new MemoryAgent(["session/new", "session/fork"]),
      fixture = new Fixture();
    await using connection = await fixture.connect(agent);
    const opened = connection.newSession("/w", fixture.listener("a", []), {
        mcpServers: [{ name: "m" }],
        meta: { key: 1 },
      }),
      request = await agent.next("session/new");
    deepEqual(request.params, { cwd: "/w", mcpServers: [{ name: "m" }], _meta: { key: 1 } });
    request.respond({ sessionId: "x" });
    await opened;
    const forked = connection.fork("x", "/w", fixture.listener("b", [])),
      fork = await agent.next("session/fork");
    deepEqual(fork.params, { sessionId: "x", cwd: "/w", mcpServers: [] });
    fork.respond({ sessionId: "y" });
    equal((await forked).sessionId, "y");
  });

  for (const how of ["load", "resume"] as const)
    test(`delivers the history before the response and later updates after it (session/${how})`, async () => {
      const agent = new MemoryAgent([`session/${how}`]),
        fixture = new Fixture(),
        received: string[] = [];
      await using connection = await fixture.connect(agent);
      const opened = connection.reopen(
        how,
        "old",
        "/w",
        {
          ...fixture.listener("a", received),
          opened: result => {
            received.push(JSON.stringify(result));
          },
        },
        { meta: { key: 1 } },
      );
      const request = await agent.next(`session/${how}`);
      deepEqual(request.params, { sessionId: "old", cwd: "/w", mcpServers: [], _meta: { key: 1 } });
      for (let i = 0; i < 1_500; i++) agent.update("old", i);
      request.respond({ modes: 1 });
      agent.update("old", "new");
      equal((await opened).sessionId, "old");
      await turn();
      deepEqual([received.length, ...received.slice(-3)], [1_502, "a 1499", `{"modes":1}`, `a "new"`]);
    });

  test("leaves a session that fails to reopen, without notifying its listener, and allows a retry", async () => {
    const agent = new MemoryAgent(["session/load"]),
      fixture = new Fixture(),
      received: string[] = [];
    const connection = await fixture.connect(agent);
    const failed = rejects(connection.reopen("load", "old", "/w", fixture.listener("a", received)), /gone/);
    (await agent.next("session/load")).fail(new RpcError(-32002, "gone"));
    await failed;
    agent.update("old", "late");
    await turn();
    const rejection = rejects(
      connection.reopen("load", "old", "/w", fixture.listener("b", received)),
      /closed the connection/,
    );
    await rejects(connection.reopen("load", "old", "/w", fixture.listener("c", received)), /is already open/);
    await agent.next("session/load");
    await agent.die();
    await rejection;
    deepEqual(received, [], "its end is told by the rejection alone");
    deepEqual(fixture.warnings, []);
  });

  test("closes a session that reopens after its time limit", async () => {
    const agent = new MemoryAgent(["session/resume"]),
      fixture = new Fixture();
    await using connection = await fixture.connect(agent);
    const failed = rejects(connection.reopen("resume", "old", "/w", fixture.listener("a", [])), /within 60 seconds/),
      request = await agent.next("session/resume");
    fixture.clock.advance(NEW_SESSION_LIMIT_MS);
    await failed;
    request.respond({});
    await turn();
    equal(agent.received.at(-1), "session/close");
  });

  test("stops reading the agent while a listener is busy and then continues in order", async () => {
    const agent = new MemoryAgent(),
      fixture = new Fixture(),
      received: string[] = [];
    await using connection = await fixture.connect(agent);
    const { promise: busy, resolve: go } = deferred<void>();
    const slow = await open(connection, {
      ...fixture.listener("slow", received),
      update: update => {
        received.push(`slow ${String(update)}`);
        return update === 1 ? busy : undefined;
      },
    });
    const second = await open(connection, fixture.listener("other", received));
    agent.update(slow, 1);
    agent.update(slow, 2);
    agent.update(second, 3);
    await turn();
    deepEqual(received, ["slow 1"]);
    go();
    await turn();
    deepEqual(received, ["slow 1", "slow 2", "other 3"]);
  });

  test("advertises no client capabilities in VS Code's chat and accepts only permission requests", async () => {
    const agent = new MemoryAgent(["initialize"]),
      fixture = new Fixture(),
      received: string[] = [];
    const connecting = fixture.connect(agent, "lm"),
      request = await agent.next("initialize");
    deepEqual((request.params as { clientCapabilities: unknown }).clientCapabilities, {});
    request.respond({ protocolVersion: 1 });
    await using connection = await connecting;
    const sessionId = await open(connection, fixture.listener("a", received));
    for (const method of ["fs/read_text_file", "terminal/create", "elicitation/create"])
      await rejects(agent.peer.request(method, { sessionId }), { code: -32601 });
    await agent.peer.request("session/request_permission", { sessionId });
    deepEqual(received, ["a asks"]);
  });
});

suite("agent sign-in", () => {
  const connect = (agent: MemoryAgent, protocol: 1 | 2 = 1): Promise<AgentConnection> =>
    AgentConnection.connect(agent.channel, {
      name: "Ada",
      version: "1",
      protocol,
      clock: new FakeClock(),
      onWarning: () => undefined,
      lastWords: () => "",
      stop: async () => undefined,
    });
  const METHODS = [{ id: "key", name: "Key", type: "agent" }];

  const table: readonly [name: string, initialized: unknown, canLogOut: boolean][] = [
    ["v1 with logout", { protocolVersion: 1, agentCapabilities: { auth: { logout: {} } } }, true],
    ["v1 without logout", { protocolVersion: 1, agentCapabilities: { auth: {} }, authMethods: METHODS }, false],
    ["v1 with logout denied", { protocolVersion: 1, agentCapabilities: { auth: { logout: null } } }, false],
    [
      "v2 with a method",
      { protocolVersion: 2, capabilities: {}, authMethods: [{ methodId: "x", type: "_odd" }] },
      true,
    ],
    ["v2 without a method", { protocolVersion: 2, capabilities: { auth: { logout: {} } }, authMethods: [] }, false],
  ];
  for (const [name, initialized, canLogOut] of table)
    test(`detects logout support: ${name}`, async () => {
      await using connection = await connect(new MemoryAgent([], initialized), 2);
      equal(connection.canLogOut, canLogOut);
    });

  for (const [protocol, login, logout] of [
    [1, "authenticate", "logout"],
    [2, "auth/login", "auth/logout"],
  ] as const)
    test(`uses ${login} and ${logout} in v${protocol}`, async () => {
      const agent = new MemoryAgent([], { protocolVersion: protocol, authMethods: METHODS });
      await using connection = await connect(agent, protocol);
      const signingIn = connection.authenticate("key"),
        into = await agent.next(login);
      deepEqual(into.params, { methodId: "key" });
      into.respond({});
      await signingIn;
      const signingOut = connection.logout();
      (await agent.next(logout)).respond({});
      await signingOut;
      const failing = connection.logout();
      (await agent.next(logout)).fail(new RpcError(RpcCode.internalError, "the disk is full"));
      await rejects(failing, /the disk is full/);
    });

  test("notifies listeners of a required or completed sign-in, and none without sign-in methods", async () => {
    const agent = new MemoryAgent(["session/new"], { protocolVersion: 1, authMethods: METHODS }),
      received: string[] = [];
    await using connection = await connect(agent);
    connection.onSignIn(signIn => received.push(signIn));
    const refused = connection.newSession("/w", new Fixture().listener("a", []));
    (await agent.next("session/new")).fail(new RpcError(RpcCode.authRequired, "who are you"));
    await rejects(refused);
    const opened = connection.newSession("/w", new Fixture().listener("a", []));
    (await agent.next("session/new")).respond({ sessionId: "s" });
    await opened;
    deepEqual(received, ["needed", "in"]);
    const second: string[] = [];
    await using withoutSignIn = await connect(new MemoryAgent());
    withoutSignIn.onSignIn(signIn => second.push(signIn));
    await withoutSignIn.newSession("/w", new Fixture().listener("a", []));
    deepEqual(second, []);
  });

  test("distinguishes an ended connection from an exit", async () => {
    const agent = new MemoryAgent(),
      dead = await connect(agent),
      ended = await connect(new MemoryAgent());
    await agent.die();
    await dead.closed;
    await ended.end({ message: "Enough." });
    deepEqual([dead.isEnded, ended.isEnded], [false, true]);
  });
});
