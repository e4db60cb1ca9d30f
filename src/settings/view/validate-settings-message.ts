/** Validates messages of a settings page, which shows texts of third parties. Pure. */
import {
  filled,
  just,
  count,
  object,
  oneOf,
  tagged,
  text,
  yesOrNo,
  type Shape,
  type Validation,
  validated,
} from "../../chat/schema";
import { NOTE_ACTS, ROW_ACTS, UPDATE_MODES, type SettingsToHost } from "../../protocol/settings-view";

/** An id from the settings. */
const id = filled(512);
const of = oneOf("agent", "extension");

const message: Shape<SettingsToHost> = tagged<SettingsToHost>("type", {
  ready: object({ type: just("ready") }),
  row: object({ type: just("row"), of, id, act: oneOf(...ROW_ACTS) }),
  bypass: object({ type: just("bypass"), id, isOn: yesOrNo }),
  enable: object({ type: just("enable"), id, isOn: yesOrNo }),
  move: object({ type: just("move"), id, to: count }),
  add: object({ type: just("add"), what: oneOf("agent", "registryAgent", "extension") }),
  note: object({ type: just("note"), act: oneOf(...NOTE_ACTS) }),
  modifier: object({ type: just("modifier"), isOn: yesOrNo }),
  updates: object({ type: just("updates"), mode: oneOf(...UPDATE_MODES) }),
  checkUpdates: object({ type: just("checkUpdates") }),
  open: object({ type: just("open"), what: oneOf("settings", "page", "walkthrough", "logs") }),
  log: object({ type: just("log"), level: oneOf("error", "warn", "info", "debug"), message: text(4_096) }),
} satisfies { readonly [T in SettingsToHost["type"]]: Shape<Extract<SettingsToHost, { type: T }>> });

export function validateSettings(value: unknown): Validation<SettingsToHost> {
  return validated(message, value);
}
