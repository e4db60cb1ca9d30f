/** Adds a recommended extension to the settings, in the same form as one that the user selects in the list. */
import * as l10n from "@vscode/l10n";
import type { RegistryView } from "../../protocol/agents/agent-service";
import type { Recommendation } from "../../protocol/agents/recommendations";
import type { Fields } from "../../protocol/wire/json";
import { customEntry } from "./custom-entry";
import { added, ofKind } from "./extension-items";

export interface AddRecommendedDeps {
  /** Reads the registry over the network. */
  registry(): Promise<RegistryView>;
  /** Fetches the entry at a URL. Rejects with a message for the user. */
  entryAt(url: string): Promise<Fields>;
  /** Resolves with whether the entry may be added. */
  confirm(recommendation: Recommendation, entry: Fields): Promise<boolean>;
  /** Changes the user's value of `symposium.extensions`. */
  change(change: (value: unknown) => unknown): Promise<void>;
}

/** Resolves with the id of the new entry; `undefined`: the user cancelled. Rejects with a message for the user. */
export async function addRecommended(
  recommendation: Recommendation,
  deps: AddRecommendedDeps,
): Promise<string | undefined> {
  const { entry, isOwn } = await entryOf(recommendation, deps);
  if (!(await deps.confirm(recommendation, entry))) return undefined;
  let { id } = entry;
  await deps.change(value => {
    const after = added(value, entry, isOwn);
    id = after.id;
    return after.value;
  });
  return id;
}

/** `isOwn`: the entry gets a free id. */
async function entryOf(
  { source, kind, name }: Recommendation,
  { registry, entryAt }: AddRecommendedDeps,
): Promise<{ readonly entry: Fields & { readonly id: string }; readonly isOwn: boolean }> {
  if ("crate" in source) {
    const entry = customEntry(
      { kind: "cargo", source: source.crate, args: "", ...(name === undefined ? {} : { name }) },
      [],
    );
    return { entry: ofKind(entry, kind ?? "proxy"), isOwn: true };
  }
  if ("url" in source) {
    const entry = await entryAt(source.url),
      { id } = entry;
    return { entry: { ...entry, id: typeof id === "string" ? id : "custom" }, isOwn: true };
  }
  const { extensions, problem } = await registry(),
    found = extensions.find(({ id }) => id === source.acp);
  if (!found) throw new Error(problem ?? l10n.t`The registry has no extension “${source.acp}”.`);
  if (found.missing !== undefined) throw new Error(found.missing);
  return { entry: { ...found.entry, id: found.id }, isOwn: false };
}
