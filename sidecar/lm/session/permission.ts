/**
 * Decides how an agent's permission request behind VS Code's chat is answered: one question per action, and no consent
 * that the user did not give. Pure.
 *
 * A proved call of one of VS Code's own tools is allowed at once (`permissions/bridged-calls.ts`), because VS Code
 * itself asks before it runs the tool. For an action of the agent, Symposium calls its own permission tool. VS Code
 * asks the user before it runs this tool, so the tool's `invoke` is the consent (decisions, row 4). A standing approval
 * of such a tool covers one agent and one kind (decisions, row 29).
 *
 * Invariants:
 * - Unless the policy is `allow`, only a proved claim is allowed without asking: once, with an option of the kind
 *   `allow_once`.
 * - A request that refers to VS Code's tools without proof, or to a tool of an unnamed MCP server, uses only
 *   `ASK_EACH_TIME`. No standing approval covers this tool. The same applies to an agent without a group of permission
 *   tools.
 * - An action that carries a command is classified as a command.
 */
import * as l10n from "@vscode/l10n";
import type { PermissionQuestion } from "../../../src/protocol/lm/lm";
import { ASK_EACH_TIME, permissionTool, type PermissionKind } from "../../../src/protocol/lm/permission-tools";
import { PERMISSION_CANCELLED, selected } from "../../agent-session/agent-answers";
import { questionedCall } from "../../permissions/announced-calls";
import type { BridgedClaim } from "../../permissions/bridged-calls";
import { carriesCommand, ownActionIn } from "../../permissions/call-input";
import { ASK_EACH_TIME_META } from "../../proxies/ask-each-time";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { cannotAsk, notAllowed, questionText } from "./permission-text";

export interface PermissionDeps {
  /** The agent's name, for sentences. */
  readonly agent: string;
  /** The agent's group of permission tools; undefined if it has none. */
  readonly group: string | undefined;
  /** Symposium's own permission tools that VS Code offers in this chat (`ToolOffer.permission`). */
  readonly offered: ReadonlySet<string>;
  /** Permission tools that require a call of another tool first (`ToolOffer.grouped`). */
  readonly grouped: ReadonlyMap<string, string>;
  /** Whether the request concerns one of the session's bridged tools (`AnnouncedTools.claim`). */
  readonly claim: BridgedClaim;
  /** The merged announcements of the call (`AnnouncedTools.of`). */
  readonly announced: JsonObject | undefined;
  /** The user's setting for this agent. */
  readonly policy: "ask" | "allow";
  /** Another extension sent the request, so no user can be asked. */
  readonly isForeign: boolean;
}

/** The answers are results of `session/request_permission`. */
export type PermissionVerdict =
  | { readonly kind: "allow"; readonly why: "bridged" | "bypass"; readonly answer: JsonObject }
  /** `sentence`: shown to the user in the chat. */
  | { readonly kind: "reject"; readonly answer: JsonObject; readonly sentence: string }
  /**
   * VS Code offers the permission tool only after a call of `toolName`. After this call, the request is evaluated
   * again.
   */
  | { readonly kind: "uncover"; readonly toolName: string; readonly reject: JsonObject }
  | {
      readonly kind: "ask";
      readonly toolName: string;
      readonly about: PermissionSubject;
      readonly question: PermissionQuestion;
      readonly allow: JsonObject;
      readonly reject: JsonObject;
    };

/** The action that the agent requests. `kind` as in ACP. */
export interface PermissionSubject {
  readonly kind: string;
  readonly title: string;
  readonly rawInput: unknown;
}

/** `params` of `session/request_permission`, of either version of ACP. */
export function questionOf(params: unknown, deps: PermissionDeps): PermissionVerdict {
  const request = objectOr(params),
    call = callIn(request, deps.announced),
    { allow, reject, isPermanent } = answersIn(request.options);
  const kind = kindOf(call),
    { agent, claim, group, offered, grouped } = deps;
  const rejected = (why: string): PermissionVerdict => ({
    kind: "reject",
    answer: reject ?? PERMISSION_CANCELLED,
    sentence: notAllowed(agent, kind, why),
  });
  if (!allow) return rejected(l10n.t("it offered no option to allow it."));
  if (claim.kind === "proved" && !isPermanent) return { kind: "allow", why: "bridged", answer: allow };
  if (deps.isForeign) return rejected(l10n.t("Symposium cannot ask you when another extension uses the agent."));
  if (deps.policy === "allow") return { kind: "allow", why: "bypass", answer: allow };
  const isEachTime =
    claim.kind !== "none" || group === undefined || objectOr(request._meta)[ASK_EACH_TIME_META] === true;
  const own = isEachTime ? ASK_EACH_TIME : permissionTool(group, KINDS_BY_TOOL_KIND.get(kind) ?? "other"),
    candidates = [own, ASK_EACH_TIME];
  const groupTool = offered.has(own)
    ? undefined
    : candidates.map(name => (offered.has(name) ? undefined : grouped.get(name))).find(name => name !== undefined);
  if (groupTool !== undefined) return { kind: "uncover", toolName: groupTool, reject: reject ?? PERMISSION_CANCELLED };
  const toolName = candidates.find(name => offered.has(name));
  if (toolName === undefined)
    return { kind: "reject", answer: reject ?? PERMISSION_CANCELLED, sentence: cannotAsk(agent, kind, call) };
  return {
    kind: "ask",
    toolName,
    allow,
    reject: reject ?? PERMISSION_CANCELLED,
    about: { kind, title: stringOr(call.title, ""), rawInput: call.rawInput },
    question: questionText(agent, kind, call, [
      ...(claim.kind === "none" ? [] : [claim.kind === "unnamed" ? UNNAMED : UNPROVED]),
      ...(isPermanent ? [PERMANENT] : []),
    ]),
  };
}

const UNPROVED = l10n.t(
  "It names a tool of VS Code, but Symposium cannot verify that this is all it will do. VS Code may ask about that tool again.",
);
const UNNAMED = l10n.t(
  "It calls a tool of an MCP server without naming the server, so Symposium cannot verify which tool it is.",
);
const PERMANENT = l10n.t("The agent offers only a permanent permission: it will not ask again.");

/**
 * Parameters of the permission tool's call. `id`: the question's id. Consent depends on `id` alone, and the other
 * fields are for display.
 */
export function parametersOf(id: string, { kind, title, rawInput }: PermissionSubject): JsonObject {
  const isShort = rawInput !== undefined && size(rawInput) <= MAX_INPUT;
  return { id, kind, title: title.slice(0, MAX_TITLE), ...(isShort ? { raw_input: rawInput } : {}) };
}

const MAX_INPUT = 4_000,
  MAX_TITLE = 500;
/** Permission kinds by ACP tool kind. Any other tool kind maps to `other`. */
const KINDS_BY_TOOL_KIND: ReadonlyMap<string, PermissionKind> = new Map([
  ["read", "read"],
  ["search", "read"],
  ["edit", "edit"],
  ["delete", "edit"],
  ["move", "edit"],
  ["execute", "execute"],
  ["fetch", "fetch"],
]);

/** Merges all reports of the call. The permission request has precedence. */
function callIn(params: JsonObject, announced: JsonObject | undefined): JsonObject {
  const { subject, title, description } = params,
    { type, command, cwd } = objectOr(subject);
  const requested = Object.entries(questionedCall(params)).filter(([, value]) => value !== undefined && value !== null);
  const own =
    type === "command" ? { kind: "execute", rawInput: { command, ...(cwd === undefined ? {} : { cwd }) } } : {};
  return {
    ...announced,
    ...Object.fromEntries(requested),
    ...own,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
  };
}

/**
 * The kind that the agent reports, unless the call shows another: a standing approval of another kind must not cover a
 * command or a change.
 */
function kindOf(call: JsonObject): string {
  const reported = stringOr(call.kind, "other"),
    shown = ownActionIn(call);
  if (reported === "execute" || shown === "execute" || carriesCommand(call.rawInput)) return "execute";
  return shown === "edit" && KINDS_BY_TOOL_KIND.get(reported) !== "edit" ? "edit" : reported;
}

interface Answers {
  readonly allow: JsonObject | undefined;
  readonly reject: JsonObject | undefined;
  readonly isPermanent: boolean;
}

/** Selects options by kind, never by position or text. Options that apply once are preferred. */
function answersIn(options: unknown): Answers {
  const valid = arrayOr(options)
    .filter(isObject)
    .flatMap(({ optionId, kind }) => (typeof optionId === "string" ? [{ optionId, kind }] : []));
  const answer = (...kinds: readonly string[]): JsonObject | undefined => {
    const option = kinds.map(kind => valid.find(each => each.kind === kind)).find(each => each !== undefined);
    return option && selected(option.optionId);
  };
  const once = answer("allow_once"),
    allow = once ?? answer("allow_always");
  return { allow, reject: answer("reject_once", "reject_always"), isPermanent: once === undefined };
}

function size(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return Infinity;
  }
}
