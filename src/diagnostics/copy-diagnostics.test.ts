import { deepEqual, equal, match } from "node:assert/strict";
import { deferred } from "../protocol/wire/deferred";
import { Log } from "../log";
import { FakeClock } from "../protocol/testing/fake-clock";
import { readSettings } from "../settings/store/settings";
import { IDLE, type SidecarPhase } from "../sidecar/restart-policy";
import { FakeSidecar } from "../testing/fake-sidecar";
import { settled } from "../testing/settled";
import { copyDiagnostics } from "./copy-diagnostics";
import { RecentLog } from "./recent-log";

class Fixture {
  readonly clock = new FakeClock();
  readonly sidecar = new FakeSidecar();
  readonly recent = new RecentLog();
  readonly log = new Log();
  readonly done: string[] = [];
  phase: SidecarPhase = IDLE;
  isTrusted = true;
  copied = "";
  readonly wanted = deferred<boolean>();
  cannotOpen: Error | undefined;

  constructor() {
    this.sidecar.reply("agents/states", () => ({ agents: {}, extensions: {} }));
    this.sidecar.reply("agents/doctor", () => ({ report: "Tools:" }));
  }

  copy(): Promise<void> {
    const fixture = this;
    return copyDiagnostics({
      clock: this.clock,
      log: this.log,
      recent: this.recent,
      sidecar: {
        get phase() {
          return fixture.phase;
        },
        client: () => this.sidecar.current(),
      },
      settings: () => readSettings(() => undefined),
      environment: () => ({
        version: "1",
        editor: { name: "VS Code", version: "1.104.0", place: "desktop", remote: undefined, language: "en" },
        host: { node: "22.1.0", platform: "linux", arch: "x64", release: "6.8" },
        home: "/home/ada",
        isTrusted: this.isTrusted,
        folders: 0,
        values: {},
      }),
      copy: async text => {
        this.copied = text;
        this.done.push("copy");
      },
      offer: async sentence => {
        match(sentence, /clipboard.*log.*review/s);
        this.done.push("offer");
        return this.wanted.promise;
      },
      open: async text => {
        if (this.cannotOpen) throw this.cannotOpen;
        this.done.push(text === this.copied ? "open" : "open another text");
      },
    });
  }
}

suite("copying diagnostics", () => {
  test("copies the sidecar's answers and the log, then offers to open the report", async () => {
    const fixture = new Fixture();
    fixture.recent.appendLine("a line");
    await fixture.copy();
    deepEqual([...fixture.sidecar.methods()].sort(), ["agents/doctor", "agents/states"]);
    match(fixture.copied, /\nComputer:\n {2}Tools:\n\nLog, last lines: 1:\n {2}a line\n$/);
    deepEqual(fixture.done, ["copy", "offer"]);
    fixture.wanted.resolve(true);
    await settled();
    deepEqual(fixture.done, ["copy", "offer", "open"]);
    equal(fixture.clock.waiting, 0);
  });

  test("opens nothing if the notification is closed, and logs a failure to open", async () => {
    const closed = new Fixture();
    await closed.copy();
    closed.wanted.resolve(false);
    await settled();
    deepEqual(closed.done, ["copy", "offer"]);

    const failing = new Fixture(),
      messages: string[] = [];
    failing.log.onLog(({ message }) => messages.push(message));
    failing.cannotOpen = new Error("no editor");
    await failing.copy();
    failing.wanted.resolve(true);
    await settled();
    deepEqual(messages, ["Could not open the diagnostics"]);
  });

  test("copies the reason if the sidecar does not start", async () => {
    const fixture = new Fixture();
    fixture.phase = { kind: "failed", run: 1, message: "Node is missing." };
    fixture.sidecar.unavailable = new Error("The sidecar is unavailable.");
    await fixture.copy();
    match(
      fixture.copied,
      /\nSidecar: failed: Node is missing\.\n[^]*\nComputer:\n {2}unknown: The sidecar is unavailable\.\n/,
    );
  });

  test("does not wait longer than 20 seconds for the sidecar", async () => {
    const fixture = new Fixture();
    fixture.sidecar.hold("agents/doctor");
    const copying = fixture.copy();
    fixture.clock.advance(19_999);
    await settled();
    equal(fixture.copied, "");
    fixture.clock.advance(1);
    await copying;
    match(fixture.copied, /\nComputer:\n {2}unknown, because the sidecar did not answer within 20 s\n/);
    fixture.sidecar.release();
    await settled();
  });

  test("does not start the sidecar in an untrusted workspace", async () => {
    const fixture = new Fixture();
    fixture.isTrusted = false;
    await fixture.copy();
    deepEqual(fixture.sidecar.calls, []);
    match(
      fixture.copied,
      /\nWorkspace: not trusted, folders: 0\nSidecar: not started\n[^]*the workspace is not trusted/,
    );
  });
});
