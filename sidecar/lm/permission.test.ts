import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { QualifiedNames } from "../mcp/bridged-calls";
import { AnnouncedCalls } from "../permissions/announced-calls";
import type { JsonObject } from "../rpc/json";
import { CANCELLED, parametersOf, questionOf, type PermissionVerdict, type PermissionWorld } from "./permission";
import { ToolNames } from "./tool-names";

const names = new ToolNames();
for (const name of ["rename", "find_usages"]) names.given(name);
const OFFERED = new Set(["action", "read", "edit", "execute", "fetch", "other"].map(end => `symposium-agent-${end}`));
const OPTIONS = [{ optionId: "always", name: "Always", kind: "allow_always" }, { optionId: "yes", name: "Yes", kind: "allow_once" }, { optionId: "no", name: "No", kind: "reject_once" }];
const world = (more: Partial<PermissionWorld> = {}): PermissionWorld => ({ agent: "Ada", offered: OFFERED, grouped: new Map(), bridged: new QualifiedNames("vsc_ab12", names), announced: undefined, policy: "ask", isForeign: false, ...more });
const chosen = (optionId: string): JsonObject => ({ outcome: { outcome: "selected", optionId } });

function ask(toolCall: unknown, more: Partial<PermissionWorld> = {}, options: unknown = OPTIONS): PermissionVerdict { return questionOf({ sessionId: "s", toolCall, options }, world(more)); }
function inShort(verdict: PermissionVerdict): string {
  switch (verdict.kind) {
    case "allow": return `allow (${verdict.why})`;
    case "reject": return "reject";
    case "ask": case "uncover": return `${verdict.kind} ${verdict.toolName}`;
  }
}
function asked(verdict: PermissionVerdict) {
  if (verdict.kind !== "ask") throw new Error(inShort(verdict));
  return verdict;
}
/** What two published agents sent (reference/real-agents): one announces its call before, with the tool's name in `_meta`; the other says nothing before, and makes its ids of the name. */
const CLAUDE = (toolName: string) => ({ title: toolName, kind: "other", rawInput: {}, _meta: { claudeCode: { toolName } } });
const GEMINI = (name: string) => ({ toolCallId: `${name}-1763770000000-1`, status: "pending", title: `rename (vsc_ab12 MCP Server)`, content: [], locations: [], kind: "other" });

suite("permissions: which act is whose", () => {
  const table: readonly [name: string, toolCall: unknown, more: Partial<PermissionWorld>, verdict: string][] = [
    ["a bridged tool by the announced name", { toolCallId: "toolu_1", title: "x" }, { announced: CLAUDE("mcp__vsc_ab12__rename") }, "allow (bridged)"],
    ["by the name in the question", { toolCallId: "toolu_1", ...CLAUDE("mcp__vsc_ab12__find_usages") }, {}, "allow (bridged)"],
    ["by the call's name", { toolCallId: "toolu_1", name: "vsc_ab12__rename" }, {}, "allow (bridged)"],
    ["by the call's id", GEMINI("mcp_vsc_ab12_rename"), {}, "allow (bridged)"],
    ["whoever asks, because whose tools they are is asked by itself", GEMINI("mcp_vsc_ab12_rename"), { isForeign: true }, "allow (bridged)"],
    ["without any tool of ours", GEMINI("mcp_vsc_ab12_rename"), { offered: new Set() }, "allow (bridged)"],
    ["never by its title", { toolCallId: "toolu_1", title: "mcp__vsc_ab12__rename", kind: "execute" }, {}, "ask symposium-agent-execute"],
    ["never by a title that was announced", { toolCallId: "toolu_1" }, { announced: { title: "mcp__vsc_ab12__rename", kind: "execute" } }, "ask symposium-agent-execute"],
    ["not by an id that belies the name", { ...GEMINI("mcp_vsc_ab12_rename"), name: "Bash", kind: "execute" }, {}, "ask symposium-agent-execute"],
    ["not by one name of two", { toolCallId: "1", name: "mcp__vsc_ab12__rename", kind: "execute" }, { announced: CLAUDE("Bash") }, "ask symposium-agent-execute"],
    ["not a tool of another server", { toolCallId: "1", ...CLAUDE("mcp__vsc_ab13__rename") }, {}, "ask symposium-agent-other"],
    ["not a tool that was never bridged", { toolCallId: "1", ...CLAUDE("mcp__vsc_ab12__rm") }, {}, "ask symposium-agent-other"],
    ["not where nothing was bridged", GEMINI("mcp_vsc_ab12_rename"), { bridged: undefined }, "ask symposium-agent-other"],
    ["another extension's user was asked nothing", { toolCallId: "1", kind: "read" }, { isForeign: true }, "reject"],
    ["nor is anything bypassed for it", { toolCallId: "1", kind: "read" }, { isForeign: true, policy: "allow" }, "reject"],
    ["the settings bypass questions", { toolCallId: "1", kind: "execute" }, { policy: "allow" }, "allow (bypass)"],
    ["also where VS Code offers no tool", { toolCallId: "1", kind: "execute" }, { policy: "allow", offered: new Set() }, "allow (bypass)"],
    ["the tool for all is second best", { toolCallId: "1", kind: "read" }, { offered: new Set(["symposium-agent-action", "symposium-agent-other"]) }, "ask symposium-agent-action"],
    ["a tool for another kind is none", { toolCallId: "1", kind: "read" }, { offered: new Set(["symposium-agent-other", "symposium-agent-edit"]) }, "reject"],
    ["a tool that is behind another one is uncovered, before the tool for all is taken", { toolCallId: "1", kind: "read" }, { offered: new Set(["symposium-agent-action"]), grouped: new Map([["symposium-agent-read", "activate_x"]]) }, "uncover activate_x"],
    ["one that is there is not", { toolCallId: "1", kind: "read" }, { grouped: new Map([["symposium-agent-read", "activate_x"]]) }, "ask symposium-agent-read"],
    ["nor one for another kind", { toolCallId: "1", kind: "edit" }, { offered: new Set(["symposium-agent-action"]), grouped: new Map([["symposium-agent-read", "activate_x"]]) }, "ask symposium-agent-action"],
    ["nor for another extension", { toolCallId: "1", kind: "read" }, { isForeign: true, offered: new Set(), grouped: new Map([["symposium-agent-read", "activate_x"]]) }, "reject"],
    ["nothing known at all", undefined, {}, "ask symposium-agent-other"],
  ];
  for (const [name, toolCall, more, verdict] of table) test(name, () => equal(inShort(ask(toolCall, more)), verdict));

  const kinds: readonly [kind: unknown, end: string][] = [["read", "read"], ["search", "read"], ["edit", "edit"], ["delete", "edit"], ["move", "edit"], ["execute", "execute"], ["fetch", "fetch"],
    ["think", "other"], ["switch_mode", "other"], ["other", "other"], ["newest", "other"], ["toString", "other"], ["__proto__", "other"], [undefined, "other"], [7, "other"]];
  for (const [kind, end] of kinds) test(`kind ${String(kind)} is asked with -${end}`, () => equal(inShort(ask({ toolCallId: "1", kind })), `ask symposium-agent-${end}`));

  test("a kind that was announced counts, the question's own wins", () => {
    equal(inShort(ask({ toolCallId: "1" }, { announced: { kind: "read" } })), "ask symposium-agent-read");
    equal(inShort(ask({ toolCallId: "1", kind: "execute" }, { announced: { kind: "read" } })), "ask symposium-agent-execute");
    equal(inShort(ask({ toolCallId: "1", kind: null }, { announced: { kind: "edit" } })), "ask symposium-agent-edit");
  });

  test("a read that shows a command, or changes something, is no read", () => {
    equal(inShort(ask({ kind: "read", rawInput: { command: "rm x" } })), "ask symposium-agent-execute");
    equal(inShort(ask({ kind: "search", rawInput: { command: ["rm", "x"] } })), "ask symposium-agent-execute");
    equal(inShort(ask({ kind: "read", content: [{ type: "diff", path: "a", newText: "" }] })), "ask symposium-agent-edit");
    equal(inShort(ask({ kind: "read", rawInput: { path: "a" }, content: [{ type: "content" }] })), "ask symposium-agent-read");
  });

  test("version 2 asks about a call, or a command", () => {
    const of = (params: JsonObject) => questionOf({ ...params, options: OPTIONS }, world());
    equal(inShort(of({ title: "t", subject: { type: "tool_call", toolCall: GEMINI("mcp_vsc_ab12_rename") } })), "allow (bridged)");
    const verdict = asked(of({ title: "Clean up", description: "All of it.", subject: { type: "command", command: "rm -rf build", cwd: "/w" } }));
    equal(verdict.toolName, "symposium-agent-execute");
    match(verdict.question.message, /Clean up[^]*All of it\.[^]*```sh\nrm -rf build\n```[^]*"cwd": "\/w"/);
  });
});

suite("permissions: what the agent is answered", () => {
  const option = (kind: string, optionId: string = kind) => ({ optionId, name: kind, kind });
  const table: readonly [name: string, options: unknown, allow: JsonObject, reject: JsonObject][] = [
    ["once before for ever, whatever comes first", OPTIONS, chosen("yes"), chosen("no")],
    ["the first of two that allow once", [option("reject_always"), option("allow_once", "a"), option("allow_once", "b"), option("reject_once")], chosen("a"), chosen("reject_once")],
    ["for ever where there is nothing else", [option("allow_always"), option("reject_always")], chosen("allow_always"), chosen("reject_always")],
    ["cancelled where nothing rejects", [option("allow_once")], chosen("allow_once"), CANCELLED],
    ["kinds, not names or ids", [{ optionId: "allow_once", name: "Allow", kind: "reject_once" }, { optionId: "no", name: "No", kind: "allow_once" }, { name: "no id", kind: "allow_once" }, null], chosen("no"), chosen("allow_once")],
  ];
  for (const [name, options, allow, reject] of table) test(name, () => {
    const verdict = asked(ask({ kind: "edit" }, {}, options));
    deepEqual([verdict.allow, verdict.reject], [allow, reject]);
  });

  for (const options of [[], null, "x", [option("reject_once", "no")], [option("allow", "yes"), option("reject_once", "no")]]) test(`where nothing can be allowed nothing is: ${JSON.stringify(options)}`, () => {
    for (const more of [{}, { policy: "allow" }] as const) {
      const verdict = ask(GEMINI("mcp_vsc_ab12_rename"), more, options);
      equal(verdict.kind, "reject");
      deepEqual(verdict.kind === "reject" && verdict.answer, Array.isArray(options) && options.length > 0 ? chosen("no") : CANCELLED);
    }
  });

  test("a rejection says what was asked and why it was not allowed", () => {
    const of = (more: Partial<PermissionWorld>, options: unknown = OPTIONS) => { const verdict = ask({ kind: "execute" }, more, options); return verdict.kind === "reject" ? [verdict.sentence, verdict.answer] : []; };
    deepEqual(of({ offered: new Set() }), ["Ada asked to run a command; that was not allowed: VS Code can ask you only in agent mode, with Symposium's tools switched on.", chosen("no")]);
    deepEqual(of({ isForeign: true }), ["Ada asked to run a command; that was not allowed: nobody can be asked when another extension uses the agent.", chosen("no")]);
    deepEqual(of({}, []), ["Ada asked to run a command; that was not allowed: it offered no way to allow it.", CANCELLED]);
  });

  test("whatever an agent sends, nothing is allowed without an option that allows, and nothing is by itself", () => {
    const word = fc.constantFrom("allow_once", "allow_always", "reject_once", "yes", "no", "read", "execute", "mcp__vsc_ab12__rename", "mcp_vsc_ab12_rename-1", "Bash", "diff");
    const json = fc.letrec(tie => ({ value: fc.oneof({ depthSize: "small" }, word, fc.constantFrom<unknown>(null, 1, true), fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("optionId", "kind", "toolCall", "options", "toolCallId", "title", "rawInput", "command", "content", "type", "subject", "_meta", "claudeCode", "toolName", "name"), tie("value"), { maxKeys: 5 })) })).value;
    fc.assert(fc.property(json, json, fc.boolean(), (params, announced, isForeign) => {
      const verdict = questionOf(params, world({ announced: typeof announced === "object" && announced !== null && !Array.isArray(announced) ? announced as JsonObject : undefined, isForeign }));
      ok(verdict.kind !== "allow" || verdict.why === "bridged");
      ok(!isForeign || verdict.kind !== "ask");
      for (const answer of verdict.kind === "ask" ? [verdict.allow] : verdict.kind === "allow" ? [verdict.answer] : []) {
        const { optionId } = answer.outcome as JsonObject, options = (params as { options: JsonObject[] }).options;
        ok(options.some(each => each.optionId === optionId && /^allow_/.test(String(each.kind))));
      }
    }), { numRuns: 2_000 });
  });
});

suite("permissions: what the user reads", () => {
  const message = (toolCall: unknown, options: unknown = OPTIONS, more: Partial<PermissionWorld> = {}) => asked(ask(toolCall, more, options)).question.message;

  test("who wants to do what, in words of ours", () => {
    equal(asked(ask({ kind: "execute", title: "harmless" })).question.title, "Ada wants to run a command");
    equal(asked(ask({ kind: "toString" }, { agent: "[A](x) `B`" })).question.title, "A x B wants to do something");
    equal(asked(ask({}, { agent: "**" })).question.title, "The agent wants to do something");
  });

  test("the whole command, and what is given beside it", () => {
    equal(message({ kind: "execute", title: "`ls`", rawInput: { command: "ls -l\nrm -rf ~", description: "List", dangerouslyDisableSandbox: true } }),
      "`` `ls` ``\n\n```sh\nls -l\nrm -rf ~\n```\n\n```\nList\n```\n\n```json\n{\n  \"dangerouslyDisableSandbox\": true\n}\n```");
    equal(message({ kind: "execute", title: "ls -l", rawInput: { command: "ls -l", description: "List" }, content: [{ type: "content", content: { type: "text", text: "List" } }] }), "```sh\nls -l\n```\n\n```\nList\n```", "nothing is said twice");
    equal(message({ kind: "execute", rawInput: { command: "ls" }, content: [{ type: "diff", path: "p", newText: "a" }] }), "```sh\nls\n```\n\n`p`\n```diff\n+a\n```", "nor is anything left out");
    equal(message({ kind: "execute", rawInput: { command: "ls", description: 7 } }), "```sh\nls\n```\n\n```json\n{\n  \"description\": 7\n}\n```");
    equal(message({ kind: "execute", rawInput: { command: ["bash", "-c", "rm x"] } }), "```sh\nbash -c \"rm x\"\n```");
    equal(message({ kind: "execute", rawInput: { command: ["rm", { hidden: "~" }, ""] } }), "```sh\nrm {\"hidden\":\"~\"} \"\"\n```");
  });

  test("a command that is too long is shown at both ends", () => {
    const text = message({ kind: "execute", rawInput: { command: `begin ${"x".repeat(10_000)} end` } });
    ok(text.length < 4_300);
    match(text, /begin x[^]*… \d+ more characters …[^]*x end/);
  });

  test("what does not fit is there to be opened: commands, differences, places, lines and parts; and what fits is not said twice", () => {
    const whole = (toolCall: unknown) => asked(ask(toolCall)).question.whole;
    const command = `begin ${"x".repeat(10_000)} middle\u202E ${"y".repeat(10_000)} end`, oldText = "a line\n".repeat(5_000), newText = oldText.replaceAll("a", "another");
    equal(whole({ kind: "execute", title: "t", rawInput: { command } }), `\`t\`\n\n\`\`\`sh\n${command.replace("\u202E", "⟨U+202E⟩")}\n\`\`\``);
    equal(whole({ kind: "edit", content: [{ type: "diff", path: "a.txt", oldText, newText }] })?.match(/^[+-]/gm)?.length, 10_000);
    match(whole({ content: [{ type: "diff", path: `${"p/".repeat(1_000)}end`, newText: "a" }] }) ?? "", /^`(p\/){1000}end`\n/);
    const locations = Array.from({ length: 50 }, (_, i) => ({ path: `/w/${i}` }));
    match(message({ locations }), /`\/w\/19`\n\n… and 30 more places\.$/);
    match(whole({ locations }) ?? "", /`\/w\/49`$/);
    match(whole({ content: locations.map(({ path }) => ({ type: "content", content: { type: "text", text: path } })) }) ?? "", /\/w\/49\n```$/);
    equal(whole({ kind: "execute", title: "t", rawInput: { command: "x".repeat(4_000) } }), undefined);
  });

  test("also that has an end", () => {
    const content = Array.from({ length: 20 }, () => ({ type: "content", content: { type: "text", text: "x".repeat(1_000_000) } })), { whole = "" } = asked(ask({ content })).question;
    ok(whole.length < 2_100_000);
    match(whole, /… \d+ more characters …/);
  });

  test("a command cannot leave its block, or hide in it", () => {
    equal(message({ kind: "execute", rawInput: { command: "a\n```\n# Safe\u202E[x](command:y)" } }), "````sh\na\n```\n# Safe⟨U+202E⟩[x](command:y)\n````");
  });

  test("a command that stands only in the title is shown whole", () => {
    const title = `${"x ".repeat(100)}; rm -rf ~`;
    equal(message({ kind: "execute", title }), `\`\`\`sh\n${title}\n\`\`\``);
    equal(message({ kind: "execute", title: "rm x", content: [{ type: "content", content: { type: "text", text: "in /w" } }] }), "```sh\nrm x\n```\n\n```\nin /w\n```");
    equal(message({ kind: "other", title: "a\nb" }), "```\na\nb\n```");
  });

  test("a difference, of either version", () => {
    const oldText = ["1", "2", "3", "4", "5", "6", "7"].join("\n");
    equal(message({ kind: "edit", content: [{ type: "diff", path: "/w/a.txt", oldText, newText: oldText.replace("4", "four\nfive") }], rawInput: { ignored: true } }),
      "`/w/a.txt`\n```diff\n 2\n 3\n-4\n+four\n+five\n 5\n 6\n```");
    equal(message({ kind: "edit", content: [{ type: "diff", path: "new", newText: "a" }] }), "`new`\n```diff\n+a\n```");
    equal(message({ kind: "edit", content: [{ type: "diff", path: "a", oldText: "a\na", newText: "a" }] }), "`a`\n```diff\n a\n-a\n```");
    equal(message({ kind: "edit", content: [{ type: "diff", patch: { format: "git_patch", text: "-a\n+b" } }] }), "```diff\n-a\n+b\n```");
    match(message({ kind: "edit", content: [{ type: "diff", changes: [{ type: "delete", path: "/x" }] }] }), /```json[^]*"delete"/);
  });

  test("text, input, places; and when there is nothing, that", () => {
    equal(message({ content: [{ type: "content", content: { type: "text", text: "why" } }, { type: "content", content: { type: "image" } }, { type: "terminal" }, null], rawInput: {} }), "```\nwhy\n```");
    equal(message({ rawInput: { url: "https://x" } }), "```json\n{\n  \"url\": \"https://x\"\n}\n```");
    equal(message({ rawInput: "words" }), "```\nwords\n```");
    equal(message({ title: "Read", locations: [{ path: "/w/a" }, { path: "/w/b" }] }), "`Read`\n\n`/w/a`\n\n`/w/b`");
    equal(message({}), "The agent does not say what.");
  });

  test("what was announced is shown, and many parts end", () => {
    equal(message({ toolCallId: "1" }, OPTIONS, { announced: { kind: "execute", rawInput: { command: "ls" } } }), "```sh\nls\n```");
    const content = Array.from({ length: 50 }, (_, i) => ({ type: "content", content: { type: "text", text: `t${i}` } }));
    match(message({ content }), /t9\n```\n\n… and 40 more parts\.$/);
  });

  test("an agent that would not ask again says so", () => match(message({}, [{ optionId: "a", name: "A", kind: "allow_always" }]), /`Ada` offers only to allow this for good/));

  test("input that is nested too deep says so", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = [deep];
    match(message({ rawInput: deep }), /nested too deep/);
    deepEqual(Object.keys(parametersOf("q", asked(ask({ rawInput: deep })).about)), ["id", "kind", "title"]);
  });

  test("the call of our tool carries the question's id, and what is for the eye", () => {
    deepEqual(parametersOf("q", asked(ask({ kind: "execute", title: "t", rawInput: { command: "ls" } })).about), { id: "q", kind: "execute", title: "t", raw_input: { command: "ls" } });
    const large = parametersOf("q", asked(ask({ title: "x".repeat(9_000), rawInput: "y".repeat(9_000) })).about);
    deepEqual([String(large.title).length, "raw_input" in large], [500, false]);
  });
});

test("permissions of an agent that announces its calls: the question has the call's id alone", () => {
  const calls = new AnnouncedCalls();
  calls.heard({ sessionUpdate: "tool_call", toolCallId: "toolu_1", ...CLAUDE("mcp__vsc_ab12__rename"), status: "pending" });
  const params = { sessionId: "s", toolCall: { toolCallId: "toolu_1", title: "mcp__vsc_ab12__rename", rawInput: {} }, options: OPTIONS };
  deepEqual(questionOf(params, world({ announced: calls.of(params) })), { kind: "allow", why: "bridged", answer: chosen("yes") });
});
