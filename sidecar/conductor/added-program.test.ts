/**
 * A user's program as an MCP server that the sidecar starts (issue 14 item 2): its life cycle, its failures, and its
 * record.
 */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { CreateMessageRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { mcpBridge } from "./mcp-bridge";
import { agentExited } from "../errors";
import { MemoryEvidence } from "../mcp/delivery/delivery-evidence";
import { DeliveryTracker } from "../mcp/delivery/delivery-tracker";
import { ANSWER_LIMIT_MS, MAX_FAILURES, MAX_PROCESSES } from "../mcp/program-server";
import { Frame } from "../rpc/frame";
import type { JsonObject } from "../rpc/json";
import { memoryChannels } from "../rpc/memory-channel";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { initialized, MemoryProgram } from "../testing/mcp/habit-agent";
import { TOOLS } from "../testing/mcp/many-tools";
import { connected, Fixture } from "../testing/mcp/mcp-fixture";
import { addedServer, type ServerStarter } from "../proxies/added-server";

const SERVER = { command: "/bin/git-mcp", args: ["--stdio"], env: {} };

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly tracker = new DeliveryTracker();
  readonly evidence = new MemoryEvidence();
  readonly fixture: Fixture;

  constructor(start: ServerStarter["start"], agent: JsonObject = initialized(1)) {
    const added = addedServer("Git", "git", SERVER, { starter: { clock: this.clock, start } });
    this.fixture = new Fixture({
      stages: [added, mcpBridge({ clock: this.clock, deliveries: this.tracker, evidence: this.evidence })],
      initialized: agent,
      agent: request => {
        if (request.method === "session/prompt") request.respond({ stopReason: "end_turn" });
        return request.method === "session/prompt";
      },
    });
  }

  async session(): Promise<{ readonly id: string; readonly server: JsonObject }> {
    if (this.fixture.setups.length === 0) await this.fixture.initialize();
    const {
      sessionId,
      servers: [server],
    } = await this.fixture.setup("session/new", { cwd: "/project", mcpServers: [] });
    return { id: String(sessionId), server: server! };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise(setImmediate);
};

suite("MCP servers added by the user", () => {
  test("starts in the session's folder, once per connection of the agent, and stops with the connections", async () => {
    const program = new MemoryProgram();
    await using rig = new Rig(program.start);
    const { id, server } = await rig.session();
    equal(server.type, "http");
    equal(program.starts, 1);
    for (let i = 0; i < 7; i++) {
      await using client = await connected(server);
      equal((await client.listTools()).tools.length, TOOLS);
      match(JSON.stringify(await client.callTool({ name: "tool_1", arguments: { a: 1 } })), /tool_1/);
      equal(program.starts, i + 1);
    }
    deepEqual(rig.tracker.of(id)?.servers, [
      { server: "git", transport: "http", stage: "called", offered: TOOLS, connections: 7, listed: TOOLS, calls: 7 },
    ]);
    await rig.session();
    equal(program.starts, 8);
    await rig.fixture.client.request("session/close", { sessionId: id });
    await until(() => program.stops >= 7);
    await rig.fixture[Symbol.asyncDispose]();
    await until(() => program.stops >= 8);
  });

  test("forwards the program's roots and sampling requests to the agent", async () => {
    await using rig = new Rig(new MemoryProgram().start);
    const { server } = await rig.session();
    await using client = await connected(
      server,
      each => {
        each.setRequestHandler(CreateMessageRequestSchema, () => ({
          model: "m",
          role: "assistant" as const,
          content: { type: "text" as const, text: "The agent's model" },
        }));
        each.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///project" }] }));
      },
      { sampling: {}, roots: {} },
    );
    match(JSON.stringify(await client.callTool({ name: "roots", arguments: {} })), /file:\/\/\/project/);
    match(JSON.stringify(await client.callTool({ name: "sample", arguments: {} })), /The agent's model/);
  });

  test("forwards the program's instructions, progress and cancellations", async () => {
    await using rig = new Rig(new MemoryProgram().start);
    const { server } = await rig.session();
    await using client = await connected(server);
    equal(client.getInstructions(), "Use them all.");
    const progress: number[] = [];
    await client.callTool({ name: "progress", arguments: {} }, undefined, {
      onprogress: each => progress.push(each.progress),
    });
    deepEqual(progress, [1, 2, 3]);
    const stop = new AbortController(),
      call = client.callTool({ name: "wait", arguments: {} }, undefined, { signal: stop.signal });
    stop.abort();
    await rejects(call);
  });

  test("declares the program itself, recorded as not observed, to an agent that does not advertise http", async () => {
    const program = new MemoryProgram();
    await using rig = new Rig(program.start, initialized(1, false));
    const { id, server } = await rig.session();
    deepEqual([server, program.starts], [{ name: "git", command: "/bin/git-mcp", args: ["--stdio"], env: [] }, 0]);
    deepEqual([rig.tracker.of(id)?.servers, rig.tracker.of(id)?.direct], [[], ["git"]]);
    await rig.fixture.client.request("session/prompt", { sessionId: id, prompt: [] });
    deepEqual(
      [rig.evidence.tools("habit 1")?.direct, rig.evidence.of("habit 1"), rig.tracker.of(id)?.missing],
      [[{ server: "git" }], undefined, []],
    );
  });

  test("reports a failed start to the agent, the log and the record, without evidence about the agent", async () => {
    await using rig = new Rig(() => {
      throw new Error("The MCP server “Git” could not be started: “/bin/git-mcp” was not found.");
    });
    const { id, server } = await rig.session();
    await rejects(connected(server), /“Git” could not be started: “\/bin\/git-mcp” was not found/);
    await rig.fixture.client.request("session/prompt", { sessionId: id, prompt: [] });
    deepEqual(
      rig.tracker.of(id)?.servers.map(({ stage, listFailed }) => [stage, listFailed]),
      [["connected", true]],
    );
    equal(rig.evidence.of("habit 1"), undefined);
    match(rig.fixture.warnings[0] ?? "", /the MCP server “Git” failed: .*was not found/);
  });

  test("fails the running call with the last output on exit and restarts for the next connection", async () => {
    const starts: { exit(): void }[] = [],
      program = new MemoryProgram();
    await using rig = new Rig((...given) => {
      const running = program.start(...given),
        { channel } = running;
      let fail = (): void => undefined;
      starts.push({ exit: () => fail() });
      return {
        stop: running.stop,
        channel: {
          ...bound(channel),
          start: receiver => {
            fail = () => receiver.closed(agentExited("The MCP server “Git”", "exit code 3", "no licence was found"));
            channel.start(receiver);
          },
        },
      };
    });
    const { server } = await rig.session();
    await using client = await connected(server);
    const call = client.callTool({ name: "wait", arguments: {} });
    call.catch(() => undefined);
    await until(() => program.notes.includes("wait began"));
    starts[0]?.exit();
    await rejects(
      call,
      /The MCP server “Git” exited unexpectedly \(exit code 3\)\. Its last output: no licence was found/,
    );
    await using next = await connected(server);
    match(JSON.stringify(await next.callTool({ name: "tool_2", arguments: {} })), /tool_2/);
    equal(program.starts, 2);
  });

  test(`starts a program that keeps exiting at most ${MAX_FAILURES} times`, async () => {
    let starts = 0;
    await using rig = new Rig(() => {
      const [channel, far] = memoryChannels();
      starts++;
      void far[Symbol.asyncDispose]();
      return { channel, stop: async () => channel[Symbol.asyncDispose]() };
    });
    const { server } = await rig.session();
    for (let i = 0; i < MAX_FAILURES + 1; i++) await rejects(connected(server));
    await rejects(connected(server), new RegExp(`“Git” failed ${MAX_FAILURES} times in this session`));
    equal(starts, MAX_FAILURES);
  });

  test(`runs at most ${MAX_PROCESSES} processes and closes the connection idle longest to open another`, async () => {
    const program = new MemoryProgram();
    await using rig = new Rig(program.start);
    const { server } = await rig.session();
    const clients = await Promise.all(Array.from({ length: MAX_PROCESSES }, () => connected(server)));
    await clients[0]?.listTools();
    for (const prompt of [1, 2]) {
      const client = await connected(server);
      equal((await client.listTools()).tools.length, TOOLS);
      await until(() => program.stops === prompt);
      clients.push(client);
    }
    await clients[0]?.listTools();
    await rejects(clients[1]?.listTools() ?? Promise.resolve());
    await Promise.all(clients.map(client => client[Symbol.asyncDispose]()));
  });

  test(`rejects a new connection while ${MAX_PROCESSES} connections answer requests`, async () => {
    const program = new MemoryProgram();
    await using rig = new Rig(program.start);
    const { server } = await rig.session();
    const clients = await Promise.all(Array.from({ length: MAX_PROCESSES }, () => connected(server)));
    const calls = clients.map(client => client.callTool({ name: "wait", arguments: {} }).catch(() => undefined));
    await until(() => program.notes.filter(note => note === "wait began").length === MAX_PROCESSES);
    await rejects(connected(server), new RegExp(`“Git” already serves ${MAX_PROCESSES} connections`));
    await Promise.all(clients.map(client => client[Symbol.asyncDispose]()));
    await Promise.all(calls);
  });

  test("stops a process that only counted its tools for the record", async () => {
    const program = new MemoryProgram();
    await using rig = new Rig(program.start);
    const { id } = await rig.session();
    const turn = rig.fixture.client.request("session/prompt", { sessionId: id, prompt: [] });
    await until(() => rig.tracker.of(id)?.servers[0]?.offered === TOOLS);
    await until(() => program.stops === 1);
    rig.clock.advance(5_000);
    await turn;
    equal(program.starts, 1);
  });

  test("rejects a request whose result is not an object", async () => {
    const program = new MemoryProgram();
    await using rig = new Rig((...given) => {
      const running = program.start(...given),
        { channel } = running;
      let answer = (frame: Frame): void => void frame;
      return {
        stop: running.stop,
        channel: {
          ...bound(channel),
          start: receiver => {
            answer = frame => void receiver.receive(frame);
            channel.start(receiver);
          },
          send: frame => {
            const { message } = frame;
            if (!("method" in message) || message.method !== "tools/call" || !("id" in message))
              return channel.send(frame);
            answer(Frame.of({ jsonrpc: "2.0", id: message.id, result: null }));
            return true;
          },
        },
      };
    });
    const { server } = await rig.session();
    await using client = await connected(server);
    await rejects(client.callTool({ name: "tool_1", arguments: {} }), /a result that is not an object/);
  });

  test("times out the agent's request after 60 seconds without delaying the first prompt for 5 seconds", async () => {
    let stops = 0;
    await using rig = new Rig(() => {
      const [channel] = memoryChannels();
      return {
        channel,
        stop: async () => {
          stops++;
          await channel[Symbol.asyncDispose]();
        },
      };
    });
    const { id, server } = await rig.session(),
      client = connected(server);
    client.catch(() => undefined);
    await until(() => rig.tracker.of(id)?.servers[0]?.stage === "connected");
    const turn = rig.fixture.client.request("session/prompt", { sessionId: id, prompt: [] });
    await until(() => rig.clock.waiting > 2);
    rig.clock.advance(2_000);
    await turn;
    equal(rig.evidence.of("habit 1"), undefined);
    rig.clock.advance(ANSWER_LIMIT_MS);
    await rejects(client, /“Git” did not respond within 60 seconds/);
    equal(stops > 0, true);
  });

  test("answers requests while the program floods its output with unrequested messages", async () => {
    const program = new MemoryProgram();
    await using rig = new Rig((...given) => {
      const running = program.start(...given),
        { channel } = running;
      return {
        stop: running.stop,
        channel: {
          ...bound(channel),
          start: receiver => {
            channel.start(receiver);
            const note = {
              jsonrpc: "2.0",
              method: "notifications/message",
              params: { level: "info", data: "x" },
            } as const;
            for (let i = 0; i < 10_000; i++) void receiver.receive(Frame.of(note));
          },
        },
      };
    });
    const { server } = await rig.session();
    await using client = await connected(server);
    equal((await client.listTools()).tools.length, TOOLS);
  });
});

function bound(channel: ReturnType<typeof memoryChannels>[0]): typeof channel {
  return {
    start: receiver => channel.start(receiver),
    send: frame => channel.send(frame),
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}
