/**
 * Validates messages of the page field by field. The page renders text of agents and is the least trusted program.
 * Unknown or invalid messages are rejected. Pure.
 */
import type { ActionId, Entry, PermissionAnswered, SubagentName, ToolContent } from "../protocol/chat";
import type { ControlValue } from "../protocol/controls";
import type {
  ElicitationAnswered,
  ElicitationChoice,
  Field,
  FieldValue,
  FormAsk,
  UrlAsk,
} from "../protocol/elicitation";
import type { PermissionChoice } from "../protocol/sidecar";
import type { PageToHost, TabPosition } from "../protocol/webview";
import { attachments, want } from "./attachment-schemas";
import {
  byType,
  count,
  filled,
  fitting,
  json,
  just,
  list,
  number,
  object,
  oneOf,
  position,
  record,
  tagged,
  text,
  yesOrNo,
  type Shape,
  type Validation,
  validated,
} from "./schema";

const MIB = 1024 * 1024;
/** Ids that Symposium generates (UUIDs) or reads from the settings. */
const id = filled(512);
const long = text(4 * MIB);
/**
 * Agents choose the length of their strings, including ids of entries. The page returns content that it showed, so the
 * limit must not be lower than what was shown.
 */
const theirId = filled(4 * MIB);
const name = long;
const MAX_TABS = 100;
const MAX_ENTRIES = 10_000;
const MAX_FIELDS = 100;
/** Text that opens in an editor or terminal beside the chat. */
const shownText = text(300_000);

const action: Shape<ActionId> = oneOf(
  "sendAgain",
  "showLogs",
  "restartAgent",
  "restartSidecar",
  "selectAgent",
  "manageTrust",
  "openSettings",
  "addToConfiguration",
);
const optionKind = oneOf("allow_once", "allow_always", "reject_once", "reject_always");

const toolContent: Shape<ToolContent> = tagged<ToolContent>("kind", {
  text: object({ kind: just("text"), text: long }),
  diff: object({ kind: just("diff"), path: name, newText: long }, { oldText: long }),
  terminal: object({ kind: just("terminal"), terminalId: name }, { output: long }),
  image: object({ kind: just("image"), mimeType: name, data: text(16 * MIB) }),
  audio: object({ kind: just("audio"), mimeType: name, bytes: number }),
  resource: object(
    { kind: just("resource"), uri: name },
    { name, description: long, mimeType: name, text: long, bytes: number },
  ),
  other: object({ kind: just("other"), what: name, json: long }),
});

const answered: Shape<PermissionAnswered> = tagged<PermissionAnswered>("kind", {
  selected: object({ kind: just("selected"), optionId: name, name, optionKind, by: oneOf("user", "bypass") }),
  cancelled: object({ kind: just("cancelled"), why: name }),
});

const options = list(object({ value: name, title: name }, { description: long }), 1_000);
const field = { name, title: name, required: yesOrNo };
const fields: Shape<readonly Field[]> = list(
  tagged<Field>("type", {
    text: object(
      { ...field, type: just("text") },
      { description: long, format: name, minLength: number, maxLength: number, pattern: name, initial: long },
    ),
    number: object(
      { ...field, type: just("number") },
      { description: long, minimum: number, maximum: number, initial: number },
    ),
    integer: object(
      { ...field, type: just("integer") },
      { description: long, minimum: number, maximum: number, initial: number },
    ),
    boolean: object({ ...field, type: just("boolean") }, { description: long, initial: yesOrNo }),
    choice: object({ ...field, type: just("choice"), options }, { description: long, initial: name }),
    choices: object(
      { ...field, type: just("choices"), options },
      { description: long, minItems: number, maxItems: number, initial: list(name, 1_000) },
    ),
  }),
  MAX_FIELDS,
);

const ask: Shape<FormAsk | UrlAsk> = tagged<FormAsk | UrlAsk>("mode", {
  form: object({ mode: just("form"), fields }, { title: name, description: long }),
  url: object({ mode: just("url"), url: name, elicitationId: name }),
});

const elicitationAnswered: Shape<ElicitationAnswered> = tagged<ElicitationAnswered>("kind", {
  accepted: object({ kind: just("accepted") }),
  declined: object({ kind: just("declined") }),
  completed: object({ kind: just("completed") }),
  cancelled: object({ kind: just("cancelled"), why: name }),
});

const subagentName: Shape<SubagentName> = object({ sessionId: name, name });

const entryShapes = {
  user: object({ kind: just("user"), id: theirId, text: long }, { attachments }),
  agent: object({ kind: just("agent"), id: theirId, text: long }, { interrupted: just(true) }),
  thought: object({ kind: just("thought"), id: theirId, text: long }, { ms: number }),
  media: object({ kind: just("media"), id: theirId, content: toolContent }),
  plan: object(
    { kind: just("plan"), id: theirId, steps: list(object({ content: long, priority: name, status: name }), 1_000) },
    { text: long },
  ),
  tool: object(
    {
      kind: just("tool"),
      id: theirId,
      toolCallId: name,
      title: name,
      toolKind: name,
      status: oneOf("pending", "in_progress", "completed", "failed", "cancelled"),
      content: list(toolContent, 1_000),
      locations: list(object({ path: name }, { line: count }), 1_000),
    },
    { input: long, output: long },
  ),
  permission: object(
    {
      kind: just("permission"),
      id: theirId,
      agent: name,
      toolEntryId: name,
      title: name,
      toolKind: name,
      content: list(toolContent, 1_000),
      options: list(object({ optionId: name, name, kind: optionKind }), 100),
    },
    { input: long, answered, subagent: subagentName },
  ),
  elicitation: object(
    { kind: just("elicitation"), id: theirId, agent: name, message: long, ask },
    { answered: elicitationAnswered, subagent: subagentName },
  ),
  notice: object(
    {
      kind: just("notice"),
      id: theirId,
      severity: oneOf("info", "warning", "error"),
      text: long,
      actions: list(action, 10),
    },
    { from: name, detail: long },
  ),
  compaction: object(
    { kind: just("compaction"), id: theirId, compactionId: name, status: name, text: long },
    { error: long },
  ),
  message: object({ kind: just("message"), id: theirId, from: name, to: name, text: long }),
  unknown: object({ kind: just("unknown"), id: theirId, what: name, json: long }, { count }),
};

/** Maximum nesting of subagents in a tab, equal to the sidecar's limit. */
const MAX_NESTED = 8;
const entry: Shape<Entry> = Array.from({ length: MAX_NESTED }).reduce<Shape<Entry>>(
  inner =>
    tagged<Entry>("kind", {
      ...entryShapes,
      subagent: object(
        {
          kind: just("subagent"),
          id: theirId,
          sessionId: name,
          name,
          status: oneOf("unknown", "running", "waiting", "completed", "failed", "cancelled"),
          entries: fitting(inner, MAX_ENTRIES),
        },
        { description: long, error: long },
      ),
    }),
  tagged<Entry>("kind", entryShapes),
);

const tabPosition: Shape<TabPosition> = object(
  { tabId: id, asked: count, shown: fitting(entry, MAX_ENTRIES) },
  { at: object({ bootId: id, seq: position }), agentId: id, cwd: filled(4_096), title: name },
);

const choice: Shape<PermissionChoice> = object({ kind: just("option"), optionId: name });

const fieldValue: Shape<FieldValue> = byType<FieldValue>({
  string: long,
  number,
  boolean: yesOrNo,
  object: list(name, 1_000),
});
const elicitationChoice: Shape<ElicitationChoice> = tagged<ElicitationChoice>("kind", {
  accept: object({ kind: just("accept"), values: record(name, fieldValue, MAX_FIELDS) }),
  decline: object({ kind: just("decline") }),
});

const message: Shape<PageToHost> = tagged<PageToHost>("type", {
  "webview-ready": object({ type: just("webview-ready"), tabs: list(tabPosition, MAX_TABS), losses: count }),
  "new-tab": object({ type: just("new-tab"), tabId: id }, { agentId: id }),
  "close-tab": object({ type: just("close-tab"), tabId: id }),
  "select-tab": object({ type: just("select-tab"), tabId: id }),
  prompt: object({ type: just("prompt"), tabId: id, messageId: id, text: long }, { attachments, losses: count }),
  withdraw: object({ type: just("withdraw"), tabId: id, messageId: id }),
  "send-queued": object({ type: just("send-queued"), tabId: id }),
  find: object({ type: just("find"), asked: count, query: text(1_000) }),
  want: object({ type: just("want"), tabId: id, want }),
  cancel: object({ type: just("cancel"), tabId: id }),
  "answer-permission": object({ type: just("answer-permission"), tabId: id, permissionId: theirId, choice }),
  bypass: object({ type: just("bypass"), tabId: id }),
  "end-bypass": object({ type: just("end-bypass"), tabId: id }),
  "answer-elicitation": object({
    type: just("answer-elicitation"),
    tabId: id,
    elicitationId: theirId,
    choice: elicitationChoice,
  }),
  "set-option": object({
    type: just("set-option"),
    tabId: id,
    controlId: theirId,
    value: byType<ControlValue>({ string: long, boolean: yesOrNo }),
  }),
  action: object({ type: just("action"), tabId: id, action }),
  "select-agent": object({ type: just("select-agent"), agentId: id }),
  "open-link": object({ type: just("open-link"), href: filled(8_192) }, { preview: just(true) }),
  "open-diff": object(
    { type: just("open-diff"), tabId: id, path: filled(4_096), newText: shownText },
    { oldText: shownText },
  ),
  "open-terminal": object(
    { type: just("open-terminal"), tabId: id, command: text(10_000), output: shownText },
    { exit: object({}, { code: number, signal: text(100) }) },
  ),
  ack: object({ type: just("ack"), handled: count }),
  log: object(
    { type: just("log"), level: oneOf("error", "warn", "info", "debug"), message: text(4_096) },
    { data: json(16_384) },
  ),
} satisfies { readonly [T in PageToHost["type"]]: Shape<Extract<PageToHost, { type: T }>> });

export function validate(value: unknown): Validation<PageToHost> {
  return validated(message, value);
}
