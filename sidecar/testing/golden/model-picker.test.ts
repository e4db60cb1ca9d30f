/** Requests of VS Code's own chat, and the agent's messages behind them. */
import { BUILT_IN_EXTENSIONS } from "../../../src/protocol/agents/extensions";
import { chatOf, LmFixture } from "../sessions/lm-fixture";
import { compare } from "./golden";
import { StableNames } from "./lines";

const LOADS = { protocolVersion: 1, agentCapabilities: { loadSession: true } },
  FORKS = { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {}, fork: {} } } };

/** `converse` returns the fixture's recorded messages from its last part. */
function golden(name: string, behavior: string, converse: () => Promise<readonly string[]>): void {
  test(`${behavior} (${name})`, async () => {
    const names = new StableNames();
    compare(
      name,
      behavior,
      (await converse()).map(line => names.in(line)),
    );
  });
}

suite("golden transcripts: model picker", () => {
  golden(
    "lm-load",
    "loads the agent's session after a reload of the window and drops the replayed updates",
    async () => {
      const chat = chatOf("a"),
        before = new LmFixture();
      await before.turn(chat, "One", "1");
      await before[Symbol.asyncDispose]();
      await using fixture = new LmFixture(before);
      fixture.initialized = LOADS;
      fixture.record();
      fixture.ask(chat, "Two");
      await fixture.settle();
      const load = await fixture.agent.next("session/load");
      fixture.agent.report("s1", "One. 1.");
      load.respond({});
      const { request } = await fixture.prompted();
      fixture.agent.report("s1", "2");
      request.respond({ stopReason: "end_turn" });
      await fixture.settle();
      return fixture.lines.all;
    },
  );

  golden("lm-history", "sends the history as text to an agent that cannot load a session", async () => {
    const chat = chatOf("a"),
      before = new LmFixture();
    await before.turn(chat, "One", "1");
    await before[Symbol.asyncDispose]();
    await using fixture = new LmFixture(before);
    fixture.record();
    await fixture.turn(chat, "Two", "2");
    return fixture.lines.all;
  });

  golden("lm-fork", "forks the agent's session for a chat forked at its end", async () => {
    await using fixture = new LmFixture();
    fixture.initialized = FORKS;
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    fixture.record();
    fixture.ask(chat.fork("b", 1), "Other");
    await fixture.settle();
    (await fixture.agent.next("session/fork")).respond({ sessionId: "copy" });
    const { request, sessionId } = await fixture.prompted();
    fixture.agent.report(sessionId, "A fork.");
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    await fixture.turn(chat, "More", "2");
    return fixture.lines.all;
  });

  golden("lm-retry", "opens a new session when the user repeats an earlier message", async () => {
    await using fixture = new LmFixture();
    fixture.record();
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "first answer");
    chat.drop(0);
    await fixture.turn(chat, "One", "second answer");
    return fixture.lines.all;
  });

  golden("lm-extensions", "starts the agent behind the extensions of a new conversation", async () => {
    await using fixture = new LmFixture();
    fixture.extensions = BUILT_IN_EXTENSIONS.slice(0, 1);
    fixture.missing = [{ id: "sparkle", sentence: "The agent extension “Sparkle” is left out." }];
    fixture.record();
    await fixture.turn(chatOf("a"), "One", "1");
    return fixture.lines.all;
  });
});
