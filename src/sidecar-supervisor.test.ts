import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { deferred } from "./deferred";
import { SidecarGone, StartFailed } from "./errors";
import { Log } from "./log";
import type { ChildProcessRecord, SidecarToHost } from "./protocol/sidecar";
import type { Handlers } from "./protocol/wire";
import type { SidecarClient } from "./sidecar-client";
import type { NodeChoice } from "./sidecar-policy";
import { SidecarSupervisor, type Launcher } from "./sidecar-supervisor";
import { FakeClock } from "./testing/fake-clock";
import { listeners } from "./testing/listeners";
import { settled } from "./testing/settled";

/** A process as the test wants it: shakes hands, fails, says things and dies on command. */
class FakeProcess {
  readonly #ready = deferred<SidecarClient>();
  readonly #ended = deferred<string>();
  readonly ready = this.#ready.promise;
  readonly ended = this.#ended.promise;
  readonly told: string[] = [];
  stops = 0;
  closedWith: string | undefined;
  constructor(
    readonly node: NodeChoice,
    readonly handlers: Handlers<SidecarToHost>,
  ) {}

  readonly client: SidecarClient = {
    request: () =>
      this.closedWith === undefined ? new Promise(() => undefined) : Promise.reject(new SidecarGone(this.closedWith)),
    notify: method => {
      this.told.push(method);
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

class World implements Launcher {
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
  test("nothing is started before it is wanted, and once for all who want it", async () => {
    const world = new World();
    equal(world.processes.length, 0);
    const clients = [world.supervisor.client(), world.supervisor.client()];
    world.last.shake();
    deepEqual(await Promise.all(clients), [world.last.client, world.last.client]);
    equal(world.processes.length, 1);
  });

  test("a death: whoever asks then waits for the next process, and the dead one's requests are told why", async () => {
    const world = new World();
    const first = await world.running();
    let phaseAtClose = "";
    first.client.close = why => {
      phaseAtClose = world.supervisor.phase.kind;
      first.closedWith = why;
    };
    first.die("It was killed.");
    await settled();
    deepEqual([first.closedWith, phaseAtClose], ["It was killed.", "backoff"]);
    const next = world.supervisor.client();
    world.clock.advance(0);
    world.last.shake();
    equal(await next, world.last.client);
    equal(world.processes.length, 2);
    deepEqual(world.phases, ["starting", "running", "backoff", "starting", "running"]);
  });

  test("what the dead sidecar started and did not report as ended is reaped", async () => {
    const world = new World();
    const first = await world.running();
    for (const pid of [1, 2, 3]) first.handlers["process/started"](record(pid));
    first.handlers["process/ended"]({ pid: 2 });
    first.die();
    await settled();
    deepEqual(world.reaped, [[1, 3]]);
  });

  test("a sidecar that left nothing is not reaped after", async () => {
    const world = new World();
    (await world.running()).die();
    await settled();
    deepEqual(world.reaped, []);
  });

  test("five deaths in a row: those who wait are told once and for all, until a person restarts", async () => {
    const world = new World();
    let waiting = world.supervisor.client();
    for (let death = 0; death < 5; death++) {
      world.last.shake();
      await waiting;
      world.last.die("Exit code 1.");
      await settled();
      if (death < 4) {
        waiting = world.supervisor.client();
        world.clock.advance(10_000);
      }
    }
    equal(world.processes.length, 5);
    await rejects(world.supervisor.client(), /Exit code 1\. This happened 5 times in a row/);
    equal(world.clock.waiting, 0);
    world.supervisor.restart();
    waiting = world.supervisor.client();
    world.last.shake();
    equal(await waiting, world.last.client);
  });

  test("no handshake with VS Code's own Node: the login shell's, and then its failure's sentence", async () => {
    const world = new World();
    const waiting = world.supervisor.client();
    world.processes[0]!.fail(new StartFailed("otherNode", "No answer."));
    await settled();
    equal(world.last.node, "login");
    world.last.fail(new StartFailed("none", "Reload the window."));
    await rejects(waiting, /Reload the window\./);
  });

  test("an error that nobody foresaw is a failed start, with a sentence", async () => {
    const world = new World();
    const waiting = world.supervisor.client();
    for (let start = 0; start < 5; start++) {
      world.last.fail(new TypeError("bug"));
      await settled();
      world.clock.advance(10_000);
    }
    await rejects(waiting, /could not be started\. See the log/);
  });

  test("a restart stops the old process before the new one starts", async () => {
    const world = new World();
    const first = await world.running();
    world.supervisor.restart();
    const waiting = world.supervisor.client();
    deepEqual([first.stops, world.processes.length], [1, 1]);
    first.die();
    await settled();
    world.last.shake();
    equal(await waiting, world.last.client);
    equal(world.processes.length, 2);
  });

  test("disposed, it stops the process, refuses who waits, and resolves when the process has ended and is reaped", async () => {
    const world = new World();
    const first = await world.running();
    first.handlers["process/started"](record(7));
    let done = false;
    const disposing = world.supervisor.dispose().then(() => {
      done = true;
    });
    await rejects(world.supervisor.client(), /shutting down/);
    await settled();
    equal(done, false);
    first.die();
    await disposing;
    deepEqual(world.reaped, [[7]]);
    equal(world.processes.length, 1);
  });

  test("disposed while it starts, those who wait are refused", async () => {
    const world = new World();
    const waiting = world.supervisor.client();
    const disposing = world.supervisor.dispose();
    await rejects(waiting, /shutting down/);
    world.last.die();
    await disposing;
  });

  test("notes go to a sidecar that runs, and nowhere else", async () => {
    const world = new World();
    world.supervisor.tell("settings/bypass", { agentIds: [] });
    equal(world.processes.length, 0);
    const first = await world.running();
    world.supervisor.tell("settings/bypass", { agentIds: [] });
    first.die();
    await settled();
    world.supervisor.tell("settings/bypass", { agentIds: [] });
    deepEqual(first.told, ["settings/bypass"]);
  });
});
