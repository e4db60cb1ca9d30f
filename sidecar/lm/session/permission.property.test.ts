import { deepEqual, doesNotMatch, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { PERMISSION_KINDS, PERMISSION_TOOLS, TOOL_GROUPS } from "../../../src/protocol/lm/permission-tools";
import { propertyRuns } from "../../../src/protocol/testing/property-runs";
import { questionedCall } from "../../permissions/announced-calls";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { ask, asked, chosen, permissionDeps, OPTIONS, OURS } from "../../testing/sessions/permission-fixture";
import { AnnouncedTools } from "../tools/call-allowances";
import { questionOf } from "./permission";

/** Any JSON value with these members and texts. */
function randomJson(members: readonly string[], texts: readonly string[], maxKeys: number): fc.Arbitrary<unknown> {
  return fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(...texts),
      fc.constantFrom<unknown>(null, 1, true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...members), tie("value"), { maxKeys }),
    ),
  })).value;
}

suite("permissions of random agents", () => {
  const MEMBERS = [
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
  const TEXTS = [
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
  ];
  const json = randomJson(MEMBERS, TEXTS, 6),
    word = fc.constantFrom(...TEXTS);
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

  test("never allows without an option of an allow kind, nor automatically, for any agent input", () => {
    const anything = randomJson(
      [
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
      ],
      [
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
      ],
      5,
    );
    fc.assert(
      fc.property(anything, anything, fc.boolean(), (params, announced, isForeign) => {
        const verdict = questionOf(
          params,
          permissionDeps({ announced: isObject(announced) ? announced : undefined, isForeign }),
        );
        ok(verdict.kind !== "allow" || verdict.why === "bridged");
        ok(!isForeign || verdict.kind !== "ask");
        if (verdict.kind !== "ask" && verdict.kind !== "allow") return;
        const { optionId } = objectOr((verdict.kind === "ask" ? verdict.allow : verdict.answer).outcome),
          { options } = params as { options: JsonObject[] };
        ok(options.some(each => each.optionId === optionId && /^allow_/.test(String(each.kind))));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  /** A reference to VS Code's tools is asked each time, and a command is no read. */
  function assertToolOfQuestion(toolName: string, { title, name, toolCallId, rawInput }: JsonObject): void {
    if (/vsctools/.test(JSON.stringify([title, name, toolCallId]))) equal(toolName, "symposium-agent-action");
    ok(!toolName.endsWith("-read") || !/"command":"[^"]/.test(JSON.stringify(rawInput ?? 0)));
  }
  function assertProved(reports: readonly JsonObject[], toolCallId: string): void {
    const text = JSON.stringify(reports);
    const names = reports
      .flatMap(({ name, _meta }) => [name, objectOr(objectOr(_meta).claudeCode).toolName])
      .filter(name => typeof name === "string");
    const areOurs = names.map(name => OURS.toolNamed(name) !== undefined);
    ok(areOurs.every(Boolean), text);
    ok(areOurs.length > 0 || text.includes('"is_mcp_tool_call":true') || OURS.toolOfId(toolCallId) !== undefined, text);
    for (const { rawInput, content } of reports) {
      doesNotMatch(JSON.stringify(rawInput ?? 0), /"command":("[^"]|\[[^\]])/, text);
      doesNotMatch(JSON.stringify(content ?? 0), /"type":"(terminal|diff)"/, text);
    }
  }

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
              verdict = questionOf(params, permissionDeps({ claim, announced }));
            if (verdict.kind === "ask") assertToolOfQuestion(verdict.toolName, report);
            if (verdict.kind !== "allow") continue;
            assertProved([announced, report].filter(isObject), report.toolCallId);
            ok(!allowed.has(report.toolCallId), "once");
            deepEqual(verdict.answer, chosen("yes"));
            allowed.add(report.toolCallId);
            tools.allowed(questionedCall(params), claim);
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
            deepEqual([firstGroup, permissionKind(first.about.kind)], [secondGroup, permissionKind(second.about.kind)]);
        },
      ),
      { numRuns: propertyRuns(1_000) },
    ));

  test("uses a unique name for each tool of the manifest", () =>
    equal(new Set(PERMISSION_TOOLS).size, 1 + TOOL_GROUPS.length * PERMISSION_KINDS.length));
});

/** Maps an ACP tool kind to a permission kind. */
function permissionKind(kind: string): string {
  return (
    ({ search: "read", delete: "edit", move: "edit" } as Readonly<Record<string, string>>)[kind] ??
    PERMISSION_KINDS.find(each => each === kind) ??
    "other"
  );
}
