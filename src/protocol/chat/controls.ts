/**
 * Session options that an agent offers: mode, model and others (ACP schema v1, `SessionConfigOption`, and the older
 * `modes` and `models`). The order is the agent's, most important first.
 */
import type { ControlValue } from "./session-actions";

export type { ControlValue } from "./session-actions";

export interface ControlChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** A group without a name contains ungrouped choices. */
export interface ControlGroup {
  readonly name?: string;
  readonly choices: readonly ControlChoice[];
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** `mode`, `model`, `model_config`, `thought_level`, or an agent's own category; empty if there is none. */
  readonly category: string;
}

export type Control =
  | (Named & { readonly kind: "select"; readonly value: string; readonly groups: readonly ControlGroup[] })
  | (Named & { readonly kind: "switch"; readonly value: boolean });

/** Control id → value: the user's choices for an agent, persisted for its next sessions. */
export type ControlValues = Readonly<Record<string, ControlValue>>;

/** Whether the control offers this value. */
export function offers(control: Control, value: ControlValue): boolean {
  return control.kind === "switch"
    ? typeof value === "boolean"
    : control.groups.some(({ choices }) => choices.some(choice => choice.value === value));
}

/** The controls with one value changed. A value that the control does not offer changes nothing. */
export function withValue(controls: readonly Control[], id: string, value: ControlValue): readonly Control[] {
  return controls.map((control): Control => {
    if (control.id !== id || !offers(control, value)) return control;
    return control.kind === "switch" ? { ...control, value: value === true } : { ...control, value: String(value) };
  });
}
