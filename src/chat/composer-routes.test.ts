import { deepEqual, equal } from "node:assert/strict";
import { deferred } from "../protocol/wire/deferred";
import { MAX_ATTACHMENTS, type Attachment, type Mention } from "../protocol/chat/attachments";
import { Fixture } from "../testing/chat-controller-fixture";
import { settled } from "../testing/settled";

const file = (path: string): Attachment => ({ kind: "file", path });
const mention = (name: string): Mention => ({
  name,
  about: "file",
  adds: { kind: "attachment", attachment: file(`/w/${name}`) },
});
const attached = (fixture: Fixture) => fixture.of("attach").map(({ attachments }) => attachments);

suite("composer routes", () => {
  test("answers only the newest search, repeatedly, and aborts the others", async () => {
    const fixture = new Fixture();
    const searches: {
      readonly query: string;
      found(mentions: readonly Mention[]): void;
      readonly signal: AbortSignal;
    }[] = [];
    fixture.composer = {
      ...fixture.composer,
      find: async (query, found, signal) => {
        searches.push({ query, found, signal });
      },
    };
    await fixture.send(
      { type: "findMentions", requestNumber: 1, query: "a" },
      { type: "findMentions", requestNumber: 2, query: "ab" },
    );
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
    deepEqual(fixture.of("mentionsFound"), [
      { type: "mentionsFound", requestNumber: 2, mentions: [mention("ab")] },
      { type: "mentionsFound", requestNumber: 2, mentions: [mention("ab"), mention("abc")] },
    ]);
    fixture.chat.dispose();
    equal(searches[1]?.signal.aborted, true);
  });

  test("logs a failed search and returns no results", async () => {
    const fixture = new Fixture();
    const lines: string[] = [];
    fixture.log.onLog(({ message }) => lines.push(message));
    fixture.composer = {
      ...fixture.composer,
      find: async () => {
        throw new Error("no");
      },
    };
    await fixture.send({ type: "findMentions", requestNumber: 1, query: "a" });
    deepEqual(
      [fixture.posted, fixture.done, lines],
      [[{ type: "mentionsFound", requestNumber: 1, mentions: [] }], [], ["Could not find mentions"]],
    );
  });

  test("returns editor content to the requesting tab and reports missing items", async () => {
    const fixture = new Fixture();
    fixture.composer = {
      ...fixture.composer,
      gather: async source => {
        if (source.kind !== "dropped") throw new Error("Nothing is selected.");
        return {
          attachments: source.uris.slice(1).map(file),
          ...(source.uris[0] === "" ? {} : { omitted: `${source.uris[0]} is not a file.` }),
        };
      },
    };
    await fixture.send(
      { type: "requestContext", tabId: "t", source: { kind: "dropped", uris: ["", "/a"] } },
      { type: "requestContext", tabId: "t", source: { kind: "dropped", uris: ["x", "/b"] } },
      { type: "requestContext", tabId: "t", source: { kind: "dropped", uris: ["y"] } },
      { type: "requestContext", tabId: "t", source: { kind: "selection" } },
    );
    deepEqual(fixture.of("attach"), [
      { type: "attach", tabId: "t", attachments: [file("/a")] },
      { type: "attach", tabId: "t", attachments: [file("/b")] },
    ]);
    deepEqual(
      fixture.of("failed"),
      ["x is not a file.", "y is not a file.", "Nothing is selected."].map(message => ({
        type: "failed",
        tabId: "t",
        message,
      })),
    );
  });

  test("delivers editor attachments once, to the current or the next page", async () => {
    const fixture = new Fixture();
    await fixture.chat.attach([file("/a")]);
    deepEqual(fixture.of("attach"), [{ type: "attach", attachments: [file("/a")] }]);
    fixture.live = false;
    await fixture.chat.attach([file("/b")]);
    await fixture.chat.attach([file("/c"), file("/b")]);
    fixture.live = true;
    await fixture.ready();
    await fixture.ready();
    deepEqual(
      [attached(fixture), fixture.posted.slice(-3).map(({ type }) => type)],
      [
        [[file("/a")], [file("/b"), file("/c")]],
        ["state", "attach", "state"],
      ],
    );
  });

  test("delivers lines of text with the attachments, in order", async () => {
    const fixture = new Fixture();
    await fixture.chat.attach([file("/a")], "first");
    fixture.live = false;
    await fixture.chat.attach([file("/b")], "second");
    await fixture.chat.attach([file("/c")], "third");
    fixture.live = true;
    await fixture.ready();
    deepEqual(fixture.of("attach"), [
      { type: "attach", attachments: [file("/a")], text: "first" },
      { type: "attach", attachments: [file("/b"), file("/c")], text: "second\nthird" },
    ]);
  });

  test("queues undelivered attachments for the next page before newer ones", async () => {
    const fixture = new Fixture(),
      going = deferred<boolean>();
    fixture.delivery = going.promise;
    const adding = fixture.chat.attach([file("/a")]);
    fixture.live = false;
    await fixture.chat.attach([file("/b")]);
    going.resolve(false);
    await adding;
    deepEqual(attached(fixture), []);
    fixture.live = true;
    fixture.delivery = true;
    await fixture.ready();
    await settled();
    deepEqual(attached(fixture), [[file("/a"), file("/b")]]);
  });

  test("delivers undelivered attachments to a page that appeared meanwhile", async () => {
    const fixture = new Fixture(),
      going = deferred<boolean>();
    fixture.delivery = going.promise;
    const adding = fixture.chat.attach([file("/a")]);
    await fixture.ready();
    fixture.delivery = true;
    going.resolve(false);
    await adding;
    deepEqual(attached(fixture), [[file("/a")]]);
  });

  test("queues at most as many attachments as a prompt can hold", async () => {
    const fixture = new Fixture();
    fixture.live = false;
    for (let i = 0; i < MAX_ATTACHMENTS + 5; i++) await fixture.chat.attach([file(`/${i}`)]);
    fixture.live = true;
    await fixture.ready();
    deepEqual(
      attached(fixture).map(({ length }) => length),
      [MAX_ATTACHMENTS],
    );
  });
});
