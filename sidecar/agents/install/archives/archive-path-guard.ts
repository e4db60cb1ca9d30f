/**
 * Validates the path of each archive entry before the entry is written. Pure.
 *
 * Invariants:
 * - An accepted entry is a file or a folder strictly below the destination, on every system.
 * - No two entries are the same file on a case-insensitive file system.
 * - The number of entries, the written bytes and their ratio to the archive size are limited.
 */
import * as l10n from "@vscode/l10n";
import { hostile, tooLarge } from "../store/install-error";

export interface Limits {
  readonly entries: number;
  /** Maximum total size of all files. */
  readonly bytes: number;
  /** Maximum ratio of content to archive size, checked beyond `ratioFrom` bytes. */
  readonly ratio: number;
  readonly ratioFrom: number;
}

export const LIMITS: Limits = { entries: 100_000, bytes: 4 * 2 ** 30, ratio: 200, ratioFrom: 100 * 2 ** 20 };

export class ArchivePathGuard {
  readonly #limits: Limits;
  readonly #archiveBytes: number;
  readonly #platform: string;
  /** Lower-case names that no entry may have at the root. */
  readonly #reserved: ReadonlySet<string>;
  readonly #kinds = new Map<string, "file" | "folder">();
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
  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the parts of the path. An empty list is the destination itself. Throws `InstallError`. */
  admit(name: string, kind: "file" | "folder"): readonly string[] {
    this.count(++this.#entries);
    const parts = partsOf(name, this.#platform);
    if (typeof parts === "string") throw hostile(name, parts);
    if (kind === "file" && parts.length === 0) throw hostile(name, l10n.t("has no name"));
    if (this.#reserved.has(folded(parts[0] ?? ""))) throw hostile(name, l10n.t("has a name that Symposium reserves"));
    for (let length = 1; length < parts.length; length++) this.#take(name, parts.slice(0, length), "folder");
    if (parts.length > 0) this.#take(name, parts, kind);
    return parts;
  }

  /** Checks the number of entries, current or announced. Throws `InstallError`. */
  count(entries: number): void {
    if (entries > this.#limits.entries)
      throw tooLarge(l10n.t`The archive has more than ${this.#limits.entries} entries`);
  }

  /** Accounts for bytes before they are written. Throws `InstallError`. */
  spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.bytes)
      throw tooLarge(l10n.t`The archive contains more than ${Math.round(this.#limits.bytes / 2 ** 30)} GB`);
    if (this.#bytes > this.#limits.ratioFrom && this.#bytes > this.#limits.ratio * this.#archiveBytes)
      throw tooLarge(l10n.t`The archive expands to more than ${this.#limits.ratio} times its size`);
  }

  #take(name: string, parts: readonly string[], kind: "file" | "folder"): void {
    const key = folded(parts.join("/"));
    const before = this.#kinds.get(key);
    if (before === undefined) this.#kinds.set(key, kind);
    else if (before === "file" || kind === "file") throw hostile(name, l10n.t("would overwrite another entry"));
  }
}

const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\.|$)/i;

/**
 * Returns the parts, or the reason for the rejection as the end of a sentence. On Windows, a colon denotes an alternate
 * stream or a drive.
 */
function partsOf(name: string, platform: string): readonly string[] | string {
  if (name.includes("\0")) return l10n.t("has a NUL in its name");
  if (name.includes("\\")) return l10n.t("has a backslash in its name");
  if (name.startsWith("/") || /^[a-z]:/i.test(name)) return l10n.t("has an absolute path");
  const parts = name.split("/").filter(part => part !== "" && part !== ".");
  if (parts.includes("..")) return l10n.t("points outside of its folder");
  if (parts.length > 100 || parts.some(part => Buffer.byteLength(part) > 255))
    return l10n.t("has a path that is too long");
  if (platform === "win32" && parts.some(part => /[\p{Cc}<>:"|?*]|[. ]$/u.test(part) || DEVICE.test(part)))
    return l10n.t("has a name that Windows reserves");
  return parts;
}

/** Normalises a name like a file system that ignores case and Unicode composition (`é`). */
function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
/** Receives the entries. Both `folder` and `file` throw `InstallError` for a rejected entry. */
export interface Destination {
  folder(name: string): Promise<void>;
  /** `isProgram`: the executable bit. Other mode bits are dropped. */
  file(name: string, isProgram: boolean, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Announces the number of entries. */
  expect(entries: number): void;
  /** Sets the source of the progress: the number of archive bytes read, queried after each write. */
  reading(bytesRead: () => number): void;
}
