import { deepEqual, equal } from "node:assert/strict";
import { Log } from "../../log";
import { FileList } from "./file-list";
import type { Named } from "./mention-list";
import { Mentions, SYMBOLS_MS } from "./mentions";
import { target } from "./mention-match";
import { deferred, type Deferred } from "../../protocol/wire/deferred";
import { FakeClock } from "../../protocol/testing/fake-clock";
import { settled } from "../../testing/settled";

class Fixture {
  readonly clock = new FakeClock();
  readonly log = new Log();
  readonly warned: string[] = [];
  readonly asked: (Deferred<readonly Named[]> & { readonly query: string })[] = [];
  readonly found: (readonly string[])[] = [];
  readonly mentions: Mentions;

  constructor() {
    const list = new FileList("/w", "");
    list.add("chat.ts");
    this.log.onLog(({ message }) => this.warned.push(message));
    this.mentions = new Mentions({
      clock: this.clock,
      log: this.log,
      files: async () => [...list.all()],
      now: () => ({ offers: [], opened: [] }),
      symbols: query => {
        const asked = { ...deferred<readonly Named[]>(), query };
        this.asked.push(asked);
        return asked.promise;
      },
    });
  }

  async find(query: string): Promise<AbortController> {
    const searching = new AbortController();
    void this.mentions.find(query, mentions => this.found.push(mentions.map(({ name }) => name)), searching.signal);
    await settled();
    return searching;
  }
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await settled();
  }
  async answer(...names: readonly string[]): Promise<void> {
    this.asked.at(-1)?.resolve(
      names.map(name => ({
        kind: "symbol",
        name,
        what: "class",
        path: "/w/chat.ts",
        where: "chat.ts",
        startLine: 1,
        endLine: 1,
        target: target(name),
      })),
    );
    await settled();
  }
}

suite("mention search", () => {
  test("includes symbols that arrive immediately in a single result", async () => {
    const fixture = new Fixture();
    await fixture.find("chat");
    await fixture.answer("ChatView");
    await fixture.pass(SYMBOLS_MS);
    deepEqual([fixture.found, fixture.clock.waiting], [[["chat.ts", "ChatView"]], 0]);
  });

  test("returns files first and slow symbols in a second result", async () => {
    const fixture = new Fixture();
    await fixture.find("chat");
    deepEqual(fixture.found, []);
    await fixture.pass(200);
    deepEqual(fixture.found, [["chat.ts"]]);
    await fixture.answer("Chat");
    deepEqual([fixture.found.slice(1), fixture.clock.waiting], [[["Chat", "chat.ts"]], 0]);
  });

  test("returns no second result for missing or late symbols", async () => {
    const fixture = new Fixture();
    await fixture.find("chat");
    await fixture.pass(200);
    await fixture.answer();
    await fixture.find("chat");
    await fixture.pass(200);
    await fixture.pass(SYMBOLS_MS);
    await fixture.answer("Chat");
    deepEqual([fixture.found, fixture.clock.waiting], [[["chat.ts"], ["chat.ts"]], 0]);
  });

  test("does not query language servers for fewer than two characters", async () => {
    const fixture = new Fixture();
    await fixture.find("c");
    await fixture.find("");
    deepEqual([fixture.found, fixture.asked.length], [[["chat.ts"], ["chat.ts"]], 0]);
  });

  test("queries one at a time and skips aborted searches", async () => {
    const fixture = new Fixture();
    const first = await fixture.find("ch");
    first.abort();
    const second = await fixture.find("cha");
    second.abort();
    await fixture.find("chat");
    deepEqual(
      fixture.asked.map(({ query }) => query),
      ["ch"],
    );
    await fixture.answer("Late");
    deepEqual([fixture.asked.map(({ query }) => query), fixture.found], [["ch", "chat"], []]);
    await fixture.answer("Chat");
    deepEqual(fixture.found, [["Chat", "chat.ts"]]);
  });

  test("continues after a query that never completes", async () => {
    const fixture = new Fixture();
    (await fixture.find("ch")).abort();
    await fixture.find("chat");
    await fixture.pass(SYMBOLS_MS);
    deepEqual([fixture.asked.map(({ query }) => query), fixture.found], [["ch", "chat"], [["chat.ts"]]]);
  });

  test("logs a failed query and returns the files", async () => {
    const fixture = new Fixture();
    await fixture.find("chat");
    fixture.asked[0]?.reject(new Error("no"));
    await settled();
    deepEqual([fixture.found, fixture.warned], [[["chat.ts"]], ["Could not find workspace symbols"]]);
    await fixture.find("chat");
    equal(fixture.asked.length, 2);
  });
});
