/** Rules of the transport and of JSON-RPC, for agents, proxies and clients. */
import { calls, errorCode, eventsOf, exchanges, idKey, isSuccess, messagesOf, type Exchange } from "../conversation";
import { fail, judgeConversations, judgeEach, notSeen, PASS, type ProgramKind, type Rule, type Verdict } from "../rule";
import type { Conversation } from "../recording";
import { methodSchemas, type Side, type Version } from "../schema";
import { EXTENSION_METHODS } from "../../acp/methods";

/** Section with the same path in both versions. */
export function both(path: string): Readonly<Record<Version, string>> {
  return { 1: `protocol/v1/${path}`, 2: `protocol/v2/${path}` };
}

/** Method that no specification defines. Every implementation must reject the request and ignore the notification. */
export const UNKNOWN_METHOD = EXTENSION_METHODS.conform_unknown;

/** Request that checks whether a program still responds. Its response does not matter. */
export const PROBE_METHOD = EXTENSION_METHODS.conform_probe;

export function wireRules(program: ProgramKind): readonly Rule[] {
  const rule = (id: string, of: Omit<Rule, "id" | "program">): Rule => ({ id: `${program}/${id}`, program, ...of });
  return [
    rule("messages-only", {
      title: "Writes only JSON-RPC messages, one per line",
      section: both("transports#stdio"),
      severity: "must",
      remedy: "Write each message on one line of stdout, and logs to stderr.",
      judgesNegotiation: true,
      judge: ({ version, all }) =>
        judgeEach(
          written(all, version),
          line => {
            if (line.messages.length > 0 || line.text.trim() === "") return undefined;
            return fail(line.problem ?? "The line is not a message.", line.text);
          },
          notSeen("The program wrote nothing."),
        ),
    }),
    rule("jsonrpc", {
      title: "Writes well-formed JSON-RPC 2.0 messages",
      section: both("overview#communication-model"),
      severity: "must",
      remedy: "Set “jsonrpc” to “2.0”. Give a response the “id” of its request, and either “result” or “error”.",
      judgesNegotiation: true,
      judge: ({ version, all }) =>
        judgeEach(
          written(all, version).filter(({ messages }) => messages.length > 0),
          line => (line.problem === undefined ? undefined : fail(line.problem, line.text)),
          notSeen("The program wrote no message."),
        ),
    }),
    rule("responds-once", {
      title: "Sends responses only to open requests, each once and with the id as it was sent",
      section: both("overview#error-handling"),
      severity: "must",
      remedy: "Return the id exactly as it was sent, a number as a number and a text as a text. Respond once.",
      judge: input => judgeConversations(input, unexpectedResponses),
    }),
    rule("request-ids", {
      title: "Does not reuse the id of an open request",
      section: both("overview#communication-model"),
      severity: "must",
      remedy: "Use a new id for each request, such as a counter.",
      judge: input => judgeConversations(input, reusedIds),
    }),
    rule("unknown-method", {
      title: "Rejects a request with an unknown method with -32601",
      section: both("extensibility#custom-requests"),
      severity: "must",
      remedy: "Return the error -32601 (method not found) for a method that you do not know.",
      judge: input =>
        judgeConversations(input, conversation =>
          judgeEach(
            exchanges(conversation, "toProgram", UNKNOWN_METHOD),
            unknownMethod,
            notSeen("No unknown request was sent."),
          ),
        ),
    }),
    rule("unknown-notification", {
      title: "Ignores a notification with an unknown method",
      section: both("extensibility#custom-notifications"),
      severity: "should",
      remedy: "Ignore notifications that you do not know. Do not exit, and do not return an error.",
      judge: input =>
        judgeConversations(input, conversation =>
          judgeEach(
            calls(conversation, "toProgram", UNKNOWN_METHOD).filter(({ message }) => message.kind === "notification"),
            ({ order }) => {
              const next = exchanges(conversation, "toProgram").find(({ request }) => request.order > order);
              if (!next) return notSeen("Nothing was sent after the unknown notification.");
              return next.response
                ? PASS
                : fail("The program did not respond after an unknown notification.", next.request);
            },
            notSeen("No unknown notification was sent."),
          ),
        ),
    }),
  ];
}

/** `side`: component that handles the program's calls. */
export function ownMethodsRule(program: ProgramKind, side: Side): Rule {
  return {
    id: `${program}/own-methods`,
    title: "Calls only methods of the specification, or ones that start with an underscore",
    program,
    section: both("extensibility#extension-methods"),
    severity: "must",
    judge: ({ version, conversations }) =>
      judgeEach(
        conversations.flatMap(conversation => calls(conversation, "fromProgram")),
        call => {
          const { method } = call.message,
            isExtension = method.startsWith("_") || method.startsWith("$/");
          if (isExtension || methodSchemas(version, side, method) !== undefined) return PASS;
          return fail(`The specification does not define "${method}".`, call);
        },
        notSeen("The program called no method."),
      ),
  };
}

function written(all: readonly Conversation[], version: Version) {
  return all
    .filter(conversation => conversation.version === version)
    .flatMap(conversation => eventsOf(conversation, "line"))
    .filter(({ direction }) => direction === "fromProgram");
}

function unexpectedResponses(conversation: Conversation): Verdict {
  const open = new Map<string, number>();
  // The response to an invalid line may be an error whose id is null.
  let malformed = eventsOf(conversation, "line").filter(
    line => line.direction === "toProgram" && line.problem !== undefined,
  ).length;
  malformed += eventsOf(conversation, "line").filter(line => line.direction === "toProgram" && line.isBatch).length;
  let seen = false;
  for (const located of messagesOf(conversation)) {
    const { message, direction } = located;
    if (message.kind === "request" && direction === "toProgram")
      open.set(idKey(message.id), (open.get(idKey(message.id)) ?? 0) + 1);
    if (message.kind !== "response" || direction !== "fromProgram") continue;
    seen = true;
    const waiting = open.get(idKey(message.id)) ?? 0;
    if (waiting > 0) open.set(idKey(message.id), waiting - 1);
    else if (message.id === null && malformed > 0) malformed--;
    else return fail(`No open request has the id ${idKey(message.id)}.`, located);
  }
  return seen ? PASS : notSeen("The program sent no response.");
}

function reusedIds(conversation: Conversation): Verdict {
  const open = new Set<string>();
  let seen = false;
  for (const located of messagesOf(conversation)) {
    const { message, direction } = located;
    if (message.kind === "response" && direction === "toProgram") open.delete(idKey(message.id));
    if (message.kind !== "request" || direction !== "fromProgram") continue;
    seen = true;
    if (open.has(idKey(message.id)))
      return fail(`The request with the id ${idKey(message.id)} is still open.`, located);
    open.add(idKey(message.id));
  }
  return seen ? PASS : notSeen("The program sent no request.");
}

function unknownMethod(exchange: Exchange): Verdict {
  const { response, request } = exchange;
  if (!response) return fail("The program did not respond.", request);
  if (isSuccess(exchange)) return fail("The program returned a result.", response);
  const code = errorCode(exchange);
  return code === -32601 ? PASS : fail(`The error code is ${String(code)}.`, response);
}

/** Fails with the reason for the missing response: the program exited, or the time limit expired. */
export function missingResponse(conversation: Conversation, { request }: Exchange): Verdict {
  const exited = eventsOf(conversation, "exited")[0],
    { method } = request.message;
  const isOpen = eventsOf(conversation, "noResponse").some(({ id }) => idKey(id) === idKey(request.message.id));
  if (isOpen || exited === undefined) return fail(`The program did not respond to ${method}.`, request);
  return fail(`The program exited (${exited.status}) before it responded to ${method}.`, request);
}
