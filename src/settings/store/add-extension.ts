/** Lets the user add an agent extension, from a list or by hand. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { showWarning } from "../../notifications";
import type { RegistryView } from "../../protocol/agents/agent-service";
import type { Fields } from "../../protocol/wire/json";
import { errorMessage } from "../../protocol/wire/errors";
import { askCustom } from "./ask-custom";
import {
  added,
  CUSTOM_KINDS,
  extensionGroups,
  ofKind,
  sameItem,
  type ExtensionChoice,
  type ExtensionGroup,
  type ExtensionItem,
} from "./extension-items";
import type { ConfiguredExtension } from "./extensions";

export interface AddExtensionDeps {
  readonly all: readonly ConfiguredExtension[];
  /** Reads the registry over the network. */
  registry(): Promise<RegistryView>;
  /** Fetches the entry at a URL. Rejects with a message for the user. */
  entryAt(url: string): Promise<Fields>;
  /** Changes the user's value of `symposium.extensions`. */
  change(change: (value: unknown) => unknown): Promise<void>;
}

/** Resolves with the id of the new entry; `undefined`: the user cancelled, or an error was shown. */
export async function addExtension(deps: AddExtensionDeps): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted)
    return void showWarning(
      l10n.t("Symposium starts and downloads nothing in an untrusted workspace. Trust the workspace first."),
    );
  const chosen = await choose(deps);
  const entry = chosen?.kind === "custom" ? await custom(deps, chosen) : chosen?.entry;
  if (!chosen || !entry) return undefined;
  let id = entry.id;
  await deps.change(value => {
    const after = added(value, entry, chosen.kind === "custom");
    id = after.id;
    return after.value;
  });
  return id;
}

async function custom(
  { all, entryAt }: AddExtensionDeps,
  { way }: Extract<ExtensionChoice, { readonly kind: "custom" }>,
): Promise<(Fields & { readonly id: string }) | undefined> {
  // A downloaded document contains its kind.
  const kind =
    way.kind === "url"
      ? "proxy"
      : way.kind === "server"
        ? "mcp"
        : (
            await vscode.window.showQuickPick([...CUSTOM_KINDS], {
              title: l10n.t("Add Agent Extension"),
              placeHolder: l10n.t("Type of the extension"),
              ignoreFocusOut: true,
            })
          )?.is;
  const answer =
    kind &&
    (await askCustom(
      "extension",
      way,
      all.map(({ config }) => config.id),
    ));
  if (!answer || answer.kind !== "url") return answer && ofKind(answer.entry, kind);
  try {
    const entry = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: l10n.t("Reading extension.json…") },
        async () => entryAt(answer.url),
      ),
      { id } = entry;
    return { ...entry, id: typeof id === "string" ? id : "custom" };
  } catch (error) {
    return void showWarning(errorMessage(error));
  }
}

/** Adds the registry's entries to the list when they have been read. */
async function choose(deps: AddExtensionDeps): Promise<ExtensionChoice | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = l10n.t("Add Agent Extension");
  picker.placeholder = l10n.t("Applies to new sessions");
  picker.matchOnDetail = true;
  picker.busy = true;
  picker.items = itemsOf(extensionGroups(deps.all, undefined));
  deps
    .registry()
    .catch(
      (error: unknown): RegistryView => ({
        agents: [],
        extensions: [],
        problem: errorMessage(error),
      }),
    )
    .then(
      view => {
        const items = itemsOf(extensionGroups(deps.all, view)),
          same = sameItem(items, picker.activeItems[0]);
        picker.keepScrollPosition = true;
        picker.items = items;
        if (same) picker.activeItems = [same];
        picker.busy = false;
      },
      () => undefined,
    );
  try {
    return await new Promise<ExtensionChoice | undefined>(resolve => {
      picker.onDidAccept(() => {
        const chosen = picker.selectedItems[0]?.chosen;
        if (chosen) resolve(chosen);
      });
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
  } finally {
    picker.dispose();
  }
}

type Item = ExtensionItem & vscode.QuickPickItem;

function itemsOf(groups: readonly ExtensionGroup[]): Item[] {
  return groups.flatMap(({ title, items }): Item[] => [
    { label: title, kind: vscode.QuickPickItemKind.Separator },
    ...items,
  ]);
}
