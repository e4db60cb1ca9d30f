/** Fixture: the settings controller with simulated pages, sidecar and settings. */
import { Log } from "../log";
import { FakeClock } from "../protocol/testing/fake-clock";
import type { AgentState, InstallState } from "../protocol/agents/agent-service";
import type { SettingsToHost } from "../protocol/settings/settings-to-host";
import type { HostToSettings, SettingsView } from "../protocol/settings/settings-view";
import { SettingsController } from "../settings/view/settings-controller";
import type { SettingsDeps } from "../settings/view/settings-deps";
import { addQuestion } from "../settings/view/recommendation-question";
import { Recommendations } from "../settings/view/recommendations";
import { UpdateCheck } from "../settings/view/update-check";
import { addRecommended } from "../settings/store/add-recommended";
import { withAgent, withBypass, withoutAgent } from "../settings/store/agents";
import type { KeyValueStore } from "../settings/store/persisted-controls";
import { readSettings, type Settings } from "../settings/store/settings";
import { updatableIn, withUpdate } from "../settings/store/update-policy";
import type { SidecarPhase } from "../sidecar/restart-policy";
import { FakeSidecar } from "./fake-sidecar";
import { settled } from "./settled";

/** An entry from an earlier version of the registry. */
export const ADA = {
  id: "ada",
  name: "Ada",
  version: "1.0.0",
  description: "counts",
  distribution: { npx: { package: "@x/ada@1.0.0" } },
  _source: "registry",
} as const;
export const HOUSE = {
  id: "house",
  name: "House rules",
  distribution: { cargo: { crate: "house" } },
  _source: "custom",
  _enabled: true,
} as const;

/** A simulated settings page and the messages posted to it. */
export class PlayedPage {
  readonly posted: HostToSettings[] = [];
  readonly #handle: ReturnType<SettingsController["attach"]>;

  constructor(
    controller: SettingsController,
    readonly isPage: boolean,
  ) {
    this.#handle = controller.attach({
      isPage,
      post: message => {
        this.posted.push(message);
      },
    });
  }

  async send(...messages: SettingsToHost[]): Promise<void> {
    for (const message of messages) void this.#handle.onMessage(message);
    await settled();
  }
  press(
    id: string,
    action: Extract<SettingsToHost, { type: "row" }>["action"],
    of: "agent" | "extension" = "agent",
  ): Promise<void> {
    return this.send({ type: "row", of, id, action });
  }
  hidden(): void {
    this.#handle.hidden();
  }
  dispose(): void {
    this.#handle.dispose();
  }

  of<T extends HostToSettings["type"]>(type: T): Extract<HostToSettings, { type: T }>[] {
    return this.posted.filter((message): message is Extract<HostToSettings, { type: T }> => message.type === type);
  }
  get view(): SettingsView {
    const last = this.of("view").at(-1);
    if (!last) throw new Error("no view was posted");
    return last.view;
  }
  row(
    id: string,
    of: "agents" | "extensions" = "agents",
  ): SettingsView["agents"][number] | SettingsView["extensions"][number] {
    const row = this.view[of].find(item => item.id === id);
    if (!row) throw new Error(`no row of ${id}`);
    return row;
  }
}

const storeIn = (memory: Map<string, unknown>): KeyValueStore => ({
  get: key => memory.get(key),
  update: async (key, value) => {
    memory.set(key, value);
  },
});

export class SettingsPlay {
  readonly sidecar = new FakeSidecar();
  readonly clock = new FakeClock();
  phase: SidecarPhase = { kind: "running", run: 1, node: "own", deaths: [] };
  trusted = true;
  now = 1_000_000;
  outdated = 0;
  values: Record<string, unknown> = { "symposium.agents": [ADA], "symposium.extensions": [HOUSE] };
  settings: Settings = this.#read();
  confirms: boolean | Promise<boolean> = true;
  takes = true;
  adds: () => Promise<string | undefined> = async () => undefined;
  writeProblem: Error | undefined;
  storeProblem: Error | undefined;
  readonly withKeys = new Set<string>();
  readonly memory = new Map<string, unknown>();
  readonly done: string[] = [];
  readonly log = new Log();
  readonly updates: UpdateCheck;
  readonly recommendations: Recommendations;
  readonly workspaceMemory = new Map<string, unknown>();
  folders: readonly string[] = ["/w"];
  shows = false;
  readonly controller: SettingsController;

  constructor() {
    const play = this;
    this.sidecar.reply("agents/find", () => ({ found: {} }));
    this.sidecar.reply("agents/states", ({ agents, extensions }) => ({
      agents: Object.fromEntries(
        agents.map(({ id }): [string, AgentState] => [id, { kind: "npx", install: { kind: "missing" }, running: 0 }]),
      ),
      extensions: Object.fromEntries(
        extensions.map(({ id }): [string, InstallState] => [
          id,
          { kind: "cargo", install: { kind: "installed", version: "0.1.0" } },
        ]),
      ),
    }));
    this.sidecar.reply("recommendations/read", () => ({ recommendations: [], stale: [], problems: [] }));
    this.sidecar.reply("registry/icons", () => ({ icons: {} }));
    this.sidecar.reply("registry/updates", () => ({ updates: [], fetchedAt: this.now }));
    this.sidecar.reply("agents/install", () => ({ version: "1.2.3" }));
    this.updates = new UpdateCheck({
      client: () => this.sidecar.current(),
      settings: () => this.settings,
      updatable: () =>
        updatableIn(this.values["symposium.agents"], this.values["symposium.extensions"], this.settings.agents),
      isTrusted: () => this.trusted,
      now: () => this.now,
      memory: storeIn(this.memory),
      replace: async update => {
        const name = update.of === "agent" ? "symposium.agents" : "symposium.extensions",
          before = this.values[name];
        await this.#change(name, value => withUpdate(value, update));
        return this.values[name] !== before;
      },
      ask: async sentence => {
        this.done.push(`ask ${sentence}`);
        return this.takes;
      },
      notify: sentence => {
        this.done.push(`tell ${sentence}`);
      },
      changed: () => this.controller.changed(),
      log: this.log,
    });
    this.recommendations = new Recommendations({
      clock: this.clock,
      client: () => this.sidecar.current(),
      isSidecarRunning: () => this.phase.kind === "running",
      settings: () => this.settings,
      folders: () => this.folders,
      isTrusted: () => this.trusted,
      shared: this.#storeIn(this.memory),
      workspace: this.#storeIn(this.workspaceMemory),
      add: async recommendation =>
        addRecommended(recommendation, {
          registry: async () => (await this.sidecar.current()).request("registry/agents", {}),
          entryAt: async url =>
            (await (await this.sidecar.current()).request("registry/extension", { url, of: "extension" })).entry,
          confirm: async (wanted, entry) => {
            const ask = addQuestion(wanted, entry);
            if (ask) this.done.push(`confirm ${ask.question}`);
            return ask === undefined || this.confirms;
          },
          change: async change => this.#change("symposium.extensions", change),
        }),
      ask: async sentence => {
        this.done.push(`ask ${sentence}`);
        return this.shows;
      },
      show: () => {
        this.done.push("show");
      },
      changed: () => this.controller.changed(),
      log: this.log,
    });
    const configuration: SettingsDeps["configuration"] = {
      get settings() {
        return play.settings;
      },
      selectAgent: async id => this.#change("symposium.currentAgentId", () => id),
      addAgent: async entry => this.#change("symposium.agents", value => withAgent(value, entry)),
      removeAgent: async id => this.#change("symposium.agents", value => withoutAgent(value, id)),
      setBypass: async (id, isOn) => this.#change("symposium.agents", value => withBypass(value, id, isOn)),
      changeExtensions: async change => this.#change("symposium.extensions", change),
      set: async (name, value) => this.#change(name, () => value),
    };
    this.controller = new SettingsController({
      sidecar: {
        get phase() {
          return play.phase;
        },
        client: () => this.sidecar.current(),
      },
      configuration,
      updates: this.updates,
      recommendations: this.recommendations,
      log: this.log,
      isTrusted: () => this.trusted,
      now: () => this.now,
      cwd: () => "/w",
      outdatedTabs: () => this.outdated,
      hasKeys: async id => this.withKeys.has(id),
      offerTab: sentence => {
        this.done.push(`offer ${sentence}`);
      },
      openTab: async id => {
        this.done.push(`tab ${id ?? ""}`);
      },
      confirm: async question => {
        this.done.push(`confirm ${question}`);
        return this.confirms;
      },
      copy: async text => {
        this.done.push(`copy ${text}`);
      },
      openPage: async url => {
        this.done.push(`page ${url}`);
      },
      go: async to => {
        this.done.push(`go ${to}`);
      },
      add: async what => {
        this.done.push(`add ${what}`);
        return this.adds();
      },
      notify: sentence => {
        this.done.push(`tell ${sentence}`);
      },
    });
  }

  /** Opens a page that is ready and shows the sidecar's states. */
  async page(isPage = false): Promise<PlayedPage> {
    const page = new PlayedPage(this.controller, isPage);
    await page.send({ type: "ready" });
    return page;
  }

  async become(phase: SidecarPhase): Promise<void> {
    this.phase = phase;
    this.controller.phaseChanged(phase);
    await settled();
  }

  async write(name: string, value: unknown): Promise<void> {
    await this.#change(name, () => value);
    await settled();
  }

  calls(method: string): unknown[] {
    return this.sidecar.calls.filter(call => call.method === method).map(({ params }) => params);
  }

  async #change(name: string, change: (value: unknown) => unknown): Promise<void> {
    if (this.writeProblem) throw this.writeProblem;
    this.values = { ...this.values, [name]: change(this.values[name]) };
    this.settings = this.#read();
    this.controller.settingsChanged();
  }

  /** Fails with `storeProblem`. */
  #storeIn(memory: Map<string, unknown>): KeyValueStore {
    const { get, update } = storeIn(memory);
    return {
      get,
      update: async (key, value) => {
        if (this.storeProblem) throw this.storeProblem;
        await update(key, value);
      },
    };
  }

  #read(): Settings {
    return readSettings(name => this.values[name]);
  }
}
