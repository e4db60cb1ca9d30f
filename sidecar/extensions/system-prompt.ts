/**
 * Adds text to the system prompt of an agent's session, if the agent supports it. The text appears in no title, history
 * or replay. See `systemPrompt` of `session/new`, `load`, `resume` and `fork` (ACP schema v1 unstable and v2). Pure.
 */
import { needsWorkaround } from "../agent-workarounds";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";

/**
 * `member`: ACP's `systemPrompt`. `meta`: `_meta.systemPrompt.append`, an older extension that ACP's member replaced.
 */
export type SystemPromptSupport = "member" | "meta";

/** `answer`: the agent's `initialize` result. Undefined: the agent supports neither form. */
export function systemPromptSupport(answer: unknown): SystemPromptSupport | undefined {
  const { agentCapabilities, capabilities, agentInfo, info } = objectOr(answer);
  const session = objectOr(objectOr(agentCapabilities).sessionCapabilities),
    sessionV2 = objectOr(objectOr(capabilities).session);
  if (isObject(session.systemPrompt) || isObject(sessionV2.systemPrompt)) return "member";
  const { name, version } = objectOr(agentInfo ?? info);
  return needsWorkaround(stringOr(name, ""), stringOr(version, ""), "system-prompt-in-meta") ? "meta" : undefined;
}

/** Appends `text` to the system prompt in the params. `text` must not be empty. */
export function withSystemPrompt(params: JsonObject, text: string, support: SystemPromptSupport): JsonObject {
  const block = { type: "text", text };
  if (support === "member") {
    const { mode, content } = objectOr(params.systemPrompt);
    return { ...params, systemPrompt: { mode: mode ?? "append", content: [...arrayOr(content), block] } };
  }
  const _meta = objectOr(params._meta),
    given = _meta.systemPrompt;
  // A string replaces the agent's own system prompt.
  const systemPrompt =
    typeof given === "string"
      ? joined(given, text)
      : { ...objectOr(given), append: joined(stringOr(objectOr(given).append, ""), text) };
  return { ...params, _meta: { ..._meta, systemPrompt } };
}

function joined(before: string, text: string): string {
  return before === "" ? text : `${before}\n\n${text}`;
}
