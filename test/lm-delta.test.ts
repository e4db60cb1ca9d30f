/**
 * Deltas of the extension host, resolved by the sidecar. After any drops at either end, the resolved request equals VS
 * Code's request.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { RequestCache } from "../sidecar/lm/history/request-cache";
import { read } from "../sidecar/lm/history/parse-history";
import {
  chatMessages,
  chatTools,
  type VscodeMessage,
  type VscodeTool,
  type PartClasses,
} from "../src/lm/convert-parts";
import { MAX_HISTORIES } from "../src/protocol/lm/lm";
import { SentRequests, type Sent } from "../src/lm/request-deltas";
import { propertyRuns } from "../src/protocol/testing/property-runs";

const RUNS = propertyRuns(2_000);

class Text {
  constructor(readonly value: string) {}
}
class Thinking {
  constructor(
    readonly value: string | readonly string[],
    readonly id?: string,
    readonly metadata?: unknown,
  ) {}
}
class ToolCall {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}
class ToolResult {
  constructor(
    readonly callId: string,
    readonly content: readonly unknown[],
    readonly isError?: boolean,
  ) {}
}
class Data {
  constructor(
    readonly mimeType: string,
    readonly data: Uint8Array,
  ) {}
}
const CLASSES: PartClasses = {
  LanguageModelTextPart: Text,
  LanguageModelToolCallPart: ToolCall,
  LanguageModelThinkingPart: Thinking,
};

/** Parts that differ in one member only, recreated for each request, as in VS Code. */
const PARTS: readonly (() => unknown)[] = [
  () => new Text("a"),
  () => new Text("b"),
  () => new Text(""),
  () => new Text("<userRequest>\na\n</userRequest>"),
  () => new Thinking("a"),
  () => new Thinking("a", "1"),
  () => new Thinking("a", "1", { of: [1] }),
  () => new Thinking("a", "1", { of: [2] }),
  () => new Thinking(["a", "b"]),
  () => new ToolCall("1", "t", { a: 1 }),
  () => new ToolCall("1", "t", { a: "1" }),
  () => new ToolCall("1", "t", {}),
  () => new ToolCall("2", "t", {}),
  () => new ToolResult("1", [new Text("x")]),
  () => new ToolResult("1", [new Text("x")], true),
  () => new ToolResult("1", [new Data("image/png", new Uint8Array([1]))]),
  () => new ToolResult("1", [new Data("image/png", new Uint8Array([2]))]),
  () => new Data("image/png", new Uint8Array([1, 2])),
  () => new Data("image/png", new Uint8Array([1, 3])),
  () => new Data("cache", new Uint8Array([1, 2])),
  () => ({ value: { odd: 1 } }),
  () => ({ value: "plain" }),
  () => ({ unknown: true }),
  () => null,
];
const TOOLS: readonly (readonly VscodeTool[])[] = [
  [],
  [{ name: "t", description: "T" }],
  [{ name: "t", description: "T", inputSchema: { type: "object" } }],
  [
    { name: "t", description: "T", inputSchema: { type: "object", properties: {} } },
    { name: "u", description: "" },
  ],
];

/** A message: its role and the indices of its parts. */
type Plan = readonly [role: number, ...parts: readonly number[]];
const plan: fc.Arbitrary<Plan> = fc
  .tuple(fc.constantFrom(1, 1, 2, 2, 3), fc.array(fc.nat(PARTS.length - 1), { maxLength: 3 }))
  .map(([role, parts]) => [role, ...parts]);
const messagesOf = (plans: readonly Plan[]): readonly VscodeMessage[] =>
  plans.map(([role, ...parts]) => ({ role, content: parts.map(part => PARTS[part]?.()) }));

type Move = {
  readonly kind: "append" | "insert" | "replace" | "remove" | "truncate" | "copy" | "restart";
  readonly chat: number;
  readonly at: number;
  readonly tools: number;
  readonly messages: readonly Plan[];
};
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      "append",
      "append",
      "append",
      "append",
      "insert",
      "replace",
      "remove",
      "truncate",
      "copy",
      "restart",
    ),
    chat: fc.nat(2),
    at: fc.nat(20),
    tools: fc.nat(TOOLS.length - 1),
    messages: fc.array(plan, { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 25 },
);
/** Maximum number of characters that each end retains. */
const maxCharacters = fc.constantFrom(0, 2_000, 5_000, 1_000_000);

function moved(chats: readonly (readonly Plan[])[], { kind, chat, at, messages }: Move): readonly Plan[] {
  const plans = chats[chat] ?? [],
    i = at % (plans.length + 1);
  switch (kind) {
    case "append":
    case "restart":
      return [...plans, ...messages];
    case "insert":
      return plans.toSpliced(i, 0, ...messages);
    case "replace":
      return plans.toSpliced(i, messages.length, ...messages);
    case "remove":
      return plans.toSpliced(i, messages.length);
    case "truncate":
      return plans.slice(0, i);
    case "copy":
      return chats[(chat + 1) % chats.length] ?? [];
  }
}

/** Serializes and resolves the request. */
function resolve(requests: RequestCache, sent: Sent) {
  return requests.resolve(
    JSON.parse(
      JSON.stringify({ requestId: 1, modelId: "m", agent: { eliza: {} }, options: { toolMode: "auto" }, ...sent }),
    ),
  );
}

suite("delta request", () => {
  test("restores VS Code's request after any drops and restarts (property)", () =>
    fc.assert(
      fc.property(moves, maxCharacters, maxCharacters, (all, hostLimit, sidecarLimit) => {
        const host = new SentRequests(CLASSES, hostLimit),
          chats: (readonly Plan[])[] = [[], [], []];
        let sidecar = new RequestCache(sidecarLimit);
        for (const move of all) {
          if (move.kind === "restart") sidecar = new RequestCache(sidecarLimit);
          const plans = (chats[move.chat] = moved(chats, move)),
            tools = structuredClone(TOOLS[move.tools] ?? []);
          const given = messagesOf(plans),
            found = resolve(sidecar, host.delta(given, tools)) ?? resolve(sidecar, host.whole(given, tools));
          ok(found, "a request that refers to nothing is unknown");
          const messages = JSON.parse(JSON.stringify(chatMessages(messagesOf(plans), CLASSES)));
          deepEqual(found.request, {
            requestId: 1,
            modelId: "m",
            agent: { eliza: {} },
            messages,
            options: { toolMode: "auto", tools: chatTools(tools) },
          });
          deepEqual(found.history.reading, read(messages));
        }
      }),
      { numRuns: RUNS },
    ));

  const turn = (n: number, chatName = "one"): readonly VscodeMessage[] => [
    { role: 1, content: [new Text(`Question ${n} of ${chatName}. `.padEnd(1_000, "Why? "))] },
    { role: 2, content: [new Text(`Answer ${n} of ${chatName}. `.padEnd(1_000, "So. "))] },
  ];
  const chat = (turns: number, system = "system", chatName = "one"): readonly VscodeMessage[] => [
    { role: 3, content: [new Text(system)] },
    ...Array.from({ length: turns }, (_, n) => turn(n, chatName)).flat(),
    { role: 1, content: [new Text(`And ${turns}?`)] },
  ];
  const size = (sent: Sent): number => JSON.stringify(sent).length;

  test("contains only new messages after 1,000 turns, also for alternating chats", () => {
    const host = new SentRequests(CLASSES),
      sidecar = new RequestCache(),
      second = chat(500, "system", "another");
    for (const [messages, isSmall] of [
      [chat(1_000), false],
      [second, false],
      [chat(1_001), true],
      [[...second, ...turn(500, "another")], true],
      [chat(1_002, "changed"), true],
      [chat(1_002, "changed").slice(0, 1_000), true],
      [chat(1_003), true],
    ] as const) {
      const sent = host.delta(messages, TOOLS[3] ?? []);
      equal(size(sent) < 4_000, isSmall, `${size(sent)} characters`);
      ok(resolve(sidecar, sent));
    }
  });

  test("keeps the chat's base when a request without a turn has the same start", () => {
    const host = new SentRequests(CLASSES),
      first = host.delta(chat(100), []),
      title = host.delta([...chat(0), ...turn(5)], []);
    deepEqual([first.history.forget, title.history.forget], [[], []]);
    ok(size(host.delta(chat(101), [])) < 4_000);
  });

  test("respects the limits of both ends and falls back to full requests", () => {
    const host = new SentRequests(CLASSES, 0),
      sent = [1, 2, 3].map(n => host.delta(chat(n), []));
    deepEqual(
      sent.map(({ history: { id, forget } }) => forget.includes(id)),
      [true, true, true],
    );
    const keeping = new SentRequests(CLASSES),
      forgotten = Array.from({ length: 100 }, (_, n) =>
        keeping.delta([{ role: 1, content: [new Text(`chat ${n}`)] }], []),
      ).flatMap(({ history }) => history.forget);
    equal(forgotten.length, 100 - MAX_HISTORIES);
  });
});
