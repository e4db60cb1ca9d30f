import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { emptyConversation, type Conversation, type Entry } from "../../src/protocol/chat/chat";
import { ConversationLines, NOTHING_STORED, storedIn } from "../journal/stored-conversation";
import { exportedConversation, importedConversation, jsonParts, markdownParts } from "./session-export";

const EMPTY = emptyConversation({ id: "ada", name: "Ada" }, "/w");
const text = fc.string({ unit: "binary", maxLength: 40 });
const id = fc.string({ minLength: 1, maxLength: 8 });
const entry = fc.oneof(
  fc.record({ kind: fc.constant("user" as const), id, text }),
  fc.record({ kind: fc.constant("agent" as const), id, text }),
  fc.record({ kind: fc.constant("thought" as const), id, text }),
  fc.record({
    kind: fc.constant("tool" as const),
    id,
    toolCallId: id,
    title: text,
    toolKind: fc.constantFrom("read", "execute"),
    status: fc.constantFrom("pending" as const, "in_progress" as const, "completed" as const, "failed" as const),
    content: fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant("text" as const), text }),
        fc.record({ kind: fc.constant("diff" as const), path: text, oldText: text, newText: text }),
        fc.record({ kind: fc.constant("terminal" as const), terminalId: fc.constantFrom("t1", "t2") }),
        fc.record({ kind: fc.constant("image" as const), mimeType: text, data: text }),
      ),
      { maxLength: 3 },
    ),
    locations: fc.constant([]),
    output: text,
  }),
);
const conversation: fc.Arbitrary<Conversation> = fc
  .record({ entries: fc.array(entry, { maxLength: 8 }), title: text, chosenTitle: text, output: text })
  .map(({ output, ...members }) => ({
    ...EMPTY,
    ...members,
    usage: { used: 1, size: 2, cost: { amount: 0.37, currency: "USD" } },
    terminals: [{ terminalId: "t1", command: "npm test", cwd: "/w", output, isCut: false }],
  }));

const asJson = (version: Conversation): string => [...jsonParts(version)].join("");
const asMarkdown = (version: Conversation): string => [...markdownParts(version)].join("");
const stored = (version: Conversation) => storedIn(new ConversationLines(NOTHING_STORED).of(version).lines);
const exported = (version: Conversation): Conversation => {
  const result = exportedConversation(stored(version), version.cwd);
  ok(result);
  return result;
};

suite("session export", () => {
  test("as JSON is the same after an import (property)", () => {
    fc.assert(
      fc.property(conversation, version => {
        const file = asJson(exported(version)),
          imported = importedConversation(file);
        ok(imported);
        equal(asJson(exported(imported)), file);
        deepEqual(exported(imported).entries, exported(version).entries);
      }),
    );
  });

  test("as JSON is written like JSON.stringify", () => {
    fc.assert(
      fc.property(conversation, fc.boolean(), ({ terminals, ...others }, hasTerminals) => {
        const version = hasTerminals && terminals ? { ...others, terminals } : others,
          file = asJson(version);
        equal(file, `${JSON.stringify(JSON.parse(file), undefined, 1)}\n`);
      }),
    );
  });

  test("as JSON is rejected if it is no exported session", () => {
    for (const file of [
      "",
      "{",
      "[]",
      '{"format":"symposium-session"}',
      asJson(EMPTY).replace('"version": 1', '"version": 2'),
    ])
      equal(importedConversation(file), undefined, file);
    ok(importedConversation(asJson(EMPTY)));
  });

  test("settles what is running, and leaves the queue out", () => {
    const { entries, queue } = exported({
      ...EMPTY,
      entries: [
        {
          kind: "tool",
          id: "t",
          toolCallId: "t",
          title: "t",
          toolKind: "read",
          status: "in_progress",
          content: [],
          locations: [],
        },
      ],
      turn: { state: "running", messageId: "m" },
      queue: { prompts: [{ messageId: "q", text: "later" }], held: false },
    });
    deepEqual([entries.map(each => each.kind === "tool" && each.status), queue], [["cancelled"], undefined]);
  });

  test("as Markdown contains all texts", () => {
    const entries: readonly Entry[] = [
      { kind: "user", id: "1", text: "Fix it", attachments: [{ kind: "file", path: "/w/a.ts" }] },
      { kind: "thought", id: "2", text: "Hm" },
      {
        kind: "tool",
        id: "3",
        toolCallId: "3",
        title: "Edit a.ts",
        toolKind: "edit",
        status: "completed",
        content: [
          { kind: "diff", path: "/w/a.ts", oldText: "one\n", newText: "two ``` three\n" },
          { kind: "terminal", terminalId: "t1" },
        ],
        locations: [],
      },
      { kind: "plan", id: "4", steps: [{ content: "Test", priority: "high", status: "completed" }] },
      { kind: "agent", id: "5", text: "Done." },
    ];
    equal(
      asMarkdown({
        ...EMPTY,
        title: "A *fix*",
        entries,
        terminals: [{ terminalId: "t1", command: "npm test", cwd: "/w", output: "1 passing", isCut: false }],
      }),
      `# A \\*fix\\*

- Agent: \`Ada\`
- Folder: \`/w\`

## You

Fix it

Attached: \`a.ts\`

> **Thought**
>
> Hm

**Tool** \`Edit a.ts\` (completed)

\`/w/a.ts\`

\`\`\`\`diff
-one
+two \`\`\` three
\`\`\`\`

\`\`\`
1 passing
\`\`\`

**Plan**

- [x] Test

## Ada

Done.
`,
    );
  });
});
