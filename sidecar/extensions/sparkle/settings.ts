/** The user's settings for Sparkle. Invalid values are logged and treated as absent. Pure. */
import type { JsonObject } from "../../rpc/json";
import { folderOf } from "./names";

export interface SparkleSettings {
  readonly embodiment: "first-prompt" | "off";
  /** Maximum size of the embodiment, in bytes of UTF-8. */
  readonly embodimentBytes: number;
  /** Name of the embodied sparkler. Undefined: the first sparkler by folder name. */
  readonly sparkler: string | undefined;
}

export const MIN_BYTES = 4_096,
  MAX_BYTES = 262_144,
  USUAL_BYTES = 16_384;

/** `onWarning` writes to the log. */
export function readSettings(
  { embodiment, embodimentBytes, sparkler }: JsonObject,
  onWarning: (what: string) => void,
): SparkleSettings {
  const otherwise = <T>(name: string, value: unknown, fallback: T): T => {
    if (value !== undefined && value !== null)
      onWarning(`the setting “${name}” of Sparkle cannot be read: its default is used`);
    return fallback;
  };
  return {
    embodiment:
      embodiment === "off" || embodiment === "first-prompt"
        ? embodiment
        : otherwise("embodiment", embodiment, "first-prompt"),
    embodimentBytes:
      typeof embodimentBytes === "number" && embodimentBytes >= MIN_BYTES && embodimentBytes <= MAX_BYTES
        ? Math.floor(embodimentBytes)
        : otherwise("embodimentBytes", embodimentBytes, USUAL_BYTES),
    sparkler:
      typeof sparkler === "string" && folderOf(sparkler) !== undefined
        ? sparkler
        : otherwise("sparkler", sparkler, undefined),
  };
}
