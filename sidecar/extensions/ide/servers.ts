/**
 * The language servers of a chain: one for each language and session folder, started when something is asked of it, ended with the chain, or
 * when nothing was asked of it for a while.
 *
 * Invariants: whoever needs one that is being started waits for the same start; one that fell is started again, not too often (server-life.ts); nobody
 * waits longer than the time limit.
 */
import path from "node:path";
import { MOST_ITEMS, type IdeAnswer, type IdeRequest } from "../../../src/protocol/ide";
import { diagnosticsAnswer } from "../../../src/protocol/ide-answer";
import { contains } from "../../permissions/boundary";
import type { ExtensionWorld } from "../extension";
import { refused } from "./documents";
import { firstFile } from "./first-file";
import { languageOf, missing, unknownLanguage, type Language } from "./languages";
import { LanguageServer, type Patience } from "./language-server";
import { shown } from "./lsp-diagnostics";
import { operateOn, workspaceSymbols } from "./lsp-operations";
import { NEW_LIFE, step, UNUSED_MS, type Life, type LifeEvent } from "./server-life";

export interface ServersWorld extends Pick<ExtensionWorld, "clock" | "start" | "find" | "log" | "version"> {}

export interface ServersOptions { readonly languages: readonly Language[]; readonly limitMs: number }

/** Of whoever asks. */
export interface Asker { readonly signal: AbortSignal; readonly progress: (message: string) => void }

interface Slot { readonly language: Language; readonly folder: string; life: Life; server?: Promise<LanguageServer>; running?: LanguageServer; unused?: Disposable }

/** Before the limit: what was found until then is answered. */
const LAST_MS = 3_000;

export class Servers {
  readonly #slots = new Map<string, Slot>();
  readonly #ending = new AbortController();

  constructor(private readonly world: ServersWorld, private readonly options: ServersOptions) {}

  /** Rejects with a sentence for the model. */
  async operate(request: IdeRequest, { signal, progress }: Asker): Promise<IdeAnswer> {
    const { clock } = this.world, { limitMs } = this.options, late = new AbortController();
    using _ = clock.after(limitMs, () => late.abort(refused(`There was no answer within ${Math.round(limitMs / 1000)} seconds. Ask again: a server that is still loading is ready later.`)));
    const patience: Patience = { signal: AbortSignal.any([signal, late.signal]), until: clock.now() + Math.max(limitMs - LAST_MS, limitMs / 2), progress };
    return await this.#operate(request, patience);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#slots.values()].map(async slot => {
      slot.unused?.[Symbol.dispose]();
      this.#step(slot, { kind: "closed" });
      const server = await slot.server?.catch(() => undefined);
      await server?.stop();
    }));
  }

  async #operate(request: IdeRequest, patience: Patience): Promise<IdeAnswer> {
    if (request.operation === "workspace_symbols") return this.#symbols(request, patience);
    const { path: file } = request;
    if (file === undefined) return this.#known(request.folders, patience);
    const { language, languageId } = this.#languageOf(file), server = await this.#server(language, folderOf(file, request.folders), patience);
    await server.documents.refresh();
    return operateOn({ server, file, document: await server.documents.open(file, languageId) }, { ...request, path: file }, patience);
  }

  /** Of a file's language; else of those whose servers run; else of the first file that one is known for. */
  async #symbols({ query, path: given, folders }: Extract<IdeRequest, { operation: "workspace_symbols" }>, patience: Patience): Promise<IdeAnswer> {
    const running = given === undefined ? this.#running(folders) : [];
    if (running.length === 0) {
      const file = given ?? await firstFile(folders, each => languageOf(each, this.options.languages) !== undefined, patience.signal);
      if (file === undefined) throw refused("There is no file here that a language server is known for.");
      const { language, languageId } = this.#languageOf(file), server = await this.#server(language, folderOf(file, folders), patience);
      await server.documents.open(file, languageId); // some know a project by its files only
      running.push(server);
    }
    const answers = [];
    for (const server of running) {
      await server.documents.refresh();
      answers.push(await workspaceSymbols(server, query, patience));
    }
    const symbols = answers.flatMap(answer => answer.symbols), note = answers.find(answer => answer.note !== undefined)?.note;
    return { kind: "symbols", symbols: symbols.slice(0, MOST_ITEMS), total: answers.reduce((sum, { total }) => sum + total, 0), ...(note === undefined ? {} : { note }) };
  }

  /** What is known without looking into a file that nobody asked about. */
  async #known(folders: readonly string[], patience: Patience): Promise<IdeAnswer> {
    const running = this.#running(folders), all = [];
    for (const server of running) {
      await server.documents.refresh();
      const asked = server.documents.paths;
      for (const file of asked) {
        const document = server.documents.at(file), answer = document && await operateOn({ server, file, document }, { operation: "diagnostics", path: file }, patience);
        if (answer?.kind === "diagnostics") all.push(...answer.diagnostics);
      }
      for (const file of server.publishedFiles) if (!asked.includes(file)) all.push(...shown(server.published(file)?.diagnostics ?? [], file, []));
    }
    const note = running.length === 0 ? "No file was looked at yet: name one in “path”." : "Only files that were asked about before, and what their language servers told by themselves: name other files in “path”.";
    return diagnosticsAnswer(all, note);
  }

  #languageOf(file: string): { readonly language: Language; readonly languageId: string } {
    const found = languageOf(file, this.options.languages);
    if (!found) throw refused(unknownLanguage(file));
    return found;
  }

  #running(folders: readonly string[]): LanguageServer[] {
    return [...this.#slots.values()].flatMap(slot => {
      if (!slot.running || !folders.includes(slot.folder)) return [];
      this.#use(slot);
      return [slot.running];
    });
  }

  async #server(language: Language, folder: string, { signal, progress }: Patience): Promise<LanguageServer> {
    const key = `${language.id}\0${folder}`, slot: Slot = this.#slots.get(key) ?? { language, folder, life: NEW_LIFE };
    this.#slots.set(key, slot);
    const effect = this.#ending.signal.aborted ? { kind: "refuse", why: "the session has ended." } as const : this.#step(slot, { kind: "needed" });
    if (effect?.kind === "refuse") throw refused(`The language server for ${language.name} cannot be used: ${effect.why}`);
    if (effect?.kind === "start") {
      progress(`Starting the language server for ${language.name}.`);
      slot.server = this.#start(slot);
      slot.server.catch(() => undefined);
    }
    if (!slot.server) throw new Error("a server that is up has none");
    this.#use(slot);
    return Promise.race([slot.server, new Promise<never>((_, reject) => { if (signal.aborted) reject(signal.reason); else signal.addEventListener("abort", () => reject(signal.reason), { once: true }); })]);
  }

  #use(slot: Slot): void {
    slot.unused?.[Symbol.dispose]();
    slot.unused = this.world.clock.after(UNUSED_MS, () => {
      if (this.#step(slot, { kind: "unused" })?.kind !== "stop") return;
      this.world.log("info", "A language server was not used for a while", { language: slot.language.id, folder: slot.folder });
      slot.server?.then(server => server.stop(), () => undefined);
      delete slot.running;
    });
  }

  async #start(slot: Slot): Promise<LanguageServer> {
    const { language, folder } = slot;
    try {
      const command = await this.#command(language);
      if (command === undefined) throw refused(missing(language));
      const server = await LanguageServer.start(command, folder, language, this.world, this.#ending.signal);
      slot.running = server;
      void server.closed.then(why => {
        if (slot.running === server) delete slot.running;
        if (why === undefined) return;
        this.world.log("warn", "A language server ended", { server: server.name, why });
        this.#step(slot, { kind: "fell", why });
      });
      return server;
    } catch (error) {
      // What is not there may be installed meanwhile, and was not tried.
      slot.life = error instanceof Error && error.message === missing(language) && slot.life.kind === "up" ? { ...slot.life, kind: "down" } : slot.life;
      this.#step(slot, { kind: "fell", why: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  async #command({ programs, isConfigured }: Language): Promise<Language["programs"][number] | undefined> {
    for (const program of programs) {
      const command = path.isAbsolute(program.command) ? program.command : await this.world.find(program.command);
      if (command !== undefined) return { ...program, command };
    }
    return isConfigured ? programs[0] : undefined;
  }

  #step(slot: Slot, event: LifeEvent): ReturnType<typeof step>[1] {
    const [life, effect] = step(slot.life, event, this.world.clock.now());
    slot.life = life;
    return effect;
  }
}

/** The innermost session folder that it is in. */
function folderOf(file: string, folders: readonly string[]): string {
  const inside = folders.filter(folder => contains(folder, file)).sort((a, b) => b.length - a.length);
  return inside[0] ?? folders[0] ?? path.dirname(file);
}
