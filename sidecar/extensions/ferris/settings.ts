/** The user's settings for Ferris. Pure. Invalid values are reported and replaced by defaults. */
import { isObject, type JsonObject } from "../../rpc/json";

export interface FerrisSettings {
  readonly tools: { readonly crate_sources: boolean; readonly rust_crate_query: boolean };
  /** Also offer the tools in sessions without a Rust project. */
  readonly everywhere: boolean;
  /** Cache research answers while the agent runs. */
  readonly cacheAnswers: boolean;
}

/** `onWarning` receives a sentence for each invalid setting. */
export function settingsIn(settings: JsonObject, onWarning: (sentence: string) => void): FerrisSettings {
  const flag = (values: JsonObject, name: string, fallback: boolean, path = name): boolean => {
    const value = values[name];
    if (value !== undefined && typeof value !== "boolean")
      onWarning(`The setting “${path}” of Ferris must be true or false.`);
    return typeof value === "boolean" ? value : fallback;
  };
  const { tools = {} } = settings,
    chosen = isObject(tools) ? tools : {};
  if (!isObject(tools)) onWarning("The setting “tools” of Ferris must be an object.");
  return {
    tools: {
      crate_sources: flag(chosen, "crate_sources", true, "tools.crate_sources"),
      rust_crate_query: flag(chosen, "rust_crate_query", true, "tools.rust_crate_query"),
    },
    everywhere: flag(settings, "everywhere", false),
    cacheAnswers: flag(settings, "cacheAnswers", true),
  };
}
