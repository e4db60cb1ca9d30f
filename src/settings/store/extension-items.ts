/** What stands in the list of extensions that a user adds one from, and what comes into the settings then. Pure. */
import type { RegistryView } from "../../protocol/agent-service";
import { BUILT_IN_EXTENSIONS, type ExtensionConfig } from "../../protocol/extensions";
import type { Fields } from "../../protocol/json";
import { besideOthers, customWays, takenIds, type CustomWay } from "./custom-entry";
import { withExtension, type ConfiguredExtension } from "./extensions";

export type ExtensionChoice =
  | { readonly kind: "entry"; readonly entry: Fields & { readonly id: string } }
  | { readonly kind: "custom"; readonly way: CustomWay };

/** Without `chosen` it is there to be read. */
export interface ExtensionItem {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly chosen?: ExtensionChoice;
}
export interface ExtensionGroup {
  readonly title: string;
  readonly items: readonly ExtensionItem[];
}

const ADDED = "already added";

/** `registry`: absent as long as it is being read. Of nothing built in there is no group. */
export function extensionGroups(
  all: readonly ConfiguredExtension[],
  registry: RegistryView | undefined,
  builtIns: readonly ExtensionConfig[] = BUILT_IN_EXTENSIONS,
): readonly ExtensionGroup[] {
  const isThere = (id: string): boolean => all.some(({ config }) => config.id === id);
  const ours = builtIns.map(
    ({ id, name, description }): ExtensionItem => ({
      label: name,
      ...(description === undefined ? {} : { detail: description }),
      ...(isThere(id) ? { description: ADDED } : { chosen: { kind: "entry", entry: { id, _source: "built-in" } } }),
    }),
  );
  return [
    ...(ours.length === 0 ? [] : [{ title: "Built-in", items: ours }]),
    {
      title: "From Registry",
      items: registry ? registryItems(registry, isThere) : [{ label: "Reading the agent registry…" }],
    },
    {
      title: "Add Custom",
      items: customWays("extension").map(way => ({ label: way.label, chosen: { kind: "custom", way } })),
    },
  ];
}

function registryItems(
  { extensions, problem }: RegistryView,
  isThere: (id: string) => boolean,
): readonly ExtensionItem[] {
  const items = extensions.map(({ id, name, version, description, missing, entry }): ExtensionItem => {
    const canBe = missing === undefined && !isThere(id);
    return {
      label: missing === undefined ? name : `$(circle-slash) ${name}`,
      description: isThere(id) ? `${version}, ${ADDED}` : version,
      ...((missing ?? description) ? { detail: missing ?? description } : {}),
      ...(canBe ? { chosen: { kind: "entry", entry: { ...entry, id } } } : {}),
    };
  });
  const odd: readonly ExtensionItem[] = problem === undefined ? [] : [{ label: `$(warning) ${problem}` }];
  return [
    ...odd,
    ...items.toSorted((a, b) => Number(a.chosen === undefined) - Number(b.chosen === undefined)),
    ...(items.length + odd.length === 0 ? [{ label: "It has no agent extensions." }] : []),
  ];
}

/** What a user adds by hand: what of a program cannot be seen from outside. */
export const CUSTOM_KINDS: readonly {
  readonly label: string;
  readonly detail: string;
  readonly is: "proxy" | "mcp";
}[] = [
  {
    label: "Agent extension",
    detail: "A proxy: all that the chat and the agent say to each other goes through it (Agent Client Protocol)",
    is: "proxy",
  },
  {
    label: "MCP server",
    detail: "Tools for the agent, which starts it in each session (Model Context Protocol)",
    is: "mcp",
  },
];

export function ofKind(
  entry: Fields & { readonly id: string },
  kind: "proxy" | "mcp",
): Fields & { readonly id: string } {
  return kind === "mcp" ? { ...entry, kind } : entry;
}

/**
 * What the user is at in a list stays what they are at when others come into it; `undefined`: it is not there any more,
 * or was nothing to choose.
 */
export function sameItem<I extends ExtensionItem>(
  items: readonly I[],
  active: ExtensionItem | undefined,
): I | undefined {
  return active?.chosen && items.find(({ chosen }) => JSON.stringify(chosen) === JSON.stringify(active.chosen));
}

/**
 * The value of `symposium.extensions` with this entry, and the id that it has there: of its own, where it is the
 * user's.
 */
export function added(
  value: unknown,
  entry: Fields & { readonly id: string },
  isOwn: boolean,
  builtIns: readonly ExtensionConfig[] = BUILT_IN_EXTENSIONS,
): { readonly value: unknown; readonly id: string } {
  const one = isOwn ? besideOthers(entry, [...builtIns.map(({ id }) => id), ...takenIds(value)]) : entry;
  return { value: withExtension(value, one), id: one.id };
}
