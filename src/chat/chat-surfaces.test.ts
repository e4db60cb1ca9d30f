import { deepEqual, equal, ok } from "node:assert/strict";
import { deferred } from "../protocol/wire/deferred";
import type { ChatEvent } from "../protocol/chat/chat";
import type { MovedTab, PageToHost } from "../protocol/page/host-to-page";
import type { SidecarPhase } from "../sidecar/restart-policy";
import { Fixture, prompt, RUNNING } from "../testing/chat-controller-fixture";
import { FakeSidecar } from "../testing/fake-sidecar";
import { settled } from "../testing/settled";
import { ChatSurfaces, type EditorSurface, type Surface } from "./chat-surfaces";

const DRAFTS: MovedTab["drafts"] = {
  text: "typed",
  attachments: [{ kind: "file", path: "/w/a" }],
  onTheWay: [{ messageId: "m", text: "sent" }],
  takenBack: [],
};
const content = (tabId: string): MovedTab => ({
  tabId,
  agent: { id: "mine", name: "Mine" },
  cwd: "/w",
  title: "T",
  drafts: DRAFTS,
});
const move = (tabId: string, to: "view" | "editor" | "window"): PageToHost => ({
  type: "moveTab",
  to,
  ...content(tabId),
});
const title: ChatEvent = { type: "title", title: "T" };

/** An editor with a simulated page, which is loaded by `Fixture.ready`. */
class Editor implements EditorSurface {
  readonly host: Fixture;
  readonly attention;
  isActive = false;
  constructor(
    readonly tabId: string,
    private readonly fixture: SurfacesFixture,
  ) {
    this.host = new Fixture({ sidecar: fixture.sidecar, others: () => fixture.surfaces.othersOf(() => this) });
    this.host.live = false;
    this.attention = fixture.attention(tabId);
  }
  get controller() {
    return this.host.chat;
  }
  get page() {
    return pageOf(this.host);
  }
  async reveal(): Promise<void> {
    this.fixture.done.push(`reveal ${this.tabId}`);
  }
  async moveToNewWindow(): Promise<void> {
    this.fixture.done.push(`window ${this.tabId}`);
  }
  titleChanged(text: string): void {
    this.fixture.done.push(`title ${this.tabId} ${text}`);
  }
  close(): void {
    this.host.live = false;
    this.fixture.done.push(`close ${this.tabId}`);
    this.fixture.surfaces.closed(this);
    this.controller.dispose();
  }
}

const pageOf = (host: Fixture): Surface["page"] => ({
  get isLive() {
    return host.live;
  },
  post: message => {
    if (host.live) host.posted.push(message);
  },
  deliver: async message => {
    if (host.live) host.posted.push(message);
    return host.live;
  },
});

class SurfacesFixture {
  readonly sidecar = new FakeSidecar();
  readonly done: string[] = [];
  readonly editors: Editor[] = [];
  questions: readonly string[] = [];
  phase: SidecarPhase = RUNNING;
  restarts = 0;
  readonly surfaces: ChatSurfaces;
  readonly host: Fixture;
  readonly view: Surface;

  constructor() {
    const fixture = this;
    this.surfaces = new ChatSurfaces({
      view: () => this.view,
      openEditor: (tabId, inNewWindow) => {
        this.done.push(`open ${tabId}${inNewWindow ? " in a window" : ""}`);
        return this.editor(tabId);
      },
      hasQuestion: tabId => this.questions.includes(tabId),
      focusChanged: hasFocus => {
        this.done.push(`focus ${hasFocus}`);
      },
      shownTabChanged: () => undefined,
      notify: ({ tone, message, actions }) => {
        this.done.push([tone, message, ...actions].join(" "));
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
    });
    this.host = new Fixture({ sidecar: this.sidecar, others: () => this.surfaces.othersOf(() => this.view) });
    this.view = {
      controller: this.host.chat,
      page: pageOf(this.host),
      attention: this.attention("view"),
      reveal: async () => {
        this.done.push("reveal view");
      },
    };
  }
  editor(tabId: string): Editor {
    const editor = new Editor(tabId, this);
    this.editors.push(editor);
    return editor;
  }
  /** A badge that records the requests, and has one for session s1. */
  attention(name: string): Surface["attention"] {
    return {
      onEvent: ({ sessionId, attention }) => {
        this.done.push(`${name}: ${sessionId} ${attention}`);
      },
      take: sessionId => {
        this.done.push(`take ${sessionId} from ${name}`);
        return sessionId === "s1" ? { sessionId, name: "Ada", attention: "answer" } : undefined;
      },
      clear: () => undefined,
    };
  }
  /** Opens tab t in the view and moves it to an editor, whose page becomes ready. */
  async moveOut(): Promise<Editor> {
    await this.host.send({ type: "newTab", tabId: "t" }, { type: "selectTab", tabId: "t" }, move("t", "editor"));
    const [editor] = this.editors;
    ok(editor);
    editor.host.live = true;
    await editor.host.ready();
    this.done.length = 0;
    return editor;
  }
  /** Types of the messages to a page about tabs, and `state`. */
  posted(host: Fixture): readonly string[] {
    return host.posted.map(({ type }) => type).filter(type => type !== "event");
  }
}

suite("ChatSurfaces", () => {
  test("moves a tab with its session and drafts when the page of the editor is ready", async () => {
    const fixture = new SurfacesFixture(),
      { host, sidecar, surfaces } = fixture;
    await host.ready();
    await host.send({ type: "newTab", tabId: "t" }, { type: "selectTab", tabId: "t" }, move("t", "editor"));
    const [editor] = fixture.editors;
    ok(editor);
    deepEqual([host.chat.tabs, host.of("releaseTab"), surfaces.active], [["t"], [], editor]);
    editor.host.live = true;
    await editor.host.ready();
    deepEqual(
      editor.host.posted.slice(0, 2).map(({ type }) => type),
      ["movedTab", "state"],
    );
    deepEqual(editor.host.of("movedTab"), [{ type: "movedTab", ...content("t") }]);
    deepEqual(host.of("releaseTab"), [{ type: "releaseTab", tabId: "t" }]);
    deepEqual([host.chat.tabs, editor.host.chat.tabs, surfaces.tabs], [[], ["t"], ["t"]]);
    surfaces.event({ sessionId: "s1", bootId: "b", seq: 1, event: title });
    deepEqual([host.of("event").length, editor.host.of("event").length], [0, 1]);
    await editor.host.send({ type: "webviewReady", tabs: [{ tabId: "t", requestNumber: 2 }] }, prompt("t"));
    deepEqual(sidecar.methods(), ["chat/new", "chat/replay", "chat/prompt"]);
    deepEqual(fixture.done, ["open t", "take s1 from view", "t: s1 answer"]);
  });

  test("moves a tab back into the view and closes its editor, but not its session", async () => {
    const fixture = new SurfacesFixture(),
      editor = await fixture.moveOut();
    await editor.host.send(move("t", "view"));
    deepEqual([fixture.host.chat.tabs, fixture.surfaces.tabs, fixture.surfaces.active], [["t"], ["t"], fixture.view]);
    deepEqual(fixture.host.of("movedTab").length, 1);
    await fixture.host.ready({ tabId: "t" });
    equal(fixture.host.of("releaseTab").length, 1, "only that of the first move");
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/replay"]);
    deepEqual(fixture.done, ["take s1 from t", "view: s1 answer", "reveal view", "close t", "focus false"].slice(0, 4));
  });

  test("delivers a moved tab to the next page if the view is hidden", async () => {
    const fixture = new SurfacesFixture(),
      editor = await fixture.moveOut();
    fixture.host.live = false;
    await editor.host.send(move("t", "view"));
    deepEqual([editor.host.chat.tabs, fixture.host.of("movedTab")], [["t"], []]);
    fixture.host.live = true;
    const lost = deferred<boolean>();
    fixture.host.delivery = lost.promise;
    await fixture.host.ready();
    fixture.host.live = false;
    lost.resolve(false);
    await settled();
    equal(fixture.done.includes("close t"), false);
    fixture.host.live = fixture.host.delivery = true;
    await fixture.host.ready();
    deepEqual([fixture.host.of("movedTab").length, fixture.done.at(-1)], [1, "close t"]);
  });

  test("keeps a tab in the view if its editor is closed before its page is ready", async () => {
    const { host, editors, sidecar, surfaces } = new SurfacesFixture();
    await host.send({ type: "newTab", tabId: "t" }, move("t", "window"));
    editors[0]?.close();
    await settled();
    deepEqual(
      [host.chat.tabs, surfaces.tabs, sidecar.methods(), host.of("releaseTab")],
      [["t"], ["t"], ["chat/new"], []],
    );
  });

  test("closes the session of an editor that the user closes or whose session is deleted", async () => {
    const first = new SurfacesFixture();
    (await first.moveOut()).close();
    await settled();
    const second = new SurfacesFixture();
    await second.moveOut();
    await second.surfaces.closeTab("t");
    for (const { sidecar, surfaces, done } of [first, second]) {
      deepEqual([sidecar.methods(), surfaces.tabs], [["chat/new", "chat/close"], []]);
      deepEqual(done, ["close t"]);
    }
  });

  test("opens a session where it is shown, and new tabs, drafts and branches in the view", async () => {
    const fixture = new SurfacesFixture(),
      editor = await fixture.moveOut(),
      { surfaces, host, done } = fixture;
    await surfaces.openSession({ conversation: "t", agentId: "mine", cwd: "/w" }, "e");
    await surfaces.openSession({ conversation: "u", agentId: "mine", cwd: "/w" });
    await editor.host.send({ type: "openInView", agentId: "mine" });
    await surfaces.openDraft("text");
    await surfaces.openBranch({ conversation: "b", agentId: "mine", agent: { id: "mine", name: "Mine" }, cwd: "/w" });
    deepEqual(
      [
        editor.host.of("openTab"),
        host.of("openTab").map(({ tabId, agentId }) => tabId ?? agentId),
        host.of("forked").length,
      ],
      [[{ type: "openTab", tabId: "t", agentId: "mine", cwd: "/w", entryId: "e" }], ["u", "mine", undefined], 1],
    );
    deepEqual(done, ["reveal t", "reveal view", "reveal view", "reveal view", "reveal view"]);
  });

  test("opens the branch of an editor's session in the view", async () => {
    const fixture = new SurfacesFixture(),
      editor = await fixture.moveOut();
    await editor.host.send(move("branch", "view"));
    deepEqual(
      fixture.host.of("movedTab").map(({ tabId }) => tabId),
      ["branch"],
    );
    deepEqual([editor.host.chat.tabs, fixture.done], [["t"], ["reveal view"]]);
  });

  test("lets the first of two restored surfaces keep a conversation", async () => {
    const fixture = new SurfacesFixture(),
      { host, surfaces } = fixture,
      first = fixture.editor("t");
    surfaces.restored(first);
    await host.ready({ tabId: "t" }, { tabId: "u" });
    deepEqual([host.of("releaseTab"), host.chat.tabs], [[{ type: "releaseTab", tabId: "t" }], ["u"]]);
    first.host.live = true;
    await first.host.ready({ tabId: "t" });
    deepEqual(first.host.chat.tabs, ["t"]);
    const second = fixture.editor("u");
    second.host.live = true;
    await second.host.ready({ tabId: "u" });
    deepEqual([second.host.chat.tabs, fixture.done], [[], ["close u"]]);
  });

  test("sends commands to the surface that had the focus last", async () => {
    const fixture = new SurfacesFixture(),
      editor = await fixture.moveOut(),
      { surfaces, host, done } = fixture;
    await host.send({ type: "newTab", tabId: "u" });
    surfaces.focusChanged(fixture.view, true);
    surfaces.run("stop");
    surfaces.focusChanged(editor, true);
    surfaces.focusChanged(fixture.view, false);
    surfaces.focusChanged(editor, false);
    surfaces.run("allowOnce");
    await surfaces.attach([{ kind: "file", path: "/w/b" }]);
    await surfaces.attachTo("t", { kind: "file", path: "/w/c" }, "line");
    await surfaces.focusPrompt();
    equal(await surfaces.restartAgent(), true);
    fixture.questions = ["u"];
    await surfaces.nextQuestion();
    deepEqual(
      [host, editor.host].map(each => each.of("runCommand").map(({ command }) => command)),
      [
        ["stop", "nextQuestion"],
        ["allowOnce", "focusPrompt"],
      ],
    );
    deepEqual([editor.host.of("attach").length, fixture.sidecar.calls.at(-1)?.params], [2, { sessionId: "s1" }]);
    deepEqual(done, ["focus true", "focus true", "focus false", "reveal t", "reveal t", "reveal view"]);
  });

  test("lets a tab start the selected agent, and reports one of the registry if no tab is visible", async () => {
    const fixture = new SurfacesFixture(),
      { surfaces, host, done } = fixture;
    await host.send({ type: "newTab", tabId: "t" }, { type: "selectTab", tabId: "t" });
    await surfaces.agentSelected({ id: "ada", added: "Ada" });
    host.live = false;
    await surfaces.agentSelected({ id: "mine" });
    await surfaces.agentSelected({ id: "ada", added: "Ada" });
    deepEqual(host.of("agentSelected"), [{ type: "agentSelected", tabId: "t", agentId: "ada" }]);
    deepEqual(done, ["info Ada is selected for new tabs and is installed with the first one."]);
  });

  test("reports in the visible chat that was used last, and in a notification if none shows a tab", async () => {
    const fixture = new SurfacesFixture(),
      editor = await fixture.moveOut(),
      { surfaces, host, done } = fixture;
    await surfaces.report("not shown: the view has no tab");
    await editor.host.send({ type: "selectTab", tabId: "t" });
    await surfaces.report("one");
    editor.host.live = false;
    await host.send({ type: "newTab", tabId: "u" }, { type: "selectTab", tabId: "u" });
    await surfaces.report("two", "error", ["showLogs"]);
    host.live = false;
    await surfaces.report("three", "warning", ["showLogs"]);
    deepEqual(
      [editor.host, host].map(each =>
        each.of("notice").map(({ tone, message, actions }) => [tone, message, ...actions]),
      ),
      [[["info", "one"]], [["error", "two", "showLogs"]]],
    );
    deepEqual(done, ["info not shown: the view has no tab", "warning three showLogs"]);
  });

  test("moves the active editor to a window or into the view, otherwise the selected tab of the view", async () => {
    const fixture = new SurfacesFixture(),
      editor = await fixture.moveOut(),
      { surfaces, host } = fixture;
    surfaces.focusChanged(fixture.view, true);
    surfaces.moveToView();
    await surfaces.moveToEditor();
    await surfaces.moveToNewWindow();
    editor.isActive = true;
    await surfaces.moveToNewWindow();
    surfaces.moveToView();
    deepEqual(
      [host, editor.host].map(each => each.of("runCommand").map(({ command }) => command)),
      [["moveToEditor", "moveToWindow"], ["moveToView"]],
    );
    deepEqual(fixture.done, ["focus true", "reveal view", "reveal view", "window t"]);
  });

  test("refuses to move a tab into a full view", async () => {
    const fixture = new SurfacesFixture(),
      editor = await fixture.moveOut();
    for (let i = 0; i < 20; i++) await fixture.host.send({ type: "newTab", tabId: `t${i}` });
    await editor.host.send(move("t", "view"));
    deepEqual([editor.host.chat.tabs, fixture.done], [["t"], ["info 20 tabs are open. Close one to open another."]]);
  });

  test("forwards the title, and requests for attention to the surface of their session", async () => {
    const fixture = new SurfacesFixture(),
      editor = await fixture.moveOut();
    await editor.host.send({ type: "titleChanged", title: "New" });
    await fixture.host.send({ type: "titleChanged", title: "ignored" });
    fixture.surfaces.attention({ sessionId: "s1", name: "Ada", attention: "answer" });
    fixture.surfaces.attention({ sessionId: "s9", name: "Ada", attention: "reading" });
    deepEqual(fixture.done, ["title t New", "t: s1 answer", "view: s9 reading"]);
  });

  test("notifies once about a failed sidecar if no page is ready, and replaces it once in a trusted workspace", async () => {
    const fixture = new SurfacesFixture(),
      editor = await fixture.moveOut(),
      failed: SidecarPhase = { kind: "failed", run: 5, message: "It stopped 5 times." };
    fixture.surfaces.phaseChanged(failed);
    deepEqual([fixture.done, editor.host.of("state").at(-1)?.sidecar.state], [[], "running"]);
    fixture.host.live = editor.host.live = false;
    fixture.surfaces.phaseChanged(failed);
    deepEqual(fixture.done, ["error It stopped 5 times. restartSidecar showLogs"]);
    fixture.surfaces.trustGranted();
    equal(fixture.restarts, 1);
  });
});
