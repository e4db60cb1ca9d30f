/** The store, in one process and shared by several. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface, type Interface } from "node:readline";
import { tarGz } from "../../../testing/install/archives";
import { FakeClock } from "../../../../src/protocol/testing/fake-clock";
import { InstallFixture, systemTable } from "../../../testing/install/install-fixture";
import { program } from "../../../testing/programs/programs";
import { realFiles, type Files } from "./files";
import { InstallError } from "./install-error";
import type { TryLock } from "./locks";
import type { Built } from "./manifest";
import { deferred } from "../../../../src/protocol/wire/deferred";
import { archiveAgent, entries, isOldOrNew } from "../../../testing/install/archive-agent";

const never = new AbortController().signal;

const built: Built = { source: { kind: "npm", name: "p" }, release: "1.0.0", program: "run", runtimeArgs: [] };

suite("Store", () => {
  test("lists no staging folder as a version and never removes it", async () => {
    await using fixture = await InstallFixture.open([]);
    const store = fixture.store(),
      staging = await store.prepare("some-agent"),
      inPlace = await store.prepareInPlace("some-agent", "1.0.0");
    await fixture.store().cleanUp("some-agent");
    deepEqual(
      [await store.list("some-agent"), existsSync(staging.folder), existsSync(inPlace.folder)],
      [[], true, true],
    );
    const otherStaging = await fixture.store().prepareInPlace("some-agent", "1.0.0"); // another build uses this name
    equal(path.basename(otherStaging.folder), "1.0.0~2");
    for (const item of [staging, inPlace, otherStaging]) {
      writeFileSync(path.join(item.folder, "run"), "x");
      await item.keep(built);
    }
    deepEqual(
      (await store.list("some-agent")).map(({ order, folder }) => [order, path.basename(folder)]),
      [
        [3, "1.0.0~2"],
        [2, "1.0.0"],
        [1, "1.0.0~3"],
      ],
    );
  });

  test("deletes a discarded staging folder", async () => {
    await using fixture = await InstallFixture.open([]);
    const staging = await fixture.store().prepare("some-agent");
    await staging.discard();
    deepEqual(readdirSync(path.join(fixture.root, "some-agent")), [".uses"]);
    deepEqual(readdirSync(path.join(fixture.root, "some-agent", ".uses")), []);
  });

  test("ends a use with its process and expires uses of other computers after a month", async () => {
    await using fixture = await InstallFixture.open([]);
    const store = fixture.store(),
      uses = path.join(fixture.root, "some-agent", ".uses");
    for (const release of ["1.0.0", "2.0.0", "3.0.0", "4.0.0"]) {
      const staging = await store.prepare("some-agent");
      writeFileSync(path.join(staging.folder, "run"), "x");
      await staging.keep({ ...built, release });
    }
    const use = (folder: string, rest: object): string => {
      const file = path.join(uses, `${folder}-x`);
      writeFileSync(
        file,
        JSON.stringify({
          folder,
          pid: process.pid,
          started: systemTable.startOf(process.pid),
          host: "elsewhere",
          ...rest,
        }),
      );
      return file;
    };
    const { hostname } = await import("node:os");
    use("1.0.0", { started: "another process with our id", host: hostname() });
    const far = use("2.0.0", { started: "on the other computer" });
    use("3.0.0", { host: hostname() });
    writeFileSync(path.join(uses, "torn"), "{");
    await store.cleanUp("some-agent");
    deepEqual(
      (await store.list("some-agent")).map(({ release }) => release),
      ["4.0.0", "3.0.0", "2.0.0"],
    );
    utimesSync(far, new Date(0), new Date(0));
    await store.cleanUp("some-agent");
    deepEqual(
      (await store.list("some-agent")).map(({ release }) => release),
      ["4.0.0", "3.0.0"],
    );
  });

  test("returns no use of a removed version", async () => {
    await using fixture = await InstallFixture.open([]);
    const store = fixture.store(),
      staging = await store.prepare("some-agent");
    writeFileSync(path.join(staging.folder, "run"), "x");
    const kept = await staging.keep(built);
    ok(await store.use(kept));
    await store.remove("some-agent");
    equal(await store.use(kept), undefined);
  });

  test("retries the rename on Windows while another process holds the folder", async () => {
    await using fixture = await InstallFixture.open([]);
    let failures = 3;
    const files: Files = {
      ...realFiles,
      rename: async (from, to) => {
        if (path.basename(String(to)) === "1.0.0" && failures-- > 0)
          throw Object.assign(new Error("EPERM"), { code: "EPERM", syscall: "rename" });
        return realFiles.rename(from, to);
      },
    };
    const paused: number[] = [];
    const clock = {
      now: () => 0,
      after: (ms: number, expired: () => void) => {
        paused.push(ms);
        setImmediate(expired);
        return { [Symbol.dispose]: () => undefined };
      },
    };
    const staging = await fixture.store({ files, clock }).prepare("some-agent");
    writeFileSync(path.join(staging.folder, "run"), "x");
    equal(path.basename((await staging.keep(built)).folder), "1.0.0");
    deepEqual(paused, [100, 200, 300]);
  });

  test("waits for a lock until it times out or is cancelled", async () => {
    await using fixture = await InstallFixture.open([]);
    const clock = new FakeClock(),
      tryLock: TryLock = async () => {
        throw Object.assign(new Error("held"), { code: "ELOCKED" });
      };
    const { promise: isWaiting, resolve: waiting } = deferred<void>();
    const abort = new AbortController(),
      why = new Error("enough");
    const waits = fixture
      .store({ clock, tryLock })
      .exclusively("some-agent", abort.signal, waiting, async () => undefined);
    await isWaiting;
    abort.abort(why);
    await rejects(waits, error => error === why);
    equal(clock.waiting, 0);
    let now = 0;
    const instantClock = {
      now: () => now,
      after: (ms: number, expired: () => void) => {
        now += ms;
        setImmediate(expired);
        return { [Symbol.dispose]: () => undefined };
      },
    };
    await rejects(
      fixture.store({ clock: instantClock, tryLock }).exclusively(
        "some-agent",
        never,
        () => undefined,
        async () => undefined,
      ),
      error => error instanceof InstallError && error.code === "busy",
    );
  });

  test("takes over the lock of an exited process", async () => {
    await using fixture = await InstallFixture.open([]);
    const lock = path.join(fixture.root, ".locks", "some-agent.install");
    mkdirSync(lock, { recursive: true });
    utimesSync(lock, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
    equal(
      await fixture.store().exclusively(
        "some-agent",
        never,
        () => undefined,
        async () => "mine",
      ),
      "mine",
    );
    equal(existsSync(lock), false);
  });
});

interface ProgramOutput {
  readonly progress?: { readonly phase: string; readonly done?: number } | null;
  readonly command?: { readonly command: string };
  readonly error?: string;
}

/** Runs the program `installing`: another process with the same store. */
class Window implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #messages: ProgramOutput[] = [];
  #handleEvent: () => void = () => undefined;

  constructor(fixture: InstallFixture, archive: string, version: string) {
    const { command, args } = program("installing", [fixture.root, archive, version]);
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface(this.#child.stdout!).on("line", line => {
      this.#messages.push(JSON.parse(line));
      this.#handleEvent();
    });
  }

  async until<T>(found: (output: ProgramOutput) => T | undefined): Promise<T> {
    for (;;) {
      for (const output of this.#messages) {
        const first = found(output);
        if (first !== undefined) return first;
      }
      await new Promise<void>(resolve => {
        this.#handleEvent = resolve;
      });
    }
  }
  command(): Promise<string> {
    return this.until(({ command, error }) => command?.command ?? error);
  }

  async kill(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.#lines.close();
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.stdin?.end();
    await exited;
  }
}

suite("window that shares a store", () => {
  test("shares a concurrent installation of the same version", async () => {
    await using fixture = await InstallFixture.open([]);
    const archive = fixture.server.serve("/a.tar.gz", { content: tarGz(entries("1.0.0")) });
    await using window = new Window(fixture, archive, "1.0.0");
    await using otherWindow = new Window(fixture, archive, "1.0.0");
    const expected = path.join(fixture.root, "some-agent", "1.0.0", "bin", "agent");
    deepEqual(await Promise.all([window.command(), otherWindow.command()]), [expected, expected]);
    equal(fixture.server.requests.length, 1);
  });

  test("keeps a version that another window runs", async () => {
    await using fixture = await InstallFixture.open([]);
    const at = (version: string): string =>
      fixture.server.serve(`/${version}.tar.gz`, { content: tarGz(entries(version)) });
    {
      await using window = new Window(fixture, at("1.0.0"), "1.0.0");
      const runs = await window.command();
      await using otherWindow = new Window(fixture, at("2.0.0"), "2.0.0");
      await otherWindow.command();
      ok(existsSync(runs));
    }
    await fixture.store().cleanUp("some-agent");
    deepEqual(
      (await fixture.store().list("some-agent")).map(({ release }) => release),
      ["2.0.0"],
    );
  });

  test("keeps the previous version when one is killed during an installation, and the next installs", async () => {
    await using fixture = await InstallFixture.open([]);
    await fixture.installer().install(archiveAgent(fixture, "1.0.0"), never);
    const archive = fixture.server.serve(
      "/2.tar.gz",
      { content: tarGz(entries("2.0.0")), stop: 50 },
      { content: tarGz(entries("2.0.0")) },
    );
    const killed = new Window(fixture, archive, "2.0.0");
    await killed.until(({ progress }) => (progress?.done === 50 ? true : undefined));
    await killed.kill();
    equal(await isOldOrNew(fixture, ["1.0.0"]), "1.0.0");
    const lock = path.join(fixture.root, ".locks", "some-agent.install");
    ok(existsSync(lock)); // a lock expires after fifteen seconds without an update
    utimesSync(lock, new Date(0), new Date(0));
    await using next = new Window(fixture, archive, "2.0.0");
    equal(await next.command(), path.join(fixture.root, "some-agent", "2.0.0", "bin", "agent"));
    await fixture.store().cleanUp("some-agent");
    deepEqual(readdirSync(path.join(fixture.root, "some-agent")).sort(), [".uses", "2.0.0"]);
  });
});
