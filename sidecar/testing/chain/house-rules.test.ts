import { deepEqual, strictEqual } from "node:assert/strict";
import { Frame } from "../../rpc/frame";
import { houseRules } from "./house-rules";
import { rig } from "./proxy-rig";
import { turn } from "../turn";

suite("house rules proxy", () => {
  test("adds its rule to each prompt, counts tool calls and responds to its own method", async () => {
    const { client, successor } = rig(houseRules("Be brief.").create);
    client.deliver({
      id: 1,
      method: "session/prompt",
      params: { sessionId: "s", prompt: [{ type: "text", text: "Hi" }], _meta: { kept: true } },
    });
    deepEqual(successor.news(), [
      'session/prompt#1 {"sessionId":"s","prompt":[{"type":"text","text":"Be brief."},{"type":"text","text":"Hi"}],"_meta":{"kept":true}}',
    ]);
    const notifications = ["tool_call", "agent_message_chunk", "tool_call"].map(sessionUpdate =>
      Frame.of({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update: { sessionUpdate } } }),
    );
    const answer = Frame.of({ jsonrpc: "2.0", id: 1, result: { stopReason: "end_turn" } });
    for (const frame of [...notifications, answer]) successor.deliver(frame);
    await turn();
    [...notifications, answer].forEach((frame, i) => strictEqual(client.frames[i], frame));
    client.news();
    client.deliver({ id: 2, method: "_house/toolCalls", params: { sessionId: "s" } });
    client.deliver({ id: 3, method: "_house/toolCalls", params: { sessionId: "another" } });
    deepEqual([client.news(), successor.news()], [['#2 = {"count":2}', '#3 = {"count":0}'], []]);
  });
});
