import { deepEqual, equal, ok } from "node:assert/strict";
import { NEVER, Fixture } from "../../testing/sessions/chat-fixture";

const FILE = { type: "attachment", attachment: { kind: "file", path: "/w/a" } } as const;
const IMAGE = {
  type: "attachment",
  attachment: { kind: "image", name: "p.png", mimeType: "image/png", data: "AAAA" },
} as const;
const EMBEDDING = { protocolVersion: 1, agentCapabilities: { promptCapabilities: { embeddedContext: true } } };

async function opened(initialized: unknown): Promise<{ readonly fixture: Fixture; readonly id: string }> {
  const fixture = new Fixture();
  fixture.initialized = initialized;
  const id = await fixture.open();
  await fixture.settle();
  return { fixture, id };
}

suite("prompt with attachments", () => {
  test("shows the attachments with the file content and reports an unsupported image", async () => {
    const { fixture, id } = await opened(EMBEDDING);
    await fixture.service.handlers["chat/prompt"](
      { sessionId: id, messageId: "m", blocks: [{ type: "text", text: "hello" }, FILE, IMAGE] },
      NEVER,
    );
    const request = await fixture.agents[0]!.next("session/prompt");
    deepEqual(request.params, {
      sessionId: "s1",
      prompt: [
        { type: "text", text: "hello" },
        { type: "resource", resource: { uri: "file:///w/a", text: "text\nof /w/a" } },
      ],
    });
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(fixture.entries(id)[0], {
      kind: "user",
      id: "m",
      text: "hello",
      attachments: [FILE.attachment, IMAGE.attachment],
    });
    ok(fixture.story(id).includes("notice Ada does not accept images. Not sent: p.png."));
    await fixture[Symbol.asyncDispose]();
  });

  test("is not sent and ends its turn if it is cancelled while its files are read", async () => {
    const { fixture, id } = await opened(EMBEDDING);
    await fixture.service.handlers["chat/prompt"]({ sessionId: id, messageId: "m", blocks: [FILE] }, NEVER);
    await fixture.service.handlers["chat/cancel"]({ sessionId: id }, NEVER);
    await fixture.settle();
    equal(fixture.shown.get(id)?.turn.state, "idle");
    deepEqual(
      fixture.agents[0]!.received.filter(method => method.includes("prompt") || method.includes("cancel")),
      [],
    );
    await fixture[Symbol.asyncDispose]();
  });

  test("ends with a notice if nothing in it can be sent", async () => {
    const { fixture, id } = await opened({ protocolVersion: 1 });
    await fixture.service.handlers["chat/prompt"]({ sessionId: id, messageId: "m", blocks: [IMAGE] }, NEVER);
    await fixture.settle();
    deepEqual(fixture.story(id).slice(1), [
      "notice Ada does not accept images. Not sent: p.png.",
      "notice No part of this prompt could be sent.",
    ]);
    await fixture[Symbol.asyncDispose]();
  });

  test("can be removed from the queue or sent immediately", async () => {
    const { fixture, id } = await opened(EMBEDDING);
    const { handlers } = fixture.service;
    for (const messageId of ["1", "2", "3"]) await fixture.prompt(id, messageId);
    const first = await fixture.agents[0]!.next("session/prompt");
    await handlers["chat/withdraw"]({ sessionId: id, messageId: "2" }, NEVER);
    first.respond({ stopReason: "refusal" });
    await fixture.settle();
    deepEqual(fixture.shown.get(id)?.queue, { prompts: [{ messageId: "3", text: "3" }], held: true });
    await handlers["chat/sendQueued"]({ sessionId: id }, NEVER);
    const last = await fixture.agents[0]!.next("session/prompt");
    deepEqual(last.params, { sessionId: "s1", prompt: [{ type: "text", text: "3" }] });
    last.respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(fixture.shown.get(id)?.queue, { prompts: [], held: false });
    await fixture[Symbol.asyncDispose]();
  });
});
