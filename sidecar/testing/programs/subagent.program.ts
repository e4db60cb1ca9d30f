/** ACP v2 agent on stdio. Each of its turns has a subagent, which requests permission. */
import { ndjsonChannel } from "../../rpc/ndjson-channel";
import { objectOr, stringOr } from "../../rpc/json";
import { methodNotFound, Peer } from "../../rpc/peer";

const SUBAGENT = "subagent-1";
const OPTIONS = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

const text = (value: string): object => ({ type: "text", text: value });
const send = (sessionId: string, update: object): void => peer.notify("session/update", { sessionId, update });

async function turn(sessionId: string): Promise<void> {
  const report = (id: string, value: string): void =>
    send(id, { sessionUpdate: "agent_message_chunk", messageId: `of-${id}`, content: text(value) });
  const call = (fields: object): void => send(SUBAGENT, { sessionUpdate: "tool_call_update", ...fields });
  const associate = (fields: object): void =>
    send(sessionId, { sessionUpdate: "subagent_update", sessionId: SUBAGENT, ...fields });
  send(sessionId, { sessionUpdate: "state_update", state: "running" });
  report(sessionId, "I let a subagent look around.\n");
  associate({ title: "Explore", description: "Looks for the tests of this project", state: { state: "running" } });
  const names = { senderSessionId: sessionId, recipientSessionId: SUBAGENT };
  send(sessionId, { sessionUpdate: "session_message", messageId: "task", ...names });
  for (const chunk of ["Find the tests ", "and count them."])
    send(sessionId, { sessionUpdate: "session_message_chunk", messageId: "task", content: text(chunk) });
  report(SUBAGENT, "I look at the folder first.");
  call({ toolCallId: "read", title: "Read package.json", kind: "read", status: "completed" });
  for (let i = 0; i < 3; i++) send(sessionId, { sessionUpdate: "_odd_metrics", tokens: i });
  associate({ state: { state: "requires_action" } });
  const subject = { type: "command", command: "ls test", cwd: "/", toolCallId: "list" };
  const answer = await peer.request("session/request_permission", {
    sessionId: SUBAGENT,
    title: "List the folder test?",
    subject,
    options: OPTIONS,
  });
  const { outcome, optionId } = objectOr(objectOr(answer).outcome);
  call({ toolCallId: "list", status: optionId === "yes" ? "completed" : "failed" });
  report(SUBAGENT, ` The answer was ${stringOr(optionId, String(outcome))}.`);
  associate({ state: { state: "idle", stopReason: "end_turn" } });
  send(sessionId, { sessionUpdate: "plan_removed", planId: "none" });
  report(sessionId, "The subagent is done.");
  send(sessionId, { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
}

const peer = new Peer(ndjsonChannel(process.stdin, process.stdout), {
  request: request => {
    const { sessionId } = objectOr(request.params);
    switch (request.method) {
      case "initialize":
        return request.respond({
          protocolVersion: 2,
          info: { name: "subagents", version: "1" },
          capabilities: { session: {} },
        });
      case "session/new":
        return request.respond({ sessionId: "parent-1" });
      case "session/close":
        return request.respond({});
      case "session/prompt":
        request.respond({});
        return void turn(stringOr(sessionId, "")).catch((error: unknown) => {
          process.stderr.write(String(error));
        });
      default:
        return request.fail(methodNotFound(request.method));
    }
  },
  notification: () => undefined,
  closed: () => undefined,
});
