import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { deferred } from "../protocol/wire/deferred";
import { SidecarExited, StartFailed } from "../errors";
import { Log } from "../log";
import type { ChildProcessRecord, SidecarToHost } from "../protocol/sidecar";
import type { Handlers } from "../protocol/wire/wire";
import type { SidecarClient } from "./client";
import type { NodeChoice } from "./restart-policy";
import { SidecarSupervisor, type Launcher } from "./supervisor";
import { FakeClock } from "../protocol/testing/fake-clock";
import { listeners } from "../testing/listeners";
import { settled } from "../testing/settled";

/** A controllable process: completes the handshake, fails, sends messages and exits on command. */
class FakeProcess {
  readonly #ready = deferred<SidecarClient>();
  readonly #ended = deferred<string>();
  readonly ready = this.#ready.promise;
  readonly ended = this.#ended.promise;
  readonly notifications: string[] = [];
  stops = 0;
  closedWith: string | undefined;
  constructor(
    readonly node: NodeChoice,
    readonly handlers: Handlers<SidecarToHost>,
  ) {}

  readonly client: SidecarClient = {
    request: () =>
      this.closedWith === undefined ? new Promise(() => undefined) : Promise.reject(new SidecarExited(this.closedWith)),
    notify: method => {
      this.notifications.push(method);
    },
    close: why => {
      this.closedWith = why;
    },
  };
  shake(): void {
    this.#ready.resolve(this.client);
  }
  fail(error: Error): void {
    this.#ready.reject(error);
    this.#ended.resolve("never ran");
  }
  die(why = "It died."): void {
    this.#ready.reject(new StartFailed("again", why));
    this.#ended.resolve(why);
  }
  stop(): Promise<void> {
    this.stops++;
    return this.#ended.promise.then(() => undefined);
  }
}

class Fixture implements Launcher {
  readonly clock = new FakeClock();
  readonly log = new Log();
  readonly processes: FakeProcess[] = [];
  readonly reaped: number[][] = [];
  readonly phases: string[] = [];
  readonly supervisor = new SidecarSupervisor({
    launcher: this,
    clock: this.clock,
    log: this.log,
    changed: ({ kind }) => {
      this.phases.push(kind);
    },
    listeners: listeners(),
  });

  constructor() {
    this.log.onLog(({ message }) => ok(message !== "Unexpected event", "an unexpected event"));
  }

  launch(node: NodeChoice, handlers: Handlers<SidecarToHost>): FakeProcess {
    this.processes.push(new FakeProcess(node, handlers));
    return this.processes.at(-1)!;
  }
  async reap(_: NodeChoice, records: readonly ChildProcessRecord[]): Promise<void> {
    this.reaped.push(records.map(({ pid }) => pid));
  }
  get last(): FakeProcess {
    return this.processes.at(-1)!;
  }

  async running(): Promise<FakeProcess> {
    const client = this.supervisor.client();
    this.last.shake();
    equal(await client, this.last.client);
    return this.last;
  }
}

const record = (pid: number): ChildProcessRecord => ({ pid, group: pid, started: "now", runId: "r", command: "agent" });

suite("sidecar supervisor", () => {
  test("starts one process on the first request", async () => {
    const fixture = new Fixture();
    equal(fixture.processes.length, 0);
    const clients = [fixture.supervisor.client(), fixture.supervisor.client()];
    fixture.last.shake();
    deepEqual(await Promise.all(clients), [fixture.last.client, fixture.last.client]);
    equal(fixture.processes.length, 1);
  });

  test("rejects requests of an exited process and waits for the next", async () => {
    const fixture = new Fixture();
    const first = await fixture.running();
    let phaseAtClose = "";
    first.client.close = why => {
      phaseAtClose = fixture.supervisor.phase.kind;
      first.closedWith = why;
    };
    first.die("It was killed.");
    await settled();
    deepEqual([first.closedWith, phaseAtClose], ["It was killed.", "backoff"]);
    const next = fixture.supervisor.client();
    fixture.clock.advance(0);
    fixture.last.shake();
    equal(await next, fixture.last.client);
    equal(fixture.processes.length, 2);
    deepEqual(fixture.phases, ["starting", "running", "backoff", "starting", "running"]);
  });

  test("reaps the processes that an exited sidecar did not report as ended", async () => {
    const fixture = new Fixture();
    const first = await fixture.running();
    for (const pid of [1, 2, 3]) first.handlers["process/started"](record(pid));
    first.handlers["process/ended"]({ pid: 2 });
    first.die();
    await settled();
    deepEqual(fixture.reaped, [[1, 3]]);
  });

  test("reaps nothing if no processes are left", async () => {
    const fixture = new Fixture();
    (await fixture.running()).die();
    await settled();
    deepEqual(fixture.reaped, []);
  });

  test("rejects waiting requests after five exits until the user restarts", async () => {
    const fixture = new Fixture();
    let waiting = fixture.supervisor.client();
    for (let death = 0; death < 5; death++) {
      fixture.last.shake();
      await waiting;
      fixture.last.die("Exit code 1.");
      await settled();
      if (death < 4) {
        waiting = fixture.supervisor.client();
        fixture.clock.advance(10_000);
      }
    }
    equal(fixture.processes.length, 5);
    await rejects(fixture.supervisor.client(), /Exit code 1\. This happened 5 times in a row/);
    equal(fixture.clock.waiting, 0);
    fixture.supervisor.restart();
    waiting = fixture.supervisor.client();
    fixture.last.shake();
    equal(await waiting, fixture.last.client);
  });

  test("tries the login shell's Node and then rejects with its error", async () => {
    const fixture = new Fixture();
    const waiting = fixture.supervisor.client();
    fixture.processes[0]!.fail(new StartFailed("otherNode", "No answer."));
    await settled();
    equal(fixture.last.node, "login");
    fixture.last.fail(new StartFailed("none", "Reload the window."));
    await rejects(waiting, /Reload the window\./);
  });

  test("treats an unexpected error as a failed start with a sentence", async () => {
    const fixture = new Fixture();
    const waiting = fixture.supervisor.client();
    for (let start = 0; start < 5; start++) {
      fixture.last.fail(new TypeError("bug"));
      await settled();
      fixture.clock.advance(10_000);
    }
    await rejects(waiting, /could not be started\. See the log/);
  });

  test("stops the old process before it starts a new one", async () => {
    const fixture = new Fixture();
    const first = await fixture.running();
    fixture.supervisor.restart();
    const waiting = fixture.supervisor.client();
    deepEqual([first.stops, fixture.processes.length], [1, 1]);
    first.die();
    await settled();
    fixture.last.shake();
    equal(await waiting, fixture.last.client);
    equal(fixture.processes.length, 2);
  });

  test("stops, rejects waiting requests and reaps on disposal", async () => {
    const fixture = new Fixture();
    const first = await fixture.running();
    first.handlers["process/started"](record(7));
    let done = false;
    const disposing = fixture.supervisor.dispose().then(() => {
      done = true;
    });
    await rejects(fixture.supervisor.client(), /shutting down/);
    await settled();
    equal(done, false);
    first.die();
    await disposing;
    deepEqual(fixture.reaped, [[7]]);
    equal(fixture.processes.length, 1);
  });

  test("rejects waiting requests when disposed during the start", async () => {
    const fixture = new Fixture();
    const waiting = fixture.supervisor.client();
    const disposing = fixture.supervisor.dispose();
    await rejects(waiting, /shutting down/);
    fixture.last.die();
    await disposing;
  });

  test("sends notifications only to a running sidecar", async () => {
    const fixture = new Fixture();
    fixture.supervisor.notify("settings/bypass", { agentIds: [] });
    equal(fixture.processes.length, 0);
    const first = await fixture.running();
    fixture.supervisor.notify("settings/bypass", { agentIds: [] });
    first.die();
    await settled();
    fixture.supervisor.notify("settings/bypass", { agentIds: [] });
    deepEqual(first.notifications, ["settings/bypass"]);
  });
});
