import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Entry, Permission, ToolCall } from "../src/protocol/chat";
import { cardsOf, keyOf, meaningOf, type Card, type Circumstances } from "./render";
import { contentMarkdown, fileLink, lineDiff, textBlock } from "./tool-content";

const now: Circumstances = { growing: false, answerable: true, answering: false };
const only = (entry: Entry, circumstances: Partial<Circumstances> = {}): Card => {
  const cards = cardsOf(entry, { ...now, ...circumstances });
  equal(cards.length, 1);
  return cards[0]!;
};

const question: Permission = {
  kind: "permission", id: "q", agent: "Claude", toolEntryId: "t", title: "rm -rf build", toolKind: "execute", input: "{\n  \"command\": \"rm -rf build\"\n}", content: [],
  options: [{ optionId: "o1", name: "Yes", kind: "allow_once" }, { optionId: "o2", name: "No", kind: "reject_once" }],
};
const tool: ToolCall = { kind: "tool", id: "t", toolCallId: "x", title: "Read a.ts", toolKind: "read", status: "completed", content: [], locations: [] };

suite("render", () => {
  test("a permission shows who asks, for what, with all parameters, and the agent's options in its order, then ours", () => {
    const card = only(question);
    equal(card.header?.text, "**Claude** wants to run a command");
    ok(card.body.includes("**rm \\-rf build**") && card.body.includes(`"command": "rm -rf build"`));
    deepEqual(card.buttons.map(({ id, label, weight }) => [id, label, weight]), [["option:o1", "Yes", "main"], ["option:o2", "No", "plain"], ["bypass", "Bypass permissions for this agent", "quiet"]]);
  });

  test("where the agent offers no way to allow, we offer none", () => {
    const kinds = (...options: Permission["options"]) => only({ ...question, options }).buttons.map(({ id }) => id);
    deepEqual(kinds({ optionId: "o", name: "No", kind: "reject_once" }, { optionId: "p", name: "Never", kind: "reject_always" }), ["option:o", "option:p"]);
    deepEqual(kinds({ optionId: "o", name: "Always", kind: "allow_always" }), ["option:o", "bypass"]);
    deepEqual(kinds(), []);
  });

  test("parameters of a permission are never cut", () => {
    const input = JSON.stringify(Array.from({ length: 5_000 }, (_, i) => i), undefined, 1);
    ok(only({ ...question, input }).body.includes(input));
  });

  test("an answered permission has no buttons and says who answered what", () => {
    const answered = only({ ...question, answered: { kind: "selected", optionId: "o1", name: "Yes", optionKind: "allow_once", by: "user" } });
    deepEqual(answered.buttons, []);
    ok(answered.body.endsWith("✓ **Allowed** by you: “Yes”"));
    ok(only({ ...question, answered: { kind: "selected", optionId: "o2", name: "No", optionKind: "reject_once", by: "bypass" } }).body.includes("✗ **Rejected** without asking"));
    ok(only({ ...question, answered: { kind: "cancelled", why: "the turn was stopped" } }).body.endsWith("**Not answered**: the turn was stopped"));
  });

  test("a permission that cannot be answered now, or is being answered, has no buttons", () => {
    deepEqual(only(question, { answerable: false }).buttons, []);
    deepEqual(only(question, { answering: true }).buttons, []);
  });

  test("content cannot swallow what follows it in a permission", () => {
    const body = only({ ...question, content: [{ kind: "text", text: "```\nopen" }, { kind: "diff", path: "/a", newText: "x" }] }).body;
    ok(body.includes("```\nopen\n```\n\n"));
  });

  test("names of the agent's are text: in options, titles and kinds", () => {
    const card = only({ ...question, agent: "<b>*x*", options: [{ optionId: "o", name: "<img> **Yes**\u202e", kind: "allow_once" }] });
    equal(card.buttons[0]?.label, "\\<img\\> \\*\\*Yes\\*\\*⟦U\\+202E⟧");
    ok(!card.header?.text.includes("<b>*x"));
    ok(!/(?<!\\)</.test(only({ ...tool, title: "<style>", toolKind: "<x>" }).header!.text));
  });

  test("a tool call is one line that unfolds to input, content and output; a diff is unfolded", () => {
    const card = only({ ...tool, status: "failed", input: "{}", output: "boom", content: [{ kind: "text", text: "hi" }], locations: [{ path: "/w/a.ts", line: 3 }] });
    deepEqual([card.header?.icon, card.header?.text, card.header?.status], ["read", "Read a\\.ts · read", { text: "failed", tone: "error" }]);
    equal(card.folded.length, 4);
    equal(card.startsUnfolded, false);
    equal(only({ ...tool, content: [{ kind: "diff", path: "/a", newText: "x" }] }).startsUnfolded, true);
  });

  test("a long answer is several cards, of which the last grows", () => {
    const cards = cardsOf({ kind: "agent", id: "a", text: `${"word ".repeat(1_000)}\n\n`.repeat(3) }, { ...now, growing: true });
    deepEqual(cards.map(({ key, growing }) => [key, growing]), [["a", false], ["a#2", false], ["a#3", true]]);
  });

  test("an answer without text has no card yet; an interrupted one says so", () => {
    deepEqual(cardsOf({ kind: "agent", id: "a", text: " \n" }, now), []);
    deepEqual(cardsOf({ kind: "agent", id: "a", text: "so", interrupted: true }, now).map(({ kind }) => kind), ["answer", "answer"]);
  });

  test("an update that nobody knows has a card", () => equal(only({ kind: "unknown", id: "u", what: "hologram", json: "{}" }).header?.text, "The agent sent something that is not known yet: hologram"));

  test("an entry that did not change gives the same cards", () => {
    const entry: Entry = { kind: "user", id: "u", text: "hi" };
    equal(cardsOf(entry, now), cardsOf(entry, { ...now }));
    ok(cardsOf(question, now) !== cardsOf(question, { ...now, answering: true }));
  });

  test("an entry that cannot be described has a card that says so, and takes no other with it", () => {
    const broken: ToolCall = JSON.parse(JSON.stringify({ ...tool, id: "b", locations: [{ line: 3 }] }));
    const card = only(broken);
    deepEqual([card.key, card.kind, card.header?.tone, card.buttons], ["b", "unknown", "warning", []]);
    equal(card.header?.text, "This entry cannot be shown.");
  });

  test("an id that every object has names a card all the same", () => {
    equal(keyOf("__proto__"), "~__proto__");
    equal(keyOf("plain"), "plain");
  });

  test("a button means what its id says, whatever the option's id is; others mean nothing", () => {
    deepEqual(meaningOf("option:action:showLogs"), { kind: "permission", choice: { kind: "option", optionId: "action:showLogs" } });
    deepEqual(meaningOf("bypass"), { kind: "permission", choice: { kind: "bypass" } });
    deepEqual(meaningOf("action:showLogs"), { kind: "action", action: "showLogs" });
    for (const other of ["action:toString", "option", "x:y", ""]) equal(meaningOf(other), undefined);
    equal(only({ kind: "notice", id: "n", severity: "error", text: "No.", actions: ["restartAgent"] }).buttons[0]?.id, "action:restartAgent");
  });
});

suite("tool content", () => {
  test("a diff is what changed, with three lines around it", () => {
    equal(lineDiff("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nX\n6\n7\n8\n9"), " 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8");
    equal(lineDiff(undefined, "a\nb"), "+a\n+b");
    equal(lineDiff("a", "a\nb"), " a\n+b");
    equal(lineDiff("a\na", "a"), " a\n-a");
    equal(lineDiff("a\n", "b\n"), "-a\n+b");
    equal(lineDiff("a", "a\n"), " a\n+");
    equal(lineDiff(undefined, "a\n"), "+a");
  });

  test("output is cut, loses its terminal colours, and shows what hides in it", () => {
    const block = textBlock(`\u001b[31mred\u001b[0m\u0008\n${"x\n".repeat(400)}`, "text");
    ok(block.includes("red⟦U+0008⟧") && block.includes("more lines are not shown") && !block.includes("\u001b"));
    match(textBlock("x".repeat(20_000), "text"), /\nx{16000}\n[^]*\*4000 more characters are not shown\.\*$/);
  });

  test("a file's link leads to its line, whatever is in its name", () => {
    equal(fileLink({ path: "/w/a.ts", line: 3 }), "[/w/a.ts:3](file:///w/a.ts#L3)");
    equal(fileLink({ path: "C:\\w\\a (1)#.ts" }), "[C:\\w\\a (1)#.ts](file:///C:/w/a%20%281%29%23.ts)");
    ok(!fileLink({ path: "/w/<b>]x" }).includes("<"));
  });

  test("half a character in a path is shown, and linked to, as one that is not known", () => {
    equal(fileLink({ path: "/w/\ud83d" }), "[/w/\ufffd](file:///w/%EF%BF%BD)");
    equal(fileLink({ path: "/w/\ude00.ts", line: 1 }), "[/w/\ufffd.ts:1](file:///w/%EF%BF%BD.ts#L1)");
    equal(fileLink({ path: "/w/😀" }), "[/w/😀](file:///w/%F0%9F%98%80)");
    ok(contentMarkdown({ kind: "diff", path: "/w/\ud83d", newText: "x" }).includes("+x"));
  });

  test("code is never changed to keep it shallow: in a block it nests nothing", () => {
    const code = ">".repeat(4_000);
    ok(textBlock(code, "text").includes(code));
  });

  test("every kind of content shows something", () => {
    for (const content of [{ kind: "image", mimeType: "image/png", data: "" }, { kind: "resource", uri: "file:///a" }, { kind: "other", what: "audio", json: "{}" }, { kind: "terminal", terminalId: "t" }] as const) ok(contentMarkdown(content).length > 5);
  });
});
