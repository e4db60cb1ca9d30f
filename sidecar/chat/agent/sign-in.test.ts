import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { NEVER, Fixture } from "../../testing/sessions/chat-fixture";
import { RpcError, RpcCode } from "../../rpc/message";
import { AgentStatusTracker } from "../../agents/agent-status-tracker";
import { signOut } from "../../agents/sign-out";
import type { Elicitation } from "../../../src/protocol/chat/elicitation";

const METHODS = {
  browser: { id: "login", name: "Log in" },
  terminal: { id: "cli", name: "In a terminal", type: "terminal", args: ["--login"], env: { MODE: "login" } },
  key: { id: "key", name: "API key", type: "env_var", vars: [{ name: "ADA_KEY" }] },
};
const initialized = (...methods: readonly (keyof typeof METHODS)[]) => ({
  protocolVersion: 1,
  agentCapabilities: {},
  authMethods: methods.map(method => METHODS[method]),
});

/** A session whose prompt waits for the user's sign-in to the agent. */
async function asked(fixture: Fixture, ...methods: readonly (keyof typeof METHODS)[]): Promise<string> {
  fixture.manual = ["session/new", "authenticate"];
  fixture.initialized = initialized(...methods);
  const id = await fixture.open();
  await fixture.prompt(id, "hello");
  await fixture.settle();
  await refused(fixture);
  return id;
}
async function refused(fixture: Fixture): Promise<void> {
  (await fixture.agents.at(-1)!.next("session/new")).fail(
    new RpcError(RpcCode.authRequired, "Authentication required"),
  );
  await fixture.settle();
}
async function opens(fixture: Fixture): Promise<void> {
  (await fixture.agents.at(-1)!.next("session/new")).respond({ sessionId: "s" });
  await fixture.settle();
}
const question = (fixture: Fixture, id: string): Elicitation =>
  fixture.entries(id).findLast((entry): entry is Elicitation => entry.kind === "elicitation" && !entry.answered)!;
async function answer(fixture: Fixture, id: string, values?: Readonly<Record<string, string>>): Promise<void> {
  await fixture.service.handlers["chat/answerElicitation"](
    {
      sessionId: id,
      elicitationId: question(fixture, id).id,
      choice: values ? { kind: "accept", values } : { kind: "decline" },
    },
    NEVER,
  );
  await fixture.settle();
}
const notices = (fixture: Fixture, id: string): readonly unknown[] =>
  fixture.entries(id).flatMap(entry => (entry.kind === "notice" ? [[entry.text, entry.actions]] : []));

suite("agent that requires sign-in", () => {
  test("signs in within the same process and sends the waiting prompt", async () => {
    await using fixture = new Fixture();
    const id = await asked(fixture, "browser");
    equal(question(fixture, id).message, "Log in.\n\nPrompts are sent after you sign in.");
    await answer(fixture, id, {});
    const request = await fixture.agents[0]!.next("authenticate");
    deepEqual(request.params, { methodId: "login" });
    request.respond({});
    await fixture.settle();
    await opens(fixture);
    deepEqual((await fixture.agents[0]!.next("session/prompt")).params, {
      sessionId: "s",
      prompt: [{ type: "text", text: "hello" }],
    });
    deepEqual([fixture.agents.length, notices(fixture, id)], [1, []]);
  });

  test("signs in with its program in a terminal and restarts", async () => {
    await using fixture = new Fixture();
    const id = await asked(fixture, "browser", "terminal");
    await answer(fixture, id, { method: "cli" });
    await opens(fixture);
    equal(fixture.notifications.at(-1), `terminal ada --login {"MODE":"login"}`);
    equal(fixture.agents.length, 2);
    await fixture.agents[1]!.next("session/prompt");
    equal(fixture.agents[0]!.received.includes("authenticate"), false);
  });

  test("stores a key in secret storage and outside the conversation", async () => {
    await using fixture = new Fixture();
    const id = await asked(fixture, "key");
    await answer(fixture, id, {});
    match(question(fixture, id).message, /secret storage/);
    await answer(fixture, id, { ADA_KEY: "hunter2" });
    await opens(fixture);
    equal(fixture.notifications.at(-1), `secret {"ADA_KEY":"hunter2"}`);
    await fixture.agents[1]!.next("session/prompt");
    doesNotMatch(JSON.stringify(fixture.entries(id)), /hunter2/);
  });

  for (const [what, methods, act, pattern] of [
    [
      "refusal by the user",
      ["browser"],
      async (fixture, id) => answer(fixture, id),
      /^You were not signed in to Ada\. Send your prompt again/,
    ],
    [
      "no key entered",
      ["key"],
      async (fixture, id) => {
        await answer(fixture, id, {});
        await answer(fixture, id);
      },
      /^You were not signed in to Ada\./,
    ],
    [
      "failure of the agent",
      ["browser"],
      async (fixture, id) => {
        await answer(fixture, id, {});
        (await fixture.agents[0]!.next("authenticate")).fail(new RpcError(-32603, "no browser"));
        await fixture.settle();
      },
      /^You were not signed in to Ada: Ada returned an error: no browser/,
    ],
    [
      "failure of the terminal program",
      ["terminal"],
      async (fixture, id) => {
        fixture.terminal = () => ({ exitCode: 3 });
        await answer(fixture, id, {});
      },
      /exited with code 3/,
    ],
    [
      "closed terminal",
      ["terminal"],
      async (fixture, id) => {
        fixture.terminal = () => ({});
        await answer(fixture, id, {});
      },
      /closed before it exited/,
    ],
    [
      "terminal that does not open",
      ["terminal"],
      async (fixture, id) => {
        fixture.terminal = () => {
          throw new Error("no terminals here");
        };
        await answer(fixture, id, {});
      },
      /no terminals here/,
    ],
    [
      "sign-in still required in the same process",
      ["browser"],
      async (fixture, id) => {
        await answer(fixture, id, {});
        (await fixture.agents[0]!.next("authenticate")).respond({});
        await fixture.settle();
        await refused(fixture);
      },
      /^Ada still requires a sign-in, although “Log in” has just succeeded/,
    ],
    [
      "sign-in still required in a new process",
      ["terminal"],
      async (fixture, id) => {
        await answer(fixture, id, {});
        await refused(fixture);
      },
      /although “In a terminal” has just succeeded/,
    ],
    ["no method offered", [], async () => undefined, /^Ada requires a sign-in but offers no method/],
  ] satisfies [string, (keyof typeof METHODS)[], (fixture: Fixture, id: string) => Promise<void>, RegExp][])
    test(`${what}: shows one notice and offers to send the prompt again`, async () => {
      await using fixture = new Fixture();
      const id = await asked(fixture, ...methods);
      await act(fixture, id);
      const [[text, actions] = [], ...others] = notices(fixture, id) as [string, readonly string[]][];
      match(text ?? "", pattern);
      deepEqual(
        [actions, others, fixture.shown.get(id)?.turn.state],
        [["sendAgain", "selectAgent", "showLogs"], [], "idle"],
      );
      equal(
        fixture.entries(id).some(entry => entry.kind === "elicitation" && !entry.answered),
        false,
        "no question is left open",
      );
    });

  test("asks again with the next prompt", async () => {
    await using fixture = new Fixture();
    const id = await asked(fixture, "browser");
    await answer(fixture, id);
    await fixture.prompt(id, "again");
    await fixture.settle();
    await refused(fixture);
    equal(question(fixture, id).message, "Log in.\n\nPrompts are sent after you sign in.");
  });

  test("withdraws the question of a second session when the first is answered, and opens both", async () => {
    await using fixture = new Fixture();
    const first = await asked(fixture, "terminal"),
      second = await fixture.open();
    await fixture.prompt(second, "hello too");
    await fixture.settle();
    await refused(fixture);
    await answer(fixture, first, {});
    equal(fixture.agents.length, 2, "one new process for both");
    for (const [i, sessionId] of ["s1", "s2"].entries()) {
      (await fixture.agents[1]!.next("session/new")).respond({ sessionId });
      await fixture.settle();
      equal(fixture.agents[1]!.received.filter(method => method === "session/prompt").length, i + 1);
    }
    deepEqual(
      [
        fixture.entries(second).flatMap(entry => (entry.kind === "elicitation" ? [entry.answered?.kind] : [])),
        notices(fixture, first),
        notices(fixture, second),
      ],
      [["cancelled"], [], []],
    );
    equal(fixture.notifications.filter(line => line.startsWith("terminal")).length, 1);
  });

  test("is not restarted repeatedly if it exits during its question", async () => {
    await using fixture = new Fixture();
    const id = await asked(fixture, "browser");
    await fixture.agents[0]!.die();
    await fixture.settle();
    await refused(fixture);
    await fixture.agents[1]!.die();
    await fixture.settle();
    deepEqual([fixture.agents.length, notices(fixture, id).length], [2, 1]);
  });

  test("does not ask again after a refusal, also after an earlier exit", async () => {
    await using fixture = new Fixture();
    fixture.initialized = initialized("browser");
    const id = await fixture.open();
    await fixture.settle();
    fixture.manual = ["session/new"];
    await fixture.agents[0]!.die();
    await fixture.settle();
    fixture.clock.advance(60_000);
    await fixture.settle();
    await refused(fixture);
    await answer(fixture, id);
    fixture.clock.advance(600_000);
    await fixture.settle();
    equal(fixture.agents.length, 2);
  });

  test("asks before the next prompt if it requires sign-in only at a prompt", async () => {
    await using fixture = new Fixture();
    fixture.initialized = initialized("browser");
    const id = await fixture.open();
    await fixture.prompt(id, "hello");
    await fixture.settle();
    (await fixture.agents[0]!.next("session/prompt")).fail(new RpcError(RpcCode.authRequired, "Please log in"));
    await fixture.settle();
    deepEqual(notices(fixture, id), [
      [
        "Ada requires a sign-in. Send your prompt again to select a sign-in method.",
        ["sendAgain", "selectAgent", "showLogs"],
      ],
    ]);
    await fixture.prompt(id, "hello", "once more");
    await fixture.settle();
    equal(question(fixture, id).message, "Log in.\n\nPrompts are sent after you sign in.");
    await answer(fixture, id, {});
    (await fixture.agents.at(-1)!.next("authenticate")).respond({});
    await fixture.settle();
    await fixture.agents.at(-1)!.next("session/prompt");
    await fixture.service.handlers["chat/cancel"]({ sessionId: id }, NEVER);
  });

  test("stops when its session closes during the question", async () => {
    await using fixture = new Fixture();
    const id = await asked(fixture, "browser");
    await fixture.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    await fixture.settle();
    deepEqual(
      fixture.agents.map(({ received }) => received.at(-1)),
      ["closed"],
    );
  });

  test("is not restarted after sign-out until the next prompt", async () => {
    await using fixture = new Fixture();
    fixture.initialized = { ...initialized("browser"), agentCapabilities: { auth: { logout: {} } } };
    const id = await fixture.open();
    await fixture.settle();
    const signingOut = signOut({ id: "ada", name: "Ada", distribution: { local: { command: "ada" } } }, "/w", {
      pool: fixture.pool,
      statusTracker: new AgentStatusTracker(
        () => undefined,
        () => 0,
      ),
      isThere: async () => true,
      keys: { stored: async () => ({}), forget: async () => undefined },
    });
    (await fixture.agents[0]!.next("logout")).respond({});
    await signingOut;
    await fixture.settle();
    fixture.clock.advance(60_000);
    await fixture.settle();
    deepEqual(
      [fixture.agents.length, notices(fixture, id)],
      [1, [["You signed out of Ada. Ada restarts with your next prompt.", ["restartAgent", "showLogs"]]]],
    );
    await fixture.prompt(id, "hello again");
    await fixture.settle();
    equal(fixture.agents.length, 2);
  });
});
