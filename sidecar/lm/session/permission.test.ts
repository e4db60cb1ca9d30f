import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { PERMISSION_KINDS, PERMISSION_TOOLS, TOOL_GROUPS } from "../../../src/protocol/lm/permission-tools";
import { questionedCall } from "../../permissions/announced-calls";
import { bridgedClaim, QualifiedNames } from "../../permissions/bridged-calls";
import { isObject, type JsonObject } from "../../rpc/json";
import { AnnouncedTools } from "../tools/call-allowances";
import { PERMISSION_CANCELLED } from "../../agent-session/agent-answers";
import { parametersOf, questionOf, type PermissionVerdict, type PermissionDeps } from "./permission";
import { ToolNames } from "../tools/tool-names";
import { propertyRuns } from "../../../src/protocol/testing/property-runs";

const names = new ToolNames();
for (const name of ["rename", "find_usages"]) names.given(name);
const OURS = new QualifiedNames("vsctools", names);
const OFFERED = new Set(
  ["action", ...PERMISSION_KINDS.map(kind => `codex-${kind}`)].map(end => `symposium-agent-${end}`),
);
const OPTIONS = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const fixture = (overrides: Partial<PermissionDeps> = {}): PermissionDeps => ({
  agent: "Ada",
  offered: OFFERED,
  grouped: new Map(),
  group: "codex",
  claim: { kind: "none" },
  announced: undefined,
  policy: "ask",
  isForeign: false,
  ...overrides,
});
const chosen = (optionId: string): JsonObject => ({ outcome: { outcome: "selected", optionId } });

function ask(
  toolCall: unknown,
  overrides: Partial<PermissionDeps> = {},
  options: unknown = OPTIONS,
): PermissionVerdict {
  return judged({ sessionId: "s", toolCall, options }, overrides);
}
function judged(params: JsonObject, overrides: Partial<PermissionDeps> = {}): PermissionVerdict {
  return questionOf(
    params,
    fixture({
      claim: bridgedClaim([overrides.announced, questionedCall(params)].filter(isObject), OURS),
      ...overrides,
    }),
  );
}
function inShort(verdict: PermissionVerdict): string {
  switch (verdict.kind) {
    case "allow":
      return `allow (${verdict.why})`;
    case "reject":
      return "reject";
    case "ask":
    case "uncover":
      return `${verdict.kind} ${verdict.toolName}`;
  }
}
function asked(verdict: PermissionVerdict) {
  if (verdict.kind !== "ask") throw new Error(inShort(verdict));
  return verdict;
}
/**
 * Requests of two published agents (reference/real-agents). One agent first announces its call, with the tool's name in
 * `_meta`. The other agent announces nothing and derives its ids from the name.
 */
const CLAUDE = (toolName: string) => ({
  title: toolName,
  kind: "other",
  rawInput: {},
  _meta: { claudeCode: { toolName } },
});
const CODEX = (tool: string, server = "vsctools") => ({
  kind: "execute",
  title: `mcp.${server}.${tool}`,
  rawInput: { server, tool, arguments: {} },
  _meta: { is_mcp_tool_call: true },
});
const GEMINI = (name: string) => ({
  toolCallId: `${name}-1763770000000-1`,
  status: "pending",
  title: `rename (vsctools MCP Server)`,
  content: [],
  locations: [],
  kind: "other",
});

suite("permission classification", () => {
  const table: readonly [name: string, toolCall: unknown, more: Partial<PermissionDeps>, verdict: string][] = [
    [
      "a bridged tool by the announced name",
      { toolCallId: "toolu_1", title: "x" },
      { announced: CLAUDE("mcp__vsctools__rename") },
      "allow (bridged)",
    ],
    [
      "by the name in the question",
      { toolCallId: "toolu_1", ...CLAUDE("mcp__vsctools__find_usages") },
      {},
      "allow (bridged)",
    ],
    ["by the call's name", { toolCallId: "toolu_1", name: "vsctools__rename" }, {}, "allow (bridged)"],
    ["by the call's id", GEMINI("mcp_vsctools_rename"), {}, "allow (bridged)"],
    [
      "whoever asks, because whose tools they are is asked by itself",
      GEMINI("mcp_vsctools_rename"),
      { isForeign: true },
      "allow (bridged)",
    ],
    ["without any tool of ours", GEMINI("mcp_vsctools_rename"), { offered: new Set() }, "allow (bridged)"],
    [
      "never by its title",
      { toolCallId: "toolu_1", title: "mcp__vsctools__rename", kind: "execute" },
      {},
      "ask symposium-agent-action",
    ],
    [
      "never by a title that was announced",
      { toolCallId: "toolu_1" },
      { announced: { title: "mcp__vsctools__rename", kind: "execute" } },
      "ask symposium-agent-action",
    ],
    [
      "not by an id that belies the name",
      { ...GEMINI("mcp_vsctools_rename"), name: "Bash", kind: "execute" },
      {},
      "ask symposium-agent-action",
    ],
    [
      "not by one name of two",
      { toolCallId: "1", name: "mcp__vsctools__rename", kind: "execute" },
      { announced: CLAUDE("Bash") },
      "ask symposium-agent-action",
    ],
    [
      "not a tool of another server",
      { toolCallId: "1", ...CLAUDE("mcp__vsctools2__rename") },
      {},
      "ask symposium-agent-codex-other",
    ],
    [
      "not a tool that was never bridged",
      { toolCallId: "1", ...CLAUDE("mcp__vsctools__rm") },
      {},
      "ask symposium-agent-action",
    ],
    [
      "an agent without tools of its own is asked each time",
      { toolCallId: "1", kind: "read" },
      { group: undefined },
      "ask symposium-agent-action",
    ],
    [
      "no other agent's tool is taken",
      { toolCallId: "1", kind: "read" },
      { group: "claude", offered: new Set([...OFFERED].filter(name => name !== "symposium-agent-action")) },
      "reject",
    ],
    [
      "by what Codex announces",
      { toolCallId: "c", kind: "execute", status: "pending" },
      { announced: CODEX("rename") },
      "allow (bridged)",
    ],
    [
      "not what Codex announces of another server",
      { toolCallId: "c", kind: "execute" },
      { announced: CODEX("rename", "other") },
      "ask symposium-agent-codex-execute",
    ],
    [
      "not without its mark",
      { toolCallId: "c", kind: "execute" },
      { announced: { ...CODEX("rename"), _meta: {} } },
      "ask symposium-agent-action",
    ],
    [
      "not with more in its input",
      { toolCallId: "c", kind: "execute" },
      { announced: { ...CODEX("rename"), rawInput: { ...CODEX("rename").rawInput, command: "rm" } } },
      "ask symposium-agent-action",
    ],
    [
      "not a command under the id of what it announced",
      { toolCallId: "c", kind: "execute", rawInput: { command: "rm" } },
      { announced: CODEX("rename") },
      "ask symposium-agent-action",
    ],
    [
      "not a command in the title under that id",
      { toolCallId: "c", kind: "execute", title: "rm -rf /" },
      { announced: CODEX("rename") },
      "ask symposium-agent-action",
    ],
    [
      "not a terminal under that id",
      { toolCallId: "c", kind: "execute", content: [{ type: "terminal", terminalId: "t" }] },
      { announced: CODEX("rename") },
      "ask symposium-agent-action",
    ],
    [
      "not a change of a file under an announced name",
      { toolCallId: "c", kind: "edit", content: [{ type: "diff", path: "a", newText: "" }] },
      { announced: CLAUDE("mcp__vsctools__rename") },
      "ask symposium-agent-action",
    ],
    [
      "a title that is exactly a tool's name is asked each time, never under `other`",
      { toolCallId: "c", kind: "other", title: "vsctools-rename", rawInput: {} },
      {},
      "ask symposium-agent-action",
    ],
    [
      "a title that mentions the server is asked each time, never under `execute`",
      { toolCallId: "c", kind: "execute", title: "ls; echo vsctools", rawInput: { command: "ls" } },
      {},
      "ask symposium-agent-action",
    ],
    [
      "a command that merely mentions it in its input is a command",
      { toolCallId: "c", kind: "execute", title: "ls", rawInput: { command: "ls vsctools" } },
      {},
      "ask symposium-agent-codex-execute",
    ],
    [
      "an id proves nothing for a command",
      { ...GEMINI("mcp_vsctools_rename"), kind: "execute" },
      {},
      "ask symposium-agent-action",
    ],
    ["another extension's user was asked nothing", { toolCallId: "1", kind: "read" }, { isForeign: true }, "reject"],
    [
      "nor is anything bypassed for it",
      { toolCallId: "1", kind: "read" },
      { isForeign: true, policy: "allow" },
      "reject",
    ],
    ["the settings bypass questions", { toolCallId: "1", kind: "execute" }, { policy: "allow" }, "allow (bypass)"],
    [
      "also where VS Code offers no tool",
      { toolCallId: "1", kind: "execute" },
      { policy: "allow", offered: new Set() },
      "allow (bypass)",
    ],
    [
      "the tool for all is second best",
      { toolCallId: "1", kind: "read" },
      { offered: new Set(["symposium-agent-action", "symposium-agent-codex-other"]) },
      "ask symposium-agent-action",
    ],
    [
      "a tool for another kind is none",
      { toolCallId: "1", kind: "read" },
      { offered: new Set(["symposium-agent-codex-other", "symposium-agent-codex-edit"]) },
      "reject",
    ],
    [
      "a tool that is behind another one is uncovered, before the tool for all is taken",
      { toolCallId: "1", kind: "read" },
      {
        offered: new Set(["symposium-agent-action"]),
        grouped: new Map([["symposium-agent-codex-read", "activate_x"]]),
      },
      "uncover activate_x",
    ],
    [
      "one that is there is not",
      { toolCallId: "1", kind: "read" },
      { grouped: new Map([["symposium-agent-codex-read", "activate_x"]]) },
      "ask symposium-agent-codex-read",
    ],
    [
      "nor one for another kind",
      { toolCallId: "1", kind: "edit" },
      {
        offered: new Set(["symposium-agent-action"]),
        grouped: new Map([["symposium-agent-codex-read", "activate_x"]]),
      },
      "ask symposium-agent-action",
    ],
    [
      "nor for another extension",
      { toolCallId: "1", kind: "read" },
      { isForeign: true, offered: new Set(), grouped: new Map([["symposium-agent-codex-read", "activate_x"]]) },
      "reject",
    ],
    [
      "a call of an unnamed MCP server is asked each time, never under `execute`",
      { toolCallId: "c", kind: "execute", _meta: { is_mcp_tool_approval: true } },
      {},
      "ask symposium-agent-action",
    ],
    [
      "also if only its announcement is marked",
      { toolCallId: "c" },
      { announced: { kind: "other", title: "Rename", rawInput: { a: 1 }, _meta: { is_mcp_tool_call: true } } },
      "ask symposium-agent-action",
    ],
    [
      "also if it has the name of another tool",
      { toolCallId: "c", name: "Bash", kind: "execute", _meta: { is_mcp_tool_approval: true } },
      {},
      "ask symposium-agent-action",
    ],
    [
      "a call of another, named MCP server is the agent's own action",
      { toolCallId: "c", kind: "execute", _meta: { is_mcp_tool_approval: true } },
      { announced: CODEX("rename", "github") },
      "ask symposium-agent-codex-execute",
    ],
    ["a request without a call", undefined, {}, "ask symposium-agent-codex-other"],
  ];
  for (const [name, toolCall, overrides, verdict] of table)
    test(name, () => equal(inShort(ask(toolCall, overrides)), verdict));

  const kinds: readonly [kind: unknown, end: string][] = [
    ["read", "read"],
    ["search", "read"],
    ["edit", "edit"],
    ["delete", "edit"],
    ["move", "edit"],
    ["execute", "execute"],
    ["fetch", "fetch"],
    ["think", "other"],
    ["switch_mode", "other"],
    ["other", "other"],
    ["newest", "other"],
    ["toString", "other"],
    ["__proto__", "other"],
    [undefined, "other"],
    [7, "other"],
  ];
  for (const [kind, end] of kinds)
    test(`asks for kind ${String(kind)} with -${end}`, () =>
      equal(inShort(ask({ toolCallId: "1", kind })), `ask symposium-agent-codex-${end}`));

  test("uses the announced kind unless the request has its own", () => {
    equal(inShort(ask({ toolCallId: "1" }, { announced: { kind: "read" } })), "ask symposium-agent-codex-read");
    equal(
      inShort(ask({ toolCallId: "1", kind: "execute" }, { announced: { kind: "read" } })),
      "ask symposium-agent-codex-execute",
    );
    equal(
      inShort(ask({ toolCallId: "1", kind: null }, { announced: { kind: "edit" } })),
      "ask symposium-agent-codex-edit",
    );
  });

  test("classifies a read with a command or a change as that action", () => {
    equal(inShort(ask({ kind: "read", rawInput: { command: "rm x" } })), "ask symposium-agent-codex-execute");
    equal(inShort(ask({ kind: "search", rawInput: { command: ["rm", "x"] } })), "ask symposium-agent-codex-execute");
    equal(
      inShort(ask({ kind: "read", content: [{ type: "diff", path: "a", newText: "" }] })),
      "ask symposium-agent-codex-edit",
    );
    for (const kind of ["edit", "fetch", "other", "delete", "think", undefined])
      equal(inShort(ask({ kind, rawInput: { command: "rm x" } })), "ask symposium-agent-codex-execute", kind);
    for (const rawInput of [{ cmd: "x" }, { args: { script: "x" } }, [{ argv: ["x"] }], { command_line: "x" }])
      equal(inShort(ask({ kind: "edit", rawInput })), "ask symposium-agent-codex-execute");
    equal(inShort(ask({ kind: "fetch", content: [{ type: "terminal" }] })), "ask symposium-agent-codex-execute");
    equal(
      inShort(ask({ kind: "other", content: [{ type: "diff", path: "a", newText: "" }] })),
      "ask symposium-agent-codex-edit",
    );
    equal(
      inShort(ask({ kind: "read", rawInput: { path: "a" }, content: [{ type: "content" }] })),
      "ask symposium-agent-codex-read",
    );
  });

  test("reads a call or a command as the subject of a version 2 request", () => {
    const of = (params: JsonObject) => judged({ ...params, options: OPTIONS });
    equal(
      inShort(of({ title: "t", subject: { type: "tool_call", toolCall: GEMINI("mcp_vsctools_rename") } })),
      "allow (bridged)",
    );
    const verdict = asked(
      of({
        title: "Clean up",
        description: "All of it.",
        subject: { type: "command", command: "rm -rf build", cwd: "/w" },
      }),
    );
    equal(verdict.toolName, "symposium-agent-codex-execute");
    match(verdict.question.message, /Clean up[^]*All of it\.[^]*```sh\nrm -rf build\n```[^]*"cwd": "\/w"/);
  });
});

suite("permission responses", () => {
  const option = (kind: string, optionId: string = kind) => ({ optionId, name: kind, kind });
  const table: readonly [name: string, options: unknown, allow: JsonObject, reject: JsonObject][] = [
    ["prefers once to always in any order", OPTIONS, chosen("yes"), chosen("no")],
    [
      "uses the first of two allow_once options",
      [option("reject_always"), option("allow_once", "a"), option("allow_once", "b"), option("reject_once")],
      chosen("a"),
      chosen("reject_once"),
    ],
    [
      "uses always if nothing else is offered",
      [option("allow_always"), option("reject_always")],
      chosen("allow_always"),
      chosen("reject_always"),
    ],
    ["cancels if no option rejects", [option("allow_once")], chosen("allow_once"), PERMISSION_CANCELLED],
    [
      "reads kinds, not names or ids",
      [
        { optionId: "allow_once", name: "Allow", kind: "reject_once" },
        { optionId: "no", name: "No", kind: "allow_once" },
        { name: "no id", kind: "allow_once" },
        null,
      ],
      chosen("no"),
      chosen("allow_once"),
    ],
  ];
  for (const [name, options, allow, reject] of table)
    test(name, () => {
      const verdict = asked(ask({ kind: "edit" }, {}, options));
      deepEqual([verdict.allow, verdict.reject], [allow, reject]);
    });

  for (const options of [
    [],
    null,
    "x",
    [option("reject_once", "no")],
    [option("allow", "yes"), option("reject_once", "no")],
  ])
    test(`rejects everything for options without an allow kind: ${JSON.stringify(options)}`, () => {
      for (const overrides of [{}, { policy: "allow" }] as const) {
        const verdict = ask(GEMINI("mcp_vsctools_rename"), overrides, options);
        equal(verdict.kind, "reject");
        deepEqual(
          verdict.kind === "reject" && verdict.answer,
          Array.isArray(options) && options.length > 0 ? chosen("no") : PERMISSION_CANCELLED,
        );
      }
    });

  test("names the command, else the title, else the file in a code span if VS Code cannot ask", () => {
    const of = (call: JsonObject): string => {
      const verdict = ask(call, { offered: new Set() });
      return verdict.kind === "reject" ? (verdict.sentence.split(" It was not allowed")[0] ?? "") : "";
    };
    equal(
      of({ kind: "execute", title: "Clean", rawInput: { command: "rm -rf `x`" } }),
      "Ada requested permission to run a command. Details: `` rm -rf `x` ``.",
    );
    equal(
      of({ kind: "edit", title: "Change\na file" }),
      "Ada requested permission to change files. Details: `Change a file`.",
    );
    equal(
      of({ kind: "edit", locations: [{ path: "/w/a.ts" }] }),
      "Ada requested permission to change files. Details: `/w/a.ts`.",
    );
    ok(of({ kind: "edit", title: "x".repeat(10_000) }).length < 300);
  });

  test("names the action and the reason in a rejection", () => {
    const of = (overrides: Partial<PermissionDeps>, options: unknown = OPTIONS) => {
      const verdict = ask({ kind: "execute" }, overrides, options);
      return verdict.kind === "reject" ? [verdict.sentence, verdict.answer] : [];
    };
    deepEqual(of({ offered: new Set() }), [
      "Ada requested permission to run a command. It was not allowed, because VS Code cannot ask you in this chat mode. To decide yourself, select Agent mode with Symposium's tools enabled, and send the message again.",
      chosen("no"),
    ]);
    deepEqual(of({ isForeign: true }), [
      "Ada requested permission to run a command. It was not allowed: Symposium cannot ask you when another extension uses the agent.",
      chosen("no"),
    ]);
    deepEqual(of({}, []), [
      "Ada requested permission to run a command. It was not allowed: it offered no option to allow it.",
      PERMISSION_CANCELLED,
    ]);
  });

  test("never allows without an option of an allow kind, nor automatically, for any agent input", () => {
    const word = fc.constantFrom(
      "allow_once",
      "allow_always",
      "reject_once",
      "yes",
      "no",
      "read",
      "execute",
      "mcp__vsctools__rename",
      "mcp_vsctools_rename-1",
      "Bash",
      "diff",
    );
    const json = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: "small" },
        word,
        fc.constantFrom<unknown>(null, 1, true),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            "optionId",
            "kind",
            "toolCall",
            "options",
            "toolCallId",
            "title",
            "rawInput",
            "command",
            "content",
            "type",
            "subject",
            "_meta",
            "claudeCode",
            "toolName",
            "name",
          ),
          tie("value"),
          { maxKeys: 5 },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(json, json, fc.boolean(), (params, announced, isForeign) => {
        const verdict = questionOf(
          params,
          fixture({
            announced:
              typeof announced === "object" && announced !== null && !Array.isArray(announced)
                ? (announced as JsonObject)
                : undefined,
            isForeign,
          }),
        );
        ok(verdict.kind !== "allow" || verdict.why === "bridged");
        ok(!isForeign || verdict.kind !== "ask");
        for (const answer of verdict.kind === "ask"
          ? [verdict.allow]
          : verdict.kind === "allow"
            ? [verdict.answer]
            : []) {
          const { optionId } = answer.outcome as JsonObject,
            options = (params as { options: JsonObject[] }).options;
          ok(options.some(each => each.optionId === optionId && /^allow_/.test(String(each.kind))));
        }
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

suite("permission message", () => {
  const message = (toolCall: unknown, options: unknown = OPTIONS, overrides: Partial<PermissionDeps> = {}) =>
    asked(ask(toolCall, overrides, options)).question.message;

  test("names the agent and the action in fixed wording", () => {
    equal(
      asked(ask({ kind: "execute", title: "harmless" })).question.title,
      "Ada requests permission to run a command",
    );
    equal(asked(ask({ kind: "toString" }, { agent: "[A](x) `B`" })).question.title, "A x B requests your permission");
    equal(asked(ask({}, { agent: "**" })).question.title, "The agent requests your permission");
  });

  test("contains the whole command and its other parameters", () => {
    equal(
      message({
        kind: "execute",
        title: "`ls`",
        rawInput: { command: "ls -l\nrm -rf ~", description: "List", dangerouslyDisableSandbox: true },
      }),
      '`` `ls` ``\n\n```sh\nls -l\nrm -rf ~\n```\n\n```\nList\n```\n\n```json\n{\n  "dangerouslyDisableSandbox": true\n}\n```',
    );
    equal(
      message({
        kind: "execute",
        title: "ls -l",
        rawInput: { command: "ls -l", description: "List" },
        content: [{ type: "content", content: { type: "text", text: "List" } }],
      }),
      "```sh\nls -l\n```\n\n```\nList\n```",
      "no text is duplicated",
    );
    equal(
      message({ kind: "execute", rawInput: { command: "ls" }, content: [{ type: "diff", path: "p", newText: "a" }] }),
      "```sh\nls\n```\n\n`p`\n```diff\n+a\n```",
      "nor is anything left out",
    );
    equal(
      message({ kind: "execute", rawInput: { command: "ls", description: 7 } }),
      '```sh\nls\n```\n\n```json\n{\n  "description": 7\n}\n```',
    );
    equal(message({ kind: "execute", rawInput: { command: ["bash", "-c", "rm x"] } }), '```sh\nbash -c "rm x"\n```');
    equal(
      message({ kind: "execute", rawInput: { command: ["rm", { hidden: "~" }, ""] } }),
      '```sh\nrm {"hidden":"~"} ""\n```',
    );
  });

  test("shows both ends of a long command", () => {
    const text = message({ kind: "execute", rawInput: { command: `begin ${"x".repeat(10_000)} end` } });
    ok(text.length < 4_300);
    match(text, /begin x[^]*… \d+ more characters …[^]*x end/);
  });

  test("provides the full text of truncated commands, diffs, locations and parts without duplicates", () => {
    const whole = (toolCall: unknown) => asked(ask(toolCall)).question.whole;
    const command = `begin ${"x".repeat(10_000)} middle\u202E ${"y".repeat(10_000)} end`,
      oldText = "a line\n".repeat(5_000),
      newText = oldText.replaceAll("a", "another");
    equal(
      whole({ kind: "execute", title: "t", rawInput: { command } }),
      `\`t\`\n\n\`\`\`sh\n${command.replace("\u202E", "⟦U+202E⟧")}\n\`\`\``,
    );
    equal(
      whole({ kind: "edit", content: [{ type: "diff", path: "a.txt", oldText, newText }] })?.match(/^[+-]/gm)?.length,
      10_000,
    );
    match(
      whole({ content: [{ type: "diff", path: `${"p/".repeat(1_000)}end`, newText: "a" }] }) ?? "",
      /^`(p\/){1000}end`\n/,
    );
    const locations = Array.from({ length: 50 }, (_, i) => ({ path: `/w/${i}` }));
    match(message({ locations }), /`\/w\/19`\n\n… and 30 more places\.$/);
    match(whole({ locations }) ?? "", /`\/w\/49`$/);
    match(
      whole({ content: locations.map(({ path }) => ({ type: "content", content: { type: "text", text: path } })) }) ??
        "",
      /\/w\/49\n```$/,
    );
    equal(whole({ kind: "execute", title: "t", rawInput: { command: "x".repeat(4_000) } }), undefined);
  });

  test("limits the length of the full content", () => {
    const content = Array.from({ length: 20 }, () => ({
        type: "content",
        content: { type: "text", text: "x".repeat(1_000_000) },
      })),
      { whole = "" } = asked(ask({ content })).question;
    ok(whole.length < 2_100_000);
    match(whole, /… \d+ more characters …/);
  });

  test("keeps a command inside its block with visible control characters", () => {
    equal(
      message({ kind: "execute", rawInput: { command: "a\n```\n# Safe\u202E[x](command:y)" } }),
      "````sh\na\n```\n# Safe⟦U+202E⟧[x](command:y)\n````",
    );
  });

  test("shows a command found only in the title completely", () => {
    const title = `${"x ".repeat(100)}; rm -rf ~`;
    equal(message({ kind: "execute", title }), `\`\`\`sh\n${title}\n\`\`\``);
    equal(
      message({
        kind: "execute",
        title: "rm x",
        content: [{ type: "content", content: { type: "text", text: "in /w" } }],
      }),
      "```sh\nrm x\n```\n\n```\nin /w\n```",
    );
    equal(message({ kind: "other", title: "a\nb" }), "```\na\nb\n```");
  });

  test("shows the diff of either protocol version", () => {
    const oldText = ["1", "2", "3", "4", "5", "6", "7"].join("\n");
    equal(
      message({
        kind: "edit",
        content: [{ type: "diff", path: "/w/a.txt", oldText, newText: oldText.replace("4", "four\nfive") }],
        rawInput: { ignored: true },
      }),
      "`/w/a.txt`\n```diff\n 2\n 3\n-4\n+four\n+five\n 5\n 6\n```",
    );
    equal(message({ kind: "edit", content: [{ type: "diff", path: "new", newText: "a" }] }), "`new`\n```diff\n+a\n```");
    equal(
      message({ kind: "edit", content: [{ type: "diff", path: "a", oldText: "a\na", newText: "a" }] }),
      "`a`\n```diff\n a\n-a\n```",
    );
    equal(
      message({ kind: "edit", content: [{ type: "diff", patch: { format: "git_patch", text: "-a\n+b" } }] }),
      "```diff\n-a\n+b\n```",
    );
    match(
      message({ kind: "edit", content: [{ type: "diff", changes: [{ type: "delete", path: "/x" }] }] }),
      /```json[^]*"delete"/,
    );
  });

  test("shows text, input and locations, or the absence of all", () => {
    equal(
      message({
        content: [
          { type: "content", content: { type: "text", text: "why" } },
          { type: "content", content: { type: "image" } },
          { type: "terminal" },
          null,
        ],
        rawInput: {},
      }),
      "```\nwhy\n```",
    );
    equal(message({ rawInput: { url: "https://x" } }), '```json\n{\n  "url": "https://x"\n}\n```');
    equal(message({ rawInput: "words" }), "```\nwords\n```");
    equal(message({ title: "Read", locations: [{ path: "/w/a" }, { path: "/w/b" }] }), "`Read`\n\n`/w/a`\n\n`/w/b`");
    equal(message({}), "The agent gives no details.");
  });

  test("shows the announced call and limits the number of parts", () => {
    equal(
      message({ toolCallId: "1" }, OPTIONS, { announced: { kind: "execute", rawInput: { command: "ls" } } }),
      "```sh\nls\n```",
    );
    const content = Array.from({ length: 50 }, (_, i) => ({
      type: "content",
      content: { type: "text", text: `t${i}` },
    }));
    match(message({ content }), /t9\n```\n\n… and 40 more parts\.$/);
  });

  test("states that the agent offers only a permanent permission", () =>
    match(message({}, [{ optionId: "a", name: "A", kind: "allow_always" }]), /offers only a permanent permission/));

  test("states that the MCP server is not named", () =>
    match(
      asked(ask({ toolCallId: "c", kind: "execute", _meta: { is_mcp_tool_approval: true } })).question.message,
      /MCP server without naming/,
    ));

  test("states that the input is nested too deeply", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = [deep];
    match(message({ rawInput: deep }), /nested too deep/);
    deepEqual(Object.keys(parametersOf("q", asked(ask({ rawInput: deep })).about)), ["id", "kind", "title"]);
  });

  test("passes the question's id and display data in the tool call", () => {
    deepEqual(parametersOf("q", asked(ask({ kind: "execute", title: "t", rawInput: { command: "ls" } })).about), {
      id: "q",
      kind: "execute",
      title: "t",
      raw_input: { command: "ls" },
    });
    const large = parametersOf("q", asked(ask({ title: "x".repeat(9_000), rawInput: "y".repeat(9_000) })).about);
    deepEqual([String(large.title).length, "raw_input" in large], [500, false]);
  });
});

suite("permissions of random agents", () => {
  const word = fc.constantFrom(
    "allow_once",
    "allow_always",
    "reject_once",
    "yes",
    "read",
    "execute",
    "edit",
    "other",
    "mcp__vsctools__rename",
    "mcp_vsctools_rename-1",
    "vsctools-rename",
    "mcp.vsctools.rename",
    "vsctools",
    "rename",
    "Bash",
    "diff",
    "terminal",
    "tool_call",
    "tool_call_update",
    "c",
    "completed",
    "rm -rf /",
  );
  const NAMES = [
    "optionId",
    "kind",
    "options",
    "toolCallId",
    "title",
    "rawInput",
    "command",
    "content",
    "type",
    "_meta",
    "claudeCode",
    "toolName",
    "name",
    "server",
    "tool",
    "arguments",
    "is_mcp_tool_call",
    "status",
    "sessionUpdate",
  ];
  const json = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { depthSize: "small" },
      word,
      fc.constantFrom<unknown>(null, 1, true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 6 }),
    ),
  })).value;
  const structured = fc.record({
    server: fc.constantFrom("vsctools", "other"),
    tool: fc.constantFrom("rename", "rm"),
    arguments: json,
  });
  const call = fc.record(
    {
      toolCallId: fc.constantFrom("c", "d", "mcp_vsctools_rename-1"),
      kind: fc.option(word, { nil: undefined }),
      title: fc.option(word, { nil: undefined }),
      name: fc.option(word, { nil: undefined }),
      rawInput: fc.oneof(fc.constant(undefined), structured, json),
      content: fc.oneof(fc.constant(undefined), fc.array(fc.record({ type: word }), { maxLength: 2 })),
      status: fc.option(word, { nil: undefined }),
      _meta: fc.oneof(
        fc.constant(undefined),
        fc.record({ claudeCode: fc.record({ toolName: word }) }),
        fc.constant({ is_mcp_tool_call: true }),
        json,
      ),
    },
    { requiredKeys: ["toolCallId"] },
  );
  const step = fc.oneof(
    fc.tuple(fc.constantFrom("tool_call", "tool_call_update"), call),
    fc.tuple(fc.constant("ask"), call),
    fc.tuple(fc.constant("arrived"), call),
  );

  test("allows without the user only proven tool calls, once each, and no references", () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), steps => {
        const tools = new AnnouncedTools(),
          allowed = new Set<string>();
        for (const [what, report] of steps) {
          if (what === "arrived") tools.arrived("rename", {});
          else if (what !== "ask") {
            if (what === "tool_call") allowed.delete(report.toolCallId);
            tools.onEvent({ ...report, sessionUpdate: what }, OURS);
          } else {
            const params = { toolCall: report, options: OPTIONS },
              announced = tools.of(params),
              claim = tools.claim(questionedCall(params), OURS),
              verdict = questionOf(params, fixture({ claim, announced }));
            const reports = [announced, report].filter(isObject),
              text = JSON.stringify(reports);
            if (verdict.kind === "allow") {
              const names = reports
                .flatMap(({ name, _meta }) => [
                  name,
                  ((_meta as JsonObject | undefined)?.claudeCode as JsonObject | undefined)?.toolName,
                ])
                .filter(each => typeof each === "string");
              const isProved =
                names.some(each => OURS.toolNamed(String(each)) !== undefined) ||
                text.includes('"is_mcp_tool_call":true') ||
                OURS.toolOfId(report.toolCallId) !== undefined;
              ok(isProved && names.every(each => OURS.toolNamed(String(each)) !== undefined), text);
              ok(
                reports.every(
                  ({ rawInput, content }) =>
                    !/"command":("[^"]|\[[^\]])/.test(JSON.stringify(rawInput ?? 0)) &&
                    !/"type":"(terminal|diff)"/.test(JSON.stringify(content ?? 0)),
                ),
                text,
              );
              ok(!allowed.has(report.toolCallId), "once");
              deepEqual(verdict.answer, chosen("yes"));
              allowed.add(report.toolCallId);
              tools.allowed(questionedCall(params), claim);
            }
            if (
              verdict.kind === "ask" &&
              /vsctools/.test(JSON.stringify([report.title, report.name, report.toolCallId]))
            )
              equal(verdict.toolName, "symposium-agent-action");
            ok(
              verdict.kind !== "ask" ||
                !verdict.toolName.endsWith("-read") ||
                !/"command":"[^"]/.test(JSON.stringify(report.rawInput ?? 0)),
            );
          }
        }
      }),
      { numRuns: propertyRuns(3_000) },
    ));

  test("never shares a tool with standing approvals between two agents or kinds", () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...TOOL_GROUPS),
        fc.constantFrom(...TOOL_GROUPS),
        call,
        call,
        (firstGroup, secondGroup, firstCall, secondCall) => {
          const offered = new Set(PERMISSION_TOOLS),
            askIn = (group: string, toolCall: unknown) =>
              asked(ask(toolCall, { group, offered, claim: { kind: "none" } }));
          const first = askIn(firstGroup, firstCall),
            second = askIn(secondGroup, secondCall);
          if (first.toolName === second.toolName)
            deepEqual([firstGroup, TOOL_KIND(first.about.kind)], [secondGroup, TOOL_KIND(second.about.kind)]);
        },
      ),
      { numRuns: propertyRuns(1_000) },
    ));

  test("uses a unique name for each tool of the manifest", () =>
    equal(new Set(PERMISSION_TOOLS).size, 1 + TOOL_GROUPS.length * PERMISSION_KINDS.length));
});

/** Maps an ACP tool kind to a permission kind. */
function TOOL_KIND(kind: string): string {
  return (
    ({ search: "read", delete: "edit", move: "edit" } as Readonly<Record<string, string>>)[kind] ??
    PERMISSION_KINDS.find(each => each === kind) ??
    "other"
  );
}
