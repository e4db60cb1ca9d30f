/** Fixture: the chat controller with a simulated page, sidecar and settings. */
import { WorkingFolders } from "../editor/files/working-folders";
import { Log } from "../log";
import type { AgentChoice, AgentConfig } from "../protocol/agents/agents";
import type { BypassUntil } from "../protocol/sidecar";
import type { CodeColors } from "../protocol/page/code-colors";
import type { HostToPage, PageToHost, TabPosition } from "../protocol/page/host-to-page";
import { PersistedControls } from "../settings/store/persisted-controls";
import { readSettings, type Settings } from "../settings/store/settings";
import type { SidecarPhase } from "../sidecar/restart-policy";
import { FakeSidecar } from "./fake-sidecar";
import { settled } from "./settled";
import { ChatController } from "../chat/chat-controller";
import type { Composer, OtherSurfaces } from "../chat/chat-deps";

export const MINE: AgentConfig = { id: "mine", name: "Mine", distribution: { local: { command: "mine" } } };
export const RUNNING: SidecarPhase = { kind: "running", run: 1, node: "own", deaths: [] };
export const BACKOFF: SidecarPhase = { kind: "backoff", run: 1, node: "own", deaths: [0] };

export class Fixture {
  readonly sidecar: FakeSidecar;
  phase: SidecarPhase = RUNNING;
  restarts = 0;
  live = true;
  trusted = true;
  selecting: Promise<undefined> | undefined;
  /** The result of delivering a message to a page that is ready. */
  delivery: boolean | Promise<boolean> = true;
  composer: Composer = { find: async () => undefined, gather: async () => ({ attachments: [] }) };
  /** The answer to the confirmation of a bypass. */
  confirmed: BypassUntil | undefined | Promise<BypassUntil | undefined>;
  linkProblem: Error | undefined;
  /** Whether the user confirms a rewind. */
  rewinds = true;
  folders = ["/w"];
  codeColors: CodeColors | undefined;
  readonly posted: HostToPage[] = [];
  readonly done: string[] = [];
  settings = readSettings(name => (name === "symposium.agents" ? [MINE] : undefined));
  readonly log = new Log();
  readonly memory = new Map<string, unknown>();
  readonly chosen = new PersistedControls(
    {
      get: key => this.memory.get(key),
      update: async (key, value) => {
        this.memory.set(key, value);
      },
    },
    this.log,
  );
  /** Tabs of other surfaces. */
  elsewhere: readonly string[] = [];
  pickedAgent: AgentChoice | undefined;
  /** Number of times that the first screen was requested. */
  refreshes = 0;
  /** Adds a detected agent to the settings. */
  addingFound: ((agentId: string) => Promise<void>) | undefined;
  readonly chat: ChatController;

  /** `shared`: those of several surfaces. */
  constructor(shared: { readonly sidecar?: FakeSidecar; readonly others?: (fixture: Fixture) => OtherSurfaces } = {}) {
    const fixture = this;
    this.sidecar = shared.sidecar ?? new FakeSidecar();
    this.chat = new ChatController({
      page: {
        get isLive() {
          return fixture.live;
        },
        post: message => {
          if (fixture.live) this.posted.push(message);
        },
        deliver: async message => {
          const delivered = fixture.live && (fixture.delivery === true || (await fixture.delivery));
          if (delivered) this.posted.push(message);
          return delivered;
        },
      },
      sidecar: {
        get phase() {
          return fixture.phase;
        },
        client: () => this.sidecar.current(),
        restart: () => {
          this.restarts++;
        },
      },
      folders: new WorkingFolders({
        folders: () => this.folders,
        pick: async () => "/picked",
        report: () => undefined,
        home: "/home/me",
        log: this.log,
      }),
      composer: { find: (...args) => this.composer.find(...args), gather: source => this.composer.gather(source) },
      chosen: this.chosen,
      log: this.log,
      settings: () => this.settings,
      isTrusted: () => this.trusted,
      selectAgent: async agentId => {
        this.done.push(`select ${agentId}`);
        await this.selecting;
      },
      pickAgent: async exceptId => {
        this.done.push(`pickAgent ${exceptId ?? ""}`);
        return this.pickedAgent;
      },
      confirmBypass: async agent => {
        this.done.push(`confirm bypass ${agent}`);
        return this.confirmed;
      },
      perform: async action => {
        this.done.push(action);
      },
      others: shared.others?.(this) ?? {
        isElsewhere: tabId => this.elsewhere.includes(tabId),
        move: ({ tabId }, to) => {
          this.done.push(`move ${tabId} ${to}`);
        },
        openInView: agentId => {
          this.done.push(`open in view ${agentId ?? ""}`);
        },
        openSession: session => this.chat.requests.openSession(session),
        titleChanged: title => {
          this.done.push(`title ${title}`);
        },
      },
      firstScreen: {
        refresh: () => {
          this.refreshes++;
        },
        addFound: async id => this.addingFound?.(id),
        disable: async ids => {
          this.done.push(`disable ${ids.join(" ")}`);
        },
        preview: async () => {
          this.done.push("preview extensions");
        },
      },
      review: {
        open: async (id, entryId) => {
          this.done.push(`open review ${id} ${entryId}`);
        },
        keep: async (id, entryId) => {
          this.done.push(`keep ${id} ${entryId}`);
        },
        undo: async (id, entryId) => {
          this.done.push(`undo ${id} ${entryId}`);
        },
        rewind: async (id, entryId, alsoConversation) => {
          this.done.push(`rewind ${id} ${entryId} ${alsoConversation}`);
          return this.rewinds;
        },
      },
      addToConfiguration: async id => {
        this.done.push(`configure ${id}`);
      },
      openLink: async (href, preview) => {
        if (this.linkProblem) throw this.linkProblem;
        this.done.push(`${preview ? "preview" : "open"} ${href}`);
      },
      openDiff: async ({ path, oldText, newText }, agent) => {
        this.done.push(`diff ${path} ${oldText} ${newText} ${agent}`);
      },
      names: {
        files: async (names, cwd) => names.map(name => ({ name, href: `file://${cwd}/${name}`, place: name })),
        openSymbol: async name => {
          this.done.push(`symbol ${name}`);
        },
      },
      codeColors: async () => this.codeColors,
      code: {
        insert: async code => {
          this.done.push(`insert ${code}`);
        },
        propose: async (code, { named, mentioned }, cwd) => {
          this.done.push(`propose ${code} ${[...named, ...mentioned].join(" ")} ${cwd}`);
        },
      },
      showText: async (title, text) => {
        this.done.push(`text ${title} ${text}`);
      },
      showPrintout: ({ command }) => {
        this.done.push(`terminal ${command}`);
      },
      notify: (message, actions) => {
        this.done.push(`tell ${message} ${actions.join(" ")}`);
      },
      outdatedChanged: tabs => {
        this.done.push(`outdated ${tabs.join(" ")}`);
      },
      focusChanged: hasFocus => {
        this.done.push(`focus ${hasFocus}`);
      },
      tabClosed: tabId => {
        this.done.push(`closed ${tabId}`);
      },
      forwarded: (tabId, event, agentId) => {
        this.done.push(`forwarded ${tabId} ${event.type} ${agentId}`);
      },
    });
  }

  /** Sends messages like the page, which ignores the results. */
  async send(...messages: PageToHost[]): Promise<void> {
    for (const message of messages) this.chat.handle(message).catch(() => undefined);
    await settled();
  }
  ready(...tabs: (Partial<TabPosition> & { tabId: string })[]): Promise<void> {
    return this.send({
      type: "webviewReady",
      tabs: tabs.map(tab => ({ requestNumber: 1, ...tab })),
    });
  }
  async become(phase: SidecarPhase): Promise<void> {
    this.phase = phase;
    this.chat.phaseChanged(phase);
    await settled();
  }
  of<T extends HostToPage["type"]>(type: T): Extract<HostToPage, { type: T }>[] {
    return this.posted.filter((message): message is Extract<HostToPage, { type: T }> => message.type === type);
  }
  calls(method: string): unknown[] {
    return this.sidecar.calls.filter(call => call.method === method).map(({ params }) => params);
  }
}

export const prompt = (tabId: string, text = "hi"): PageToHost => ({
  type: "prompt",
  tabId,
  messageId: `m-${text}`,
  text,
});

/** Settings with the test's agent as the agent for new tabs. */
export function settingsWith(overrides: Readonly<Record<string, unknown>> = {}): Settings {
  const values: Readonly<Record<string, unknown>> = {
    "symposium.agents": [MINE],
    "symposium.currentAgentId": "mine",
    ...overrides,
  };
  return readSettings(name => values[name]);
}

/** A fixture in which one tab has started with these settings. */
export async function begunWith(overrides: Readonly<Record<string, unknown>> = {}): Promise<Fixture> {
  const fixture = new Fixture();
  fixture.settings = settingsWith(overrides);
  await fixture.send({ type: "newTab", tabId: "t" });
  return fixture;
}
