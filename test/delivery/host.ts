/** The production extension host without VS Code, wired as in `extension.ts`. */
import { ChatController } from "../../src/chat/chat-controller";
import { PageChannel } from "../../src/chat/page-channel";
import { WorkingFolders } from "../../src/editor/files/working-folders";
import { Log } from "../../src/log";
import type { SidecarToHost } from "../../src/protocol/sidecar";
import type { HostToPage } from "../../src/protocol/page/host-to-page";
import type { Handlers } from "../../src/protocol/wire/wire";
import { readSettings } from "../../src/settings/store/settings";
import { SidecarSupervisor } from "../../src/sidecar/supervisor";
import { listeners } from "../../src/testing/listeners";
import { onlySurface } from "../../src/testing/only-surface";
import { noFirstScreen } from "../../src/testing/no-first-screen";
import { noReview } from "../../src/testing/no-review";
import type { TestSidecar } from "./sidecar";
import { mortal, type FakeClock } from "./clock-and-marks";

export interface Window {
  readonly clock: FakeClock;
  postMessage(message: HostToPage): Promise<boolean>;
  launch(handlers: Handlers<SidecarToHost>): TestSidecar;
  problem(what: string): void;
}

const ADA = { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } };
const SETTINGS = readSettings(name =>
  name === "symposium.agents" ? [ADA] : name === "symposium.currentAgentId" ? ADA.id : undefined,
);
const PROBLEMS: readonly string[] = ["Ignored an invalid page message", "Unexpected event"];

export class TestHost {
  readonly supervisor: SidecarSupervisor;
  readonly page: PageChannel;
  readonly chat: ChatController;

  constructor(window: Window) {
    const log = new Log();
    log.onLog(({ message, data }) => {
      if (PROBLEMS.includes(message)) window.problem(`${message} ${JSON.stringify(data)}`);
    });
    this.supervisor = new SidecarSupervisor({
      clock: mortal(window.clock, () => true),
      log,
      changed: phase => this.chat.phaseChanged(phase),
      launcher: { launch: (_, handlers) => window.launch(handlers), reap: async () => undefined },
      listeners: {
        ...listeners(),
        "chat/event": event => this.chat.event(event),
        "chat/snapshot": snapshot => this.chat.snapshot(snapshot),
      },
    });
    this.page = new PageChannel({
      log,
      send: message => window.postMessage(message),
      onMessage: message => {
        this.chat.handle(message).catch(() => undefined);
      },
    });
    this.chat = new ChatController({
      page: this.page,
      sidecar: this.supervisor,
      log,
      chosen: { of: () => undefined },
      settings: () => SETTINGS,
      isTrusted: () => true,
      folders: new WorkingFolders({
        folders: () => ["/w"],
        pick: async () => undefined,
        report: () => undefined,
        home: "/",
        log,
      }),
      selectAgent: async () => undefined,
      confirmBypass: async () => undefined,
      pickAgent: async () => undefined,
      perform: async () => undefined,
      openLink: async () => undefined,
      openDiff: async () => undefined,
      names: { files: async () => [], openSymbol: async () => undefined },
      codeColors: async () => undefined,
      code: { insert: async () => undefined, propose: async () => undefined },
      showText: async () => undefined,
      showPrintout: () => undefined,
      composer: { find: async () => undefined, gather: async () => ({ attachments: [] }) },
      notify: () => undefined,
      addToConfiguration: async () => undefined,
      firstScreen: noFirstScreen,
      review: noReview,
      others: onlySurface,
      forwarded: () => undefined,
    });
  }
}
