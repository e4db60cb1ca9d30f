import { deepEqual, equal, ok } from "node:assert/strict";
import type {
  Compaction,
  Entry,
  Notice,
  Permission,
  TerminalView,
  ToolCall,
  ToolContent,
} from "../../../src/protocol/chat/chat";
import { changeOf, meaningOf, pageChoice } from "./buttons";
import { keyOf, type Card, type RenderContext } from "./card";
import { ANSWERABLE } from "../../testing/render-context";
import { cardsOf } from "./render";

const only = (entry: Entry, circumstances: Partial<RenderContext> = {}): Card => {
  const cards = cardsOf(entry, { ...ANSWERABLE, ...circumstances });
  equal(cards.length, 1);
  return cards[0]!;
};

const question: Permission = {
  kind: "permission",
  id: "q",
  agent: "Claude",
  toolEntryId: "t",
  title: "rm -rf build",
  toolKind: "execute",
  input: '{\n  "command": "rm -rf build"\n}',
  content: [],
  options: [
    { optionId: "o1", name: "Yes", kind: "allow_once" },
    { optionId: "o2", name: "No", kind: "reject_once" },
  ],
};
const tool: ToolCall = {
  kind: "tool",
  id: "t",
  toolCallId: "x",
  title: "Read a.ts",
  toolKind: "read",
  status: "completed",
  content: [],
  locations: [],
};

suite("entry card", () => {
  test("shows a permission with its parameters, the agent's options and then Symposium's", () => {
    const card = only(question);
    equal(card.header?.text, "**Run a command?**");
    equal(card.body, "```sh\nrm -rf build\n```");
    deepEqual(
      card.buttons.map(({ id, label, weight }) => [id, label, weight]),
      [
        ["option:o1", "Allow Once", "main"],
        ["option:o2", "Reject", "plain"],
      ],
    );
    deepEqual(
      card.menuButtons.map(({ id, label }) => [id, label]),
      [["bypass", "Allow Everything…"]],
      "one press beside the answers must not allow everything",
    );
  });

  test("offers no permanent permission if the agent offers no allow option", () => {
    const ids = ({ buttons, menuButtons }: Card) => [buttons, menuButtons].map(level => level.map(({ id }) => id));
    const kinds = (...options: Permission["options"]) => ids(only({ ...question, options }));
    deepEqual(
      kinds(
        { optionId: "o", name: "No", kind: "reject_once" },
        { optionId: "p", name: "Never", kind: "reject_always" },
      ),
      [["option:o"], ["option:p"]],
    );
    deepEqual(
      kinds({ optionId: "p", name: "Never", kind: "reject_always" }),
      [["option:p"], []],
      "the only way to reject stays in view",
    );
    deepEqual(
      kinds({ optionId: "o", name: "Always", kind: "allow_always" }),
      [["option:o"], []],
      "a bypass answers with allow_once, never more",
    );
    deepEqual(
      ids(only({ ...question, isOurs: true })),
      [["option:o1", "option:o2"], []],
      "no setting for the agent answers a question of ours",
    );
    deepEqual(kinds(), [[], []]);
  });

  test("never truncates the parameters of a permission", () => {
    const input = JSON.stringify(
      Array.from({ length: 5_000 }, (_, i) => i),
      undefined,
      1,
    );
    ok(only({ ...question, input }).body.includes(input));
  });

  test("shows the author of an answer to a permission, without buttons", () => {
    const answered = only({
      ...question,
      answered: { kind: "selected", optionId: "o1", name: "Yes", optionKind: "allow_once", by: "user" },
    });
    deepEqual(answered.buttons, []);
    ok(answered.body.endsWith("✓ **Allowed** by you: “Yes”"));
    ok(
      only({
        ...question,
        answered: { kind: "selected", optionId: "o2", name: "No", optionKind: "reject_once", by: "bypass" },
      }).body.includes("✗ **Rejected** without asking"),
    );
    ok(
      only({ ...question, answered: { kind: "cancelled", why: "the turn was stopped" } }).body.endsWith(
        "**Not answered**: the turn was stopped",
      ),
    );
  });

  test("shows no buttons on a permission that is not answerable or already being answered", () => {
    deepEqual(only(question, { answerable: false }).buttons, []);
    deepEqual(only(question, { answering: true }).buttons, []);
  });

  test("closes open code blocks before later parts of a permission", () => {
    const body = only({
      ...question,
      content: [
        { kind: "text", text: "```\nopen" },
        { kind: "text", text: "x" },
      ],
    }).body;
    ok(body.includes("```\nopen\n```\n\nx"));
  });

  test("escapes the agent's names in options, titles and kinds", () => {
    const card = only({
      ...question,
      agent: "<b>*x*",
      options: [{ optionId: "o", name: "<img> **Yes**\u202e", kind: "allow_once" }],
    });
    equal(card.buttons[0]?.label, "\\<img\\> \\*\\*Yes\\*\\*⟦U\\+202E⟧");
    ok(!card.header?.text.includes("<b>*x"));
  });

  test("shows a tool call on one line with folded details, and a diff unfolded", () => {
    const card = only({
      ...tool,
      status: "failed",
      input: "{}",
      output: "boom",
      content: [{ kind: "text", text: "hi" }],
      locations: [{ path: "/w/a.ts", line: 3 }],
    });
    deepEqual(card.line, {
      state: "failed",
      parts: [{ kind: "text", text: "Read a.ts" }],
      result: "failed",
      time: "",
      tone: "error",
    });
    equal(
      card.body,
      [
        "[/w/a.ts:3](file:///w/a.ts#L3)",
        "**Input**",
        "```json\n{}\n```",
        "hi",
        "**Output**",
        "```text\nboom\n```",
      ].join("\n\n"),
    );
    equal(card.startsUnfolded, false);
    equal(only({ ...tool, content: [{ kind: "diff", path: "/a", newText: "x" }] }).startsUnfolded, true);
  });

  test("shows the diffs of a tool call and of a permission, each with the line of its place", () => {
    const a = { kind: "diff", path: "/w/a.ts", oldText: "x", newText: "y" } as const,
      b = { kind: "diff", path: "C:\\w\\<b>.ts", newText: "z" } as const,
      locations = [
        { path: "/w/a.ts", line: 7 },
        { path: "/w/a.ts", line: 20 },
      ];
    const call: ToolCall = { ...tool, locations, content: [a, { kind: "text", text: "t" }, b, a] },
      card = only(call);
    deepEqual(card.diffs, [
      { diff: a, name: "a.ts", isNamed: false, extent: "start", line: 7 },
      { diff: b, name: "C:\\w\\<b>.ts", isNamed: false, extent: "start" },
      { diff: a, name: "a.ts", isNamed: false, extent: "start", line: 20 },
    ]);
    deepEqual(
      [changeOf(card.changes, "change:0"), changeOf(card.changes, "change:1")],
      [
        { path: "/w/a.ts", oldText: "x", newText: "y" },
        { path: "C:\\w\\<b>.ts", newText: "z" },
      ],
    );
    for (const item of ["change:3", "change:-1", "change:", "option:change:0", "bypass"])
      equal(changeOf(card.changes, item), undefined);
    const asked = only({ ...question, content: [a] }, { place: { isHidden: false, call } });
    deepEqual(asked.diffs, [{ diff: a, name: "a.ts", isNamed: false, extent: "whole", line: 7 }]);
    deepEqual(
      asked.buttons.map(({ id }) => id),
      ["option:o1", "option:o2"],
    );
    const found = only({ ...tool, toolKind: "edit", locations: [], content: [{ ...a, line: 40 }] });
    deepEqual([found.diffs[0]?.isNamed, found.diffs[0]?.line], [true, 40], "the line has the path");
    deepEqual(found.line?.parts[1], { kind: "link", text: "a.ts", href: "file:///w/a.ts#L40" });
  });

  test("starts the details of a tool call with the answer to its permission request", () => {
    const answered = { kind: "selected", optionId: "o", name: "Yes", optionKind: "allow_once", by: "user" } as const,
      outside: Permission = { ...question, answered, content: [{ kind: "text", text: "It is outside." }] },
      card = only(tool, { place: { isHidden: false, question: outside } });
    deepEqual(
      [card.line?.result, card.body],
      ["allowed", "✓ **Allowed** by you: “Yes”\n\n```sh\nrm -rf build\n```\n\nIt is outside."],
    );
    equal(
      only(
        { ...tool, input: "{}", content: [{ kind: "text", text: "x" }] },
        { place: { isHidden: false, question: outside } },
      ).body,
      "✓ **Allowed** by you: “Yes”\n\n**Input**\n\n```json\n{}\n```\n\nx",
    );
  });

  test("shows the output of a known terminal and updates with it", () => {
    const terminal: TerminalView = { terminalId: "x", command: "npm test", cwd: "/w", output: "", isCut: false };
    const running: ToolCall = {
      ...tool,
      content: [
        { kind: "terminal", terminalId: "x" },
        { kind: "terminal", terminalId: "y" },
      ],
    };
    const terminals = [{ terminal, where: undefined }];
    const card = only(running, { terminals });
    deepEqual([card.terminals, card.body], [terminals, "*The output is in a terminal.*"]);
    equal(only(running, { terminals: [{ terminal, where: undefined }] }), card);
    ok(only(running, { terminals: [{ terminal: { ...terminal, output: "a" }, where: undefined }] }) !== card);
  });

  test("splits a long answer into several cards, of which the last grows", () => {
    const cards = cardsOf(
      { kind: "agent", id: "a", text: `${"word ".repeat(1_000)}\n\n`.repeat(3) },
      { ...ANSWERABLE, growing: true },
    );
    deepEqual(
      cards.map(({ key, growing }) => [key, growing]),
      [
        ["a", false],
        ["a#2", false],
        ["a#3", true],
      ],
    );
  });

  test("omits an empty answer and marks an interrupted one", () => {
    deepEqual(cardsOf({ kind: "agent", id: "a", text: " \n" }, ANSWERABLE), []);
    deepEqual(
      cardsOf({ kind: "agent", id: "a", text: "so", interrupted: true }, ANSWERABLE).map(({ kind }) => kind),
      ["answer", "answer"],
    );
  });

  test("shows the duration of a finished thought", () => {
    const text = (thought: Partial<Extract<Entry, { kind: "thought" }>>, growing = false) =>
      only({ kind: "thought", id: "t", text: "So…", ...thought }, { growing }).header?.text;
    deepEqual(
      [text({}, true), text({}), text({ ms: 12_400 }), text({ ms: 300 }), text({ ms: 125_000 })],
      ["Thinking…", "Thought", "Thought for 12 s", "Thought for less than 1 s", "Thought for 2 min 5 s"],
    );
    equal(only({ kind: "thought", id: "t", text: "So…", ms: 1 }).startsUnfolded, false);
  });

  test("shows non-text content as separate cards", () => {
    const media = (content: ToolContent) => only({ kind: "media", id: "m", content });
    deepEqual(
      media({ kind: "image", mimeType: "image/png", data: "AAAA" }).pictures.map(({ alt }) => alt),
      ["Image (image/png, 3 bytes)"],
    );
    equal(media({ kind: "audio", mimeType: "audio/wav", bytes: 34_000 }).header?.text, "Audio (audio\\/wav, 34 KB)");
    const file = media({ kind: "resource", uri: "file:///w/a.md", name: "a.md", text: "# A" });
    deepEqual(
      [file.header?.text, file.body, file.folded, file.startsUnfolded],
      ["[a.md](file:///w/a.md)", "", ["```text\n# A\n```"], false],
    );
    deepEqual(media({ kind: "resource", uri: "mem:x", bytes: 10, mimeType: "a/b" }).body, "*a\\/b, 10 bytes*");
  });

  test("shows the progress of a compaction, folds its summary and shows its error", () => {
    const of = (rest: Partial<Compaction>) =>
      only({ kind: "compaction", id: "c", compactionId: "1", status: "in_progress", text: "", ...rest });
    deepEqual(
      [of({}).header?.text, of({ status: "completed", text: "We **met**." }).folded],
      ["Compacting the conversation…", ["We **met**."]],
    );
    equal(of({ status: "completed" }).header?.text, "The conversation was compacted");
    const failed = of({ status: "failed", error: "No <room>" });
    deepEqual([failed.header?.tone, failed.body], ["error", "No \\<room\\>"]);
    equal(of({ status: "<b>" }).header?.text, "Compacting the conversation: \\<b\\>");
  });

  test("names the agent of a notice and folds its detail", () => {
    const notice: Notice = { kind: "notice", id: "n", severity: "warning", text: "Slow today.", actions: [] };
    deepEqual([only(notice).header?.text, only(notice).folded], ["Slow today\\.", []]);
    const agents = only({ ...notice, from: "Cl<b>", detail: "12 s" });
    deepEqual([agents.header?.text, agents.folded], ["**Cl\\<b\\>**: Slow today\\.", ["```text\n12 s\n```"]]);
  });

  test("quotes the last output of a failed program, and folds all of it", () => {
    const failed = (detail: string): readonly unknown[] => {
      const { header, folded } = only({
        kind: "notice",
        id: "n",
        severity: "error",
        text: "It exited",
        detail,
        actions: [],
      });
      return [header?.text, folded];
    };
    deepEqual(failed("no <key>\n"), ["It exited\n\n“no \\<key\\>”", []]);
    deepEqual(failed("a\nno key"), ["It exited\n\n“no key”", ["```text\na\nno key\n```"]]);
    deepEqual(failed("x".repeat(201)), ["It exited", [`\`\`\`text\n${"x".repeat(201)}\n\`\`\``]]);
  });

  test("shows an unknown update as a placeholder", () =>
    equal(
      only({ kind: "unknown", id: "u", what: "hologram", json: "{}" }).header?.text,
      "The agent sent unsupported content: hologram",
    ));

  test("shows only the end of a long growing thought", () => {
    const text = `${"first ".repeat(1_000)}\n\n${"second ".repeat(1_000)}\n\n${"third ".repeat(1_000)}`;
    const folded = (growing: boolean, ms?: number) =>
      cardsOf(
        { kind: "thought", id: `t${growing}`, text, ...(ms === undefined ? {} : { ms }) },
        { ...ANSWERABLE, growing },
      ).flatMap(card => card.folded.map(part => String(part).trim().slice(0, 6).trim()));
    deepEqual(folded(true), ["*The b", "second", "third"]);
    deepEqual(folded(false), ["first", "second", "third"]);
    deepEqual(folded(true, 5), ["first", "second", "third"]);
  });

  test("shows attachments on the first card of a prompt, also without text", () => {
    const attachments = [{ kind: "file", path: "/a" }] as const;
    const cards = (text: string) =>
      cardsOf({ kind: "user", id: "u", text, attachments }, ANSWERABLE).map(({ key, kind, body, attached }) => [
        key,
        kind,
        body,
        attached,
      ]);
    deepEqual(cards("hi"), [["u", "prompt", "hi", attachments]]);
    deepEqual(cards(" "), [["u", "prompt", "Attached:", attachments]]);
    const [first, ...rest] = cards(`${"x ".repeat(6_000)}\n\n${"y ".repeat(6_000)}`).map(
      ([, , , attached]) => attached,
    );
    deepEqual([first, rest.length > 0, rest.flat()], [attachments, true, []]);
  });

  test("is reused for an unchanged entry", () => {
    const entry: Entry = { kind: "user", id: "u", text: "hi" };
    equal(cardsOf(entry, ANSWERABLE), cardsOf(entry, { ...ANSWERABLE }));
    ok(cardsOf(question, ANSWERABLE) !== cardsOf(question, { ...ANSWERABLE, answering: true }));
  });

  test("shows an error card for an entry that fails to render", () => {
    const broken: ToolCall = JSON.parse(JSON.stringify({ ...tool, id: "b", locations: [{ line: 3 }] }));
    const card = only(broken);
    deepEqual([card.key, card.kind, card.header?.tone, card.buttons], ["b", "unknown", "warning", []]);
    equal(card.header?.text, "This entry cannot be displayed.");
  });

  test("escapes an id that is an object member", () => {
    equal(keyOf("__proto__"), "~__proto__");
    equal(keyOf("plain"), "plain");
  });

  test("parses the meaning of a button from its id", () => {
    deepEqual(meaningOf("option:action:showLogs"), {
      kind: "permission",
      choice: { kind: "option", optionId: "action:showLogs" },
    });
    deepEqual(meaningOf("bypass"), { kind: "bypass" });
    deepEqual(meaningOf("rewind:both"), { kind: "rewind", what: "both" });
    deepEqual(meaningOf("action:showLogs"), { kind: "action", action: "showLogs" });
    deepEqual(
      [pageChoice("page:open"), pageChoice("page:decline"), pageChoice("option:page:open")],
      [{ kind: "accept", values: {} }, { kind: "decline" }, undefined],
    );
    for (const item of ["action:toString", "rewind:toString", "option", "x:y", ""]) equal(meaningOf(item), undefined);
    equal(
      only({ kind: "notice", id: "n", severity: "error", text: "No.", actions: ["restartAgent"] }).buttons[0]?.id,
      "action:restartAgent",
    );
    const asks = only({
      kind: "notice",
      id: "n",
      severity: "warning",
      text: "No tools.",
      actions: ["addToConfiguration", "showLogs"],
    }).buttons;
    deepEqual(
      asks.map(({ stays }) => stays),
      [true, undefined],
      "the question can be cancelled and asked again",
    );
  });
});
