import { deepEqual, equal } from "node:assert/strict";
import { deferred } from "../deferred";
import { MOST_ATTACHMENTS, type Attachment, type Mention } from "../protocol/attachments";
import { World } from "../testing/chat-controller-world";
import { settled } from "../testing/settled";

const file = (path: string): Attachment => ({ kind: "file", path });
const mention = (name: string): Mention => ({
  name,
  about: "file",
  adds: { kind: "attachment", attachment: file(`/w/${name}`) },
});
const attached = (world: World) => world.of("attach").map(({ attachments }) => attachments);

suite("what a prompt holds besides words, between page and editor", () => {
  test("of several searches the newest is answered, again when more is found; the others are let go", async () => {
    const world = new World();
    const searches: {
      readonly query: string;
      found(mentions: readonly Mention[]): void;
      readonly signal: AbortSignal;
    }[] = [];
    world.composer = {
      ...world.composer,
      find: async (query, found, signal) => {
        searches.push({ query, found, signal });
      },
    };
    await world.says({ type: "find", asked: 1, query: "a" }, { type: "find", asked: 2, query: "ab" });
    deepEqual(
      searches.map(({ query, signal }) => [query, signal.aborted]),
      [
        ["a", true],
        ["ab", false],
      ],
    );
    searches[0]?.found([mention("late")]);
    searches[1]?.found([mention("ab")]);
    searches[1]?.found([mention("ab"), mention("abc")]);
    deepEqual(world.of("found"), [
      { type: "found", asked: 2, mentions: [mention("ab")] },
      { type: "found", asked: 2, mentions: [mention("ab"), mention("abc")] },
    ]);
    world.chat.dispose();
    equal(searches[1]?.signal.aborted, true);
  });

  test("a search that fails finds nothing, and nobody is told but the log", async () => {
    const world = new World();
    const lines: string[] = [];
    world.log.onLog(({ message }) => lines.push(message));
    world.composer = {
      ...world.composer,
      find: async () => {
        throw new Error("no");
      },
    };
    await world.says({ type: "find", asked: 1, query: "a" });
    deepEqual(
      [world.posted, world.done, lines],
      [[{ type: "found", asked: 1, mentions: [] }], [], ["What fits behind an @ could not be found"]],
    );
  });

  test("what only the editor knows goes to the tab that wants it; what is not there is said there, also when some of it is", async () => {
    const world = new World();
    world.composer = {
      ...world.composer,
      gather: async want => {
        if (want.kind !== "dropped") throw new Error("Nothing is selected.");
        return {
          attachments: want.uris.slice(1).map(file),
          ...(want.uris[0] === "" ? {} : { left: `${want.uris[0]} is no file.` }),
        };
      },
    };
    await world.says(
      { type: "want", tabId: "t", want: { kind: "dropped", uris: ["", "/a"] } },
      { type: "want", tabId: "t", want: { kind: "dropped", uris: ["x", "/b"] } },
      { type: "want", tabId: "t", want: { kind: "dropped", uris: ["y"] } },
      { type: "want", tabId: "t", want: { kind: "selection" } },
    );
    deepEqual(world.of("attach"), [
      { type: "attach", tabId: "t", attachments: [file("/a")] },
      { type: "attach", tabId: "t", attachments: [file("/b")] },
    ]);
    deepEqual(
      world.of("failed"),
      ["x is no file.", "y is no file.", "Nothing is selected."].map(message => ({
        type: "failed",
        tabId: "t",
        message,
      })),
    );
  });

  test("what is added in the editor goes to a page that is there, or to the one that comes, once", async () => {
    const world = new World();
    await world.chat.attach([file("/a")]);
    deepEqual(world.of("attach"), [{ type: "attach", attachments: [file("/a")] }]);
    world.live = false;
    await world.chat.attach([file("/b")]);
    await world.chat.attach([file("/c"), file("/b")]);
    world.live = true;
    await world.ready();
    await world.ready();
    deepEqual(
      [attached(world), world.posted.slice(-3).map(({ type }) => type)],
      [
        [[file("/a")], [file("/b"), file("/c")]],
        ["state", "attach", "state"],
      ],
    );
  });

  test("what did not reach a page that went away waits for the next, before what was added meanwhile", async () => {
    const world = new World(),
      going = deferred<boolean>();
    world.delivery = going.promise;
    const adding = world.chat.attach([file("/a")]);
    world.live = false;
    await world.chat.attach([file("/b")]);
    going.resolve(false);
    await adding;
    deepEqual(attached(world), []);
    world.live = true;
    world.delivery = true;
    await world.ready();
    await settled();
    deepEqual(attached(world), [[file("/a"), file("/b")]]);
  });

  test("what did not reach one page goes to the one that has come meanwhile", async () => {
    const world = new World(),
      going = deferred<boolean>();
    world.delivery = going.promise;
    const adding = world.chat.attach([file("/a")]);
    await world.ready();
    world.delivery = true;
    going.resolve(false);
    await adding;
    deepEqual(attached(world), [[file("/a")]]);
  });

  test("no more waits than a prompt can hold", async () => {
    const world = new World();
    world.live = false;
    for (let i = 0; i < MOST_ATTACHMENTS + 5; i++) await world.chat.attach([file(`/${i}`)]);
    world.live = true;
    await world.ready();
    deepEqual(
      attached(world).map(({ length }) => length),
      [MOST_ATTACHMENTS],
    );
  });
});
