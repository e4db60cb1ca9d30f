/** Calls at the server that all sessions of an agent process share (issue 14 items 3 and 5). */
import { deepEqual, match } from "node:assert/strict";
import { AttachedServer } from "../mcp/attached-server";
import { Meta, STATELESS_REVISION } from "../mcp/revision";
import { SIDE_SESSION } from "../proxies/side-session";
import { objectOr, type JsonObject } from "../rpc/json";
import type { IncomingRequest } from "../rpc/peer";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { Fixture, HTTP_AGENT } from "../testing/mcp/mcp-fixture";
import { asking } from "../testing/mcp/sharing-agent";
import { ANNOUNCE_LIMIT_MS } from "./call-router";
import { mcpBridge } from "./mcp-bridge";
import { turn } from "../testing/turn";

const STATELESS_META = { [Meta.version]: STATELESS_REVISION, [Meta.capabilities]: {} };
const options = () => ({ signal: new AbortController().signal, notification: () => undefined });

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
        create: chain => {
          const proxy = asking.create(chain),
            setup = proxy.fromClient?.requests?.["session/new"];
          const inFolder = (request: Parameters<NonNullable<typeof setup>>[0]) =>
            objectOr(request.params).cwd === "/none" ? request.pass() : setup?.(request);
          return { ...proxy, fromClient: { requests: { ...proxy.fromClient?.requests, "session/new": inFolder } } };
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

  async open(cwd = "/", overrides: JsonObject = {}): Promise<string> {
    return String((await this.fixture.setup("session/new", { cwd, mcpServers: [], ...overrides })).sessionId);
  }

  /** Resolves when the agent has received the prompt. The result ends the turn. */
  async begin(sessionId: string): Promise<() => Promise<unknown>> {
    const response = this.fixture.client.request("session/prompt", { sessionId, prompt: [] });
    while (!this.#turns.has(sessionId)) await turn();
    return () => {
      this.#turns.get(sessionId)?.respond({ stopReason: "end_turn" });
      return response;
    };
  }

  async announce(sessionId: string, rawInput: JsonObject): Promise<void> {
    this.fixture.agent.notify("session/update", {
      sessionId,
      update: { sessionUpdate: "tool_call", toolCallId: "t", title: "symposium_keep", kind: "other", rawInput },
    });
    await turn();
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
    for (let i = 0; i < 5; i++) await turn();
    while (!isSettled) {
      this.clock.advance(ANNOUNCE_LIMIT_MS);
      await turn();
    }
    return String(objectOr((objectOr(await called).content as unknown[])[0]).text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }
}

suite("calls at the shared server", () => {
  test("refuses a call of a session without tools, and requests no permission in another session", async () => {
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

  test("refuses a side session's call, and requests no permission in the session with the tools", async () => {
    await using agent = new Bridged();
    await agent.fixture.initialize();
    const session = await agent.open(),
      side = await agent.open("/none", { _meta: { [SIDE_SESSION]: "ferris" } });
    await agent.server.stateless.request("tools/list", {}, options());
    const endSession = await agent.begin(session),
      endSide = await agent.begin(side);
    await agent.announce(side, { n: 1 });
    match(await agent.call({ n: 1 }), /^This tool belongs to another conversation/);
    match(await agent.call({ n: 2 }), /^More than one conversation is running/);
    await agent.announce(session, { n: 3 });
    deepEqual([await agent.call({ n: 3 }), agent.asked], [`kept in ${session}`, [session]]);
    await endSide();
    await endSession();
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
    match(await agent.call({ n: 1 }), /^The conversation that makes this call no longer waits for it\./);
    deepEqual([await agent.call({ n: 2 }), agent.asked], [`kept in ${two}`, [two]]);
    await endTwo();
  });
});
