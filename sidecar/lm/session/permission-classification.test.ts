import { equal, match } from "node:assert/strict";
import type { JsonObject } from "../../rpc/json";
import {
  ask,
  asked,
  CLAUDE,
  CODEX,
  GEMINI,
  inShort,
  judged,
  OFFERED,
  OPTIONS,
} from "../../testing/sessions/permission-fixture";
import type { PermissionDeps } from "./permission";

suite("permission classification", () => {
  const EACH_TIME = "symposium-agent-action",
    GROUPED_READ = new Map([["symposium-agent-codex-read", "activate_x"]]);
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
      "ask action",
    ],
    [
      "never by a title that was announced",
      { toolCallId: "toolu_1" },
      { announced: { title: "mcp__vsctools__rename", kind: "execute" } },
      "ask action",
    ],
    [
      "not by an id that belies the name",
      { ...GEMINI("mcp_vsctools_rename"), name: "Bash", kind: "execute" },
      {},
      "ask action",
    ],
    [
      "not by one name of two",
      { toolCallId: "1", name: "mcp__vsctools__rename", kind: "execute" },
      { announced: CLAUDE("Bash") },
      "ask action",
    ],
    ["not a tool of another server", { toolCallId: "1", ...CLAUDE("mcp__vsctools2__rename") }, {}, "ask codex-other"],
    ["not a tool that was never bridged", { toolCallId: "1", ...CLAUDE("mcp__vsctools__rm") }, {}, "ask action"],
    [
      "an agent without own tools is asked each time",
      { toolCallId: "1", kind: "read" },
      { group: undefined },
      "ask action",
    ],
    [
      "no other agent's tool is taken",
      { toolCallId: "1", kind: "read" },
      { group: "claude", offered: new Set([...OFFERED].filter(name => name !== EACH_TIME)) },
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
      "ask codex-execute",
    ],
    [
      "not without its mark",
      { toolCallId: "c", kind: "execute" },
      { announced: { ...CODEX("rename"), _meta: {} } },
      "ask action",
    ],
    [
      "not with more in its input",
      { toolCallId: "c", kind: "execute" },
      { announced: { ...CODEX("rename"), rawInput: { ...CODEX("rename").rawInput, command: "rm" } } },
      "ask action",
    ],
    [
      "not a command under the id of what it announced",
      { toolCallId: "c", kind: "execute", rawInput: { command: "rm" } },
      { announced: CODEX("rename") },
      "ask action",
    ],
    [
      "not a command in the title under that id",
      { toolCallId: "c", kind: "execute", title: "rm -rf /" },
      { announced: CODEX("rename") },
      "ask action",
    ],
    [
      "not a terminal under that id",
      { toolCallId: "c", kind: "execute", content: [{ type: "terminal", terminalId: "t" }] },
      { announced: CODEX("rename") },
      "ask action",
    ],
    [
      "not a change of a file under an announced name",
      { toolCallId: "c", kind: "edit", content: [{ type: "diff", path: "a", newText: "" }] },
      { announced: CLAUDE("mcp__vsctools__rename") },
      "ask action",
    ],
    [
      "a title that is exactly a tool's name is asked each time, never under `other`",
      { toolCallId: "c", kind: "other", title: "vsctools-rename", rawInput: {} },
      {},
      "ask action",
    ],
    [
      "a title that mentions the server is asked each time, never under `execute`",
      { toolCallId: "c", kind: "execute", title: "ls; echo vsctools", rawInput: { command: "ls" } },
      {},
      "ask action",
    ],
    [
      "a command that merely mentions it in its input is a command",
      { toolCallId: "c", kind: "execute", title: "ls", rawInput: { command: "ls vsctools" } },
      {},
      "ask codex-execute",
    ],
    ["an id proves nothing for a command", { ...GEMINI("mcp_vsctools_rename"), kind: "execute" }, {}, "ask action"],
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
      { offered: new Set([EACH_TIME, "symposium-agent-codex-other"]) },
      "ask action",
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
        offered: new Set([EACH_TIME]),
        grouped: GROUPED_READ,
      },
      "uncover activate_x",
    ],
    ["an existing one is not", { toolCallId: "1", kind: "read" }, { grouped: GROUPED_READ }, "ask codex-read"],
    [
      "nor one for another kind",
      { toolCallId: "1", kind: "edit" },
      {
        offered: new Set([EACH_TIME]),
        grouped: GROUPED_READ,
      },
      "ask action",
    ],
    [
      "nor for another extension",
      { toolCallId: "1", kind: "read" },
      { isForeign: true, offered: new Set(), grouped: GROUPED_READ },
      "reject",
    ],
    [
      "a call of an unnamed MCP server is asked each time, never under `execute`",
      { toolCallId: "c", kind: "execute", _meta: { is_mcp_tool_approval: true } },
      {},
      "ask action",
    ],
    [
      "also if only its announcement is marked",
      { toolCallId: "c" },
      { announced: { kind: "other", title: "Rename", rawInput: { a: 1 }, _meta: { is_mcp_tool_call: true } } },
      "ask action",
    ],
    [
      "also if it has the name of another tool",
      { toolCallId: "c", name: "Bash", kind: "execute", _meta: { is_mcp_tool_approval: true } },
      {},
      "ask action",
    ],
    [
      "a call of another, named MCP server is the agent's own action",
      { toolCallId: "c", kind: "execute", _meta: { is_mcp_tool_approval: true } },
      { announced: CODEX("rename", "github") },
      "ask codex-execute",
    ],
    ["a request without a call", undefined, {}, "ask codex-other"],
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
      equal(inShort(ask({ toolCallId: "1", kind })), `ask codex-${end}`));

  test("uses the announced kind unless the request has its own", () => {
    const table: readonly [kind: string | null | undefined, announced: string, action: string][] = [
      [undefined, "read", "read"],
      ["execute", "read", "execute"],
      [null, "edit", "edit"],
    ];
    for (const [kind, announced, action] of table)
      equal(inShort(ask({ toolCallId: "1", kind }, { announced: { kind: announced } })), `ask codex-${action}`);
  });

  test("classifies a read with a command or a change as that action", () => {
    const rawInput = { command: "rm x" },
      change = [{ type: "diff", path: "a", newText: "" }];
    const table: readonly [action: string, calls: readonly JsonObject[]][] = [
      ["execute", ["read", "edit", "fetch", "other", "delete", "think", undefined].map(kind => ({ kind, rawInput }))],
      [
        "execute",
        [{ cmd: "x" }, { args: { script: "x" } }, [{ argv: ["x"] }], { command_line: "x" }].map(input => ({
          kind: "edit",
          rawInput: input,
        })),
      ],
      ["execute", [{ kind: "search", rawInput: { command: ["rm", "x"] } }]],
      ["execute", [{ kind: "fetch", content: [{ type: "terminal" }] }]],
      ["edit", ["read", "other"].map(kind => ({ kind, content: change }))],
      ["read", [{ kind: "read", rawInput: { path: "a" }, content: [{ type: "content" }] }]],
    ];
    for (const [action, calls] of table)
      for (const call of calls) equal(inShort(ask(call)), `ask codex-${action}`, JSON.stringify(call));
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
