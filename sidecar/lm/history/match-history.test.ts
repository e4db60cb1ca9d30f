import { equal } from "node:assert/strict";
import type { ChatMessage, ChatRequest } from "../../../src/protocol/lm/lm";
import { Chronicle } from "../fixtures/session-records";
import { SimulatedChat, type Marks } from "../fixtures/simulated-chat";

/** A chat and the matches of its requests with sessions. */
class Story {
  readonly chronicle = new Chronicle();
  readonly chat: SimulatedChat;
  #turns = 0;

  constructor(marks: Marks = "all") {
    this.chat = new SimulatedChat("c", "s", marks);
  }

  ask(words: string, chat = this.chat): string {
    chat.ask({ id: ++this.#turns, words, rounds: [], isCut: false });
    return this.send(chat);
  }
  send(chat = this.chat): string {
    return this.chronicle.receive(chat.request()).kind;
  }
  answer(id: string, text: string, chat = this.chat): void {
    chat.last?.rounds.push({ text, calls: [] });
    this.chronicle.report(id, { type: "text", value: text });
    this.chronicle.end(id, "answered");
  }
  call(id: string, callId: string, chat = this.chat): void {
    chat.last?.rounds.push({ text: "", calls: [{ id: callId, result: undefined }] });
    this.chronicle.report(id, { type: "tool_call", toolCallId: callId, toolName: "read", parameters: {} });
    this.chronicle.wait(id);
  }
  /** `kept`: the text that VS Code had received; none if absent. */
  cut(id: string, kept?: string): void {
    this.chronicle.report(id, { type: "text", value: "partly said" });
    this.chronicle.end(id, "cut");
    this.chat.last!.isCut = true;
    if (kept !== undefined) this.chat.last!.rounds.push({ text: kept, calls: [] });
  }
  /** Starts a sub-agent with its parent's prompt. The process restarts during the sub-agent's turn. */
  orphan(): SimulatedChat {
    this.ask("hi");
    this.call("s1", "t");
    const agent = this.chat.subAgent(2);
    equal(this.ask("hi", agent), "new, beside");
    this.call("s2", "u", agent);
    this.chronicle.restart();
    return agent;
  }
  result(chat = this.chat): void {
    for (const call of chat.waitsFor) call.result = "ok";
  }
}

suite("matchHistory", () => {
  test("starts another session for a duplicate of a streaming request, and a retry after cancellation", () => {
    const story = new Story();
    equal(story.ask("hi"), "new");
    equal(story.send(), "new");
    const otherStory = new Story();
    otherStory.ask("hi");
    otherStory.chronicle.end("s1", "cut");
    equal(otherStory.send(), "fork s1 after 0, in its place");
  });

  test("starts another session when the user removes a first message that waits for results or was cancelled", () => {
    for (const how of ["waits", "stopped"]) {
      const story = new Story();
      story.ask("hi");
      if (how === "waits") story.call("s1", "t");
      else story.cut("s1", "p");
      story.chat.drop(0);
      equal(story.ask("hi"), "fork s1 after 0, in its place", how);
      story.answer("s2", "Hello.");
      equal(story.ask("go on"), "continue s2");
    }
  });

  test("starts a sub-agent's session beside its parent, matched only by its own calls", () => {
    const story = new Story();
    story.ask("hi");
    story.call("s1", "t");
    const [first, second] = [story.chat.subAgent(2), story.chat.subAgent(3)];
    equal(story.ask("task", first), "new, beside");
    equal(story.ask("task", second), "new, beside");
    story.call("s3", "u", second);
    story.result(second);
    equal(story.send(second), "resume s3");
    story.answer("s2", "done", first);
    story.answer("s3", "done", second);
    story.result();
    equal(story.send(), "resume s1");
    story.answer("s1", "all done");
    equal(story.ask("next"), "continue s1");
  });

  test("does not change the streaming session for an empty history if the host does not distinguish loops", () => {
    const story = new Story("id");
    story.ask("hi");
    story.call("s1", "t");
    equal(story.ask("task", story.chat.subAgent(2)), "fork s1 after 0");
    story.result();
    equal(story.send(), "resume s1");
  });

  test("matches no session of another conversation, caller or agent, regardless of the results", () => {
    const story = new Story();
    story.ask("hi");
    story.call("s1", "t");
    story.result();
    const request = story.chat.request(),
      elsewhere: readonly ChatRequest[] = [
        {
          ...request,
          options: {
            ...request.options,
            modelOptions: { ...request.options?.modelOptions, _conversationId: "another" },
          },
        },
        { ...request, options: { ...request.options, requestInitiator: "other.caller" } },
        { ...request, cwd: "/elsewhere" },
        { ...request, agent: { eliza: {} } },
      ];
    for (const chatRequest of elsewhere) equal(story.chronicle.receive(chatRequest).kind, "new");
    equal(story.chronicle.receive(request).kind, "resume s1");
  });

  test("keeps separate sessions for two extensions with the same messages", () => {
    const chronicle = new Chronicle(),
      request = (caller: string, ...texts: readonly string[]): ChatRequest => ({
        modelId: "m",
        agent: { eliza: {} },
        options: { requestInitiator: caller },
        messages: texts.map(
          (value, i): ChatMessage => ({ role: i % 2 === 0 ? "user" : "assistant", content: [{ type: "text", value }] }),
        ),
      });
    chronicle.receive(request("one.caller", "hi"));
    chronicle.report("s1", { type: "text", value: "Hello." });
    chronicle.end("s1", "answered");
    equal(chronicle.receive(request("other.caller", "hi", "Hello.", "more")).kind, "new");
    equal(chronicle.receive(request("one.caller", "hi", "Hello.", "more")).kind, "continue s1");
  });

  test("prefers the session that was not superseded", () => {
    const story = new Story();
    story.ask("hi");
    story.answer("s1", "Hello.");
    story.chat.drop(0);
    story.ask("hi");
    story.answer("s2", "Hello.");
    story.chronicle.sessions = story.chronicle.sessions.toReversed();
    equal(story.ask("more"), "continue s2");
  });

  test("resumes with some of the results, in any order", () => {
    const story = new Story();
    story.ask("hi");
    story.chronicle.report(
      "s1",
      ...["a", "b", "c"].map(
        toolCallId => ({ type: "tool_call", toolCallId, toolName: "read", parameters: {} }) as const,
      ),
    );
    story.chronicle.wait("s1");
    story.chat.last?.rounds.push({
      text: "",
      calls: [
        { id: "c", result: "1" },
        { id: "a", result: "2" },
      ],
    });
    equal(story.send(), "resume s1");
  });

  test("forks the whole session at its end and then matches parent and fork separately", () => {
    const story = new Story();
    story.ask("hi");
    story.answer("s1", "Hello.");
    const fork = story.chat.fork("fork", 1);
    equal(story.ask("in the fork", fork), "fork s1 after 1, whole");
    story.answer("s2", "Here.", fork);
    equal(story.ask("in the parent"), "continue s1");
    story.answer("s1", "There.");
    equal(story.ask("more", fork), "continue s2");
    equal(story.ask("more"), "continue s1");
  });

  test("neither copies nor cancels a session that is streaming when its chat is forked", () => {
    const story = new Story();
    story.ask("hi");
    story.answer("s1", "Hello.");
    story.ask("go on");
    equal(story.ask("in the fork", story.chat.fork("fork", 1)), "fork s1 after 1");
    equal(story.chronicle.sessions.find(({ id }) => id === "s1")?.isSuperseded, false);
  });

  test("does not copy a session that remembers a dropped cancelled turn", () => {
    const story = new Story();
    story.ask("one");
    story.chronicle.end("s1", "cut");
    story.chat.drop(0);
    equal(story.ask("one again"), "fork s1 after 0, in its place");
    story.answer("s2", "done");
    equal(story.ask("in the fork", story.chat.fork("fork", 1)), "fork s2 after 1, whole");
  });

  test("supersedes a session after an edit and restores it when the edit is undone", () => {
    const story = new Story();
    for (const [words, id] of [
      ["one", "s1"],
      ["two", "s1"],
    ] as const) {
      story.ask(words);
      story.answer(id, `${words} done`);
    }
    const restored = story.chat.turns.slice();
    story.chat.drop(1);
    equal(story.ask("two, but better"), "fork s1 after 1, in its place");
    story.answer("s2", "better done");
    story.chat.turns = restored;
    equal(story.ask("three"), "continue s1");
    equal(story.chronicle.sessions[0]?.isSuperseded, false);
  });

  test("matches a cancelled turn shown whole, in part or without an answer, but not a removed turn", () => {
    for (const shown of ["partly said", "part", "", undefined]) {
      const story = new Story();
      story.ask("one");
      story.answer("s1", "done");
      story.ask("two");
      story.chronicle.report("s1", { type: "text", value: "partly said" });
      story.chronicle.end("s1", "cut");
      if (shown === undefined) story.chat.drop(1);
      else if (shown !== "") story.chat.last?.rounds.push({ text: shown, calls: [] });
      equal(story.ask("three"), shown === undefined ? "fork s1 after 1, in its place" : "continue s1", String(shown));
    }
    const otherStory = new Story();
    otherStory.ask("one");
    otherStory.chronicle.report("s1", { type: "text", value: "partly said" });
    otherStory.chronicle.end("s1", "cut");
    otherStory.chat.last?.rounds.push({ text: "something else", calls: [] });
    equal(otherStory.ask("two"), "new");
  });

  test("matches a turn without and with the late result of a cancelled call", () => {
    const story = new Story();
    story.ask("one");
    story.call("s1", "t");
    const [call] = story.chat.waitsFor;
    story.chronicle.end("s1", "cut");
    story.chat.ask({ id: 99, words: "two", rounds: [], isCut: false });
    if (call) call.result = undefined;
    equal(story.send(), "continue s1");
    story.answer("s1", "done");
    equal(story.ask("three"), "continue s1");
  });

  test("quotes another model's turns, including those after a cancelled turn", () => {
    const story = new Story();
    story.ask("one");
    story.answer("s1", "done");
    story.ask("two");
    story.chronicle.end("s1", "cut");
    story.chat.model = "b";
    equal(story.ask("to b"), "new");
    story.answer("s2", "b says");
    story.chat.model = "a";
    equal(story.ask("back to a"), "behind s1 from 2");
    story.answer("s1", "a again");
    equal(story.ask("on"), "continue s1");
    story.cut("s1");
    story.chat.drop(4);
    story.chat.model = "b";
    story.ask("to b again");
    story.answer("s2", "b says more");
    story.chat.model = "a";
    equal(story.ask("back to a, which remembers what was taken back"), "new");
  });

  test("does not match the parent's session to another model's turn in a fork", () => {
    const story = new Story();
    story.ask("one");
    story.answer("s1", "done");
    const fork = story.chat.fork("fork", 1);
    fork.model = "b";
    story.ask("to b", fork);
    story.answer("s2", "b says", fork);
    fork.model = "a";
    equal(story.ask("back to a", fork), "new");
  });

  test("continues the session after a restart during a turn, although no call waits for the results", () => {
    const story = new Story();
    story.ask("one");
    story.answer("s1", "done");
    story.ask("two");
    story.call("s1", "t");
    story.chronicle.restart();
    story.result();
    equal(story.send(), "continue s1");
    story.answer("s1", "two done");
    equal(story.ask("three"), "continue s1");
  });

  test("starts a new session for an edit in a compacted chat or for another chat", () => {
    const story = new Story();
    for (const words of ["one", "two"]) {
      story.ask(words);
      story.answer("s1", `${words} done`);
    }
    story.chat.compacted = { before: 1, rounds: undefined };
    const elsewhere = story.chat.fork("fork", 2);
    equal(story.ask("three", elsewhere), "new");
    equal(story.ask("three"), "continue s1");
    story.answer("s1", "three done");
    story.chat.drop(1);
    equal(story.ask("two again"), "new");
  });

  test("forgets a removed turn in a compacted chat", () => {
    const story = new Story();
    for (const words of ["one", "two"]) {
      story.ask(words);
      story.answer("s1", `${words} done`);
    }
    story.chat.compacted = { before: 1, rounds: undefined };
    story.ask("three");
    story.chronicle.end("s1", "cut");
    story.chat.drop(2);
    equal(story.ask("three again"), "new");
    story.answer("s2", "three done");
    equal(story.ask("four"), "continue s2");
  });

  test("does not match a session that knows only a summary to the full history", () => {
    const story = new Story();
    story.ask("one");
    story.answer("s1", "done");
    story.chat.compacted = { before: 1, rounds: undefined };
    story.chat.model = "b";
    equal(story.ask("hi"), "new");
    story.answer("s2", "Hello.");
    equal(story.ask("on"), "continue s2");
    story.chat.drop(0);
    story.chat.model = "a";
    story.ask("hi");
    story.answer("s3", "Hello.");
    story.chat.model = "b";
    equal(story.ask("and now?"), "new");
  });

  test("stores only a bounded part of a cut-off answer", () => {
    const story = new Story();
    story.ask("one");
    story.chronicle.report("s1", { type: "text", value: "x".repeat(1_000_000) });
    story.chronicle.end("s1", "cut");
    equal(JSON.stringify(story.chronicle.sessions).length < 25_000, true);
  });

  test("continues only the chat's last session when the history is only a summary", () => {
    const story = new Story();
    story.ask("one");
    story.answer("s1", "done");
    story.chat.drop(0);
    story.chat.model = "b";
    story.ask("better one");
    story.answer("s2", "better done");
    story.chat.compacted = { before: 1, rounds: undefined };
    story.chat.model = "a";
    equal(story.ask("two"), "new", "its first turn was another");
    story.answer("s3", "two done");
    story.chat.compacted = { before: 2, rounds: undefined };
    equal(story.ask("three"), "continue s3");
  });

  test("never restores a session superseded by an edit in a compacted chat", () => {
    const story = new Story();
    story.ask("hi");
    story.call("s1", "t");
    story.chat.compacted = { before: 0, rounds: 0 };
    equal(story.ask("hi"), "resume s1");
    story.call("s1", "u");
    equal(story.ask("go on"), "resume s1");
    story.cut("s1", "p");
    story.chat.drop(1);
    equal(story.ask("go on"), "new", "its second turn was another");
    story.cut("s2");
    equal(story.ask("hi"), "continue s2");
    story.cut("s2");
    story.chat.drop(2);
    equal(story.ask("hi"), "new", "not the first, which ends alike");
  });

  test("does not match an orphaned sub-agent's results to a later turn of its parent's chat", () => {
    const story = new Story(),
      agent = story.orphan();
    story.chat.drop(0);
    equal(story.ask("hi"), "new");
    story.result(agent);
    equal(story.send(agent), "new, beside");
  });

  test("does not replace a session of the chat by an orphaned sub-agent", () => {
    const story = new Story(),
      agent = story.orphan();
    equal(story.ask("hi"), "continue s1");
    story.answer("s1", "hello");
    story.chat.drop(0);
    equal(story.ask("hi"), "fork s1 after 0, in its place");
    story.result(agent);
    equal(story.send(agent), "new, beside");
  });

  test("does not match results of an orphaned sub-agent's calls to the parent", () => {
    const story = new Story();
    story.ask("one");
    story.call("s1", "t");
    const agent = story.chat.subAgent(2);
    story.ask("task", agent);
    story.call("s2", "u", agent);
    agent.compacted = { before: 0, rounds: 0 };
    story.result(agent);
    story.chronicle.sessions = story.chronicle.sessions.filter(({ id }) => id === "s1");
    story.chronicle.restart();
    equal(story.send(agent), "new, beside");
    story.chat.compacted = { before: 0, rounds: 0 };
    story.result();
    story.chronicle.sessions = story.chronicle.sessions.filter(({ id }) => id === "s1");
    equal(story.send(), "continue s1");
  });
});
