/** The user's settings for the Cargo extension. Invalid values are logged and replaced by their defaults. */
import { CARGO_SETTINGS } from "../../../src/protocol/agents/built-in-settings";
import type { ValuesOf } from "../../../src/protocol/agents/extension-settings";
import { isObject } from "../../rpc/json";
import { readValues, type ExtensionDeps, type ExtensionSettings } from "../extension";

export interface CargoSettings extends ValuesOf<typeof CARGO_SETTINGS> {
  /** Environment variables for cargo and its child processes, in addition to the user's own. */
  readonly environment: Readonly<Record<string, string>>;
}

export function readSettings(given: ExtensionSettings, deps: Pick<ExtensionDeps, "log">): CargoSettings {
  return {
    ...readValues("cargo", CARGO_SETTINGS, given, deps),
    environment: environmentIn(given.environment, deps),
  };
}

function environmentIn(given: unknown, { log }: Pick<ExtensionDeps, "log">): CargoSettings["environment"] {
  if (given === undefined) return {};
  const entries = isObject(given)
    ? Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string")
    : [];
  if (!isObject(given) || entries.length < Object.keys(given).length)
    log("warn", "The environment of the extension cargo is not an object of strings", { setting: "environment" });
  return Object.fromEntries(entries);
}
