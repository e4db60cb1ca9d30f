/**
 * Maps the chat modes Plan and Ask of VS Code to the session modes of an agent, and back when the user leaves them. An
 * agent offers its modes as a config option of the category `mode`, or in the older `modes`. Pure.
 *
 * Invariant: a mode is restored only while the session is still in the mode that was set here. A mode that the agent
 * selected itself is kept.
 */
import { withValue, type Control } from "../../../src/protocol/chat/controls";
import { controlsOf, MODE } from "../../acp/adapt/controls";
import { objectOr } from "../../rpc/json";
import type { QuietMode } from "../history/chat-context";
import { UPDATE_KINDS } from "../../acp/methods";

type ModeControl = Extract<Control, { readonly kind: "select" }>;

/** The mode to return to (`to`) when the user leaves Plan or Ask (`from`). */
export interface ModeReturn {
  readonly from: string;
  readonly to: string;
}

export interface SessionMode {
  readonly control: ModeControl | undefined;
  readonly back: ModeReturn | undefined;
}

export const NO_MODE: SessionMode = { control: undefined, back: undefined };

/** `result`: the agent's response to a request that opens the session, or to `session/set_config_option`. */
export function modeOpened(mode: SessionMode, result: unknown): SessionMode {
  const control = controlIn(result);
  return control ? { ...mode, control } : mode;
}

/** `update`: the `update` member of `session/update`. */
export function modeUpdated(mode: SessionMode, update: unknown): SessionMode {
  const { sessionUpdate, currentModeId } = objectOr(update);
  if (sessionUpdate === UPDATE_KINDS.config_option_update) return modeOpened(mode, update);
  return sessionUpdate === UPDATE_KINDS.current_mode_update && typeof currentModeId === "string"
    ? withMode(mode, currentModeId)
    : mode;
}

export interface ModeChange {
  readonly control: ModeControl;
  readonly value: string;
  /** Name that the agent displays. */
  readonly name: string;
  /** State after the agent has accepted the change. */
  readonly next: SessionMode;
}

/**
 * The change to the mode `wanted`; `undefined` if the session is already in the right mode or the agent has no such
 * mode.
 */
export function modeChange(mode: SessionMode, wanted: QuietMode): ModeChange | undefined {
  const { control, back } = mode;
  if (!control) return undefined;
  const isOurs = back !== undefined && back.from === control.value;
  const value = wanted === undefined ? (isOurs ? back.to : undefined) : matching(control, wanted);
  const choice = choicesOf(control).find(each => each.value === value);
  if (!choice || choice.value === control.value) return undefined;
  const to = isOurs ? back.to : control.value;
  const { control: changed } = withMode(mode, choice.value);
  return {
    control,
    value: choice.value,
    name: choice.name,
    next: { control: changed, back: wanted === undefined ? undefined : { from: choice.value, to } },
  };
}

/** Ids and names of modes, best match first. */
const MODE_NAMES: Readonly<Record<"plan" | "ask", readonly string[]>> = {
  plan: ["plan", "planning", "plan mode", "architect", "read only"],
  ask: ["ask", "ask mode", "read only", "chat only"],
};

function matching(control: ModeControl, wanted: "plan" | "ask"): string | undefined {
  const choices = choicesOf(control),
    isCalled = (text: string, name: string): boolean => normal(text) === name;
  const fits = MODE_NAMES[wanted].map(name =>
    choices.find(({ value, name: shown }) => isCalled(value, name) || isCalled(shown, name)),
  );
  return fits.find(choice => choice !== undefined)?.value;
}

/** Splits `acceptEdits`, `read-only` and the last part of a URL into lowercase words. */
function normal(text: string): string {
  const [last = ""] = text.split(/[/#]/).slice(-1);
  return last
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[\s_-]+/g, " ")
    .trim()
    .toLowerCase();
}

function choicesOf({ groups }: ModeControl) {
  return groups.flatMap(({ choices }) => choices);
}

function withMode(mode: SessionMode, value: string): SessionMode {
  const [control] = mode.control ? withValue([mode.control], mode.control.id, value) : [];
  return control?.kind === "select" ? { ...mode, control } : mode;
}

/** An agent may offer config options for other purposes, and its modes in the older form. */
function controlIn(result: unknown): ModeControl | undefined {
  const { modes } = objectOr(result),
    all = [...controlsOf(result), ...controlsOf({ modes })];
  return all.find(
    (control): control is ModeControl =>
      control.kind === "select" && (control.category === "mode" || control.id === MODE),
  );
}
