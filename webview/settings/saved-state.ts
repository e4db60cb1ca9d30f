/** State that persists when VS Code destroys and recreates the page. Pure. */
import { isObject, isStrings } from "../../src/protocol/wire/json";
import { MAX_UNFOLDED } from "./model";
import { MAX_QUERY } from "./search";

export interface Saved {
  readonly unfolded: readonly string[];
  readonly query: string;
  readonly scroll: number;
}

/** Validates the state of an earlier page, which may have been saved by an earlier version. */
export function savedFrom(value: unknown): Saved {
  if (!isObject(value)) return { unfolded: [], query: "", scroll: 0 };
  const { unfolded, query, scroll } = value;
  return {
    unfolded: isStrings(unfolded) ? unfolded.slice(-MAX_UNFOLDED) : [],
    query: typeof query === "string" ? query.slice(0, MAX_QUERY) : "",
    scroll: typeof scroll === "number" && Number.isSafeInteger(scroll) && scroll > 0 ? scroll : 0,
  };
}
