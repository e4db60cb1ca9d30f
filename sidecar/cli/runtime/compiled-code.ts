/**
 * Loads the built program with the code that V8 compiled at an earlier start, which is stored in
 * `~/.symposium/cache/compiled` (issue 18 point 8). Node's own compile cache needs Node 22.
 *
 * Invariants:
 * - Code is stored for the exact content of its file. The file's first line is the hash of its content
 *   (`scripts/content-hash.js`).
 * - A stored file appears complete, by one rename. V8 rejects code of another version.
 * - Without a readable and writable folder, the program runs in the same way.
 */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { Script } from "node:vm";

interface LoadedModule {
  exports: unknown;
}
type Wrapper = (
  exports: unknown,
  require: (name: string) => unknown,
  module: LoadedModule,
  file: string,
  folder: string,
) => void;

interface Compiled {
  readonly script: Script;
  /** Path of the stored code. */
  readonly stored: string;
}

/** After this time, stored code is deleted, also if it is in use. It is then stored again. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
const FIRST_LINE = /^\/\/([\da-f]{16,64})\n/;

export class CompiledCode {
  readonly #modules = new Map<string, LoadedModule>();
  readonly #compiled: Compiled[] = [];
  /** Reused for each file, because an idle program does not free memory. */
  #buffer = Buffer.allocUnsafeSlow(256 * 1024);

  /**
   * `folder`: of the stored code; undefined: none is stored. `builtIn`: loads modules of Node.
   */
  constructor(
    readonly folder: string | undefined,
    readonly builtIn: (name: string) => unknown,
  ) {}

  /** The exports of a CommonJS file. `file`: absolute. */
  load(file: string): unknown {
    const loaded = this.#modules.get(file);
    if (loaded) return loaded.exports;
    const module: LoadedModule = { exports: {} },
      folder = path.dirname(file);
    this.#modules.set(file, module);
    const require = (name: string): unknown =>
      name.startsWith("./") ? this.load(path.join(folder, name)) : this.builtIn(name);
    this.#wrapperOf(file)(module.exports, require, module, file, folder);
    return module.exports;
  }

  /** Stores the code that was compiled, with the functions that have run. Call it at the exit. */
  store(now: number): void {
    if (this.folder === undefined || this.#compiled.length === 0) return;
    try {
      mkdirSync(this.folder, { recursive: true });
      for (const { script, stored } of this.#compiled) {
        const temporary = `${stored}.${process.pid}`;
        writeFileSync(temporary, script.createCachedData());
        renameSync(temporary, stored);
      }
      deleteOld(this.folder, now - MAX_AGE_MS);
    } catch {
      // The next start compiles the program again.
    }
  }

  #wrapperOf(file: string): Wrapper {
    const text = this.#read(file).toString("latin1"), // the build escapes characters outside ASCII
      hash = FIRST_LINE.exec(text)?.[1],
      stored =
        this.folder === undefined || hash === undefined
          ? undefined
          : path.join(this.folder, `${path.basename(file, ".js")}-${hash}`),
      cachedData = stored === undefined ? undefined : this.#readIfPresent(stored),
      script = new Script(`(function(exports,require,module,__filename,__dirname){${text}\n})`, {
        filename: file,
        ...(cachedData && { cachedData }),
      });
    if (stored !== undefined && (cachedData === undefined || script.cachedDataRejected === true))
      this.#compiled.push({ script, stored });
    return script.runInThisContext() as Wrapper;
  }

  #readIfPresent(file: string): Buffer | undefined {
    try {
      return this.#read(file);
    } catch {
      return undefined;
    }
  }

  /** The content until the next call. */
  #read(file: string): Buffer {
    const descriptor = openSync(file, "r");
    try {
      const { size } = fstatSync(descriptor);
      if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(size);
      let length = 0;
      for (let read = -1; read !== 0 && length < size; length += read)
        read = readSync(descriptor, this.#buffer, length, size - length, null);
      return this.#buffer.subarray(0, length);
    } finally {
      closeSync(descriptor);
    }
  }
}

function deleteOld(folder: string, before: number): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (statSync(file).mtimeMs < before) rmSync(file, { force: true, recursive: true });
  }
}
