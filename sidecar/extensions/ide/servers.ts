/**
 * The language servers of a chain: one per language and session folder. A server starts with the first operation that
 * needs it and stops with the chain or after a period without use.
 *
 * Invariants:
 * - Operations that need a starting server share one start.
 * - A failed server is restarted, with a limit (server-lifecycle.ts).
 * - No server starts before it is permitted.
 * - No operation exceeds the time limit, which restarts after a permission.
 * - Each operation receives the progress of its servers at a bounded rate.
 */
import path from "node:path";
import { MAX_ITEMS, type IdeAnswer, type IdeRequest } from "../../../src/protocol/ide/ide";
import { diagnosticsAnswer } from "../../../src/protocol/ide/ide-answer";
import { errorMessage } from "../../../src/protocol/wire/errors";
import { contains } from "../../permissions/workspace-boundary";
import type { ExtensionDeps } from "../extension";
import { refused } from "./documents";
import { firstFile } from "./first-file";
import { languageOf, missing, unknownLanguage, type Language, type ServerCommand } from "./languages";
import { LanguageServer, type ServerTimeouts } from "./language-server";
import { shown } from "./lsp-diagnostics";
import { operateOn, workspaceSymbols } from "./lsp-operations";
import { OperationLimit } from "./operation-timeout";
import { pacedProgress } from "./throttled-progress";
import type { PermitStart } from "./server-consent";
import { NEW_LIFE, step, UNUSED_MS, type Life, type LifeEvent } from "./server-lifecycle";

export interface ServersDeps extends Pick<ExtensionDeps, "clock" | "start" | "find" | "log" | "version"> {}

export interface ServersOptions {
  readonly languages: readonly Language[];
  readonly limitMs: number;
}

/** Cancellation, progress and permissions of the requester. */
export interface Requester {
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
  readonly permit: PermitStart;
}

/** A running operation. */
interface RunningOperation extends ServerTimeouts {
  readonly permit: PermitStart;
  readonly progress: (message: string) => void;
}

interface Slot {
  readonly language: Language;
  readonly folder: string;
  life: Life;
  server?: Promise<LanguageServer>;
  running?: LanguageServer;
  unused?: Disposable;
  /** Progress callbacks of the operations that need this server. */
  readonly listeners: Set<(message: string) => void>;
  /** The start or the current work of the server, as a sentence. Empty: down or idle. */
  status: string;
}

export class Servers {
  readonly #slots = new Map<string, Slot>();
  readonly #ending = new AbortController();

  constructor(
    private readonly deps: ServersDeps,
    private readonly options: ServersOptions,
  ) {}

  /** Rejects with a sentence for the model. */
  async operate(request: IdeRequest, { signal, progress, permit }: Requester): Promise<IdeAnswer> {
    const { clock } = this.deps;
    using paced = pacedProgress(clock, progress);
    using limit = new OperationLimit(clock, this.options.limitMs);
    const operation: RunningOperation = {
      signal: AbortSignal.any([signal, limit.signal]),
      get until() {
        return limit.until;
      },
      progress: message => paced.send(message),
      permit: start => limit.without(permit(start)),
    };
    try {
      return await this.#operate(request, operation);
    } finally {
      for (const { listeners } of this.#slots.values()) listeners.delete(operation.progress);
    }
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all(
      [...this.#slots.values()].map(async slot => {
        slot.unused?.[Symbol.dispose]();
        this.#step(slot, { kind: "closed" });
        const server = await slot.server?.catch(() => undefined);
        await server?.stop();
      }),
    );
  }

  async #operate(request: IdeRequest, operation: RunningOperation): Promise<IdeAnswer> {
    if (request.operation === "workspace_symbols") return this.#symbols(request, operation);
    const { path: file } = request;
    if (file === undefined) return this.#currentDiagnostics(request.folders, operation);
    const { language, languageId } = this.#languageOf(file),
      server = await this.#server(language, folderOf(file, request.folders), operation);
    await server.documents.refresh();
    return operateOn(
      { server, file, document: await server.documents.open(file, languageId) },
      { ...request, path: file },
      operation,
    );
  }

  /**
   * Queries the server for the given file's language, else all running servers, else the server for the first supported
   * file.
   */
  async #symbols(
    { query, path: given, folders }: Extract<IdeRequest, { operation: "workspace_symbols" }>,
    operation: RunningOperation,
  ): Promise<IdeAnswer> {
    const running = given === undefined ? this.#running(folders, operation) : [];
    if (running.length === 0) {
      const file =
        given ??
        (await firstFile(folders, each => languageOf(each, this.options.languages) !== undefined, operation.signal));
      if (file === undefined) throw refused("No file here has a known language server.");
      const { language, languageId } = this.#languageOf(file),
        server = await this.#server(language, folderOf(file, folders), operation);
      await server.documents.open(file, languageId); // some servers load a project only after one of its files is open
      running.push(server);
    }
    const answers = [];
    for (const server of running) {
      await server.documents.refresh();
      answers.push(await workspaceSymbols(server, query, operation));
    }
    const symbols = answers.flatMap(answer => answer.symbols),
      note = answers.find(answer => answer.note !== undefined)?.note;
    return {
      kind: "symbols",
      symbols: symbols.slice(0, MAX_ITEMS),
      total: answers.reduce((sum, { total }) => sum + total, 0),
      ...(note === undefined ? {} : { note }),
    };
  }

  /** Diagnostics of open documents and published diagnostics. Opens no further file. */
  async #currentDiagnostics(folders: readonly string[], operation: RunningOperation): Promise<IdeAnswer> {
    const running = this.#running(folders, operation),
      all = [];
    for (const server of running) {
      await server.documents.refresh();
      const paths = server.documents.paths;
      for (const file of paths) {
        const document = server.documents.at(file),
          answer =
            document &&
            (await operateOn({ server, file, document }, { operation: "diagnostics", path: file }, operation));
        if (answer?.kind === "diagnostics") all.push(...answer.diagnostics);
      }
      for (const file of server.publishedFiles)
        if (!paths.includes(file)) all.push(...shown(server.published(file)?.diagnostics ?? [], file, []));
    }
    const note =
      running.length === 0
        ? "No file was requested yet. Specify one in “path”."
        : "This lists only files of earlier requests and files that their language servers reported. Specify other files in “path”.";
    return diagnosticsAnswer(all, note);
  }

  #languageOf(file: string): { readonly language: Language; readonly languageId: string } {
    const found = languageOf(file, this.options.languages);
    if (!found) throw refused(unknownLanguage(file));
    return found;
  }

  #running(folders: readonly string[], operation: RunningOperation): LanguageServer[] {
    return [...this.#slots.values()].flatMap(slot => {
      if (!slot.running || !folders.includes(slot.folder)) return [];
      this.#restartIdleTimer(slot);
      listen(slot, operation);
      return [slot.running];
    });
  }

  async #server(language: Language, folder: string, operation: RunningOperation): Promise<LanguageServer> {
    const key = `${language.id}\0${folder}`;
    const slot: Slot = this.#slots.get(key) ?? { language, folder, life: NEW_LIFE, listeners: new Set(), status: "" };
    this.#slots.set(key, slot);
    const next = this.#ending.signal.aborted
      ? undefined
      : step(slot.life, { kind: "needed" }, this.deps.clock.now())[1];
    const command = next?.kind === "start" ? await this.#command(language) : undefined;
    if (command) await operation.permit({ command, folder });
    const effect = this.#ending.signal.aborted
      ? ({ kind: "refuse", why: "the session has ended." } as const)
      : this.#step(slot, { kind: "needed" });
    if (effect?.kind === "refuse")
      throw refused(`The language server for ${language.name} cannot be used: ${effect.why}`);
    if (effect?.kind === "start") {
      slot.server = this.#start(slot, command);
      slot.server.catch(() => undefined);
    }
    if (!slot.server) throw new Error("a server that is up has none");
    this.#restartIdleTimer(slot);
    listen(slot, operation);
    const { signal } = operation;
    return Promise.race([
      slot.server,
      new Promise<never>((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
    ]);
  }

  #restartIdleTimer(slot: Slot): void {
    slot.unused?.[Symbol.dispose]();
    slot.unused = this.deps.clock.after(UNUSED_MS, () => {
      if (this.#step(slot, { kind: "unused" })?.kind !== "stop") return;
      this.deps.log("info", "A language server was not used for a while", {
        language: slot.language.id,
        folder: slot.folder,
      });
      slot.server?.then(
        server => server.stop(),
        () => undefined,
      );
      delete slot.running;
      setStatus(slot, "");
    });
  }

  async #start(slot: Slot, command: ServerCommand | undefined): Promise<LanguageServer> {
    const { language, folder } = slot;
    try {
      if (command === undefined) throw refused(missing(language));
      setStatus(slot, `Starting ${path.basename(command.command)}…`);
      const onStatus = (status: string): void => setStatus(slot, status);
      const server = await LanguageServer.start(command, folder, language, this.deps, this.#ending.signal, onStatus);
      slot.running = server;
      void server.closed.then(why => {
        if (slot.running === server) {
          delete slot.running;
          setStatus(slot, "");
        }
        if (why === undefined) return;
        this.deps.log("warn", "A language server exited", { server: server.name, why });
        this.#step(slot, { kind: "fell", why });
      });
      return server;
    } catch (error) {
      setStatus(slot, "");
      // A missing server does not count as a failure, because it was not started and may be installed later.
      slot.life =
        error instanceof Error && error.message === missing(language) && slot.life.kind === "up"
          ? { ...slot.life, kind: "down" }
          : slot.life;
      this.#step(slot, { kind: "fell", why: errorMessage(error) });
      throw error;
    }
  }

  async #command({ programs, isConfigured }: Language): Promise<ServerCommand | undefined> {
    for (const program of programs) {
      const command = path.isAbsolute(program.command) ? program.command : await this.deps.find(program.command);
      if (command !== undefined) return { ...program, command };
    }
    return isConfigured ? programs[0] : undefined;
  }

  #step(slot: Slot, event: LifeEvent): ReturnType<typeof step>[1] {
    const [life, effect] = step(slot.life, event, this.deps.clock.now());
    slot.life = life;
    return effect;
  }
}

/** Sends the current and all later statuses to the operation. */
function listen({ listeners, status }: Slot, { progress }: RunningOperation): void {
  listeners.add(progress);
  if (status !== "") progress(status);
}

function setStatus(slot: Slot, status: string): void {
  slot.status = status;
  if (status !== "") for (const send of slot.listeners) send(status);
}

/** The innermost session folder that contains the file. */
function folderOf(file: string, folders: readonly string[]): string {
  const inside = folders.filter(folder => contains(folder, file)).sort((a, b) => b.length - a.length);
  return inside[0] ?? folders[0] ?? path.dirname(file);
}
