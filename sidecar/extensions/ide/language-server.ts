/**
 * A language server process: its lifecycle, its requests and notifications, and its status.
 *
 *   start ── initialize ──▶ running ── stop: shutdown, exit, then the ladder of child.ts ──▶ gone
 *                              └── exits, or sends invalid LSP ──▶ fallen: `closed` has the reason; process stopped
 *
 * Invariants:
 * - No caller waits longer than its timeout.
 * - Every request of the server gets a response, and no request changes a file.
 * - Retained server output is bounded.
 */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ErrorCode, errorMessage } from "../../../src/protocol/wire/errors";
import { statusOf, type Child } from "../../process/child";
import { TailBuffer } from "../../process/tail-buffer";
import type { Closed } from "../../rpc/channel";
import { arrayOr, isObject, numberOr, objectOr, readable, stringOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { ConnectionClosed, methodNotFound, Peer, type IncomingRequest } from "../../rpc/peer";
import type { ExtensionDeps } from "../extension";
import { Documents, refused } from "./documents";
import { CLIENT_CAPABILITIES } from "./client-capabilities";
import { sectionOf, type Language, type ServerCommand } from "./languages";
import { lspChannel, NotLsp } from "./lsp-frames";
import { pathOf } from "./lsp-parsers";
import { PublishedDiagnostics, type Published } from "./published-diagnostics";
import { IDLE, readyIn, workOf, type Work } from "./server-readiness";
import { LSP_METHODS } from "./lsp-methods";

export interface ServerDeps extends Pick<ExtensionDeps, "clock" | "start" | "log" | "version"> {}

/** Cancellation and deadline of an operation. */
export interface ServerTimeouts {
  readonly signal: AbortSignal;
  readonly until: number;
}

/** Long, because some servers start a virtual machine. */
const INITIALIZE_MS = 120_000;
const SHUTDOWN_MS = 1_000;
const EXIT_MS = 1_000;
const STDERR_BYTES = 8 * 1024;
const MAX_TOKENS = 100;
/** Progress token of `initialize`. LSP 3.17 permits no other progress before the response. */
const INITIALIZE_TOKEN = "symposium-initialize";
/** Maximum number of logged `window/showMessage` notifications. */
const MAX_LOGGED_MESSAGES = 20;
/** LSP 3.17, "ErrorCodes": the text has changed, or the server cancelled the request. A retry can succeed. */
const RETRYABLE: ReadonlySet<number> = new Set([-32801, -32802]);
const RETRY_MS = 200,
  MAX_TRIES = 5;

export class LanguageServer {
  readonly documents: Documents;
  /** The reason of an unexpected exit, as a sentence: “it exited with …”. Undefined after `stop`. */
  readonly closed: Promise<string | undefined>;
  readonly #peer: Peer;
  readonly #stderr = new TailBuffer(STDERR_BYTES);
  readonly #published = new PublishedDiagnostics();
  readonly #listeners = new Set<() => void>();
  #capabilities: JsonObject = {};
  #work: Work = IDLE;
  #messageCount = 0;
  #stopping: Promise<void> | undefined;

  private constructor(
    private readonly child: Child,
    readonly name: string,
    private readonly folder: string,
    private readonly language: Language,
    private readonly deps: ServerDeps,
    private readonly onStatus: (status: string) => void,
  ) {
    this.documents = new Documents(
      {
        notify: (method, params) => this.#peer.notify(method, params),
        receivesSaves: () => receivesSaves(this.#capabilities),
      },
      deps.clock,
    );
    let settle: (why: string | undefined) => void = () => undefined;
    this.closed = new Promise(resolve => {
      settle = resolve;
    });
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    const channel = lspChannel(child.stdout, child.stdin);
    this.#peer = new Peer(channel, {
      request: request => this.#onRequest(request),
      notification: (method, params) => this.#onNotification(method, objectOr(params)),
      closed: reason => {
        if (this.#stopping) settle(undefined);
        else
          this.#stopping = this.#closeReason(reason).then(why => {
            settle(why);
            return child.stop();
          });
        this.#notifyListeners();
      },
      onWarning: (what, detail) => this.#log(what, { detail: readable(detail, 300) }),
    });
    this.#shutDown = async () => {
      await this.#within(
        SHUTDOWN_MS,
        this.#peer.request(LSP_METHODS.shutdown, undefined).catch(() => undefined),
      );
      this.#peer.notify(LSP_METHODS.exit, undefined);
      await channel[Symbol.asyncDispose]();
    };
  }
  readonly #shutDown: () => Promise<void>;

  /**
   * Rejects with a sentence if the server cannot be started, or if `ending` aborts. The process is then stopped.
   * `onStatus` receives `status` after each notification that may have changed it, from `initialize` on.
   */
  static async start(
    command: ServerCommand,
    folder: string,
    language: Language,
    deps: ServerDeps,
    ending: AbortSignal,
    onStatus: (status: string) => void,
  ): Promise<LanguageServer> {
    const name = path.basename(command.command),
      started = await deps.start({
        name,
        command: command.command,
        args: command.args,
        env: command.env ?? {},
        cwd: folder,
      });
    if (started.kind === "failed") throw refused((await started.why).what);
    if (ending.aborted) {
      // aborted during the start, before the listener was added
      await started.child.stop();
      throw refused(`${name} could not be started: the session has ended.`);
    }
    const server = new LanguageServer(started.child, name, folder, language, deps, onStatus),
      end = (): void => void server.stop();
    ending.addEventListener("abort", end, { once: true });
    try {
      await server.#initialize();
    } catch (error) {
      ending.removeEventListener("abort", end);
      const why = error instanceof RpcError ? error.message : String(error);
      await server.stop();
      throw refused(`${name} could not be started: ${why}`);
    }
    return server;
  }

  /** A member of the capabilities in the `initialize` result. */
  capability(name: string): unknown {
    const value = this.#capabilities[name];
    return value === false ? undefined : value;
  }

  runsCommand(command: string): boolean {
    return arrayOr(objectOr(this.#capabilities.executeCommandProvider).commands).includes(command);
  }

  published(file: string): Published | undefined {
    return this.#published.get(file);
  }
  get publishedFiles(): readonly string[] {
    return this.#published.files;
  }

  /** Description of the current work. Empty: idle. */
  get work(): string {
    return workOf(this.#work);
  }
  /** Name and current work. Empty: idle. */
  get status(): string {
    return this.work === "" ? "" : `${this.name}: ${this.work}`;
  }
  readyIn(now: number): number {
    return readyIn(this.#work, now);
  }

  /** Sends a request. Rejects with a sentence if the server fails or has exited, or with the signal's reason. */
  async request(method: string, params: unknown, timeouts: ServerTimeouts): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#requestOnce(method, params, timeouts);
      } catch (error) {
        if (!(error instanceof RpcError) || error.code === ErrorCode.refused) throw error;
        if (error.code === RpcCode.methodNotFound) throw refused(`${this.name} does not support ${method}.`);
        if (!RETRYABLE.has(error.code)) throw refused(`${this.name}: ${readable(error.message, 600)}`);
        if (tries === MAX_TRIES) throw refused(`${this.name} was busy and did not respond. Try again.`);
        const at = this.deps.clock.now() + RETRY_MS;
        await this.settled(now => at - now, timeouts);
      }
    }
  }

  async #requestOnce(method: string, params: unknown, { signal }: ServerTimeouts): Promise<unknown> {
    signal.throwIfAborted();
    const cancelled = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    cancelled.catch(() => undefined);
    try {
      return await Promise.race([cancelled, this.#peer.request(method, params, { signal })]);
    } catch (error) {
      if (error instanceof ConnectionClosed) throw await this.#exitError();
      throw error;
    }
  }

  async #exitError(): Promise<RpcError> {
    return refused(`${this.name} has exited: ${(await this.closed) ?? "the session has ended."} Try again.`);
  }

  /**
   * Waits until `delay` returns 0. `delay` returns the milliseconds until its next call, and is also called after each
   * notification. Returns false at the deadline. Rejects if the signal aborts or the server exits.
   */
  async settled(delay: (now: number) => number, { signal, until }: ServerTimeouts): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      const now = this.deps.clock.now(),
        ms = delay(now);
      if (ms <= 0) return true;
      if (this.#stopping) throw await this.#exitError();
      if (now >= until) return false;
      await this.#nextEvent(Math.min(ms, until - now), signal);
    }
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.child.stop(this.#shutDown));
  }

  async #initialize(): Promise<void> {
    const uri = pathToFileURL(this.folder).href,
      folders = [{ uri, name: path.basename(this.folder) || this.folder }];
    const answer = await this.#within(
      INITIALIZE_MS,
      this.#peer
        .request(LSP_METHODS.initialize, {
          processId: process.pid,
          clientInfo: { name: "symposium", version: this.deps.version },
          rootUri: uri,
          rootPath: this.folder,
          workspaceFolders: folders,
          capabilities: CLIENT_CAPABILITIES,
          workDoneToken: INITIALIZE_TOKEN,
          ...(this.language.initializationOptions === undefined
            ? {}
            : { initializationOptions: this.language.initializationOptions }),
        })
        .catch(async (error: unknown) => {
          throw refused(
            await this.#closeReason(
              error instanceof ConnectionClosed ? error.reason : { message: errorMessage(error) },
            ),
          );
        }),
    );
    if (answer === undefined) throw refused(`it did not respond within ${INITIALIZE_MS / 1000} seconds.`);
    this.#capabilities = objectOr(objectOr(answer).capabilities);
    this.#peer.notify(LSP_METHODS.initialized, {});
    if (this.language.settings)
      this.#peer.notify(LSP_METHODS.workspace_didChangeConfiguration, { settings: this.language.settings });
    const running = new Map(this.#work.running);
    running.delete(INITIALIZE_TOKEN); // the response ends this work, even if the server did not report the end
    this.#work = { ...this.#work, running, idleSince: this.deps.clock.now() };
    this.onStatus(this.status);
    this.#log("language server ready", { folder: this.folder });
  }

  #onNotification(method: string, params: JsonObject): void {
    switch (method) {
      case LSP_METHODS.textDocument_publishDiagnostics:
        this.#onDiagnostics(params);
        break;
      case LSP_METHODS.progress:
        this.#onProgress(params);
        this.onStatus(this.status);
        break;
      case "experimental/serverStatus":
        if (typeof params.quiescent === "boolean") this.#work = { ...this.#work, isQuiescent: params.quiescent };
        this.onStatus(this.status);
        break;
      case LSP_METHODS.window_showMessage:
        if (this.#messageCount++ < MAX_LOGGED_MESSAGES)
          this.#log("language server message", { message: readable(params.message, 300) });
        return;
      default:
        return;
    }
    this.#notifyListeners();
  }

  #onDiagnostics({ uri, version, diagnostics }: JsonObject): void {
    const file = pathOf(uri);
    if (file === undefined || (typeof version === "number" && version < (this.documents.at(file)?.version ?? 0)))
      return;
    this.#published.keep(file, this.deps.clock.now(), arrayOr(diagnostics).filter(isObject));
  }

  #onProgress({ token, value }: JsonObject): void {
    const key = String(token),
      { kind, title, message, percentage } = objectOr(value),
      running = new Map(this.#work.running),
      now = this.deps.clock.now();
    if (kind === "end" && running.delete(key)) this.#work = { ...this.#work, running, idleSince: now };
    if (
      (kind !== "begin" && !running.has(key)) ||
      (running.size >= MAX_TOKENS && !running.has(key)) ||
      (kind !== "begin" && kind !== "report")
    )
      return;
    const before = running.get(key)?.split(": ")[0],
      percent = numberOr(percentage, undefined);
    running.set(
      key,
      readable(
        `${stringOr(title, before ?? "at work")}${stringOr(message, "") === "" ? "" : `: ${String(message)}`}${percent === undefined ? "" : ` ${Math.round(percent)} %`}`,
        200,
      ),
    );
    this.#work = { ...this.#work, running };
  }

  #onRequest(request: IncomingRequest): void {
    const { method } = request,
      params = objectOr(request.params);
    switch (method) {
      case LSP_METHODS.workspace_configuration:
        return request.respond(
          arrayOr(params.items)
            .slice(0, 100)
            .map(item => sectionOf(this.language.settings, objectOr(item).section)),
        );
      case LSP_METHODS.workspace_workspaceFolders:
        return request.respond([{ uri: pathToFileURL(this.folder).href, name: path.basename(this.folder) }]);
      case LSP_METHODS.workspace_applyEdit:
        return request.respond({ applied: false, failureReason: "Edits are only shown, not applied." });
      case LSP_METHODS.window_showDocument:
        return request.respond({ success: false });
      case LSP_METHODS.window_showMessageRequest:
      case LSP_METHODS.window_workDoneProgress_create:
      case "client/registerCapability":
      case "client/unregisterCapability":
        return request.respond(null);
      default:
        return /^workspace\/\w+\/refresh$/.test(method) ? request.respond(null) : request.fail(methodNotFound(method));
    }
  }

  #notifyListeners(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #nextEvent(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const finish = (): void => {
        this.#listeners.delete(finish);
        signal.removeEventListener("abort", finish);
        timer[Symbol.dispose]();
        resolve();
      };
      const timer = this.deps.clock.after(ms, finish);
      this.#listeners.add(finish);
      signal.addEventListener("abort", finish);
    });
  }

  /** Undefined after a timeout. */
  #within<T>(ms: number, answer: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const timer = this.deps.clock.after(ms, () => resolve(undefined));
      answer.then(resolve, reject).finally(() => timer[Symbol.dispose]());
    });
  }

  /** The reason why the connection closed, with the exit status and the last lines of stderr. */
  async #closeReason({ message, cause }: Closed): Promise<string> {
    const hasExited = !(cause instanceof NotLsp) && (await this.child.within(EXIT_MS, this.child.exited)),
      lastLines = this.#stderr.text().trim().split("\n").slice(-3).join(" ").trim();
    return `${hasExited ? `it exited with ${statusOf(await this.child.exited)}.` : message}${lastLines === "" ? "" : ` Its output: ${readable(lastLines, 600)}`}`;
  }

  #log(message: string, detail: JsonObject): void {
    this.deps.log("info", message, { server: this.name, ...detail });
  }
}

/** LSP 3.17, `TextDocumentSyncOptions`. */
function receivesSaves({ textDocumentSync }: JsonObject): boolean {
  const { save } = objectOr(textDocumentSync);
  return save === true || isObject(save);
}
