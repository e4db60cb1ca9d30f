/**
 * Exports sessions to files and imports them (issue 17 item 1). A session of 100 MB takes seconds and hundreds of
 * megabytes. A worker thread does the work, so that it blocks no other session and its memory is released.
 *
 *   export: journal ══▶ parts ══▶ temporary file, renamed when it is complete
 *   import: file ══▶ validated conversation ══▶ new journal
 *
 * Invariants:
 * - An export replaces its file, or leaves it unchanged.
 * - A file that was exported as JSON can be imported: both have the same size limit.
 */
import * as l10n from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { parentPort, Worker, workerData } from "node:worker_threads";
import type { Conversation } from "../../src/protocol/chat/chat";
import type { HostToSidecar } from "../../src/protocol/sidecar";
import { ErrorCode } from "../../src/protocol/wire/errors";
import type { ParamsOf } from "../../src/protocol/wire/wire";
import { Journal } from "../journal/journal";
import { RpcError } from "../rpc/message";
import { cwdIn, exportedConversation, importedConversation, jsonParts, markdownParts } from "./session-export";

export type ExportRequest = ParamsOf<HostToSidecar, "sessions/export">;

/** `conversation`: id of the new session. */
export interface ImportRequest {
  readonly conversation: string;
  readonly path: string;
}

export interface ImportedSession {
  readonly agentId: string;
  readonly cwd: string;
}

/** Rejects with a sentence for the user if the session or the file does not permit it. */
export interface SessionFiles {
  export(request: ExportRequest): Promise<void>;
  import(request: ImportRequest): Promise<ImportedSession>;
}

/** Bytes of a JSON file. */
const FILE_LIMIT = 256 * 1024 * 1024;
/** UTF-16 units that are written at once. */
const CHUNK = 64 * 1024;

/** Works in this thread. `limit`: maximum bytes of a JSON file. */
export function filesInThread(journal: Pick<Journal, "read" | "import">, limit = FILE_LIMIT): SessionFiles {
  return {
    export: async ({ conversation, format, path: file }) => {
      const { record, text } = journal.read(conversation),
        exported = exportedConversation(text, cwdIn(text.version) ?? record?.cwd ?? "");
      if (exported === undefined) throw refused(l10n.t("This session has no content."));
      if (format === "json") replaceFile(file, jsonParts(exported), limit);
      else replaceFile(file, markdownParts(exported), Number.POSITIVE_INFINITY);
    },
    import: async ({ conversation, path: file }) => {
      const imported = importedConversation(contentOf(file, limit));
      if (imported === undefined)
        throw refused(l10n.t("This file is no exported session. Choose a JSON file that Symposium has exported."));
      importInto(journal, conversation, imported);
      return { agentId: imported.agent.id, cwd: imported.cwd };
    },
  };
}

/** Stores a new session. Throws a sentence for the user if that fails. */
export function importInto(journal: Pick<Journal, "import">, conversation: string, version: Conversation): void {
  try {
    journal.import(conversation, version);
  } catch (error) {
    throw refused(l10n.t`The session could not be stored: ${reasonOf(error)}.`);
  }
}

function replaceFile(file: string, parts: Iterable<string>, limit: number): void {
  let temporary: string | undefined;
  try {
    const target = resolved(file),
      status = statSync(target, { throwIfNoEntry: false }),
      mode = status && status.mode & 0o777;
    temporary = path.join(path.dirname(target), `.symposium-${randomUUID()}.part`);
    writeParts(temporary, parts, limit, mode);
    renameSync(temporary, target);
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    if (error instanceof RpcError) throw error;
    throw refused(l10n.t`The file ${file} could not be written: ${reasonOf(error)}.`);
  }
}

/** The file to which a symbolic link points. */
function resolved(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // it does not exist yet
  }
}

/** `mode`: that of the replaced file. */
function writeParts(file: string, parts: Iterable<string>, limit: number, mode: number | undefined): void {
  const open = openSync(file, "wx", mode);
  let bytes = 0;
  const write = (text: string): void => {
    const chunk = Buffer.from(text);
    bytes += chunk.length;
    if (bytes > limit)
      throw refused(
        l10n.t`This session is larger than ${Math.floor(limit / 1024 / 1024)} MB as JSON. Export it as Markdown.`,
      );
    writeFileSync(open, chunk);
  };
  try {
    let chunk = "";
    for (const part of parts) {
      chunk += part;
      if (chunk.length < CHUNK) continue;
      write(chunk);
      chunk = "";
    }
    write(chunk);
    if (mode !== undefined) fchmodSync(open, mode);
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
}

function contentOf(file: string, limit: number): string {
  let size: number;
  try {
    size = statSync(file).size;
    if (size <= limit) return readFileSync(file, "utf8");
  } catch (error) {
    throw refused(l10n.t`The file ${file} could not be read: ${reasonOf(error)}.`);
  }
  throw refused(l10n.t`The file ${file} is larger than ${Math.floor(limit / 1024 / 1024)} MB.`);
}

interface Task {
  readonly storage: string;
  readonly export?: ExportRequest;
  readonly import?: ImportRequest;
}
/** Posted by the thread. `refusal`: a sentence for the user. */
type Outcome = { readonly refusal: string } | { readonly imported?: ImportedSession };

/** Works in a thread for each request. `program`: path of our own program. */
export function filesInWorker(program: string, storage: string): SessionFiles {
  return {
    export: async request => {
      await outcomeOf(program, { storage, export: request });
    },
    import: async request => {
      const { imported } = await outcomeOf(program, { storage, import: request });
      if (imported === undefined) throw new Error("The thread posted no session.");
      return imported;
    },
  };
}

async function outcomeOf(program: string, task: Task): Promise<{ readonly imported?: ImportedSession }> {
  const worker = new Worker(program, { argv: ["session-file"], workerData: task, stdout: true, stderr: true }),
    stderr: Buffer[] = [];
  worker.stderr.on("data", (text: Buffer) => {
    stderr.push(text);
  });
  const outcome = await new Promise<Outcome>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", code =>
      reject(new Error(Buffer.concat(stderr).toString().split("\n", 1)[0] || `the thread exited with ${code}`)),
    );
  }).catch((error: unknown) => {
    if (reasonOf(error) !== "ERR_WORKER_OUT_OF_MEMORY") throw error;
    throw refused(l10n.t("This session is too large for the available memory."));
  });
  if ("refusal" in outcome) throw refused(outcome.refusal);
  return outcome;
}

/** Runs in the thread. Resolves with its exit code. */
export async function runTaskOfThread(): Promise<number> {
  const task = workerData as Task,
    files = filesInThread(new Journal(task.storage, { warn: () => undefined }));
  let outcome: Outcome = {};
  try {
    if (task.export !== undefined) await files.export(task.export);
    if (task.import !== undefined) outcome = { imported: await files.import(task.import) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    outcome = { refusal: error.message };
  }
  parentPort?.postMessage(outcome);
  return 0;
}

export function refused(sentence: string): RpcError {
  return new RpcError(ErrorCode.refused, sentence);
}

/** The code of a system error, or its description. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
