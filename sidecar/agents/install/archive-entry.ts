/**
 * What of an archive may be written, and where: decided for each entry before anything of it is. Pure.
 *
 * Invariants: an entry that is admitted is a file or a folder strictly below the destination, on every system; no two
 * of them would be one file where capitals do not count; the number of entries, the bytes written and their ratio to
 * the archive are limited.
 */
import { hostile, tooLarge } from "./install-error";

export interface Limits {
  readonly entries: number;
  /** Of all files together. */
  readonly bytes: number;
  /** How many times as large as the archive its content may be, beyond `ratioFrom` bytes. */
  readonly ratio: number;
  readonly ratioFrom: number;
}

export const LIMITS: Limits = { entries: 100_000, bytes: 4 * 2 ** 30, ratio: 200, ratioFrom: 100 * 2 ** 20 };

export class ArchivePathGuard {
  readonly #limits: Limits;
  readonly #archiveBytes: number;
  readonly #platform: string;
  /** Names that must not be taken at the root, in small letters. */
  readonly #reserved: ReadonlySet<string>;
  readonly #known = new Map<string, "file" | "folder">();
  #entries = 0;
  #bytes = 0;

  constructor(
    archiveBytes: number,
    {
      limits = LIMITS,
      platform = process.platform,
      reserved = [],
    }: { readonly limits?: Limits; readonly platform?: string; readonly reserved?: readonly string[] } = {},
  ) {
    this.#archiveBytes = archiveBytes;
    this.#limits = limits;
    this.#platform = platform;
    this.#reserved = new Set(reserved);
  }

  get entries(): number {
    return this.#entries;
  }
  /** Bytes that were written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The parts of its path; none: the destination itself. Throws `InstallError`. */
  admit(name: string, kind: "file" | "folder"): readonly string[] {
    this.count(++this.#entries);
    const parts = partsOf(name, this.#platform);
    if (typeof parts === "string") throw hostile(name, parts);
    if (kind === "file" && parts.length === 0) throw hostile(name, "has no name");
    if (this.#reserved.has(folded(parts[0] ?? ""))) throw hostile(name, "has a name that Symposium needs for itself");
    for (let length = 1; length < parts.length; length++) this.#take(name, parts.slice(0, length), "folder");
    if (parts.length > 0) this.#take(name, parts, kind);
    return parts;
  }

  /** How many entries there are, or will be. Throws `InstallError`. */
  count(entries: number): void {
    if (entries > this.#limits.entries) throw tooLarge(`The archive has more than ${this.#limits.entries} entries`);
  }

  /** Bytes that are about to be written. Throws `InstallError`. */
  spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.bytes)
      throw tooLarge(`The archive holds more than ${Math.round(this.#limits.bytes / 2 ** 30)} GB`);
    if (this.#bytes > this.#limits.ratioFrom && this.#bytes > this.#limits.ratio * this.#archiveBytes)
      throw tooLarge(`The archive grows to more than ${this.#limits.ratio} times its size`);
  }

  #take(name: string, parts: readonly string[], kind: "file" | "folder"): void {
    const key = folded(parts.join("/"));
    const before = this.#known.get(key);
    if (before === undefined) this.#known.set(key, kind);
    else if (before === "file" || kind === "file") throw hostile(name, "would overwrite another one");
  }
}

const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\.|$)/i;

/** Undefined beside a sentence's rest: why not. A colon names a stream of a file on Windows, or a drive. */
function partsOf(name: string, platform: string): readonly string[] | string {
  if (name.includes("\0")) return "has a NUL in its name";
  if (name.includes("\\")) return "has a backslash in its name";
  if (name.startsWith("/") || /^[a-z]:/i.test(name)) return "has an absolute path";
  const parts = name.split("/").filter(part => part !== "" && part !== ".");
  if (parts.includes("..")) return "leads out of its folder";
  if (parts.length > 100 || parts.some(part => Buffer.byteLength(part) > 255)) return "has a path that is too long";
  if (platform === "win32" && parts.some(part => /[\p{Cc}<>:"|?*]|[. ]$/u.test(part) || DEVICE.test(part)))
    return "has a name that Windows takes for something else";
  return parts;
}

/** As file systems compare that take `A` and `a`, and both ways to write `é`, for one. */
function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
/** Where entries go. Both throw `InstallError` for what may not be written. */

export interface Destination {
  folder(name: string): Promise<void>;
  /** `isProgram` is all that survives of its mode. */
  file(name: string, isProgram: boolean, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** That there will be so many. */
  expect(entries: number): void;
  /** How much of the archive has been read, asked whenever something was written. */
  reading(bytesRead: () => number): void;
}
