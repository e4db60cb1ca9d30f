/** The user's settings for Sparkle. Invalid values are logged and replaced by their defaults. */
import { SPARKLE_SETTINGS } from "../../../src/protocol/agents/built-in-settings";
import type { ValuesOf } from "../../../src/protocol/agents/extension-settings";
import { readValues, type ExtensionDeps, type ExtensionSettings } from "../extension";
import { folderOf } from "./names";

export interface SparkleSettings extends Omit<ValuesOf<typeof SPARKLE_SETTINGS>, "sparkler"> {
  /** Name of the embodied sparkler. Undefined: the first sparkler by folder name. */
  readonly sparkler: string | undefined;
}

export const { min: MIN_BYTES, max: MAX_BYTES, default: USUAL_BYTES } = SPARKLE_SETTINGS.embodimentBytes;

export function readSettings(given: ExtensionSettings, deps: Pick<ExtensionDeps, "log">): SparkleSettings {
  const values = readValues("sparkle", SPARKLE_SETTINGS, given, deps);
  return { ...values, sparkler: folderOf(values.sparkler) === undefined ? undefined : values.sparkler };
}
