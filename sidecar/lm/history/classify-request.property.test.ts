/** Classification of the recorded requests when the host omits marks that it sends today. */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { ChatMessage, ChatRequest } from "../../../src/protocol/lm/lm";
import { classify } from "./classify-request";
import { recorded, SITUATIONS } from "../fixtures/recorded";
import { identityOf } from "./request-identity";
import { read, textOf } from "./parse-history";

const kindOf = (request: ChatRequest) => classify(request, read(request.messages), identityOf(request));

const withoutOption =
  (name: string) =>
  (request: ChatRequest): ChatRequest => {
    const { [name]: _, ...modelOptions } = request.options?.modelOptions ?? {};
    return { ...request, options: { ...request.options, modelOptions } };
  };

const withoutInitiator = (request: ChatRequest): ChatRequest => {
  const { requestInitiator: _, ...options } = request.options ?? {};
  return { ...request, options };
};

const withoutTools = (request: ChatRequest): ChatRequest => ({
  ...request,
  options: { ...request.options, tools: [] },
});
const withoutSystem = (request: ChatRequest): ChatRequest => ({
  ...request,
  messages: request.messages.filter(({ role }) => role !== "system"),
});

/** Rewords the host's own sentence at the end of a request. The user's text is in tags and is not changed. */
const withoutClosingWords = (request: ChatRequest): ChatRequest => {
  const last = request.messages.at(-1),
    text = last ? textOf(last.content) : "";
  if (last?.role !== "user" || text === "" || /<\/(?:userRequest|prompt)>/.test(text)) return request;
  const reworded: ChatMessage = { role: "user", content: [{ type: "text", value: "Please do now as you were told." }] };
  return { ...request, messages: [...request.messages.slice(0, -1), reworded] };
};

const MARKS: ReadonlyMap<string, (request: ChatRequest) => ChatRequest> = new Map([
  ["requestInitiator", withoutInitiator],
  ["tools", withoutTools],
  ["system text", withoutSystem],
  ["closing words", withoutClosingWords],
  ...["_capturingTokenCorrelationId", "_otelTraceContext", "_telemetryTurn", "_enableThinking", "_conversationId"].map(
    name => [name, withoutOption(name)] as const,
  ),
]);
/** The host omits every private key. */
const withoutPrivateKeys = (request: ChatRequest): ChatRequest => ({
  ...request,
  options: { ...request.options, modelOptions: {} },
});

const PAIRS = [...MARKS].flatMap(([name, remove], i) =>
  [...MARKS].slice(i).map(([other, removeOther]) => ({
    marks: name === other ? name : `${name}, ${other}`,
    remove: (request: ChatRequest) => removeOther(remove(request)),
  })),
);

/** Requests of other extensions carry none of these marks. */
const REQUESTS = SITUATIONS.flatMap(situation =>
  recorded(situation).flatMap(step =>
    step.kind === "request" ? [{ id: `${situation} ${step.n}`, request: step.request }] : [],
  ),
).filter(({ request }) => request.options?.requestInitiator === "github.copilot-chat");

const wrongWithout = (remove: (request: ChatRequest) => ChatRequest): readonly string[] =>
  REQUESTS.flatMap(({ id, request }) => {
    const { kind } = kindOf(request),
      found = kindOf(remove(request)).kind;
    return kind === found ? [] : [`${id}: ${kind} is taken for ${found}`];
  });

suite("request classification without some host marks", () => {
  test("covers every kind of request with recordings", () => {
    const kinds = REQUESTS.map(({ request }) => kindOf(request).kind);
    for (const kind of ["turn", "side", "summary"]) ok(kinds.filter(each => each === kind).length >= 6, kind);
    equal(REQUESTS.length > 200, true);
  });

  for (const { marks, remove } of PAIRS)
    test(`classifies the recorded requests without ${marks}`, () => deepEqual(wrongWithout(remove), []));

  test("classifies the recorded requests without any private key", () =>
    deepEqual(wrongWithout(withoutPrivateKeys), []));

  test("recognizes a title request by its system text or its closing text", () => {
    for (const remove of [withoutSystem, withoutClosingWords, withoutPrivateKeys, withoutInitiator]) {
      const wrong = REQUESTS.filter(({ request }) => {
        const kind = kindOf(request),
          found = kindOf(remove(request));
        return kind.kind === "side" && kind.what !== (found.kind === "side" ? found.what : undefined);
      });
      deepEqual(
        wrong.map(({ id }) => id),
        [],
      );
    }
  });
});
