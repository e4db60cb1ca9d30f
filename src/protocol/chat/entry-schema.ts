/**
 * Entries of a conversation; see `chat.ts`. Agents choose the length of their texts, names and ids. The page returns
 * content that it showed, so the limits must not be lower than the size of that content.
 */
import * as v from "valibot";
import { attachments } from "./attachment-schema";
import { elicitation, subagentName, type SubagentName } from "./question-schema";
import { count, filled, finite, fitting, list, text, type Infer, type Schema } from "../wire/schema";

const MIB = 1024 * 1024;
const long = text(4 * MIB);
const id = filled(4 * MIB);
/** Maximum number of entries of a conversation or subagent that the page returns. */
export const MAX_ENTRIES = 10_000;
/** Maximum nesting of subagents in a tab, equal to the sidecar's limit. */
const MAX_NESTED = 8;

/** A link to a resource, or an embedded resource with its text, or with its size if it is binary. */
const resource = v.object({
  kind: v.literal("resource"),
  uri: long,
  name: v.exactOptional(long),
  description: v.exactOptional(long),
  mimeType: v.exactOptional(long),
  text: v.exactOptional(long),
  bytes: v.exactOptional(finite),
});
export type Resource = Infer<typeof resource>;

const toolContent = v.variant("kind", [
  v.object({ kind: v.literal("text"), text: long }),
  /** Texts of a file or of an excerpt. `line`: number of their first line in the file, found by Symposium. */
  v.object({
    kind: v.literal("diff"),
    path: long,
    oldText: v.exactOptional(long),
    newText: long,
    line: v.exactOptional(count),
  }),
  v.object({ kind: v.literal("terminal"), terminalId: long, output: v.exactOptional(long) }),
  v.object({ kind: v.literal("image"), mimeType: long, data: text(16 * MIB) }),
  /** The page does not play audio: it shows the type and size. */
  v.object({ kind: v.literal("audio"), mimeType: long, bytes: finite }),
  resource,
  /** Content of an unknown kind. */
  v.object({ kind: v.literal("other"), what: long, json: long }),
]);
/** Content of an agent, in a tool call or between texts. `text` is Markdown; `data` is base64. */
export type ToolContent = Infer<typeof toolContent>;

const toolStatus = v.picklist(["pending", "in_progress", "completed", "failed", "cancelled"]);
export type ToolStatus = Infer<typeof toolStatus>;

const toolLocation = v.object({ path: long, line: v.exactOptional(count) });
export type ToolLocation = Infer<typeof toolLocation>;

const toolCall = v.object({
  kind: v.literal("tool"),
  id,
  /** The agent's id. Not unique, because some agents reuse ids in later turns. */
  toolCallId: long,
  title: long,
  /** ACP tool kind: `read`, `edit`, `execute`… An agent's own kinds are passed on. */
  toolKind: long,
  status: toolStatus,
  content: list(toolContent, 1_000),
  locations: list(toolLocation, 1_000),
  /** Pretty-printed JSON (or the text itself if it is a string), cut to `TOOL_JSON_LIMIT` characters. */
  input: v.exactOptional(long),
  output: v.exactOptional(long),
  /** Duration in milliseconds without the wait for a permission; absent for a short call. */
  ms: v.exactOptional(v.pipe(v.number(), v.minValue(0))),
});
export type ToolCall = Infer<typeof toolCall>;

const optionKind = v.picklist(["allow_once", "allow_always", "reject_once", "reject_always"]);
export type PermissionOptionKind = Infer<typeof optionKind>;

const permissionOption = v.object({ optionId: long, name: long, kind: optionKind });
export type PermissionOption = Infer<typeof permissionOption>;

const permissionAnswered = v.variant("kind", [
  v.object({
    kind: v.literal("selected"),
    optionId: long,
    name: long,
    optionKind,
    by: v.picklist(["user", "bypass"]),
  }),
  /**
   * Without a choice: the turn was cancelled, the tab closed, or the agent withdrew the request or exited. `why` is a
   * sentence.
   */
  v.object({ kind: v.literal("cancelled"), why: long }),
]);
/**
 * Answer to a permission request. `by: "bypass"`: allowed by the setting `bypassPermissions` or by the bypass of the
 * session.
 */
export type PermissionAnswered = Infer<typeof permissionAnswered>;

const permission = v.object({
  kind: v.literal("permission"),
  id,
  /** The agent's name as configured by the user. */
  agent: long,
  /** Entry id of the tool call in question. */
  toolEntryId: long,
  title: long,
  toolKind: long,
  /** The parameters, as in `ToolCall.input`, and content of the question, such as a diff. */
  input: v.exactOptional(long),
  content: list(toolContent, 1_000),
  options: list(permissionOption, 100),
  /** Symposium asks about the agent's request to Symposium itself. The agent's bypass setting does not apply. */
  isOurs: v.exactOptional(v.literal(true)),
  /** The subagent that asks; absent if the agent itself asks. */
  subagent: v.exactOptional(subagentName),
  answered: v.exactOptional(permissionAnswered),
});
export type Permission = Infer<typeof permission>;

/**
 * Buttons of a notice. The page handles four of them: `sendAgain` submits the last prompt again, `sendTranscript`
 * attaches the conversation to the next prompt, `takeOver` opens the conversation of another window here, and
 * `openOrigin` opens the session of which this one is a branch. The host handles the others.
 */
export const actionId = v.picklist([
  "sendAgain",
  "sendTranscript",
  "takeOver",
  "openOrigin",
  "showLogs",
  "restartAgent",
  "restartSidecar",
  "selectAgent",
  "manageTrust",
  "openSettings",
  "addToConfiguration",
]);
export type ActionId = Infer<typeof actionId>;

const notice = v.object({
  kind: v.literal("notice"),
  id,
  severity: v.picklist(["info", "warning", "error"]),
  text: long,
  /** The agent's name, if the text comes from the agent. */
  from: v.exactOptional(long),
  detail: v.exactOptional(long),
  actions: list(actionId, 10),
  /** The notice is about waiting: for the start of the agent, its next update, or the end of the turn. */
  until: v.exactOptional(v.picklist(["start", "update", "turn"])),
  /** The wait has ended, and the notice is no longer shown. */
  isOver: v.exactOptional(v.literal(true)),
});
/** A message of Symposium (error, restart, note), or of the agent if `from` is set. */
export type Notice = Infer<typeof notice>;

const planStep = v.object({ content: long, priority: long, status: long });
export type PlanStep = Infer<typeof planStep>;

const compaction = v.object({
  kind: v.literal("compaction"),
  id,
  compactionId: long,
  /** `in_progress`, `completed`, `failed`, `cancelled`, or a value of a later protocol version. */
  status: long,
  text: long,
  error: v.exactOptional(long),
});
/** The agent compacts its context; `text` is the resulting summary in Markdown. */
export type Compaction = Infer<typeof compaction>;

const sessionMessage = v.object({
  kind: v.literal("message"),
  id,
  from: long,
  to: long,
  /** Markdown. */
  text: long,
});
/** A message between two sessions of the agent. Both names are empty if the agent does not send them. */
export type SessionMessage = Infer<typeof sessionMessage>;

const addition = v.object({
  id: long,
  name: long,
  to: v.picklist(["prompt", "system"]),
  text: long,
  bytes: count,
});
/**
 * Text that the agent extension `id` added to a prompt, or to the system prompt of the session that began with it.
 * `text` may be cut; `bytes` is the size of the whole text.
 */
export type Addition = Infer<typeof addition>;

const flatEntries = [
  v.object({
    kind: v.literal("user"),
    id,
    text: long,
    attachments: v.exactOptional(attachments),
    /** Absent if no extension changed the prompt. */
    additions: v.exactOptional(list(addition, 100)),
  }),
  v.object({ kind: v.literal("agent"), id, text: long, interrupted: v.exactOptional(v.literal(true)) }),
  /** `ms`: duration in milliseconds; absent while the thought continues. */
  v.object({ kind: v.literal("thought"), id, text: long, ms: v.exactOptional(finite) }),
  /** Non-text content of an agent message. */
  v.object({ kind: v.literal("media"), id, content: toolContent }),
  /** `text`: a plan in Markdown. A plan without steps and text is not shown. */
  v.object({ kind: v.literal("plan"), id, steps: list(planStep, 1_000), text: v.exactOptional(long) }),
  toolCall,
  permission,
  elicitation,
  notice,
  compaction,
  sessionMessage,
  /**
   * Placeholder for updates of an unknown kind, one per kind and turn. `json`: the first update. `count` defaults to 1.
   */
  v.object({ kind: v.literal("unknown"), id, what: long, json: long, count: v.exactOptional(count) }),
] as const;

const subagentStatus = v.picklist(["unknown", "running", "waiting", "completed", "failed", "cancelled"]);
/** `unknown`: the agent reports no state or an unknown state. `waiting`: for the user. */
export type SubagentStatus = Infer<typeof subagentStatus>;

/**
 * Work of a subagent in one turn of its parent. `entries` is its transcript, including its own subagents. Its questions
 * are entries of the conversation, because the user answers them there.
 */
export interface Subagent extends SubagentName {
  readonly kind: "subagent";
  readonly id: string;
  readonly description?: string;
  readonly status: SubagentStatus;
  readonly error?: string;
  readonly entries: readonly Entry[];
}

export type Entry = Infer<(typeof flatEntries)[number]> | Subagent;

const subagent = (inner: Schema<Entry>) =>
  v.object({
    kind: v.literal("subagent"),
    id,
    ...subagentName.entries,
    description: v.exactOptional(long),
    status: subagentStatus,
    error: v.exactOptional(long),
    entries: fitting(inner, MAX_ENTRIES),
  });

export const entry = Array.from({ length: MAX_NESTED }).reduce<Schema<Entry>>(
  inner => v.variant("kind", [...flatEntries, subagent(inner)]),
  v.variant("kind", [...flatEntries]),
);
