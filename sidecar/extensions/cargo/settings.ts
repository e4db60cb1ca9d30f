/** The user's settings for the Cargo extension. Pure. */
import { isObject, type JsonObject } from "../../rpc/json";

export interface CargoSettings {
  readonly timeoutMinutes: number;
  /** Maximum number of warnings shown. All warnings are counted. */
  readonly maxWarnings: number;
  /** Environment variables for cargo and its child processes, in addition to the user's own. */
  readonly environment: Readonly<Record<string, string>>;
}

export const DEFAULTS: CargoSettings = { timeoutMinutes: 10, maxWarnings: 5, environment: {} };

/** Reports invalid values to `onWarning` and uses their defaults. */
export function readSettings(given: JsonObject, onWarning: (setting: string, problem: string) => void): CargoSettings {
  const number = (
    name: "timeoutMinutes" | "maxWarnings",
    min: number,
    max: number,
    isValid: (value: number) => boolean,
    what: string,
  ): number => {
    const value = given[name];
    if (value === undefined) return DEFAULTS[name];
    if (typeof value === "number" && value >= min && value <= max && isValid(value)) return value;
    onWarning(name, `must be ${what} from ${min} to ${max}`);
    return DEFAULTS[name];
  };
  return {
    timeoutMinutes: number("timeoutMinutes", 0.1, 1440, () => true, "a number"),
    maxWarnings: number("maxWarnings", 0, 100, Number.isInteger, "a whole number"),
    environment: environmentIn(given.environment, onWarning),
  };
}

function environmentIn(
  given: unknown,
  onWarning: (setting: string, problem: string) => void,
): CargoSettings["environment"] {
  if (given === undefined) return DEFAULTS.environment;
  const entries = isObject(given)
    ? Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string")
    : [];
  if (!isObject(given) || entries.length < Object.keys(given).length)
    onWarning("environment", "must be an object of strings");
  return Object.fromEntries(entries);
}
