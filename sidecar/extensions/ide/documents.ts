/**
 * The open files of a language server, synchronized with the disk.
 *
 * Invariants:
 * - A server receives each text once.
 * - Before an operation, all open documents match the disk.
 * - At most `MAX_OPEN` documents are open. The least recently used document is closed first.
 */
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ErrorCode, errorMessage } from "../../../src/protocol/wire/errors";
import { linesOf } from "../../../src/protocol/ide/ide-text";
import type { Clock } from "../../rpc/clock";
import { RpcError } from "../../rpc/message";
import { LSP_METHODS } from "./lsp-methods";

export const MAX_OPEN = 40;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

export interface OpenDocument {
  readonly uri: string;
  readonly version: number;
  readonly lines: readonly string[];
  /** Time at which the server received the current text. */
  readonly changedAt: number;
  /** The server has received only one text of this document. */
  readonly isNew: boolean;
}
interface TrackedDocument extends OpenDocument {
  readonly text: string;
  readonly languageId: string;
  readonly stamp: string;
}

export interface Server {
  notify(method: string, params: unknown): void;
  /** Whether the server requests `textDocument/didSave`. */
  receivesSaves(): boolean;
}

export class Documents {
  /** By path, least recently used first. */
  readonly #open = new Map<string, TrackedDocument>();

  constructor(
    private readonly server: Server,
    private readonly clock: Clock,
  ) {}

  get paths(): readonly string[] {
    return [...this.#open.keys()];
  }

  at(file: string): OpenDocument | undefined {
    return this.#open.get(file);
  }

  /** Opens or updates a document. Rejects with a sentence if the file is not readable text. */
  async open(file: string, languageId: string): Promise<OpenDocument> {
    const { text, stamp } = await textOf(file),
      tracked = this.#open.get(file),
      document = tracked ? this.#changed(tracked, text, stamp) : this.#opened(file, languageId, text, stamp);
    this.#markUsed(file, document);
    return document;
  }

  /** Sends the changes made on disk since the last call. */
  async refresh(): Promise<void> {
    for (const [file, tracked] of [...this.#open]) {
      const stamp = await stampOf(file).catch(() => undefined);
      if (stamp === tracked.stamp) continue;
      const read = stamp === undefined ? undefined : await textOf(file).catch(() => undefined);
      if (this.#open.get(file) !== tracked) continue; // a concurrent operation has already updated it
      if (read) this.#open.set(file, this.#changed(tracked, read.text, read.stamp));
      else this.#close(file, tracked);
    }
  }

  #opened(file: string, languageId: string, text: string, stamp: string): TrackedDocument {
    const uri = pathToFileURL(file).href;
    this.server.notify(LSP_METHODS.textDocument_didOpen, { textDocument: { uri, languageId, version: 1, text } });
    return { uri, version: 1, text, lines: linesOf(text), languageId, stamp, changedAt: this.clock.now(), isNew: true };
  }

  #changed(tracked: TrackedDocument, text: string, stamp: string): TrackedDocument {
    if (tracked.text === text) return { ...tracked, stamp };
    const { uri } = tracked,
      version = tracked.version + 1;
    this.server.notify(LSP_METHODS.textDocument_didChange, {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
    if (this.server.receivesSaves())
      this.server.notify(LSP_METHODS.textDocument_didSave, { textDocument: { uri }, text });
    return { ...tracked, version, text, lines: linesOf(text), stamp, changedAt: this.clock.now(), isNew: false };
  }

  #markUsed(file: string, document: TrackedDocument): void {
    this.#open.delete(file);
    this.#open.set(file, document);
    const [oldest] = this.#open;
    if (this.#open.size > MAX_OPEN && oldest) this.#close(...oldest);
  }

  #close(file: string, { uri }: OpenDocument): void {
    this.#open.delete(file);
    this.server.notify(LSP_METHODS.textDocument_didClose, { textDocument: { uri } });
  }
}

/** The text of a file, and a stamp that changes with the file. */
async function textOf(file: string): Promise<{ readonly text: string; readonly stamp: string }> {
  const stamp = await stampOf(file),
    text = (
      await readFile(file, "utf8").catch((error: unknown) => {
        throw unreadable(file, error);
      })
    ).replace(/^\uFEFF/, "");
  if (text.includes("\0")) throw refused(`${file} is not a text file.`);
  return { text, stamp };
}

async function stampOf(file: string): Promise<string> {
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (!found.isFile()) throw refused(`${file} is not a file.`);
  if (found.size > MAX_FILE_BYTES) throw refused(`${file} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB.`);
  return `${found.mtimeMs} ${found.size}`;
}

/** The lines of any file on disk. Empty if the file is unreadable. */
export async function linesIn(file: string): Promise<readonly string[]> {
  if (!path.isAbsolute(file)) return []; // a URI scheme specific to a server
  return textOf(file).then(
    ({ text }) => linesOf(text),
    () => [],
  );
}

export function refused(sentence: string): RpcError {
  return new RpcError(ErrorCode.refused, sentence);
}

function unreadable(file: string, error: unknown): RpcError {
  const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
  return isAbsent
    ? refused(`File ${file} does not exist.`)
    : refused(`${file} could not be read: ${errorMessage(error)}`);
}
