import { deepEqual, equal } from "node:assert/strict";
import { PassThrough, Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";
import { serveEliza } from "../../eliza/agent";
import { ndjsonChannel } from "../../rpc/ndjson-channel";

suite("Eliza with the ACP SDK's client", () => {
  test("is cancelled in the middle of an answer", async () => {
    const toAgent = new PassThrough(),
      toClient = new PassThrough();
    await using eliza = serveEliza(ndjsonChannel(toAgent, toClient), { deterministic: true });
    const connection = client({ name: "independent" })
      .onNotification(methods.client.session.update, ({ params: { sessionId }, agent }) =>
        agent.notify(methods.agent.session.cancel, { sessionId }),
      )
      .connect(ndJsonStream(Writable.toWeb(toAgent), Readable.toWeb(toClient)));
    const { agent } = connection;
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] });
    const text = "x ".repeat(300); // Eliza quotes it: long enough for the cancellation to arrive
    deepEqual(await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }), {
      stopReason: "cancelled",
    });
    connection.close();
    toAgent.end();
    await eliza.closed;
  });

  test("initializes, opens a session, streams, rejects and closes", async () => {
    const toAgent = new PassThrough(),
      toClient = new PassThrough();
    await using eliza = serveEliza(ndjsonChannel(toAgent, toClient), { deterministic: true });
    const messages: unknown[] = [];
    const connection = client({ name: "independent" })
      .onNotification(methods.client.session.update, ({ params }) => {
        messages.push(params.update);
      })
      .connect(ndJsonStream(Writable.toWeb(toAgent), Readable.toWeb(toClient)));
    const { agent } = connection;
    const { protocolVersion, agentInfo, agentCapabilities } = await agent.request(methods.agent.initialize, {
      protocolVersion: 1,
    });
    deepEqual(
      [protocolVersion, agentInfo?.name, agentCapabilities?.mcpCapabilities],
      [1, "elizacp", { http: true, sse: false }],
    );
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] });
    const { stopReason } = await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: "I love ferris" }],
    });
    equal(stopReason, "end_turn");
    equal(
      messages.map(update => Object(update).content.text).join(""),
      "Ferris believes in you, even when the compiler doesn't.",
    );
    await agent.request(methods.agent.session.close, { sessionId });
    const refusal = await agent.request(methods.agent.session.prompt, { sessionId, prompt: [] }).then(
      () => undefined,
      (error: unknown) => error,
    );
    deepEqual(refusal instanceof RequestError ? [refusal.code, refusal.data] : refusal, [-32002, { sessionId }]);
    connection.close();
    toAgent.end();
    await eliza.closed;
  });
});
