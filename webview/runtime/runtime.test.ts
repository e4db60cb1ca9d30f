import { deepEqual, equal, ok } from "node:assert/strict";
import { emptyConversation, type ChatEvent } from "../../src/protocol/chat/chat";
import type { HostToPage, PageToHost } from "../../src/protocol/page/host-to-page";
import { PageRuntime } from "./runtime";
import { mark } from "./page-marks";
import type { Page } from "../state/page-model";
import { openPage } from "../state/page-state";
import { restored } from "../state/saved-page";

/** A page with two live tabs, and a record of its effects. */
function fixture() {
  const posted: PageToHost[] = [],
    shown: string[] = [],
    dataset: Record<string, string | undefined> = {};
  const notifications: { readonly before: Page; readonly after: Page }[] = [],
    drawn: boolean[] = [];
  const unfit = new Set<string>(),
    slow = new Set<string>();
  let frames = 0,
    ids = 0;
  const first = openPage(restored(undefined), 0, 0);
  const loop = new PageRuntime(
    {
      ui: {
        open: () => true,
        select: () => undefined,
        close: () => undefined,
        focusPrompt: () => undefined,
        focusQuestion: () => undefined,
        focusFind: () => undefined,
        offer: () => undefined,
        fill: () => undefined,
        showAgents: () => undefined,
        colorCode: () => undefined,
        isDrawing: which => slow.has(String(which)),
        show: tabId => {
          if (unfit.has(tabId)) throw new Error("unfit");
          shown.push(tabId);
        },
      },
      frames: {
        request: () => {
          frames++;
        },
      },
      saving: { now: () => undefined, soon: () => undefined },
      accessibility: {
        changed: (before, after) => {
          notifications.push({ before, after });
        },
        drawn: (_page, isWhole) => {
          drawn.push(isWhole);
        },
      },
      marks: marks => mark(dataset, marks),
      post: message => {
        posted.push(message);
      },
      now: () => 0,
      tabId: () => `new ${++ids}`,
    },
    first[0],
  );
  loop.enter(first);
  const receive = (message: HostToPage): void => loop.happen({ kind: "received", message });
  receive({
    type: "state",
    agents: [{ id: "a", name: "A" }],
    currentAgentId: "a",
    tabs: ["1", "2"],
    selected: "1",
    sidecar: { state: "running" },
  });
  for (const tabId of ["1", "2"])
    receive({
      type: "snapshot",
      tabId,
      bootId: "b",
      seq: 0,
      requestNumber: 100,
      conversation: emptyConversation({ id: "a", name: "A" }, "/w"),
    });
  loop.draw();
  let seq = 0;
  const emit = (event: ChatEvent): void => receive({ type: "event", tabId: "1", bootId: "b", seq: ++seq, event });
  return { loop, posted, shown, dataset, notifications, drawn, unfit, slow, emit, receive, frames: () => frames };
}

suite("page runtime", () => {
  test("merges the chunks of an answer with the next event or drawing", () => {
    const { loop, notifications, emit } = fixture();
    emit({ type: "upsert", entry: { kind: "agent", id: "e", text: "" } });
    const before = loop.page,
      count = notifications.length;
    for (const [offset, text] of [
      [0, "one "],
      [4, "two "],
      [8, "three"],
    ] as const)
      emit({ type: "append", id: "e", offset, text });
    equal(notifications.length, count, "chunks are not announced separately");
    loop.draw();
    equal(notifications.length, count + 1);
    equal(notifications.at(-1)?.before, before, "compares with the page before the first chunk");
    equal(notifications.at(-1)?.after, loop.page);
  });

  test("logs a tab that fails to draw and draws the other", () => {
    const { loop, posted, shown, unfit, receive } = fixture();
    unfit.add("1");
    shown.length = 0;
    receive({
      type: "state",
      agents: [{ id: "a", name: "A" }],
      currentAgentId: "a",
      tabs: ["1", "2"],
      sidecar: { state: "restarting", message: "once more" },
    });
    loop.draw();
    deepEqual(shown, ["2"]);
    ok(posted.some(message => message.type === "log" && message.message === "A tab could not be rendered."));
    receive({
      type: "event",
      tabId: "2",
      bootId: "b",
      seq: 1,
      event: { type: "upsert", entry: { kind: "agent", id: "e", text: "x" } },
    });
    loop.draw();
    equal(posted.at(-1)?.type, "ack", "acknowledges the message despite the failure");
  });

  test("marks a running turn immediately and its end only when drawn", () => {
    const { loop, dataset, emit, slow } = fixture();
    deepEqual([dataset["tab"], dataset["turn"], dataset["ready"]], ["1", "idle", "true"]);
    emit({ type: "turn", turn: { state: "running", messageId: "m" } });
    equal(dataset["turn"], "running");
    slow.add("1");
    emit({ type: "turn", turn: { state: "idle" } });
    loop.draw();
    equal(dataset["turn"], "running", "the drawing is incomplete");
    slow.delete("1");
    loop.complete();
    equal(dataset["turn"], "idle");
  });

  test("reports a drawing of several frames on completion", () => {
    const { loop, drawn, slow, emit } = fixture();
    slow.add("1");
    emit({ type: "upsert", entry: { kind: "agent", id: "e", text: "x" } });
    loop.draw();
    loop.complete();
    deepEqual(drawn.slice(-2), [false, true]);
  });
});
