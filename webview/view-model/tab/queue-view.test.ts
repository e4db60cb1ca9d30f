import { deepEqual, equal, notEqual } from "node:assert/strict";
import { emptyConversation, type Conversation, type QueuedPrompt } from "../../../src/protocol/chat/chat";
import { noDrafts, type Drafts } from "../../state/drafts";
import { freshTab, type Tab } from "../../state/page-model";
import { startedEntries, looksSame, queueOf } from "./queue-view";

const ELIZA = { id: "elizacp", name: "Eliza" };
const tab = (conversation: Partial<Conversation>, drafts: Partial<Drafts> = {}): Tab => ({
  ...freshTab("t", ELIZA, 0, 0),
  drafts: { ...noDrafts, ...drafts },
  conversation: { ...emptyConversation(ELIZA, "/"), ...conversation },
});
const [a, b, c]: readonly [QueuedPrompt, QueuedPrompt, QueuedPrompt] = [
  { messageId: "a", text: "A" },
  { messageId: "b", text: "B", attachments: [{ kind: "file", path: "/w/b" }] },
  { messageId: "c", text: "C" },
];
const running = { state: "running", messageId: "m" } as const;

suite("queue view", () => {
  test("shows a sent prompt as the start of a turn, or queued behind others during one", () => {
    const idle = tab({}, { onTheWay: [b, c] });
    deepEqual(startedEntries(idle), [{ kind: "user", id: "b", text: "B", attachments: b.attachments }]);
    deepEqual(queueOf(idle), { held: false, prompts: [{ prompt: c, state: "onTheWay" }] });
    const busy = tab({ turn: running, queue: { prompts: [a], held: false } }, { onTheWay: [b] });
    deepEqual(
      [startedEntries(busy), queueOf(busy)],
      [
        [],
        {
          held: false,
          prompts: [
            { prompt: a, state: "waiting" },
            { prompt: b, state: "onTheWay" },
          ],
        },
      ],
    );
  });

  test("marks a withdrawn prompt until it is removed", () =>
    deepEqual(queueOf(tab({ turn: running, queue: { prompts: [a, b], held: true } }, { takenBack: [b] })), {
      held: true,
      prompts: [
        { prompt: a, state: "waiting" },
        { prompt: b, state: "takenBack" },
      ],
    }));

  test("shows no empty queue and no held queue without prompts", () => {
    equal(queueOf(tab({ queue: { prompts: [], held: true } })), undefined);
    equal(queueOf(tab({ turn: running, queue: { prompts: [], held: true } }, { onTheWay: [a] }))?.held, false);
  });

  test("detects equal views", () => {
    const view = queueOf(tab({ queue: { prompts: [a, b], held: true } }));
    equal(looksSame(view, queueOf(tab({ queue: { prompts: [a, b], held: true } }))), true);
    for (const item of [
      undefined,
      queueOf(tab({ queue: { prompts: [a], held: true } })),
      queueOf(tab({ queue: { prompts: [a, b], held: false } })),
      queueOf(tab({ queue: { prompts: [a, { ...b }], held: true } })),
      queueOf(tab({ queue: { prompts: [a, b], held: true } }, { takenBack: [b] })),
    ])
      notEqual(looksSame(view, item), true);
    equal(looksSame(undefined, undefined), true);
  });
});
