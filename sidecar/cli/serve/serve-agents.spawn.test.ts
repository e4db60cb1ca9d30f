import { deepEqual, doesNotMatch, equal, match, ok, rejects } from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { BUILT_IN_AGENTS } from "../../../src/protocol/agents/built-in-agents";
import { PLATFORMS } from "../../../src/protocol/agents/distribution";
import { PROTOCOL, type HostToSidecar, type SidecarToHost } from "../../../src/protocol/sidecar";
import type { Calls, Notes, ParamsOf, ResultOf } from "../../../src/protocol/wire/wire";
import { tarGz, zipOf } from "../../testing/install/archives";
import { census } from "../../testing/census";
import { temporaryFolder } from "../../testing/drive";
import { eventually } from "../../testing/eventually";
import { FakeTools } from "../../testing/install/fake-tools";
import { FileServer } from "../../testing/install/file-server";
import { program, scriptedAgent } from "../../testing/programs/programs";
import { NEEDS_PROC, skipped } from "../../testing/skipped";

type SidecarNotes = Notes<SidecarToHost>;

/** A window: the sidecar as a process with a temporary home folder, and a host that responds like VS Code. */
class Window implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly #notifications: { readonly method: string; readonly params: unknown }[] = [];
  #handleEvent = (): void => undefined;
  readonly #connection: MessageConnection;
  readonly #child: ChildProcess;
  readonly #gone: Promise<unknown>;
  readonly tools: FakeTools;
  keys: Record<string, string> = {};
  bootId = "";

  private constructor(readonly server: FileServer) {
    const { command, args } = program("symposium-acp-agent"),
      tools = path.join(this.#folder.path, "tools"),
      { SHELL: _, ...env } = process.env;
    this.tools = new FakeTools(tools, ["npm"], { packages: { "@s/proxy": { version: "2.0.0", bin: "proxy.js" } } });
    const child = spawn(command, [...args, "serve"], {
      stdio: ["pipe", "pipe", "inherit"],
      cwd: this.#folder.path,
      env: {
        ...env,
        HOME: this.home,
        USERPROFILE: this.home,
        ...(process.platform === "win32" ? {} : { SHELL: "/bin/sh" }),
        PATH: `${tools}${path.delimiter}${env["PATH"] ?? ""}`,
        HTTPS_PROXY: "",
        https_proxy: "",
        ALL_PROXY: "",
        all_proxy: "",
      },
    });
    this.#child = child;
    this.#gone = new Promise(resolve => child.once("close", resolve));
    this.#connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    for (const method of ["agents/changed", "agents/installing", "chat/event", "log"])
      this.#connection.onNotification(method, (params: unknown) => {
        this.#notifications.push({ method, params });
        this.#handleEvent();
      });
    this.#connection.onRequest("secrets/environment", () => ({ env: this.keys }));
    this.#connection.onRequest("secrets/keepEnvironment", ({ env }: { readonly env: Record<string, string> }) => {
      this.keys = env;
      return {};
    });
    this.#connection.listen();
  }

  static async open(): Promise<Window> {
    const window = new Window(await FileServer.start());
    mkdirSync(window.home, { recursive: true });
    ({ bootId: window.bootId } = await window.ask("hello", {
      protocol: PROTOCOL,
      build: "development",
      logLevel: "error",
      agentLogLevel: "error",
      storage: window.at("storage"),
      traceDir: "",
      history: { days: 90, megabytes: 1024 },
      bypass: [],
      extensions: [],
      proxy: "",
      httpArchives: true,
    }));
    return window;
  }

  get home(): string {
    return path.join(this.#folder.path, "home");
  }
  at(...parts: readonly string[]): string {
    return path.join(this.#folder.path, ...parts);
  }

  ask<M extends keyof Calls<HostToSidecar>>(
    method: M,
    params: ParamsOf<HostToSidecar, M>,
  ): Promise<ResultOf<HostToSidecar, M>> {
    const name: string = method;
    return this.#connection.sendRequest<ResultOf<HostToSidecar, M>>(name, params);
  }

  notify<M extends keyof Notes<HostToSidecar>>(method: M, params: ParamsOf<HostToSidecar, M>): void {
    const name: string = method;
    void this.#connection.sendNotification(name, params);
  }

  notesOf<M extends keyof SidecarNotes>(method: M): readonly ParamsOf<SidecarToHost, M>[] {
    return this.#notifications.flatMap(item =>
      item.method === method ? [item.params as ParamsOf<SidecarToHost, M>] : [],
    );
  }

  /** Resolves when the condition is true. Checks it now and after each notification. */
  async until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    for (;;) {
      const notified = new Promise<void>(resolve => {
        this.#handleEvent = resolve;
      });
      if (await isTrue()) return;
      await notified;
    }
  }

  async state(agent: AgentConfig) {
    return (await this.ask("agents/states", { agents: [agent], extensions: [] })).agents[agent.id];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    await this.#gone;
    this.#connection.dispose();
    await this.server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

const scripted = (flags: readonly string[]): AgentConfig => {
  const { command, args } = scriptedAgent(flags);
  return { id: "ada", name: "Ada", distribution: { local: { command, args } } };
};

/** Kills the process and waits until it is dead. On a busy machine a signal takes longer than the next prompt. */
function killAndWait(pid: number): void {
  process.kill(pid, "SIGKILL");
  for (let i = 0; i < 1_000_000 && isAlive(pid); i++);
}

/** Also `false` without `/proc`. A zombie counts as dead: only its parent can reap it. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

suite("agent of a window", () => {
  test("is found on the login shell's PATH", async () => {
    await using window = await Window.open();
    deepEqual(await window.ask("agents/find", { programs: ["npm", "no-such-program"] }), {
      found: { npm: window.at("tools", process.platform === "win32" ? "npm.cmd" : "npm") },
    });
  });

  test("is installed from an archive with progress, started, updated and removed", async function () {
    if (process.platform === "win32") skipped(this, "Its program is a script of a shell");
    await using window = await Window.open();
    const node = `#!/bin/sh\nexec "${process.execPath}" "${scriptedAgent().args[0] ?? ""}"\n`;
    const archive = window.server.serve("/ada.zip", { content: zipOf([{ name: "ada", content: node, mode: 0o755 }]) });
    const ada: AgentConfig = {
      id: "ada",
      name: "Ada",
      version: "1.0.0",
      distribution: { binary: Object.fromEntries(PLATFORMS.map(platform => [platform, { archive, cmd: "ada" }])) },
    };
    deepEqual(await window.state(ada), { kind: "binary", install: { kind: "missing" }, running: 0 });
    deepEqual(await window.ask("agents/install", { of: "agent", config: ada, how: "missing" }), { version: "1.0.0" });
    await window.until(() => window.notesOf("agents/changed").length > 0);
    const steps = window.notesOf("agents/installing");
    deepEqual(
      [steps[0]?.of, steps[0]?.id, steps[0]?.progress?.phase, steps.at(-1)?.progress],
      ["agent", "ada", "downloading", undefined],
    );
    deepEqual((await window.state(ada))?.install, { kind: "installed", version: "1.0.0" });
    equal((await window.ask("agents/examine", { agent: ada, cwd: window.home })).diagnosis.cause, "fine");
    await window.ask("agents/install", { of: "agent", config: ada, how: "anew" });
    equal(window.server.requests.length, 2);
    await window.ask("agents/remove", { of: "agent", id: "ada" });
    deepEqual((await window.state(ada))?.install, { kind: "missing" });
    match(
      (await window.ask("agents/examine", { agent: ada, cwd: window.home })).diagnosis.sentence,
      /not installed yet/,
    );
    window.server.serve("/ada.zip", { content: tarGz([]) });
    await rejects(
      window.ask("agents/install", { of: "agent", config: ada, how: "missing" }),
      /The archive .* is damaged/,
    );
    deepEqual((await window.state(ada))?.install, { kind: "missing" });
  });

  test("is updated to the registry's version if it is built in, for new sessions only", async () => {
    await using window = await Window.open();
    const codex = BUILT_IN_AGENTS.find(({ id }) => id === "codex");
    ok(codex);
    const packageName = codex.distribution.npx?.package ?? "",
      /** Each version logs to its own file. */
      code = `#!/usr/bin/env node
process.argv.push("--log", ${JSON.stringify(window.home)} + "/" + require("../package.json").version);
import(${JSON.stringify(pathToFileURL(scriptedAgent().args[0] ?? "").href)});\n`,
      log = (version: string): string =>
        existsSync(path.join(window.home, version)) ? readFileSync(path.join(window.home, version), "utf8") : "";
    const npmHas = (version: string): void =>
      window.tools.plan({ packages: { [packageName]: { version, bin: { codex: "dist/codex.js" }, content: code } } });
    npmHas("0.9.0");
    deepEqual(await window.ask("agents/install", { of: "agent", config: codex, how: "missing" }), { version: "0.9.0" });
    const begin = async (conversation: string): Promise<string> =>
      (await window.ask("chat/new", { conversation, agent: codex, cwd: window.home })).sessionId;
    const prompt = async (sessionId: string, text: string): Promise<void> => {
      await window.ask("chat/prompt", { sessionId, messageId: text, blocks: [{ type: "text", text: `say ${text}` }] });
      await window.until(() => JSON.stringify(window.notesOf("chat/event")).includes(`"text":"${text}"`));
    };
    const before = await begin("one");
    await prompt(before, "first");

    npmHas("0.11.0");
    const distribution = { npx: { package: `${packageName}@0.10.0`, args: ["--crash-on-start"] } },
      other = { id: "other", version: "1.0.0", distribution: { npx: { package: "other@1.0.0" } } },
      url = window.server.serve("/registry.json", {
        content: JSON.stringify({ agents: [{ id: "codex", version: "0.10.0", distribution }, other] }),
      });
    const updates = async (builtIn: AgentConfig) =>
      (await window.ask("registry/updates", { url, agents: [], extensions: [], builtIns: [builtIn] })).updates;
    deepEqual(await updates(codex), [
      { of: "agent", id: "codex", name: "Codex", from: "0.9.0", to: "0.10.0", package: packageName },
    ]);
    const pinned = { ...codex, distribution: { npx: { package: `${packageName}@0.9.0` } } };
    deepEqual(await updates(pinned), []);

    const update = () => window.ask("agents/install", { of: "agent", config: codex, how: { version: "0.10.0" } });
    window.tools.plan({ fails: { code: 1, stderr: "npm error ENOTFOUND\n" } });
    await rejects(update(), /Version 0\.9\.0 stays installed/);
    await prompt(await begin("two"), "second");

    npmHas("0.11.0");
    deepEqual(await update(), { version: "0.10.0" });
    deepEqual((await window.state(codex))?.install, { kind: "installed", version: "0.10.0" });
    deepEqual(await updates(codex), []);
    await prompt(before, "third");
    await prompt(await begin("three"), "fourth");
    deepEqual(
      ["0.9.0", "0.10.0", "0.11.0"].map(version =>
        ["first", "second", "third", "fourth"].filter(text => log(version).includes(`say ${text}`)),
      ),
      [["first", "second", "third"], ["fourth"], []],
    );
  });

  test("is installed beside extensions, even with the same id", async () => {
    await using window = await Window.open();
    const proxy = {
      id: "ada",
      name: "Rules",
      distribution: { npx: { package: "@s/proxy" } },
      _source: "custom",
    } as const;
    deepEqual(await window.ask("agents/install", { of: "extension", config: proxy, how: "missing" }), {
      version: "2.0.0",
    });
    deepEqual(
      await window.ask("agents/states", {
        agents: [{ id: "ada", name: "Ada", distribution: { npx: { package: "@s/proxy" } } }],
        extensions: [proxy],
      }),
      {
        agents: { ada: { kind: "npx", install: { kind: "missing" }, running: 0 } },
        extensions: { ada: { kind: "npx", install: { kind: "installed", version: "2.0.0" } } },
      },
    );
    ok(existsSync(path.join(window.home, ".symposium", "extensions", "ada", "2.0.0", "installed.json")));
    ok(window.notesOf("agents/installing").every(({ of }) => of === "extension"));
  });

  test("is counted while it runs, and shows the reason of its exit until the next start", async () => {
    await using window = await Window.open();
    const ada = scripted([]),
      isRunning = async () => (await window.state(ada))?.running === 1;
    const { sessionId } = await window.ask("chat/new", {
      conversation: "one",
      agent: ada,
      cwd: window.home,
    });
    await window.until(isRunning);
    equal((await window.state(ada))?.signIn, undefined, "it knows no users");
    await window.ask("chat/prompt", { sessionId, messageId: "1", blocks: [{ type: "text", text: "crash 7" }] });
    await window.until(async () => (await window.state(ada))?.lastError !== undefined);
    match((await window.state(ada))?.lastError?.sentence ?? "", /^Ada exited unexpectedly \(exit code 7\)\./);
    await window.ask("chat/restartAgent", { sessionId });
    await window.until(isRunning);
    equal((await window.state(ada))?.lastError, undefined);
    await window.ask("chat/close", { sessionId });
    await window.until(async () => (await window.state(ada))?.running === 0);
    equal((await window.state(ada))?.lastError, undefined, "we have stopped it");
  });

  test("answers a prompt sent when an idle agent is killed after the restart", async () => {
    await using window = await Window.open();
    const { sessionId } = await window.ask("chat/new", {
      conversation: "one",
      agent: scripted([]),
      cwd: window.home,
    });
    const shown = (): string => JSON.stringify(window.notesOf("chat/event").map(({ event }) => event));
    const prompt = (messageId: string, text: string): Promise<unknown> =>
      window.ask("chat/prompt", { sessionId, messageId, blocks: [{ type: "text", text }] });
    let before = 0;
    for (const round of [1, 2, 3]) {
      await prompt(`pid-${round}`, "pid");
      const pid = (): number => Number([...shown().matchAll(/pid (\d+)/g)].at(-1)?.[1] ?? before);
      await window.until(() => pid() !== before && /"state":"idle"\}\}\]$/.test(shown()));
      killAndWait((before = pid()));
      await prompt(`after-${round}`, `say answer ${round}`);
      await window.until(() => shown().includes(`"text":"answer ${round}"`) || shown().includes("sendAgain"));
      doesNotMatch(shown(), /sendAgain/);
      await window.until(() => /"state":"idle"\}\}\]$/.test(shown()));
    }
  });

  test("sign-out sends logout, deletes keys, ends processes, and the next session asks", async () => {
    await using window = await Window.open();
    const file = window.at("signed-in"),
      ada = scripted(["--auth-required", "--auth-file", file, "--logout", ""]);
    writeFileSync(file, "");
    window.keys = { ADA_KEY: "abc" };
    const { sessionId } = await window.ask("chat/new", {
      conversation: "one",
      agent: ada,
      cwd: window.home,
    });
    await window.until(async () => (await window.state(ada))?.signIn === "in");
    equal((await window.state(ada))?.canSignOut, true);
    await window.ask("agents/signOut", { agent: ada, cwd: window.home });
    deepEqual([existsSync(file), window.keys], [false, {}]);
    await window.until(async () => (await window.state(ada))?.running === 0);
    deepEqual(
      [(await window.state(ada))?.signIn, (await window.state(ada))?.canSignOut, (await window.state(ada))?.lastError],
      ["needed", undefined, undefined],
    );
    await window.until(() =>
      window
        .notesOf("chat/event")
        .some(
          ({ sessionId: of, event }) => of === sessionId && JSON.stringify(event).includes("You signed out of Ada."),
        ),
    );
    equal((await window.ask("agents/examine", { agent: ada, cwd: window.home })).diagnosis.cause, "signIn");
    await rejects(
      window.ask("agents/signOut", { agent: scripted([]), cwd: window.home }),
      /Ada does not support signing out/,
    );
  });

  test("signs out without installation by deleting the keys", async () => {
    await using window = await Window.open();
    const ada: AgentConfig = { id: "ada", name: "Ada", distribution: { npx: { package: "@s/proxy" } } };
    window.keys = { ADA_KEY: "abc" };
    await window.ask("agents/signOut", { agent: ada, cwd: window.home });
    deepEqual(
      [window.keys, (await window.state(ada))?.install, window.notesOf("agents/installing")],
      [{}, { kind: "missing" }, []],
    );
  });

  test("uses the registry's entries, updates and icons, and an extension.json at an address", async () => {
    await using window = await Window.open();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>',
      icon = window.server.serve("/ada.svg", { content: svg });
    const url = window.server.serve("/registry.json", {
      content: JSON.stringify({
        version: "1",
        agents: [
          {
            id: "ada",
            name: "Ada",
            version: "2.0.0",
            description: "",
            distribution: { npx: { package: "@s/proxy@2.0.0" } },
            icon,
          },
          {
            id: "rules",
            name: "Rules",
            version: "1.0.0",
            description: "",
            distribution: { npx: { package: "@s/proxy@1.0.0" } },
            type: "extension",
          },
        ],
      }),
    });
    const { agents, extensions } = await window.ask("registry/agents", { url });
    deepEqual([agents.map(({ id }) => id), extensions.map(({ id }) => id)], [["ada"], ["rules"]]);
    const { updates } = await window.ask("registry/updates", {
      url,
      agents: [{ ...agents[0]?.entry, version: "1.0.0", bypassPermissions: true }],
      extensions: extensions.map(({ entry }) => entry),
      builtIns: [],
    });
    deepEqual(
      updates
        .filter(update => "entry" in update)
        .map(({ of, id, from, to, entry }) => [of, id, from, to, entry["bypassPermissions"]]),
      [["agent", "ada", "1.0.0", "2.0.0", true]],
    );
    deepEqual(await window.ask("registry/icons", { url, ids: ["ada", "rules", "nobody"] }), {
      icons: { ada: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}` },
    });
    const at = window.server.serve("/extension.json", {
      content: JSON.stringify({ id: "mine", name: "Mine", distribution: { npx: { package: "@s/proxy" } } }),
    });
    deepEqual(await window.ask("registry/extension", { url: at }), {
      entry: { id: "mine", name: "Mine", distribution: { npx: { package: "@s/proxy" } }, _source: "custom" },
    });
    await rejects(window.ask("registry/extension", { url: "http://example.com/x" }), /The URL is not https\./);
    await rejects(window.ask("registry/agents", { url: "file:///x" }), /not an https URL/);
  });

  test("reports the tools of this computer without the home folder", async () => {
    await using window = await Window.open();
    const { report } = await window.ask("agents/doctor", {});
    match(report, /^Symposium .*\nShell: .*\nTools:\n {2}node {3}\S.*\n/);
    doesNotMatch(report, /Agent:/);
    ok(!report.includes(window.home));
  });

  test("logs the stderr of agents at their own level, which changes without a restart", async () => {
    await using window = await Window.open();
    const examined = async (): Promise<number> => {
      await window.ask("agents/examine", { agent: scripted(["--exit-at-start", "3"]), cwd: window.home });
      return window.notesOf("log").filter(({ message }) => message === "stderr").length;
    };
    equal(await examined(), 0);
    window.notify("settings/logLevels", { logLevel: "error", agentLogLevel: "debug" });
    ok((await examined()) > 0);
    ok(window.notesOf("log").every(({ category }) => category === "agent"));
  });

  test("leaves no processes if the window closes during an examination", async function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
    const window = await Window.open(),
      log = window.at("log.jsonl"),
      ada = scripted(["--hang-init", "--ignore-stdin-end", "--log", log]),
      { bootId } = window;
    window.ask("agents/examine", { agent: ada, cwd: window.home }).catch(() => undefined);
    await window.ask("agents/find", { programs: [] });
    await eventually(() => existsSync(log) && readFileSync(log, "utf8") !== "", "the agent has heard initialize");
    await window[Symbol.asyncDispose]();
    deepEqual(census(bootId), []);
  });
});
