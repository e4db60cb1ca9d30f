import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { fieldsOf, permissionOptions, toolCallOf } from "./fields";
import { numberedWords, parseScript } from "./script";

const steps = (text: string): unknown => {
  const script = parseScript(text);
  return script.kind === "script" ? script.steps : script.why;
};

suite("scripted agent language", () => {
  test("has one step per line, or several separated by semicolons on one line", () => {
    deepEqual(steps("say a; b\nhang\n\n stop refusal "), [
      { step: "say", text: "a; b" },
      { step: "hang" },
      { step: "stop", text: "refusal" },
    ]);
    deepEqual(steps("say a; say b \\; c;"), [
      { step: "say", text: "a" },
      { step: "say", text: "b ; c" },
    ]);
  });
  test("treats a text with an invalid step as text and names it", () => {
    equal(steps("say a; hello"), "“hello” is no step");
    equal(steps("hang on a second"), "“hang on a second” is no step");
    equal(steps("What is a sidecar?"), "“What is a sidecar?” is no step");
    equal(steps("toString"), "“toString” is no step");
    equal(steps(" \n "), "it is empty");
  });
  const table: readonly (readonly [string, unknown])[] = [
    ["say a\\nb\\tc\\\\n", { step: "say", text: "a\nb\tc\\n" }],
    ["stream 3 chunks of 10 chars", { step: "stream", chunks: 3, chars: 10, ms: 0 }],
    ["stream 1 chunk of 1 char every 20 ms", { step: "stream", chunks: 1, chars: 1, ms: 20 }],
    [
      "plan [x] a | [>] b|c d",
      {
        step: "plan",
        entries: [
          ["a", "completed"],
          ["b", "in_progress"],
          ["c d", "pending"],
        ].map(([content, status]) => ({ content, priority: "medium", status })),
      },
    ],
    ["tool t1 edit Change it", { step: "tool", id: "t1", kind: "edit", title: "Change it" }],
    [
      'toolupdate t1 completed text="a b" image',
      {
        step: "toolupdate",
        id: "t1",
        fields: [
          ["status", "completed"],
          ["text", "a b"],
          ["image", true],
        ],
      },
    ],
    ["toolupdate t1", { step: "toolupdate", id: "t1", fields: [] }],
    [
      'ask p1 options=allow_once,allow_once no-title input={"a":[1,"}"]}',
      {
        step: "ask",
        id: "p1",
        parallel: false,
        fields: [
          ["options", "allow_once,allow_once"],
          ["no-title", true],
          ["input", { a: [1, "}"] }],
        ],
      },
    ],
    ["ask* p1", { step: "ask", id: "p1", parallel: true, fields: [] }],
    ["read /a/b", { step: "read", text: "/a/b" }],
    ["await /a/b", { step: "await", text: "/a/b" }],
    ["write /a/b one\\ntwo", { step: "write", path: "/a/b", text: "one\ntwo" }],
    ["terminal sh -c 'echo x'", { step: "terminal", text: "sh -c 'echo x'" }],
    ["terminal-start ls -l", { step: "terminal-start", text: "ls -l" }],
    ...["terminal-wait", "terminal-output", "terminal-kill", "terminal-release"].map(step => [step, { step }] as const),
    ['mcp s t {"a": {}}', { step: "mcp", server: "s", tool: "t", args: { a: {} }, dialect: "plain", parallel: false }],
    ["mcp* s t", { step: "mcp", server: "s", tool: "t", args: {}, dialect: "plain", parallel: true }],
    ["codex-mcp s t", { step: "mcp", server: "s", tool: "t", args: {}, dialect: "codex", parallel: false }],
    ["titled-mcp* s t", { step: "mcp", server: "s", tool: "t", args: {}, dialect: "titled", parallel: true }],
    ["crash 3", { step: "crash", n: 3 }],
    ["late 50 again", { step: "late", ms: 50, text: "again" }],
    [
      "commands a:does a: b,c:x",
      {
        step: "commands",
        commands: [
          { name: "a", description: "does a: b" },
          { name: "c", description: "x" },
        ],
      },
    ],
    ["usage 10 100 0.5 USD", { step: "usage", used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } }],
    [
      "commands a:does a <what>,b:",
      {
        step: "commands",
        commands: [
          { name: "a", description: "does a", input: { hint: "what" } },
          { name: "b", description: "" },
        ],
      },
    ],
    [
      "show image resource=file:///a",
      {
        step: "show",
        fields: [
          ["image", true],
          ["resource", "file:///a"],
        ],
      },
    ],
    [
      'form message="Who?" requestedSchema={"properties":{}}',
      {
        step: "form",
        parallel: false,
        fields: [
          ["message", "Who?"],
          ["requestedSchema", { properties: {} }],
        ],
      },
    ],
    [
      "visit* https://example.org elicitationId=a",
      { step: "visit", url: "https://example.org", parallel: true, fields: [["elicitationId", "a"]] },
    ],
    ["visited a", { step: "visited", id: "a", parallel: false }],
    ["withdraw* 5", { step: "withdraw", ms: 5, parallel: true }],
    ["option fast true", { step: "option", id: "fast", value: true }],
    ["option model large", { step: "option", id: "model", value: "large" }],
    [
      "notice warning Little room | 3 files\\nare left",
      { step: "notice", severity: "warning", title: "Little room", description: "3 files\nare left" },
    ],
    ["notice info Well", { step: "notice", severity: "info", title: "Well", description: "" }],
    ["compact c1 completed What was said", { step: "compact", id: "c1", status: "completed", text: "What was said" }],
    ["compact c1 in_progress", { step: "compact", id: "c1", status: "in_progress", text: "" }],
    ["compact-say c1 more", { step: "compact-say", id: "c1", text: "more" }],
    ["chosen", { step: "chosen" }],
    ["recall", { step: "recall" }],
    ["usage 10 100", { step: "usage", used: 10, size: 100 }],
    ["error -32603 no luck", { step: "error", code: -32603, message: "no luck" }],
  ];
  for (const [text, step] of table) test(text, () => deepEqual(steps(text), [step]));
  for (const text of [
    "say",
    "crash x",
    "crash",
    "stream 3",
    "mcp s t {",
    "mcp s t [1]",
    "ask",
    "toolupdate t1 completed =",
    "toolupdate t1 text={x",
    "tool t1 edit",
    "late x",
    "error x y",
    "hang 1",
    "show",
    "form x",
    "show me",
    "visit",
    "visited",
    "withdraw",
    "option a",
    "notice loud x",
    "compact c1",
    "compact-say c1",
    "chosen x",
    "terminal-start",
    "terminal-kill x",
    "await",
    "await me now",
  ]) {
    test(`rejects the step ${text}`, () => equal(parseScript(text).kind, "text"));
  }
  test("reads any text as a script or as text", () => {
    const words = fc.constantFrom(
      "say",
      "ask",
      "mcp*",
      "toolupdate",
      "x",
      '{"a":1}',
      "a=",
      "=",
      ";",
      "\n",
      " ",
      '"',
      "\\",
    );
    fc.assert(
      fc.property(
        fc.array(words).map(parts => parts.join(" ")),
        text => {
          parseScript(text);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("converts fields to a tool call with content in order", () =>
    deepEqual(
      toolCallOf(
        fieldsOf(
          'status=failed text=x diff={"path":"/a","newText":"b"} terminal=last locations=/a:3,/b link=file:///c.txt hologram=1 rawOutput={"n":1}',
        ) ?? [],
        "term-1",
      ),
      {
        status: "failed",
        locations: [{ path: "/a", line: 3 }, { path: "/b" }],
        rawOutput: { n: 1 },
        content: [
          { type: "content", content: { type: "text", text: "x" } },
          { type: "diff", path: "/a", newText: "b" },
          { type: "terminal", terminalId: "term-1" },
          { type: "content", content: { type: "resource_link", uri: "file:///c.txt", name: "c.txt" } },
          { type: "hologram", value: "1" },
        ],
      },
    ));
  test("assigns unique ids to options of one kind", () =>
    deepEqual(permissionOptions("allow_once,reject_once,allow_once"), [
      { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
      { optionId: "reject_once", name: "Reject once", kind: "reject_once" },
      { optionId: "allow_once-2", name: "Allow once (2)", kind: "allow_once" },
    ]));
  test("generates numbered words of the exact length", () => {
    equal(numberedWords(0), "");
    equal(numberedWords(11), "w1 w2 w3 w4");
    fc.assert(
      fc.property(fc.nat(2000), fc.nat(2000), (a, b) => {
        equal(numberedWords(a + b).slice(0, a), numberedWords(a));
      }),
      { numRuns: 50 },
    );
  });
});
