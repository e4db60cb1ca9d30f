import { deepEqual } from "node:assert/strict";
import { EXTENSION_METHODS } from "../../acp/methods";
import { LISTING_MS } from "../../proxies/tool-listing";
import { objectOr } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { callOf, SessionFixture } from "../../testing/sessions/session-fixture";

const { session_tools: SESSION_TOOLS } = EXTENSION_METHODS;

/** Sends a prompt that mentions tools. The agent has not requested the list. */
async function asked(fixture: SessionFixture) {
  fixture.namesTools = true;
  fixture.ask(1);
  const { offer } = await fixture.open(),
    [request, ...more] = fixture.agent.taken(SESSION_TOOLS);
  deepEqual(
    [objectOr(request?.params), more.length, fixture.agent.received.includes("session/prompt")],
    [{ sessionId: "s", wait: true }, 0, false],
  );
  return { offer, request };
}
const mentionsTools = ({ recipients }: SessionFixture): boolean | undefined => recipients.at(-1)?.hasTools;

suite("ModelPrompts", () => {
  test("waits for the list of tools before a first prompt that mentions tools", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await asked(fixture);
    offer.list();
    (await fixture.prompted()).respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(mentionsTools(fixture), true);
  });

  test("mentions no tools if the agent does not request their list before the wait ends", async () => {
    for (const isAnswered of [true, false]) {
      await using fixture = new SessionFixture();
      const { request } = await asked(fixture);
      if (isAnswered) request?.respond({ servers: [] });
      else fixture.clock.advance(LISTING_MS);
      (await fixture.prompted()).respond({ stopReason: "end_turn" });
      await fixture.settle();
      deepEqual(mentionsTools(fixture), false);
    }
  });

  test("mentions tools in a later prompt once the agent has requested their list", async () => {
    await using fixture = new SessionFixture();
    const { offer, request } = await asked(fixture);
    request?.respond({ servers: [] });
    const first = await fixture.prompted();
    offer.list();
    first.respond({ stopReason: "end_turn" });
    await fixture.settle();
    fixture.ask(2);
    (await fixture.prompted()).respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual([mentionsTools(fixture), fixture.agent.taken(SESSION_TOOLS).length], [true, 0]);
  });

  test("mentions tools in a later prompt after the agent has called one without a list", async () => {
    await using fixture = new SessionFixture();
    const { offer, prompt } = await fixture.begin(),
      answer = callOf(offer, "lookUp");
    await fixture.debounced();
    fixture.back(2, ...fixture.calls(1));
    await answer;
    prompt.respond({ stopReason: "end_turn" });
    await fixture.settle();
    fixture.namesTools = true;
    fixture.ask(3);
    (await fixture.prompted()).respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(mentionsTools(fixture), true);
  });

  test("does not wait before a prompt that mentions no tools", async () => {
    await using fixture = new SessionFixture();
    fixture.ask(1);
    await fixture.open();
    (await fixture.prompted()).respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual([mentionsTools(fixture), fixture.agent.taken(SESSION_TOOLS).length], [false, 0]);
  });

  test("does not send a prompt that is cancelled while it waits", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await asked(fixture);
    fixture.session.cancel(1);
    await fixture.settle();
    offer.list();
    await fixture.settle();
    deepEqual(
      fixture.agent.received.filter(method => method === "session/prompt" || method.startsWith("cancel")),
      [],
    );
  });

  test("cancels a prompt at the agent after an earlier prompt could not be created", async () => {
    await using fixture = new SessionFixture();
    fixture.session.ask({
      requestId: 1,
      text: "",
      context: () => fixture.context,
      namesTools: () => true,
      blocks: ({ hasTools }) => {
        if (hasTools) throw new Error("no blocks");
        return [];
      },
    });
    const { offer } = await fixture.open();
    offer.list();
    await fixture.settle();
    fixture.ask(2);
    await fixture.prompted();
    fixture.session.cancel(2);
    await fixture.settle();
    deepEqual(
      [fixture.notifications, fixture.agent.received.filter(method => method.includes("cancel"))],
      [
        ["1 cut", "end 1 (Symposium could not convert this message to a prompt. See the log.)", "end 2", "2 cut"],
        ["cancel s"],
      ],
    );
  });

  test("opens the session again with the next prompt after the agent has required a sign-in", async () => {
    await using fixture = new SessionFixture();
    const { prompt } = await fixture.begin();
    prompt.fail(new RpcError(RpcCode.authRequired, "Sign in."));
    await fixture.settle();
    fixture.ask(2);
    await fixture.settle();
    deepEqual(
      fixture.agents.map(({ received }) => received.filter(method => method.startsWith("session/"))),
      [["session/new", "session/prompt", "session/close"], ["session/load"]],
    );
  });
});
