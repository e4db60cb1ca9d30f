import { deepEqual } from "node:assert/strict";
import type { ChatEvent } from "../protocol/chat/chat";
import { ChatStatus } from "./chat-status";

const turn = (state: "running" | "idle"): ChatEvent => ({
  type: "turn",
  turn: state === "idle" ? { state } : { state, messageId: "m" },
});
const question = (id: string, isAnswered = false): ChatEvent => ({
  type: "upsert",
  entry: {
    kind: "elicitation",
    id,
    agent: "Ada",
    message: "?",
    ask: { mode: "url", url: "https://example.com", elicitationId: id },
    ...(isAnswered ? { answered: { kind: "declined" } } : {}),
  },
});

suite("ChatStatus", () => {
  /** The texts that are shown after each step. */
  function shown(...steps: readonly ((status: ChatStatus) => void)[]): readonly string[] {
    const texts: string[] = [],
      status = new ChatStatus(({ text, needsAnswer }) => texts.push(needsAnswer ? `${text} !` : text));
    for (const step of steps) step(status);
    return texts;
  }
  const on =
    (tabId: string, event: ChatEvent) =>
    (status: ChatStatus): void =>
      status.onEvent(tabId, event);
  const QUIET = "$(comment-discussion)",
    WORKING = "$(loading~spin) Symposium";

  test("shows turns and questions of all tabs, each change once", () => {
    deepEqual(
      shown(
        on("a", turn("running")),
        on("a", { type: "title", title: "T" }),
        on("a", question("p")),
        on("b", question("q")),
        on("b", question("q")),
        on("b", question("q", true)),
        on("a", question("p", true)),
        on("a", turn("idle")),
      ),
      [
        QUIET,
        WORKING,
        "$(bell-dot) 1 question !",
        "$(bell-dot) 2 questions !",
        "$(bell-dot) 1 question !",
        WORKING,
        QUIET,
      ],
    );
  });

  test("settles the questions of a turn with its end, of a closed tab, and after an exit", () => {
    const before = [QUIET, WORKING, "$(bell-dot) 1 question !"];
    for (const end of [
      on("a", turn("idle")),
      (status: ChatStatus) => status.tabClosed("a"),
      (status: ChatStatus) => status.clear(),
    ])
      deepEqual(shown(on("a", turn("running")), on("a", question("p")), end), [...before, QUIET]);
  });
});
