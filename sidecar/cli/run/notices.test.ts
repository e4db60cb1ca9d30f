import { deepEqual } from "node:assert/strict";
import { objectOr } from "../../rpc/json";
import { memoryChannels } from "../../rpc/memory-channel";
import { Peer } from "../../rpc/peer";
import { MemoryAgent } from "../../testing/memory-agent";
import { join } from "../../conductor/chain-entry";
import { withNotices } from "./notices";

/** A client of an agent whose channel has notices. `received`: updates and responses in order. */
function clientOf(notices: readonly string[]) {
  const [theirs, ours] = memoryChannels(),
    agent = new MemoryAgent(),
    pending = [...notices],
    received: unknown[] = [];
  join(
    withNotices(theirs, () => pending.splice(0)),
    agent.channel,
  );
  const peer = new Peer(ours, {
    request: request => request.fail(new Error("no requests")),
    notification: (_method, params) => {
      const { sessionId, update } = objectOr(params),
        { messageId: _, ...rest } = objectOr(update);
      received.push([sessionId, rest]);
    },
    closed: () => undefined,
  });
  const prompt = async (sessionId: string): Promise<void> => {
    const turn = peer.request("session/prompt", { sessionId, prompt: [] });
    (await agent.next("session/prompt")).respond({ stopReason: "end_turn" });
    received.push(await turn);
  };
  return { peer, received, prompt };
}

suite("notices of run", () => {
  const message = (text: string) => ({
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: `Symposium: ${text}\n\n` },
  });
  const notice = (title: string) => ({ sessionUpdate: "notice", severity: "warning", title });
  const end = { stopReason: "end_turn" };

  for (const [name, params, update] of [
    ["a client without capabilities", { protocolVersion: 1 }, message],
    ["a client without the capability", { clientCapabilities: { session: { notices: null } } }, message],
    ["a client of version 1", { clientCapabilities: { session: { notices: {} } } }, notice],
    ["a client of version 2", { protocolVersion: 2, capabilities: { session: { notices: {} } } }, notice],
    ["a client with invalid parameters", [], message],
  ] as const)
    test(`are sent once before the first turn, to ${name}`, async () => {
      const { peer, received, prompt } = clientOf(["One.", "Two."]);
      await peer.request("initialize", params);
      await peer.request("session/new", {});
      deepEqual(received, []);
      await prompt("s1");
      await prompt("s2");
      deepEqual(received, [["s1", update("One.")], ["s1", update("Two.")], end, end]);
    });
});
