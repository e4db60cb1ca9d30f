import { deepEqual, equal, notEqual } from "node:assert/strict";
import type { ChatMessage, ChatRequest } from "../../../src/protocol/lm/lm";
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

suite("request classification", () => {
  const BACKGROUND = recordedRequest("compaction-mid-45000", 234),
    TRUE = recordedRequest("compaction-mid-45000", 235);

  test("classifies a background compaction as a summary of the conversation by its text", () => {
    deepEqual([kindOf(BACKGROUND), kindOf(TRUE)], [{ kind: "summary", ofConversation: true }, { kind: "turn" }]);
    deepEqual(kindOf(marks(BACKGROUND, { _telemetryTurn: 7 })), { kind: "summary", ofConversation: true });
  });

  test("classifies a reworded background compaction by its missing turn number and tags", () => {
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

  test("classifies a summary that the chat waits for, with and without tools", () => {
    for (const request of [recordedRequest("compact-command", 210), recordedRequest("compaction-tiny-12000", 216)])
      deepEqual(kindOf(request), { kind: "summary", ofConversation: false });
  });

  test("classifies requests without id and tools as side requests, and inline chat as a turn", () => {
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

  test("classifies each request of another caller as a turn", () => {
    for (const caller of ["other.caller", "core"])
      for (const request of [BACKGROUND, recordedRequest("retry", 106)])
        deepEqual(kindOf(from(request, caller)), { kind: "turn" });
    deepEqual(kindOf({ ...recordedRequest("retry", 106), options: {} }), { kind: "turn" }, "a program without marks");
  });

  test("classifies a user message with the compaction text as a turn", () => {
    const request = recordedRequest("first-message", 3),
      [lastMessage] = request.messages.slice(-1),
      userText = "The conversation has grown too large for the context window";
    const text =
      lastMessage?.content[0]?.type === "text"
        ? lastMessage.content[0].value.replace("Hello there, who are you?", userText)
        : "";
    deepEqual(kindOf({ ...request, messages: [...request.messages.slice(0, -1), user(text)] }), { kind: "turn" });
    deepEqual(kindOf({ ...request, messages: [user(userText)], options: {} }), { kind: "turn" });
  });
});

suite("request identity", () => {
  const REQUEST = recordedRequest("fork-conversation", 140);

  test("reads the marks of VS Code's chat", () => {
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
    notEqual(chatSession, identity.conversationId, "a fork has a new id");
    equal(identityOf(recordedRequest("fork-conversation", 139)).chatSession, identity.conversationId);
    equal(identityOf(from(REQUEST, "GitHub.Copilot-Chat")).conversationId, identity.conversationId);
    equal(identityOf(from(REQUEST, undefined)).conversationId, identity.conversationId, "an older host");
  });

  test("ignores the marks of another extension", () => {
    const { caller, isForeign, isFromChat, conversationId, chatSession, turn, trace, span } = identityOf(
      from(REQUEST, "other.caller"),
    );
    deepEqual(
      [caller, isForeign, isFromChat, conversationId, chatSession, turn, trace, span],
      ["other.caller", true, false, undefined, undefined, undefined, undefined, undefined],
    );
    equal(identityOf(from(REQUEST, "core")).isForeign, false);
  });

  test("reads the visible chat from the last session in the instructions, and ignores marks of a wrong type", () => {
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
    const identity = identityOf(
      marks(REQUEST, {
        _conversationId: 7,
        _telemetryTurn: "3",
        _otelTraceContext: null,
        _capturingTokenCorrelationId: "",
      }),
    );
    deepEqual(
      [identity.conversationId, identity.chatSession, identity.turn, identity.trace],
      [undefined, undefined, undefined, undefined],
    );
  });

  test("recognizes VS Code's chat by its initiator or, without one, by any private key", () => {
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

  test("derives an agent key from command, environment and folder, in any order and without readable secrets", () => {
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
