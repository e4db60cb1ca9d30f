import { deepEqual, equal } from "node:assert/strict";
import { Log } from "../log";
import { FileList } from "./file-list";
import type { Named } from "./mention-list";
import { Mentions, SYMBOLS_MS } from "./mentions";
import { target } from "./mention-match";
import { deferred, type Deferred } from "../deferred";
import { FakeClock } from "../testing/fake-clock";
import { settled } from "../testing/settled";

class World {
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

suite("searching for what fits behind an @", () => {
  test("symbols that come at once are in the first answer, and there is no other", async () => {
    const world = new World();
    await world.find("chat");
    await world.answer("ChatView");
    await world.pass(SYMBOLS_MS);
    deepEqual([world.found, world.clock.waiting], [[["chat.ts", "ChatView"]], 0]);
  });

  test("files do not wait for symbols that take their time; these come in a second answer", async () => {
    const world = new World();
    await world.find("chat");
    deepEqual(world.found, []);
    await world.pass(200);
    deepEqual(world.found, [["chat.ts"]]);
    await world.answer("Chat");
    deepEqual([world.found.slice(1), world.clock.waiting], [[["Chat", "chat.ts"]], 0]);
  });

  test("nothing more is said when no symbols come, or too late", async () => {
    const world = new World();
    await world.find("chat");
    await world.pass(200);
    await world.answer();
    await world.find("chat");
    await world.pass(200);
    await world.pass(SYMBOLS_MS);
    await world.answer("Chat");
    deepEqual([world.found, world.clock.waiting], [[["chat.ts"], ["chat.ts"]], 0]);
  });

  test("for less than two characters language servers are not asked", async () => {
    const world = new World();
    await world.find("c");
    await world.find("");
    deepEqual([world.found, world.asked.length], [[["chat.ts"], ["chat.ts"]], 0]);
  });

  test("they are asked one question at a time, and not what nobody waits for any more", async () => {
    const world = new World();
    const first = await world.find("ch");
    first.abort();
    const second = await world.find("cha");
    second.abort();
    await world.find("chat");
    deepEqual(
      world.asked.map(({ query }) => query),
      ["ch"],
    );
    await world.answer("Late");
    deepEqual([world.asked.map(({ query }) => query), world.found], [["ch", "chat"], []]);
    await world.answer("Chat");
    deepEqual(world.found, [["Chat", "chat.ts"]]);
  });

  test("one that never answers does not keep the next question back for ever", async () => {
    const world = new World();
    (await world.find("ch")).abort();
    await world.find("chat");
    await world.pass(SYMBOLS_MS);
    deepEqual([world.asked.map(({ query }) => query), world.found], [["ch", "chat"], [["chat.ts"]]]);
  });

  test("one that fails finds nothing, and the log knows", async () => {
    const world = new World();
    await world.find("chat");
    world.asked[0]?.reject(new Error("no"));
    await settled();
    deepEqual([world.found, world.warned], [[["chat.ts"]], ["Workspace symbols could not be found"]]);
    await world.find("chat");
    equal(world.asked.length, 2);
  });
});
