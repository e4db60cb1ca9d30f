import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { ChatMessage, ChatRequest } from "../../../src/protocol/lm/lm";
import { recordedRequest } from "../fixtures/recorded";
import { classify } from "./classify-request";
import { identityOf } from "./request-identity";
import { read } from "./parse-history";
import { localAnswer, sidePrompt, type SideKind } from "./side-request";

const message = (role: ChatMessage["role"], value: string): ChatMessage => ({
  role,
  content: [{ type: "text", value }],
});
const request = (...messages: readonly ChatMessage[]): ChatRequest => ({
  modelId: "x",
  messages,
  agent: { eliza: {} },
});
const answer = (kind: SideKind, given: ChatRequest) => localAnswer(kind, given, read(given.messages));
const title = (words: string) =>
  answer({ kind: "side", what: "title" }, request(message("system", "…"), message("user", words)));

suite("side requests", () => {
  test("uses the first words of the request as the title", () => {
    equal(
      title("Please write a brief title for the following request:\n\nWhy is the sky blue?"),
      "Why is the sky blue?",
    );
    equal(
      title(
        "Please write a brief title for the following request:\n\none two three four five six seven eight nine ten",
      ),
      "one two three four five six seven eight…",
    );
    equal(title(`Title:\n\n${"a".repeat(200)}`), "a".repeat(80));
    equal(title("Title:\n\n"), "Chat");
  });

  test("answers the recorded requests in their own format", () => {
    const recorded = (situation: string, n: number): string | undefined => {
      const given = recordedRequest(situation, n),
        kind = classify(given, read(given.messages), identityOf(given));
      ok(kind.kind !== "turn");
      return answer(kind, given);
    };
    const words: unknown = JSON.parse(recorded("first-message", 1) ?? "");
    ok(Array.isArray(words) && words.length === 10 && words.every(word => typeof word === "string"));
    equal(recorded("model-switch", 157), "Switch one on alpha");
    match(
      recorded("compact-command", 210) ?? "",
      /^<summary>\n[^]*User: First question before compact\n\nAssistant: [^]*<\/summary>$/,
    );
  });

  test("summarizes the newest messages, shortened, with the number of omitted messages", () => {
    const messages = Array.from({ length: 200 }, (_, i) => [
      message("user", `<userRequest>\nquestion ${i}.\n</userRequest>`),
      message("assistant", `answer ${i}. ${"x".repeat(2000)}`),
    ]).flat();
    const summary =
      answer(
        { kind: "summary", ofConversation: true },
        request(message("system", "…"), ...messages, message("user", "Summarize the conversation history so far")),
      ) ?? "";
    ok(summary.length < 45_000);
    match(summary, /\(\d+ earlier messages are omitted\.\)[^]*question 199\.[^]*answer 199\. x+…/);
    ok(!summary.includes("question 0."));
  });

  test("returns no answer to a request that requires a model", () =>
    equal(answer({ kind: "side", what: "other" }, request(message("user", "Write a commit message"))), undefined));

  test("joins instructions and user text into one prompt", () =>
    deepEqual(
      sidePrompt(
        request(message("system", "You write titles."), message("user", ""), message("user", "Title for: hi")),
      ),
      [
        {
          type: "text",
          text: "You write titles.\n\nTitle for: hi\n\nAnswer at once, from what is written here alone; use no tools.",
        },
      ],
    ));
});
