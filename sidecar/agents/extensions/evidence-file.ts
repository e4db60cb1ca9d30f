/**
 * Stores the delivery evidence of all agents (`mcp/delivery/delivery-evidence.ts`) in one JSON file, shared by all
 * windows and the command line.
 *
 * Invariants:
 * - The file is replaced atomically.
 * - An unreadable file counts as empty.
 * - An invalid entry is dropped.
 * - A write failure is logged once. The evidence is then kept in memory only.
 */
import { readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { DeliveryEvidence, EvidenceStore } from "../../mcp/delivery/delivery-evidence";
import type { SessionTools } from "../../mcp/delivery/session-tools";
import { isObject, numberOr, type JsonObject } from "../../rpc/json";
import { readTools, storedTools } from "./stored-tools";

/** Maximum number of programs. The newest are kept. */
const MAX_PROGRAMS = 200;
/** Maximum length of a program's name and version, in characters. The agent provides both. */
const MAX_NAME = 200;

interface Entry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly evidence?: DeliveryEvidence;
  /** The session whose turn ended last. */
  readonly tools?: SessionTools;
}

export interface EvidenceFileDeps {
  /** Absolute path. */
  readonly file: string;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly onWarning: (message: string, error: unknown) => void;
}

export class EvidenceFile implements EvidenceStore, AsyncDisposable {
  readonly #own = new Map<string, Entry>();
  #writing: Promise<void> = Promise.resolve();
  #hasWarned = false;

  constructor(private readonly deps: EvidenceFileDeps) {}

  of(program: string): DeliveryEvidence | undefined {
    return this.all().get(keyOf(program))?.evidence;
  }

  tools(program: string): SessionTools | undefined {
    return this.all().get(keyOf(program))?.tools;
  }

  /** Returns the newest entry of each program across all processes. Keys are truncated to `MAX_NAME` characters. */
  all(): ReadonlyMap<string, Entry> {
    const all = new Map(read(this.deps.file));
    for (const [program, own] of this.#own) if (own.at >= (all.get(program)?.at ?? 0)) all.set(program, own);
    return all;
  }

  set(program: string, evidence: DeliveryEvidence): void {
    const before = this.of(program);
    if (
      before &&
      before.transport === evidence.transport &&
      before.isListed === evidence.isListed &&
      before.lists === evidence.lists &&
      (before.waitsInVain ?? 0) === (evidence.waitsInVain ?? 0)
    )
      return;
    this.#change(program, { evidence });
  }

  setTools(program: string, tools: SessionTools): void {
    const stored = storedTools(tools);
    if (!isDeepStrictEqual(this.tools(program), stored)) this.#change(program, { tools: stored });
  }

  #change(program: string, change: Pick<Entry, "evidence" | "tools">): void {
    const key = keyOf(program);
    this.#own.set(key, { ...this.all().get(key), ...change, at: this.deps.date() });
    this.#writing = this.#writing.then(() => this.#write());
  }

  /** Resolves when all pending writes have finished. Never rejects. */
  written(): Promise<void> {
    return this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.written();
  }

  async #write(): Promise<void> {
    const { file, onWarning } = this.deps,
      temporary = `${file}.${process.pid}`;
    const newest = [...this.all()].sort(([, a], [, b]) => b.at - a.at).slice(0, MAX_PROGRAMS);
    try {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(temporary, JSON.stringify(Object.fromEntries(newest.map(serialised)), undefined, 1));
      await rename(temporary, file);
    } catch (error) {
      if (!this.#hasWarned) onWarning("The tool connections of agents could not be saved", error);
      this.#hasWarned = true;
    }
  }
}

function keyOf(program: string): string {
  return program.slice(0, MAX_NAME);
}

function read(file: string): readonly (readonly [string, Entry])[] {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isObject(parsed)
      ? Object.entries(parsed).flatMap(([program, value]) => {
          const entry = isObject(value) && entryOf(value);
          return entry ? [[program, entry]] : [];
        })
      : [];
  } catch {
    return [];
  }
}

function serialised([program, { at, evidence, tools }]: readonly [string, Entry]): readonly [string, unknown] {
  return [program, { ...evidence, at, ...(tools ? { tools } : {}) }];
}

const LISTS = ["beforePrompt", "inPrompt", "later", "never"] as const;

/** Returns undefined if neither part is valid. */
function entryOf(value: JsonObject): Entry | undefined {
  const evidence = evidenceOf(value),
    tools = readTools(value.tools);
  if (!evidence && !tools) return undefined;
  return { at: numberOr(value.at, 0), ...(evidence ? { evidence } : {}), ...(tools ? { tools } : {}) };
}

function evidenceOf({ transport, isListed, lists, waitsInVain }: JsonObject): DeliveryEvidence | undefined {
  const listed = LISTS.find(each => each === lists);
  if ((transport !== "http" && transport !== "stdio") || typeof isListed !== "boolean" || listed === undefined)
    return undefined;
  const waits = numberOr(waitsInVain, 0);
  return { transport, isListed, lists: listed, ...(waits > 0 ? { waitsInVain: waits } : {}) };
}
