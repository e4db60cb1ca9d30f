/**
 * Converts ACP v1 to the chat model. Pure and lenient, as the schema's salvage rules require
 * (`x-deserialize-default-on-error`). An invalid field is replaced by its default, an invalid item is omitted, and an
 * update of an unknown kind becomes one visible placeholder with the raw JSON. Never throws.
 */
import type { Conversation, Entry } from "../../../src/protocol/chat/chat";
import { withValue, type Control } from "../../../src/protocol/chat/controls";
import { objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { adaptCommon, chunk, isEcho, NOTHING, stepsOf, type Adapted, type MakeId, type SessionName } from "./common";
import { MODE } from "./controls";
import { lastTurn, toolFrom } from "./tools";
import { UPDATE_KINDS } from "../methods";

/** `raw` is the `update` member of `session/update` (schema v1, `SessionUpdate`). */
export function adaptUpdate(conversation: Conversation, raw: unknown, makeId: MakeId, nameOf?: SessionName): Adapted {
  const update = objectOr(raw);
  const kind = stringOr(update.sessionUpdate, "(no kind)");
  switch (kind) {
    case UPDATE_KINDS.agent_message_chunk:
      return chunk(conversation, "agent", update, makeId);
    case UPDATE_KINDS.agent_thought_chunk:
      return chunk(conversation, "thought", update, makeId);
    // The conversation contains the user's text before the agent receives it; a repetition by the agent is an echo.
    case UPDATE_KINDS.user_message_chunk:
      return isEcho(conversation, update) ? NOTHING : chunk(conversation, "agent", update, makeId);
    case UPDATE_KINDS.tool_call:
      return call(toolFrom(conversation, update, makeId(0), lastTurn(conversation)));
    case UPDATE_KINDS.tool_call_update:
      return call(toolFrom(conversation, update, makeId(0)));
    case UPDATE_KINDS.plan:
      return plan(conversation, update, makeId);
    case UPDATE_KINDS.current_mode_update:
      return {
        events: [{ type: "controls", controls: inMode(conversation.controls, stringOr(update.currentModeId, "")) }],
        made: 0,
      };
    default:
      return adaptCommon(conversation, kind, raw, makeId, nameOf);
  }
}

function call({ entry, wasKnown }: ReturnType<typeof toolFrom>): Adapted {
  return { events: [{ type: "upsert", entry }], made: wasKnown ? 0 : 1 };
}

/** Some agents list their modes as an option but report a change by the older update. */
function inMode(controls: readonly Control[], mode: string): readonly Control[] {
  const control = controls.find(({ id }) => id === MODE) ?? controls.find(({ category }) => category === "mode");
  return control ? withValue(controls, control.id, mode) : controls;
}

function plan(conversation: Conversation, update: JsonObject, makeId: MakeId): Adapted {
  // A plan is replaced as a whole (schema v1, `Plan`) during its turn.
  const turn = conversation.entries.findLastIndex(entry => entry.kind === "user");
  const known = conversation.entries.findLast(
    (entry, i): entry is Entry & { readonly kind: "plan" } => entry.kind === "plan" && i > turn,
  );
  return {
    events: [{ type: "upsert", entry: { kind: "plan", id: known?.id ?? makeId(0), steps: stepsOf(update.entries) } }],
    made: known ? 0 : 1,
  };
}
