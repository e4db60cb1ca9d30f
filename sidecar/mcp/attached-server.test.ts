/** Tests one server with the tools of all sessions of an agent process (issue 14 item 5). */
import { deepEqual, equal } from "node:assert/strict";
import { arrayOr, objectOr } from "../rpc/json";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { AttachedServer, type AttachedTools } from "./attached-server";
import { LIST_LIMIT_MS } from "./delivery/delivery-tracker";
import type { StatelessServer } from "./revision";
import { turn } from "../testing/turn";

const options = () => ({ signal: new AbortController().signal, notification: () => undefined });

suite("MCP server of an agent's own configuration", () => {
  test("lists the tools of other servers in time, and announces those of a slow server when they arrive", async () => {
    await using attached = new SlowServer();
    deepEqual([await attached.list(), attached.changes], [["quick_tool"], 0]);
    attached.answer();
    await turn();
    equal(attached.changes, 1);
    deepEqual(await attached.list(), ["quick_tool", "slow_tool"]);
    attached.answer();
    await turn();
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
    await turn();
    equal(attached.changes, 1);
    deepEqual(await attached.list(), ["quick_tool", "other_tool"]);
    attached.answer();
  });
});

/**
 * An attached server with one session. While `isSlow`, the session's second server responds to `tools/list` only on
 * `answer`.
 */
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
    await turn();
    this.clock.advance(LIST_LIMIT_MS - 1);
    return arrayOr(objectOr(await listing).tools).map(tool => objectOr(tool).name);
  }

  /** Responds to the oldest pending `tools/list`. */
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
