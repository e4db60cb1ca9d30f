/** Items of the list from which a user adds an extension, and the resulting settings entries. Pure. */
import * as l10n from "@vscode/l10n";
import type { RegistryView } from "../../protocol/agents/agent-service";
import { BUILT_IN_EXTENSIONS, type ExtensionConfig } from "../../protocol/agents/extensions";
import type { Fields } from "../../protocol/wire/json";
import { besideOthers, customSources, takenIds, type CustomSource } from "./custom-entry";
import { withExtension, type ConfiguredExtension } from "./extensions";

export type ExtensionChoice =
  | { readonly kind: "entry"; readonly entry: Fields & { readonly id: string } }
  | { readonly kind: "custom"; readonly way: CustomSource };

/** Without `chosen` the item is informational. */
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

const ADDED = l10n.t("already added");

/** `registry`: absent while it is being read. Omits the group of built-in extensions if it is empty. */
export function extensionGroups(
  all: readonly ConfiguredExtension[],
  registry: RegistryView | undefined,
  builtIns: readonly ExtensionConfig[] = BUILT_IN_EXTENSIONS,
): readonly ExtensionGroup[] {
  const isAdded = (id: string): boolean => all.some(({ config }) => config.id === id);
  const builtInItems = builtIns.map(
    ({ id, name, description }): ExtensionItem => ({
      label: name,
      ...(description === undefined ? {} : { detail: description }),
      ...(isAdded(id) ? { description: ADDED } : { chosen: { kind: "entry", entry: { id, _source: "built-in" } } }),
    }),
  );
  return [
    ...(builtInItems.length === 0 ? [] : [{ title: l10n.t("Built-in"), items: builtInItems }]),
    {
      title: l10n.t("From Registry"),
      items: registry ? registryItems(registry, isAdded) : [{ label: l10n.t("Reading the agent registry…") }],
    },
    {
      title: l10n.t("Add Custom"),
      items: customSources("extension").map(way => ({ label: way.label, chosen: { kind: "custom", way } })),
    },
  ];
}

function registryItems(
  { extensions, problem }: RegistryView,
  isAdded: (id: string) => boolean,
): readonly ExtensionItem[] {
  const items = extensions.map(({ id, name, version, description, missing, entry }): ExtensionItem => {
    const canAdd = missing === undefined && !isAdded(id);
    return {
      label: missing === undefined ? name : `$(circle-slash) ${name}`,
      description: isAdded(id) ? `${version}, ${ADDED}` : version,
      ...((missing ?? description) ? { detail: missing ?? description } : {}),
      ...(canAdd ? { chosen: { kind: "entry", entry: { ...entry, id } } } : {}),
    };
  });
  const warnings: readonly ExtensionItem[] = problem === undefined ? [] : [{ label: `$(warning) ${problem}` }];
  return [
    ...warnings,
    ...items.toSorted((a, b) => Number(a.chosen === undefined) - Number(b.chosen === undefined)),
    ...(items.length + warnings.length === 0 ? [{ label: l10n.t("The registry has no agent extensions.") }] : []),
  ];
}

/** Kinds of custom extensions, which cannot be detected from a program. */
export const CUSTOM_KINDS: readonly {
  readonly label: string;
  readonly detail: string;
  readonly is: "proxy" | "mcp";
}[] = [
  {
    label: l10n.t("Agent extension"),
    detail: l10n.t("A proxy for all messages between the chat and the agent (Agent Client Protocol)"),
    is: "proxy",
  },
  {
    label: l10n.t("MCP server"),
    detail: l10n.t("Tools for the agent, started in each session (Model Context Protocol)"),
    is: "mcp",
  },
];

export function ofKind(
  entry: Fields & { readonly id: string },
  kind: "proxy" | "mcp",
): Fields & { readonly id: string } {
  return kind === "mcp" ? { ...entry, kind } : entry;
}

/** Finds the active item in an updated list. `undefined`: it was removed, or cannot be chosen. */
export function sameItem<I extends ExtensionItem>(
  items: readonly I[],
  active: ExtensionItem | undefined,
): I | undefined {
  return active?.chosen && items.find(({ chosen }) => JSON.stringify(chosen) === JSON.stringify(active.chosen));
}

/**
 * Adds an entry to a value of `symposium.extensions`, and returns its id there. `isOwn`: a custom entry, which gets a
 * free id.
 */
export function added(
  value: unknown,
  entry: Fields & { readonly id: string },
  isOwn: boolean,
  builtIns: readonly ExtensionConfig[] = BUILT_IN_EXTENSIONS,
): { readonly value: unknown; readonly id: string } {
  const newEntry = isOwn ? besideOthers(entry, [...builtIns.map(({ id }) => id), ...takenIds(value)]) : entry;
  return { value: withExtension(value, newEntry), id: newEntry.id };
}
