/**
 * What an agent lets a person choose for a session: its mode, its model, and whatever else it offers as an option (ACP
 * schema v1, `SessionConfigOption`, and the older `modes` and `models`). In the agent's order, which is that of
 * importance.
 */
export interface ControlChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** A group without a name holds choices that stand by themselves. */
export interface ControlGroup {
  readonly name?: string;
  readonly choices: readonly ControlChoice[];
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** `mode`, `model`, `model_config`, `thought_level`, or an agent's own; empty when it has none. */
  readonly category: string;
}

export type Control =
  | (Named & { readonly kind: "select"; readonly value: string; readonly groups: readonly ControlGroup[] })
  | (Named & { readonly kind: "switch"; readonly value: boolean });

/** Of a select the value of one of its choices, of a switch whether it is on. */
export type ControlValue = string | boolean;

/** By the control's id; what a person chose for an agent, kept for its next sessions. */
export type ControlValues = Readonly<Record<string, ControlValue>>;

/** Whether the control has this value to offer. */
export function offers(control: Control, value: ControlValue): boolean {
  return control.kind === "switch"
    ? typeof value === "boolean"
    : control.groups.some(({ choices }) => choices.some(choice => choice.value === value));
}

/** The controls with one of them at another value; a value that it does not offer changes nothing. */
export function withValue(controls: readonly Control[], id: string, value: ControlValue): readonly Control[] {
  return controls.map((control): Control => {
    if (control.id !== id || !offers(control, value)) return control;
    return control.kind === "switch" ? { ...control, value: value === true } : { ...control, value: String(value) };
  });
}
