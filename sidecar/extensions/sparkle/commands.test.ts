/** The command /checkpoint, “meta moment”, and the updates that a client receives for them. */
import { deepEqual, equal, match } from "node:assert/strict";
import { objectOr } from "../../rpc/json";
import { turn } from "../../testing/turn";
import { Sparkled, words } from "../../testing/extensions/sparkle-fixture";
import { ANNOUNCING_MS } from "./extension";
import { CHECKPOINT_COMMAND, CHECKPOINT_COMMAND_V2 } from "./user-commands";

suite("Sparkle commands", () => {
  const plan = { name: "plan", description: "plans" },
    own = { name: "checkpoint", description: "the agent's" };

  test("appends the command's text after /checkpoint and keeps the user's text", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session();
    await sparkled.prompt(sessionId, words("/checkpoint mind the lexer"), {
      type: "resource_link",
      uri: "file:///x",
      name: "x",
    });
    deepEqual(sparkled.lastParts, [
      "/checkpoint mind the lexer",
      { type: "resource_link", uri: "file:///x", name: "x" },
      "embodiment",
      "checkpoint",
    ]);
    await sparkled.list();
    await sparkled.prompt(sessionId, words("/checkpoint"));
    match(String(objectOr(sparkled.last[1]).text), /session_checkpoint/);
  });

  test("appends instructions for “meta moment” in the user's text", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session("session/load", { sessionId: "old" });
    await sparkled.prompt(sessionId, words("That was good. Meta moment!"));
    deepEqual(sparkled.lastParts, ["That was good. Meta moment!", "meta-moment"]);
  });

  test("appends the command to each list of the agent", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session();
    for (const availableCommands of [[plan], [], [plan, { name: "other" }]])
      deepEqual(await sparkled.update(sessionId, { sessionUpdate: "available_commands_update", availableCommands }), {
        sessionUpdate: "available_commands_update",
        availableCommands: [...availableCommands, CHECKPOINT_COMMAND],
      });
    sparkled.clock.advance(ANNOUNCING_MS * 2);
    equal(sparkled.notifications.length, 3, "and is not announced once more");
  });

  test("announces the command once for an agent without commands", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session();
    sparkled.clock.advance(ANNOUNCING_MS - 1);
    await turn();
    deepEqual(sparkled.notifications, []);
    sparkled.clock.advance(1);
    await sparkled.received.times(1);
    deepEqual(sparkled.notifications, [
      [
        "session/update",
        { sessionId, update: { sessionUpdate: "available_commands_update", availableCommands: [CHECKPOINT_COMMAND] } },
      ],
    ]);
    await sparkled.session("session/load", { sessionId });
    sparkled.clock.advance(ANNOUNCING_MS * 2);
    await turn();
    equal(sparkled.notifications.length, 1);
  });

  test("accepts commands that arrive before the setup response", async () => {
    await using sparkled = await Sparkled.open({
      agent: request => {
        if (request.method === "session/new")
          sparkled.fixture.agent.notify("session/update", {
            sessionId: "s1",
            update: { sessionUpdate: "available_commands_update", availableCommands: [own] },
          });
        return false;
      },
    });
    const sessionId = await sparkled.session();
    equal(sessionId, "s1");
    equal(sparkled.clock.waiting, 0);
    await sparkled.prompt(sessionId, words("/checkpoint"));
    deepEqual(sparkled.last, [words("/checkpoint")], "an agent's own is the agent's");
    deepEqual(sparkled.notifications, [
      [
        "session/update",
        { sessionId, update: { sessionUpdate: "available_commands_update", availableCommands: [own] } },
      ],
    ]);
  });

  test("appends the command in the setup response (v2)", async () => {
    await using sparkled = await Sparkled.open({
      agent: request => {
        if (request.method !== "session/new") return false;
        request.respond({ sessionId: "v2", availableCommands: [plan] });
        return true;
      },
    });
    deepEqual(await sparkled.fixture.client.request("session/new", { cwd: sparkled.cwd, mcpServers: [] }), {
      sessionId: "v2",
      availableCommands: [plan, CHECKPOINT_COMMAND],
    });
    equal(sparkled.clock.waiting, 0);
  });

  test("uses the version 2 form in the setup response and in updates", async () => {
    const initialized = { protocolVersion: 2, info: { name: "a", version: "1" }, capabilities: { session: {} } };
    await using sparkled = await Sparkled.open({
      initialized,
      agent: request => {
        if (request.method !== "session/new") return false;
        request.respond({ sessionId: "v2", availableCommands: [] });
        return true;
      },
    });
    const opened = await sparkled.fixture.client.request("session/new", { cwd: sparkled.cwd, mcpServers: [] });
    deepEqual(objectOr(opened).availableCommands, [CHECKPOINT_COMMAND_V2]);
    deepEqual(await sparkled.update("v2", { sessionUpdate: "available_commands_update", availableCommands: [] }), {
      sessionUpdate: "available_commands_update",
      availableCommands: [CHECKPOINT_COMMAND_V2],
    });
    deepEqual([CHECKPOINT_COMMAND_V2.type, CHECKPOINT_COMMAND_V2.input.type], ["command", "text"]);
  });

  test("bounds the memory for unknown sessions", async () => {
    await using sparkled = await Sparkled.open({
      agent: request => {
        if (request.method === "session/new") request.respond({ sessionId: "late" });
        return request.method === "session/new";
      },
    });
    const notify = (sessionId: string) =>
      sparkled.fixture.agent.notify("session/update", {
        sessionId,
        update: { sessionUpdate: "available_commands_update", availableCommands: [plan] },
      });
    for (let i = 0; i < 1_000; i++) notify(`nobody ${i}`);
    notify("late");
    await sparkled.received.times(1_001);
    await sparkled.session();
    equal(sparkled.clock.waiting, 1, "its commands are not known");
  });

  test("forwards invalid command lists", async () => {
    await using sparkled = await Sparkled.open();
    const update = { sessionUpdate: "available_commands_update", availableCommands: "?" };
    deepEqual(await sparkled.update(await sparkled.session(), update), update);
  });

  test("disposes the state and timer of a closed session or an ended chain", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session();
    await sparkled.session();
    equal(sparkled.clock.waiting, 2);
    await sparkled.fixture.client.request("session/close", { sessionId });
    equal(sparkled.clock.waiting, 1); // the other session's timer ends with the chain
    await sparkled.prompt(sessionId, words("/checkpoint"));
    deepEqual(sparkled.last, [words("/checkpoint")]);
  });

  test("removes Sparkle's blocks from replayed chunks", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session(),
      chunk = (text: unknown) => ({
        sessionUpdate: "user_message_chunk",
        messageId: "m",
        content: words(String(text)),
      });
    await sparkled.prompt(sessionId, words("/checkpoint now"));
    const [, embodiment, checkpoint] = sparkled.last.map(block => String(objectOr(block).text));
    deepEqual(
      await sparkled.update(sessionId, chunk(`/checkpoint now\n\n${embodiment}\n\n${checkpoint}`)),
      chunk("/checkpoint now"),
    );
    sparkled.fixture.agent.notify("session/update", { sessionId, update: chunk(embodiment) });
    deepEqual(await sparkled.update(sessionId, chunk("hello")), chunk("hello"));
    equal(sparkled.notifications.length, 2, "a chunk that is a block alone is dropped");
  });

  test("removes Sparkle's blocks from replayed complete messages (v2)", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session(),
      message = (...content: readonly unknown[]) => ({ sessionUpdate: "user_message", messageId: "m", content });
    await sparkled.prompt(sessionId, words("/checkpoint now"));
    const image = { type: "image", data: "" };
    deepEqual(
      await sparkled.update(sessionId, message(...sparkled.last, image)),
      message(words("/checkpoint now"), image),
    );
    for (const update of [message(words("hello")), { sessionUpdate: "user_message", messageId: "m" }])
      deepEqual(await sparkled.update(sessionId, update), update);
  });

  test("removes Sparkle's blocks from an agent's title of the first prompt", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session(),
      title = (text: string) => ({ sessionUpdate: "session_info_update", title: text, updatedAt: "now" });
    deepEqual(
      await sparkled.update(sessionId, title('Fix the lexer <sparkle part="embodiment"> # Spar…')),
      title("Fix the lexer"),
    );
    deepEqual(await sparkled.update(sessionId, title('<sparkle part="embodiment"> # Spar…')), {
      sessionUpdate: "session_info_update",
      updatedAt: "now",
    });
    for (const update of [title("The parser"), { sessionUpdate: "session_info_update", title: null }])
      deepEqual(await sparkled.update(sessionId, update), update);
  });

  test("removes Sparkle's blocks from the titles of a session list", async () => {
    const sessions = [
      { sessionId: "a", title: 'Fix it <sparkle part="embodiment"> #' },
      { sessionId: "b", title: "Other" },
      { sessionId: "c", title: "<sparkle part=…" },
      null,
    ];
    let listed: unknown = { sessions, nextCursor: "n" };
    await using sparkled = await Sparkled.open({
      agent: request => {
        if (request.method === "session/list") request.respond(listed);
        return request.method === "session/list";
      },
    });
    deepEqual(await sparkled.fixture.client.request("session/list", {}), {
      sessions: [{ sessionId: "a", title: "Fix it" }, sessions[1], { sessionId: "c" }, null],
      nextCursor: "n",
    });
    for (listed of [{ sessions: [sessions[1]] }, { sessions: "?" }, {}])
      deepEqual(await sparkled.fixture.client.request("session/list", {}), listed);
  });
});
