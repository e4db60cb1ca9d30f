/** Start options of a tab's session, such as agent and folder. Also detects tabs whose options have changed since. */
import * as l10n from "@vscode/l10n";
import { SidecarExited, SidecarRefused } from "../errors";
import type { AgentConfig } from "../protocol/agents/agents";
import { isObject } from "../protocol/wire/json";
import type { NewChat } from "../protocol/sidecar";
import {
  BYPASSED_BY,
  type Bypassed,
  type BypassedBy,
  type TabId,
  type TabPosition,
} from "../protocol/page/host-to-page";
import type { Settings } from "../settings/store/settings";
import type { ChatDeps } from "./chat-deps";

/** A tab without a session. */
export type StartPosition = Pick<TabPosition, "tabId" | "agentId" | "cwd"> & Pick<NewChat, "start">;

type SessionStartDeps = Pick<ChatDeps, "settings" | "selectAgent" | "folders" | "chosen" | "firstScreen"> & {
  readonly sidecar: Pick<ChatDeps["sidecar"], "client">;
};

export class SessionStarts {
  readonly #started = new Map<TabId, StartSettings>();
  /** Resolves when the last selection of the agent for new tabs is stored in the settings. */
  #selecting: Promise<void> = Promise.resolve();

  constructor(private readonly deps: SessionStartDeps) {}

  agentOf(tabId: TabId): string {
    return this.#started.get(tabId)?.agent.name ?? l10n.t("the agent");
  }
  agentIdOf(tabId: TabId): string | undefined {
    return this.#started.get(tabId)?.agent.id;
  }
  /** Working folder of the tab's last session in this window. */
  folderOf(tabId: TabId): string | undefined {
    return this.#started.get(tabId)?.cwd;
  }
  forget(tabId: TabId): void {
    this.#started.delete(tabId);
  }

  /** The tabs whose options have changed since their start. */
  outdated(tabs: readonly TabId[]): readonly TabId[] {
    const settings = this.deps.settings(),
      fingerprints = new Map(settings.agents.map(agent => [agent.id, fingerprintOf(agent, settings)]));
    return tabs.filter(tabId => {
      const started = this.#started.get(tabId);
      return started && fingerprints.get(started.agent.id) !== started.fingerprint;
    });
  }

  /** The tabs in which some actions currently run without a permission request. */
  bypassed(tabs: readonly TabId[]): readonly Bypassed[] {
    const { bypass } = this.deps.settings();
    return tabs.flatMap(tabId => {
      const started = this.#started.get(tabId),
        by: readonly BypassedBy[] = started
          ? [...(bypass.includes(started.agent.id) ? (["agent"] as const) : []), ...started.approving]
          : [];
      return by.length === 0 ? [] : [{ tabId, by }];
    });
  }

  async selectAgent(agentId: string): Promise<void> {
    const selected = this.#select(agentId);
    this.#selecting = selected.catch(() => undefined); // reported to the caller
    await selected;
  }

  async #select(agentId: string): Promise<void> {
    const isConfigured = (): boolean => this.deps.settings().agents.some(({ id }) => id === agentId);
    if (!isConfigured()) await this.deps.firstScreen.addFound(agentId);
    if (!isConfigured()) throw new Error(l10n.t`No agent has the id ${agentId}.`);
    await this.deps.selectAgent(agentId);
  }

  /**
   * `agentId` and `cwd`: as before. Default: those of the tab's last session in this window, otherwise the agent for
   * new tabs, after a pending selection, and a folder of the workspace. May ask the user.
   */
  of(position: StartPosition): () => Promise<NewChat> {
    const { tabId, start } = position,
      started = this.#started.get(tabId),
      { agentId = started?.agent.id, cwd = started?.cwd } = position;
    const selecting = this.#selecting;
    return async () => {
      await selecting;
      const settings = this.deps.settings(),
        { agents, currentAgentId, protocolV2 } = settings;
      const agent = agents.find(({ id }) => id === agentId) ?? agents.find(({ id }) => id === currentAgentId);
      if (!agent) throw new Error(l10n.t`No agent has the id ${currentAgentId}.`);
      this.#started.set(tabId, startSettings(agent, settings));
      const folder = await this.#folderOf(tabId, cwd);
      // The request contains the agent. The sidecar uses the extensions that it has when the request arrives.
      if (this.#started.has(tabId))
        this.#started.set(tabId, { ...startSettings(agent, { ...this.deps.settings(), protocolV2 }), cwd: folder });
      const controls = this.deps.chosen.of(agent.id),
        folders = this.deps.folders.all;
      return {
        conversation: tabId,
        ...(start === undefined ? {} : { start }),
        agent,
        cwd: folder,
        ...(controls === undefined ? {} : { controls }),
        ...(protocolV2 ? { protocol: 2 } : {}),
        ...(folders.length > 1 ? { folders } : {}),
      };
    };
  }

  /** A folder outside the workspace must be that of the stored session, because the page is not trusted. */
  async #folderOf(tabId: TabId, cwd: string | undefined): Promise<string> {
    const { folders } = this.deps,
      isPermitted = cwd !== undefined && (folders.isOurs(cwd) || (await this.#storedFolder(tabId)) === cwd);
    return isPermitted ? cwd : folders.choose();
  }

  /** `undefined`: the conversation is not stored. Waits for the next sidecar after an exit. */
  async #storedFolder(conversation: string): Promise<string | undefined> {
    const client = await this.deps.sidecar.client();
    try {
      return (await client.request("sessions/open", { ref: { kind: "stored", conversation } })).cwd;
    } catch (error) {
      if (error instanceof SidecarExited) return this.#storedFolder(conversation);
      if (error instanceof SidecarRefused) return undefined;
      throw error;
    }
  }
}

interface StartSettings {
  readonly agent: AgentConfig;
  /** Absent until the folder has been chosen. */
  readonly cwd?: string;
  readonly fingerprint: string;
  /** Ids of built-in extensions that bypass permission requests. */
  readonly approving: readonly BypassedBy[];
}

function startSettings(agent: AgentConfig, settings: Settings): StartSettings {
  return { agent, fingerprint: fingerprintOf(agent, settings), approving: approvingExtensions(settings) };
}

function approvingExtensions({ extensions }: Settings): readonly BypassedBy[] {
  const ids = extensions
    .filter(({ _source, settings }) => _source === "built-in" && settings?.["approve"] === "all")
    .map(({ id }) => id);
  return BYPASSED_BY.filter(each => each !== "agent" && ids.includes(each));
}

/** Fingerprint of the settings that apply to a session, without display names. */
function fingerprintOf({ distribution }: AgentConfig, { extensions, protocolV2 }: Settings): string {
  const before = extensions.map(extension => ({
    id: extension.id,
    kind: extension.kind,
    distribution: extension.distribution,
    settings: extension.settings,
  }));
  return JSON.stringify({ distribution, protocolV2, before }, (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}
