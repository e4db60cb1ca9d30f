/** The user's settings for Ferris. Pure. Invalid values are reported and replaced by defaults. */
import { isObject, type JsonObject } from "../../rpc/json";

export interface FerrisSettings {
  readonly tools: { readonly crate_sources: boolean; readonly rust_crate_query: boolean };
  /** Also offer the tools in sessions without a Rust project. */
  readonly everywhere: boolean;
  /** Cache research answers while the agent runs. */
  readonly cacheAnswers: boolean;
}

/** `wrong` receives a sentence per invalid setting. */
export function settingsIn(settings: JsonObject, wrong: (sentence: string) => void): FerrisSettings {
  const flag = (of: JsonObject, name: string, otherwise: boolean, path = name): boolean => {
    const value = of[name];
    if (value !== undefined && typeof value !== "boolean")
      wrong(`The setting “${path}” of Ferris must be true or false.`);
    return typeof value === "boolean" ? value : otherwise;
  };
  const { tools = {} } = settings,
    chosen = isObject(tools) ? tools : {};
  if (!isObject(tools)) wrong("The setting “tools” of Ferris must be an object.");
  return {
    tools: {
      crate_sources: flag(chosen, "crate_sources", true, "tools.crate_sources"),
      rust_crate_query: flag(chosen, "rust_crate_query", true, "tools.rust_crate_query"),
    },
    everywhere: flag(settings, "everywhere", false),
    cacheAnswers: flag(settings, "cacheAnswers", true),
  };
}
