/**
 * The options of an agent that the user can set: `configOptions` of ACP v1 and v2, or the older `modes` and `models`.
 * Pure and lenient: options of an unknown kind are omitted, as the schema requires.
 */
import type { Control, ControlChoice, ControlGroup, ControlValue } from "../../../src/protocol/chat/controls";
import type { AcpVersion } from "../initialize";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { AGENT_METHODS, DRAFT_AGENT_METHODS } from "../methods";

/** Ids of the controls for `modes` and `models`. No agent uses them as option ids. */
export const MODE = "acp:mode",
  MODEL = "acp:model";

/** Reads a result of `session/new`, `load`, `resume` or `session/set_config_option`, or a `config_option_update`. */
export function controlsOf(raw: unknown): readonly Control[] {
  const { configOptions, modes, models } = objectOr(raw);
  if (Array.isArray(configOptions)) return unique(configOptions.filter(isObject).flatMap(option));
  const { availableModes, currentModeId } = objectOr(modes),
    { availableModels, currentModelId } = objectOr(models);
  return [
    ...legacyControl(MODE, "Mode", "mode", arrayOr(availableModes), "id", currentModeId),
    ...legacyControl(MODEL, "Model", "model", arrayOr(availableModels), "modelId", currentModelId),
  ];
}

/** The request that sets a control, without the session id. v2 adds the type of each value. */
export function requestToSet(
  control: Control,
  value: ControlValue,
  version: AcpVersion = 1,
): { readonly method: string; readonly params: JsonObject } {
  if (control.id === MODE) return { method: AGENT_METHODS.session_set_mode, params: { modeId: value } };
  if (control.id === MODEL) return { method: DRAFT_AGENT_METHODS.session_set_model, params: { modelId: value } };
  return {
    method: AGENT_METHODS.session_set_config_option,
    params: {
      configId: control.id,
      value,
      ...(control.kind === "switch" ? { type: "boolean" } : version === 2 ? { type: "id" } : {}),
    },
  };
}

function option(raw: JsonObject): readonly Control[] {
  const id = stringOr(raw.id, undefined) ?? stringOr(raw.configId, undefined);
  if (id === undefined) return [];
  const named = { id, name: stringOr(raw.name, id), category: stringOr(raw.category, ""), ...described(raw) };
  switch (raw.type) {
    case "boolean":
      return [{ ...named, kind: "switch", value: raw.currentValue === true }];
    case "select": {
      const groups = groupsOf(arrayOr(raw.options).filter(isObject));
      return groups.length === 0 ? [] : [{ ...named, kind: "select", value: stringOr(raw.currentValue, ""), groups }];
    }
    default:
      return [];
  }
}

/** Choices, or groups of them (schema v1, `SessionConfigSelectOptions`). */
function groupsOf(options: readonly JsonObject[]): readonly ControlGroup[] {
  const single = options.flatMap(each => choice(each, "value"));
  const groups = options
    .filter(each => Array.isArray(each.options))
    .map(each => ({
      name: stringOr(each.name, stringOr(each.group, "")),
      choices: arrayOr(each.options)
        .filter(isObject)
        .flatMap(item => choice(item, "value")),
    }));
  return [...(single.length > 0 ? [{ choices: single }] : []), ...groups.filter(({ choices }) => choices.length > 0)];
}

function legacyControl(
  id: string,
  name: string,
  category: string,
  choices: readonly unknown[],
  key: "id" | "modelId",
  current: unknown,
): readonly Control[] {
  const all = choices.filter(isObject).flatMap(each => choice(each, key));
  return all.length === 0
    ? []
    : [{ kind: "select", id, name, category, value: stringOr(current, ""), groups: [{ choices: all }] }];
}

function choice(raw: JsonObject, key: "value" | "id" | "modelId"): readonly ControlChoice[] {
  const value = stringOr(raw[key], undefined);
  return value === undefined ? [] : [{ value, name: stringOr(raw.name, value), ...described(raw) }];
}

function described({ description }: JsonObject): { readonly description?: string } {
  return typeof description === "string" && description !== "" ? { description } : {};
}

/** Removes duplicates: two options with the same id are indistinguishable. */
function unique(controls: readonly Control[]): readonly Control[] {
  const seen = new Set<string>();
  return controls.filter(({ id }) => !seen.has(id) && seen.add(id));
}
