/**
 * Proxy on stdio with faults that flags select. Does not use the kit, so that both cannot share a bug. Without flags,
 * forwards all messages.
 *
 *       --hang-initialize            never responds to its initialize
 *       --slow-initialize MS         delays the forwarding of initialize
 *       --die-on-initialize          exits with code 3 on initialize
 *       --die-after-forward          exits with code 3 after forwarding initialize
 *       --answer-without-forwarding  responds to initialize itself
 *       --change-version             responds to initialize with protocolVersion 99
 *       --not-a-proxy                rejects initialize as unknown (-32601)
 *       --old                        supports only the spelling `_proxy/…`
 *       --die-on METHOD              exits with code 3 on METHOD, from either side
 *       --garbage                    writes two lines that are not JSON before each message
 *       --wrong-answer               sends a response without a request, and every response twice
 */
import { Frame } from "../../rpc/frame";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { RpcCode, type Id, type Message } from "../../rpc/message";
import { ndjsonChannel } from "../../rpc/ndjson-channel";

const argv = process.argv.slice(2),
  has = (flag: string): boolean => argv.includes(`--${flag}`);
const valueOf = (flag: string): string | undefined => (has(flag) ? argv[argv.indexOf(`--${flag}`) + 1] : undefined);
const ENVELOPE = has("old") ? "_proxy/successor" : "proxy/successor";
const channel = ndjsonChannel(process.stdin, process.stdout);

/** Forwarded requests by their id on the outgoing connection. */
const forwarded = new Map<Id, { readonly id: Id; readonly method: string }>();
let lastId = 0;

function send(message: Message): void {
  if (has("garbage")) process.stdout.write('this is no JSON\n{"nor":is this\n');
  channel.send(Frame.of(message));
}

function answer(id: Id, outcome: { result: unknown } | { error: { code: number; message: string } }): void {
  const message: Message = { jsonrpc: "2.0", id, ...outcome };
  if (has("wrong-answer")) for (const extra of [{ ...message, id: "unknown request" }, message]) send(extra);
  send(message);
}

function die(why: string): void {
  process.stderr.write(`rogue proxy: this is how it goes\n${why}\n`);
  process.exit(3);
}

/** Forwards from the client to the successor in an envelope, or unwraps a message for the client. */
function pass(method: string, params: unknown, id: Id | undefined, toSuccessor: boolean): void {
  const inner = { method, ...(params === undefined ? {} : { params }) };
  const outer = toSuccessor ? { method: ENVELOPE, params: inner } : inner;
  if (id === undefined) return send({ jsonrpc: "2.0", ...outer });
  forwarded.set(++lastId, { id, method });
  send({ jsonrpc: "2.0", id: lastId, ...outer });
}

function initialize(params: unknown, id: Id): void {
  const forward = (): void => pass("initialize", params, id, true);
  const slow = valueOf("slow-initialize");
  if (has("die-on-initialize")) die("no licence was found");
  else if (has("hang-initialize")) return;
  else if (has("answer-without-forwarding"))
    answer(id, { result: { protocolVersion: objectOr(params).protocolVersion, agentCapabilities: {} } });
  else if (slow !== undefined) setTimeout(forward, Number(slow));
  else {
    forward();
    if (has("die-after-forward")) setImmediate(() => process.stdout.write("", () => die("it was too much")));
  }
}

function received(method: string, params: unknown, id: Id | undefined): void {
  if (method === valueOf("die-on")) return die(`${method} came`);
  const unknown = (): void => {
    if (id !== undefined) answer(id, { error: { code: RpcCode.methodNotFound, message: `${method}?` } });
  };
  switch (method) {
    case "proxy/initialize":
      return has("old") || has("not-a-proxy") || id === undefined ? unknown() : initialize(params, id);
    case "_proxy/initialize":
      return has("not-a-proxy") || id === undefined ? unknown() : initialize(params, id);
    case "proxy/successor":
      return has("old") ? unknown() : unwrapped(objectOr(params), id);
    case "_proxy/successor":
      return unwrapped(objectOr(params), id);
    case "$/cancel_request":
      return cancelled(objectOr(params).requestId);
    default:
      return pass(method, params, id, true);
  }
}

function unwrapped({ method, params }: JsonObject, id: Id | undefined): void {
  if (method === valueOf("die-on")) return die(`${String(method)} came`);
  if (method === "$/cancel_request") cancelled(objectOr(params).requestId);
  else if (typeof method === "string") pass(method, params, id, false);
}

/** Cancels a forwarded request by its id on the outgoing connection. */
function cancelled(requestId: unknown): void {
  for (const [id, request] of forwarded)
    if (request.id === requestId) send({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: id } });
}

function answered(id: Id | null, outcome: { result: unknown } | { error: { code: number; message: string } }): void {
  const request = id === null ? undefined : forwarded.get(id);
  if (!request || id === null || has("die-after-forward")) return; // a response can arrive before the exit
  forwarded.delete(id);
  if (has("change-version") && request.method === "initialize" && "result" in outcome && isObject(outcome.result)) {
    return answer(request.id, { result: { ...outcome.result, protocolVersion: 99 } });
  }
  answer(request.id, outcome);
}

channel.start({
  receive: ({ message }) => {
    if ("method" in message) received(message.method, message.params, "id" in message ? message.id : undefined);
    else answered(message.id, "error" in message ? { error: message.error } : { result: message.result });
  },
  closed: () => process.exit(0),
});
