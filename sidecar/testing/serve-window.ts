/** A window of VS Code for the tests of `serve`. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import { PROTOCOL, type HostToSidecar, type SidecarToHost } from "../../src/protocol/sidecar";
import type { Calls, Notes, ParamsOf, ResultOf } from "../../src/protocol/wire/wire";
import { temporaryFolder } from "./drive";
import { FakeTools } from "./install/fake-tools";
import { FileServer } from "./install/file-server";
import { program } from "./programs/programs";

type SidecarNotes = Notes<SidecarToHost>;

/** A window: the sidecar as a process with a temporary home folder, and a host that responds like VS Code. */
export class ServeWindow implements AsyncDisposable {
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

  static async open(): Promise<ServeWindow> {
    const window = new ServeWindow(await FileServer.start());
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
