import { deepEqual, equal } from "node:assert/strict";
import { SidecarUnavailable } from "../errors";
import { Log } from "../log";
import { FakeClock } from "../protocol/testing/fake-clock";
import type { SessionSummary } from "../protocol/sessions/sessions";
import { BACKOFF, MINE, RUNNING } from "../testing/chat-controller-fixture";
import { FakeSidecar } from "../testing/fake-sidecar";
import { summary } from "../testing/session-summary";
import { settled } from "../testing/settled";
import type { SidecarPhase } from "../sidecar/restart-policy";
import { MIN_PAUSE_MS } from "./refresh-loop";
import { REDRAW_MS, SessionsController, type SessionsViewModel } from "./sessions-controller";

class Fixture {
  readonly clock = new FakeClock();
  readonly sidecar = new FakeSidecar();
  phase: SidecarPhase = RUNNING;
  visible = false;
  focused = true;
  trusted = true;
  shownConversation: string | undefined;
  sessions: readonly SessionSummary[] = [summary("a"), summary("b", { cwd: "/x", activity: "needsAnswer" })];
  readonly shown: SessionsViewModel[] = [];
  readonly controller: SessionsController;

  constructor(readonly memory = new Map<string, unknown>()) {
    const fixture = this;
    this.sidecar.reply("sessions/list", () => ({ sessions: this.sessions }));
    this.controller = new SessionsController({
      clock: this.clock,
      log: new Log(),
      sidecar: {
        get phase() {
          return fixture.phase;
        },
        client: () => this.sidecar.current(),
      },
      memory: {
        get: key => this.memory.get(key),
        update: async (key, value) => {
          this.memory.set(key, value);
        },
      },
      settings: () => ({ agents: [MINE] }),
      workspace: () => ({ folders: ["/w"], home: "/home/me" }),
      cwd: () => "/w",
      isTrusted: () => this.trusted,
      isFocused: () => this.focused,
      isVisible: () => this.visible,
      shownConversations: () => (this.shownConversation === undefined ? [] : [this.shownConversation]),
      show: model => void this.shown.push(model),
    });
  }

  async look(isVisible = true): Promise<void> {
    this.visible = isVisible;
    this.controller.visibilityChanged();
    await settled();
  }
  async become(phase: SidecarPhase): Promise<void> {
    this.phase = phase;
    this.controller.phaseChanged(phase);
    await settled();
  }
  get last(): SessionsViewModel {
    return this.shown.at(-1)!;
  }
  get titles(): readonly string[] {
    return this.last.nodes.map(node => (node.kind === "session" ? node.session.title : node.label));
  }
  count(method: string): number {
    return this.sidecar.methods().filter(each => each === method).length;
  }
}

suite("SessionsController", () => {
  test("requests nothing before the view is visible", async () => {
    const fixture = new Fixture();
    await fixture.become(RUNNING);
    fixture.controller.listChanged();
    await settled();
    deepEqual(fixture.sidecar.calls, []);
    equal(fixture.last.content, undefined);
  });

  test("loads the list when the view appears, after changes and with a new sidecar", async () => {
    const fixture = new Fixture();
    await fixture.look();
    deepEqual([fixture.titles, fixture.last.content, fixture.last.waiting], [["a"], "listed", 1]);
    fixture.sessions = [summary("c")];
    fixture.controller.listChanged();
    await settled();
    deepEqual([fixture.titles, fixture.last.waiting], [["c"], 0]);
    await fixture.become(BACKOFF);
    equal(fixture.count("sessions/list"), 2);
    await fixture.become(RUNNING);
    equal(fixture.count("sessions/list"), 3);
  });

  test("shows an answer as new until the chat shows its session", async () => {
    const fixture = new Fixture(),
      activities = () => fixture.last.nodes.map(node => node.kind === "session" && node.session.activity);
    fixture.sessions = [
      summary("a", { activity: "unread", changedAt: 2 }),
      summary("b", { activity: "unread", changedAt: 1 }),
    ];
    fixture.shownConversation = "a";
    await fixture.look();
    deepEqual(activities(), [undefined, "unread"]);
    fixture.shownConversation = "b";
    fixture.controller.shownConversationsChanged();
    deepEqual(activities(), [undefined, undefined]);
    fixture.sessions = [summary("a", { activity: "unread", changedAt: 3 })];
    fixture.controller.listChanged();
    await settled();
    deepEqual(activities(), ["unread"], "its next answer");
  });

  test("has no badge while the view is hidden", async () => {
    const fixture = new Fixture();
    await fixture.look();
    await fixture.look(false);
    equal(fixture.last.waiting, 0);
  });

  test("asks the agents only while the user looks at the list", async () => {
    const fixture = new Fixture();
    fixture.focused = false;
    await fixture.look();
    equal(fixture.count("sessions/refresh"), 0);
    fixture.focused = true;
    fixture.controller.attentionChanged();
    await settled();
    deepEqual(fixture.sidecar.calls.at(-1), { method: "sessions/refresh", params: { agents: [MINE], cwd: "/w" } });
    fixture.clock.advance(MIN_PAUSE_MS);
    await settled();
    equal(fixture.count("sessions/refresh"), 2);
    await fixture.become(BACKOFF);
    fixture.clock.advance(10 * MIN_PAUSE_MS);
    equal(fixture.count("sessions/refresh"), 2);
    await fixture.become(RUNNING);
    equal(fixture.count("sessions/refresh"), 3);
    await fixture.look(false);
    equal(fixture.clock.waiting, 0);
  });

  test("never asks agents in an untrusted workspace", async () => {
    const fixture = new Fixture();
    fixture.trusted = false;
    await fixture.look();
    fixture.controller.refresh();
    await settled();
    deepEqual([fixture.count("sessions/refresh"), fixture.titles], [0, ["a"]]);
    fixture.trusted = true;
    fixture.controller.attentionChanged();
    await settled();
    equal(fixture.count("sessions/refresh"), 1);
    fixture.controller.dispose();
    equal(fixture.clock.waiting, 0);
  });

  test("continues after a failed refresh", async () => {
    const fixture = new Fixture();
    fixture.sidecar.refuse("sessions/refresh", new Error("no"));
    await fixture.look();
    fixture.clock.advance(MIN_PAUSE_MS);
    await settled();
    equal(fixture.count("sessions/refresh"), 2);
  });

  test("distinguishes an empty list, an empty scope and a failure", async () => {
    const fixture = new Fixture();
    fixture.sessions = [summary("b", { cwd: "/x" })];
    await fixture.look();
    equal(fixture.last.content, "elsewhere");
    fixture.sessions = [];
    fixture.controller.listChanged();
    await settled();
    equal(fixture.last.content, "empty");
    fixture.sidecar.fail(new SidecarUnavailable("No sidecar runs."));
    fixture.controller.listChanged();
    await settled();
    deepEqual([fixture.last.content, fixture.last.problem], ["failed", "No sidecar runs."]);
  });

  test("persists the scope and the archive of a workspace", async () => {
    const fixture = new Fixture();
    await fixture.look();
    await fixture.controller.choose({ scope: "all" });
    deepEqual(fixture.titles, ["w", "x"]);
    await fixture.controller.choose({ showsArchived: true });
    deepEqual(new Fixture(fixture.memory).last.options, { scope: "all", showsArchived: true });
    deepEqual(new Fixture(new Map([["symposium.sessions.options", { scope: 3 }]])).last.options, {
      scope: "workspace",
      showsArchived: false,
    });
  });

  test("draws the list again every minute, because ages are relative", async () => {
    const fixture = new Fixture();
    fixture.focused = false;
    await fixture.look();
    const before = fixture.shown.length;
    fixture.clock.advance(2 * REDRAW_MS);
    equal(fixture.shown.length, before + 2);
    fixture.controller.dispose();
    equal(fixture.clock.waiting, 0);
  });
});
