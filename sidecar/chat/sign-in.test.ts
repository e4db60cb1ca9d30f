import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { NEVER, World } from "../testing/chat-world";
import { RpcError, RpcCode } from "../rpc/message";
import { AgentWitness } from "../agents/agent-witness";
import { signOut } from "../agents/sign-out";
import type { Elicitation } from "../../src/protocol/elicitation";

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

/** A session whose prompt waits for an agent that wants its user to sign in. */
async function asked(world: World, ...methods: readonly (keyof typeof METHODS)[]): Promise<string> {
  world.manual = ["session/new", "authenticate"];
  world.initialized = initialized(...methods);
  const id = await world.open();
  await world.prompt(id, "hello");
  await world.settle();
  await refused(world);
  return id;
}
async function refused(world: World): Promise<void> {
  (await world.agents.at(-1)!.next("session/new")).fail(new RpcError(RpcCode.authRequired, "Authentication required"));
  await world.settle();
}
async function opens(world: World): Promise<void> {
  (await world.agents.at(-1)!.next("session/new")).respond({ sessionId: "s" });
  await world.settle();
}
const question = (world: World, id: string): Elicitation =>
  world.entries(id).findLast((entry): entry is Elicitation => entry.kind === "elicitation" && !entry.answered)!;
async function answer(world: World, id: string, values?: Readonly<Record<string, string>>): Promise<void> {
  await world.service.handlers["chat/answerElicitation"](
    {
      sessionId: id,
      elicitationId: question(world, id).id,
      choice: values ? { kind: "accept", values } : { kind: "decline" },
    },
    NEVER,
  );
  await world.settle();
}
const notices = (world: World, id: string): readonly unknown[] =>
  world.entries(id).flatMap(entry => (entry.kind === "notice" ? [[entry.text, entry.actions]] : []));

suite("an agent that wants its user to sign in", () => {
  test("does it itself, in the same process, and the prompt that waited goes out", async () => {
    await using world = new World();
    const id = await asked(world, "browser");
    equal(question(world, id).message, "Ada wants you to sign in. Log in");
    await answer(world, id, {});
    const request = await world.agents[0]!.next("authenticate");
    deepEqual(request.params, { methodId: "login" });
    request.respond({});
    await world.settle();
    await opens(world);
    deepEqual((await world.agents[0]!.next("session/prompt")).params, {
      sessionId: "s",
      prompt: [{ type: "text", text: "hello" }],
    });
    deepEqual([world.agents.length, notices(world, id)], [1, []]);
  });

  test("has it done by its program in a terminal, and is started anew", async () => {
    await using world = new World();
    const id = await asked(world, "browser", "terminal");
    await answer(world, id, { method: "cli" });
    await opens(world);
    equal(world.told.at(-1), `terminal ada --login {"MODE":"login"}`);
    equal(world.agents.length, 2);
    await world.agents[1]!.next("session/prompt");
    equal(world.agents[0]!.heard.includes("authenticate"), false);
  });

  test("is given a key, which is kept in secret and is nowhere in the conversation", async () => {
    await using world = new World();
    const id = await asked(world, "key");
    await answer(world, id, {});
    match(question(world, id).message, /secret storage/);
    await answer(world, id, { ADA_KEY: "hunter2" });
    await opens(world);
    equal(world.told.at(-1), `secret {"ADA_KEY":"hunter2"}`);
    await world.agents[1]!.next("session/prompt");
    doesNotMatch(JSON.stringify(world.entries(id)), /hunter2/);
  });

  for (const [what, methods, act, says] of [
    [
      "nobody wants to",
      ["browser"],
      async (world, id) => answer(world, id),
      /^You were not signed in to Ada\. Send your prompt again/,
    ],
    [
      "nobody enters a key",
      ["key"],
      async (world, id) => {
        await answer(world, id, {});
        await answer(world, id);
      },
      /^You were not signed in to Ada\./,
    ],
    [
      "the agent fails at it",
      ["browser"],
      async (world, id) => {
        await answer(world, id, {});
        (await world.agents[0]!.next("authenticate")).fail(new RpcError(-32603, "no browser"));
        await world.settle();
      },
      /^You were not signed in to Ada: Ada answered with an error: no browser/,
    ],
    [
      "the terminal's program fails",
      ["terminal"],
      async (world, id) => {
        world.terminal = () => ({ exitCode: 3 });
        await answer(world, id, {});
      },
      /exit code 3/,
    ],
    [
      "the terminal is closed",
      ["terminal"],
      async (world, id) => {
        world.terminal = () => ({});
        await answer(world, id, {});
      },
      /closed before it had ended/,
    ],
    [
      "the terminal does not open",
      ["terminal"],
      async (world, id) => {
        world.terminal = () => {
          throw new Error("no terminals here");
        };
        await answer(world, id, {});
      },
      /no terminals here/,
    ],
    [
      "it is the same afterwards, in the same process",
      ["browser"],
      async (world, id) => {
        await answer(world, id, {});
        (await world.agents[0]!.next("authenticate")).respond({});
        await world.settle();
        await refused(world);
      },
      /^Ada still wants you to sign in, although “Log in” has just succeeded/,
    ],
    [
      "it is the same afterwards, in a new process",
      ["terminal"],
      async (world, id) => {
        await answer(world, id, {});
        await refused(world);
      },
      /although “In a terminal” has just succeeded/,
    ],
    ["it names no way", [], async () => undefined, /^Ada wants you to sign in first, and does not say how/],
  ] satisfies [string, (keyof typeof METHODS)[], (world: World, id: string) => Promise<void>, RegExp][])
    test(`${what}: one sentence, and the prompt can be sent again`, async () => {
      await using world = new World();
      const id = await asked(world, ...methods);
      await act(world, id);
      const [[text, actions] = [], ...others] = notices(world, id) as [string, readonly string[]][];
      match(text ?? "", says);
      deepEqual(
        [actions, others, world.shown.get(id)?.turn.state],
        [["sendAgain", "selectAgent", "showLogs"], [], "idle"],
      );
      equal(
        world.entries(id).some(entry => entry.kind === "elicitation" && !entry.answered),
        false,
        "no question is left open",
      );
    });

  test("the next prompt asks again", async () => {
    await using world = new World();
    const id = await asked(world, "browser");
    await answer(world, id);
    await world.prompt(id, "again");
    await world.settle();
    await refused(world);
    equal(question(world, id).message, "Ada wants you to sign in. Log in");
  });

  test("of two tabs that ask one is answered: the other's question goes, and it has a session, too", async () => {
    await using world = new World();
    const one = await asked(world, "terminal"),
      other = await world.open();
    await world.prompt(other, "hello too");
    await world.settle();
    await refused(world);
    await answer(world, one, {});
    equal(world.agents.length, 2, "one new process for both");
    for (const [i, sessionId] of ["s1", "s2"].entries()) {
      (await world.agents[1]!.next("session/new")).respond({ sessionId });
      await world.settle();
      equal(world.agents[1]!.heard.filter(method => method === "session/prompt").length, i + 1);
    }
    deepEqual(
      [
        world.entries(other).flatMap(entry => (entry.kind === "elicitation" ? [entry.answered?.kind] : [])),
        notices(world, one),
        notices(world, other),
      ],
      [["cancelled"], [], []],
    );
    equal(world.told.filter(line => line.startsWith("terminal")).length, 1);
  });

  test("an agent that dies whenever it asks is not started for ever", async () => {
    await using world = new World();
    const id = await asked(world, "browser");
    await world.agents[0]!.die();
    await world.settle();
    await refused(world);
    await world.agents[1]!.die();
    await world.settle();
    deepEqual([world.agents.length, notices(world, id).length], [2, 1]);
  });

  test("who does not want to is not asked again by itself, also after the agent has died before", async () => {
    await using world = new World();
    world.initialized = initialized("browser");
    const id = await world.open();
    await world.settle();
    world.manual = ["session/new"];
    await world.agents[0]!.die();
    await world.settle();
    world.clock.advance(60_000);
    await world.settle();
    await refused(world);
    await answer(world, id);
    world.clock.advance(600_000);
    await world.settle();
    equal(world.agents.length, 2);
  });

  test("that says so only when it is prompted is asked how before the next prompt, although it would open a session", async () => {
    await using world = new World();
    world.initialized = initialized("browser");
    const id = await world.open();
    await world.prompt(id, "hello");
    await world.settle();
    (await world.agents[0]!.next("session/prompt")).fail(new RpcError(RpcCode.authRequired, "Please log in"));
    await world.settle();
    deepEqual(notices(world, id), [
      [
        "Ada wants you to sign in. Send your prompt again: then you are asked how.",
        ["sendAgain", "selectAgent", "showLogs"],
      ],
    ]);
    await world.prompt(id, "hello", "once more");
    await world.settle();
    equal(question(world, id).message, "Ada wants you to sign in. Log in");
    await answer(world, id, {});
    (await world.agents.at(-1)!.next("authenticate")).respond({});
    await world.settle();
    await world.agents.at(-1)!.next("session/prompt");
    await world.service.handlers["chat/cancel"]({ sessionId: id }, NEVER);
  });

  test("a tab that is closed meanwhile leaves nothing behind", async () => {
    await using world = new World();
    const id = await asked(world, "browser");
    await world.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    await world.settle();
    deepEqual(
      world.agents.map(({ heard }) => heard.at(-1)),
      ["closed"],
    );
  });

  test("an agent whose user signed out is not restarted until the next prompt", async () => {
    await using world = new World();
    world.initialized = { ...initialized("browser"), agentCapabilities: { auth: { logout: {} } } };
    const id = await world.open();
    await world.settle();
    const leaving = signOut({ id: "ada", name: "Ada", distribution: { local: { command: "ada" } } }, "/w", {
      pool: world.pool,
      witness: new AgentWitness(
        () => undefined,
        () => 0,
      ),
      isThere: async () => true,
      keys: { kept: async () => ({}), forget: async () => undefined },
    });
    (await world.agents[0]!.next("logout")).respond({});
    await leaving;
    await world.settle();
    world.clock.advance(60_000);
    await world.settle();
    deepEqual(
      [world.agents.length, notices(world, id)],
      [1, [["You signed out of Ada. Ada restarts with your next prompt.", ["restartAgent", "showLogs"]]]],
    );
    await world.prompt(id, "hello again");
    await world.settle();
    equal(world.agents.length, 2);
  });
});
