/**
 * Loads the built program with the code that V8 compiled at an earlier start, which is stored in
 * `~/.symposium/cache/compiled` (issue 18 point 8). Node's own compile cache needs Node 22.
 *
 * Invariants:
 * - Code is stored for the exact content and path of its file, and for one Node. The file's first line is the hash of
 *   its content (`scripts/content-hash.js`). Stack traces contain the path.
 * - A stored file appears complete, by one rename. It contains the code twice, because V8 does not detect a damaged
 *   byte and crashes. A comparison takes 0.03 ms, and a hash by `node:crypto` 4 ms.
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
import { shortHash } from "../../process/short-hash";

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
/** Another build of the same version can have another layout of V8's objects, which V8 does not detect. */
const NODE = [process.execPath, process.version, process.versions.v8, process.arch].join("\n");
const FIRST_LINE = /^\/\/([\da-f]{16,64})\n/;

export class CompiledCode {
  readonly #modules = new Map<string, LoadedModule>();
  readonly #compiled: Compiled[] = [];
  /** Reused for each file, because an idle program does not free memory. */
  #buffer = Buffer.allocUnsafeSlow(1024 * 1024);

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
    try {
      this.#wrapperOf(file)(module.exports, require, module, file, folder);
    } catch (error) {
      this.#modules.delete(file); // the next call tries again, as Node does
      throw error;
    }
    return module.exports;
  }

  /** Stores the code that was compiled, with the functions that have run. Call it at the exit. */
  store(now: number): void {
    if (this.folder === undefined || this.#compiled.length === 0) return;
    try {
      mkdirSync(this.folder, { recursive: true });
      for (const { script, stored } of this.#compiled) {
        const code = script.createCachedData();
        replace(stored, Buffer.concat([code, code]));
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
          : path.join(this.folder, `${path.basename(file, ".js")}-${hash}-${shortHash(`${NODE}\n${file}`)}`),
      cachedData = stored === undefined ? undefined : this.#codeIn(stored),
      script = new Script(`(function(exports,require,module,__filename,__dirname){${text}\n})`, {
        filename: file,
        ...(cachedData && { cachedData }),
      });
    if (stored !== undefined && (cachedData === undefined || script.cachedDataRejected === true))
      this.#compiled.push({ script, stored });
    return script.runInThisContext() as Wrapper;
  }

  #codeIn(stored: string): Buffer | undefined {
    try {
      const copies = this.#read(stored),
        code = copies.subarray(0, copies.length / 2);
      // V8 does not reject code without bytes.
      return code.length > 0 && code.equals(copies.subarray(code.length)) ? code : undefined;
    } catch {
      return undefined; // not stored yet, or not readable
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

/**
 * The folder of the stored code, or undefined if none is used. A relative home directory is not used, because the
 * workspace could then contain the code. `NODE_DISABLE_COMPILE_CACHE` is a variable of Node.
 */
export function compiledCodeFolder(env: NodeJS.ProcessEnv, home: () => string): string | undefined {
  if (env.NODE_DISABLE_COMPILE_CACHE !== undefined) return undefined;
  try {
    const folder = path.join(home(), ".symposium", "cache", "compiled");
    return path.isAbsolute(folder) ? folder : undefined;
  } catch {
    return undefined; // the user has no home directory
  }
}

/** Two threads of this process can store the same file at once. */
function replace(file: string, content: Buffer): void {
  const temporary = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function deleteOld(folder: string, before: number): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (statSync(file).mtimeMs < before) rmSync(file, { force: true, recursive: true });
  }
}
