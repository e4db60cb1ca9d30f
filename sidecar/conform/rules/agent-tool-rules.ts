/** Rules for agents: tool calls, permission requests and other requests to the client. */
import {
  calls,
  clientCapabilities,
  exchanges,
  isSupported,
  openings,
  paramsOf,
  resultOf,
  stringsNamed,
  turns,
  updates,
  type CallMessage,
  type Located,
  type Update,
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
import type { Conversation } from "../recording";
import { methodSchemas, schemaProblem, type Version } from "../schema";
import { arrayOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { judgeTurns } from "./agent-turn-rules";
import { isAbsolutePath, toolCallPaths } from "./paths";
import { both } from "./wire-rules";
import { CLIENT_METHODS, UPDATE_KINDS } from "../../acp/methods";

const FINAL: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);
const NO_TOOL_CALL = "The agent sent no tool call. --prompt gives it work that needs one.";

export const AGENT_TOOL_RULES: readonly Rule[] = [
  {
    id: "agent/tool-announced",
    title: "Sends tool_call before it updates a tool call",
    program: "agent",
    section: { 1: "protocol/v1/tool-calls#creating" },
    severity: "should",
    judge: input =>
      judgeToolCalls(input, (update, before) =>
        update.type === UPDATE_KINDS.tool_call || before.length > 0
          ? PASS
          : fail("The tool call was not sent before.", update),
      ),
  },
  {
    id: "agent/tool-unique",
    title: "Creates a tool call once per id in a session",
    program: "agent",
    section: { 1: "protocol/v1/tool-calls#creating" },
    severity: "must",
    judge: input =>
      judgeToolCalls(input, (update, before) =>
        update.type === UPDATE_KINDS.tool_call && before.some(({ type }) => type === UPDATE_KINDS.tool_call)
          ? fail("The id was used before.", update)
          : PASS,
      ),
  },
  {
    id: "agent/tool-status",
    title: "Does not change the status of a tool call that has ended",
    program: "agent",
    section: both("tool-calls#status"),
    severity: "should",
    judge: input =>
      judgeToolCalls(input, (update, before) => {
        const status = update.update.status,
          last = before.findLast(item => item.update.status !== undefined)?.update.status;
        if (status === undefined || !FINAL.has(last) || status === last) return PASS;
        return fail(`The status was "${String(last)}" before.`, update);
      }),
  },
  {
    id: "agent/tool-settled",
    title: "Completes every tool call before the turn ends",
    program: "agent",
    section: both("tool-calls#status"),
    severity: "should",
    judge: input =>
      judgeTurns(input.conversations, ({ updates: all, end, cancel }) => {
        const toolCalls = all.filter(isToolCall);
        if (!end || cancel || toolCalls.length === 0) return notSeen(NO_TOOL_CALL);
        return judgeEach(
          toolCalls,
          call => {
            const statuses = toolCalls.filter(update => idOf(update) === idOf(call)).map(({ update }) => update.status);
            return statuses.some(status => FINAL.has(status)) ? PASS : fail("The tool call did not end.", call);
          },
          PASS,
        );
      }),
  },
  {
    id: "agent/absolute-paths",
    title: "Uses absolute paths",
    program: "agent",
    section: both("overview#argument-requirements"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        const inUpdates = updates(conversation, "fromProgram")
          .filter(isToolCall)
          .map(call => ({ call, paths: toolCallPaths(call.update) }));
        const inRequests = calls(
          conversation,
          "fromProgram",
          ...CLIENT_FILES,
          CLIENT_METHODS.session_request_permission,
        ).map(call => ({
          call,
          paths: [...ownPaths(paramsOf(call)), ...toolCallPaths(objectOr(paramsOf(call).toolCall))],
        }));
        const named = [...inUpdates, ...inRequests].flatMap(({ call, paths }) => paths.map(path => ({ call, path })));
        return judgeEach(
          named,
          ({ call, path }) => (isAbsolutePath(path) ? PASS : fail(`"${path}" is relative.`, call)),
          notSeen("The agent named no path."),
        );
      }),
  },
  {
    id: "agent/requests-valid",
    title: "Sends valid requests to the client",
    program: "agent",
    section: both("schema"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation =>
        judgeEach(
          calls(conversation, "fromProgram").filter(({ message }) => message.method !== CLIENT_METHODS.session_update),
          call => validCall(input.version, call),
          notSeen("The agent sent no request."),
        ),
      ),
  },
  {
    id: "agent/permission-options",
    title: "Offers options with unique ids when it requests permission",
    program: "agent",
    section: both("tool-calls#permission-options"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation =>
        judgeEach(
          calls(conversation, "fromProgram", CLIENT_METHODS.session_request_permission),
          call => {
            const ids = arrayOr(paramsOf(call).options).map(option => objectOr(option).optionId);
            if (ids.length === 0) return fail("The request has no option.", call);
            return new Set(ids).size === ids.length ? PASS : fail("Two options have the same id.", call);
          },
          notSeen("The agent requested no permission. --prompt gives it work that needs one."),
        ),
      ),
  },
  {
    id: "agent/fs-capability",
    title: "Calls fs methods only if the client supports them",
    program: "agent",
    section: { 1: "protocol/v1/file-system#checking-support" },
    severity: "must",
    judge: input =>
      withoutCapability(
        input,
        method => method.startsWith("fs/"),
        (client, method) => {
          const { readTextFile, writeTextFile } = objectOr(client.fs);
          return isSupported(method === CLIENT_METHODS.fs_read_text_file ? readTextFile : writeTextFile);
        },
      ),
  },
  {
    id: "agent/terminal-capability",
    title: "Calls terminal methods only if the client supports them",
    program: "agent",
    section: { 1: "protocol/v1/terminals#checking-support" },
    severity: "must",
    judge: input =>
      withoutCapability(
        input,
        method => method.startsWith("terminal/"),
        client => isSupported(client.terminal),
      ),
  },
  {
    id: "agent/elicitation-capability",
    title: "Creates elicitations only if the client supports them",
    program: "agent",
    section: both("initialization#elicitation"),
    severity: "must",
    judge: input =>
      withoutCapability(
        input,
        method => method.startsWith("elicitation/"),
        client => isSupported(client.elicitation),
      ),
  },
  {
    id: "agent/boolean-options",
    title: "Offers boolean config options only if the client supports them",
    program: "agent",
    section: { 1: "protocol/v1/session-config-options#boolean-config-options" },
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        const { configOptions } = objectOr(clientCapabilities(conversation).session);
        if (isSupported(objectOr(configOptions).boolean)) return notSeen("Every client supported boolean options.");
        const results = openings(conversation).flatMap(({ exchange }) =>
          exchange.response ? [{ exchange, response: exchange.response }] : [],
        );
        return judgeEach(
          results,
          ({ exchange, response }) =>
            arrayOr(resultOf(exchange).configOptions).some(option => objectOr(option).type === "boolean")
              ? fail("The client does not support boolean options.", response)
              : PASS,
          notSeen("No session was opened."),
        );
      }),
  },
  {
    id: "agent/terminal-released",
    title: "Releases every terminal that it creates",
    program: "agent",
    section: { 1: "protocol/v1/terminals#releasing-terminals" },
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        const released = new Set(
          calls(conversation, "fromProgram", CLIENT_METHODS.terminal_release).map(call => paramsOf(call).terminalId),
        );
        return judgeEach(
          exchanges(conversation, "fromProgram", CLIENT_METHODS.terminal_create),
          exchange => {
            const { terminalId } = resultOf(exchange);
            if (terminalId === undefined || turns(conversation).some(({ cancel }) => cancel))
              return notSeen("No terminal was created.");
            return released.has(terminalId) ? PASS : fail("The terminal was not released.", exchange.request);
          },
          notSeen("The agent created no terminal."),
        );
      }),
  },
  {
    id: "agent/terminal-content",
    title: "Shows only terminals that it created",
    program: "agent",
    section: { 1: "protocol/v1/terminals#embedding-in-tool-calls" },
    severity: "should",
    judge: input =>
      judgeConversations(input, conversation => {
        const created = new Set(
          exchanges(conversation, "fromProgram", CLIENT_METHODS.terminal_create).map(
            exchange => resultOf(exchange).terminalId,
          ),
        );
        const shown = updates(conversation, "fromProgram").flatMap(update =>
          arrayOr(update.update.content)
            .map(objectOr)
            .filter(({ type }) => type === "terminal")
            .map(({ terminalId }) => ({ update, terminalId })),
        );
        return judgeEach(
          shown,
          ({ update, terminalId }) =>
            created.has(terminalId) ? PASS : fail(`The client has no terminal "${stringOr(terminalId, "")}".`, update),
          notSeen("The agent showed no terminal."),
        );
      }),
  },
];

const CLIENT_FILES = [
  CLIENT_METHODS.fs_read_text_file,
  CLIENT_METHODS.fs_write_text_file,
  CLIENT_METHODS.terminal_create,
] as const;
const PATH_NAMES: ReadonlySet<string> = new Set(["path", "cwd"]);

function ownPaths({ path, cwd }: JsonObject): readonly string[] {
  return stringsNamed({ path, cwd }, PATH_NAMES);
}
function isToolCall({ type }: Update): boolean {
  return type === UPDATE_KINDS.tool_call || type === UPDATE_KINDS.tool_call_update;
}
function idOf({ update }: Update): unknown {
  return update.toolCallId;
}

/** Judges each update of a tool call together with the earlier updates of the same session and id. */
function judgeToolCalls(input: RuleInput, judge: (update: Update, before: readonly Update[]) => Verdict): Verdict {
  return judgeConversations(input, conversation => {
    const all = updates(conversation, "fromProgram").filter(isToolCall);
    return judgeEach(
      all,
      update =>
        judge(
          update,
          all.filter(
            otherUpdate =>
              otherUpdate.order < update.order &&
              otherUpdate.sessionId === update.sessionId &&
              idOf(otherUpdate) === idOf(update),
          ),
        ),
      notSeen(NO_TOOL_CALL),
    );
  });
}

function validCall(version: Version, call: Located<CallMessage>): Verdict {
  const definition = methodSchemas(version, "client", call.message.method)?.params;
  if (definition === undefined) return notSeen("The agent sent no request of the specification.");
  const problem = schemaProblem(version, definition, call.message.params);
  return problem === undefined ? PASS : fail(problem, call);
}

/** Fails if the agent calls one of the methods although its client lacks the capability. */
function withoutCapability(
  input: RuleInput,
  isMethod: (method: string) => boolean,
  supports: (client: JsonObject, method: string) => boolean,
): Verdict {
  return judgeConversations(input, (conversation: Conversation) => {
    const client = clientCapabilities(conversation);
    const call = calls(conversation, "fromProgram").find(
      ({ message }) => isMethod(message.method) && !supports(client, message.method),
    );
    if (call) return fail("The client does not support the method.", call);
    const hasTurn = turns(conversation).some(({ end }) => end !== undefined);
    return hasTurn ? PASS : notApplicable("No turn took place.");
  });
}
