import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { ATTACHED_TEXT_LIMIT } from "./attachments";
import type { Entry } from "./chat";
import { chatTranscript } from "./chat-transcript";

const user = (text: string): Entry => ({ kind: "user", id: text, text }),
  agent = (text: string): Entry => ({ kind: "agent", id: text, text });

suite("chatTranscript", () => {
  test("renders prompts with the names of their attachments, answers and tool calls", () => {
    const entries: readonly Entry[] = [
      { ...user("Fix it"), attachments: [{ kind: "file", path: "/w/a.ts" }] } as Entry,
      { kind: "thought", id: "t", text: "Hm." },
      {
        kind: "tool",
        id: "c",
        toolCallId: "c",
        title: "Edit a.ts",
        toolKind: "edit",
        status: "completed",
        content: [{ kind: "diff", path: "/w/a.ts", newText: "b" }],
        locations: [],
        output: "ok",
      },
      { kind: "notice", id: "n", severity: "info", text: "Stopped.", actions: [] },
      agent("Done. "),
    ];
    deepEqual(chatTranscript({ entries }).split("\n\n"), [
      "User: Fix it\n(With a.ts.)",
      "(Tool call, completed: Edit a.ts\nChanged /w/a.ts\nReturned: ok)",
      "Assistant: Done.",
    ]);
  });

  test("is empty without text", () => equal(chatTranscript({ entries: [agent(" ")] }), ""));

  test("keeps the newest entries within the limit and counts the omitted ones", () =>
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { minLength: 1, maxLength: 12 }), lengths => {
        const entries = lengths.map((length, i) => agent(`${i}:${"x".repeat(length)}`)),
          text = chatTranscript({ entries });
        ok(text.length <= ATTACHED_TEXT_LIMIT);
        ok(text.includes(`Assistant: ${lengths.length - 1}:`));
        const kept = lengths.filter((_, i) => text.includes(`Assistant: ${i}:`)).length;
        equal(text.includes(`(${lengths.length - kept} earlier`), kept < lengths.length);
      }),
    ));
});
