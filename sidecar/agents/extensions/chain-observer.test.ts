import { deepEqual, equal } from "node:assert/strict";
import type { ProxyComponent } from "../../conductor/component";
import { serveProxy } from "../../proxies/serve-proxy";
import type { Interceptors, Proxy } from "../../proxies/proxy";
import { Frame } from "../../rpc/frame";
import { arrayOr, objectOr } from "../../rpc/json";
import type { IncomingRequest } from "../../rpc/peer";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../../testing/memory-agent";
import { memoryChain, type ProxyScript } from "../../testing/chain/memory-chain";
import { ChainObserver } from "./chain-observer";

const text = (text: string) => ({ type: "text", text });
const server = (name: string) => ({ name, command: "/bin/x", args: [], env: [] });
const nothing = {};

function builtIn(name: string, of: NonNullable<Interceptors["requests"]> | (() => Proxy)): ProxyComponent {
  return {
    kind: "internal",
    name,
    serve: (up, down, ids) =>
      serveProxy(
        { name, create: typeof of === "function" ? of : () => ({ fromClient: { requests: of } }) },
        up,
        down,
        ids,
      ),
  };
}
const rules = (name: string, rule: string): ProxyComponent =>
  builtIn(name, {
    "session/prompt": request => {
      const params = objectOr(request.params);
      return request.pass({ ...params, prompt: [text(rule), ...arrayOr(params.prompt)] });
    },
  });
const servers = (name: string, ...added: readonly string[]): ProxyComponent =>
  builtIn(name, {
    "session/new": request => {
      const params = objectOr(request.params);
      return request.pass({ ...params, mcpServers: [...arrayOr(params.mcpServers), ...added.map(server)] });
    },
  });
/** Simulates an external process: it serialises each message again, with reversed keys and a new id. */
const externalProcess = (
  change: (method: string, params: Record<string, unknown>) => unknown = (_, params) => params,
): ProxyScript => ({
  request: (request: IncomingRequest, from, proxy) => {
    if (from !== "client") return false;
    const params = Object.fromEntries(Object.entries(objectOr(request.params)).toReversed());
    proxy.pass(request, "proxy/successor", { method: request.method, params: change(request.method, params) });
    return true;
  },
});

class Fixture {
  readonly clock = new FakeClock();
  readonly observer: ChainObserver;
  readonly chain;
  readonly notifications: string[] = [];
  readonly ownSessions: string[] = [];

  constructor(extensions: readonly (ProxyScript | ProxyComponent)[], agent = new MemoryAgent()) {
    this.observer = new ChainObserver(
      extensions.map(item => ("kind" in item ? "kept" : "own")),
      () => this.clock.now(),
      sessionId => this.ownSessions.push(sessionId),
    );
    this.chain = memoryChain(extensions, { options: { trace: this.observer }, agent });
  }

  async open(mcpServers: readonly unknown[] = []): Promise<string> {
    const { client } = this.chain;
    await client.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    return this.session(mcpServers);
  }
  async session(mcpServers: readonly unknown[] = []): Promise<string> {
    const sessionId = String(
      objectOr(await this.chain.client.request("session/new", { cwd: "/w", mcpServers })).sessionId,
    );
    this.observer.listen(sessionId, () => this.notifications.push(sessionId));
    return sessionId;
  }
  async prompt(sessionId: string, ...blocks: readonly unknown[]): Promise<unknown> {
    const response = this.chain.client.request("session/prompt", { sessionId, prompt: blocks }),
      request = await this.chain.agent.next("session/prompt");
    request.respond({ stopReason: "end_turn" });
    await response;
    return request.params;
  }
  changes(sessionId: string) {
    return this.observer.of(sessionId).map(({ time: _, ...changes }) => changes);
  }
}

suite("ChainObserver", () => {
  test("reports the changes of each extension, for each kind, and none for a pass-through", async () => {
    const fixture = new Fixture([
      externalProcess(),
      servers("one", "git"),
      externalProcess((method, params) =>
        method === "session/prompt" ? { ...params, prompt: [...arrayOr(params.prompt), text("Bye.")] } : params,
      ),
      rules("two", "Be brief."),
      servers("three", "jira", "docs"),
    ]);
    const id = await fixture.open([server("theirs")]);
    await fixture.prompt(id, text("hello"));
    deepEqual(fixture.changes(id), [
      nothing,
      { setup: { added: ["git"] } },
      { prompts: { count: 1, last: { added: 1, removed: 0, altered: 0, text: "Bye." } } },
      { prompts: { count: 1, last: { added: 1, removed: 0, altered: 0, text: "Be brief." } } },
      { setup: { added: ["jira", "docs"] } },
    ]);
  });

  test("counts changed prompts per session and keeps the last change", async () => {
    let first = true;
    const fixture = new Fixture([
      externalProcess((method, params) => {
        if (method !== "session/prompt" || !first) return params;
        first = false;
        return { ...params, prompt: [text("You are Sparkle."), ...arrayOr(params.prompt)] };
      }),
    ]);
    const a = await fixture.open(),
      b = await fixture.session();
    await fixture.prompt(a, text("one"));
    await fixture.prompt(a, text("two"));
    await fixture.prompt(b, text("three"));
    deepEqual(
      [fixture.changes(a), fixture.changes(b)],
      [[{ prompts: { count: 1, last: { added: 1, removed: 0, altered: 0, text: "You are Sparkle." } } }], [nothing]],
    );
  });

  test("measures the processing time of each extension in both directions", async () => {
    const slow = (name: string, down: number, up: number): ProxyComponent => {
      const delayed = async (request: { pass(): Promise<unknown> }) => {
        fixture.clock.advance(down);
        const answer = await request.pass();
        fixture.clock.advance(up);
        return answer;
      };
      return builtIn(name, { "session/new": delayed, "session/prompt": delayed });
    };
    const fixture: Fixture = new Fixture([slow("one", 5, 2), slow("two", 100, 30)]);
    const id = await fixture.open();
    deepEqual(fixture.observer.of(id), [
      { time: { setup: 5, setupAnswer: 2 } },
      { time: { setup: 100, setupAnswer: 30 } },
    ]);
    await fixture.prompt(id, text("hello"));
    deepEqual(
      fixture.observer.of(id).map(({ time }) => time),
      [
        { setup: 5, setupAnswer: 2, prompt: 5, lastPrompt: 5, answer: 2 },
        { setup: 100, setupAnswer: 30, prompt: 100, lastPrompt: 100, answer: 30 },
      ],
    );
  });

  test("reports the median time of the latest prompts", async () => {
    const times = [1000, ...Array.from({ length: 20 }, (_, i) => i + 1)];
    const fixture: Fixture = new Fixture([
        builtIn("one", {
          "session/prompt": request => {
            fixture.clock.advance(times.shift() ?? 0);
            return request.pass();
          },
        }),
      ]),
      id = await fixture.open();
    for (let n = 0; n < 21; n++) await fixture.prompt(id, text("hello"));
    deepEqual(fixture.observer.of(id)[0]?.time, { setup: 0, setupAnswer: 0, prompt: 10, lastPrompt: 20, answer: 0 });
  });

  test("notifies its listeners after a prompt that changed something", async () => {
    const fixture = new Fixture([rules("one", "Be brief.")]),
      id = await fixture.open();
    const response = fixture.chain.client.request("session/prompt", { sessionId: id, prompt: [text("hello")] }),
      request = await fixture.chain.agent.next("session/prompt");
    deepEqual(fixture.notifications, [id]); // reported before the turn ends
    request.respond({ stopReason: "end_turn" });
    await response;
    deepEqual(fixture.notifications, [id, id]); // the hold time of the response
    await fixture.prompt(id, text("again"));
    equal(fixture.notifications.length, 3); // another altered prompt
    const quiet = new Fixture([externalProcess()]),
      second = await quiet.open();
    await quiet.prompt(second, text("hello"));
    const before = quiet.notifications.length;
    await quiet.prompt(second, text("hello"));
    equal(quiet.notifications.length, before);
  });

  test("forgets a session without listeners", async () => {
    const fixture = new Fixture([servers("one", "git")]),
      id = await fixture.open(),
      listening = fixture.observer.listen(id, () => undefined);
    listening[Symbol.dispose]();
    deepEqual(fixture.observer.of(id), [nothing]);
  });

  test("keeps the current listener when an earlier listener is disposed", async () => {
    const fixture = new Fixture([rules("one", "Be brief.")]),
      id = await fixture.open(),
      before = fixture.observer.listen(id, () => undefined),
      notifications: string[] = [];
    fixture.observer.listen(id, () => notifications.push("now"));
    before[Symbol.dispose]();
    await fixture.prompt(id, text("hello"));
    deepEqual(notifications, ["now", "now"]);
  });

  test("ignores sessions and prompts created by an extension, and reports these sessions", async () => {
    const requester = builtIn("asks", () => ({ fromClient: { requests: {} } }));
    const own: ProxyComponent = {
      kind: "internal",
      name: "own",
      serve: (up, down, ids) =>
        serveProxy(
          {
            name: "own",
            create: chain => ({
              fromClient: {
                requests: {
                  "session/prompt": async request => {
                    const session = await chain.openSession(
                      { cwd: "/elsewhere", mcpServers: [server("hidden")] },
                      { update: () => undefined, request: () => undefined },
                    );
                    void session.prompt([text("secret")]);
                    return request.pass();
                  },
                },
              },
            }),
          },
          up,
          down,
          ids,
        ),
    };
    const fixture = new Fixture([requester, own, externalProcess()]),
      id = await fixture.open(),
      response = fixture.chain.client.request("session/prompt", { sessionId: id, prompt: [text("hello")] });
    for (let n = 0; n < 2; n++) (await fixture.chain.agent.next("session/prompt")).respond({ stopReason: "end_turn" });
    await response;
    deepEqual(fixture.changes(id), [nothing, nothing, nothing]);
    deepEqual([id, fixture.ownSessions], ["s1", ["s2"]]);
  });

  test("does not attribute another session's setup by an external process to the client", async () => {
    const fixture = new Fixture([
      {
        request: (request, from, proxy) => {
          if (from !== "client" || request.method !== "session/new") return false;
          void proxy
            .successor("session/new", { cwd: "/own", mcpServers: [server("hidden")] })
            .then(() => proxy.pass(request, "proxy/successor", { method: "session/new", params: request.params }));
          return true;
        },
      },
      servers("behind", "git"),
    ]);
    const id = await fixture.open();
    deepEqual(fixture.changes(id), [nothing, nothing]); // the matching request is ambiguous, so nothing is reported
  });

  test("attributes loads, resumes and forks to their session and ignores failed setups", async () => {
    const agent = new MemoryAgent(["session/new"]),
      add: NonNullable<Interceptors["requests"]>[string] = request =>
        request.pass({ ...objectOr(request.params), mcpServers: [server("git")] });
    const fixture = new Fixture(
        [builtIn("one", { "session/new": add, "session/load": add, "session/fork": add })],
        agent,
      ),
      { client } = fixture.chain;
    await client.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const failing = client.request("session/new", { cwd: "/w", mcpServers: [] });
    (await agent.next("session/new")).fail(new Error("no"));
    await failing.catch(() => undefined);
    const refused = client.request("session/load", { sessionId: "refused", cwd: "/w", mcpServers: [] });
    (await agent.next("session/load")).fail(new Error("no"));
    await refused.catch(() => undefined);
    deepEqual(fixture.changes("refused"), [nothing]);
    const load = client.request("session/load", { sessionId: "old", cwd: "/w", mcpServers: [] }),
      fork = client.request("session/fork", { sessionId: "old", cwd: "/w", mcpServers: [] });
    (await agent.next("session/load")).respond({});
    (await agent.next("session/fork")).respond({ sessionId: "forked" });
    await Promise.all([load, fork]);
    deepEqual(
      ["old", "forked", "s1"].map(id => fixture.changes(id)),
      [[{ setup: { added: ["git"] } }], [{ setup: { added: ["git"] } }], [nothing]],
    );
  });

  test("parses only relevant messages that an extension changed", () => {
    const observer = new ChainObserver(["kept"], () => 0),
      unread = Frame.raw(Buffer.from(`{"jsonrpc":"2.0","method":"session/update","params":{broken}}`));
    Object.defineProperty(unread, "message", {
      get: () => {
        throw new Error("it was parsed");
      },
    });
    for (const [link, way] of [
      [0, "down"],
      [1, "down"],
      [1, "up"],
      [0, "up"],
      [7, "up"],
    ] as const)
      observer.message("a", "b", unread, link, way);
    const prompt = Frame.of({
      jsonrpc: "2.0",
      id: 1,
      method: "session/prompt",
      params: { sessionId: "s", prompt: [] },
    });
    observer.message("a", "b", prompt, 0, "down");
    observer.message(
      "a",
      "b",
      Frame.raw(Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{broken}}`)),
      1,
      "down",
    );
    deepEqual(
      observer.of("s").map(({ prompts }) => prompts?.last.removed ?? 0),
      [0],
    );
  });

  test("ignores messages that are invalid or nested too deeply", () => {
    const observer = new ChainObserver(["kept"], () => 0),
      nested = (inner: string) =>
        Frame.raw(
          Buffer.from(
            `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","x":${"[".repeat(50_000)}${inner}${"]".repeat(50_000)}}}`,
          ),
        );
    const setUp = (before: Frame, after: Frame, answer: string) => {
      observer.message("a", "b", before, 0, "down");
      observer.message("a", "b", after, 1, "down");
      for (const link of [1, 0]) observer.message("a", "b", Frame.raw(Buffer.from(answer)), link, "up");
      return observer.of("s")[0];
    };
    deepEqual(setUp(nested(""), nested("1"), `{"jsonrpc":"2.0","id":1,"result":{}}`), {
      time: { setup: 0, setupAnswer: 0 },
    });
    const fresh = Frame.of({ jsonrpc: "2.0", id: 2, method: "session/new", params: {} });
    setUp(fresh, fresh, `{"jsonrpc":"2.0","id":2,"result":{broken}}`);
  });

  test("bounds unanswered requests and sessions without listeners", () => {
    let size = 0;
    const observer = new ChainObserver(["kept", "kept"], () => 0);
    for (let id = 0; id < 500; id++) {
      const frame = Frame.of({
        jsonrpc: "2.0",
        id,
        method: "session/prompt",
        params: { sessionId: `s${id}`, prompt: [text("x")] },
      });
      observer.message("client", "one", frame, 0, "down");
      observer.message("one", "two", frame, 1, "down");
    }
    for (let id = 0; id < 500; id++) if (observer.of(`s${id}`)[0]?.time) size++;
    equal(size, 64);
    const answered = (id: number) => {
      for (const link of [1, 0]) observer.message("x", "y", Frame.of({ jsonrpc: "2.0", id, result: {} }), link, "up");
      return observer.of(`s${id}`)[0]?.time?.answer;
    };
    deepEqual([answered(0), answered(499)], [undefined, 0]);
  });
});
