/**
 * Converts the agent's controls and Symposium's agent picker to select elements, and choices back. Pure.
 *
 * Invariants:
 * - An id of an agent's control never collides with the agent picker's id or a property of `Object.prototype`.
 * - Labels are rendered as text, tooltips as sanitized Markdown.
 */
import type { AgentChoice } from "../../../src/protocol/agents/agents";
import type { Control, ControlChoice, ControlValue } from "../../../src/protocol/chat/controls";
import { readableLine, visibleLine } from "../../../src/protocol/text/visible-text";
import { literal } from "../text/markdown-safe";
import { texts } from "../text/chat-texts";

/** All strings are plain text. */
export interface PickerChoice {
  readonly value: string;
  /** In the menu, where the name of the control is beside the picker. */
  readonly label: string;
  /** In the row, which has no other name of the control. */
  readonly rowLabel: string;
  readonly group?: string;
  readonly about?: string;
}

export interface Picker {
  readonly id: string;
  /** Accessible name. */
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

/** `agent`: the tab's agent, which may be missing from the configured ones. */
export function pickersOf(
  agents: readonly AgentChoice[],
  agent: AgentChoice,
  controls: readonly Control[],
  live: boolean,
): readonly Picker[] {
  const all = agents.some(({ id }) => id === agent.id) || agent.id === "" ? agents : [agent, ...agents];
  const agentPicker =
    agents.length === 0
      ? []
      : [
          {
            id: AGENT,
            name: texts.agentTooltip,
            tooltip: texts.agentTooltip,
            value: agent.id,
            disabled: false,
            choices: all.map(({ id, name }) => choiceOf(id, visibleLine(name))),
          },
        ];
  return [
    ...agentPicker,
    ...inOrder(controls)
      .map(control => pickerOf(control, !live))
      .filter(({ choices }) => choices.length > 0),
  ];
}

/** Mode and model first, because pickers that do not fit are in a menu. */
function inOrder(controls: readonly Control[]): readonly Control[] {
  const rank = ({ category }: Control): number => (category === "mode" ? 0 : category === "model" ? 1 : 2);
  return [...controls].sort((a, b) => rank(a) - rank(b));
}

function pickerOf(control: Control, disabled: boolean): Picker {
  const named = { id: PREFIX + control.id, name: visibleLine(control.name), disabled };
  if (control.kind === "switch") {
    return {
      ...named,
      tooltip: tooltip(control, undefined),
      value: control.value ? ON : OFF,
      choices: [ON, OFF].map(value => choiceOf(value, value, named.name)),
    };
  }
  const all = control.groups.flatMap(group => group.choices.map(choice => ({ choice, group: group.name })));
  const current = all.find(({ choice }) => choice.value === control.value);
  const choices = all.map(
    ({ choice, group }): PickerChoice => ({
      ...choiceOf(choice.value, visibleLine(choice.name), isClear(control) ? undefined : named.name),
      ...(group === undefined || group.trim() === "" ? {} : { group: visibleLine(group) }),
      ...(choice.description === undefined ? {} : { about: readableLine(choice.description) }),
    }),
  );
  return {
    ...named,
    tooltip: tooltip(control, current?.choice),
    value: control.value,
    // A value outside the choices gets its own option. Otherwise the first choice would appear selected.
    choices:
      current || control.value === "" || choices.length === 0
        ? choices
        : [...choices, choiceOf(control.value, visibleLine(control.value))],
  };
}

/** `control`: name of the control, if the value is ambiguous without it. */
function choiceOf(value: string, label: string, control?: string): PickerChoice {
  return { value, label, rowLabel: control === undefined ? label : `${control}: ${label}` };
}

/** Values of modes and models are clear without the control's name. */
const isClear = ({ category }: Control): boolean => category === "mode" || category === "model";

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

/** The choice of a value in a picker; `undefined` if the agent has withdrawn the control. */
export function picked(pickerId: string, value: string, controls: readonly Control[]): Picked | undefined {
  if (pickerId === AGENT) return { kind: "agent", agentId: value };
  const control = controls.find(each => PREFIX + each.id === pickerId);
  return control && { kind: "control", controlId: control.id, value: control.kind === "switch" ? value === ON : value };
}
