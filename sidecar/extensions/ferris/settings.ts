/** What a user can set for Ferris. Pure; what cannot be read is the default, and said. */
import { isObject, type JsonObject } from "../../rpc/json";

export interface FerrisSettings {
  readonly tools: { readonly crate_sources: boolean; readonly rust_crate_query: boolean };
  /** Also in sessions where there is no Rust. */
  readonly everywhere: boolean;
  /** Answers of research are kept as long as the agent runs. */
  readonly cacheAnswers: boolean;
}

/** `wrong` hears a sentence. */
export function settingsIn(settings: JsonObject, wrong: (sentence: string) => void): FerrisSettings {
  const flag = (of: JsonObject, name: string, otherwise: boolean, path = name): boolean => {
    const value = of[name];
    if (value !== undefined && typeof value !== "boolean")
      wrong(`The setting “${path}” of Ferris has to be true or false.`);
    return typeof value === "boolean" ? value : otherwise;
  };
  const { tools = {} } = settings,
    chosen = isObject(tools) ? tools : {};
  if (!isObject(tools)) wrong("The setting “tools” of Ferris has to be an object.");
  return {
    tools: {
      crate_sources: flag(chosen, "crate_sources", true, "tools.crate_sources"),
      rust_crate_query: flag(chosen, "rust_crate_query", true, "tools.rust_crate_query"),
    },
    everywhere: flag(settings, "everywhere", false),
    cacheAnswers: flag(settings, "cacheAnswers", true),
  };
}
