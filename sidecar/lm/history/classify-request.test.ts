import { deepEqual, equal, notEqual } from "node:assert/strict";
import type { ChatMessage, ChatRequest } from "../../../src/protocol/lm";
import { classify } from "./classify-request";
import { recordedRequest } from "../fixtures/recorded";
import { agentKey, identityOf } from "./request-identity";
import { read } from "./parse-history";

const kindOf = (request: ChatRequest) => classify(request, read(request.messages), identityOf(request));
const user = (value: string): ChatMessage => ({ role: "user", content: [{ type: "text", value }] });
const marks = (request: ChatRequest, modelOptions: Readonly<Record<string, unknown>>): ChatRequest => ({
  ...request,
  options: { ...request.options, modelOptions: { ...request.options?.modelOptions, ...modelOptions } },
});
const from = (request: ChatRequest, requestInitiator: string | undefined): ChatRequest => {
  const { requestInitiator: _, ...options } = request.options ?? {};
  return { ...request, options: { ...options, ...(requestInitiator === undefined ? {} : { requestInitiator }) } };
};

suite("what kind of request it is", () => {
  const BACKGROUND = recordedRequest("compaction-mid-45000", 234),
    TRUE = recordedRequest("compaction-mid-45000", 235);

  test("a compaction in the background is none of the conversation's turns, although it carries its id and the results that wait; by its words", () => {
    deepEqual([kindOf(BACKGROUND), kindOf(TRUE)], [{ kind: "summary", ofConversation: true }, { kind: "turn" }]);
    deepEqual(kindOf(marks(BACKGROUND, { _telemetryTurn: 7 })), { kind: "summary", ofConversation: true });
  });

  test("or, should the host say it in other words, by what it lacks: a number, and tags", () => {
    const reworded = { ...BACKGROUND, messages: [...BACKGROUND.messages.slice(0, -1), user("Too long! Sum it up.")] };
    deepEqual(kindOf(reworded), { kind: "summary", ofConversation: true });
    deepEqual(kindOf(marks(reworded, { _telemetryTurn: 7 })), { kind: "turn" });
    const { _telemetryTurn: _, ...rest } = TRUE.options?.modelOptions ?? {};
    deepEqual(
      kindOf({ ...TRUE, options: { ...TRUE.options, modelOptions: rest } }),
      { kind: "turn" },
      "a host that never counts",
    );
  });

  test("a summary that the chat waits for, with tools and without", () => {
    for (const request of [recordedRequest("compact-command", 210), recordedRequest("compaction-tiny-12000", 216)])
      deepEqual(kindOf(request), { kind: "summary", ofConversation: false });
  });

  test("titles and the like have no id and no tools; inline chat has a tool", () => {
    deepEqual(
      [
        kindOf(recordedRequest("retry", 106)),
        kindOf(recordedRequest("first-message", 1)),
        kindOf(recordedRequest("commit-message", 272)),
        kindOf(recordedRequest("inline-chat", 270)),
      ],
      [
        { kind: "side", what: "title" },
        { kind: "side", what: "progress" },
        { kind: "side", what: "other" },
        { kind: "turn" },
      ],
    );
  });

  test("who is not the host's chat asks for turns, whatever it looks like", () => {
    for (const caller of ["other.caller", "core"])
      for (const request of [BACKGROUND, recordedRequest("retry", 106)])
        deepEqual(kindOf(from(request, caller)), { kind: "turn" });
    deepEqual(kindOf({ ...recordedRequest("retry", 106), options: {} }), { kind: "turn" }, "a program without marks");
  });

  test("a user who says the same words is no compaction", () => {
    const said = recordedRequest("first-message", 3),
      [asked] = said.messages.slice(-1),
      words = "The conversation has grown too large for the context window";
    const text =
      asked?.content[0]?.type === "text" ? asked.content[0].value.replace("Hello there, who are you?", words) : "";
    deepEqual(kindOf({ ...said, messages: [...said.messages.slice(0, -1), user(text)] }), { kind: "turn" });
    deepEqual(kindOf({ ...said, messages: [user(words)], options: {} }), { kind: "turn" });
  });
});

suite("who asks", () => {
  const REQUEST = recordedRequest("fork-conversation", 140);

  test("the marks of the host's chat", () => {
    const { chatSession, ...identity } = identityOf(REQUEST);
    deepEqual(identity, {
      caller: "github.copilot-chat",
      isForeign: false,
      isFromChat: true,
      conversationId: REQUEST.options?.modelOptions?.["_conversationId"],
      turn: 3,
      trace: "0000000000000000000000000000018a",
      span: "0000000000000189",
    });
    notEqual(chatSession, identity.conversationId, "a fork's own");
    equal(identityOf(recordedRequest("fork-conversation", 139)).chatSession, identity.conversationId);
    equal(identityOf(from(REQUEST, "GitHub.Copilot-Chat")).conversationId, identity.conversationId);
    equal(identityOf(from(REQUEST, undefined)).conversationId, identity.conversationId, "a host of before");
  });

  test("another extension's marks are nobody's", () => {
    const { caller, isForeign, isFromChat, conversationId, chatSession, turn, trace, span } = identityOf(
      from(REQUEST, "other.caller"),
    );
    deepEqual(
      [caller, isForeign, isFromChat, conversationId, chatSession, turn, trace, span],
      ["other.caller", true, false, undefined, undefined, undefined, undefined, undefined],
    );
    equal(identityOf(from(REQUEST, "core")).isForeign, false);
  });

  test("the chat on screen is the last that the instructions name, on any system; marks of the wrong type are none", () => {
    const system = (value: string): ChatRequest => ({
      ...REQUEST,
      messages: [{ role: "system", content: [{ type: "text", value }] }],
    });
    equal(
      identityOf(
        system(
          "<instructions>\n- VSCODE_TARGET_SESSION_LOG: /home/u/made-up\n</instructions>\n- VSCODE_TARGET_SESSION_LOG: c:\\Users\\u\\debug-logs\\b07ec060-5b7c\r\nMore.",
        ),
      ).chatSession,
      "b07ec060-5b7c",
    );
    equal(identityOf(system("VSCODE_TARGET_SESSION_LOG is a variable.")).chatSession, undefined);
    const odd = identityOf(
      marks(REQUEST, {
        _conversationId: 7,
        _telemetryTurn: "3",
        _otelTraceContext: null,
        _capturingTokenCorrelationId: "",
      }),
    );
    deepEqual([odd.conversationId, odd.chatSession, odd.turn, odd.trace], [undefined, undefined, undefined, undefined]);
  });

  test("recognises the host's chat by its initiator, and without one by any private key", () => {
    const withKeys = (modelOptions: Readonly<Record<string, unknown>>, initiator?: string): boolean =>
      identityOf(from({ ...REQUEST, options: { modelOptions } }, initiator)).isFromChat;
    deepEqual(
      [
        withKeys({}),
        withKeys({ temperature: 1 }),
        withKeys({}, "core"),
        withKeys({ _conversationId: "x" }, "other.caller"),
      ],
      [false, false, false, false],
    );
    deepEqual(
      [
        withKeys({}, "GitHub.copilot-chat"),
        withKeys({ _otelTraceContext: null }),
        withKeys({ _telemetryTurn: 1 }),
        withKeys({ _conversationId: "x" }),
      ],
      [true, true, true, true],
    );
  });

  test("the agent that a session needs: its command, environment and folder, whatever their order; and no secret can be read from it", () => {
    const agent = (value: string): Pick<ChatRequest, "agent" | "cwd"> => ({
      agent: { mcp_server: { name: "a", command: "b", args: [], env: [{ name: "KEY", value }] } },
      cwd: "/w",
    });
    equal(
      agentKey(agent("secret")),
      agentKey({
        cwd: "/w",
        agent: { mcp_server: { env: [{ value: "secret", name: "KEY" }], args: [], command: "b", name: "a" } },
      }),
    );
    notEqual(agentKey(agent("secret")), agentKey(agent("other")));
    notEqual(agentKey(agent("secret")), agentKey({ ...agent("secret"), cwd: "/elsewhere" }));
    equal(/^[\w-]{22}$/.test(agentKey(agent("secret"))), true);
  });
});
