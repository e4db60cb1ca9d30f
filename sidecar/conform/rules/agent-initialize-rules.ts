/** Rules for agents: initialization, authentication, opening sessions, malformed input, exit. */
import {
  errorCode,
  eventsOf,
  exchanges,
  idKey,
  initializeOf,
  isSuccess,
  negotiated,
  openings,
  paramsOf,
  resultOf,
  type Exchange,
} from "../conversation";
import {
  fail,
  judgeConversations,
  judgeEach,
  notApplicable,
  notSeen,
  PASS,
  type Rule,
  type RuleInput,
  type Verdict,
} from "../rule";
import type { Conversation, RecordedLine } from "../recording";
import { schemaProblem, VERSIONS, type Version } from "../schema";
import { arrayOr, isObject, objectOr } from "../../rpc/json";
import { isAbsolutePath } from "./paths";
import { both, missingResponse, PROBE_METHOD } from "./wire-rules";
import { AGENT_METHODS } from "../../acp/methods";

export const AUTH_REQUIRED = -32000;
const UNSUPPORTED_VERSION = -32022;
/** `protocolVersion` values that no agent supports. */
export const TOO_OLD = 0,
  TOO_NEW = 65_535;
export const UNKNOWN_SESSION = "symposium-conform-no-such-session";

export const AGENT_INITIALIZE_RULES: readonly Rule[] = [
  {
    id: "agent/initialize",
    title: "Responds to initialize with a valid result",
    program: "agent",
    section: both("initialization"),
    severity: "must",
    judgesNegotiation: true,
    judge: ({ version, all }) =>
      judgeEach(
        all.filter(({ requested }) => requested === version),
        conversation => {
          const exchange = initializeOf(conversation, "toProgram");
          if (!exchange) return notSeen("initialize was not sent.");
          if (!exchange.response) return missingResponse(conversation, exchange);
          const agreed = negotiated(conversation, "toProgram"),
            isUnsupported = errorCode(exchange) === UNSUPPORTED_VERSION;
          if (isUnsupported || VERSIONS.some(item => item !== version && item === agreed)) {
            return notApplicable(`The agent does not support version ${version}.`);
          }
          if (!isSuccess(exchange)) return fail("The agent returned an error.", exchange.response);
          const unknown = agreed === undefined || agreed === version ? undefined : `Version ${agreed} does not exist.`;
          const problem = unknown ?? schemaProblem(version, "InitializeResponse", exchange.response.message.result);
          return problem === undefined ? PASS : fail(problem, exchange.response);
        },
        notSeen("initialize was not sent."),
      ),
  },
  {
    id: "agent/version-supported",
    title: "Responds with the requested protocol version if it supports it",
    program: "agent",
    section: both("initialization#version-negotiation"),
    severity: "must",
    judgesNegotiation: true,
    judge: ({ version, all }) => {
      if (!supported(all).has(version)) return notApplicable(`The agent does not support version ${version}.`);
      return judgeEach(
        all.filter(({ requested }) => requested === version),
        conversation => {
          const exchange = initializeOf(conversation, "toProgram"),
            agreed = negotiated(conversation, "toProgram");
          if (agreed === undefined || agreed === version) return undefined;
          return fail(`The agent responded with version ${agreed}.`, exchange?.response);
        },
        notSeen("initialize was not sent."),
      );
    },
  },
  {
    id: "agent/version-newer",
    title: "Responds with its latest version if the client requests a newer one",
    program: "agent",
    section: { 1: both("initialization#version-negotiation")[1] },
    severity: "must",
    judgesNegotiation: true,
    judge: input =>
      otherVersion(input, TOO_NEW, agreed => {
        const latest = Math.max(...supported(input.all.filter(({ requested }) => requested !== TOO_NEW)));
        return agreed < TOO_NEW && agreed >= latest ? undefined : `The agent responded with version ${agreed}.`;
      }),
  },
  {
    id: "agent/version-older",
    title: "Responds with a version that it supports if the client requests an older one",
    program: "agent",
    section: { 1: both("initialization#version-negotiation")[1] },
    severity: "must",
    judgesNegotiation: true,
    judge: input =>
      otherVersion(input, TOO_OLD, agreed =>
        supported(input.all).has(agreed)
          ? undefined
          : `The agent responded with version ${agreed}, which it does not support otherwise.`,
      ),
  },
  {
    id: "agent/info",
    title: "Provides its name and version",
    program: "agent",
    section: { 1: both("initialization#implementation-information")[1] },
    severity: "should",
    judge: input =>
      judgeConversations(input, conversation => {
        const exchange = initializeOf(conversation, "toProgram");
        if (!exchange) return notSeen("initialize was not sent.");
        const { name, version } = objectOr(resultOf(exchange).agentInfo);
        const isGiven = [name, version].every(text => typeof text === "string" && text !== "");
        return isGiven ? PASS : fail(`"agentInfo" has no name and version.`, exchange.response);
      }),
  },
  {
    id: "agent/auth-methods",
    title: "Advertises authentication methods if it requires authentication",
    program: "agent",
    section: both("authentication#advertising-authentication"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        const refused = exchanges(conversation, "toProgram").find(exchange => errorCode(exchange) === AUTH_REQUIRED);
        const initialize = initializeOf(conversation, "toProgram");
        if (!refused || !initialize) return notSeen("The agent did not require authentication.");
        if (arrayOr(resultOf(initialize).authMethods).length > 0) return PASS;
        return fail(`The agent requires authentication, but "authMethods" is empty.`, initialize.response);
      }),
  },
  {
    id: "agent/authenticate",
    title: "Accepts an advertised authentication method",
    program: "agent",
    section: {
      1: "protocol/v1/authentication#protocol-driven-authentication",
      2: "protocol/v2/authentication#agent-handled-authentication",
    },
    severity: "must",
    judge: input =>
      judgeExchanges(
        input,
        [AGENT_METHODS.authenticate, AGENT_METHODS.auth_login],
        (exchange, conversation) => successful(conversation, exchange),
        "Authentication was not tried (--auth).",
      ),
  },
  {
    id: "agent/session-new",
    title: "Opens a session with an absolute working directory",
    program: "agent",
    section: both("session-setup#creating-a-session"),
    severity: "must",
    judge: input =>
      judgeExchanges(
        input,
        [AGENT_METHODS.session_new],
        (exchange, conversation) => {
          if (!isPlainOpening(exchange)) return notSeen("No plain session was opened.");
          return validResult(input.version, "NewSessionResponse", conversation, exchange);
        },
        "session/new was not sent.",
      ),
  },
  {
    id: "agent/meta",
    title: "Accepts _meta in a request",
    program: "agent",
    section: both("extensibility#the-_meta-field"),
    severity: "must",
    judge: input =>
      judgeExchanges(
        input,
        [AGENT_METHODS.session_new],
        (exchange, conversation) => {
          if (paramsOf(exchange.request)._meta === undefined) return notSeen("No request had _meta.");
          const plain = exchanges(conversation, "toProgram", AGENT_METHODS.session_new).find(isPlainOpening);
          if (plain && !isSuccess(plain)) return notSeen("The agent opens no session.");
          return successful(conversation, exchange);
        },
        "No request had _meta.",
      ),
  },
  {
    id: "agent/session-unique",
    title: "Gives each session a unique id",
    program: "agent",
    section: both("session-setup#session-id"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        const opened = openings(conversation).filter(
          ({ sessionId, exchange: { request } }) =>
            sessionId !== undefined &&
            (request.message.method === AGENT_METHODS.session_new ||
              request.message.method === AGENT_METHODS.session_fork),
        );
        const repeated = opened.find(
          ({ sessionId }, i) => opened.findIndex(opening => opening.sessionId === sessionId) < i,
        );
        if (repeated) return fail("The session id was used before.", repeated.exchange.response);
        return opened.length < 2 ? notSeen("Fewer than two sessions were opened.") : PASS;
      }),
  },
  {
    id: "agent/relative-cwd",
    title: "Rejects a relative working directory",
    program: "agent",
    section: both("session-setup#working-directory"),
    severity: "should",
    judge: input =>
      judgeExchanges(
        input,
        [AGENT_METHODS.session_new],
        ({ request, response }) => {
          const { cwd } = paramsOf(request);
          if (typeof cwd !== "string" || isAbsolutePath(cwd)) return notSeen("No relative directory was sent.");
          if (!response) return notSeen("The agent did not respond.");
          return "error" in response.message ? PASS : fail(`The agent opened a session in "${cwd}".`, response);
        },
        "No relative directory was sent.",
      ),
  },
  {
    id: "agent/unknown-session",
    title: "Rejects a prompt for a session that does not exist",
    program: "agent",
    section: both("session-setup#session-id"),
    severity: "should",
    judge: input =>
      judgeExchanges(
        input,
        [AGENT_METHODS.session_prompt],
        (exchange, conversation) => {
          if (paramsOf(exchange.request).sessionId !== UNKNOWN_SESSION)
            return notSeen("Only known sessions were prompted.");
          if (!exchange.response) return missingResponse(conversation, exchange);
          return isSuccess(exchange) ? fail("The agent accepted the prompt.", exchange.response) : PASS;
        },
        "session/prompt was not sent.",
      ),
  },
  {
    id: "agent/malformed-json",
    title: "Survives a line that is not JSON, and responds with -32700 or not at all",
    program: "agent",
    section: both("transports#stdio"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        const garbage = sent(conversation).find(({ messages, isBatch }) => messages.length === 0 && !isBatch);
        return garbage ? afterMalformed(conversation, garbage, [-32700]) : notSeen("No malformed line was sent.");
      }),
  },
  {
    id: "agent/batch",
    title: "Answers a batch, or rejects it with -32600, and keeps responding",
    program: "agent",
    section: { 1: "protocol/v1/overview#communication-model", 2: "protocol/v2/transports#json-rpc-batch-messages" },
    severity: "should",
    judge: input =>
      judgeConversations(input, conversation => {
        const batch = sent(conversation).find(({ isBatch }) => isBatch);
        return batch ? afterMalformed(conversation, batch, [-32600, -32700]) : notSeen("No batch was sent.");
      }),
  },
  {
    id: "agent/exit",
    title: "Exits after its stdin closes",
    program: "agent",
    section: both("transports#stdio"),
    severity: "should",
    judge: input => judgeConversations(input, exits),
  },
];

export function exits(conversation: Conversation): Verdict {
  const [running] = eventsOf(conversation, "stillRunning");
  if (running) return fail(`The program was still running ${running.afterMs} ms after its stdin closed.`);
  const [flood] = eventsOf(conversation, "tooMuchOutput");
  if (flood) return fail(`The kit stopped the program, because it wrote more than ${flood.bytes} bytes.`);
  return eventsOf(conversation, "inputClosed").length === 0 ? notSeen("The program exited before.") : PASS;
}

function sent(conversation: Conversation): readonly RecordedLine[] {
  return eventsOf(conversation, "line").filter(
    ({ direction, problem, isBatch }) => direction === "toProgram" && (problem !== undefined || isBatch),
  );
}

/** Passes if the program responds to the probe after the line, and errors without an id have one of these codes. */
function afterMalformed(conversation: Conversation, line: RecordedLine, codes: readonly number[]): Verdict {
  const lines = eventsOf(conversation, "line"),
    after = lines.slice(lines.indexOf(line) + 1);
  const untilNext = after.slice(0, nextGarbage(after));
  for (const { messages, text } of untilNext)
    for (const message of messages) {
      if (message.kind !== "response" || message.id !== null) continue;
      const { code } = objectOr(message.error);
      if (!codes.some(known => known === code)) return fail(`The error code is ${idKey(code)}.`, text);
    }
  const probe = exchanges(conversation, "toProgram", PROBE_METHOD).find(({ request }) =>
    untilNext.some(({ messages }) => messages.some(({ raw }) => raw === request.message.raw)),
  );
  if (!probe) return notSeen("The program exited before.");
  return probe.response ? PASS : fail("The program stopped responding.", line.text);
}

function nextGarbage(lines: readonly RecordedLine[]): number | undefined {
  const at = lines.findIndex(
    ({ direction, problem, isBatch }) => direction === "toProgram" && (problem !== undefined || isBatch),
  );
  return at === -1 ? undefined : at;
}

/** Versions that the agent has agreed on in any conversation. */
function supported(all: readonly Conversation[]): ReadonlySet<number> {
  const versions = all
    .filter(({ requested }) => requested !== TOO_OLD)
    .flatMap(conversation => negotiated(conversation, "toProgram") ?? []);
  return new Set(versions.filter(version => VERSIONS.some(known => known === version)));
}

function otherVersion({ all }: RuleInput, requested: number, judge: (agreed: number) => string | undefined): Verdict {
  return judgeEach(
    all.filter(conversation => conversation.requested === requested),
    conversation => {
      const exchange = initializeOf(conversation, "toProgram");
      if (!exchange) return notSeen("initialize was not sent.");
      if (!exchange.response) return missingResponse(conversation, exchange);
      const { protocolVersion } = resultOf(exchange);
      // Version 2 of the schema defines this error for agents that support later versions only.
      if (requested === TOO_OLD && errorCode(exchange) === UNSUPPORTED_VERSION) return PASS;
      if (!isSuccess(exchange) || typeof protocolVersion !== "number")
        return fail("The agent returned no version.", exchange.response);
      const why = judge(protocolVersion);
      return why === undefined ? PASS : fail(why, exchange.response);
    },
    notSeen(`Version ${requested} was not requested.`),
  );
}

function isPlainOpening({ request }: Exchange): boolean {
  const { cwd, _meta } = paramsOf(request);
  return _meta === undefined && typeof cwd === "string" && isAbsolutePath(cwd);
}

/** Judges every exchange of the given methods. */
export function judgeExchanges(
  input: RuleInput,
  methods: readonly string[],
  judge: (exchange: Exchange, conversation: Conversation) => Verdict,
  none: string,
): Verdict {
  const all = input.conversations.flatMap(conversation =>
    exchanges(conversation, "toProgram", ...methods).map(exchange => ({ exchange, conversation })),
  );
  return judgeEach(all, ({ exchange, conversation }) => judge(exchange, conversation), notSeen(none));
}

/** Passes if the request succeeded. Required authentication is not a failure. */
export function successful(conversation: Conversation, exchange: Exchange): Verdict {
  if (!exchange.response) return missingResponse(conversation, exchange);
  if (errorCode(exchange) === AUTH_REQUIRED) return notSeen("The agent requires authentication (--auth).");
  return isSuccess(exchange) ? PASS : fail("The agent returned an error.", exchange.response);
}

/** Passes if the request succeeded with a result that matches the definition. */
export function validResult(
  version: Version,
  definition: string,
  conversation: Conversation,
  exchange: Exchange,
): Verdict {
  const verdict = successful(conversation, exchange);
  if (verdict.kind !== "pass" || !exchange.response) return verdict;
  const { result } = exchange.response.message,
    problem = schemaProblem(version, definition, isObject(result) ? result : (result ?? {}));
  return problem === undefined ? PASS : fail(problem, exchange.response);
}
