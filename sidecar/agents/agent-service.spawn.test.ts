import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { ErrorCode } from "../../src/protocol/wire/errors";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import { AgentError } from "../errors";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { agent, InstallFixture } from "../testing/install/install-fixture";
import { temporaryFolder } from "../testing/drive";
import { AgentService, type AgentServiceDeps } from "./agent-service";
import { AgentStatusTracker } from "./agent-status-tracker";
import type { Examined } from "./doctor/report";
import { InstallError } from "./install/store/install-error";
import { Icons } from "./registry/icons";
import { Registries } from "./registry/registries";
import { RegistryError } from "../http/fetch-document";

/** Signal of a request that is never cancelled. */
const never = (): AbortSignal => new AbortController().signal;
const REFUSED =
  (message: RegExp) =>
  (error: Error & { code?: number }): boolean =>
    error.code === ErrorCode.refused && message.test(error.message);

class Fixture implements AsyncDisposable {
  readonly notifications: string[] = [];
  readonly statusTracker = new AgentStatusTracker(
    (kind, id) => this.notifications.push(`${kind} ${id}`),
    () => 7,
  );
  examined: Examined = { name: "Ada", diagnosis: { cause: "fine", sentence: "Ada starts and responds." } };
  readonly #folder = temporaryFolder();
  readonly handlers: AgentService["handlers"];

  private constructor(
    readonly installs: InstallFixture,
    change: Partial<AgentServiceDeps>,
  ) {
    const cacheDeps = {
      folder: this.#folder.path,
      clock: new FakeClock(),
      date: () => 7,
      fetch: (() => Promise.reject(new Error("no network here"))) as typeof fetch,
      version: "1",
      onWarning: () => undefined,
    };
    this.handlers = new AgentService({
      installers: {
        agent: installs.installer(),
        extension: installs.installer({ change: { store: installs.store() } }),
      },
      registries: new Registries(cacheDeps),
      icons: new Icons(cacheDeps),
      sizes: { of: async () => ({}) },
      statusTracker: this.statusTracker,
      documentAt: async (url, of) => ({ url, of }),
      find: async program => (program === "kiro-cli-chat" ? "/bin/kiro-cli-chat" : undefined),
      examine: async () => ({ examined: this.examined, report: "the report" }),
      doctor: async () => "the computer",
      preview: async ({ id }, cwd) => (id === "sparkle" ? { id, text: `text in ${cwd}` } : undefined),
      signOut: async () => undefined,
      ...change,
    }).handlers;
  }
  static async open(change: Partial<AgentServiceDeps> = {}): Promise<Fixture> {
    return new Fixture(
      await InstallFixture.open(undefined, { packages: { p: { version: "1.0.0", bin: "p.js" } } }),
      change,
    );
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.installs[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
  async states(agents: readonly AgentConfig[], extensions: readonly ExtensionConfig[] = []) {
    return this.handlers["agents/states"]({ agents, extensions }, never());
  }
}
const PACKAGE = agent({ npx: { package: "p@1.0.0" } }),
  LOCAL = agent({ local: { command: "x" } }, { id: "local" });

suite("AgentService", () => {
  test("reports start command, installation and status, or the reason why they are unavailable", async () => {
    await using fixture = await Fixture.open();
    fixture.statusTracker.onStatus("agent", "local", { kind: "started", canLogOut: true });
    fixture.statusTracker.onStatus("agent", "local", { kind: "session", signIn: "in" });
    fixture.statusTracker.onStatus("agent", PACKAGE.id, { kind: "failed", why: "It did not start." });
    fixture.statusTracker.onStatus("extension", "local", { kind: "failed", why: "It ended." });
    const invalid = agent({ npx: { package: "p" } }, { id: "../x" }),
      none = agent(
        { binary: { "windows-aarch64": { archive: "https://example.com/a.zip", cmd: "a" } } },
        { id: "none" },
      );
    const { agents, extensions } = await fixture.states(
      [PACKAGE, LOCAL, invalid, none],
      [{ ...LOCAL, _source: "custom" }],
    );
    deepEqual(agents, {
      "some-agent": {
        kind: "npx",
        install: { kind: "missing" },
        running: 0,
        lastError: { sentence: "It did not start.", at: 7 },
      },
      local: { kind: "local", install: { kind: "ready" }, running: 1, signIn: "in", canSignOut: true },
      "../x": { ...agents["../x"], install: { kind: "missing" }, running: 0 },
      none: { ...agents["none"], install: { kind: "missing" }, running: 0 },
    });
    deepEqual(
      [/is not a valid folder name/.test(agents["../x"]?.missing ?? ""), agents["none"]?.missing !== undefined],
      [true, true],
    );
    deepEqual(extensions, {
      local: { kind: "local", install: { kind: "ready" }, lastError: { sentence: "It ended.", at: 7 } },
    });
  });

  test("offers no sign-out while sign-in is needed", async () => {
    await using fixture = await Fixture.open();
    fixture.statusTracker.onStatus("agent", "local", { kind: "started", canLogOut: true });
    fixture.statusTracker.onStatus("agent", "local", { kind: "session", signIn: "needed" });
    deepEqual((await fixture.states([LOCAL])).agents["local"], {
      kind: "local",
      install: { kind: "ready" },
      running: 1,
      signIn: "needed",
    });
  });

  test("installs for the requested purpose, reports a removal as a change, and rejects with a sentence", async () => {
    await using fixture = await Fixture.open();
    const install = (config: AgentConfig, how: "missing" | "newest" | "anew") =>
      fixture.handlers["agents/install"]({ of: "agent", config, how }, never());
    deepEqual(await install(PACKAGE, "missing"), { version: "1.0.0" });
    deepEqual((await fixture.states([PACKAGE])).agents[PACKAGE.id]?.install, { kind: "installed", version: "1.0.0" });
    await install(PACKAGE, "missing");
    equal(fixture.installs.tools.calls.length, 1);
    await install(PACKAGE, "anew");
    equal(fixture.installs.tools.calls.length, 2);
    const open = agent({ npx: { package: "p" } });
    await install(open, "missing");
    await install(open, "newest");
    equal(fixture.installs.tools.calls.length, 4, "whether there is a newer one");
    await rejects(install(LOCAL, "missing"), REFUSED(/needs no installation/));
    await fixture.handlers["agents/remove"]({ of: "agent", id: PACKAGE.id }, never());
    await Promise.resolve();
    deepEqual(
      [fixture.notifications, (await fixture.states([PACKAGE])).agents[PACKAGE.id]?.install],
      [["agent some-agent"], { kind: "missing" }],
    );
    await rejects(
      fixture.handlers["agents/remove"]({ of: "agent", id: "../x" }, never()),
      REFUSED(/valid folder name/),
    );
  });

  test("starts new processes of an agent only after its installed version was replaced", async () => {
    const retired: string[] = [];
    await using fixture = await Fixture.open({ retire: id => retired.push(id) });
    const open = agent({ npx: { package: "p" } }),
      install = async (how: "missing" | "newest" | "anew" | { version: string }, of: "agent" | "extension" = "agent") =>
        fixture.handlers["agents/install"]({ of, config: { ...open, _source: "custom" }, how }, never());
    await install("missing");
    await install("newest");
    await install({ version: "1.0.0" });
    deepEqual(retired, []);
    deepEqual([await install({ version: "1.1.0" }), retired], [{ version: "1.1.0" }, [open.id]]);
    await install("anew");
    deepEqual(retired, [open.id, open.id]);
    await install("missing", "extension");
    await install({ version: "1.2.0" }, "extension");
    equal(retired.length, 2);
  });

  test("looks for updates of built-in agents only if npm provides them and they are installed", async () => {
    await using fixture = await Fixture.open();
    const installed = agent({ npx: { package: "p" } }),
      check = async (...builtIns: readonly AgentConfig[]) =>
        (await fixture.handlers["registry/updates"]({ agents: [], extensions: [], builtIns }, never())).problem;
    const others = [
      { ...installed, id: "missing" },
      { ...installed, distribution: { local: { command: "x" }, ...installed.distribution } },
      agent({ npx: { package: "p@1.0.0" } }),
      { ...installed, id: "../x" },
    ];
    await fixture.handlers["agents/install"]({ of: "agent", config: installed, how: "missing" }, never());
    equal(await check(...others), undefined);
    match((await check(...others, installed)) ?? "", /could not be read/);
  });

  test("stops an installation when it is cancelled or has no waiting request", async () => {
    await using fixture = await Fixture.open();
    fixture.installs.tools.plan({ packages: { p: { version: "1.0.0", bin: "p.js" } }, hangs: true });
    const hanging = (): Promise<void> =>
      new Promise(resolve => {
        fixture.installs.onEvent = progress => {
          if (progress?.line === "hanging") resolve();
        };
      });
    let hangs = hanging();
    const first = fixture.handlers["agents/install"]({ of: "agent", config: PACKAGE, how: "missing" }, never());
    await hangs;
    await fixture.handlers["agents/cancelInstall"]({ of: "agent", id: PACKAGE.id }, never());
    await rejects(first, REFUSED(/was cancelled/));
    await fixture.handlers["agents/cancelInstall"]({ of: "extension", id: "nobody" }, never());
    hangs = hanging();
    const leaving = new AbortController(),
      second = fixture.handlers["agents/install"]({ of: "agent", config: PACKAGE, how: "missing" }, leaving.signal);
    await hangs;
    leaving.abort();
    await rejects(second, REFUSED(/was cancelled/));
  });

  test("returns the report of an examination and updates the status from it", async () => {
    await using fixture = await Fixture.open();
    fixture.statusTracker.onStatus("agent", "local", { kind: "failed", why: "It did not start." });
    const examine = () => fixture.handlers["agents/examine"]({ agent: LOCAL, cwd: "/w" }, never());
    fixture.examined = { name: "Ada", diagnosis: { cause: "exited", sentence: "Ada stops." } };
    deepEqual(await examine(), { diagnosis: { cause: "exited", sentence: "Ada stops." }, report: "the report" });
    equal(fixture.statusTracker.of("agent", "local").lastError?.sentence, "It did not start.");
    fixture.examined = { name: "Ada", diagnosis: { cause: "signIn", sentence: "Ada wants you." } };
    await examine();
    deepEqual(fixture.statusTracker.of("agent", "local"), { running: 0, signIn: "needed" });
    fixture.statusTracker.onStatus("agent", "local", { kind: "failed", why: "It did not start." });
    fixture.examined = { name: "Ada", diagnosis: { cause: "fine", sentence: "Ada starts and responds." } };
    await examine();
    deepEqual(fixture.statusTracker.of("agent", "local"), { running: 0, signIn: "needed" });
  });

  test("finds programs by name", async () => {
    await using fixture = await Fixture.open();
    deepEqual(await fixture.handlers["agents/find"]({ programs: ["kiro-cli-chat", "nothing"] }, never()), {
      found: { "kiro-cli-chat": "/bin/kiro-cli-chat" },
    });
  });

  test("rejects an AgentError with its sentence and rethrows other errors", async () => {
    let error: Error = new AgentError("unsupported", "Ada cannot be told.");
    await using fixture = await Fixture.open({
      signOut: () => Promise.reject(error),
      documentAt: () => Promise.reject(error),
    });
    const both = [
      () => fixture.handlers["agents/signOut"]({ agent: LOCAL, cwd: "/w" }, never()),
      () => fixture.handlers["registry/extension"]({ url: "https://example.com/" }, never()),
    ];
    for (const ask of both) await rejects(ask(), REFUSED(/^Ada cannot be told\.$/));
    error = new RegistryError("offline", "No network.");
    for (const ask of both) await rejects(ask(), REFUSED(/^No network\.$/));
    error = new InstallError("busy", "Later.");
    for (const ask of both) await rejects(ask(), REFUSED(/^Later\.$/));
    error = new TypeError("x is not a function");
    for (const ask of both) await rejects(ask(), caught => caught === error);
  });

  test("reads a document as an extension unless an agent is requested", async () => {
    await using fixture = await Fixture.open();
    deepEqual(
      [
        await fixture.handlers["registry/extension"]({ url: "u" }, never()),
        await fixture.handlers["registry/extension"]({ url: "u", of: "agent" }, never()),
      ],
      [{ entry: { url: "u", of: "extension" } }, { entry: { url: "u", of: "agent" } }],
    );
  });
});
