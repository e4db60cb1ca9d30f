import { deepEqual, doesNotMatch, equal, throws } from "node:assert/strict";
import { goldenFromTrace, sessionsIn } from "./from-trace";

const hop = { from: "client", to: "agent" },
  back = { from: "agent", to: "client" };
const request = (id: number | string, method: string, params: object, session?: string): object => ({
  type: "request",
  ts: 1,
  protocol: "acp",
  ...hop,
  id,
  method,
  ...(session === undefined ? {} : { session }),
  params,
});
const response = (id: number | string, payload: unknown): object => ({
  type: "response",
  ts: 2,
  ...back,
  id,
  is_error: false,
  payload,
});
const traceOf = (...events: readonly object[]): string => events.map(event => `${JSON.stringify(event)}\n`).join("");

const [ONE, TWO] = ["0b2a9a4e-6f0c-4a8e-9f0e-000000000001", "sess_01HZX2"];
const TWO_SESSIONS = traceOf(
  request(1, "initialize", { protocolVersion: 1 }),
  response(1, { protocolVersion: 1 }),
  request(2, "session/new", { cwd: "/home/ada/project" }),
  response(2, { sessionId: ONE }),
  request(3, "session/new", { cwd: "/home/ada/other" }),
  response(3, { sessionId: TWO }),
  request(4, "session/prompt", { sessionId: TWO, prompt: [{ type: "text", text: "in /home/ada/other" }] }, TWO),
  request(5, "session/prompt", { sessionId: ONE, prompt: [{ type: "text", text: "see /home/ada/notes" }] }, ONE),
  { type: "notification", ts: 3, protocol: "acp", ...hop, method: "$/cancel_request", params: { requestId: 4 } },
  response(5, { stopReason: "end_turn", at: "2026-11-22T09:51:03.000Z" }),
  response(4, { stopReason: "cancelled" }),
);

suite("golden transcript from a trace", () => {
  test("lists the sessions of a trace", () => deepEqual(sessionsIn(TWO_SESSIONS), [ONE, TWO]));

  test("keeps one session with its setup, and names ids, folders and times", () => {
    deepEqual(goldenFromTrace(TWO_SESSIONS, { title: "one", session: ONE }), [
      "# one",
      'client → agent  initialize#1 {"protocolVersion":1}',
      'agent → client  #1 = {"protocolVersion":1}',
      'client → agent  session/new#2 {"cwd":"/project"}',
      'agent → client  #2 = {"sessionId":"session-1"}',
      'client → agent  session/prompt#5 {"sessionId":"session-1","prompt":[{"type":"text","text":"see ~/notes"}]}',
      'agent → client  #5 = {"stopReason":"end_turn","at":"TIME"}',
    ]);
  });

  test("keeps the cancellation of a kept request only", () => {
    const lines = goldenFromTrace(TWO_SESSIONS, { title: "two", session: TWO });
    equal(lines.filter(line => line.includes("$/cancel_request")).length, 1);
    equal(
      lines.some(line => line.includes("/project-2")),
      true,
    );
    doesNotMatch(lines.join("\n"), /#5|sess_/);
  });

  test("replaces an id also in texts and joins the hops of a forwarded message", () => {
    const text = { text: `resume ${TWO}` };
    const lines = goldenFromTrace(
      traceOf(
        { ...request("r-1", "session/resume", { sessionId: TWO, ...text }, TWO), to: "1 Extra" },
        { ...request("r-1", "session/resume", { sessionId: TWO, ...text }, TWO), from: "1 Extra" },
      ),
      { title: "hops" },
    );
    deepEqual(lines, [
      "# hops",
      'client → 1 Extra → agent  session/resume#request-1 {"sessionId":"session-1","text":"resume session-1"}',
    ]);
  });

  test("redacts secrets that the trace still contains", () => {
    const [, line] = goldenFromTrace(
      traceOf(request(1, "session/new", { cwd: "/w", mcpServers: [{ env: [{ name: "KEY", value: "hunter2" }] }] })),
      { title: "secrets" },
    );
    doesNotMatch(line ?? "", /hunter2/);
  });

  test("reports lost messages, invalid lines and unknown sessions", () => {
    deepEqual(goldenFromTrace('{"type":"dropped","ts":1,"count":7}\n', { title: "lost" }), [
      "# lost",
      "trace → trace  7 messages are missing",
    ]);
    throws(() => goldenFromTrace(`${TWO_SESSIONS}{"type":"request"}\n`, { title: "" }), /Line 12 is no event/);
    throws(() => goldenFromTrace("half a li", { title: "" }), /Line 1 is no event/);
    throws(() => goldenFromTrace(TWO_SESSIONS, { title: "", session: "none" }), /no session none/);
  });
});
