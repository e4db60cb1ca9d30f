/**
 * The agent's controls and ours as selects at the prompt, and back. Pure.
 *
 * Invariants: no id of an agent's can pass for that of our own select, or for something that every object has; what is
 * a label goes to the screen as text, what is a tooltip as Markdown that has been made safe.
 */
import type { AgentChoice } from "../../src/protocol/agents";
import type { Control, ControlChoice, ControlValue } from "../../src/protocol/controls";
import { readableLine, visibleLine } from "../../src/protocol/visible-text";
import { literal } from "./markdown-safe";
import { texts } from "./texts";

/** All of it is text. */
export interface PickerChoice {
  readonly value: string;
  readonly label: string;
  readonly group?: string;
  readonly about?: string;
}

export interface Picker {
  readonly id: string;
  /** Its name, for those who do not see it. */
  readonly name: string;
  /** Markdown. */
  readonly tooltip: string;
  readonly value: string;
  readonly choices: readonly PickerChoice[];
  readonly disabled: boolean;
}

export const AGENT = "agent";
const PREFIX = "control:";
const ON = "on";
const OFF = "off";

/** `agent`: of the tab; it may not be among those of the settings any more. */
export function pickersOf(
  agents: readonly AgentChoice[],
  agent: AgentChoice,
  controls: readonly Control[],
  live: boolean,
): readonly Picker[] {
  const all = agents.some(({ id }) => id === agent.id) || agent.id === "" ? agents : [agent, ...agents];
  const ours =
    agents.length === 0
      ? []
      : [
          {
            id: AGENT,
            name: texts.agentTooltip,
            tooltip: texts.agentTooltip,
            value: agent.id,
            disabled: false,
            choices: all.map(({ id, name }) => ({ value: id, label: visibleLine(name) })),
          },
        ];
  return [...controls.map(control => pickerOf(control, !live)).filter(({ choices }) => choices.length > 0), ...ours];
}

function pickerOf(control: Control, disabled: boolean): Picker {
  const named = { id: PREFIX + control.id, name: visibleLine(control.name), disabled };
  if (control.kind === "switch") {
    return {
      ...named,
      tooltip: tooltip(control, undefined),
      value: control.value ? ON : OFF,
      choices: [ON, OFF].map(value => ({ value, label: `${named.name}: ${value}` })),
    };
  }
  const all = control.groups.flatMap(group => group.choices.map(choice => ({ choice, group: group.name })));
  const current = all.find(({ choice }) => choice.value === control.value);
  const choices = all.map(
    ({ choice, group }): PickerChoice => ({
      value: choice.value,
      label: label(control, choice),
      ...(group === undefined || group.trim() === "" ? {} : { group: visibleLine(group) }),
      ...(choice.description === undefined ? {} : { about: readableLine(choice.description) }),
    }),
  );
  return {
    ...named,
    tooltip: tooltip(control, current?.choice),
    value: control.value,
    // A value that it does not offer is shown as it is, or the first choice would look like it.
    choices:
      current || control.value === "" || choices.length === 0
        ? choices
        : [...choices, { value: control.value, label: visibleLine(control.value) }],
  };
}

/** A mode and a model speak for themselves, beside each other; of what else there is a value alone says little. */
function label({ category, name }: Control, choice: ControlChoice): string {
  return (category === "mode" || category === "model" ? "" : `${visibleLine(name)}: `) + visibleLine(choice.name);
}

function tooltip(control: Control, current: ControlChoice | undefined): string {
  return [
    `**${literal(control.name)}**${current === undefined ? "" : `: ${literal(current.name)}`}`,
    ...[control.description, current?.description].flatMap(text =>
      text === undefined || text.trim() === "" ? [] : [literal(text)],
    ),
  ].join("\n\n");
}

export type Picked =
  | { readonly kind: "agent"; readonly agentId: string }
  | { readonly kind: "control"; readonly controlId: string; readonly value: ControlValue };

/** What was picked: the value that differs from the one on show. `undefined` when none does. */
export function picked(
  shown: readonly Picker[],
  controls: readonly Control[],
  values: Readonly<Record<string, unknown>>,
): Picked | undefined {
  for (const { id, value: before } of shown) {
    const value = Object.hasOwn(values, id) ? values[id] : undefined;
    if (typeof value !== "string" || value === before) continue;
    if (id === AGENT) return { kind: "agent", agentId: value };
    const control = controls.find(each => PREFIX + each.id === id);
    if (control)
      return { kind: "control", controlId: control.id, value: control.kind === "switch" ? value === ON : value };
  }
  return undefined;
}
