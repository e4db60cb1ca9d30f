import { deepEqual, equal, ok } from "node:assert/strict";
import { NEVER, World } from "../testing/chat-world";

const FILE = { type: "attachment", attachment: { kind: "file", path: "/w/a" } } as const;
const IMAGE = {
  type: "attachment",
  attachment: { kind: "image", name: "p.png", mimeType: "image/png", data: "AAAA" },
} as const;
const ABLE = { protocolVersion: 1, agentCapabilities: { promptCapabilities: { embeddedContext: true } } };

async function opened(initialized: unknown): Promise<{ readonly world: World; readonly id: string }> {
  const world = new World();
  world.initialized = initialized;
  const id = await world.open();
  await world.settle();
  return { world, id };
}

suite("a prompt with attachments", () => {
  test("is in the conversation with them, and has what the user sees of a file; an image that is not taken is said", async () => {
    const { world, id } = await opened(ABLE);
    await world.service.handlers["chat/prompt"](
      { sessionId: id, messageId: "m", blocks: [{ type: "text", text: "hello" }, FILE, IMAGE] },
      NEVER,
    );
    const request = await world.agents[0]!.next("session/prompt");
    deepEqual(request.params, {
      sessionId: "s1",
      prompt: [
        { type: "text", text: "hello" },
        { type: "resource", resource: { uri: "file:///w/a", text: "text\nof /w/a" } },
      ],
    });
    request.respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual(world.entries(id)[0], {
      kind: "user",
      id: "m",
      text: "hello",
      attachments: [FILE.attachment, IMAGE.attachment],
    });
    ok(world.story(id).includes("notice Ada takes no images: p.png was not sent."));
    await world[Symbol.asyncDispose]();
  });

  test("that was stopped while its files were read is not sent, and its turn is over", async () => {
    const { world, id } = await opened(ABLE);
    await world.service.handlers["chat/prompt"]({ sessionId: id, messageId: "m", blocks: [FILE] }, NEVER);
    await world.service.handlers["chat/cancel"]({ sessionId: id }, NEVER);
    await world.settle();
    equal(world.shown.get(id)?.turn.state, "idle");
    deepEqual(
      world.agents[0]!.heard.filter(method => method.includes("prompt") || method.includes("cancel")),
      [],
    );
    await world[Symbol.asyncDispose]();
  });

  test("of which nothing can be sent ends in a sentence", async () => {
    const { world, id } = await opened({ protocolVersion: 1 });
    await world.service.handlers["chat/prompt"]({ sessionId: id, messageId: "m", blocks: [IMAGE] }, NEVER);
    await world.settle();
    deepEqual(world.story(id).slice(1), [
      "notice Ada takes no images: p.png was not sent.",
      "notice Nothing of this prompt could be sent.",
    ]);
    await world[Symbol.asyncDispose]();
  });

  test("that waits in the queue can be withdrawn, and goes out when the user says so", async () => {
    const { world, id } = await opened(ABLE);
    const { handlers } = world.service;
    for (const messageId of ["1", "2", "3"]) await world.prompt(id, messageId);
    const first = await world.agents[0]!.next("session/prompt");
    await handlers["chat/withdraw"]({ sessionId: id, messageId: "2" }, NEVER);
    first.respond({ stopReason: "refusal" });
    await world.settle();
    deepEqual(world.shown.get(id)?.queue, { prompts: [{ messageId: "3", text: "3" }], held: true });
    await handlers["chat/sendQueued"]({ sessionId: id }, NEVER);
    const last = await world.agents[0]!.next("session/prompt");
    deepEqual(last.params, { sessionId: "s1", prompt: [{ type: "text", text: "3" }] });
    last.respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual(world.shown.get(id)?.queue, { prompts: [], held: false });
    await world[Symbol.asyncDispose]();
  });
});
