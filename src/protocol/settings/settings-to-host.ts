/** Messages of a settings page to the extension host; see `settings-view.ts`. */
import * as v from "valibot";
import { MAX_TEXT, MAX_TEXTS } from "../agents/setting-limits";
import { count, filled, finite, list, record, text, type Infer } from "../wire/schema";
import { NOTE_ACTIONS, ROW_ACTIONS, UPDATE_MODES } from "./settings-view";

/** An id from the settings. */
const id = filled(512);
/** A value of a setting of an extension; its control decides whether it fits. */
const value = v.union([
  v.boolean(),
  finite,
  text(MAX_TEXT),
  list(text(MAX_TEXT), MAX_TEXTS),
  record(filled(100), v.boolean(), 50),
]);
const of = v.picklist(["agent", "extension", "recommendation"]);

export const settingsToHost = v.variant("type", [
  v.object({ type: v.literal("ready") }),
  v.object({ type: v.literal("row"), of, id, action: v.picklist(ROW_ACTIONS) }),
  v.object({ type: v.literal("bypass"), id, isOn: v.boolean() }),
  v.object({ type: v.literal("enable"), id, isOn: v.boolean() }),
  /** Without `value`: resets the setting. */
  v.object({ type: v.literal("setting"), id, name: filled(64), value: v.exactOptional(value) }),
  /** Moves to this index of the list, from 0; an index beyond the end means the end. */
  v.object({ type: v.literal("move"), id, to: count }),
  v.object({ type: v.literal("add"), what: v.picklist(["agent", "registryAgent", "extension"]) }),
  v.object({ type: v.literal("note"), action: v.picklist(NOTE_ACTIONS) }),
  v.object({ type: v.literal("modifier"), isOn: v.boolean() }),
  v.object({ type: v.literal("updates"), mode: v.picklist(UPDATE_MODES) }),
  v.object({ type: v.literal("checkUpdates") }),
  v.object({ type: v.literal("showDismissed") }),
  v.object({ type: v.literal("open"), what: v.picklist(["settings", "page", "walkthrough", "logs"]) }),
  v.object({
    type: v.literal("log"),
    level: v.picklist(["error", "warn", "info", "debug"]),
    message: text(4_096),
  }),
]);
export type SettingsToHost = Infer<typeof settingsToHost>;
