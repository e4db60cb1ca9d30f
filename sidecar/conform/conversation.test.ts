import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { exchanges, idKey, isWithdrawn, openings, turns, updates } from "./conversation";
import { readLine, type Conversation, type Direction } from "./recording";

type Line = readonly [direction: Direction, message: unknown];

function conversation(version: 1 | 2, ...lines: readonly Line[]): Conversation {
  const events = lines.map(([direction, message], i) => readLine(direction, JSON.stringify(message), i, version));
  return { scenario: "test", requested: version, version, events };
}

const rpc = (message: object): object => ({ jsonrpc: "2.0", ...message });
const prompt = (id: number, sessionId = "s"): Line => [
  "toProgram",
  rpc({ id, method: "session/prompt", params: { sessionId, prompt: [] } }),
];
const update = (sessionUpdate: string, overrides: object = {}, sessionId = "s"): Line => [
  "fromProgram",
  rpc({ method: "session/update", params: { sessionId, update: { sessionUpdate, ...overrides } } }),
];
const result = (id: number, of: object): Line => ["fromProgram", rpc({ id, result: of })];

suite("recorded conversations", () => {
  test("contains messages or a problem for any line", () => {
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map(value => `{"jsonrpc":"2.0","method":${value}}`),
    );
    fc.assert(
      fc.property(line, text => {
        const { messages, problem } = readLine("fromProgram", text, 0, 1);
        ok(messages.length > 0 || problem !== undefined);
      }),
    );
  });

  const PROBLEMS: readonly (readonly [line: string, problem: string | undefined])[] = [
    [`{"jsonrpc":"2.0","id":0,"method":"m"}`, undefined],
    [`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`, undefined],
    [`{"id":1,"method":"m"}`, `"jsonrpc" is not "2.0".`],
    [`{"jsonrpc":"2.0","id":1.5,"method":"m"}`, `The "id" of a request is neither a string nor an integer.`],
    [`{"jsonrpc":"2.0","method":"m","params":1}`, `"params" is neither an object nor an array.`],
    [
      `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}`,
      `The response has both "result" and "error".`,
    ],
    [`{"jsonrpc":"2.0","result":1}`, `The response has no "id".`],
    [`{"jsonrpc":"2.0","id":1,"error":"no"}`, `The "error" has no integer "code" and string "message".`],
    [`{"jsonrpc":"2.0","id":1}`, "The message is no request, notification or response."],
    ["[]", "The batch is empty."],
    ["1", "The message is not a JSON object."],
    ["Ready.", "The line is not JSON."],
  ];
  for (const [line, problem] of PROBLEMS)
    test(`reports for ${line}: ${problem ?? "a message"}`, () =>
      equal(readLine("fromProgram", line, 0, 1).problem, problem));

  test("allows a null id in version 1 and null params in both versions", () => {
    const problems = [`"id":null,"method":"m"`, `"id":null,"result":{}`, `"method":"m","params":null`].map(members =>
      ([1, 2] as const).map(version => readLine("fromProgram", `{"jsonrpc":"2.0",${members}}`, 0, version).problem),
    );
    deepEqual(problems, [
      [undefined, `The "id" of a request is neither a string nor an integer.`],
      [undefined, `The response has no "id".`],
      [undefined, undefined],
    ]);
    const [message] = readLine("fromProgram", `{"jsonrpc":"2.0","method":"m","params":null}`, 0, 1).messages;
    ok(message?.kind === "notification" && message.params === undefined);
  });

  test("reports an object or array id as a problem without a message", () => {
    for (const id of ["[".repeat(100_000) + "]".repeat(100_000), `{"a":1}`, "true"]) {
      for (const members of [`"method":"m"`, `"result":{}`]) {
        const { messages, problem } = readLine("fromProgram", `{"jsonrpc":"2.0","id":${id},${members}}`, 0, 1);
        deepEqual(messages, []);
        match(problem ?? "", /"id"/);
      }
    }
    equal(idKey(JSON.parse("[".repeat(100_000) + "]".repeat(100_000))), "(nested too deeply)");
  });

  test("matches each response to the oldest open request with its id from the other side", () => {
    const id = fc.constantFrom(1, "1", 2);
    const line = fc.tuple(fc.constantFrom<Direction>("toProgram", "fromProgram"), id, fc.boolean());
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), lines => {
        const recorded = conversation(
          1,
          ...lines.map(
            ([direction, of, isRequest]): Line => [
              direction,
              rpc(isRequest ? { id: of, method: "m" } : { id: of, result: {} }),
            ],
          ),
        );
        const used = new Set<number>();
        for (const { request, response } of exchanges(recorded, "toProgram")) {
          if (!response) continue;
          equal(idKey(response.message.id), idKey(request.message.id));
          ok(response.direction === "fromProgram" && response.order > request.order && !used.has(response.order));
          used.add(response.order);
        }
      }),
    );
  });

  test("ends a version 1 turn with its response and includes the earlier updates of its session", () => {
    const recorded = conversation(
      1,
      prompt(1),
      update("a"),
      update("b", {}, "other"),
      result(1, { stopReason: "end_turn" }),
      update("late"),
    );
    const [turn] = turns(recorded);
    deepEqual([turn?.stopReason, turn?.end?.order, turn?.updates.map(({ type }) => type)], ["end_turn", 3, ["a"]]);
    deepEqual(
      updates(recorded, "fromProgram").map(({ type }) => type),
      ["a", "b", "late"],
    );
  });

  test("ends a version 2 turn with the idle update after its response", () => {
    const idle = update("state_update", { state: "idle", stopReason: "cancelled" });
    const cancel: Line = ["toProgram", rpc({ method: "session/cancel", params: { sessionId: "s" } })];
    const [turn] = turns(conversation(2, prompt(1), result(1, { messageId: "m" }), cancel, idle));
    deepEqual([turn?.stopReason, turn?.end?.order, turn?.cancel?.order], ["cancelled", 3, 2]);
  });

  test("opens a session with the id of the result or of the request", () => {
    const open = (id: number, method: string, sessionId?: string): Line => [
      "toProgram",
      rpc({ id, method, params: { sessionId } }),
    ];
    const recorded = conversation(
      1,
      open(1, "session/new"),
      result(1, { sessionId: "a" }),
      open(2, "session/load", "b"),
      result(2, {}),
      open(3, "session/new"),
    );
    deepEqual(
      openings(recorded).map(({ sessionId }) => sessionId),
      ["a", "b", undefined],
    );
  });

  test("treats a prompt as cancelled by $/cancel_request with its id or the end of its session", () => {
    const withdraw: readonly Line[] = [
      ["toProgram", rpc({ method: "$/cancel_request", params: { requestId: 1 } })],
      ["toProgram", rpc({ id: 2, method: "session/close", params: { sessionId: "s" } })],
      ["toProgram", rpc({ method: "$/cancel_request", params: { requestId: "1" } })],
    ];
    const isLost = withdraw.map(line => {
      const recorded = conversation(1, prompt(1), line),
        [exchange] = exchanges(recorded, "toProgram", "session/prompt");
      return exchange && isWithdrawn(recorded, exchange);
    });
    deepEqual(isLost, [true, true, false]);
  });
});
