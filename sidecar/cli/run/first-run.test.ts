import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "../../conductor/chain-entry";
import type { Channel } from "../../rpc/channel";
import { objectOr } from "../../rpc/json";
import { memoryChannels } from "../../rpc/memory-channel";
import { RpcError } from "../../rpc/message";
import { Peer, type IncomingRequest } from "../../rpc/peer";
import { MemoryAgent } from "../../testing/memory-agent";
import type { ConfigReading } from "./config-file";
import { FirstRun } from "./first-run";

const CONFIGURED = {
  kind: "config",
  text: `{"agent":"ada"}`,
  config: { agent: { name: "ada", command: { kind: "word", word: "ada" } }, proxies: [], ignored: [] },
} satisfies ConfigReading;

/** A client without a configuration. The test controls the file and the agents of the started chains. */
class Client implements AsyncDisposable {
  file: ConfigReading = { kind: "absent" };
  /** The agents of the chains, in the order of their starts. */
  readonly agents: MemoryAgent[] = [];
  /** Called with each chain. */
  serve: (chain: Channel) => Promise<number> = chain => this.connect(chain, new MemoryAgent());
  readonly updates: string[] = [];
  readonly warnings: string[] = [];
  readonly peer: Peer;
  readonly first: FirstRun;

  constructor() {
    const [theirs, ours] = memoryChannels();
    this.first = new FirstRun(theirs, {
      version: "1.0.0",
      read: () => Promise.resolve(this.file),
      create: () => {
        this.file = CONFIGURED;
        return Promise.resolve({ kind: "created", file: "config.jsonc" });
      },
      serve: (_configured, chain) => this.serve(chain),
      onWarning: warning => this.warnings.push(warning),
    });
    this.peer = new Peer(ours, {
      request: request => request.respond({ content: "text" }),
      notification: (_method, params) => {
        const { content } = objectOr(objectOr(params).update);
        this.updates.push(String(objectOr(content).text));
      },
      closed: () => undefined,
    });
  }

  /** Resolves with the `initialize` request of the next chain, which the test answers. */
  initializing(): Promise<IncomingRequest> {
    return new Promise(resolve => {
      this.serve = chain => {
        const agent = new MemoryAgent(["initialize"]);
        void agent.next("initialize").then(resolve);
        return this.connect(chain, agent);
      };
    });
  }

  /** Resolves with the exit code when the chain has ended. */
  connect(chain: Channel, agent: MemoryAgent): Promise<number> {
    this.agents.push(agent);
    return new Promise(resolve => {
      const [up, down] = memoryChannels();
      join(chain, up);
      join(
        watched(down, () => resolve(0)),
        agent.channel,
      );
    });
  }

  async open(): Promise<string> {
    return String(objectOr(await this.peer.request("session/new", { cwd: "/", mcpServers: [] })).sessionId);
  }

  prompt(sessionId: string, text: string): Promise<unknown> {
    return this.peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.first[Symbol.asyncDispose]();
    deepEqual(this.warnings, []);
  }
}

function watched(channel: Channel, closed: () => void): Channel {
  return {
    start: receiver =>
      channel.start({
        receive: frame => receiver.receive(frame),
        closed: reason => {
          receiver.closed(reason);
          closed();
        },
      }),
    send: frame => channel.send(frame),
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

const failure = (request: Promise<unknown>): Promise<readonly [code: number | undefined, message: string]> =>
  request.then(
    result => [undefined, JSON.stringify(result)],
    (error: unknown) => (error instanceof RpcError ? [error.code, error.message] : [undefined, String(error)]),
  );

suite("FirstRun", () => {
  test("initializes the chain with the client's parameters and version 1", async () => {
    await using client = new Client();
    const initializing = client.initializing();
    equal(
      objectOr(await client.peer.request("initialize", { protocolVersion: 2, clientInfo: { name: "ed" } }))
        .protocolVersion,
      1,
    );
    client.file = CONFIGURED;
    const session = client.open();
    const request = await initializing;
    deepEqual(request.params, { protocolVersion: 1, clientInfo: { name: "ed" } });
    deepEqual(client.agents[0]!.received, ["initialize"]);
    request.respond({ protocolVersion: 1 });
    equal(await session, "s1");
    deepEqual(client.agents[0]!.received, ["initialize", "session/new"]);
  });

  test("sends each message to the agent of its session, and responses to the chain", async () => {
    await using client = new Client();
    await client.peer.request("initialize", { protocolVersion: 1 });
    const setup = await client.open();
    await client.prompt(setup, "1");
    const session = await client.open(),
      agent = client.agents[0]!;
    equal(session, "s1");
    const turn = client.prompt(session, "2");
    const prompt = await agent.next("session/prompt");
    deepEqual(await agent.peer.request("fs/read_text_file", { path: "/x" }), { content: "text" });
    client.peer.notify("session/cancel", { sessionId: session });
    await client.prompt(setup, "2"); // answered by the configuration agent
    prompt.respond({ stopReason: "cancelled" });
    deepEqual(await turn, { stopReason: "cancelled" });
    await client.peer.request("session/close", { sessionId: setup });
    deepEqual(agent.received, ["initialize", "session/new", "session/prompt", "cancel s1"]);
    equal(client.agents.length, 1);
  });

  test("answers the queued requests with the reason if the chain cannot be started, and starts it again", async () => {
    await using client = new Client();
    const initializing = client.initializing();
    await client.peer.request("initialize", { protocolVersion: 1 });
    const setup = await client.open();
    const turn = client.prompt(setup, "3");
    const first = await initializing,
      waiting = [failure(client.open()), failure(client.peer.request("session/list", {}))];
    await failure(client.prompt(setup, "4")); // handled after the queued requests
    first.fail(new RpcError(-32603, "“ada” was not found.", { details: "last words" }));
    for (const each of waiting) deepEqual(await each, [-32603, "“ada” was not found.\n\nlast words"]);
    deepEqual(await turn, { stopReason: "end_turn" });
    match(client.updates.join(""), /Codex could not be started: “ada” was not found\.\n\nlast words/);
    client.serve = chain => client.connect(chain, new MemoryAgent());
    equal(await client.open(), "s1");
    equal(client.agents.length, 2);
  });

  test("ends a cancelled turn while the chain starts", async () => {
    await using client = new Client();
    const initializing = client.initializing();
    await client.peer.request("initialize", { protocolVersion: 1 });
    const setup = await client.open(),
      turn = client.prompt(setup, "3");
    const start = await initializing;
    deepEqual(await failure(client.prompt(setup, "4")), [
      -32600,
      "This session is still processing the previous prompt.",
    ]);
    client.peer.notify("session/cancel", { sessionId: setup });
    deepEqual(await turn, { stopReason: "cancelled" });
    start.respond({ protocolVersion: 1 });
    equal(await client.open(), "s1");
  });

  test("refuses a session while the file has a mistake", async () => {
    await using client = new Client();
    await client.peer.request("initialize", { protocolVersion: 1 });
    client.file = { kind: "problem", message: "config.jsonc:1:2: A value is missing." };
    deepEqual(await failure(client.open()), [-32603, "config.jsonc:1:2: A value is missing."]);
    client.file = { kind: "absent" };
    await client.open();
    equal(client.agents.length, 0);
  });

  test("rejects methods and sessions that the configuration agent does not have", async () => {
    await using client = new Client();
    equal((await failure(client.peer.request("session/load", { sessionId: "s1" })))[0], -32601);
    equal((await failure(client.prompt("s1", "1")))[0], -32002);
    equal(
      (await failure(client.peer.request("session/prompt", { sessionId: await client.open(), prompt: "1" })))[0],
      -32602,
    );
  });

  test("closes a session during its turn", async () => {
    await using client = new Client();
    const initializing = client.initializing();
    await client.peer.request("initialize", { protocolVersion: 1 });
    const setup = await client.open(),
      turn = client.prompt(setup, "1");
    const start = await initializing,
      before = client.updates.length;
    await client.peer.request("session/close", { sessionId: setup });
    deepEqual(await turn, { stopReason: "cancelled" });
    start.respond({ protocolVersion: 1 });
    await client.open();
    equal(client.updates.length, before);
  });

  test("ends with the exit code of a running chain, after the chain", async () => {
    await using client = new Client();
    let end: (code: number) => void = () => undefined;
    client.serve = chain => {
      void client.connect(chain, new MemoryAgent());
      return new Promise(resolve => {
        end = resolve;
      });
    };
    await client.peer.request("initialize", { protocolVersion: 1 });
    client.file = CONFIGURED;
    await client.open();
    end(1);
    equal(await client.first.closed, 1);
  });

  test("rejects with the reason of a chain that cannot be run", async () => {
    await using client = new Client();
    client.serve = () => Promise.reject(new Error("the trace is not writable"));
    await client.peer.request("initialize", { protocolVersion: 1 });
    client.file = CONFIGURED;
    equal((await failure(client.open()))[0], -32603);
    equal(await client.first.closed.catch(String), "Error: the trace is not writable");
  });

  test("ends with 0 when the client disconnects, also during a start", async () => {
    const client = new Client();
    const initializing = client.initializing();
    await client.peer.request("initialize", { protocolVersion: 1 });
    client.file = CONFIGURED;
    const session = failure(client.open());
    await initializing;
    await client.peer[Symbol.asyncDispose]();
    await session;
    equal(await client.first.closed, 0);
    await client[Symbol.asyncDispose]();
  });
});
