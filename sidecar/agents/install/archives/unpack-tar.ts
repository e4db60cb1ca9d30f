/** Extracts the entries of a tar file compressed with gzip or bzip2. */
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { extract, type Extract } from "tar-stream";
import type { Bunzip } from "./bunzip";
import { hostile } from "../store/install-error";
import type { Destination } from "./archive-path-guard";

type Entry = Extract extends AsyncIterable<infer E> ? E : never;

const LINKS: readonly unknown[] = ["link", "symlink"];

export async function untar(
  archive: string,
  kind: "tar.gz" | "tar.bz2",
  bunzip: Bunzip,
  destination: Destination,
): Promise<void> {
  const source = createReadStream(archive),
    tar = extract();
  const plain = kind === "tar.gz" ? source.pipe(createGunzip()) : bunzip(source);
  destination.reading(() => source.bytesRead);
  source.on("error", error => plain.destroy(error));
  plain.on("error", () => undefined); // the reader, if any, receives the error
  const fed = feed(plain, tar);
  try {
    for await (const entry of tar) await write(entry, destination);
    await fed;
  } finally {
    source.destroy();
    plain.destroy();
    tar.destroy();
    await fed.catch(() => undefined);
  }
}

async function feed(plain: AsyncIterable<Buffer>, tar: Extract): Promise<void> {
  try {
    for await (const chunk of plain) {
      if (tar.destroyed) return;
      if (!tar.write(chunk)) await drained(tar);
    }
    tar.end(null);
  } catch (error) {
    tar.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

function drained(tar: Extract): Promise<void> {
  return new Promise(resolve => {
    const ready = (): void => {
      tar.off("drain", ready);
      tar.off("close", ready);
      resolve();
    };
    tar.on("drain", ready);
    tar.on("close", ready);
  });
}

async function write(entry: Entry, destination: Destination): Promise<void> {
  const { name, type, mode = 0, size = 0 } = entry.header;
  if (type === "directory") {
    await destination.folder(name);
    // Unread content would bypass all limits.
    if (size > 0) throw hostile(name, "is a folder with content");
    entry.resume();
  } else if (type === "file" || type === "contiguous-file")
    await destination.file(name, (mode & 0o111) !== 0, bytesOf(entry));
  else throw hostile(name, LINKS.includes(type) ? "is a link" : "is neither a file nor a folder");
}

/** The library's stream is not a Node stream and its chunks are untyped. */
async function* bytesOf(content: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) if (chunk instanceof Uint8Array) yield chunk;
}
