/** Steps that only send session updates (ACP schema v1, `SessionUpdate`). Pure. */
import type { JsonObject } from "../../rpc/json";
import { contentOf, toolCallOf } from "./fields";
import type { Step } from "./script";

const KINDS = {
  say: true,
  think: true,
  show: true,
  plan: true,
  tool: true,
  toolupdate: true,
  commands: true,
  title: true,
  usage: true,
  notice: true,
  compact: true,
  "compact-say": true,
  "unknown-update": true,
} as const;
export type UpdateStep = Extract<Step, { readonly step: keyof typeof KINDS }>;

export function isUpdate(step: Step): step is UpdateStep {
  return Object.hasOwn(KINDS, step.step);
}

export function updatesOf(step: UpdateStep, lastTerminal: string): readonly JsonObject[] {
  switch (step.step) {
    case "say":
      return [textUpdate(step.text)];
    case "think":
      return [{ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: step.text } }];
    case "show":
      return step.fields.map(([name, value]) => {
        const { content, ...bare } = contentOf(name, value, lastTerminal);
        return { sessionUpdate: "agent_message_chunk", content: content ?? bare };
      });
    case "plan":
      return [{ sessionUpdate: "plan", entries: step.entries }];
    case "tool":
      return [
        { sessionUpdate: "tool_call", toolCallId: step.id, kind: step.kind, title: step.title, status: "pending" },
      ];
    case "toolupdate":
      return [{ sessionUpdate: "tool_call_update", toolCallId: step.id, ...toolCallOf(step.fields, lastTerminal) }];
    case "commands":
      return [{ sessionUpdate: "available_commands_update", availableCommands: step.commands }];
    case "title":
      return [{ sessionUpdate: "session_info_update", title: step.text }];
    case "usage":
      return [
        { sessionUpdate: "usage_update", used: step.used, size: step.size, ...(step.cost ? { cost: step.cost } : {}) },
      ];
    case "notice":
      return [
        {
          sessionUpdate: "notice",
          severity: step.severity,
          title: step.title,
          ...(step.description === "" ? {} : { description: step.description }),
        },
      ];
    case "compact":
      return [
        {
          sessionUpdate: "compaction_update",
          compactionId: step.id,
          status: step.status,
          ...(step.text === ""
            ? {}
            : step.status === "failed"
              ? { error: step.text }
              : { summary: [{ type: "text", text: step.text }] }),
        },
      ];
    case "compact-say":
      return [
        {
          sessionUpdate: "compaction_summary_chunk",
          compactionId: step.id,
          content: { type: "text", text: step.text },
        },
      ];
    case "unknown-update":
      return [{ sessionUpdate: "scripted_unknown", value: { some: ["thing"] } }];
  }
}

export function textUpdate(text: string): JsonObject {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}
