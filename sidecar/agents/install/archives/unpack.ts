/**
 * Unpacks an archive into an exclusive folder: zip, tar with gzip or bzip2, or the program itself. The archive is
 * streamed, so memory usage is a few blocks for any size. `archive-path-guard.ts` defines which entries are rejected.
 */
import { createReadStream } from "node:fs";
import path from "node:path";
import { ArchivePathGuard, type Destination, type Limits } from "./archive-path-guard";
import { bunzipInThread, type Bunzip } from "./bunzip";
import { writeAll, type Files } from "../store/files";
import { damaged, explained, hostile, InstallError } from "../store/install-error";
import { untar } from "./unpack-tar";
import { unzip } from "./unpack-zip";

export type ArchiveKind = "zip" | "tar.gz" | "tar.bz2" | "raw";

/** Derives the kind from the name of a file or an address, by the registry's rules. */
export function archiveKind(name: string): ArchiveKind {
  if (/\.zip$/i.test(name)) return "zip";
  if (/\.(tar\.gz|tgz)$/i.test(name)) return "tar.gz";
  if (/\.(tar\.bz2|tbz2)$/i.test(name)) return "tar.bz2";
  return "raw";
}

export interface UnpackOptions {
  readonly kind: ArchiveKind;
  /** For a raw program: its path in the folder. */
  readonly program: string;
  readonly signal: AbortSignal;
  readonly files: Files;
  /** Bytes of the archive: read so far, and in total. */
  readonly progress?: (done: number, total: number) => void;
  readonly limits?: Limits;
  readonly platform?: string;
  /** Default: decompresses in this thread. */
  readonly bunzip?: Bunzip | undefined;
  /** Names that no entry may have at the root. */
  readonly reserved?: readonly string[];
}

/**
 * Rejects with `InstallError`, or with the signal's reason. Written files remain, because the caller owns the folder.
 */
export async function unpack(
  archive: string,
  folder: string,
  options: UnpackOptions,
): Promise<{ readonly bytes: number }> {
  const { kind, program, signal, files } = options;
  try {
    const { size } = await files.stat(archive),
      pathGuard = new ArchivePathGuard(size, options);
    const destination = new FolderDestination(folder, pathGuard, size, options);
    switch (kind) {
      case "zip":
        await unzip(archive, destination);
        break;
      case "tar.gz":
      case "tar.bz2":
        await untar(archive, kind, options.bunzip ?? bunzipInThread, destination);
        break;
      case "raw": {
        const source = createReadStream(archive);
        destination.reading(() => source.bytesRead);
        await destination.file(program, true, source);
        break;
      }
    }
    if (pathGuard.entries === 0) throw new Error("it is empty");
    return { bytes: pathGuard.bytes };
  } catch (error) {
    signal.throwIfAborted();
    const failure = explained(error);
    throw failure instanceof InstallError ? failure : damaged(path.basename(archive), error);
  }
}

class FolderDestination implements Destination {
  readonly #root: string;
  readonly #pathGuard: ArchivePathGuard;
  readonly #options: UnpackOptions;
  readonly #created = new Set<string>();
  readonly #size: number;
  #bytesRead = (): number => 0;

  constructor(root: string, pathGuard: ArchivePathGuard, size: number, options: UnpackOptions) {
    this.#root = root;
    this.#pathGuard = pathGuard;
    this.#size = size;
    this.#options = options;
  }

  expect(entries: number): void {
    this.#pathGuard.count(entries);
  }

  reading(bytesRead: () => number): void {
    this.#bytesRead = bytesRead;
  }

  async folder(name: string): Promise<void> {
    await this.#create(path.join(this.#root, ...this.#pathGuard.admit(name, "folder")));
  }

  async file(name: string, isProgram: boolean, content: AsyncIterable<Uint8Array>): Promise<void> {
    const { files, signal, progress } = this.#options;
    const file = path.join(this.#root, ...this.#pathGuard.admit(name, "file"));
    await this.#create(path.dirname(file));
    const handle = await files.open(file, "wx", isProgram ? 0o755 : 0o644).catch((error: unknown) => {
      throw error instanceof Error && "code" in error && error.code === "EEXIST"
        ? hostile(name, "would overwrite another entry")
        : error;
    });
    try {
      let at = 0;
      for await (const chunk of content) {
        signal.throwIfAborted();
        this.#pathGuard.spend(chunk.length);
        await writeAll(handle, chunk, at);
        at += chunk.length;
        progress?.(Math.min(this.#bytesRead(), this.#size), this.#size);
      }
    } finally {
      await handle.close();
    }
  }

  async #create(folder: string): Promise<void> {
    this.#options.signal.throwIfAborted();
    if (this.#created.has(folder)) return;
    await this.#options.files.mkdir(folder, { recursive: true });
    this.#created.add(folder);
  }
}
