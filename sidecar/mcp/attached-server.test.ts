/** The tools of all sessions of an agent process at one server (issue 14 item 5). */
import { deepEqual, equal, match } from "node:assert/strict";
import { mcpBridge } from "../conductor/mcp-bridge";
import { ANNOUNCE_LIMIT_MS } from "../conductor/call-router";
import { arrayOr, objectOr, type JsonObject } from "../rpc/json";
import type { IncomingRequest } from "../rpc/peer";
import { FakeClock } from "../testing/fake-clock";
import { Fixture, HTTP_AGENT } from "../testing/mcp-fixture";
import { asking } from "../testing/sharing-agent";
import { AttachedServer, type AttachedTools } from "./attached-server";
import { LIST_LIMIT_MS } from "./delivery/delivery-tracker";
import { Meta, STATELESS_REVISION, type StatelessServer } from "./revision";

const STATELESS_META = { [Meta.version]: STATELESS_REVISION, [Meta.capabilities]: {} };
const options = () => ({ signal: new AbortController().signal, notification: () => undefined });
const settle = () => new Promise<void>(resolve => setImmediate(resolve));

/** Bridge with an attached server. The extension adds no servers to sessions of the folder `/none`. */
class Bridged implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly server = new AttachedServer(this.clock, "1", () => undefined);
  readonly asked: unknown[] = [];
  readonly #turns = new Map<string, IncomingRequest>();
  readonly fixture = new Fixture({
    stages: [
      {
        ...asking,
        make: chain => {
          const made = asking.make(chain),
            setup = made.fromClient?.requests?.["session/new"];
          const inFolder = (request: Parameters<NonNullable<typeof setup>>[0]) =>
            objectOr(request.params).cwd === "/none" ? request.pass() : setup?.(request);
          return { ...made, fromClient: { requests: { ...made.fromClient?.requests, "session/new": inFolder } } };
        },
      },
      mcpBridge({ clock: this.clock, attached: this.server }),
    ],
    initialized: HTTP_AGENT,
    client: request => {
      this.asked.push(objectOr(request.params).sessionId);
      request.respond({ outcome: { outcome: "selected", optionId: "allow" } });
    },
    agent: request => {
      if (request.method !== "session/prompt") return false;
      this.#turns.set(String(objectOr(request.params).sessionId), request);
      return true;
    },
  });

  async open(cwd = "/"): Promise<string> {
    return String((await this.fixture.setup("session/new", { cwd, mcpServers: [] })).sessionId);
  }

  /** Resolves when the agent has received the prompt. The result ends the turn. */
  async begin(sessionId: string): Promise<() => Promise<unknown>> {
    const turn = this.fixture.client.request("session/prompt", { sessionId, prompt: [] });
    while (!this.#turns.has(sessionId)) await settle();
    return () => {
      this.#turns.get(sessionId)?.respond({ stopReason: "end_turn" });
      return turn;
    };
  }

  async announce(sessionId: string, rawInput: JsonObject): Promise<void> {
    this.fixture.agent.notify("session/update", {
      sessionId,
      update: { sessionUpdate: "tool_call", toolCallId: "t", title: "symposium_keep", kind: "other", rawInput },
    });
    await settle();
  }

  /** Returns the text of the result. */
  async call(args: JsonObject): Promise<string> {
    const params = { name: "keep", arguments: args, _meta: STATELESS_META };
    const called = this.server.stateless.request("tools/call", params, options());
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    called.then(settled, settled);
    for (let i = 0; i < 5; i++) await settle();
    while (!isSettled) {
      this.clock.advance(ANNOUNCE_LIMIT_MS);
      await settle();
    }
    return String(objectOr((objectOr(await called).content as unknown[])[0]).text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }
}

suite("MCP server of an agent's own configuration", () => {
  test("refuses a call of a session without tools, and asks nobody in the session that has them", async () => {
    await using agent = new Bridged();
    await agent.fixture.initialize();
    await agent.open();
    const without = await agent.open("/none");
    await agent.server.stateless.request("tools/list", {}, options());
    const end = await agent.begin(without);
    match(await agent.call({ n: 1 }), /^This tool belongs to another conversation/);
    deepEqual(agent.asked, []);
    await end();
  });

  test("refuses a call that a session announced before its turn ended, while another session runs", async () => {
    await using agent = new Bridged();
    await agent.fixture.initialize();
    const [one, two] = [await agent.open(), await agent.open()];
    await agent.server.stateless.request("tools/list", {}, options());
    const endOne = await agent.begin(one);
    await agent.announce(one, { n: 1 });
    await endOne();
    const endTwo = await agent.begin(two);
    match(await agent.call({ n: 1 }), /^The conversation that makes this call is not waiting for it any more\./);
    deepEqual([await agent.call({ n: 2 }), agent.asked], [`kept in ${two}`, [two]]);
    await endTwo();
  });

  test("lists the tools of the other servers in time, and announces those of a slow server once they arrive", async () => {
    await using attached = new SlowServer();
    deepEqual([await attached.list(), attached.changes], [["quick_tool"], 0]);
    attached.answer();
    await settle();
    equal(attached.changes, 1);
    deepEqual(await attached.list(), ["quick_tool", "slow_tool"]);
    attached.answer();
    await settle();
    equal(attached.changes, 1, "an announcement for each late list would never end");
    equal(attached.clock.waiting, 0);
  });

  test("keeps the tools that a slow server listed before, and announces a late list that differs", async () => {
    await using attached = new SlowServer();
    attached.isSlow = false;
    deepEqual(await attached.list(), ["quick_tool", "slow_tool"]);
    attached.isSlow = true;
    deepEqual([await attached.list(), attached.changes], [["quick_tool", "slow_tool"], 0]);
    attached.tool = "other_tool";
    attached.answer();
    await settle();
    equal(attached.changes, 1);
    deepEqual(await attached.list(), ["quick_tool", "other_tool"]);
    attached.answer();
  });
});

/** Attached server with one session, whose second server answers `tools/list` only on `answer` while it is slow. */
class SlowServer implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly #server = new AttachedServer(this.clock, "1", () => undefined);
  readonly #answers: (() => void)[] = [];
  readonly #listening = new AbortController();
  isSlow = true;
  tool = "slow_tool";
  changes = 0;

  constructor() {
    const quick = tools("quick", async () => "quick_tool"),
      slow = tools("slow", async () => {
        if (this.isSlow) await new Promise<void>(resolve => this.#answers.push(resolve));
        return this.tool;
      });
    this.#server.add([quick, slow]).named("s1");
    const notified = { signal: this.#listening.signal, notification: () => this.changes++ };
    void this.#server.stateless.request("subscriptions/listen", {}, notified);
  }

  async list(): Promise<unknown> {
    const listing = this.#server.stateless.request("tools/list", {}, options());
    await settle();
    this.clock.advance(LIST_LIMIT_MS - 1);
    return arrayOr(objectOr(await listing).tools).map(tool => objectOr(tool).name);
  }

  /** Answers the oldest waiting `tools/list`. */
  answer(): void {
    this.#answers.shift()?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening.abort();
    await this.#server[Symbol.asyncDispose]();
  }
}

function tools(name: string, tool: () => Promise<string>): AttachedTools {
  const server: StatelessServer = { request: async () => ({ tools: [{ name: await tool() }] }) };
  return { name, server, unobserved: server };
}
