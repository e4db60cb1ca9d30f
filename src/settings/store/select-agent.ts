/**
 * Lets the user select the agent for new tabs from configured and available agents. Writes it to the user's settings.
 */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { ageOf } from "../../protocol/text/age";
import type { RegistryAgent, RegistryView } from "../../protocol/agents/agent-service";
import { entryOf, type FoundPrograms } from "../../protocol/agents/known-programs";
import { errorMessage } from "../../protocol/wire/errors";
import type { Configuration } from "./configuration";
import { agentGroups, registryItems, type AgentItem } from "./agent-items";

export interface AgentSources {
  /** Reads the registry over the network. Rejects with a message for the user. */
  registry(): Promise<RegistryView>;
  /** Agent programs on this computer. Rejects if they cannot be detected. */
  found(): Promise<FoundPrograms>;
}

export interface SelectedAgent {
  readonly id: string;
  /** The name of an agent that was added from the registry. It is installed when a tab starts it. */
  readonly added?: string;
}

/** `refuse` shows a sentence to the user: nothing was selected. `undefined`: refused, or the user cancelled. */
export async function selectAgent(
  configuration: Configuration,
  sources: AgentSources,
  refuse: (sentence: string) => void,
): Promise<SelectedAgent | undefined> {
  const selected = await chosenAgent(configuration, sources, refuse);
  if (selected !== undefined) await configuration.selectAgent(selected.id);
  return selected;
}

async function chosenAgent(
  configuration: Configuration,
  sources: AgentSources,
  refuse: (sentence: string) => void,
): Promise<SelectedAgent | undefined> {
  const chosen = await pick(configuration, sources);
  switch (chosen?.kind) {
    case undefined:
      return undefined;
    case "agent":
      return { id: chosen.id };
    case "new":
      await configuration.addAgent(entryOf(chosen.found));
      return { id: chosen.found.agent.id };
    case "more": {
      const added = await addFromRegistry(configuration, sources, refuse);
      return added && { id: added.id, added: added.name };
    }
  }
}

/** Adds an agent of the registry to the user's settings. `undefined`: the user cancelled, or the reason was shown. */
export async function addFromRegistry(
  configuration: Configuration,
  { registry }: Pick<AgentSources, "registry">,
  refuse: (sentence: string) => void,
): Promise<Pick<RegistryAgent, "id" | "name"> | undefined> {
  if (!vscode.workspace.isTrusted)
    return void refuse(
      l10n.t("Symposium starts and downloads nothing in an untrusted workspace. Trust the workspace first."),
    );
  const view = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: l10n.t("Reading the agent registry…") },
    async () => registry().catch(failedRegistry),
  );
  if (view.agents.length === 0) return void refuse(view.problem ?? l10n.t("The registry has no agents."));
  const items = registryItems(
    view.agents,
    configuration.settings.agents.map(({ id }) => id),
  );
  const age =
    view.fetchedAt === undefined ? "" : l10n.t` This list was read ${ageOf(Date.now() - view.fetchedAt)} ago.`;
  const placeHolder = view.problem === undefined ? l10n.t("Installed with the first tab") : `${view.problem}${age}`;
  const item = await vscode.window.showQuickPick(items, {
    title: l10n.t("Agents from the Registry"),
    placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (!item) return undefined;
  if (item.agent.missing !== undefined) return void refuse(item.agent.missing);
  await configuration.addAgent(item.agent.entry);
  return item.agent;
}

function failedRegistry(error: unknown): RegistryView {
  return { agents: [], extensions: [], problem: errorMessage(error) };
}

type Item = vscode.QuickPickItem & { readonly chosen?: AgentItem["chosen"] };

/** Shows the list immediately, and adds detected programs when they are known. */
async function pick(configuration: Configuration, { found }: AgentSources): Promise<AgentItem["chosen"] | undefined> {
  const list = vscode.window.createQuickPick<Item>();
  list.title = l10n.t("Agent of New Tabs");
  list.placeholder = l10n.t("Tabs with an answer keep their agent");
  list.items = itemsOf(configuration, {});
  list.matchOnDescription = true;
  let isOpen = true;
  const chosen = new Promise<AgentItem["chosen"] | undefined>(resolve => {
    list.onDidAccept(() => resolve(list.selectedItems[0]?.chosen));
    list.onDidHide(() => {
      isOpen = false;
      resolve(undefined);
    });
  });
  list.show();
  if (vscode.workspace.isTrusted) {
    list.busy = true;
    void found()
      .catch((): FoundPrograms => ({}))
      .then(programs => {
        if (!isOpen) return;
        list.busy = false;
        if (Object.keys(programs).length > 0) replaceItems(list, itemsOf(configuration, programs));
      });
  }
  try {
    return await chosen;
  } finally {
    list.dispose();
  }
}

/** Keeps the active item active. */
function replaceItems(list: vscode.QuickPick<Item>, items: readonly Item[]): void {
  const active = list.activeItems[0]?.chosen;
  list.keepScrollPosition = true;
  list.items = items;
  const same = items.find(({ chosen }) => JSON.stringify(chosen) === JSON.stringify(active));
  if (active && same) list.activeItems = [same];
}

function itemsOf({ settings }: Configuration, programs: FoundPrograms): readonly Item[] {
  return agentGroups(settings, programs).flatMap(({ title, items }, i): Item[] => [
    ...(i === 0 ? [] : [{ label: title, kind: vscode.QuickPickItemKind.Separator }]),
    ...items,
  ]);
}
