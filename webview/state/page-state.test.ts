import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { isSame } from "../../src/protocol/chat/attachments";
import { type Entry } from "../../src/protocol/chat/chat";
import { SILENCE_MS } from "./page-requests";
import { type Page } from "./page-model";
import { propertyRuns } from "../../src/protocol/testing/property-runs";
import { UnreliablePage } from "../testing/unreliable-page";

const textOf = (entries: readonly Entry[]) =>
  entries.flatMap(entry => ("text" in entry && entry.kind !== "notice" ? [entry.text] : [])).join("");
const shownLength = (page: Page) =>
  new Map([...page.tabs].map(([id, tab]) => [id, textOf(tab.conversation.entries).length]));

const span = fc.tuple(fc.nat(6), fc.integer({ min: 1, max: 5 }));
const common = [
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("say" as const),
      n: fc.nat(3),
      text: fc.string({ minLength: 1, maxLength: 3 }),
      ends: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("submit" as const),
      text: fc.string({ minLength: 1, maxLength: 4 }).filter(text => text.trim() !== ""),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("queued" as const),
      act: fc.constantFrom("edit" as const, "edit" as const, "sendQueued" as const, "stop" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("attach" as const),
      by: fc.constantFrom("user" as const, "host" as const),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom("deliver" as const, "listen" as const), span }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("drop" as const, "repeat" as const), span }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "die" as const,
        "reload" as const,
        "crashOfThePage" as const,
        "openTab" as const,
        "closeTab" as const,
        "tick" as const,
        "longTick" as const,
      ),
    }),
  },
];
const fastStart = { weight: 1, arbitrary: fc.record({ kind: fc.constant("start" as const) }) };
const reorder = { weight: 1, arbitrary: fc.record({ kind: fc.constant("reorder" as const), span }) };
const slowStart = { weight: 1, arbitrary: fc.record({ kind: fc.constant("startSlowly" as const) }) };
const faithful = fc.oneof(...common, slowStart);
const move = fc.oneof(...common, reorder, fastStart);
type Move = typeof move | typeof faithful extends fc.Arbitrary<infer M> ? M : never;

function create(fixture: UnreliablePage, m: Move): void {
  switch (m.kind) {
    case "say":
      return fixture.report(m.n, m.text, m.ends);
    case "submit":
      return fixture.submit(m.text);
    case "queued":
      return fixture.queued(m.act);
    case "attach":
      return fixture.attach(m.by);
    case "listen":
      return fixture.toHost.splice(0, m.span[1]).forEach(message => fixture.handle(message));
    case "deliver":
      return fixture.toPage.splice(0, m.span[1]).forEach(message => fixture.do({ kind: "received", message }));
    case "drop":
      fixture.toPage.splice(...m.span);
      return;
    case "repeat":
      fixture.toPage.push(...fixture.toPage.slice(m.span[0], m.span[0] + m.span[1]));
      return;
    case "reorder":
      fixture.toPage.splice(m.span[0], 0, ...fixture.toPage.splice(...m.span).reverse());
      return;
    case "die":
      return fixture.die();
    case "start":
    case "startSlowly":
      return fixture[m.kind]();
    case "reload":
      return fixture.reload(false);
    case "crashOfThePage":
      return fixture.reload(true);
    case "openTab":
      return fixture.do({ kind: "received", message: { type: "openTab" } });
    case "closeTab":
      return fixture.page.tabs.size > 2 && fixture.page.selected !== undefined
        ? fixture.do({ kind: "closed", tabId: fixture.page.selected })
        : undefined;
    case "tick":
      return fixture.tick(600);
    case "longTick":
      return fixture.tick(SILENCE_MS);
  }
}

suite("page state", () => {
  test("shows each session completely, once and in order after any connection failures (property)", () =>
    fc.assert(
      fc.property(fc.array(move, { minLength: 10, maxLength: 90 }), moves => {
        const fixture = new UnreliablePage();
        moves.forEach(m => create(fixture, m));
        fixture.settle();
        for (const tab of fixture.page.tabs.values()) {
          const conversation = fixture.conversation(tab.tabId);
          ok(conversation, "each tab of the page has a session");
          deepEqual(tab.conversation, conversation);
          equal(tab.bootId, fixture.bootId);
        }
      }),
      { numRuns: propertyRuns(800) },
    ));

  test("never removes displayed content on a sidecar exit, and shows it again after a reload (property)", () =>
    fc.assert(
      fc.property(fc.array(faithful, { minLength: 10, maxLength: 90 }), moves => {
        const fixture = new UnreliablePage();
        let before = shownLength(fixture.page);
        const longest = new Map(before);
        for (const m of moves) {
          create(fixture, m);
          const after = shownLength(fixture.page);
          for (const [id, length] of after) {
            const isEmptied = m.kind === "reload" || m.kind === "crashOfThePage";
            ok(isEmptied || length >= (before.get(id) ?? 0), `${m.kind} removed displayed content`);
            longest.set(id, Math.max(length, longest.get(id) ?? 0));
          }
          before = after;
        }
        fixture.startSlowly();
        fixture.settle();
        for (const [id, length] of shownLength(fixture.page))
          ok(length >= (longest.get(id) ?? 0), "displayed content is missing at the end");
      }),
      { numRuns: propertyRuns(800) },
    ));

  test("never loses typed text or attachments (property)", () =>
    fc.assert(
      fc.property(fc.array(faithful, { minLength: 10, maxLength: 90 }), moves => {
        const fixture = new UnreliablePage();
        for (const m of moves) if (m.kind !== "closeTab") create(fixture, m);
        fixture.startSlowly();
        fixture.settle();
        const everything = [...fixture.page.tabs.values()].flatMap(({ conversation, drafts }) => [
          ...conversation.entries.filter(entry => entry.kind === "user"),
          ...(conversation.queue?.prompts ?? []),
          ...drafts.onTheWay,
          ...drafts.takenBack,
          drafts,
        ]);
        for (const text of fixture.submitted)
          ok(
            everything.some(whole => whole.text.includes(text)),
            `lost: ${text}`,
          );
        for (const attachment of fixture.attached)
          ok(
            everything.some(({ attachments = [] }) => attachments.some(each => isSame(each, attachment))),
            `lost: ${JSON.stringify(attachment)}`,
          );
      }),
      { numRuns: propertyRuns(500) },
    ));
});
